//! 7.4: the way back through attention.

use ndarray::{Array2, ArrayRef2};

use crate::attention::{Attention, check_values};
use crate::error::{Result, need, shape};
use crate::gradient::check;
use crate::gradient::softmax::softmax_backward;
use crate::scores::{self, Scale};

/// The gradient of a loss with respect to what went into attention.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionGradient {
    /// ∂L/∂Q. `[T_q, d_k]`
    pub queries: Array2<f64>,
    /// ∂L/∂K. `[T_k, d_k]`
    pub keys: Array2<f64>,
    /// ∂L/∂V. `[T_k, d_v]`
    pub values: Array2<f64>,
}

/// The way back through [`attention_with`](crate::attention_with): from ∂L/∂output to queries, keys and values.
///
/// `attention` is what it returned for them; `gradient` `[T_q, d_v]`. The mask is not asked for: it is in
/// the weights, as zeros.
///
/// # Errors
///
/// [`Error::Shape`](crate::Error::Shape) if `gradient` has another shape than the output, or `attention`
/// has other shapes than `queries`, `keys` and `values` lead to; and as for
/// [`attention()`](crate::attention()).
///
/// # Example
///
/// ```
/// use attention::attention;
/// use attention::gradient::attention_backward;
/// use ndarray::array;
///
/// // Two equal scores: weights of ½, and an output of ½ · 6 + ½ · 10.
/// let (queries, keys) = (array![[1.0]], array![[0.0], [0.0]]); // [1, d_k = 1], [2, d_k = 1]
/// let values = array![[6.0], [10.0]]; // [T_k = 2, d_v = 1]
/// let it = attention(&queries, &keys, &values)?;
/// let gradient = attention_backward(&queries, &keys, &values, &it, &array![[1.0]])?;
/// assert_eq!(gradient.values, array![[0.5], [0.5]]); // the weights
/// assert_eq!(gradient.keys, array![[-1.0], [1.0]]); // ½ (6 − 8), ½ (10 − 8): the second should win
/// assert_eq!(gradient.queries, array![[0.0]]); // both keys are 0, whatever the query
/// # Ok::<(), attention::Error>(())
/// ```
pub fn attention_backward(
    queries: &ArrayRef2<f64>, // [T_q, d_k]
    keys: &ArrayRef2<f64>,    // [T_k, d_k]
    values: &ArrayRef2<f64>,  // [T_k, d_v]
    attention: &Attention,
    gradient: &ArrayRef2<f64>, // [T_q, d_v], ∂L/∂output
) -> Result<AttentionGradient> {
    let Attention { weights, output } = attention;
    check(gradient, output)?;
    check_attention(queries, keys, values, attention)?;
    // output = weights V
    let for_values = weights.t().dot(gradient); // [T_k, d_v]
    let mut scores = gradient.dot(&values.t()); // [T_q, T_k], ∂L/∂weights
    // weights = softmax(mask(scores)), row by row
    for (mut row, weights) in scores.rows_mut().into_iter().zip(weights.rows())
    {
        let back = softmax_backward(&weights, &row); // [T_k], ∂L/∂scores
        row.assign(&back);
    }
    // scores = Q Kᵀ / √d_k
    scores /= Scale::ByRootDk.divisor(queries.ncols());
    Ok(AttentionGradient {
        queries: scores.dot(keys),     // [T_q, d_k]
        keys: scores.t().dot(queries), // [T_k, d_k]
        values: for_values,            // [T_k, d_v]
    })
}

/// `Ok` if this is what attention returns for these, as far as shapes tell.
fn check_attention(
    queries: &ArrayRef2<f64>,
    keys: &ArrayRef2<f64>,
    values: &ArrayRef2<f64>,
    Attention { weights, output }: &Attention,
) -> Result<()> {
    scores::check(queries, keys)?;
    check_values(keys, values)?;
    let (t_q, t_k, d_v) = (queries.nrows(), keys.nrows(), values.ncols());
    need(weights.dim() == (t_q, t_k), "attention.weights", weights, || {
        let (queries, keys) = (shape(queries), shape(keys));
        format!("[{t_q}, {t_k}] for queries {queries} and keys {keys}")
    })?;
    need(output.dim() == (t_q, d_v), "attention.output", output, || {
        let (queries, values) = (shape(queries), shape(values));
        format!("[{t_q}, {d_v}] for queries {queries} and values {values}")
    })
}
