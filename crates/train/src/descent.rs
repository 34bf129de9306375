//! The optimizer, by a recipe.

use attention::trained::Recipe;
use candle_core::{Result, Tensor, Var};
use candle_nn::{AdamW, Optimizer as _, ParamsAdamW};

/// Weights on their way to a smaller loss: AdamW with a warm-up, as the recipe has it.
pub struct Descent {
    recipe: Recipe,
    weights: Vec<Var>,
    optimizer: AdamW,
    steps: usize,
}

impl Descent {
    /// No step is taken yet.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn new(recipe: Recipe, weights: Vec<Var>) -> Result<Self> {
        let Recipe { rate, beta1, beta2, weight_decay, .. } = recipe;
        let parameters = ParamsAdamW { lr: rate, beta1, beta2, eps: 1e-8, weight_decay };
        let optimizer = AdamW::new(weights.clone(), parameters)?;
        Ok(Self { recipe, weights, optimizer, steps: 0 })
    }

    /// Changes all weights a little, so that this loss, a number computed with them, gets smaller.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn step(&mut self, loss: &Tensor) -> Result<()> {
        self.optimizer.set_learning_rate(self.recipe.rate_at(self.steps));
        self.optimizer.backward_step(loss)?;
        self.steps += 1;
        Ok(())
    }

    /// As [`step`](Self::step), with a gradient of which all numbers together are at most `longest` long.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn step_clipped(&mut self, loss: &Tensor, longest: f64) -> Result<()> {
        let mut gradients = loss.backward()?;
        let mut squares = 0.0;
        for weight in &self.weights {
            if let Some(gradient) = gradients.get(weight) {
                squares += f64::from(gradient.sqr()?.sum_all()?.to_scalar::<f32>()?);
            }
        }
        let shorter = longest / squares.sqrt();
        if shorter < 1.0 {
            for weight in &self.weights {
                if let Some(gradient) = gradients.remove(weight) {
                    gradients.insert(weight, (gradient * shorter)?);
                }
            }
        }
        self.optimizer.set_learning_rate(self.recipe.rate_at(self.steps));
        self.optimizer.step(&gradients)?;
        self.steps += 1;
        Ok(())
    }

    /// How many steps were taken.
    pub fn steps(&self) -> usize {
        self.steps
    }
}
