//! The registry: every figure of the book, in the book's order.
//!
//! # How a figure's file reads
//!
//! From the top, and `threads.rs` is one to begin with (`matrix.rs` shows tiles and two figures of one file,
//! `spread.rs` a chart):
//!
//! 1. what is to be seen, in a line, and **an example** that runs as a test: it draws the figure, changes a control and
//!    asserts what the caption claims;
//! 2. `FIGURE`, its **entry** here: name, title, caption, `controls`, and `draw: draw::<ItsType>`;
//! 3. `controls`, from [`Control`](crate::Control)'s constructors, by which they are read back too
//!    (`is_on`, `number`, `point`, and `chosen`, a place among a choice's options);
//! 4. a struct, **its numbers**, and its three [`Steps`](crate::figure::Steps): `measure` computes them with `attention`,
//!    once; `describe` makes of them a table, findings and sentences; `picture` puts marks at places, in one width or
//!    the other.
//!
//! Numbers become text in `numbers.rs` only. What a second figure needs too goes to `parts/`: no file here takes
//! anything from another.

mod antecedents;
mod arcs;
mod block;
mod cost;
mod grown;
mod growth;
mod heads;
mod induction;
mod leak;
mod matrix;
mod mixing;
mod next_token;
mod norms;
mod order;
mod paths;
mod rope;
mod saturation;
mod sinusoid;
mod spread;
mod threads;
mod wild_heads;

use crate::figure::Figure;
use crate::{Error, Result};

/// Every figure of the book, by chapter. To add one: a file beside this one, and a line here.
///
/// It is a constant so that a live module can take one chapter's figures and hold nothing of the others.
pub const CHAPTERS: &[Chapter] = &[
    Chapter { name: "opening", figures: &[paths::FIGURE] },
    Chapter { name: "query-key-value", figures: &[threads::FIGURE, spread::FIGURE, saturation::FIGURE] },
    Chapter {
        name: "matrix",
        figures: &[matrix::FIGURE, matrix::MASKED, leak::FIGURE, next_token::FIGURE, cost::FIGURE],
    },
    Chapter { name: "heads", figures: &[arcs::FIGURE, heads::FIGURE, induction::FIGURE] },
    Chapter { name: "wild", figures: &[wild_heads::FIGURE, antecedents::FIGURE] },
    Chapter { name: "growth", figures: &[growth::FIGURE, grown::FIGURE] },
    Chapter { name: "block", figures: &[block::FIGURE, mixing::FIGURE, norms::FIGURE] },
    Chapter { name: "positions", figures: &[order::FIGURE, sinusoid::FIGURE, rope::FIGURE] },
];

/// The figures of a chapter. They are alive through a module of their own, so that a page loads no other's.
#[derive(Debug)]
pub struct Chapter {
    /// Its name, which is also its live module's.
    pub name: &'static str,
    /// Its figures, in the order of reading.
    pub figures: &'static [Figure],
}

/// Every figure of the book, in its order.
pub fn all() -> impl Iterator<Item = &'static Figure> {
    CHAPTERS.iter().flat_map(|chapter| chapter.figures)
}

/// The figure of that name.
///
/// # Errors
///
/// [`Error::Unknown`] if there is none; the message lists those there are.
pub fn figure(id: &str) -> Result<&'static Figure> {
    all()
        .find(|figure| figure.id == id)
        .ok_or_else(|| Error::unknown("figure", id, all().map(|figure| figure.id)))
}
