//! `cargo run`: builds the book. See [`book`].

use std::io::Write as _;
use std::process::ExitCode;

use book::fault::Error;
use clap::Parser as _;

fn main() -> ExitCode {
    match book::cli::Cli::parse().run() {
        // Whoever reads our output may have heard enough.
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(Error::Unsupported) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
