//! The same training from several seeds, and what becomes of each model with its heads switched off.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use attention::study::{Ablations, Metrics, Repeats};
use attention::trained::Seed;
use clap::Args;

use super::model::Size;
use super::train::{Plan, RECIPE};
use crate::Result;
use crate::folder::Folder;
use crate::progress::{End, Progress, say};

/// The table.
const TABLE: &str = "seeds.csv";

/// Trains 7.3's model from several seeds, and a model with one layer beside each; measures them, and switches their heads off.
///
/// It writes a table with a row for each seed (seeds.csv). Ctrl-C ends it early, and keeps the rows that are complete.
#[derive(Debug, Args)]
pub struct Seeds {
    /// How many seeds: 1, 2, and so on.
    #[arg(long, value_name = "COUNT", default_value_t = 14, value_parser = 1..=1000)]
    count: i64,

    /// How many steps to take with each.
    #[arg(long, value_name = "COUNT", default_value_t = RECIPE.steps as i64, value_parser = 1..=100_000)]
    steps: i64,

    /// The folder to write to; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "target/seeds")]
    out: PathBuf,
}

impl Seeds {
    /// Trains, measures, writes, and says how it goes. Ends early, with what is complete, once `stop` is true.
    ///
    /// # Errors
    ///
    /// Why nothing was trained or written.
    pub fn run(&self, stop: &AtomicBool) -> Result<End> {
        let folder = Folder::open(&self.out, &[TABLE])?;
        say(&format!("{:>6} {:>6} {:>9} {:>10}", "seed", "jump", "accuracy", "one layer"));
        let mut rows = Vec::new();
        for seed in 1..=self.count as u64 {
            let Some(row) = seed_row(seed, self.steps as usize, stop)? else { break };
            let jump = row.jump.map_or("none".to_owned(), |step| step.to_string());
            say(&format!("{seed:>6} {jump:>6} {:>9.3} {:>10.3}", row.metrics.accuracy, row.one_layer));
            rows.push(row);
        }
        folder.write(TABLE, Seed::to_csv(&rows))?;
        say(&folder.file(TABLE).display().to_string());
        let done = rows.len() == self.count as usize;
        Ok(if done { End::Done } else { End::Stopped })
    }
}

/// What comes of a seed; nothing, if it is stopped.
///
/// # Errors
///
/// Those of candle and of the library.
pub fn seed_row(seed: u64, steps: usize, stop: &AtomicBool) -> Result<Option<Seed>> {
    let trained = |layers| {
        let progress = Progress::new(steps);
        let plan = Plan { size: Size { layers, ..Size::BOOK }, seed, steps };
        plan.train(stop, |step, _| progress.at(step))
    };
    let (two, one) = (trained(Size::BOOK.layers)?, trained(1)?);
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let texts = Repeats::evaluation();
    let model = two.model.in_library()?;
    Ok(Some(Seed {
        seed,
        jump: two.log.jump(),
        one_layer: Metrics::of(&one.model.in_library()?, &texts)?.accuracy,
        metrics: Metrics::of(&model, &texts)?,
        ablations: Ablations::of(&model, &texts)?,
    }))
}
