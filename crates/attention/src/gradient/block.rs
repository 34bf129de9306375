//! 7.4: the way back through a block and a stack. It takes the list of steps in reverse.

use ndarray::{Array2, ArrayRef2};

use crate::block::{Block, State, Step};
use crate::error::Result;
use crate::gradient::{Gradient, check};
use crate::mask::Mask;

/// ∂L/∂ what there is between two steps.
struct StateGradient {
    /// With respect to the tokens on their way. `[T, d]`
    x: Array2<f64>,
    /// With respect to what is kept beside them; 0 where nothing is. `[T, d]`
    kept: Array2<f64>,
}

impl Block {
    /// The way back through [`forward`](Self::forward): its steps, from the last to the first. `x` and
    /// `gradient` `[T, d]`
    ///
    /// An addition hands its gradient to both of its terms, whole. So one way back leads past attention
    /// and past the MLP: the residual. In a pre-norm block nothing else stands on it.
    ///
    /// # Errors
    ///
    /// As for [`forward`](Self::forward), and [`Error::Shape`](crate::Error::Shape) if `gradient` has
    /// another shape than `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Block, Mask, NormPlace};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let block = Block::xavier(NormPlace::Pre, 8, 2, &mut normals)?; // d = 8, h = 2
    /// let (x, gradient) = (normals.matrix(5, 8), normals.matrix(5, 8)); // [T = 5, d = 8]
    /// let back = block.backward(&x, &Mask::Causal, &gradient)?;
    ///
    /// // L = Σ gradient · y. How does it answer to one number of W_out?
    /// let loss = |nudge: f64| {
    ///     let mut block = block.clone();
    ///     block.mlp.w_out[[3, 2]] += nudge;
    ///     let y = block.forward(&x, &Mask::Causal).unwrap();
    ///     (y * &gradient).sum()
    /// };
    /// let difference = (loss(1e-5) - loss(-1e-5)) / 2e-5;
    /// assert!((back.layer.mlp.w_out[[3, 2]] - difference).abs() < 1e-8);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        check(gradient, x)?;
        let states = self.trace(x, mask)?;
        let kept = Array2::zeros(x.raw_dim()); // after the last step, nothing is
        let mut back = StateGradient { x: gradient.to_owned(), kept };
        // Each layer in it is written over, as each has its step.
        let mut layer = self.clone();
        for (step, before) in self.norms.steps().iter().zip(&states).rev() {
            back = self.step_back(*step, before, mask, back, &mut layer)?;
        }
        Ok(Gradient { x: back.x, layer })
    }

    /// One step back: from the gradient after it to the gradient before it. The step's parameters get
    /// theirs in `layer`.
    fn step_back(
        &self,
        step: Step,
        before: &State,
        mask: &Mask,
        StateGradient { x: back, kept }: StateGradient,
        layer: &mut Self,
    ) -> Result<StateGradient> {
        let x = &before.x; // [T, d]
        let x = match step {
            // One became two: what comes back from both adds up.
            Step::Keep => {
                let none = Array2::zeros(kept.raw_dim());
                return Ok(StateGradient { x: back + kept, kept: none });
            }
            // Two became one: both get all of it.
            Step::Add => {
                return Ok(StateGradient { kept: back.clone(), x: back });
            }
            Step::FirstNorm => {
                let gradient = self.first_norm.backward(x, &back)?;
                layer.first_norm = gradient.layer;
                gradient.x
            }
            Step::Attention => {
                let gradient = self.attention.backward(x, mask, &back)?;
                layer.attention = gradient.layer;
                gradient.x
            }
            Step::SecondNorm => {
                let gradient = self.second_norm.backward(x, &back)?;
                layer.second_norm = gradient.layer;
                gradient.x
            }
            Step::Mlp => {
                let gradient = self.mlp.backward(x, &back)?;
                layer.mlp = gradient.layer;
                gradient.x
            }
        };
        Ok(StateGradient { x, kept })
    }
}
