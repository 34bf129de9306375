//! 7.3: the loss, which says how wrong a prediction is.

use ndarray::ArrayRef1;

/// The loss of one prediction: −ln of the probability that softmax gives to `target`. `[classes]` → a number
///
/// That is ln Σ exp(logit) − the target's logit. The largest logit is taken out of the sum first, so that
/// `exp` cannot overflow. A target infinitely far below the largest logit costs ∞; where a logit is +∞ or
/// NaN, the loss is NaN.
///
/// Source: Goodfellow, Bengio and Courville 2016, "Deep Learning", section 6.2.2.3: the negative
/// log-likelihood of softmax.
///
/// # Panics
///
/// If there is no logit of that number.
///
/// # Example
///
/// ```
/// use attention::cross_entropy;
/// use ndarray::array;
///
/// // Probabilities of 1/8, 2/8 and 5/8.
/// let logits = array![1.0, 2.0, 5.0].mapv(libm::log); // [alphabet = 3]
/// assert!((cross_entropy(&logits, 1) - libm::log(4.0)).abs() < 1e-12);
///
/// // A blind guess among two costs ln 2, however large the logits are.
/// let even = array![1e6, 1e6]; // [alphabet = 2]
/// assert!((cross_entropy(&even, 0) - libm::log(2.0)).abs() < 1e-9);
/// ```
// ANCHOR: cross_entropy
pub fn cross_entropy(logits: &ArrayRef1<f64>, target: usize) -> f64 {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shifted = logits.iter().map(|logit| libm::exp(logit - largest));
    largest + libm::log(shifted.sum()) - logits[target]
}
// ANCHOR_END: cross_entropy
