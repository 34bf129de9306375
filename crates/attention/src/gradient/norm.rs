//! 7.4: the way back through LayerNorm.

use ndarray::{ArrayRef2, Axis, Zip};

use crate::error::Result;
use crate::gradient::{Gradient, check};
use crate::norm::LayerNorm;

impl LayerNorm {
    /// The way back through [`apply`](Self::apply). `x` and `gradient` `[T, d]`
    ///
    /// With n = (x − mean) / √(variance + ε), y = γ n + β. Of ∂L/∂n, two parts are lost: its mean, for
    /// adding the same to all features of x changes nothing, and its part along n, for stretching x
    /// changes (nearly) nothing. What remains is divided by √(variance + ε).
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply), and [`Error::Shape`](crate::Error::Shape) if `gradient` has
    /// another shape than `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::LayerNorm;
    /// use ndarray::array;
    ///
    /// // Two features become ±1 whatever they are, so no change of x is felt.
    /// let norm = LayerNorm { epsilon: 0.0, ..LayerNorm::new(2) };
    /// let (x, gradient) = (array![[1.0, 5.0]], array![[7.0, 9.0]]); // [T = 1, d = 2]
    /// let back = norm.backward(&x, &gradient)?;
    /// assert_eq!(back.x, array![[0.0, 0.0]]);
    /// assert_eq!(back.layer.gamma, array![-7.0, 9.0]);
    /// assert_eq!(back.layer.beta, array![7.0, 9.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>,        // [T, d]
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        self.check(x)?;
        check(gradient, x)?;
        let mut normed = x.to_owned(); // [T, d]
        let mut back = gradient.to_owned() * &self.gamma; // [T, d], ∂L/∂normed
        let tokens = normed.rows_mut().into_iter().zip(back.rows_mut());
        for (mut token, mut back) in tokens {
            let divisor = self.norm_token(&mut token);
            let d = token.len() as f64;
            let (same, along) = (back.sum() / d, back.dot(&token) / d);
            Zip::from(&mut back).and(&token).for_each(|back, normed| {
                *back = (*back - same - along * normed) / divisor;
            });
        }
        let layer = Self {
            gamma: (normed * gradient).sum_axis(Axis(0)), // [d]
            beta: gradient.sum_axis(Axis(0)),             // [d]
            epsilon: self.epsilon,
        };
        Ok(Gradient { x: back, layer })
    }
}
