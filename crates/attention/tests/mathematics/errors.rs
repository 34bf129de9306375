use attention::circuits::induction_circuit;
use attention::random::Normals;
use attention::study::{
    Activation, Quartiles, Recurrence, depth_study, dot_product_study,
    log_slope, multi_head_cost, saturation_study,
};
use attention::{
    Block, Error, Head, LayerNorm, Mask, Mlp, MultiHead, NormPlace, Pairing,
    Projections, Rope, Scale, State, Step, attention, attention_with,
    neighbours_to_halves, one_pass_attention, position_shift, scores,
    sinusoids,
};
use ndarray::{Array1, Array2};

#[track_caller]
fn assert_says<T>(result: Result<T, Error>, needed: &str) {
    match result {
        Ok(_) => panic!("no error, needed: {needed}"),
        Err(error) => assert_eq!(error.to_string(), needed),
    }
}

fn zeros(rows: usize, columns: usize) -> Array2<f64> {
    Array2::zeros((rows, columns))
}

#[test]
fn keys_have_to_match_queries() {
    let message =
        "keys: came as [7, 3], needed [T_k, 2] to match queries [5, 2]";
    assert_says(scores(&zeros(5, 2), &zeros(7, 3), Scale::Off), message);
    assert_says(attention(&zeros(5, 2), &zeros(7, 3), &zeros(7, 4)), message);
    assert_says(
        attention_with(
            &zeros(5, 2),
            &zeros(7, 3),
            &zeros(7, 4),
            &Mask::None,
            Scale::Off,
        ),
        message,
    );
}

#[test]
fn each_key_has_to_have_its_value() {
    assert_says(
        attention(&zeros(5, 2), &zeros(7, 2), &zeros(6, 4)),
        "values: came as [6, 4], needed [7, d_v] to match keys [7, 2]",
    );
}

#[test]
fn there_has_to_be_something_to_compare() {
    assert_says(
        scores(&zeros(5, 0), &zeros(7, 0), Scale::ByRootDk),
        "queries: came as [5, 0], needed [T_q, d_k] with d_k at least 1",
    );
    assert_says(
        scores(&zeros(5, 2), &zeros(0, 2), Scale::ByRootDk),
        "keys: came as [0, 2], needed [T_k, 2] with T_k at least 1",
    );
}

#[test]
fn one_pass_asks_for_the_same_as_the_matrix() {
    let one_pass = |q: [usize; 2], k: [usize; 2], v: [usize; 2]| {
        one_pass_attention(
            &zeros(q[0], q[1]),
            &zeros(k[0], k[1]),
            &zeros(v[0], v[1]),
            &Mask::None,
        )
    };
    assert_says(
        one_pass([5, 2], [7, 3], [7, 4]),
        "keys: came as [7, 3], needed [T_k, 2] to match queries [5, 2]",
    );
    assert_says(
        one_pass([5, 2], [7, 2], [6, 4]),
        "values: came as [6, 4], needed [7, d_v] to match keys [7, 2]",
    );
    assert_says(
        one_pass([5, 0], [7, 0], [7, 4]),
        "queries: came as [5, 0], needed [T_q, d_k] with d_k at least 1",
    );
    assert_says(
        one_pass([5, 2], [0, 2], [0, 4]),
        "keys: came as [0, 2], needed [T_k, 2] with T_k at least 1",
    );
}

#[test]
fn a_mask_has_to_have_a_place_for_each_query_and_key() {
    let turned = Mask::Allowed(Array2::from_elem((7, 5), true));
    let message = "mask: came as [7, 5], needed [5, 7], \
                   a row per query, a column per key";
    let (queries, keys, values) = (zeros(5, 2), zeros(7, 2), zeros(7, 4));
    assert_says(turned.apply(&mut zeros(5, 7)), message);
    assert_says(turned.matrix(5, 7), message);
    let narrow = Mask::Allowed(Array2::from_elem((5, 6), true));
    assert_says(narrow.matrix(5, 7), &message.replace("[7, 5]", "[5, 6]"));
    assert_says(
        attention_with(&queries, &keys, &values, &turned, Scale::ByRootDk),
        message,
    );
    assert_says(one_pass_attention(&queries, &keys, &values, &turned), message);
}

