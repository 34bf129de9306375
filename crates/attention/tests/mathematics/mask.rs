use attention::random::Normals;
use attention::{
    Mask, Scale, attention, attention_with, one_pass_attention, scores,
    softmax_rows,
};
use ndarray::{Array2, ArrayRef2, array};
use proptest::prelude::*;

use crate::{assert_close, assert_same_bits, by_loops, cases, matrix};

const NO: f64 = f64::NEG_INFINITY;

type Inputs = (Array2<f64>, Array2<f64>, Array2<f64>);

/// Queries `[T_q, d_k]`, keys `[T_k, d_k]` and values `[T_k, d_v]`, of any small size, and a mask.
fn masked_inputs() -> impl Strategy<Value = (Inputs, Mask)> {
    (1_usize..=4, 1_usize..=6, 1_usize..=5, 1_usize..=3).prop_flat_map(
        |(t_q, t_k, d_k, d_v)| {
            let inputs = (matrix(t_q, d_k), matrix(t_k, d_k), matrix(t_k, d_v));
            (inputs, mask(t_q, t_k))
        },
    )
}

fn mask(t_q: usize, t_k: usize) -> impl Strategy<Value = Mask> {
    let allowed = allowed(t_q, t_k).prop_map(Mask::Allowed);
    prop_oneof![Just(Mask::None), Just(Mask::Causal), allowed]
}

