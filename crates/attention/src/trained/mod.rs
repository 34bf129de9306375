//! 7.3: a model whose weights were trained, in `model/`, and the log of its training.
//!
//! `weights.rs` has [`AttentionOnly::trained`](crate::AttentionOnly::trained) and reads what
//! `safetensors.rs` finds in a file.

mod log;
mod safetensors;
mod weights;

pub use log::TrainingLog;
