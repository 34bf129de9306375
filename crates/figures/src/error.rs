//! What can go wrong between a scene, its parameters and a drawing.

use crate::SceneError;

/// Why a figure could not be drawn, or a number not be found in it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name is not among those that exist; the message lists them.
    #[error("there is no {what} `{name}`; there is {known}")]
    Unknown {
        /// What was looked for: a figure, a row, a column, a parameter.
        what: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names that exist, in their order.
        known: String,
    },
    /// A parameter's value is not one that its control can take.
    #[error("{control}: `{value}` is not possible; needed is {needed}")]
    Parameter {
        /// The control's name.
        control: String,
        /// The value that came.
        value: String,
        /// What the control takes.
        needed: String,
    },
    /// A number about to be drawn or shown is infinite or not a number.
    #[error("{what} is {value}, and only finite numbers can be drawn")]
    NotFinite {
        /// What the number stands for.
        what: String,
        /// The number.
        value: f64,
    },
    /// The scene is not one that the book can show.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The library refused its arguments.
    #[error(transparent)]
    Attention(#[from] attention::Error),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The error for a `name` that is not among the `known` ones.
    pub(crate) fn unknown<'a>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
        Error::Unknown {
            what,
            name: name.to_owned(),
            known: if known.is_empty() { "none".into() } else { known.join(", ") },
        }
    }
}
