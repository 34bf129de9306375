//! Opening: what a look-up passes on of a change, measured as a chain's steps are.

use ndarray::{Array2, ArrayRef2, s};

use crate::attention::attention;
use crate::error::{Result, need_below};
use crate::gradient::attention::attention_backward;
use crate::study::frobenius::frobenius_norm;

/// How much of a small change of one token's vector arrives in another token's output: the size of
/// ∂output_asks / ∂x_found, where the vectors are queries, keys and values at once.
///
/// The change takes every way there is: through the value, which counts with its weight, and through
/// the key, which moves the weights (and, if a token looks itself up, through the query). So the
/// Jacobian is larger or smaller than the weight alone. Its size is the Frobenius norm over √d, as in
/// [`Recurrence::jacobian_norms`](crate::study::Recurrence::jacobian_norms): the root mean square of
/// the stretch over all directions.
///
/// `x` `[T, d]`, `asks` and `found` counted from 0 → a number
///
/// # Errors
///
/// [`Error::Number`](crate::Error::Number) if `asks` or `found` is not below T, and
/// [`Error::Shape`](crate::Error::Shape) if `x` has no columns.
///
/// # Example
///
/// ```
/// use attention::study::look_up_jacobian_norm;
/// use ndarray::array;
///
/// // A query of 0 has no preferences, however a key may move: only the values' way is left, ¼ of each.
/// let x = array![[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]]; // [T = 4, d = 2]
/// assert_eq!(look_up_jacobian_norm(&x, 0, 1)?, 0.25);
///
/// // A single token gives itself all the weight, and a change arrives as it is.
/// assert_eq!(look_up_jacobian_norm(&array![[3.0, 4.0]], 0, 0)?, 1.0);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn look_up_jacobian_norm(
    x: &ArrayRef2<f64>,
    asks: usize,
    found: usize,
) -> Result<f64> {
    let (tokens, d) = x.dim();
    need_below("asks", asks, tokens)?;
    need_below("found", found, tokens)?;
    let query = x.slice(s![asks..=asks, ..]); // [1, d]
    let look_up = attention(&query, x, x)?;
    let mut jacobian = Array2::zeros((d, d)); // row j: what moves the output's feature j
    for j in 0..d {
        let mut direction = Array2::zeros((1, d)); // [1, d], the output's feature j
        direction[[0, j]] = 1.0;
        let back = attention_backward(&query, x, x, &look_up, &direction)?;
        let mut row = &back.values.row(found) + &back.keys.row(found); // [d]
        if asks == found {
            row += &back.queries.row(0);
        }
        jacobian.row_mut(j).assign(&row);
    }
    Ok(frobenius_norm(&jacobian) / libm::sqrt(d as f64))
}
