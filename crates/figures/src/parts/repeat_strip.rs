//! What the figures share that show letters which repeat: the letters, a head's weights over them as tiles, and
//! what a model predicts, in a strip.

use attention::Mask;
use attention::study::Repeat;
use ndarray::Array2;

use crate::canvas::{Canvas, Place, Stroke, Text};
use crate::colour::Role;
use crate::drawing::Cell;

/// A symbol as a letter, from A to Z.
pub fn letter(symbol: usize) -> String {
    char::from(b'A' + symbol as u8).to_string()
}

/// The letters of the period, set apart by spaces.
pub fn period_letters(repeat: &Repeat) -> String {
    let letters: Vec<String> = repeat.symbols[..repeat.period].iter().copied().map(letter).collect();
    letters.join(" ")
}

/// Letters that repeat, and what a model says at each of them comes next.
pub struct Strip<'a> {
    pub repeat: &'a Repeat,
    pub predictions: &'a [Option<usize>],
}

impl Strip<'_> {
    /// How many predictions are right where it can be known what comes next: after the first period.
    pub fn right(&self) -> usize {
        self.repeat.repeated().filter(|&i| self.is_right(i)).count()
    }

    pub fn is_right(&self, position: usize) -> bool {
        self.predictions[position] == Some(self.repeat.symbols[position + 1])
    }

    /// A position's prediction, what comes next, and whether they agree, for a table.
    pub fn cells(&self, position: usize) -> [Cell; 3] {
        let prediction = self.predictions[position];
        [
            prediction.map_or(Cell::words("none"), |symbol| Cell::token(letter(symbol))),
            Cell::token(letter(self.repeat.symbols[position + 1])),
            Cell::words(if self.is_right(position) { "yes" } else { "no" }),
        ]
    }

    /// Each position's letter, its prediction, and what comes next, from `start` on: as many positions as there are,
    /// and no more than `most`.
    pub fn draw(&self, canvas: &mut Canvas, [left, top]: Place, start: usize, most: usize) {
        let Repeat { symbols, period } = self.repeat;
        let end = self.predictions.len().min(start + most);
        let step = ((canvas.width() - left - 4.0) / (end - start) as f64).min(44.0);
        let x = |place: usize| left + step * ((place - start) as f64 + 0.5);
        let rows = [top + 26.0, top + 46.0, top + 66.0, top + 86.0];
        for (name, y) in ["letter", "predicts", "next is", "right?"].into_iter().zip(rows) {
            canvas.text(name, [2.0, y], Text::START.role(Role::Muted));
        }
        canvas.group(&[], |canvas| {
            let stroke = Stroke::new(Role::Line, 1.0);
            for first in (0..end).step_by(*period) {
                let (first, last) = (first.max(start), (first + period).min(end));
                if first >= last {
                    continue;
                }
                let name = match first / period {
                    0 => "first time",
                    1 => "again",
                    _ => "once more",
                };
                let (from, to) = (x(first) - step / 2.0 + 3.0, x(last - 1) + step / 2.0 - 3.0);
                if Text::CENTRE.room(name) <= to - from + 6.0 {
                    canvas.text(name, [(from + to) / 2.0, top], Text::CENTRE);
                }
                canvas.line([from, top + 11.0], [to, top + 11.0], stroke);
            }
            for i in start..end {
                let right = self.is_right(i);
                let known = self.repeat.repeated().contains(&i);
                let how = if known { Text::CENTRE.bold() } else { Text::CENTRE.role(Role::Muted) };
                canvas.text(&letter(symbols[i]), [x(i), rows[0]], Text::CENTRE);
                let prediction = self.predictions[i].map_or("–".to_owned(), letter);
                canvas.text(&prediction, [x(i), rows[1]], how);
                canvas.text(&letter(symbols[i + 1]), [x(i), rows[2]], Text::CENTRE);
                let role = match (known, right) {
                    (false, _) => Role::Line,
                    (true, true) => Role::Ink,
                    (true, false) => Role::Warn,
                };
                mark(canvas, [x(i), rows[3]], right, Stroke::new(role, 2.0));
            }
        });
    }
}

/// Above the heads' tiles: which way to read them.
pub fn asks_and_is_looked_at(canvas: &mut Canvas) {
    canvas.text("query: who asks", [2.0, 12.0], Text::START.role(Role::Query).bold());
    let end = [canvas.width() - 2.0, 12.0];
    canvas.text("key: who is looked at", end, Text::END.role(Role::Key).bold());
}

/// A causal head's weights as tiles, in a square of width `side` below and to the right of a corner; hatched where
/// masked.
pub fn tiles(canvas: &mut Canvas, [left, top]: Place, side: f64, weights: &Array2<f64>) {
    let positions = weights.nrows();
    let tile = side / positions as f64;
    // Small tiles have no room for gaps between them.
    let gap = if tile < 14.0 { 0.1 } else { 0.5 };
    for i in 0..positions {
        for j in 0..positions {
            let [x, y] = [left + tile * j as f64, top + tile * i as f64];
            if Mask::Causal.allows(i, j) {
                let (corner, opposite) = ([x + gap, y + gap], [x + tile - gap, y + tile - gap]);
                canvas.tile(corner, opposite, weights[[i, j]], "");
            }
        }
    }
    hatch(canvas, [left, top], tile, positions);
}

/// Slanted lines over all that is masked: each goes through the rows in one stroke, for tile by tile they would be more
/// than a thousand.
fn hatch(canvas: &mut Canvas, [left, top]: Place, tile: f64, positions: usize) {
    // In tiles from the corner: where a row's masked part begins.
    let edge =
        |row: usize| (0..positions).find(|&j| !Mask::Causal.allows(row, j)).unwrap_or(positions) as f64;
    let end = positions as f64;
    let lines = (2.0 * end * tile / 8.0) as usize;
    for line in 1..lines {
        // The line of all places whose distances from the left and from the top have this sum.
        let sum = line as f64 * 8.0 / tile;
        let Some(row) = (0..positions).rev().find(|&row| sum - row as f64 > edge(row)) else { continue };
        let from = (sum - row as f64 - 1.0).max(edge(row));
        let to = sum.min(end);
        if from < to {
            let at = |across: f64| [left + across * tile, top + (sum - across) * tile];
            canvas.line(at(from), at(to), Stroke::new(Role::Line, 1.0));
        }
    }
}

/// A tick or a cross.
fn mark(canvas: &mut Canvas, [x, y]: Place, right: bool, stroke: Stroke) {
    if right {
        canvas.path(&[[x - 5.0, y], [x - 1.5, y + 4.0], [x + 5.0, y - 5.0]], stroke);
    } else {
        canvas.line([x - 4.0, y - 4.0], [x + 4.0, y + 4.0], stroke);
        canvas.line([x - 4.0, y + 4.0], [x + 4.0, y - 4.0], stroke);
    }
}
