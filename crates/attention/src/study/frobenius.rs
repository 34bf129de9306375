//! How large a matrix is, in one number.

use ndarray::ArrayRef2;

/// The size of a matrix, as if it were one long vector: √(Σ_ij a_ij²). `[rows, columns]` → a number
///
/// Squares have to stay in the range of `f64`: entries beyond 10¹⁵⁴ give +∞, and entries below 10⁻¹⁶²
/// count as 0.
///
/// # Example
///
/// ```
/// use attention::study::frobenius_norm;
/// use ndarray::array;
///
/// assert_eq!(frobenius_norm(&array![[1.0, 2.0], [2.0, 4.0]]), 5.0); // √(1 + 4 + 4 + 16)
/// ```
pub fn frobenius_norm(matrix: &ArrayRef2<f64>) -> f64 {
    libm::sqrt(matrix.iter().map(|entry| entry * entry).sum())
}