#[test]
fn projections_have_to_match_their_tokens() {
    let projections =
        |query: [usize; 2], key: [usize; 2], value: [usize; 2]| {
            let it = Projections {
                query: zeros(query[0], query[1]),
                key: zeros(key[0], key[1]),
                value: zeros(value[0], value[1]),
            };
            it.project(&zeros(7, 4))
        };
    assert!(projections([4, 2], [4, 2], [4, 3]).is_ok());
    assert_says(
        projections([3, 2], [4, 2], [4, 3]),
        "query: came as [3, 2], needed [4, d_k] for x [7, 4]",
    );
    assert_says(
        projections([4, 2], [3, 2], [4, 3]),
        "key: came as [3, 2], needed [4, d_k] for x [7, 4]",
    );
    assert_says(
        projections([4, 2], [4, 2], [3, 3]),
        "value: came as [3, 3], needed [4, d_v] for x [7, 4]",
    );
    assert_says(
        projections([4, 2], [4, 3], [4, 3]),
        "key: came as [4, 3], needed [4, 2] to match query [4, 2]",
    );
    assert_says(
        Projections::identity(2).attend(&zeros(0, 2), &Mask::Causal),
        "keys: came as [0, 2], needed [T_k, 2] with T_k at least 1",
    );
}

#[test]
fn fused_matrices_have_to_fit_and_to_be_divisible() {
    let split =
        |q: [usize; 2], k: [usize; 2], v: [usize; 2], o: [usize; 2], h| {
            let [q, k, v, o] =
                [q, k, v, o].map(|[rows, columns]| zeros(rows, columns));
            MultiHead::split(&q, &k, &v, &o, h)
        };
    assert!(split([5, 8], [5, 8], [5, 4], [4, 5], 2).is_ok());
    assert_says(
        split([5, 8], [8, 5], [5, 4], [4, 5], 2),
        "w_k: came as [8, 5], needed [5, 8] to match w_q [5, 8]",
    );
    assert_says(
        split([5, 8], [5, 8], [4, 4], [4, 5], 2),
        "w_v: came as [4, 4], needed [5, h d_v] to match w_q [5, 8]",
    );
    assert_says(
        split([5, 8], [5, 8], [5, 4], [5, 4], 2),
        "w_o: came as [5, 4], needed [4, 5] to match w_v [5, 4]",
    );
    let three = "heads: came as 3, needed a divisor of 8";
    assert_says(split([5, 8], [5, 8], [5, 6], [6, 5], 3), three);
    assert_says(split([5, 6], [5, 6], [5, 8], [8, 5], 3), three);
    assert_says(multi_head_cost(7, 8, 3), three);
    let none = "heads: came as 0, needed at least 1";
    assert_says(split([5, 8], [5, 8], [5, 4], [4, 5], 0), none);
    assert_says(multi_head_cost(7, 8, 0), none);
}

#[test]
fn heads_have_to_match_their_tokens() {
    let heads = |d: usize, output: [usize; 2]| {
        let projections = Projections {
            query: zeros(d, 2),
            key: zeros(d, 2),
            value: zeros(d, 3),
        };
        let output = zeros(output[0], output[1]);
        MultiHead::new(vec![Head::new(projections, output)])
    };
    let x = zeros(7, 4);
    assert!(heads(4, [3, 4]).attend(&x, &Mask::Causal).is_ok());
    let message = "output: came as [4, 3], needed [3, 4] to match value [4, 3] and x [7, 4]";
    assert_says(heads(4, [4, 3]).attend(&x, &Mask::Causal), message);
    assert_says(heads(4, [4, 3]).contributions(&x, &Mask::Causal), message);
    assert_says(
        heads(5, [3, 4]).attend(&x, &Mask::Causal),
        "query: came as [5, 2], needed [4, d_k] for x [7, 4]",
    );
    let none = MultiHead::new(vec![]);
    let message = "heads: came empty, needed at least one";
    assert_says(none.attend(&x, &Mask::Causal), message);
    assert_says(none.contributions(&x, &Mask::Causal), message);
}

