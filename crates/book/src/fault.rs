//! What is wrong, where, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A place in a file of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, from the book's root.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte of `text`, which is what `file` holds.
    ///
    /// ```
    /// use book::fault::Place;
    ///
    /// assert_eq!(Place::of("src/1.md", "one\nzwölf {{", 11).to_string(), "src/1.md:2:7");
    /// ```
    pub fn of(file: &str, text: &str, byte: usize) -> Self {
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Place {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Something wrong in the book's sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, if that is known.
    pub place: Option<Place>,
    /// What, and what is needed instead.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Everything that was found wrong in the book's sources, in the order of reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// How many are shown: what fits on a screen.
    pub const SHOWN: usize = 20;
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        write!(f, "the book has {count} fault{}:", if count == 1 { "" } else { "s" })?;
        for fault in self.0.iter().take(Self::SHOWN) {
            write!(f, "\n{fault}")?;
        }
        if count > Self::SHOWN {
            write!(f, "\nand {} more", count - Self::SHOWN)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Why there is no new book.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The chapters have faults.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// The scene has one.
    #[error(transparent)]
    Scene(#[from] figures::SceneError),
    /// A figure cannot be drawn in this scene.
    #[error("figure `{id}`: {source}")]
    Figure {
        /// The figure's name.
        id: &'static str,
        /// Why.
        source: figures::Error,
    },
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
    /// The answer to mdBook's question whether a renderer is supported; it wants the exit code, and no words.
    #[error("the figures can only be shown as HTML")]
    Unsupported,
    /// Something else, said in full.
    #[error("{0}")]
    Other(String),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// For `map_err`: the error for a file or folder with which one cannot do `what`.
    pub(crate) fn file(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::File { path: path.to_owned(), what, source }
    }
}
