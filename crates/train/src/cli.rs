//! The command line.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use attention::study::{Metrics, Repeats};
use attention::{AttentionOnly, shift};
use candle_core::DType;
use clap::Parser;

use crate::folder::{Folder, LOG, LOGITS, WEIGHTS};
use crate::model::{HEADS, Model, Size};
use crate::train::{Plan, Trained, tensors};
use crate::{Error, Result};

/// Trains a small attention-only transformer on sequences that repeat, until an induction head has grown in it.
///
/// It writes the weights (weights.safetensors), what was measured on the way (log.csv), and what candle makes of a few
/// sequences (logits.csv). Ctrl-C ends the training early, and keeps what it has reached.
#[derive(Debug, Parser)]
#[command(version, about, long_about)]
pub struct Cli {
    /// What the first weights and the sequences are drawn from.
    #[arg(long, default_value_t = 14)]
    seed: u64,

    /// How many steps to take, of 32 sequences each.
    #[arg(long, value_name = "COUNT", default_value_t = 750, value_parser = 1..=100_000)]
    steps: i64,

    /// How many layers the model has, of two heads each. With one there is no induction head.
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = 1..=4)]
    layers: i64,

    /// How many features a token has: an even number.
    #[arg(long, value_name = "D", default_value_t = 32, value_parser = width)]
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

/// How a training that has written its files came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All steps were taken.
    Done,
    /// It was stopped before.
    Stopped,
}

impl Cli {
    /// Trains, writes, and says how it goes. Ends early, with what is reached, once `stop` is true.
    ///
    /// # Errors
    ///
    /// Why nothing was trained or written, or, with `--check`, what has not grown.
    pub fn run(&self, stop: &AtomicBool) -> Result<End> {
        let folder = Folder::open(&self.out)?;
        let start = Instant::now();
        let plan = self.plan();
        let Size { layers, width } = plan.size;
        say(&format!(
            "Layers: {layers}, of {HEADS} heads each; d = {width}; seed {}. Ctrl-C ends it and keeps what is reached.\n\n\
             {:>6} {:>11} {:>13} {:>9} {:>15} {:>10}",
            self.seed, "step", "loss, first", "loss, repeats", "accuracy", "best previous", "induction",
        ));
        let mut bar = Bar::new(plan.steps);
        let trained = plan.train(stop, |step, growth| {
            if let Some(it) = growth {
                bar.clear();
                say(&line(step, it));
            }
            bar.draw(step);
        })?;
        bar.clear();
        folder.write(&trained)?;
        let library = folder.model()?;
        let differs = |dtype| difference(&trained.model, &library, dtype);
        let (single, double) = (differs(DType::F32)?, differs(DType::F64)?);
        say(&format!(
            "\n{}\nSteps taken: {}. Numbers learned: {}, rounded to multiples of 1/32.\n\
             Logits, candle's and the book's library's, over {} sequences: they differ by at most {single:.1e}\n\
             if candle computes in f32, and by {double:.1e} in f64, as the library does.",
            jump(&trained),
            trained.steps,
            library.parameters(),
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

/// How far candle's logits may be from the library's, if both are computed in f64.
const TOLERANCE: f64 = 1e-9;

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

/// Writes a line on the standard output. Whoever reads it may have heard enough; training goes on.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line on the terminal that says how far it is, and is written over and over.
struct Bar {
    steps: usize,
    start: Instant,
    drawn: Option<Instant>,
    on: bool,
}

impl Bar {
    const WIDTH: usize = 30;
    const EVERY: Duration = Duration::from_millis(50);

    fn new(steps: usize) -> Self {
        Self { steps, start: Instant::now(), drawn: None, on: std::io::stderr().is_terminal() }
    }

    fn draw(&mut self, step: usize) {
        if !self.on || self.drawn.is_some_and(|drawn| drawn.elapsed() < Self::EVERY) {
            return;
        }
        self.drawn = Some(Instant::now());
        let full = Self::WIDTH * step / self.steps;
        let left = self.start.elapsed().as_secs_f64() / step.max(1) as f64 * (self.steps - step) as f64;
        let bar = format!("{}{}", "#".repeat(full), ".".repeat(Self::WIDTH - full));
        let _ =
            write!(std::io::stderr(), "\r[{bar}] {step} of {} steps, {left:.0} s left \x1b[K", self.steps);
    }

    /// Makes room for a line.
    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// What Ctrl-C does: the first one sets this, the second one ends the program at once.
pub fn stop_on_ctrl_c(stop: &'static AtomicBool) -> Result<()> {
    let stopping = move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    };
    ctrlc::set_handler(stopping).map_err(|error| Error::Other(format!("Ctrl-C cannot be caught: {error}")))
}

/// The exit code of a program that was stopped by Ctrl-C.
pub const INTERRUPTED: u8 = 130;