fn allowed(t_q: usize, t_k: usize) -> impl Strategy<Value = Array2<bool>> {
    proptest::collection::vec(any::<bool>(), t_q * t_k).prop_map(move |marks| {
        Array2::from_shape_vec((t_q, t_k), marks).unwrap()
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_size_and_mask_agrees_with_plain_loops((inputs, mask) in masked_inputs()) {
        let (queries, keys, values) = &inputs;
        let allows = |query: usize, key: usize| match &mask {
            Mask::None => true,
            Mask::Causal => key <= query,
            Mask::Allowed(allowed) => allowed[[query, key]],
        };
        let root = (queries.ncols() as f64).sqrt();
        for (scale, divisor) in [(Scale::ByRootDk, root), (Scale::Off, 1.0)] {
            let came = attention_with(queries, keys, values, &mask, scale).unwrap();
            let needed = by_loops(queries, keys, values, allows, divisor);
            assert_close(&came.weights, &needed.weights, 1e-12);
            assert_close(&came.output, &needed.output, 1e-12);
        }
        let needed = by_loops(queries, keys, values, allows, root);
        let came = one_pass_attention(queries, keys, values, &mask).unwrap();
        assert_close(&came, &needed.output, 1e-12);
    }

    #[test]
    fn the_shorter_names_are_the_same_with_something_left_out((inputs, mask) in masked_inputs()) {
        let (queries, keys, values) = &inputs;
        for scale in [Scale::ByRootDk, Scale::Off] {
            let came = attention_with(queries, keys, values, &Mask::None, scale).unwrap();
            let needed = attention_with(queries, keys, values, &Mask::None, scale).unwrap();
            prop_assert_eq!(came, needed);
        }
        let came = attention_with(queries, keys, values, &mask, Scale::ByRootDk).unwrap();
        let needed = attention_with(queries, keys, values, &mask, Scale::ByRootDk).unwrap();
        prop_assert_eq!(came, needed);
        let came = attention(queries, keys, values).unwrap();
        let needed = attention_with(queries, keys, values, &Mask::None, Scale::ByRootDk).unwrap();
        prop_assert_eq!(came, needed);
    }

    // Frameworks also take a mask as numbers to be added to the scores: 0 or −∞.
    #[test]
    fn adding_minus_infinity_is_the_same_as_forbidding((inputs, mask) in masked_inputs()) {
        let (queries, keys, values) = &inputs;
        let allowed = mask.matrix(queries.nrows(), keys.nrows()).unwrap();
        let added = scores(queries, keys, Scale::ByRootDk).unwrap()
            + allowed.mapv(|allowed| if allowed { 0.0 } else { NO });
        let weights = softmax_rows(&added);
        let came = attention_with(queries, keys, values, &mask, Scale::ByRootDk).unwrap();
        assert_same_bits(&came.weights, &weights);
        assert_same_bits(&came.output, &weights.dot(values));
    }

    #[test]
    fn a_row_sums_to_1_or_has_nothing_and_what_is_masked_is_0_exactly(
        (inputs, mask) in masked_inputs()
    ) {
        let (queries, keys, values) = &inputs;
        let allowed = mask.matrix(queries.nrows(), keys.nrows()).unwrap();
        let came = attention_with(queries, keys, values, &mask, Scale::ByRootDk).unwrap();
        let output = one_pass_attention(queries, keys, values, &mask).unwrap();
        for (i, row) in came.weights.rows().into_iter().enumerate() {
            let anything = allowed.row(i).iter().any(|&allowed| allowed);
            if anything {
                prop_assert!((row.sum() - 1.0).abs() < 1e-12);
            } else {
                prop_assert!(row.iter().all(|&weight| weight == 0.0));
                prop_assert!(came.output.row(i).iter().all(|&number| number == 0.0));
                prop_assert!(output.row(i).iter().all(|&number| number == 0.0));
            }
            for (&weight, &allowed) in row.iter().zip(allowed.row(i)) {
                prop_assert_eq!(weight != 0.0, allowed);
            }
        }
    }

    #[test]
    fn applying_a_mask_writes_minus_infinity_and_touches_nothing_else(
        (scores, allowed) in (matrix(3, 5), allowed(3, 5))
    ) {
        let mut came = scores.clone();
        Mask::Allowed(allowed.clone()).apply(&mut came).unwrap();
        for (place, &allowed) in allowed.indexed_iter() {
            let needed = if allowed { scores[place] } else { NO };
            prop_assert_eq!(came[place].to_bits(), needed.to_bits());
        }
    }

    // All sizes, the ones of several blocks included.
    #[test]
    fn causal_is_the_lower_triangle_bit_for_bit(
        (t_q, t_k, d) in (1_usize..=140, 1_usize..=140, 1_usize..=4), seed: u64,
    ) {
        let mut normals = Normals::seeded(seed);
        let (queries, keys) = (normals.matrix(t_q, d), normals.matrix(t_k, d));
        let values = normals.matrix(t_k, 3);
        let triangle = Array2::from_shape_fn((t_q, t_k), |(i, j)| j <= i);
        prop_assert_eq!(&Mask::Causal.matrix(t_q, t_k).unwrap(), &triangle);
        let triangle = Mask::Allowed(triangle);
        let needed = attention_with(&queries, &keys, &values, &triangle, Scale::ByRootDk).unwrap();
        let came = attention_with(&queries, &keys, &values, &Mask::Causal, Scale::ByRootDk).unwrap();
        assert_same_bits(&came.weights, &needed.weights);
        assert_same_bits(&came.output, &needed.output);
        let needed = one_pass_attention(&queries, &keys, &values, &triangle).unwrap();
        let came = one_pass_attention(&queries, &keys, &values, &Mask::Causal).unwrap();
        assert_same_bits(&came, &needed);
    }
}

#[test]
fn rows_are_queries_and_columns_are_keys() {
    // Two queries, four keys: a mask that was turned would not even fit.
    let scores = array![[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
    let mut causal = scores.clone();
    Mask::Causal.apply(&mut causal).unwrap();
    assert_eq!(causal, array![[1.0, NO, NO, NO], [5.0, 6.0, NO, NO]]);

    let only = array![[false, false, true, false], [true, false, false, true]];
    let mut allowed = scores.clone();
    Mask::Allowed(only.clone()).apply(&mut allowed).unwrap();
    assert_eq!(allowed, array![[NO, NO, 3.0, NO], [5.0, NO, NO, 8.0]]);
    assert_eq!(Mask::Allowed(only.clone()).matrix(2, 4).unwrap(), only);

    let mut none = scores.clone();
    Mask::None.apply(&mut none).unwrap();
    assert_eq!(none, scores);
    let all = Array2::from_elem((2, 4), true);
    assert_eq!(Mask::None.matrix(2, 4).unwrap(), all);
}

#[test]
fn with_more_queries_than_keys_the_last_queries_see_all() {
    let needed = array![[true, false], [true, true], [true, true]];
    assert_eq!(Mask::Causal.matrix(3, 2).unwrap(), needed);
}

#[test]
fn a_token_may_attend_to_itself() {
    for i in [0, 1, 63, 64, 1000] {
        assert!(Mask::Causal.allows(i, i));
        assert!(!Mask::Causal.allows(i, i + 1));
    }
}

#[test]
fn no_mask_is_the_default() {
    assert_eq!(Mask::default(), Mask::None);
}

#[test]
fn a_masked_score_has_no_influence_whatever_it_is() {
    for nonsense in [f64::NAN, f64::INFINITY, f64::MAX] {
        let mut scores = array![[2.0, nonsense], [0.0, 0.0]];
        Mask::Causal.apply(&mut scores).unwrap();
        let needed = array![[1.0, 0.0], [0.5, 0.5]];
        assert_eq!(softmax_rows(&scores), needed);
    }
}

/// Two queries of 3 features, five keys, values of 4 features; the second query may attend to nobody.
#[test]
fn a_query_that_may_attend_to_nobody_gets_zeros() {
    let mut normals = Normals::seeded(5);
    let (queries, keys) = (normals.matrix(2, 3), normals.matrix(5, 3));
    let values = normals.matrix(5, 4);
    let nobody = array![[true, false, true, true, false], [false; 5]];
    let mask = Mask::Allowed(nobody);
    let came = attention_with(&queries, &keys, &values, &mask, Scale::ByRootDk)
        .unwrap();
    assert_eq!(came.weights.row(1), array![0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(came.output.row(1), array![0.0, 0.0, 0.0, 0.0]);
    assert!((came.weights.row(0).sum() - 1.0).abs() < 1e-12);
    let output = one_pass_attention(&queries, &keys, &values, &mask).unwrap();
    assert_eq!(output.row(1), array![0.0, 0.0, 0.0, 0.0]);
    let largest = |matrix: &ArrayRef2<f64>| {
        matrix.row(0).iter().map(|number| number.abs()).fold(0.0, f64::max)
    };
    assert!(largest(&output) > 0.1); // the first is no zero by accident
}
