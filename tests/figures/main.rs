//! What the figures show: in `all.rs` their snapshots and what must hold for every figure, and in a file for each figure
//! that its numbers are those of the library and of the formulas.

mod all;
mod antecedents;
mod arcs;
mod block;
mod grown;
mod growth;
mod heads;
mod induction;
mod leak;
mod matrix;
mod mixing;
mod norms;
mod order;
mod roles;
mod rope;
mod scale;
mod sinusoid;
mod threads;
mod wild_heads;

use std::fmt::Display;
use std::ops::Deref;

use figures::{Drawing, Params, Scene, Size, figure};

/// A figure of the running example with these settings, as a wide page has it.
#[track_caller]
fn drawn(id: &str, settings: &[(&str, &dyn Display)]) -> Drawn {
    drawn_in(Size::Wide, id, settings)
}

/// The same in either width.
#[track_caller]
fn drawn_in(size: Size, id: &str, settings: &[(&str, &dyn Display)]) -> Drawn {
    let params: Params =
        settings.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect();
    Drawn(figure(id).unwrap().draw(&Scene::default(), &params, size).unwrap())
}

/// A drawing, with short ways to what tests ask of it. Each panics where there is no such thing.
struct Drawn(Drawing);

impl Drawn {
    /// A finding, as it is written.
    #[track_caller]
    fn text(&self, finding: &str) -> String {
        self.fact(finding).unwrap().to_string()
    }

    /// The number of a finding.
    #[track_caller]
    fn number(&self, finding: &str) -> f64 {
        let value = self.fact(finding).unwrap().value();
        value.unwrap_or_else(|| panic!("`{finding}` is no number"))
    }

    /// The number in a cell of the table.
    #[track_caller]
    fn cell(&self, row: &str, column: &str) -> f64 {
        let value = self.table.cell(row, column).unwrap().value();
        value.unwrap_or_else(|| panic!("`{row}`, `{column}` is no number"))
    }

    /// The texts of the picture, in the order in which they are drawn.
    fn texts(&self) -> Vec<String> {
        let inside = |part: &str| {
            let text = part.split_once('>').unwrap().1.split_once("</text>").unwrap().0;
            text.trim().to_owned()
        };
        self.svg.split("<text ").skip(1).map(inside).collect()
    }
}

impl Deref for Drawn {
    type Target = Drawing;

    fn deref(&self) -> &Drawing {
        &self.0
    }
}