#[test]
fn a_circuit_has_to_know_its_symbols() {
    assert_says(
        induction_circuit(0, 9),
        "alphabet: came as 0, needed at least 1",
    );
    assert_says(
        induction_circuit(9, 0),
        "length: came as 0, needed at least 1",
    );
    let circuit = induction_circuit(3, 4).unwrap();
    assert_says(circuit.run(&[]), "sequence: came empty, needed at least one");
    assert_says(
        circuit.run(&[0, 1, 2, 0, 1]),
        "sequence.len(): came as 5, needed at most 4",
    );
    assert_says(
        circuit.embed(&[0, 3]),
        "symbol in sequence: came as 3, needed at most 2",
    );
}

#[test]
fn a_recurrence_has_one_number_of_features() {
    let chain = |weight| Recurrence { weight, activation: Activation::Tanh };
    assert_says(
        chain(zeros(2, 3)).states(&zeros(7, 2)),
        "weight: came as [2, 3], needed [d, d] with d at least 1",
    );
    assert_says(
        chain(zeros(0, 0)).jacobian_norms(&zeros(7, 0)),
        "weight: came as [0, 0], needed [d, d] with d at least 1",
    );
    assert_says(
        chain(zeros(2, 2)).jacobian_norms(&zeros(7, 3)),
        "inputs: came as [7, 3], needed [T, 2] to match weight [2, 2]",
    );
}

#[test]
fn a_study_has_to_have_something_to_study() {
    assert_says(
        dot_product_study(&[], 9, 0),
        "dimensions: came empty, needed at least one",
    );
    assert_says(
        dot_product_study(&[4, 0], 9, 0),
        "dimensions: came as 0, needed at least 1",
    );
    assert_says(
        dot_product_study(&[4], 0, 0),
        "pairs: came as 0, needed at least 1",
    );
    assert_says(
        saturation_study(&[], 7, 9, 0),
        "dimensions: came empty, needed at least one",
    );
    assert_says(
        saturation_study(&[0], 7, 9, 0),
        "dimensions: came as 0, needed at least 1",
    );
    assert_says(
        saturation_study(&[4], 0, 9, 0),
        "keys: came as 0, needed at least 1",
    );
    assert_says(
        saturation_study(&[4], 7, 0, 0),
        "trials: came as 0, needed at least 1",
    );
}

#[test]
fn layers_have_to_match_their_tokens() {
    let x = zeros(7, 4);
    let gamma = "gamma: came as [3], needed [4] for the columns of x [7, 4]";
    assert_says(LayerNorm::new(3).apply(&x), gamma);
    let beta = LayerNorm { beta: Array1::zeros(5), ..LayerNorm::new(4) };
    assert_says(
        beta.apply(&x),
        "beta: came as [5], needed [4] for the columns of x [7, 4]",
    );

    let mlp = Mlp::xavier(4, &mut Normals::seeded(1));
    assert!(mlp.apply(&x).is_ok());
    assert_says(
        mlp.apply(&zeros(7, 3)),
        "w_in: came as [4, 16], needed [3, d_ff] for x [7, 3]",
    );
    assert_says(
        Mlp { w_out: zeros(4, 16), ..mlp.clone() }.apply(&x),
        "w_out: came as [4, 16], needed [16, 4] to match w_in [4, 16]",
    );
    assert_says(
        Mlp { b_in: Array1::zeros(4), ..mlp.clone() }.apply(&x),
        "b_in: came as [4], needed [16] for the columns of w_in [4, 16]",
    );
    assert_says(
        Mlp { b_out: Array1::zeros(16), ..mlp }.apply(&x),
        "b_out: came as [16], needed [4] for the columns of w_out [16, 4]",
    );
}

