//! The registry: every figure of the book, in the book's order.

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
mod repeat_strip;
mod rope;
mod saturation;
mod sinusoid;
mod spread;
mod threads;
mod wild_heads;

use ndarray::Array2;

use crate::canvas::{Canvas, Size};
use crate::control::{Control, Kind, Params, Preset, Settings};
use crate::drawing::{Cell, Drawing, Fact, Table};
use crate::{Error, Result, Scene, Token};

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
    Chapter { name: "heads", figures: &[arcs::FIGURE, heads::FIGURE, wild_heads::FIGURE, induction::FIGURE] },
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

/// A figure: what it is called, what a reader may change, and the function that draws it.
#[derive(Debug)]
pub struct Figure {
    /// Its name in `{{#figure id}}`, in addresses and in file names.
    pub id: &'static str,
    /// Its title, for lists and for those who do not see it.
    pub title: &'static str,
    /// Its caption: what the marks mean, and what to look for.
    pub caption: &'static str,
    /// What a reader may change.
    controls: fn(&Scene) -> Vec<Control>,
    /// The function behind it.
    draw: fn(&Scene, &Settings, Size) -> Result<Sketch>,
}

/// What a figure's function returns: its canvas, and what it has to say.
struct Sketch {
    canvas: Canvas,
    table: Table,
    facts: Vec<Fact>,
    sentences: Vec<String>,
}

impl Figure {
    /// The name of its chapter, and so of the live module that it is in.
    pub fn chapter(&self) -> &'static str {
        let holds = |chapter: &&Chapter| chapter.figures.iter().any(|figure| figure.id == self.id);
        CHAPTERS.iter().find(holds).map_or("", |chapter| chapter.name)
    }

    /// What a reader may change about the figure, in this scene.
    pub fn controls(&self, scene: &Scene) -> Vec<Control> {
        (self.controls)(scene)
    }

    /// Whether the figure can be drawn with these parameters.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] or [`Error::Parameter`] if a parameter is not one of the figure's, or its value
    /// not possible.
    pub fn check(&self, scene: &Scene, params: &Params) -> Result<()> {
        Settings::new(&self.controls(scene), params).map(|_| ())
    }

    /// Draws the figure. Parameters left out have their control's default.
    ///
    /// # Errors
    ///
    /// As for [`Figure::check`]; [`Error::NotFinite`] if a number is too large to be drawn.
    pub fn draw(&self, scene: &Scene, params: &Params, size: Size) -> Result<Drawing> {
        let settings = Settings::new(&self.controls(scene), params)?;
        let Sketch { canvas, table, facts, sentences } = (self.draw)(scene, &settings, size)?;
        for row in &table.rows {
            assert_eq!(row.cells.len(), table.columns.len(), "{}: row `{}`", self.id, row.name);
            for (cell, column) in row.cells.iter().zip(&table.columns) {
                check_finite(cell.value(), || format!("{}, row `{}`, column `{column}`", self.id, row.name))?;
            }
        }
        for fact in &facts {
            check_finite(fact.cell.value(), || format!("{}, finding `{}`", self.id, fact.name))?;
        }
        let svg = canvas.finish(self.title, &sentences.join(" "))?;
        Ok(Drawing { svg, table, facts, sentences })
    }
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

/// A control that chooses one of the scene's tokens, by its number from 1; [`Settings::place`] reads it.
fn token_choice(name: &'static str, label: &'static str, scene: &Scene, default: usize) -> Control {
    let option = |(place, token): (usize, &Token)| Preset {
        value: (place + 1).to_string(),
        label: token.label.clone(),
    };
    Control {
        name,
        label,
        kind: Kind::Choice { options: scene.tokens.iter().enumerate().map(option).collect(), default },
    }
}

/// The token, other than itself, that the query token gives most weight to. `weights` `[T, T]`
fn answering(scene: &Scene, weights: &Array2<f64>) -> usize {
    let asks = scene.query_place();
    (0..scene.tokens.len())
        .filter(|&j| j != asks)
        .reduce(|best, j| if weights[[asks, j]] > weights[[asks, best]] { j } else { best })
        .unwrap_or(asks)
}

/// A label cut to the room of `most` characters; dots, which take that of two, say that it was cut.
fn cut(label: &str, most: usize) -> String {
    if label.chars().count() <= most {
        return label.to_owned();
    }
    label.chars().take(most.saturating_sub(2)).chain(['…']).collect()
}

/// A weight, or how far something moves, on a picture, in two digits. What is not exactly 0 is not to look so.
fn weight_in_brief(weight: f64) -> String {
    if weight < 0.005 { "<.01".to_owned() } else { Cell::number(weight, 2).to_string() }
}

fn check_finite(value: Option<f64>, what: impl FnOnce() -> String) -> Result<()> {
    match value {
        Some(value) if !value.is_finite() => Err(Error::NotFinite { what: what(), value }),
        _ => Ok(()),
    }
}
