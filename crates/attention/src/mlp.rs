//! 7.4: the MLP. It widens a token, bends it, and narrows it again, each token on its own.

use ndarray::{Array1, Array2, ArrayRef2};

use crate::error::{Result, need, need_features, shape};
use crate::gelu::gelu;

/// How many times as wide as the token the MLP is inside, in the 2017 paper and in most models since.
pub const MLP_WIDENING: usize = 4;

/// Two layers: gelu(x W_in + b_in) W_out + b_out.
///
/// A token's d features become d_ff, mostly [`MLP_WIDENING`] times as many, and d again. Each row is
/// computed from the same row of x: attention mixes tokens, the MLP never does.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.3 (with max(0, x), where most
/// later models have GELU).
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp {
    /// W_in: from d features to d_ff. `[d, d_ff]`
    pub w_in: Array2<f64>,
    /// Added before the bend. `[d_ff]`
    pub b_in: Array1<f64>,
    /// W_out: back to d features. `[d_ff, d]`
    pub w_out: Array2<f64>,
    /// Added at the end. `[d]`
    pub b_out: Array1<f64>,
}

impl Mlp {
    /// One that adds nothing, for a block without an MLP: nothing is inside. d features, d_ff = 0
    ///
    /// ```
    /// use attention::Mlp;
    /// use ndarray::array;
    ///
    /// let none = Mlp::none(2);
    /// assert_eq!(none.apply(&array![[3.0, -0.5]])?, array![[0.0, 0.0]]); // [T = 1, d = 2]
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn none(d: usize) -> Self {
        Self {
            w_in: Array2::zeros((d, 0)),
            b_in: Array1::zeros(0),
            w_out: Array2::zeros((0, d)),
            b_out: Array1::zeros(d),
        }
    }

    /// Widens each token, bends it, narrows it. `x` `[T, d]` → `[T, d]`
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if a matrix or a bias does not fit `x` or the others.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mlp, gelu};
    /// use ndarray::array;
    ///
    /// // gelu(x) − gelu(−x) = x: bent one way and the other, a number comes out as it was.
    /// let mlp = Mlp {
    ///     w_in: array![[1.0, -1.0]], // [d = 1, d_ff = 2]
    ///     b_in: array![0.0, 0.0],    // [d_ff = 2]
    ///     w_out: array![[1.0], [-1.0]], // [d_ff = 2, d = 1]
    ///     b_out: array![100.0],      // [d = 1]
    /// };
    /// let y = mlp.apply(&array![[3.0], [-0.5]])?; // [T = 2, d = 1]
    /// assert!((y - array![[103.0], [99.5]]).iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: mlp_apply
    pub fn apply(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
    ) -> Result<Array2<f64>> {
        self.check(x)?;
        let wide = x.dot(&self.w_in) + &self.b_in; // [T, d_ff]
        let bent = wide.mapv(gelu); // [T, d_ff]
        Ok(bent.dot(&self.w_out) + &self.b_out) // [T, d]
    }
    // ANCHOR_END: mlp_apply

    /// How many numbers there are to learn: 2 d d_ff + d_ff + d.
    ///
    /// ```
    /// use attention::Mlp;
    /// use ndarray::{Array1, Array2};
    ///
    /// let mlp = Mlp {
    ///     w_in: Array2::zeros((8, 32)),
    ///     b_in: Array1::zeros(32),
    ///     w_out: Array2::zeros((32, 8)),
    ///     b_out: Array1::zeros(8),
    /// };
    /// assert_eq!(mlp.parameters(), 8 * 8 * 8 + 5 * 8); // 8 d² + 5 d
    /// ```
    pub fn parameters(&self) -> usize {
        let Self { w_in, b_in, w_out, b_out } = self;
        w_in.len() + b_in.len() + w_out.len() + b_out.len()
    }

    pub(crate) fn check(&self, x: &ArrayRef2<f64>) -> Result<()> {
        let (d, d_ff) = (x.ncols(), self.w_in.ncols());
        need(self.w_in.nrows() == d, "w_in", &self.w_in, || {
            format!("[{d}, d_ff] for x {}", shape(x))
        })?;
        need(self.w_out.dim() == (d_ff, d), "w_out", &self.w_out, || {
            format!("[{d_ff}, {d}] to match w_in {}", shape(&self.w_in))
        })?;
        need_features("b_in", &self.b_in, "w_in", &self.w_in)?;
        need_features("b_out", &self.b_out, "w_out", &self.w_out)
    }
}
