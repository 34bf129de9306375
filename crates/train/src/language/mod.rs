//! What learns to read the small language of the book.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | the networks that there are, their options, what is said, and what is written |
//! | `batch.rs` | sentences as tensors, and what is counted of a guess |
//! | `learning.rs` | the sentences, the steps, and how often a network is measured |
//! | `transformer.rs` | transformers in candle, with gradients |
//! | `chain.rs` | recurrent networks in candle |

pub mod batch;
pub mod chain;
pub mod learning;
pub mod transformer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use attention::Transformer;
use attention::study::{Sentence, Sentences, Sort};
use attention::trained::{Attempt, Attempts, Recipe};
use candle_core::DType;
use clap::Args;

use self::batch::Batch;
use self::learning::{Course, Lessons};
use self::transformer::{Asks, Model, Shape};
use crate::folder::Folder;
use crate::progress::{End, Progress, say};
use crate::{Error, Result};

/// The trained weights.
const WEIGHTS: &str = "weights.safetensors";
/// What was measured while they were trained.
const LOG: &str = "log.csv";
/// How the networks of a table fared.
const SEEDS: &str = "seeds.csv";

/// How far candle's logits may be from the library's, if both are computed in f64.
const TOLERANCE: f64 = 1e-12;

/// A kind of network: its name in tables, and what it is like.
type Kind = (&'static str, Shape);

/// The head in the plane, and what it is compared with.
const ROLES: [Kind; 5] = [
    ("as it is", Shape::PLANE),
    ("one matrix", Shape { asks: Asks::Key, ..Shape::PLANE }),
    ("even weights", Shape { asks: Asks::Nothing, ..Shape::PLANE }),
    ("with an MLP", Shape { mlp: 64, ..Shape::PLANE }),
    ("even weights with an MLP", Shape { asks: Asks::Nothing, mlp: 64, ..Shape::PLANE }),
];

/// The sentences that the head in the plane learns from.
const SHORT: Sort = Sort { fillers: 2, states: false };

/// Two blocks, and what they are compared with.
const BLOCKS: [Kind; 5] = [
    ("two blocks", Shape::TWO_BLOCKS),
    ("one block", Shape { blocks: 1, ..Shape::TWO_BLOCKS }),
    ("one head in each", Shape { heads: 1, ..Shape::TWO_BLOCKS }),
    ("one matrix", Shape { asks: Asks::Key, ..Shape::TWO_BLOCKS }),
    ("even weights", Shape { asks: Asks::Nothing, ..Shape::TWO_BLOCKS }),
];

/// The sentences that two blocks learn from.
const LONG: Sort = Sort { fillers: 6, states: true };

/// Trains a transformer on the small language whose only head has queries and keys of two features, to be drawn (7.1).
///
/// It writes the weights (weights.safetensors) and what was measured on the way (log.csv). Ctrl-C ends the training
/// early, and keeps what it has reached.
#[derive(Debug, Args)]
pub struct Roles {
    /// What the first weights and the sentences are drawn from.
    #[arg(long, default_value_t = 7)]
    seed: u64,

    /// The folder to write to; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "target/roles")]
    out: PathBuf,

    #[command(flatten)]
    common: Common,
}

/// Trains a transformer of two blocks on the small language (7.4).
///
/// It writes the weights (weights.safetensors) and what was measured on the way (log.csv). Ctrl-C ends the training
/// early, and keeps what it has reached.
#[derive(Debug, Args)]
pub struct Blocks {
    /// What the first weights and the sentences are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The folder to write to; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "target/blocks")]
    out: PathBuf,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// How many steps to take, each on a batch of new sentences.
    #[arg(long, value_name = "COUNT", default_value_t = Recipe::READING.steps as i64, value_parser = 1..=100_000)]
    steps: i64,

    /// Trains all networks that it is compared with, with the seeds from 1 to this, and writes only a table (seeds.csv).
    #[arg(long, value_name = "COUNT", value_parser = 1..=100, conflicts_with = "seed")]
    seeds: Option<i64>,
}

impl Roles {
    /// Trains, writes, and says how it goes. Ends early, with what is reached, once `stop` is true.
    ///
    /// # Errors
    ///
    /// Why nothing was trained or written, or that candle and the library differ.
    pub fn run(&self, stop: &AtomicBool) -> Result<End> {
        self.common.run(&ROLES, SHORT, self.seed, &self.out, stop)
    }
}

impl Blocks {
    /// Trains, writes, and says how it goes. Ends early, with what is reached, once `stop` is true.
    ///
    /// # Errors
    ///
    /// As for [`Roles::run`].
    pub fn run(&self, stop: &AtomicBool) -> Result<End> {
        self.common.run(&BLOCKS, LONG, self.seed, &self.out, stop)
    }
}

impl Common {
    fn run(&self, kinds: &[Kind], sort: Sort, seed: u64, out: &Path, stop: &AtomicBool) -> Result<End> {
        // The ranges above are those of small positive numbers.
        let school = School { sort, steps: self.steps as usize };
        match self.seeds {
            None => school.one(kinds[0], seed, out, stop),
            Some(seeds) => school.table(kinds, seeds as u64, out, stop),
        }
    }
}

/// What all networks of a kind learn from, and for how long.
struct School {
    sort: Sort,
    steps: usize,
}

impl School {
    /// Trains one network, and writes its weights and its log.
    fn one(&self, kind: Kind, seed: u64, out: &Path, stop: &AtomicBool) -> Result<End> {
        let folder = Folder::open(out, &[WEIGHTS, LOG])?;
        let start = Instant::now();
        say(&format!(
            "Seed {seed}. Ctrl-C ends it and keeps what is reached.\n\n{:>6} {:>7} {:>7}",
            "step", "loss", "right"
        ));
        let (model, course) = self.train(kind, seed, stop, true)?;
        folder.write(WEIGHTS, model.file()?)?;
        folder.write(LOG, log(&course))?;
        let library = model.in_library()?;
        let attempt = self.attempt(kind, seed, &course, &library)?;
        let differs = self.difference(&model, &library)?;
        say(&format!(
            "\n{}\nSteps taken: {}. Numbers learned: {}, rounded to multiples of 1/{}.\n\
             Logits, candle's and the book's library's, over {} sentences: in f64 they differ by at most {differs:.1e}.",
            in_words(&attempt),
            course.steps,
            model.weights().iter().map(|(_, weight)| weight.elem_count()).sum::<usize>(),
            1.0 / Recipe::READING.grid,
            2 * Sentences::EVALUATED,
        ));
        let files = [WEIGHTS, LOG].map(|name| folder.file(name).display().to_string());
        say(&format!("{} ({:.1} s)", files.join(", "), start.elapsed().as_secs_f64()));
        Ok(if course.steps == self.steps { End::Done } else { End::Stopped })
    }

    /// Trains each network with each seed, and writes how they fared.
    fn table(&self, kinds: &[Kind], seeds: u64, out: &Path, stop: &AtomicBool) -> Result<End> {
        let folder = Folder::open(out, &[SEEDS])?;
        let mut attempts = vec![];
        'all: for &kind in kinds {
            for seed in 1..=seeds {
                let (model, course) = self.train(kind, seed, stop, false)?;
                // A network that was stopped has not fared as the others.
                if stop.load(Ordering::Relaxed) {
                    break 'all;
                }
                let library = model.in_library()?;
                self.difference(&model, &library)?;
                let attempt = self.attempt(kind, seed, &course, &library)?;
                say(&in_words(&attempt));
                attempts.push(attempt);
            }
        }
        folder.write(SEEDS, Attempts::to_csv(&attempts))?;
        say(&folder.file(SEEDS).display().to_string());
        let all = kinds.len() * seeds as usize;
        Ok(if attempts.len() == all { End::Done } else { End::Stopped })
    }

    /// Trains one network; in the end its weights are rounded.
    fn train(&self, (_, shape): Kind, seed: u64, stop: &AtomicBool, aloud: bool) -> Result<(Model, Course)> {
        let model = Model::new(shape, seed)?;
        let recipe = Recipe::READING;
        let lessons = Lessons { recipe, steps: self.steps, clip: None, sort: self.sort, seed };
        let progress = Progress::new(self.steps);
        let course = lessons.teach(&model, stop, |step, measured| {
            if let Some((loss, right)) = measured.filter(|_| aloud) {
                progress.say(&format!("{step:>6} {loss:>7.3} {right:>7.3}"));
            }
            progress.at(step);
        })?;
        model.round(recipe.grid)?;
        Ok((model, course))
    }

    fn attempt(&self, (name, _): Kind, seed: u64, course: &Course, model: &Transformer) -> Result<Attempt> {
        let (seen, held_out) = self.sentences();
        Ok(Attempt::of(name, seed, course.learned_at(), model, &seen, &held_out)?)
    }

    /// The sentences on which networks are measured: with pairs of nouns seen, and held out.
    fn sentences(&self) -> (Vec<Sentence>, Vec<Sentence>) {
        (Sentences::evaluation(self.sort), Sentences::held_out(self.sort))
    }

    /// The largest difference between candle's logits, computed in f64, and the library's, on all these sentences.
    fn difference(&self, model: &Model, library: &Transformer) -> Result<f64> {
        let (seen, held_out) = self.sentences();
        let sentences = [seen, held_out].concat();
        let batch = Batch::new(&sentences)?;
        let theirs: Vec<Vec<f64>> = model.logits(&batch.inputs, DType::F64)?.to_vec2()?; // [n T, words]
        let rows = theirs.len() / sentences.len();
        let mut largest: f64 = 0.0;
        for (sentence, theirs) in sentences.iter().zip(theirs.chunks(rows)) {
            let ours = library.run(sentence.before())?.logits;
            for (ours, theirs) in ours.rows().into_iter().zip(theirs) {
                let differences = ours.iter().zip(theirs).map(|(ours, theirs)| (ours - theirs).abs());
                // Not `f64::max`, which passes over NaN.
                largest = differences.fold(largest, |largest, it| if it <= largest { largest } else { it });
            }
        }
        if largest > TOLERANCE || largest.is_nan() {
            let told =
                format!("candle and the book's library differ by {largest:e}, more than {TOLERANCE:e}");
            return Err(Error::Other(told));
        }
        Ok(largest)
    }
}

/// What was measured on the way, as lines of numbers.
fn log(course: &Course) -> String {
    let mut csv = "step,loss,right\n".to_owned();
    for (step, loss, right) in &course.rows {
        csv += &format!("{step},{loss:.4},{right:.4}\n");
    }
    csv
}

fn in_words(it: &Attempt) -> String {
    let learned = match it.learned_at {
        Some(step) => format!("{} right after {step} steps", learning::LEARNED),
        None => format!("never {} right", learning::LEARNED),
    };
    format!(
        "{}, seed {}: {learned}; in the end {:.3}, {:.3} with pairs of nouns that it has never seen.\n\
         The pronoun gives its noun {:.2} of its weight, {:.2} where there are two nouns.",
        it.network, it.seed, it.seen, it.held_out, it.weight_one, it.weight_two,
    )
}
