//! 7.4: LayerNorm. Each token's features get mean 0 and variance 1, by themselves.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2};

use crate::error::{Result, need_features};

/// The ε that [`LayerNorm::new`] starts with: small beside any variance worth dividing by.
pub const LAYER_NORM_EPSILON: f64 = 1e-5;

/// LayerNorm: γ · (x − mean) / √(variance + ε) + β, for each token by itself.
///
/// Mean and variance are taken over the d features of one token. No token knows of another.
///
/// Source: Ba, Kiros and Hinton 2016, "Layer Normalization", equation 3; ε as in Ioffe and Szegedy
/// 2015, "Batch Normalization", algorithm 1.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNorm {
    /// γ: what each feature is multiplied by, learned. `[d]`
    pub gamma: Array1<f64>,
    /// β: what is added to each feature, learned. `[d]`
    pub beta: Array1<f64>,
    /// ε: keeps a token whose features are all equal from a division by 0.
    pub epsilon: f64,
}

impl LayerNorm {
    /// As it is before training: γ = 1, β = 0, and [`LAYER_NORM_EPSILON`].
    ///
    /// # Panics
    ///
    /// If there is no memory for so many numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::LayerNorm;
    /// use ndarray::array;
    ///
    /// let norm = LayerNorm::new(2);
    /// assert_eq!((norm.gamma, norm.beta), (array![1.0, 1.0], array![0.0, 0.0]));
    /// ```
    pub fn new(d: usize) -> Self {
        Self {
            gamma: Array1::ones(d), // [d]
            beta: Array1::zeros(d), // [d]
            epsilon: LAYER_NORM_EPSILON,
        }
    }

    /// Norms each token. `x` `[T, d]` → `[T, d]`
    ///
    /// A token whose features are all equal becomes β. (With ε = 0, it becomes NaN.) So does one whose
    /// variance leaves the range of `f64`, with features beyond 10¹⁵⁴: what is divided by +∞ is 0. One
    /// with a NaN or ∞ becomes NaN.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if γ or β has not one number for each feature of `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::LayerNorm;
    /// use ndarray::array;
    ///
    /// // Mean ¼, variance (9/16 + 3 · 1/16) / 4 = 3/16: (1 − ¼) / √(3/16) = √3.
    /// let x = array![[1.0, 0.0, 0.0, 0.0], [5.0, 5.0, 5.0, 5.0]]; // [T = 2, d = 4]
    /// let y = LayerNorm::new(4).apply(&x)?; // [T = 2, d = 4]
    /// let root = libm::sqrt(3.0); // 1.732
    /// let third = root / 3.0; // 0.577
    /// let by_hand = array![[root, -third, -third, -third], [0.0, 0.0, 0.0, 0.0]];
    /// assert!((y - by_hand).iter().all(|e| e.abs() < 1e-4)); // ε takes a little away
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: apply
    pub fn apply(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
    ) -> Result<Array2<f64>> {
        self.check(x)?;
        let mut normed = x.to_owned(); // [T, d]
        for mut token in normed.rows_mut() {
            self.norm_token(&mut token);
        }
        Ok(normed * &self.gamma + &self.beta) // [T, d]
    }

    /// Mean 0 and variance 1 for one token, in its place. Returns what its
    /// features were divided by.
    pub(crate) fn norm_token(&self, token: &mut ArrayRef1<f64>) -> f64 {
        let (mean, variance) = mean_and_variance(token);
        let divisor = libm::sqrt(variance + self.epsilon);
        token.mapv_inplace(|feature| (feature - mean) / divisor);
        divisor
    }
    // ANCHOR_END: apply

    /// How many numbers there are to learn: 2 d.
    ///
    /// ```
    /// assert_eq!(attention::LayerNorm::new(8).parameters(), 16);
    /// ```
    pub fn parameters(&self) -> usize {
        self.gamma.len() + self.beta.len()
    }

    pub(crate) fn check(&self, x: &ArrayRef2<f64>) -> Result<()> {
        need_features("gamma", &self.gamma, "x", x)?;
        need_features("beta", &self.beta, "x", x)
    }
}

/// A token's mean and variance over its features. `[d]` → two numbers
///
/// The variance is the mean of the squares of what is left when the mean is taken away: divided by d,
/// not by d − 1, for these are all the features there are, and no sample of them. Its root is the
/// spread. No features have the mean 0 and the variance 0.
///
/// Equal features have themselves as their mean and the variance 0, both exactly. Other means are
/// rounded, so that a variance below 10⁻³² times the mean's square says little. Squares have to stay in
/// the range of `f64`: features further than 10¹⁵⁴ from their mean give +∞, and those nearer than 10⁻¹⁶²
/// count as 0.
///
/// # Example
///
/// ```
/// use attention::mean_and_variance;
/// use ndarray::array;
///
/// assert_eq!(mean_and_variance(&array![1.0, 5.0]), (3.0, 4.0)); // [d = 2]: both are 2 away from 3
/// ```
// ANCHOR: mean_and_variance
pub fn mean_and_variance(token: &ArrayRef1<f64>) -> (f64, f64) {
    let d = token.len().max(1) as f64;
    let mean = match token.first() {
        // Divided by d, their sum may miss equal features by the last bit.
        Some(&first) if token.iter().all(|&it| it == first) => first,
        _ => token.sum() / d,
    };
    let square = |&feature: &f64| (feature - mean) * (feature - mean);
    let variance = token.iter().map(square).sum::<f64>() / d;
    (mean, variance)
}
// ANCHOR_END: mean_and_variance
