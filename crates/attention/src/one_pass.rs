//! 7.2: attention in one pass over the keys, without the T × T matrix.

use ndarray::{Array1, Array2, ArrayRef2, ArrayViewMut2, Axis, Slice};

use crate::attention::check_values;
use crate::error::Result;
use crate::mask::Mask;
use crate::scores::{Scale, check as check_keys, scores};

/// So many queries and so many keys at a time: their scores, 64 · 64 numbers of 8 bytes, are 32 KiB,
/// which stay in a core's nearest cache.
pub(crate) const BLOCK: usize = 64;

/// The output of [`attention_with`](crate::attention_with), without the matrix of weights: the
/// memory needed beside input and output does not grow with the number of tokens.
///
/// `queries` `[T_q, d_k]`, `keys` `[T_k, d_k]`, `values` `[T_k, d_v]` → `[T_q, d_v]`
///
/// Softmax seems to need a whole row of scores: its largest for the subtraction, and the sum for the
/// division. Both can be kept while the keys pass by, together with the weighted sum of the values.
/// When a larger score comes, what was summed so far is multiplied by exp(old largest − new largest),
/// as if the new one had been subtracted from the start. The division by the sum comes last.
///
/// It is the same output up to rounding, as the sums are taken in another order; also where the output
/// is NaN, or 0 because all is masked. (Only the values are summed before the division, so that those
/// beyond 10³⁰⁸ / T_k may leave the range of `f64` here, and not there.) [`one_pass_cost`] says
/// what it takes. Under [`Mask::Causal`] it is about half of that, for blocks of keys that lie ahead of
/// all the queries of a block are left out.
///
/// Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax", algorithm 3 (the
/// running maximum and sum); Rabe and Staats 2021, "Self-attention Does Not Need O(n²) Memory" (the
/// weighted sum with them); Dao et al. 2022, "FlashAttention", algorithm 1 (in blocks that fit the
/// cache).
///
/// [`one_pass_cost`]: crate::study::one_pass_cost
///
/// # Errors
///
/// As for [`attention_with`](crate::attention_with).
///
/// # Example
///
/// ```
/// use attention::{Mask, one_pass_attention};
/// use ndarray::array;
///
/// let ln_3 = libm::log(3.0);
/// let queries = array![[0.0], [ln_3]]; // [T_q = 2, d_k = 1]
/// let keys = array![[0.0], [1.0], [2.0]]; // [T_k = 3, d_k = 1]
/// let values = array![[0.0], [0.0], [13.0]]; // [T_k = 3, d_v = 1]
///
/// // The second query scores [0, ln 3, 2 ln 3] and weighs [1, 3, 9] / 13.
/// let output = one_pass_attention(&queries, &keys, &values, &Mask::None)?;
/// let by_hand = array![[13.0 / 3.0], [9.0]]; // [T_q = 2, d_v = 1]
/// assert!((output - by_hand).iter().all(|e| e.abs() < 1e-12));
/// # Ok::<(), attention::Error>(())
/// ```
pub fn one_pass_attention(
    queries: &ArrayRef2<f64>, // [T_q, d_k]
    keys: &ArrayRef2<f64>,    // [T_k, d_k]
    values: &ArrayRef2<f64>,  // [T_k, d_v]
    mask: &Mask,
) -> Result<Array2<f64>> {
    check(queries, keys, values, mask)?;
    let (t_q, t_k, d_v) = (queries.nrows(), keys.nrows(), values.ncols());
    let mut output = Array2::zeros((t_q, d_v)); // [T_q, d_v]
    for first_query in (0..t_q).step_by(BLOCK) {
        let asking = block(first_query, t_q);
        let queries = queries.slice_axis(Axis(0), asking); // [B, d_k]
        let mut means = Means::of(output.slice_axis_mut(Axis(0), asking));
        // Blocks of keys that lie ahead of all these queries are left out.
        let reach = match mask {
            Mask::Causal => t_k.min(first_query + BLOCK),
            _ => t_k,
        };
        for first_key in (0..reach).step_by(BLOCK) {
            let asked = block(first_key, t_k);
            let keys = keys.slice_axis(Axis(0), asked); // [B, d_k]
            let values = values.slice_axis(Axis(0), asked); // [B, d_v]
            let mut scores = scores(&queries, &keys, Scale::ByRootDk)?; // [B, B]
            mask.hide(&mut scores, first_query, first_key);
            means.take_in(scores, &values);
        }
        means.finish();
    }
    Ok(output)
}

/// What has to be kept for each query of a block while the keys pass by.
// ANCHOR: Means
struct Means<'a> {
    /// The largest score so far; −∞ if none was allowed. `[B]`
    largest: Array1<f64>,
    /// Σ exp(score − largest), over the keys so far. `[B]`
    sum: Array1<f64>,
    /// Σ exp(score − largest) · value, over the keys so far. `[B, d_v]`
    weighted: ArrayViewMut2<'a, f64>,
}
// ANCHOR_END: Means

impl<'a> Means<'a> {
    /// Nothing seen yet. The zeros are where the means will be.
    fn of(zeros: ArrayViewMut2<'a, f64>) -> Self {
        let queries = zeros.nrows();
        Self {
            largest: Array1::from_elem(queries, f64::NEG_INFINITY),
            sum: Array1::zeros(queries),
            weighted: zeros,
        }
    }

    /// The next keys: their `scores` `[B, keys]` and `values` `[keys, d_v]`.
    // ANCHOR: take_in
    fn take_in(&mut self, scores: Array2<f64>, values: &ArrayRef2<f64>) {
        let mut exponentials = scores; // [B, keys], written over row by row
        for (i, mut row) in exponentials.rows_mut().into_iter().enumerate() {
            let before = self.largest[i];
            let largest = row.iter().copied().fold(before, f64::max);
            // As long as all is masked: exp(−∞ − 0) = 0, where −∞ − −∞ is NaN.
            let subtract =
                if largest == f64::NEG_INFINITY { 0.0 } else { largest };
            row.mapv_inplace(|score| libm::exp(score - subtract));
            // Bring what is there to the new largest score.
            let rescale = libm::exp(before - subtract);
            self.sum[i] = self.sum[i] * rescale + row.sum();
            self.weighted.row_mut(i).mapv_inplace(|sum| sum * rescale);
            self.largest[i] = largest;
        }
        self.weighted += &exponentials.dot(values); // [B, d_v]
    }
    // ANCHOR_END: take_in

    /// Sums become means. Where nothing was allowed, 0 stays.
    fn finish(mut self) {
        for (i, mut row) in self.weighted.rows_mut().into_iter().enumerate() {
            if self.sum[i] != 0.0 {
                row /= self.sum[i];
            }
        }
    }
}

/// The rows from `first` on, as many as make a block.
fn block(first: usize, rows: usize) -> Slice {
    (first..rows.min(first + BLOCK)).into()
}

fn check(
    queries: &ArrayRef2<f64>,
    keys: &ArrayRef2<f64>,
    values: &ArrayRef2<f64>,
    mask: &Mask,
) -> Result<()> {
    check_keys(queries, keys)?;
    check_values(keys, values)?;
    mask.check(queries.nrows(), keys.nrows())
}