#[test]
fn biases_have_to_match_their_heads() {
    let heads = || {
        let [q, k, v, o] =
            [[4, 6], [4, 6], [4, 8], [8, 4]].map(|[r, c]| zeros(r, c));
        MultiHead::split(&q, &k, &v, &o, 2).unwrap()
    };
    let split = |q: usize, k: usize, v: usize, o: usize| {
        let [q, k, v, o] = [q, k, v, o].map(Array1::zeros);
        heads().with_biases(&q, &k, &v, &o)
    };
    let it = split(6, 6, 8, 4).unwrap();
    assert_says(
        split(3, 6, 8, 4),
        "b_q: came as [3], needed [6] for the columns of all heads' W_Q",
    );
    assert_says(
        split(6, 3, 8, 4),
        "b_k: came as [3], needed [6] for the columns of all heads' W_K",
    );
    assert_says(
        split(6, 6, 6, 4),
        "b_v: came as [6], needed [8] for the columns of all heads' W_V",
    );
    assert_says(
        split(6, 6, 8, 8),
        "b_o: came as [8], needed [4] for the columns of W_O",
    );
    let x = zeros(7, 4);
    assert!(it.attend(&x, &Mask::None).is_ok());
    let mut narrow = it.clone();
    narrow.heads[1].biases.as_mut().unwrap().value = Array1::zeros(3);
    assert_says(
        narrow.attend(&x, &Mask::None),
        "biases.value: came as [3], needed [4] for the columns of value [4, 4]",
    );
    assert_says(
        MultiHead { bias: Some(Array1::zeros(3)), ..it }
            .attend(&x, &Mask::None),
        "bias: came as [3], needed [4] for the columns of x [7, 4]",
    );
    let none = MultiHead::new(vec![]);
    let b = Array1::zeros(0);
    assert_says(
        none.with_biases(&b, &b, &b, &b),
        "heads: came empty, needed at least one",
    );
}

#[test]
fn a_block_can_add_only_what_was_kept() {
    let normals = &mut Normals::seeded(1);
    let block = Block::xavier(NormPlace::Pre, 4, 2, normals).unwrap();
    let state = State { x: zeros(7, 4), residual: None };
    assert_says(
        block.run_step(Step::Add, state, &Mask::None),
        "state.residual: came empty, needed at least one",
    );
    assert_says(
        block.backward(&zeros(7, 4), &Mask::None, &zeros(4, 7)),
        "gradient: came as [4, 7], needed [7, 4], the shape of what it is about",
    );
    assert_says(
        Block::xavier(NormPlace::Pre, 4, 3, normals),
        "heads: came as 3, needed a divisor of 4",
    );
}

#[test]
fn positions_come_in_pairs_and_one_for_each_token() {
    let odd = "d: came as 7, needed an even number";
    assert_says(sinusoids(3, 7), odd);
    assert_says(position_shift(3, 7), odd);
    assert_says(neighbours_to_halves(&zeros(3, 7)), odd);
    let rope = Rope::new(Pairing::Halves);
    assert_says(rope.rotate(&zeros(1, 7), &[0.0]), odd);
    assert_says(
        rope.rotate(&zeros(3, 8), &[0.0]),
        "positions.len(): came as 1, needed 3, one for each row of x",
    );
    let turn = |d, cosines, sines| {
        let (x, [cosines, sines]) =
            (zeros(3, d), [cosines, sines].map(|pairs| zeros(3, pairs)));
        Pairing::Neighbours.turn(&x, &cosines, &sines)
    };
    assert_says(turn(7, 3, 3), odd);
    assert_says(
        turn(8, 8, 4),
        "cosines: came as [3, 8], needed [3, 4] for x [3, 8]",
    );
    assert_says(
        turn(8, 4, 3),
        "sines: came as [3, 3], needed [3, 4] for x [3, 8]",
    );
}

#[test]
fn a_depth_has_to_be_one() {
    assert_says(
        depth_study(&[1, 0], 1, 0),
        "depth: came as 0, needed at least 1",
    );
    assert_says(depth_study(&[1], 0, 0), "runs: came as 0, needed at least 1");
    assert_says(
        depth_study(&[], 1, 0),
        "depths.len(): came as 0, needed at least 1",
    );
    assert_says(
        Quartiles::of(&[]),
        "numbers.len(): came as 0, needed at least 1",
    );
    assert_says(
        log_slope(&[(1.0, 1.0)]),
        "points.len(): came as 1, needed at least 2",
    );
}

#[test]
fn errors_can_be_told_apart() {
    assert_eq!(
        dot_product_study(&[4], 0, 0),
        Err(Error::TooSmall { argument: "pairs", came: 0, needed: 1 })
    );
    assert_eq!(
        dot_product_study(&[], 9, 0),
        Err(Error::Empty { argument: "dimensions" })
    );
    assert!(matches!(
        scores(&zeros(1, 2), &zeros(1, 3), Scale::Off),
        Err(Error::Shape { argument: "keys", .. })
    ));
}
