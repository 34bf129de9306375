//! Trains the small models of the book, with candle.
//!
//! Training is all that happens here. What a model is trained and measured on, how it is measured, the recipe, and the model
//! that reads the trained weights again are the book's own library, [`attention`].
//!
//! | file | what it holds |
//! |---|---|
//! | `cli.rs` | the command line: what there is to train |
//! | `descent.rs` | the optimizer, by a recipe |
//! | `weights.rs` | learned numbers: drawn, rounded, and carried to files and to the library; the causal mask |
//! | `folder.rs` | what is written, whole or not at all |
//! | `progress.rs` | how far it is, and Ctrl-C |
//! | `induction/` | section 7.3's attention-only transformer, trained until an induction head has grown in it |
//! | `language/` | what learns to read a small language: transformers (7.1, 7.4), and chains beside them (opening) |
//!
//! Another model gets a folder like `induction/`, which says in its `mod.rs` what options it has and what it writes, and a
//! line in `cli.rs`.

pub mod cli;
pub mod descent;
pub mod folder;
pub mod induction;
pub mod language;
pub mod progress;
pub mod weights;

use std::io;
use std::path::{Path, PathBuf};

/// Why nothing was learned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be used.
    #[error("{}: {what}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What cannot be done with it.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Training itself failed.
    #[error("training: {0}")]
    Candle(#[from] candle_core::Error),
    /// The library refuses the model.
    #[error("the book's library: {0}")]
    Library(#[from] attention::Error),
    /// Something else, said in full.
    #[error("{0}")]
    Other(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// For `map_err`: the error for a file or folder with which one cannot do `what`.
    pub(crate) fn file(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::File { path: path.to_owned(), what, source }
    }
}
