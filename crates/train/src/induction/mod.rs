//! Section 7.3's attention-only transformer, trained on sequences that repeat until an induction head has grown in it.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | its options, what is said, and what is written |
//! | `train.rs` | the data, the steps, and how often the model is measured |
//! | `seeds.rs` | the same from several seeds: a table of what came of each |
//! | `model.rs` | the model in candle, with gradients |

pub mod model;
pub mod seeds;
pub mod train;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use attention::study::{Metrics, Repeats};
use attention::{AttentionOnly, shift};
use candle_core::DType;
use clap::Args;

use self::model::{HEADS, Model, Size};
use self::train::{Plan, RECIPE, Trained, tensors};
use crate::folder::Folder;
use crate::progress::{End, Progress, say};
use crate::weights::to_safetensors;
use crate::{Error, Result};

/// The trained weights.
const WEIGHTS: &str = "weights.safetensors";
/// What was measured while they were trained.
const LOG: &str = "log.csv";
/// What candle makes of a few sequences: the library's tests compare themselves with it.
const LOGITS: &str = "logits.csv";

/// How many sequences these are.
const REFERENCES: usize = 4;
/// Of their positions, the last of each so many.
const REFERENCE_STEP: usize = 6;

/// How far candle's logits may be from the library's, if both are computed in f64.
const TOLERANCE: f64 = 1e-9;

/// Trains a small attention-only transformer on sequences that repeat, until an induction head has grown in it (7.3).
///
/// It writes the weights (weights.safetensors), what was measured on the way (log.csv), and what candle makes of a few
/// sequences (logits.csv). Ctrl-C ends the training early, and keeps what it has reached.
#[derive(Debug, Args)]
pub struct Induction {
    /// What the first weights and the sequences are drawn from.
    #[arg(long, default_value_t = 14)]
    seed: u64,

    /// How many steps to take, each on a batch of new sequences.
    #[arg(long, value_name = "COUNT", default_value_t = RECIPE.steps as i64, value_parser = 1..=100_000)]
    steps: i64,

    /// How many layers the model has, of two heads each. With one there is no induction head.
    #[arg(long, value_name = "COUNT", default_value_t = Size::BOOK.layers as i64, value_parser = 1..=4)]
    layers: i64,

    /// How many features a token has: an even number.
    #[arg(long, value_name = "D", default_value_t = Size::BOOK.width, value_parser = width)]
    width: usize,

    /// The folder to write to; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "target/grown")]
    out: PathBuf,

    /// Fail unless an induction head has grown.
    #[arg(long)]
    check: bool,
}

fn width(text: &str) -> std::result::Result<usize, String> {
    let width =
        text.parse().ok().filter(|width: &usize| (4..=128).contains(width) && width.is_multiple_of(HEADS));
    width.ok_or_else(|| "not an even number from 4 to 128".to_owned())
}

impl Induction {
    /// Trains, writes, and says how it goes. Ends early, with what is reached, once `stop` is true.
    ///
    /// # Errors
    ///
    /// Why nothing was trained or written, or, with `--check`, what has not grown.
    pub fn run(&self, stop: &AtomicBool) -> Result<End> {
        let folder = Folder::open(&self.out, &[WEIGHTS, LOG, LOGITS])?;
        let start = Instant::now();
        let plan = self.plan();
        let Size { layers, width } = plan.size;
        say(&format!(
            "Layers: {layers}, of {HEADS} heads each; d = {width}; seed {}. Ctrl-C ends it and keeps what is reached.\n\n\
             {:>6} {:>11} {:>13} {:>9} {:>15} {:>10}",
            self.seed, "step", "loss, first", "loss, repeats", "accuracy", "best previous", "induction",
        ));
        let trained = {
            let progress = Progress::new(plan.steps);
            plan.train(stop, |step, growth| {
                if let Some(it) = growth {
                    progress.say(&line(step, it));
                }
                progress.at(step);
            })?
        };
        folder.write(WEIGHTS, to_safetensors(&trained.model.weights())?)?;
        folder.write(LOG, trained.log.to_csv())?;
        folder.write(LOGITS, references(&trained.model)?)?;
        // What the book's library reads in the file.
        let library = AttentionOnly::from_safetensors(&folder.read(WEIGHTS)?)?;
        let differs = |dtype| difference(&trained.model, &library, dtype);
        let (single, double) = (differs(DType::F32)?, differs(DType::F64)?);
        say(&format!(
            "\n{}\nSteps taken: {}. Numbers learned: {}, rounded to multiples of 1/{}.\n\
             Logits, candle's and the book's library's, over {} sequences: they differ by at most {single:.1e}\n\
             if candle computes in f32, and by {double:.1e} in f64, as the library does.",
            jump(&trained),
            trained.steps,
            library.parameters(),
            1.0 / RECIPE.grid,
            Repeats::EVALUATED,
        ));
        let files = [WEIGHTS, LOG, LOGITS].map(|name| folder.file(name).display().to_string());
        say(&format!("{} ({:.1} s)", files.join(", "), start.elapsed().as_secs_f64()));
        if double > TOLERANCE || double.is_nan() {
            return Err(Error::Other(format!(
                "candle and the book's library differ by more than {TOLERANCE:e}"
            )));
        }
        if self.check {
            check(&trained)?;
        }
        let done = trained.steps == plan.steps;
        Ok(if done { End::Done } else { End::Stopped })
    }

