//! The training: the data, the steps, and how often the model is measured.

use std::sync::atomic::{AtomicBool, Ordering};

use attention::shift;
use attention::study::{Metrics, Repeat, Repeats};
use attention::trained::{Recipe, TrainingLog};
use candle_core::{DType, Device, Tensor};
use candle_nn::loss::cross_entropy;

use super::model::{Model, Size};
use crate::Result;
use crate::descent::Descent;
use crate::weights::round;

/// After so many steps the model is measured.
pub const MEASURED_EVERY: usize = 25;

/// How it is trained.
pub const RECIPE: Recipe = Recipe::INDUCTION;

/// What is to be trained.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How large the model is.
    pub size: Size,
    /// What the first weights and the sequences are drawn from.
    pub seed: u64,
    /// How many steps are to be taken.
    pub steps: usize,
}

/// What came of it.
pub struct Trained {
    /// The model, its weights rounded.
    pub model: Model,
    /// What was measured on the way, and of the rounded weights at the end.
    pub log: TrainingLog,
    /// How many steps were taken: fewer than planned, if it was stopped.
    pub steps: usize,
}

impl Plan {
    /// Trains a model until its steps are taken, or `stop` becomes true. Says after each step how many there were,
    /// and what was measured, if it was.
    ///
    /// The same plan gives the same numbers on the same machine. On another, candle may add up in another order.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn train(&self, stop: &AtomicBool, mut say: impl FnMut(usize, Option<&Metrics>)) -> Result<Trained> {
        let model = Model::new(self.size, self.seed)?;
        let weights = model.weights().into_iter().map(|(_, weight)| weight.clone()).collect();
        let mut descent = Descent::new(RECIPE, weights)?;
        let mut sequences = Repeats::seeded(self.seed);
        let evaluation = Repeats::evaluation();
        let mut rows = Vec::new();
        loop {
            let steps = descent.steps();
            let over = steps == self.steps || stop.load(Ordering::Relaxed);
            if over {
                round(model.weights().into_iter().map(|(_, weight)| weight), RECIPE.grid)?;
            }
            if over || steps.is_multiple_of(MEASURED_EVERY) {
                let growth = Metrics::of(&model.in_library()?, &evaluation)?;
                say(steps, Some(&growth));
                rows.push((steps, growth));
            } else {
                say(steps, None);
            }
            if over {
                return Ok(Trained { model, log: TrainingLog { rows }, steps });
            }
            let batch: Vec<Repeat> = sequences.by_ref().take(RECIPE.batch).collect();
            let (inputs, targets) = tensors(&batch)?;
            let logits = model.logits(&inputs, DType::F32)?; // [n T, alphabet]
            descent.step(&cross_entropy(&logits, &targets)?)?; // over all positions, the first period's too
        }
    }
}

/// What n sequences show, `[n, T]`, and what is to be predicted, `[n T]`.
///
/// # Errors
///
/// Those of candle.
pub fn tensors(sequences: &[Repeat]) -> candle_core::Result<(Tensor, Tensor)> {
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    for sequence in sequences {
        let (input, target) = shift(&sequence.symbols); // [T], [T]
        inputs.extend(input.iter().map(|&symbol| symbol as u32));
        targets.extend(target.iter().map(|&symbol| symbol as u32));
    }
    let n = sequences.len();
    Ok((
        Tensor::from_vec(inputs, (n, Repeats::LENGTH), &Device::Cpu)?,
        Tensor::from_vec(targets, n * Repeats::LENGTH, &Device::Cpu)?,
    ))
}
