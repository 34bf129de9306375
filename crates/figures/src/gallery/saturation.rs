//! `saturation`: without the division, softmax puts all its weight on one token, and its gradient goes to 0.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (saturation, scene) = (figure("saturation")?, Scene::default());
//! let number = |d, name| {
//!     let drawing = saturation.draw(&scene, &params([("d", d)]), Size::Wide)?;
//!     Ok::<_, figures::Error>(drawing.fact(name)?.value().unwrap())
//! };
//! // Without the division, more features put more weight on one key, and the gradient goes to 0.
//! assert!(number("256", "largest")? > number("8", "largest")? + 0.2);
//! assert!(number("256", "gradient")? < number("8", "gradient")? / 2.0);
//! // With it, neither depends on the number of features.
//! assert!((number("256", "largest-divided")? - number("8", "largest-divided")?).abs() < 0.1);
//! assert!((number("256", "gradient-divided")? - number("8", "gradient-divided")?).abs() < 0.1);
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::study::{SATURATION_SEED, Saturated, Saturation, saturation_study};

use crate::canvas::{Canvas, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::fixed;
use crate::parts::dimensions::{LARGEST, ON_CURVE, dimension_slider, dimensions, nearest, with_chosen};
use crate::{Error, Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "saturation",
    title: "Without the division, softmax saturates",
    caption: "Softmax over the dot products of a random query with seven random keys, against the number of features \
              d. First: the largest of the seven weights. Then: how strongly the weights respond to the scores (the \
              Frobenius norm of softmax's Jacobian). Means over 100 random draws, with and without the division by √d.",
    controls,
    draw: draw::<Saturates>,
};

fn controls(_: &Scene) -> Vec<Control> {
    vec![dimension_slider()]
}

/// How many keys share the weight; the caption says so too.
const KEYS: usize = 7;

/// How many random draws are averaged.
const TRIALS: usize = 100;

/// The study does not depend on what the reader chooses, so it is made once.
static STUDY: LazyLock<attention::Result<Vec<Saturation>>> =
    LazyLock::new(|| saturation_study(&dimensions(), KEYS, TRIALS, SATURATION_SEED));

/// The numbers of the figure: the study on the curves, and where the reader stands.
struct Saturates {
    on_curve: Vec<&'static Saturation>,
    chosen: &'static Saturation,
}

impl Steps for Saturates {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let study = STUDY.as_ref().map_err(|error| Error::from(error.clone()))?;
        Ok(Saturates {
            on_curve: study.iter().filter(|entry| ON_CURVE.contains(&entry.d)).collect(),
            chosen: nearest(settings.number("d"), study, |entry| entry.d),
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let Saturation { d, unscaled, scaled, .. } = self.chosen;
        let columns = ["largest weight", "largest weight, divided", "Jacobian", "Jacobian, divided"];
        let cells = |entry: &Saturation| {
            [
                Cell::number(entry.unscaled.largest_weight, 2),
                Cell::number(entry.scaled.largest_weight, 2),
                Cell::number(entry.unscaled.jacobian_norm, 3),
                Cell::number(entry.scaled.jacobian_norm, 3),
            ]
        };
        let rows = with_chosen(&self.on_curve, self.chosen, |entry| entry.d);
        let table =
            Table::new("d", columns).rows(rows.into_iter().map(|entry| (entry.d.to_string(), cells(entry))));
        let findings = Findings::new()
            .count("d", *d)
            .number("largest", unscaled.largest_weight, 2)
            .number("largest-divided", scaled.largest_weight, 2)
            .number("gradient", unscaled.jacobian_norm, 3)
            .number("gradient-divided", scaled.jacobian_norm, 3)
            .share("decided", unscaled.decided)
            .share("decided-divided", scaled.decided)
            .number("even", (KEYS as f64).recip(), 2)
            .count("keys", KEYS)
            .count("trials", TRIALS);
        let says = |when: &str, found: &Saturated| {
            let (weight, size) = (fixed(found.largest_weight, 2), fixed(found.jacobian_norm, 3));
            format!(
                "{when}, the largest of {KEYS} weights is {weight} on average, and the size of softmax's Jacobian \
                 {size}."
            )
        };
        let without = format!("With {d} features and no division");
        let sentences = vec![says(&without, unscaled), says("With the division", scaled)];
        Description { table, findings, sentences }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(330.0, 650.0));
        let features = |across| Axis::log(1.0..LARGEST as f64, across);
        let weight = Panel {
            chart: Chart {
                x: features(size.pick(34.0..320.0, 34.0..322.0)),
                y: Axis::linear(0.0..1.0, 280.0..46.0),
            },
            name: "largest of seven weights",
            ticks: [0.0, 0.5, 1.0],
            value: |found| found.largest_weight,
        };
        let down = size.pick(0.0, 322.0);
        let gradient = Panel {
            chart: Chart {
                x: features(size.pick(386.0..660.0, 34.0..322.0)),
                y: Axis::linear(0.0..0.5, 280.0 + down..46.0 + down),
            },
            name: "size of softmax's Jacobian",
            ticks: [0.0, 0.2, 0.4],
            value: |found| found.jacobian_norm,
        };
        for panel in [weight, gradient] {
            panel.draw(&mut canvas, &self.on_curve, self.chosen);
        }
        canvas
    }
}

/// One of the two charts: a number of the study against the number of features, without the division and with it.
struct Panel {
    chart: Chart,
    name: &'static str,
    ticks: [f64; 3],
    value: fn(&Saturated) -> f64,
}

impl Panel {
    fn draw(&self, canvas: &mut Canvas, study: &[&Saturation], chosen: &Saturation) {
        let Panel { chart, value, .. } = self;
        chart.left(canvas, &self.ticks, 1, self.name);
        chart.bottom(canvas, &[1.0, 4.0, 16.0, 64.0, 256.0], 0, "features d");
        let without: &dyn Fn(&Saturation) -> f64 = &|entry| value(&entry.unscaled);
        let with: &dyn Fn(&Saturation) -> f64 = &|entry| value(&entry.scaled);
        let curves = [
            (without, Stroke::new(Role::Warn, 2.6), "not divided"),
            (with, Stroke::new(Role::Ink, 2.6).dashed(), "divided by √d"),
        ];
        for (number, stroke, label) in curves {
            chart.curve(canvas, study.iter().map(|entry| (entry.d as f64, number(entry))), stroke);
            for entry in study {
                canvas.disc(chart.at(entry.d as f64, number(entry)), 3.5, stroke.role, 1.0);
            }
            canvas.ring(chart.at(chosen.d as f64, number(chosen)), 8.0, Stroke::new(Role::Line, 1.8));
            // Below the curve's end there is room, but for the upper of two curves that stay close.
            let end = study[study.len() - 1];
            let other = without(end) + with(end) - number(end);
            let side = if number(end) > other && stroke.dashed { -18.0 } else { 26.0 };
            let [x, y] = chart.at(end.d as f64, number(end));
            canvas.text(label, [x, y + side], Text::END.role(stroke.role).bold());
        }
    }
}
