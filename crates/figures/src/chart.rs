//! Axes: where a number stands on the canvas, and the ticks to read it by.
//!
//! plotters' own chart furniture measures text, which a browser does otherwise than a terminal, and its logarithm
//! is the machine's. So the axes here are lines and anchored text, and their scales are a division each.

use std::ops::Range;

use crate::canvas::{Canvas, Place, Stroke, Text};
use crate::colour::Role;
use crate::numbers::fixed;

/// One axis: its numbers, and the stretch of the canvas that they lie on.
pub struct Axis {
    /// What is spread evenly: the number itself, or its logarithm.
    scale: fn(f64) -> f64,
    numbers: Range<f64>,
    pixels: Range<f64>,
}

impl Axis {
    /// An axis with equal steps.
    pub fn linear(numbers: Range<f64>, pixels: Range<f64>) -> Self {
        Axis { scale: |number| number, numbers, pixels }
    }

    /// An axis with equal ratios.
    pub fn log(numbers: Range<f64>, pixels: Range<f64>) -> Self {
        Axis { scale: libm::log, numbers, pixels }
    }

    /// Where `number` stands, in CSS pixels.
    pub fn at(&self, number: f64) -> f64 {
        let [start, end, at] = [self.numbers.start, self.numbers.end, number].map(self.scale);
        self.pixels.start + (at - start) / (end - start) * (self.pixels.end - self.pixels.start)
    }
}

/// A pair of axes.
pub struct Chart {
    pub x: Axis,
    pub y: Axis,
}

impl Chart {
    /// Where a pair of numbers stands.
    pub fn at(&self, x: f64, y: f64) -> Place {
        [self.x.at(x), self.y.at(y)]
    }

    /// The bottom axis with its ticks and name.
    pub fn bottom(&self, canvas: &mut Canvas, ticks: &[f64], digits: usize, name: &str) {
        let floor = self.y.pixels.start;
        canvas.line([self.x.pixels.start, floor], [self.x.pixels.end, floor], AXIS);
        for &tick in ticks {
            self.bottom_tick(canvas, tick, &fixed(tick, digits));
        }
        let middle = (self.x.pixels.start + self.x.pixels.end) / 2.0;
        canvas.text(name, [middle, floor + 32.0], Text::CENTRE);
    }

    /// A tick of the bottom axis, with what is written at it.
    pub fn bottom_tick(&self, canvas: &mut Canvas, tick: f64, written: &str) {
        let (x, floor) = (self.x.at(tick), self.y.pixels.start);
        canvas.line([x, floor], [x, floor + 4.0], AXIS);
        canvas.text(written, [x, floor + 14.0], Text::CENTRE.role(Role::Muted));
    }

    /// A tick of the left axis, with its line across and what is written at it.
    pub fn left_tick(&self, canvas: &mut Canvas, tick: f64, written: &str) {
        let (wall, y) = (self.x.pixels.start, self.y.at(tick));
        canvas.line([wall, y], [self.x.pixels.end, y], Stroke::new(Role::Grid, 1.0));
        canvas.text(written, [wall - 6.0, y], Text::END.role(Role::Muted));
    }

    /// The left axis with its ticks, their lines across, and its name above, where it can be read
    /// without turning one's head.
    pub fn left(&self, canvas: &mut Canvas, ticks: &[f64], digits: usize, name: &str) {
        let wall = self.x.pixels.start;
        for &tick in ticks {
            self.left_tick(canvas, tick, &fixed(tick, digits));
        }
        canvas.text(name, [wall, self.y.pixels.end - 16.0], Text::START);
    }

    /// A line through pairs of numbers.
    pub fn curve(&self, canvas: &mut Canvas, points: impl IntoIterator<Item = (f64, f64)>, stroke: Stroke) {
        let places: Vec<_> = points.into_iter().map(|(x, y)| self.at(x, y)).collect();
        canvas.path(&places, stroke);
    }

    /// What lies between two numbers at each place: x, the lower and the upper.
    pub fn band(&self, canvas: &mut Canvas, points: &[(f64, f64, f64)], role: Role, opacity: f64) {
        let below = points.iter().map(|&(x, lower, _)| self.at(x, lower));
        let above = points.iter().rev().map(|&(x, _, upper)| self.at(x, upper));
        canvas.area(&below.chain(above).collect::<Vec<_>>(), role, opacity);
    }
}

const AXIS: Stroke = Stroke::new(Role::Line, 1.0);
