//! 7.2, "Break it": each wrong way, with numbers that can be checked by hand.
//!
//! exp makes [[1, 3, 4], [1, 3, 4], [2, 1, 1]] of the scores, so the rows weigh eighths, eighths and
//! quarters. With the causal mask they are [1, 0, 0], [1, 3, 0] / 4 and [2, 1, 1] / 4.

use attention::{Mask, softmax_rows};
use ndarray::{Array2, Axis, array};

use crate::assert_close;

const NO: f64 = f64::NEG_INFINITY;

fn scores() -> Array2<f64> {
    array![[1.0, 3.0, 4.0], [1.0, 3.0, 4.0], [2.0, 1.0, 1.0]].mapv(libm::log)
}

/// The lower triangle of ones.
fn triangle() -> Array2<f64> {
    let allowed = Mask::Causal.matrix(3, 3).unwrap();
    allowed.mapv(|allowed| if allowed { 1.0 } else { 0.0 })
}

fn masked_before() -> Array2<f64> {
    let mut scores = scores();
    Mask::Causal.apply(&mut scores).unwrap();
    softmax_rows(&scores)
}

#[test]
fn masked_before_softmax_each_row_sums_to_1() {
    let needed = array![[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.25, 0.25]];
    assert_close(&masked_before(), &needed, 1e-15);
}

#[test]
fn zeroed_after_softmax_rows_sum_to_less() {
    let weights = softmax_rows(&scores()) * triangle();
    let needed =
        array![[0.125, 0.0, 0.0], [0.125, 0.375, 0.0], [0.5, 0.25, 0.25]];
    assert_close(&weights, &needed, 1e-15);
    let sums = weights.sum_axis(Axis(1)).insert_axis(Axis(1));
    assert_close(&sums, &array![[0.125], [0.5], [1.0]], 1e-15);
    // Renormalised, it is the same as masked before.
    assert_close(&(weights / sums), &masked_before(), 1e-15);
}

#[test]
fn renormalising_comes_too_late_when_the_future_took_everything() {
    let mut scores = array![[0.0, 800.0], [0.0, 0.0]]; // exp(−800) is 0 in f64
    let weights = softmax_rows(&scores) * array![[1.0, 0.0], [1.0, 1.0]];
    assert_eq!(weights.row(0), array![0.0, 0.0]); // and 0 / 0 is NaN
    Mask::Causal.apply(&mut scores).unwrap();
    assert_eq!(softmax_rows(&scores).row(0), array![1.0, 0.0]);
}

#[test]
fn a_score_of_0_is_no_mask() {
    let weights = softmax_rows(&(scores() * triangle()));
    let third = 1.0 / 3.0;
    let needed =
        array![[third, third, third], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25]];
    assert_close(&weights, &needed, 1e-15);
}

#[test]
fn minus_10_000_is_a_mask_only_as_long_as_scores_are_far_above() {
    let hide = |scores: Array2<f64>, number: f64| {
        let allowed = triangle();
        let shut = (1.0 - &allowed) * number;
        softmax_rows(&(scores * allowed + shut))
    };
    // Ordinary scores: exp(−10 000) is 0, and nobody notices.
    assert_close(&hide(scores(), -10_000.0), &masked_before(), 1e-15);
    // All that is allowed lies lower still: the first query looks ahead, and only ahead.
    let low = Array2::from_elem((3, 3), -20_000.0);
    assert_eq!(hide(low.clone(), -10_000.0).row(0), array![0.0, 0.5, 0.5]);
    let mut masked = low;
    Mask::Causal.apply(&mut masked).unwrap();
    assert_eq!(softmax_rows(&masked).row(0), array![1.0, 0.0, 0.0]);
}

#[test]
fn minus_10_000_makes_a_uniform_row_of_one_that_is_all_masked() {
    let wrong = softmax_rows(&array![[-10_000.0; 4]]);
    assert_eq!(wrong, array![[0.25; 4]]);
    assert_eq!(softmax_rows(&array![[NO; 4]]), array![[0.0; 4]]);
}

#[test]
fn minus_10_000_swallows_small_scores_in_float32() {
    // Near 10 000, neighbouring numbers of 32 bits lie 1/1024 apart.
    assert_eq!(-10_000.0_f32 + 0.0004, -10_000.0);
    assert_ne!(-10_000.0_f64 + 0.0004, -10_000.0);
    assert_eq!((-10_000.0_f32).next_up() + 10_000.0, 1.0 / 1024.0);
}

#[test]
fn with_the_diagonal_masked_too_the_first_token_has_nothing() {
    let earlier = Array2::from_shape_fn((3, 3), |(i, j)| j < i);
    let mut scores = scores();
    Mask::Allowed(earlier).apply(&mut scores).unwrap();
    let third = 1.0 / 3.0;
    let needed =
        array![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0 * third, third, 0.0]];
    assert_close(&softmax_rows(&scores), &needed, 1e-15);
}

#[test]
fn along_the_wrong_axis_columns_sum_to_1() {
    let down = |scores: &Array2<f64>| softmax_rows(&scores.t()).t().to_owned();
    let weights = down(&scores());
    let needed = array![
        [1.0 / 4.0, 3.0 / 7.0, 4.0 / 9.0],
        [1.0 / 4.0, 3.0 / 7.0, 4.0 / 9.0],
        [2.0 / 4.0, 1.0 / 7.0, 1.0 / 9.0],
    ];
    assert_close(&weights, &needed, 1e-15);
    let rows = weights.sum_axis(Axis(1)).insert_axis(Axis(1)) * 252.0;
    assert_close(&rows, &array![[283.0], [283.0], [190.0]], 1e-12);

    // Even the causal mask leaks then: the last query's score is in the first query's weight.
    let mut masked = scores();
    Mask::Causal.apply(&mut masked).unwrap();
    assert!((down(&masked)[[0, 0]] - 1.0 / 4.0).abs() < 1e-15);
    masked[[2, 0]] = libm::log(6.0);
    assert!((down(&masked)[[0, 0]] - 1.0 / 8.0).abs() < 1e-15);
}
