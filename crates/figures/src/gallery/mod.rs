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
//! anything from another. No function is longer than 60 lines, here and in `parts/`: a test below counts them.

mod antecedents;
mod arcs;
mod block;
mod cost;
mod grown;
mod growth;
mod heads;
mod induction;
mod leak;
mod looking;
mod matrix;
mod mixing;
mod next_token;
mod norms;
mod order;
mod paths;
mod roles;
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
    Chapter { name: "learned", figures: &[roles::FIGURE, looking::FIGURE] },
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

#[cfg(test)]
mod tests {
    use std::fs;

    /// How many lines a function may have, its head and its last brace among them.
    const MOST_LINES: usize = 60;

    /// The functions of a source that are longer than that, each with its line and its length. In what rustfmt wrote,
    /// a function ends at the first brace that stands as far from the margin as its head.
    fn too_long(source: &str) -> Vec<String> {
        let lines: Vec<&str> = source.lines().collect();
        let mut found = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let head = line.trim_start();
            let Some((before, _)) = head.split_once("fn ") else { continue };
            let qualifies = |word: &str| matches!(word, "const" | "unsafe") || word.starts_with("pub");
            if !before.split_whitespace().all(qualifies) || line.ends_with([';', '}']) {
                continue;
            }
            let close = format!("{}}}", &line[..line.len() - head.len()]);
            let end = lines[at..].iter().position(|line| *line == close);
            let length = end.expect("a function's last brace") + 1;
            if length > MOST_LINES {
                found.push(format!("{}: `{head}` has {length} lines", at + 1));
            }
        }
        found
    }

    #[test]
    fn functions_are_short() {
        let mut functions = 0;
        for folder in ["gallery", "parts"] {
            let folder = format!("{}/src/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                let source = fs::read_to_string(&path).unwrap();
                functions += source.matches("fn ").count();
                assert_eq!(too_long(&source), [""; 0], "{}", path.display());
            }
        }
        assert!(functions > 200, "{functions} functions are too few to be all");
    }

    #[test]
    fn a_long_function_is_found() {
        let of = |statements: usize| {
            format!(
                "impl It {{\n    pub(crate) fn long(\n    ) {{\n{}    }}\n}}\n",
                "        step();\n".repeat(statements)
            )
        };
        assert_eq!(too_long(&of(57)), [""; 0]);
        assert_eq!(too_long(&of(58)), ["2: `pub(crate) fn long(` has 61 lines"]);
    }
}
