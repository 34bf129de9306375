//! Weights that were trained, and the log of a training.
//!
//! `weights.rs` has [`AttentionOnly::trained`](crate::AttentionOnly::trained), `transformers.rs` the transformers of the
//! small language. Both read what
//! `safetensors.rs` finds in a file.

mod log;
mod safetensors;
pub(crate) mod transformers;
pub(crate) mod weights;

pub use log::TrainingLog;
