//! 7.1 and 7.2: attention. Scores, mask, weights, and the weighted mean of the values.

use ndarray::{Array2, ArrayRef2};

use crate::error::{Result, need, shape};
use crate::mask::Mask;
use crate::scores::{Scale, scores};
use crate::softmax::softmax_in_place;

/// What attention returns: where each query looked, and what it brought back.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// Row i says how query i shares out its attention; it sums to 1. `[T_q, T_k]`
    pub weights: Array2<f64>,
    /// Row i is the mean of the values, weighted by row i of `weights`. `[T_q, d_v]`
    pub output: Array2<f64>,
}

/// Scaled dot-product attention: softmax(Q Kᵀ / √d_k) V.
///
/// `queries` `[T_q, d_k]`, `keys` `[T_k, d_k]`, `values` `[T_k, d_v]` → weights `[T_q, T_k]`, output
/// `[T_q, d_v]`
///
/// Weights are never negative and sum to 1, so each output lies among the values: inside their convex
/// hull.
///
/// A query with a score that leaves the range of `f64`, or comes from a NaN or ∞, has weights and an
/// output of NaN, unless that score is masked. A value that is NaN or ∞ reaches every output, even
/// with the weight 0, for 0 · ∞ is NaN.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.
///
/// # Errors
///
/// [`Error::Shape`](crate::Error::Shape) if queries and keys differ in features or have none, if
/// there is no key, or if there is not one value for each key.
///
/// # Example
///
/// ```
/// use attention::attention;
/// use ndarray::array;
///
/// let ln_3 = libm::log(3.0);
/// let queries = array![[0.0, 0.0, 0.0, 0.0], [2.0 * ln_3, 0.0, 0.0, 0.0]]; // [T_q = 2, d_k = 4]
/// let keys = array![[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]; // [T_k = 2, d_k = 4]
/// let values = array![[0.0, 4.0, 2.0], [8.0, 0.0, 2.0]]; // [T_k = 2, d_v = 3]
/// let it = attention(&queries, &keys, &values)?;
///
/// // A query at the origin scores 0 everywhere: it attends evenly, and gets the plain mean.
/// assert_eq!(it.weights.row(0), array![0.5, 0.5]);
/// assert_eq!(it.output.row(0), array![4.0, 2.0, 2.0]);
///
/// // The second scores [ln 3, 0] and weighs [3, 1] / 4.
/// let by_hand = array![2.0, 3.0, 2.0]; // [d_v = 3]
/// assert!((&it.output.row(1) - by_hand).iter().all(|e| e.abs() < 1e-12));
/// # Ok::<(), attention::Error>(())
/// ```
pub fn attention(
    queries: &ArrayRef2<f64>, // [T_q, d_k]
    keys: &ArrayRef2<f64>,    // [T_k, d_k]
    values: &ArrayRef2<f64>,  // [T_k, d_v]
) -> Result<Attention> {
    attention_with(queries, keys, values, &Mask::None, Scale::ByRootDk)
}

/// Attention with a mask, and with the division by √d_k to be chosen, in four steps: scores, mask, softmax,
/// weighted mean. softmax(mask(Q Kᵀ / √d_k)) V
///
/// Shapes as for [`attention()`], which is this with [`Mask::None`] and [`Scale::ByRootDk`]. [`Scale::Off`]
/// shows what happens without the division.
///
/// What is masked has the weight 0, exactly. What remains sums to 1 in each row, except in a row in
/// which all is masked: there every weight is 0, and so is the output. It is the mask that decides
/// this, and no score, however low. Where the values are finite, nothing that is masked has any
/// influence on the output, to the last bit.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1, section 3.2.3 and figure 2.
///
/// # Errors
///
/// As for [`attention()`]; [`Error::Shape`](crate::Error::Shape) also if the mask is
/// [`Mask::Allowed`] and not `[T_q, T_k]`.
///
/// # Example
///
/// ```
/// use attention::{Mask, Scale, attention_with};
/// use ndarray::{Array2, array};
///
/// let zeros = Array2::zeros((3, 1)); // [T = 3, d_k = 1], so that all scores are 0
/// let values = array![[6.0], [12.0], [30.0]]; // [T = 3, d_v = 1]
/// let it = attention_with(&zeros, &zeros, &values, &Mask::Causal, Scale::ByRootDk)?;
///
/// // Each query shares out its attention evenly, over itself and what came before.
/// let third = 1.0 / 3.0;
/// assert_eq!(it.weights, array![[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [third, third, third]]);
/// assert_eq!(it.output, array![[6.0], [9.0], [16.0]]);
///
/// // A query that may attend to no one brings nothing back.
/// let allowed = array![[true, false, true], [false, false, false], [true, true, true]];
/// let mask = Mask::Allowed(allowed); // [T = 3, T = 3]
/// let it = attention_with(&zeros, &zeros, &values, &mask, Scale::ByRootDk)?;
/// assert_eq!(it.weights.row(1), array![0.0, 0.0, 0.0]);
/// assert_eq!(it.output, array![[18.0], [0.0], [16.0]]);
///
/// // Divided by √4, these scores are [ln 3, 0] and the weights [3, 1] / 4. Undivided, the scores are
/// // [2 ln 3, 0], and the weights [9, 1] / 10: sharper.
/// let queries = array![[2.0 * libm::log(3.0), 0.0, 0.0, 0.0]]; // [T_q = 1, d_k = 4]
/// let keys = array![[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]; // [T_k = 2, d_k = 4]
/// let values = array![[0.0], [10.0]]; // [T_k = 2, d_v = 1]
/// let divided = attention_with(&queries, &keys, &values, &Mask::None, Scale::ByRootDk)?;
/// assert!((divided.output[[0, 0]] - 2.5).abs() < 1e-12);
/// let undivided = attention_with(&queries, &keys, &values, &Mask::None, Scale::Off)?;
/// assert!((undivided.output[[0, 0]] - 1.0).abs() < 1e-12);
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: attention_with
pub fn attention_with(
    queries: &ArrayRef2<f64>, // [T_q, d_k]
    keys: &ArrayRef2<f64>,    // [T_k, d_k]
    values: &ArrayRef2<f64>,  // [T_k, d_v]
    mask: &Mask,
    scale: Scale,
) -> Result<Attention> {
    // How well does each query match each key?
    let mut scores = scores(queries, keys, scale)?; // [T_q, T_k]
    check_values(keys, values)?;
    // Whom may it not look at? There the score becomes −∞.
    mask.apply(&mut scores)?; // [T_q, T_k]
    // Share out each query's attention over the keys: softmax of each row.
    let weights = softmax_in_place(scores); // [T_q, T_k]
    // Take the mean of the values, weighted so.
    let output = weights.dot(values); // [T_q, d_v]
    Ok(Attention { weights, output })
}
// ANCHOR_END: attention_with

/// `Ok` if there is one value for each key.
pub(crate) fn check_values(
    keys: &ArrayRef2<f64>,
    values: &ArrayRef2<f64>,
) -> Result<()> {
    let tokens = keys.nrows();
    need(values.nrows() == tokens, "values", values, || {
        format!("[{tokens}, d_v] to match keys {}", shape(keys))
    })
}
