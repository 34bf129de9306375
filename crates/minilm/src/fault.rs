//! What can go wrong, and what is needed instead.

use std::path::PathBuf;

/// Why a model cannot be loaded, or a sentence not be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A file of the model cannot be read.
    #[error("{}: cannot be read: {reason}; crates/minilm/README.md says how to get the model", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },

    /// A file of the model is not what its name says: cut off, or another format.
    #[error("{}: is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },

    /// The model is of a kind that this program cannot run.
    #[error("{}: {field}: came as {came}, needed {needed}", path.display())]
    Architecture {
        /// The file that says so.
        path: PathBuf,
        /// The setting.
        field: &'static str,
        /// What it is set to.
        came: String,
        /// What it has to be.
        needed: String,
    },

    /// A tensor is missing, or has another shape or type than the settings ask for.
    #[error("{}: {tensor}: came {came}, needed {needed}", path.display())]
    Tensor {
        /// The file of weights.
        path: PathBuf,
        /// The tensor's name.
        tensor: String,
        /// What there is.
        came: String,
        /// What there should be.
        needed: String,
    },

    /// The sentence has no words.
    #[error("the sentence is empty: needed is at least one word")]
    EmptySentence,

    /// The sentence has too many tokens.
    #[error("the sentence has {came} tokens, with the two that the model adds; at most {most} can be shown")]
    LongSentence {
        /// How many it has.
        came: usize,
        /// How many it may have.
        most: usize,
    },

    /// The file of sentences does not hold what it should.
    #[error("the sentences: {what}")]
    Sentences {
        /// What is wrong with it.
        what: String,
    },

    /// The page cannot be written.
    #[error("{}: cannot be written: {reason}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },

    /// The library refuses what it is given.
    #[error(transparent)]
    Attention(#[from] attention::Error),
}

/// What a function of this crate returns.
pub type Result<T> = std::result::Result<T, Fault>;
