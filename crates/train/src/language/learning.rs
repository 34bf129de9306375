//! Learning to read: sentences, steps, and how often one looks how far it has come.

use std::sync::atomic::{AtomicBool, Ordering};

use attention::study::{Sentence, Sentences, Sort};
use attention::trained::Recipe;
use candle_core::{Result, Tensor, Var};

use super::batch::{Batch, right};
use crate::descent::Descent;

/// After so many steps a network is measured.
pub const MEASURED_EVERY: usize = 25;

/// What has learned when it is right so often.
pub const LEARNED: f64 = 0.99;

/// What can learn to read: it makes logits of sentences, with numbers that can be changed.
pub trait Reader {
    /// What is learned.
    fn learned(&self) -> Vec<Var>;

    /// `inputs` `[n, T]` → `[n T, words]`
    ///
    /// # Errors
    ///
    /// Those of candle.
    fn read(&self, inputs: &Tensor) -> Result<Tensor>;
}

/// How something learns to read.
#[derive(Debug, Clone, Copy)]
pub struct Lessons {
    /// Rate, batch and the rest.
    pub recipe: Recipe,
    /// How many steps are to be taken.
    pub steps: usize,
    /// Gradients longer than this, all numbers together, are made so long.
    pub clip: Option<f64>,
    /// Which sentences.
    pub sort: Sort,
    /// What the sentences are drawn from.
    pub seed: u64,
}

/// What was seen on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// After so many steps: the loss, on average since the row before, and the share of right guesses.
    pub rows: Vec<(usize, f64, f64)>,
    /// How many steps were taken: fewer than planned, if it was stopped.
    pub steps: usize,
}

impl Course {
    /// After how many steps [`LEARNED`] was reached first, as far as it was measured.
    pub fn learned_at(&self) -> Option<usize> {
        self.rows.iter().find(|(.., right)| *right >= LEARNED).map(|(step, ..)| *step)
    }
}

impl Lessons {
    /// Teaches until the steps are taken, or `stop` becomes true. Says after each step how many there were, and what was
    /// measured, if it was.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn teach(
        &self,
        reader: &impl Reader,
        stop: &AtomicBool,
        mut say: impl FnMut(usize, Option<(f64, f64)>),
    ) -> Result<Course> {
        let mut descent = Descent::new(Recipe { steps: self.steps, ..self.recipe }, reader.learned())?;
        let mut sentences = Sentences::seeded(self.seed, self.sort);
        let evaluation = Sentences::evaluation(self.sort);
        let evaluated = Batch::new(&evaluation)?;
        let (mut rows, mut losses) = (vec![], vec![]);
        while descent.steps() < self.steps && !stop.load(Ordering::Relaxed) {
            let sentences: Vec<Sentence> = sentences.by_ref().take(self.recipe.batch).collect();
            let batch = Batch::new(&sentences)?;
            let loss = batch.loss(&reader.read(&batch.inputs)?)?;
            losses.push(f64::from(loss.to_scalar::<f32>()?));
            match self.clip {
                Some(longest) => descent.step_clipped(&loss, longest)?,
                None => descent.step(&loss)?,
            }
            let steps = descent.steps();
            if !steps.is_multiple_of(MEASURED_EVERY) && steps < self.steps {
                say(steps, None);
                continue;
            }
            let right = right(&reader.read(&evaluated.inputs)?, &evaluation)?;
            let loss = losses.iter().sum::<f64>() / losses.len() as f64;
            losses.clear();
            say(steps, Some((loss, right)));
            rows.push((steps, loss, right));
        }
        Ok(Course { rows, steps: descent.steps() })
    }
}
