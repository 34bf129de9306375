//! `cargo run --release -p train -- induction`: trains a model of the book. See [`train`].

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::Parser as _;
use train::cli::Cli;
use train::progress::{End, INTERRUPTED, stop_on_ctrl_c};

static STOP: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let cli = Cli::parse();
    // Matrices this small are multiplied faster by one thread than by two that wait for each other.
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    match stop_on_ctrl_c(&STOP).and_then(|()| one_thread.install(|| cli.run(&STOP))) {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::Stopped) => ExitCode::from(INTERRUPTED),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
