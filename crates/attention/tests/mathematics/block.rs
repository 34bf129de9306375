use attention::random::Normals;
use attention::study::block_parameters;
use attention::{
    Block, Head, LayerNorm, Mask, Mlp, MultiHead, NormPlace, Scale, Stack,
    State, Step, attention_with, gelu, gelu_tanh, mean_and_variance,
};
use ndarray::{Array1, Array2, array, s};
use proptest::prelude::*;

use crate::{
    assert_close, assert_same_bits, cases, matrix, order, permuted, row,
};

const BOTH: [NormPlace; 2] = [NormPlace::Pre, NormPlace::Post];

/// A block in which nothing is 0 or 1, not even what starts so.
fn block(norms: NormPlace, d: usize, heads: usize, seed: u64) -> Block {
    let mut normals = Normals::seeded(seed);
    let mut it = Block::xavier(norms, d, heads, &mut normals).unwrap();
    let mut shake = |vector: &mut Array1<f64>| {
        vector.iter_mut().zip(&mut normals).for_each(|(b, by)| *b += 0.3 * by);
    };
    for norm in [&mut it.first_norm, &mut it.second_norm] {
        shake(&mut norm.gamma);
        shake(&mut norm.beta);
    }
    for bias in it.attention.heads.iter_mut().flat_map(|it| &mut it.biases) {
        shake(&mut bias.query);
        shake(&mut bias.key);
        shake(&mut bias.value);
    }
    it.attention.bias.iter_mut().for_each(&mut shake);
    shake(&mut it.mlp.b_in);
    shake(&mut it.mlp.b_out);
    it
}

/// The same with every number moved to another row.
fn nudged(x: &Array2<f64>, row: usize) -> Array2<f64> {
    let mut x = x.clone();
    x.row_mut(row).iter_mut().enumerate().for_each(|(i, n)| *n += i as f64);
    x
}

