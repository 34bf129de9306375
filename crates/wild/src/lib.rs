//! A trained model's heads: all-MiniLM-L6-v2, run on the pieces of the book's library.
//!
//! The model is a BERT: six post-norm blocks of twelve heads over the sum of three embeddings. [`Model`] loads it
//! and runs it, [`Role`] says which head looks where, and [`page`] shows all of them.

mod fault;
mod model;
mod page;
mod roles;

pub use fault::{Fault, Result};
pub use model::{Model, Run, Sentence};
pub use page::{MAX_TOKENS, page};
pub use roles::{Best, Role, best};
