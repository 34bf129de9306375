//! How far it is: what is said meanwhile, and Ctrl-C.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{Error, Result};

/// How a training that has written its files came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All steps were taken.
    Done,
    /// It was stopped before.
    Stopped,
}

/// Writes a line on the standard output. Whoever reads it may have heard enough; training goes on.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A bar on the terminal that says how far it is. Where the errors go elsewhere than to a terminal, there is none.
pub struct Progress(ProgressBar);

impl Progress {
    /// The bar before the first step.
    pub fn new(steps: usize) -> Self {
        let style = ProgressStyle::with_template("[{bar:30}] {pos} of {len} steps, {eta} left");
        let style = style.expect("a template that was tried").progress_chars("##.");
        Self(ProgressBar::new(steps as u64).with_style(style))
    }

    /// So many steps are taken.
    pub fn at(&self, step: usize) {
        self.0.set_position(step as u64);
    }

    /// Says a line above the bar.
    pub fn say(&self, line: &str) {
        self.0.suspend(|| say(line));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// What Ctrl-C does: the first one sets this, the second one ends the program at once.
///
/// # Errors
///
/// [`Error::Other`] if the system does not let it be caught.
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
