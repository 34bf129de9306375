//! 7.4: GELU, the bend in the MLP.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// GELU: x Φ(x), where Φ(x) = ½ (1 + erf(x / √2)) is the share of a standard normal distribution that
/// lies below x.
///
/// Far above 0 it is x, far below it is 0, and between them it bends smoothly, with a dip to −0.17 at
/// −0.75. At ∞ it is ∞, and at −∞ it is 0.
///
/// Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units (GELUs)", section 2.
///
/// # Example
///
/// ```
/// use attention::gelu;
///
/// assert_eq!(gelu(0.0), 0.0);
/// assert!((gelu(1.0) - 0.841344746).abs() < 1e-9); // 84 % lie below one standard deviation
/// assert_eq!(gelu(40.0), 40.0);
/// assert_eq!(gelu(-40.0), 0.0);
/// assert_eq!(gelu(f64::NEG_INFINITY), 0.0);
/// ```
// ANCHOR: gelu
pub fn gelu(x: f64) -> f64 {
    // Not −∞ itself: −∞ · 0 is NaN.
    x.max(f64::MIN) * normal_cdf(x)
}

/// Φ(x): the share of a standard normal distribution that lies below x.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * (1.0 + libm::erf(x * FRAC_1_SQRT_2))
}
// ANCHOR_END: gelu

/// The coefficient of x³ in [`gelu_tanh`].
pub const GELU_TANH_CUBIC: f64 = 0.044715;

/// GELU by way of tanh: ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).
///
/// An approximation from when erf was slow. Some models were trained with it (GPT-2), and have to be
/// run with it. It is never further than 0.000474 from [`gelu`], which is reached near ±2.7. At ∞ and −∞
/// both are the same.
///
/// Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units (GELUs)", section 2.
///
/// # Example
///
/// ```
/// use attention::{gelu, gelu_tanh};
///
/// assert_eq!(gelu_tanh(0.0), 0.0);
/// assert!((gelu_tanh(1.0) - 0.841192).abs() < 1e-6);
/// let difference = (gelu_tanh(2.7) - gelu(2.7)).abs();
/// assert!((0.000473..0.000474).contains(&difference));
/// ```
pub fn gelu_tanh(x: f64) -> f64 {
    let inner = libm::sqrt(2.0 / PI) * (x + GELU_TANH_CUBIC * x * x * x);
    0.5 * x.max(f64::MIN) * (1.0 + libm::tanh(inner))
}