// Not 1.5, which is what dividing by n − 1 gives.
#[test]
fn variance_is_divided_by_n_and_epsilon_is_inside_the_root() {
    let x = array![[1.0, 0.0, 0.0, 0.0]];
    let exact = LayerNorm { epsilon: 0.0, ..LayerNorm::new(4) };
    let root = 3.0_f64.sqrt();
    let needed = array![[root, -root / 3.0, -root / 3.0, -root / 3.0]];
    assert_close(&exact.apply(&x).unwrap(), &needed, 1e-15);
    // With ε = 1/16, the root is of 3/16 + 1/16: ½.
    let wide = LayerNorm { epsilon: 1.0 / 16.0, ..exact };
    assert_close(
        &wide.apply(&x).unwrap(),
        &array![[1.5, -0.5, -0.5, -0.5]],
        1e-15,
    );
    assert_eq!(LayerNorm::new(4).epsilon, 1e-5);
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_normed_token_has_mean_0_and_variance_1(token in row(-3.0..3.0)) {
        let (_, variance) = mean_and_variance(&token);
        prop_assume!(variance > 1e-3);
        let norm = LayerNorm { epsilon: 0.0, ..LayerNorm::new(token.len()) };
        let x = token.insert_axis(ndarray::Axis(0));
        let (mean, variance) = mean_and_variance(&norm.apply(&x).unwrap().row(0));
        prop_assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_norm_does_not_see_a_shift_or_a_stretch(
        x in matrix(3, 5), by in -9.0..9.0, times in 0.1..9.0,
    ) {
        prop_assume!(x.rows().into_iter().all(|token| mean_and_variance(&token).1 > 1e-2));
        let norm = LayerNorm { epsilon: 0.0, ..LayerNorm::new(5) };
        let was = norm.apply(&x).unwrap();
        let moved: Array2<f64> = x * times + by;
        let is = norm.apply(&moved).unwrap();
        assert_close(&is, &was, 1e-10);
    }

    #[test]
    fn a_stretch_is_a_smaller_epsilon(x in matrix(3, 5), times in 0.1..9.0) {
        let norm = LayerNorm::new(5);
        let smaller = LayerNorm { epsilon: norm.epsilon / (times * times), ..norm.clone() };
        let stretched: Array2<f64> = &x * times;
        assert_close(&norm.apply(&stretched).unwrap(), &smaller.apply(&x).unwrap(), 1e-10);
    }

    #[test]
    fn beta_is_the_mean_that_comes_out_and_gamma_the_spread(
        x in matrix(3, 5), gamma in -3.0..3.0, beta in -3.0..3.0, each in (matrix(1, 5), matrix(1, 5)),
    ) {
        prop_assume!(x.rows().into_iter().all(|token| mean_and_variance(&token).1 > 1e-2));
        let plain = LayerNorm { epsilon: 0.0, ..LayerNorm::new(5) };
        let all = |number| Array1::from_elem(5, number);
        let it = LayerNorm { gamma: all(gamma), beta: all(beta), ..plain.clone() };
        for token in it.apply(&x).unwrap().rows() {
            let (mean, variance) = mean_and_variance(&token);
            prop_assert!((mean - beta).abs() < 1e-12);
            prop_assert!((variance.sqrt() - gamma.abs()).abs() < 1e-12);
        }
        // Where they differ from feature to feature, each has its own.
        let (gamma, beta) = (each.0.row(0).to_owned(), each.1.row(0).to_owned());
        let needed = plain.apply(&x).unwrap() * &gamma + &beta;
        let it = LayerNorm { gamma, beta, ..plain };
        assert_close(&it.apply(&x).unwrap(), &needed, 1e-13);
    }

    #[test]
    fn moments_are_those_of_plain_loops(token in row(-3.0..3.0)) {
        let n = token.len() as f64;
        let (mut sum, mut squares) = (0.0, 0.0);
        for feature in &token {
            sum += feature;
            squares += feature * feature;
        }
        let (mean, variance) = mean_and_variance(&token);
        prop_assert!((mean - sum / n).abs() < 1e-14);
        prop_assert!((variance - (squares / n - (sum / n).powi(2))).abs() < 1e-12);
    }

    // gelu(x) − gelu(−x) = x Φ(x) + x Φ(−x) = x.
    #[test]
    fn gelu_and_its_mirror_image_make_a_line(x in -9.0..9.0) {
        prop_assert!((gelu(x) - gelu(-x) - x).abs() < 1e-14);
        prop_assert!((gelu_tanh(x) - gelu_tanh(-x) - x).abs() < 1e-14);
        prop_assert!((gelu(x) - gelu_tanh(x)).abs() < 0.000474);
    }

    #[test]
    fn the_mlp_agrees_with_plain_loops(x in matrix(3, 2), seed: u64) {
        let Mlp { w_in, b_in, w_out, b_out } = &block(NormPlace::Pre, 2, 1, seed).mlp;
        let mut needed = Array2::zeros((3, 2));
        for t in 0..3 {
            for f in 0..2 {
                needed[[t, f]] = b_out[f];
                for wide in 0..8 {
                    let sum = x[[t, 0]] * w_in[[0, wide]] + x[[t, 1]] * w_in[[1, wide]];
                    needed[[t, f]] += gelu(sum + b_in[wide]) * w_out[[wide, f]];
                }
            }
        }
        let mlp = block(NormPlace::Pre, 2, 1, seed).mlp;
        assert_close(&mlp.apply(&x).unwrap(), &needed, 1e-12);
    }

    // A row is changed and the others are not, to the last bit.
    #[test]
    fn only_attention_mixes_tokens(
        x in matrix(5, 6), row in 0_usize..5, seed: u64, kept in matrix(5, 6),
    ) {
        let it = block(NormPlace::Pre, 6, 2, seed);
        for step in NormPlace::Pre.steps() {
            let after = |x: Array2<f64>| {
                let state = State { x, residual: Some(kept.clone()) };
                it.run_step(step, state, &Mask::None).unwrap().x
            };
            let (was, is) = (after(x.clone()), after(nudged(&x, row)));
            prop_assert!(was.row(row) != is.row(row));
            let others = (0..5).filter(|&other| other != row);
            let changed = others.filter(|&other| was.row(other) != is.row(other)).count();
            prop_assert_eq!(changed, if step.mixes_tokens() { 4 } else { 0 }, "{:?}", step);
        }
    }

    #[test]
    fn permuted_tokens_come_out_permuted(x in matrix(5, 6), seed: u64, order in order(5)) {
        for norms in BOTH {
            let it = block(norms, 6, 2, seed);
            let forward = |x: &Array2<f64>| it.forward(x, &Mask::None).unwrap();
            assert_close(&forward(&permuted(&x, &order)), &permuted(&forward(&x), &order), 1e-10);
            let attend = |x: &Array2<f64>| it.attention.attend(x, &Mask::None).unwrap().output;
            assert_close(&attend(&permuted(&x, &order)), &permuted(&attend(&x), &order), 1e-11);
        }
    }

    #[test]
    fn a_causal_stack_does_not_see_the_future(x in matrix(5, 4), row in 1_usize..5, seed: u64) {
        for norms in BOTH {
            let blocks = vec![block(norms, 4, 2, seed), block(norms, 4, 2, seed ^ 1)];
            let stack = Stack { blocks, last_norm: Some(LayerNorm::new(4)) };
            let earlier = |x: &Array2<f64>| {
                let y = stack.forward(x, &Mask::Causal).unwrap();
                y.slice(s![..row, ..]).to_owned()
            };
            assert_same_bits(&earlier(&nudged(&x, row)), &earlier(&x));
        }
    }

    // b_K adds the same to all scores of a query.
    #[test]
    fn the_bias_of_keys_has_no_effect(x in matrix(5, 4), seed: u64) {
        let with = block(NormPlace::Pre, 4, 2, seed).attention;
        let mut without = with.clone();
        let biases = without.heads.iter_mut().flat_map(|head| &mut head.biases);
        biases.for_each(|bias| bias.key.fill(0.0));
        let attend = |it: &MultiHead| it.attend(&x, &Mask::Causal).unwrap().output;
        assert_close(&attend(&with), &attend(&without), 1e-11);
    }

    #[test]
    fn without_biases_it_is_multi_head_attention(x in matrix(5, 6), seed: u64) {
        let it = MultiHead::xavier(6, 3, &mut Normals::seeded(seed)).unwrap();
        let biased = it.attend(&x, &Mask::Causal).unwrap();
        let heads = it.heads.into_iter();
        let heads = heads.map(|head| Head::new(head.projections, head.output));
        let plain = MultiHead::new(heads.collect()).attend(&x, &Mask::Causal).unwrap();
        prop_assert_eq!(biased, plain);
    }
}

#[test]
fn a_causal_mask_breaks_the_symmetry() {
    let it = block(NormPlace::Pre, 6, 2, 3);
    let x = Normals::seeded(5).matrix(5, 6);
    let order = [4, 3, 2, 1, 0];
    let forward = |x: &Array2<f64>| it.forward(x, &Mask::Causal).unwrap();
    let apart = forward(&permuted(&x, &order)) - permuted(&forward(&x), &order);
    assert!(apart.iter().any(|e| e.abs() > 0.1));
}

#[test]
fn the_two_orders_are_the_two_formulas() {
    let x = Normals::seeded(6).matrix(5, 6);
    for norms in BOTH {
        let it = block(norms, 6, 2, 9);
        let norm = [&it.first_norm, &it.second_norm];
        let norm = |i: usize, x: &Array2<f64>| norm[i].apply(x).unwrap();
        let mha = |x: &Array2<f64>| {
            it.attention.attend(x, &Mask::Causal).unwrap().output
        };
        let mlp = |x: &Array2<f64>| it.mlp.apply(x).unwrap();
        let needed = match norms {
            NormPlace::Pre => {
                let x = &x + mha(&norm(0, &x));
                &x + mlp(&norm(1, &x))
            }
            NormPlace::Post => {
                let x = norm(0, &(&x + mha(&x)));
                norm(1, &(&x + mlp(&x)))
            }
        };
        let came = it.forward(&x, &Mask::Causal).unwrap();
        assert_close(&came, &needed, 1e-13);

        // Each state on the way is the one before it and its step.
        let states = it.trace(&x, &Mask::Causal).unwrap();
        assert_eq!(states[0], State { x: x.clone(), residual: None });
        for (step, pair) in norms.steps().into_iter().zip(states.windows(2)) {
            let after = it.run_step(step, pair[0].clone(), &Mask::Causal);
            assert_eq!(after.unwrap(), pair[1]);
        }
        assert_same_bits(&states[8].x, &came);
    }
}

// "Break it": what is kept is the normed x, and the residual no longer carries the raw one.
#[test]
fn a_residual_taken_after_the_norm_is_another_block() {
    let it = block(NormPlace::Pre, 6, 2, 9);
    let x = Normals::seeded(6).matrix(5, 6);
    let mut steps = NormPlace::Pre.steps();
    steps.swap(0, 1);
    assert_eq!(steps[..2], [Step::FirstNorm, Step::Keep]);
    let mut state = State { x: x.clone(), residual: None };
    for step in steps {
        state = it.run_step(step, state, &Mask::Causal).unwrap();
    }
    let apart = state.x - it.forward(&x, &Mask::Causal).unwrap();
    assert!(apart.iter().any(|e| e.abs() > 0.1));
}

#[test]
fn biased_heads_agree_with_the_formula() {
    let it = block(NormPlace::Pre, 6, 2, 7).attention;
    let x = Normals::seeded(2).matrix(5, 6);
    let mut needed = Array2::zeros((5, 6)) + it.bias.as_ref().unwrap();
    for head in &it.heads {
        let bias = head.biases.as_ref().unwrap();
        let of = &head.projections;
        let queries = x.dot(&of.query) + &bias.query;
        let keys = x.dot(&of.key) + &bias.key;
        let values = x.dot(&of.value) + &bias.value;
        let it = attention_with(
            &queries,
            &keys,
            &values,
            &Mask::Causal,
            Scale::ByRootDk,
        );
        needed += &it.unwrap().output.dot(&head.output);
    }
    let came = it.attend(&x, &Mask::Causal).unwrap();
    assert_close(&came.output, &needed, 1e-13);
}

#[test]
fn parameters_by_formula_and_by_counting() {
    for (d, heads) in [(8, 2), (64, 4), (768, 12)] {
        let normals = &mut Normals::seeded(1);
        let it = Block::xavier(NormPlace::Pre, d, heads, normals).unwrap();
        assert_eq!(it.first_norm.parameters(), 2 * d);
        assert_eq!(it.attention.parameters(), 4 * d * d + 4 * d);
        assert_eq!(it.mlp.parameters(), 8 * d * d + 5 * d);
        assert_eq!(it.parameters(), 12 * d * d + 13 * d);
        assert_eq!(it.parameters(), block_parameters(d));
    }
}
