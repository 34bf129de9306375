//! The command line: what there is to train.

use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};

use crate::Result;
use crate::induction::Induction;
use crate::induction::seeds::Seeds;
use crate::language::{Blocks, Roles};
use crate::progress::End;

/// Trains a small model of the book, and writes its weights and what was measured on the way.
#[derive(Debug, Parser)]
#[command(version, about, long_about)]
pub struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Induction(Induction),
    Seeds(Seeds),
    Roles(Roles),
    Blocks(Blocks),
}

impl Cli {
    /// Trains, writes, and says how it goes. Ends early, with what is reached, once `stop` is true.
    ///
    /// # Errors
    ///
    /// Why nothing was trained or written, or, with `--check`, what has not been learned.
    pub fn run(&self, stop: &AtomicBool) -> Result<End> {
        match &self.task {
            Task::Induction(it) => it.run(stop),
            Task::Seeds(it) => it.run(stop),
            Task::Roles(it) => it.run(stop),
            Task::Blocks(it) => it.run(stop),
        }
    }
}
