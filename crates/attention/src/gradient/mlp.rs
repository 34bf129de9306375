//! 7.4: the way back through the MLP, and through GELU in it.

use std::f64::consts::PI;

use ndarray::{ArrayRef2, Axis};

use crate::error::Result;
use crate::gelu::{gelu, normal_cdf};
use crate::gradient::{Gradient, check};
use crate::mlp::Mlp;

/// How steep [`gelu`] is: Φ(x) + x φ(x), where φ(x) = exp(−x² / 2) / √(2π) is Φ's own derivative. 1 at
/// ∞, and 0 at −∞.
///
/// # Example
///
/// ```
/// use attention::gradient::gelu_derivative;
///
/// assert_eq!(gelu_derivative(0.0), 0.5);
/// assert_eq!(gelu_derivative(40.0), 1.0);
/// assert_eq!(gelu_derivative(f64::INFINITY), 1.0);
/// assert!(gelu_derivative(-0.7518).abs() < 1e-4); // the bottom of the dip
/// ```
pub fn gelu_derivative(x: f64) -> f64 {
    let density = libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * PI); // φ(x)
    // Not ±∞ itself, where the density is 0: ∞ · 0 is NaN.
    normal_cdf(x) + x.clamp(f64::MIN, f64::MAX) * density
}

impl Mlp {
    /// The way back through [`apply`](Self::apply). `x` and `gradient` `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply), and [`Error::Shape`](crate::Error::Shape) if `gradient` has
    /// another shape than `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Mlp;
    /// use ndarray::array;
    ///
    /// // At 0, GELU is ½ steep.
    /// let one = array![[1.0]]; // [d = 1, d_ff = 1], and back
    /// let (w_in, w_out) = (one.clone() * 3.0, one.clone() * 5.0);
    /// let mlp = Mlp { w_in, b_in: array![0.0], w_out, b_out: array![0.0] };
    /// let back = mlp.backward(&array![[0.0]], &one)?; // [T = 1, d = 1]
    /// assert_eq!(back.x, array![[3.0 * 0.5 * 5.0]]);
    /// assert_eq!(back.layer.b_in, array![0.5 * 5.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>,        // [T, d]
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        self.check(x)?;
        check(gradient, x)?;
        let wide = x.dot(&self.w_in) + &self.b_in; // [T, d_ff]
        let bent = wide.mapv(gelu); // [T, d_ff]
        // y = bent W_out + b_out, and bent = gelu(wide), and wide = x W_in + b_in
        let for_bent = gradient.dot(&self.w_out.t()); // [T, d_ff]
        let for_wide = for_bent * wide.mapv(gelu_derivative); // [T, d_ff]
        let layer = Self {
            w_in: x.t().dot(&for_wide),        // [d, d_ff]
            b_in: for_wide.sum_axis(Axis(0)),  // [d_ff]
            w_out: bent.t().dot(gradient),     // [d_ff, d]
            b_out: gradient.sum_axis(Axis(0)), // [d]
        };
        Ok(Gradient { x: for_wide.dot(&self.w_in.t()), layer })
    }
}
