//! Trains the attention-only transformer of section 7.3, with candle, until an induction head has grown in it.
//!
//! Training is all that happens here. What the model is trained and measured on, how it is measured, and the model
//! that reads the trained weights again are the book's own library, [`attention`].
//!
//! | file | what it holds |
//! |---|---|
//! | `cli.rs` | the command line, and what it says |
//! | `train.rs` | the recipe: data, optimizer, steps |
//! | `model.rs` | the model in candle, with gradients |
//! | `folder.rs` | what is written, whole or not at all |

pub mod cli;
pub mod folder;
pub mod model;
pub mod train;

use std::io;
use std::path::{Path, PathBuf};

/// Why nothing has grown.
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
    fn file(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::File { path: path.to_owned(), what, source }
    }
}
