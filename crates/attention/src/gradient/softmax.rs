//! 7.1 and 7.4: the derivative of softmax, as a matrix and as the way back.

use ndarray::{Array1, Array2, ArrayRef1};

/// Softmax's derivative: how each weight answers to each score. `[T]` → `[T, T]`
///
/// J\[i, j\] = ∂w_i / ∂s_j = w_i (δ_ij − w_j), that is, diag(w) − w wᵀ. It needs the weights only,
/// not the scores. Where one weight is nearly 1 and the others nearly 0, every entry is nearly 0:
/// softmax is saturated, and no gradient passes.
///
/// Source: Bridle 1990; Goodfellow, Bengio and Courville 2016, "Deep Learning", section 6.2.2.3 on
/// saturation.
///
/// # Example
///
/// ```
/// use attention::gradient::softmax_jacobian;
/// use ndarray::array;
///
/// let jacobian = softmax_jacobian(&array![0.75, 0.25]); // [T = 2, T = 2]
/// // ¾ · (1 − ¾) = 3/16: what one weight gains the other loses.
/// assert_eq!(jacobian, array![[0.1875, -0.1875], [-0.1875, 0.1875]]);
///
/// // All weight on one token: nothing moves any more.
/// assert_eq!(softmax_jacobian(&array![1.0, 0.0]), array![[0.0, 0.0], [0.0, 0.0]]);
/// ```
// ANCHOR: softmax_jacobian
pub fn softmax_jacobian(weights: &ArrayRef1<f64>) -> Array2<f64> {
    let tokens = weights.len();
    Array2::from_shape_fn((tokens, tokens), |(i, j)| {
        let own = if i == j { 1.0 } else { 0.0 };
        weights[i] * (own - weights[j])
    }) // [T, T]
}
// ANCHOR_END: softmax_jacobian

/// Softmax's way back, for one row: from ∂L/∂weights to ∂L/∂scores. `[T]`, `[T]` → `[T]`
///
/// It is the product of the gradient with [`softmax_jacobian`], without writing down that matrix: ∂L/∂s_j
/// = Σ_i g_i w_i (δ_ij − w_j) = w_j (g_j − Σ_i g_i w_i). A weight of 0, which is what a mask makes, lets
/// nothing through.
///
/// [`softmax_jacobian`]: crate::gradient::softmax_jacobian
///
/// # Panics
///
/// If the two differ in length.
///
/// # Example
///
/// ```
/// use attention::gradient::{softmax_backward, softmax_jacobian};
/// use ndarray::array;
///
/// let (weights, gradient) = (array![0.75, 0.25], array![4.0, 0.0]); // [T = 2]
/// let by_hand = array![0.75 * (4.0 - 3.0), 0.25 * (0.0 - 3.0)];
/// assert_eq!(softmax_backward(&weights, &gradient), by_hand);
/// assert_eq!(softmax_jacobian(&weights).dot(&gradient), by_hand);
/// ```
pub fn softmax_backward(
    weights: &ArrayRef1<f64>,  // [T]
    gradient: &ArrayRef1<f64>, // [T], ∂L/∂weights
) -> Array1<f64> {
    let mean: f64 = weights.dot(gradient); // weighted by the weights
    gradient.mapv(|answer| answer - mean) * weights // [T]
}
