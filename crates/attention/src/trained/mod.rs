//! Weights that were trained, the recipe by which they were, and the log of a training.
//!
//! `weights.rs` has [`AttentionOnly::trained`](crate::AttentionOnly::trained), `transformers.rs` the transformers of the
//! small language; both read what `safetensors.rs` finds in a file. `attempts.rs` has how others like them fared.

pub(crate) mod attempts;
mod log;
mod recipe;
mod safetensors;
mod seeds;
pub(crate) mod transformers;
pub(crate) mod weights;

pub use attempts::{Attempt, Attempts};
pub use log::TrainingLog;
pub use recipe::Recipe;
pub use seeds::Seed;
