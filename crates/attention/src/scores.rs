//! 7.1: how well does each query match each key?

use ndarray::{Array2, ArrayRef2};

use crate::error::{Result, need, shape};

/// What the dot products are divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// By √d_k, the root of a key's number of features. This is what Transformers do.
    #[default]
    ByRootDk,
    /// By nothing: the bare dot product, to see what goes wrong.
    Off,
}

impl Scale {
    /// The number to divide by, for keys of `d_k` features. (Without features it is 0; [`scores()`] refuses
    /// them.)
    ///
    /// ```
    /// use attention::Scale;
    /// assert_eq!(Scale::ByRootDk.divisor(64), 8.0);
    /// assert_eq!(Scale::Off.divisor(64), 1.0);
    /// ```
    pub fn divisor(self, d_k: usize) -> f64 {
        match self {
            Scale::ByRootDk => libm::sqrt(d_k as f64),
            Scale::Off => 1.0,
        }
    }
}

/// Scores: the dot product of each query with each key, divided by √d_k.
///
/// S = Q Kᵀ / √d_k: row i holds query i's score for every key. `queries` `[T_q, d_k]`, `keys`
/// `[T_k, d_k]` → `[T_q, T_k]`
///
/// A score grows with alignment and with length. It is not a cosine.
///
/// A score is finite or NaN. Where a dot product leaves the range of `f64`, it is NaN: nothing is
/// known of it, and −∞ is for masks alone.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", the argument of softmax in equation 1.
///
/// # Errors
///
/// [`Error::Shape`](crate::Error::Shape) if queries have no features, if keys have another number
/// of them than queries, or if there is no key.
///
/// # Example
///
/// ```
/// use attention::{Scale, scores};
/// use ndarray::array;
///
/// let queries = array![[3.0, 0.0, 0.0, 4.0]]; // [T_q = 1, d_k = 4]
/// let keys = array![
///     [1.0, 0.0, 0.0, 0.0],
///     [2.0, 0.0, 0.0, 0.0],
///     [0.0, 9.0, 0.0, 0.0],
/// ]; // [T_k = 3, d_k = 4]
///
/// // The second key points the way of the first and is twice as long: twice the score. The third
/// // is at right angles to the query, and its length does not help.
/// assert_eq!(scores(&queries, &keys, Scale::Off)?, array![[3.0, 6.0, 0.0]]);
/// assert_eq!(scores(&queries, &keys, Scale::ByRootDk)?, array![[1.5, 3.0, 0.0]]);
///
/// // Out of range.
/// let far = array![[-1e200, 0.0, 0.0, 0.0]]; // [T_k = 1, d_k = 4]
/// assert!(scores(&(-&far), &far, Scale::ByRootDk)?[[0, 0]].is_nan());
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: scores
pub fn scores(
    queries: &ArrayRef2<f64>, // [T_q, d_k]
    keys: &ArrayRef2<f64>,    // [T_k, d_k]
    scale: Scale,
) -> Result<Array2<f64>> {
    check(queries, keys)?;
    let dot_products = queries.dot(&keys.t()); // [T_q, T_k]
    let scores = dot_products / scale.divisor(keys.ncols()); // [T_q, T_k]
    // Out of range is not "masked", which is what −∞ will mean.
    Ok(scores.mapv_into(|it| if it.is_finite() { it } else { f64::NAN }))
}
// ANCHOR_END: scores

/// `Ok` if queries and keys can be compared.
pub(crate) fn check(
    queries: &ArrayRef2<f64>,
    keys: &ArrayRef2<f64>,
) -> Result<()> {
    let d_k = queries.ncols();
    need(d_k >= 1, "queries", queries, || {
        "[T_q, d_k] with d_k at least 1".into()
    })?;
    need(keys.ncols() == d_k, "keys", keys, || {
        format!("[T_k, {d_k}] to match queries {}", shape(queries))
    })?;
    need(keys.nrows() >= 1, "keys", keys, || {
        format!("[T_k, {d_k}] with T_k at least 1")
    })
}
