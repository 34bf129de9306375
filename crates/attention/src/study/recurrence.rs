//! Opening: a recurrent network carries what it has read from step to step.
//!
//! What one step does to a small change of the state, its Jacobian, is done again at the next step,
//! and the next. So a word's influence shrinks or grows with each word that follows it.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, array};

use crate::error::{Result, need, shape};
use crate::study::frobenius::frobenius_norm;

/// The function φ at the end of a recurrent step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// φ(a) = a: the state passes as it is.
    Linear,
    /// φ(a) = tanh(a): the state is kept between −1 and 1.
    Tanh,
}

impl Activation {
    /// φ(a).
    ///
    /// ```
    /// use attention::study::Activation;
    /// assert_eq!(Activation::Linear.apply(3.0), 3.0);
    /// assert_eq!(Activation::Tanh.apply(0.0), 0.0);
    /// ```
    pub fn apply(self, a: f64) -> f64 {
        match self {
            Activation::Linear => a,
            Activation::Tanh => libm::tanh(a),
        }
    }

    /// φ′(a), written with h = φ(a), because h is what a network keeps: 1, or 1 − h² for tanh, whose h is
    /// between −1 and 1.
    ///
    /// ```
    /// use attention::study::Activation;
    /// assert_eq!(Activation::Linear.derivative(3.0), 1.0);
    /// assert_eq!(Activation::Tanh.derivative(0.5), 0.75);
    /// ```
    pub fn derivative(self, h: f64) -> f64 {
        match self {
            Activation::Linear => 1.0,
            Activation::Tanh => 1.0 - h * h,
        }
    }
}

/// A recurrent network, as small as one can be: h_t = φ(h_{t−1} W + x_t), from h_0 = 0.
///
/// States and inputs are rows of d features. The inputs are added as they are: a matrix before them
/// would change nothing that is shown here.
///
/// Source: Bengio, Simard and Frasconi 1994, "Learning long-term dependencies with gradient descent
/// is difficult"; Pascanu, Mikolov and Bengio 2013, "On the difficulty of training recurrent neural
/// networks", equation 5 (the product of the steps' Jacobians).
#[derive(Debug, Clone, PartialEq)]
pub struct Recurrence {
    /// W, the same at every step. `[d, d]`
    pub weight: Array2<f64>,
    /// φ, applied to each feature on its own.
    pub activation: Activation,
}

impl Recurrence {
    /// Two features, and a step that turns the state by `angle` (radians, from the first feature
    /// towards the second) and stretches it by `gain`.
    ///
    /// W = gain · [[cos, sin], [−sin, cos]]. Every direction is stretched alike, so a Jacobian's
    /// size says all there is to say: with [`Activation::Linear`] it is gainᵏ over k steps.
    ///
    /// ```
    /// use attention::study::{Activation, Recurrence};
    ///
    /// let still = Recurrence::rotation(0.5, 0.0, Activation::Linear);
    /// assert_eq!(still.weight, ndarray::array![[0.5, 0.0], [0.0, 0.5]]);
    /// ```
    pub fn rotation(gain: f64, angle: f64, activation: Activation) -> Self {
        let (sin, cos) = libm::sincos(angle);
        let weight = array![[cos, sin], [-sin, cos]] * gain; // [2, 2]
        Self { weight, activation }
    }

    /// The state after each input: row t is h_t. `inputs` `[T, d]` → `[T, d]`
    ///
    /// A linear state that leaves the range of `f64` is ±∞, and NaN a step later.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `weight` is not square, or `inputs` has another
    /// number of features.
    ///
    /// # Example
    ///
    /// One word, then silence. Each step turns the state by a quarter and halves it.
    ///
    /// ```
    /// use attention::study::{Activation, Recurrence};
    /// use ndarray::array;
    /// use std::f64::consts::FRAC_PI_2;
    ///
    /// let chain = Recurrence::rotation(0.5, FRAC_PI_2, Activation::Linear);
    /// let inputs = array![[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]; // [T = 3, d = 2]
    ///
    /// let by_hand = array![[1.0, 0.0], [0.0, 0.5], [-0.25, 0.0]]; // [T = 3, d = 2]
    /// let error = chain.states(&inputs)? - by_hand;
    /// assert!(error.iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: states
    pub fn states(&self, inputs: &ArrayRef2<f64>) -> Result<Array2<f64>> {
        self.check(inputs)?;
        let mut states = Array2::zeros(inputs.raw_dim()); // [T, d]
        let mut state = Array1::zeros(inputs.ncols()); // [d], h_0 = 0
        for (t, input) in inputs.rows().into_iter().enumerate() {
            // Each step waits for the one before it.
            let sum = state.dot(&self.weight) + input; // [d]
            state = sum.mapv(|a| self.activation.apply(a)); // [d]
            states.row_mut(t).assign(&state);
        }
        Ok(states)
    }
    // ANCHOR_END: states

    /// How much of a small change survives: element k is the size of ∂h_T / ∂h_{T−k}, the product
    /// of the last k steps' Jacobians, for k = 0 to T − 1.
    ///
    /// A row vector's step has the Jacobian J_t = W · diag(φ′), with entry \[i, j\] for the effect
    /// of the old state's feature i on the new state's feature j. The size is the Frobenius norm
    /// over √d: the root mean square of the stretch over all directions, which is 1 for "nothing
    /// changes", and exactly gainᵏ for a rotation times `gain`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `weight` is not square, or `inputs` has another
    /// number of features.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::{Activation, Recurrence};
    /// use ndarray::Array2;
    ///
    /// let silence = Array2::zeros((4, 2)); // [T = 4, d = 2]
    /// let fading = Recurrence::rotation(0.5, 0.0, Activation::Linear);
    /// assert_eq!(fading.jacobian_norms(&silence)?, [1.0, 0.5, 0.25, 0.125]);
    /// let exploding = Recurrence::rotation(2.0, 0.0, Activation::Linear);
    /// assert_eq!(exploding.jacobian_norms(&silence)?, [1.0, 2.0, 4.0, 8.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: jacobian_norms
    pub fn jacobian_norms(&self, inputs: &ArrayRef2<f64>) -> Result<Vec<f64>> {
        let states = self.states(inputs)?; // [T, d]
        let d = states.ncols();
        let mut product = Array2::eye(d); // [d, d], no step yet
        let mut norms = Vec::new();
        // From the last state backwards, one step further each time.
        for state in states.rows().into_iter().rev() {
            norms.push(frobenius_norm(&product) / libm::sqrt(d as f64));
            product = self.step_jacobian(&state).dot(&product); // [d, d]
        }
        Ok(norms)
    }
    // ANCHOR_END: jacobian_norms

    /// ∂h_t / ∂h_{t−1} = W · diag(φ′): column j of W times φ′ at the new state's feature j.
    fn step_jacobian(&self, state: &ArrayRef1<f64>) -> Array2<f64> {
        let derivatives = state.mapv(|h| self.activation.derivative(h)); // [d]
        &self.weight * &derivatives // [d, d]
    }

    fn check(&self, inputs: &ArrayRef2<f64>) -> Result<()> {
        let d = self.weight.nrows();
        need(
            d >= 1 && self.weight.is_square(),
            "weight",
            &self.weight,
            || "[d, d] with d at least 1".into(),
        )?;
        need(inputs.ncols() == d, "inputs", inputs, || {
            format!("[T, {d}] to match weight {}", shape(&self.weight))
        })
    }
}
