//! A trained model's heads: all-MiniLM-L6-v2, run on the pieces of the book's library.
//!
//! The model is a BERT: six post-norm blocks of twelve heads over the sum of three embeddings. [`Model`] loads it
//! and runs it, [`Role`] says which head looks where, and [`page`] shows all of them. A [`Survey`] asks all heads about many
//! sentences: which of them looks from a pronoun at what it stands for?

mod fault;
mod model;
mod page;
mod questions;
mod roles;
mod survey;

pub use fault::{Fault, Result};
pub use model::{Model, Run, Sentence};
pub use page::{MAX_TOKENS, page};
pub use questions::{Group, Question, SENTENCES, questions};
pub use roles::{Best, Role, best};
pub use survey::{Among, Answer, Chance, Look, Survey, Words};
