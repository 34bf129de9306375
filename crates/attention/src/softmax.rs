//! 7.1: softmax turns a row of scores into weights, positive and with sum 1.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

/// Weights from one row of scores: w_i = exp(s_i) / Σ_j exp(s_j). `[T]` → `[T]`
///
/// The largest score is subtracted first. That changes no weight, because it divides numerator and
/// denominator by the same number, and it keeps `exp` from overflowing: every exponent is at most 0.
///
/// - A score of −∞ gets the weight 0, exactly. That is what a mask writes.
/// - A row in which every score is −∞ gives zeros: there is nothing to attend to. So does, trivially,
///   an empty row.
/// - A NaN or +∞ among the scores has no meaningful answer: every weight is NaN.
///
/// Source: Bridle 1990, "Probabilistic interpretation of feedforward classification network
/// outputs"; Goodfellow, Bengio and Courville 2016, "Deep Learning", section 4.1 for the subtraction.
///
/// # Example
///
/// ```
/// use attention::softmax;
/// use ndarray::{Array1, array};
///
/// // exp turns the logarithms of 1, 2 and 5 into 1, 2 and 5, and their sum is 8.
/// let scores = array![1.0, 2.0, 5.0].mapv(libm::log); // [T = 3]
/// let weights = softmax(&scores); // [T = 3]
/// let by_hand = array![1.0 / 8.0, 2.0 / 8.0, 5.0 / 8.0]; // [T = 3]
/// assert!((&weights - by_hand).iter().all(|e| e.abs() < 1e-12));
///
/// // Equal scores attend evenly, however large they are; −∞ attends not at all.
/// assert_eq!(softmax(&array![1e308, 1e308]), array![0.5, 0.5]);
/// assert_eq!(softmax(&array![7.0, f64::NEG_INFINITY]), array![1.0, 0.0]);
/// assert_eq!(softmax(&Array1::from_elem(3, f64::NEG_INFINITY)), Array1::zeros(3));
/// ```
// ANCHOR: softmax
pub fn softmax(scores: &ArrayRef1<f64>) -> Array1<f64> {
    // Nothing to attend to: no weight anywhere.
    if scores.iter().all(|&score| score == f64::NEG_INFINITY) {
        return Array1::zeros(scores.len()); // [T]
    }
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials = scores.mapv(|score| libm::exp(score - largest)); // [T]
    let sum = exponentials.sum();
    exponentials / sum // [T]
}
// ANCHOR_END: softmax

/// [`softmax()`] of each row: each query shares out its own weight. `[T_q, T_k]` → `[T_q, T_k]`
///
/// # Example
///
/// ```
/// use attention::softmax_rows;
/// use ndarray::array;
///
/// let scores = array![[0.0, 0.0], [5.0, 5.0], [0.0, f64::NEG_INFINITY]]; // [T_q = 3, T_k = 2]
/// let weights = softmax_rows(&scores); // [T_q = 3, T_k = 2]
/// // Rows sum to 1. Columns need not: the first key gets twice what any query has to give.
/// assert_eq!(weights, array![[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]);
/// ```
pub fn softmax_rows(scores: &ArrayRef2<f64>) -> Array2<f64> {
    softmax_in_place(scores.to_owned()) // [T_q, T_k]
}

/// [`softmax_rows`], written over the scores: no second matrix is needed.
pub(crate) fn softmax_in_place(scores: Array2<f64>) -> Array2<f64> {
    let mut weights = scores; // [T_q, T_k]
    for mut row in weights.rows_mut() {
        let shares = softmax(&row); // [T_k]
        row.assign(&shares);
    }
    weights
}