    fn plan(&self) -> Plan {
        // The ranges above are those of small positive numbers.
        let size = Size { layers: self.layers as usize, width: self.width };
        Plan { size, seed: self.seed, steps: self.steps as usize }
    }
}

/// candle's logits, in f64, for some positions of the first sequences on which models are measured.
fn references(model: &Model) -> Result<String> {
    let (inputs, _) = tensors(&Repeats::evaluation()[..REFERENCES])?;
    let logits: Vec<Vec<f64>> = model.logits(&inputs, DType::F64)?.to_vec2()?; // [n T, alphabet]
    let mut csv = "sequence,position,a logit for each symbol\n".to_owned();
    for (row, logits) in logits.iter().enumerate() {
        let (sequence, position) = (row / Repeats::LENGTH, row % Repeats::LENGTH);
        if (position + 1) % REFERENCE_STEP == 0 {
            csv += &format!("{sequence},{position}");
            logits.iter().for_each(|logit| csv += &format!(",{logit:.9}"));
            csv.push('\n');
        }
    }
    Ok(csv)
}

/// The largest difference between candle's logits, computed in this type, and the library's, over all sequences on
/// which models are measured.
fn difference(model: &Model, library: &AttentionOnly, dtype: DType) -> Result<f64> {
    let sequences = Repeats::evaluation();
    let (inputs, _) = tensors(&sequences)?;
    let logits: Vec<Vec<f64>> = model.logits(&inputs, dtype)?.to_dtype(DType::F64)?.to_vec2()?; // [n T, alphabet]
    let mut largest: f64 = 0.0;
    for (sequence, theirs) in sequences.iter().zip(logits.chunks(Repeats::LENGTH)) {
        let (inputs, _) = shift(&sequence.symbols); // [T]
        let run = library.run(inputs)?;
        let differences =
            theirs.iter().flatten().zip(&run.logits).map(|(theirs, ours)| (theirs - ours).abs());
        // Not `f64::max`, which passes over NaN.
        largest = differences.fold(largest, |largest, it| if it <= largest { largest } else { it });
    }
    Ok(largest)
}

/// What must be so if an induction head has grown.
fn check(trained: &Trained) -> Result<()> {
    let (_, last) = trained.log.rows.last().expect("a training is measured at its end");
    let all = [
        ("accuracy on repeats", last.accuracy, 0.99),
        ("best previous-token score", last.best_previous(), 0.5),
        ("best induction score", last.best_induction(), 0.8),
    ];
    for (name, came, needed) in all {
        if came < needed || came.is_nan() {
            return Err(Error::Other(format!(
                "no induction head has grown: {name} {came:.3}, needed at least {needed}"
            )));
        }
    }
    Ok(())
}

fn line(step: usize, it: &Metrics) -> String {
    format!(
        "{step:>6} {:>11.3} {:>13.3} {:>9.3} {:>15.2} {:>10.2}",
        it.loss_first,
        it.loss_repeated,
        it.accuracy,
        it.best_previous(),
        it.best_induction(),
    )
}

fn jump(trained: &Trained) -> String {
    match trained.log.jump() {
        Some(step) => format!("The jump: at step {step}, more than half of the repeats were predicted."),
        None => "No jump: never were half of the repeats predicted.".to_owned(),
    }
}
