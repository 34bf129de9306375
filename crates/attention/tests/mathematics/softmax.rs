use attention::gradient::softmax_jacobian;
use attention::study::frobenius_norm;
use attention::{softmax, softmax_rows};
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

use crate::{assert_close, cases, matrix, row};

/// Everything that a score can be without being meaningless.
fn extreme() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NEG_INFINITY),
        Just(f64::MIN),
        Just(-1e308),
        Just(-0.0),
        Just(f64::MIN_POSITIVE),
        Just(1e308),
        Just(f64::MAX),
        -1e3..1e3,
    ]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn weights_are_positive_and_sum_to_1(scores in row(-300.0..300.0)) {
        let weights = softmax(&scores);
        prop_assert!(weights.iter().all(|&weight| weight > 0.0 && weight <= 1.0));
        prop_assert!((weights.sum() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_constant_added_to_a_row_changes_nothing(scores in row(-30.0..30.0), constant in -1e3..1e3_f64) {
        let moved = softmax(&(&scores + constant));
        for (moved, stayed) in moved.iter().zip(&softmax(&scores)) {
            prop_assert!((moved - stayed).abs() < 1e-11);
        }
    }

    #[test]
    fn extreme_scores_give_no_nan(scores in row(extreme())) {
        let weights = softmax(&scores);
        prop_assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)), "{weights}");
        let nothing_to_see = scores.iter().all(|&score| score == f64::NEG_INFINITY);
        let sum = if nothing_to_see { 0.0 } else { 1.0 };
        prop_assert!((weights.sum() - sum).abs() < 1e-12);
        for (score, weight) in scores.iter().zip(&weights) {
            prop_assert!(*score != f64::NEG_INFINITY || *weight == 0.0);
        }
    }

    #[test]
    fn a_larger_score_never_gets_a_smaller_weight(scores in row(-30.0..30.0)) {
        let weights = softmax(&scores);
        for i in 0..scores.len() {
            for j in 0..scores.len() {
                prop_assert!(scores[i] < scores[j] || weights[i] >= weights[j]);
            }
        }
    }

    #[test]
    fn the_ratio_of_two_weights_is_exp_of_the_difference_of_their_scores(scores in row(-5.0..5.0)) {
        let weights = softmax(&scores);
        for i in 0..scores.len() {
            let ratio = weights[i] / weights[0];
            let needed = (scores[i] - scores[0]).exp();
            prop_assert!((ratio / needed - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn rows_do_not_see_each_other(scores in matrix(3, 5)) {
        let weights = softmax_rows(&scores);
        for i in 0..3 {
            prop_assert_eq!(weights.row(i), softmax(&scores.row(i)));
        }
    }

    #[test]
    fn the_jacobian_is_what_a_small_change_does(scores in row(-4.0..4.0)) {
        let tokens = scores.len();
        let step = 1e-5;
        let mut differences = Array2::zeros((tokens, tokens));
        for j in 0..tokens {
            let mut nudge = Array1::zeros(tokens);
            nudge[j] = step;
            let change = softmax(&(&scores + &nudge)) - softmax(&(&scores - &nudge));
            differences.column_mut(j).assign(&(change / (2.0 * step)));
        }
        assert_close(&softmax_jacobian(&softmax(&scores)), &differences, 1e-9);
    }

    #[test]
    fn the_norm_is_that_of_the_entries_in_a_row(matrix in matrix(3, 5)) {
        let mut sum = 0.0;
        for entry in matrix.iter() {
            sum += entry * entry;
        }
        prop_assert!((frobenius_norm(&matrix) - sum.sqrt()).abs() < 1e-12);
    }
}

#[test]
fn a_row_with_every_score_masked_gets_no_weight() {
    let masked = Array1::from_elem(4, f64::NEG_INFINITY);
    assert_eq!(softmax(&masked), array![0.0, 0.0, 0.0, 0.0]);
    assert_eq!(softmax(&array![]), array![]);
}

#[test]
fn what_has_no_answer_is_nan_throughout() {
    for scores in [
        array![0.0, f64::NAN, 1.0],
        array![f64::NAN, f64::NAN],
        array![f64::NEG_INFINITY, f64::NAN],
        array![f64::INFINITY, 0.0],
        array![f64::INFINITY, f64::INFINITY],
    ] {
        assert!(
            softmax(&scores).iter().all(|weight| weight.is_nan()),
            "{scores}"
        );
    }
}

#[test]
fn softmax_runs_along_rows_and_not_along_columns() {
    let scores = array![
        [0.0, 0.0, f64::NEG_INFINITY],
        [1.0, f64::NEG_INFINITY, f64::NEG_INFINITY]
    ];
    assert_eq!(softmax_rows(&scores), array![[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]);
}

#[test]
fn a_transposed_view_will_do() {
    let scores = array![[0.0, 7.0], [0.0, f64::NEG_INFINITY]];
    assert_eq!(softmax_rows(&scores.t()), array![[0.5, 0.5], [1.0, 0.0]]);
}
