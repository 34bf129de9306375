//! `saturation`: without the division, softmax puts all its weight on one token, and its gradient goes to 0.

use std::sync::LazyLock;

use attention::study::{SATURATION_SEED, Saturated, Saturation, saturation_study};

use crate::canvas::{Canvas, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::parts::dimensions::{LARGEST, ON_CURVE, dimension_slider, dimensions, nearest};
use crate::{Error, Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "saturation",
    title: "Without the division, softmax saturates",
    caption: "Softmax over the dot products of a random query with seven random keys, against the number of features \
              d. First: the largest of the seven weights. Then: how strongly the weights respond to the scores (the \
              Frobenius norm of softmax's Jacobian). Means over 100 random draws, with and without the division by √d.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
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

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let study = STUDY.as_ref().map_err(|error| Error::from(error.clone()))?;
    let chosen = nearest(settings.number("d"), study, |entry| entry.d);
    let on_curve: Vec<&Saturation> = study.iter().filter(|entry| ON_CURVE.contains(&entry.d)).collect();

    let mut rows = on_curve.clone();
    if !ON_CURVE.contains(&chosen.d) {
        rows.push(chosen);
        rows.sort_by_key(|entry| entry.d);
    }
    let table = Table {
        corner: "d".into(),
        columns: ["largest weight", "largest weight, divided", "Jacobian", "Jacobian, divided"]
            .map(String::from)
            .to_vec(),
        rows: rows
            .iter()
            .map(|entry| Row {
                name: entry.d.to_string(),
                cells: vec![
                    Cell::number(entry.unscaled.largest_weight, 2),
                    Cell::number(entry.scaled.largest_weight, 2),
                    Cell::number(entry.unscaled.jacobian_norm, 3),
                    Cell::number(entry.scaled.jacobian_norm, 3),
                ],
            })
            .collect(),
    };
    let number = |name, value, digits| Fact { name, cell: Cell::number(value, digits) };
    let even = (KEYS as f64).recip();
    let facts = vec![
        Fact { name: "d", cell: Cell::count(chosen.d as u64) },
        number("largest", chosen.unscaled.largest_weight, 2),
        number("largest-divided", chosen.scaled.largest_weight, 2),
        number("gradient", chosen.unscaled.jacobian_norm, 3),
        number("gradient-divided", chosen.scaled.jacobian_norm, 3),
        Fact { name: "decided", cell: Cell::share(chosen.unscaled.decided) },
        Fact { name: "decided-divided", cell: Cell::share(chosen.scaled.decided) },
        number("even", even, 2),
        Fact { name: "keys", cell: Cell::count(KEYS as u64) },
        Fact { name: "trials", cell: Cell::count(TRIALS as u64) },
    ];
    let says = |when: &str, found: &Saturated| {
        format!(
            "{when}, the largest of {KEYS} weights is {} on average, and the size of softmax's Jacobian {}.",
            Cell::number(found.largest_weight, 2),
            Cell::number(found.jacobian_norm, 3)
        )
    };
    let sentences = vec![
        says(&format!("With {} features and no division", chosen.d), &chosen.unscaled),
        says("With the division", &chosen.scaled),
    ];

    let mut canvas = Canvas::new(size, size.pick(330.0, 650.0));
    let features = |across| Axis::log(1.0..LARGEST as f64, across);
    let weight =
        Chart { x: features(size.pick(34.0..320.0, 34.0..322.0)), y: Axis::linear(0.0..1.0, 280.0..46.0) };
    panel(
        &mut canvas,
        &weight,
        "largest of seven weights",
        &[0.0, 0.5, 1.0],
        1,
        &on_curve,
        chosen,
        |found| found.largest_weight,
    );
    let down = size.pick(0.0, 322.0);
    let gradient = Chart {
        x: features(size.pick(386.0..660.0, 34.0..322.0)),
        y: Axis::linear(0.0..0.5, 280.0 + down..46.0 + down),
    };
    panel(
        &mut canvas,
        &gradient,
        "size of softmax's Jacobian",
        &[0.0, 0.2, 0.4],
        1,
        &on_curve,
        chosen,
        |found| found.jacobian_norm,
    );
    Ok(Sketch { canvas, table, facts, sentences })
}

#[allow(clippy::too_many_arguments)]
fn panel(
    canvas: &mut Canvas,
    chart: &Chart,
    name: &str,
    ticks: &[f64],
    digits: usize,
    study: &[&Saturation],
    chosen: &Saturation,
    measure: impl Fn(&Saturated) -> f64,
) {
    chart.left(canvas, ticks, digits, name);
    chart.bottom(canvas, &[1.0, 4.0, 16.0, 64.0, 256.0], 0, "features d");
    let without: &dyn Fn(&Saturation) -> f64 = &|entry| measure(&entry.unscaled);
    let with: &dyn Fn(&Saturation) -> f64 = &|entry| measure(&entry.scaled);
    let curves = [
        (without, Stroke::new(Role::Warn, 2.6), "not divided"),
        (with, Stroke::new(Role::Ink, 2.6).dashed(), "divided by √d"),
    ];
    for (value, stroke, label) in curves {
        chart.curve(canvas, study.iter().map(|entry| (entry.d as f64, value(entry))), stroke);
        for entry in study {
            canvas.disc(chart.at(entry.d as f64, value(entry)), 3.5, stroke.role, 1.0);
        }
        canvas.ring(chart.at(chosen.d as f64, value(chosen)), 8.0, Stroke::new(Role::Line, 1.8));
        // Below the curve's end there is room, but for the upper of two curves that stay close.
        let end = study[study.len() - 1];
        let other = without(end) + with(end) - value(end);
        let side = if value(end) > other && stroke.dashed { -18.0 } else { 26.0 };
        let [x, y] = chart.at(end.d as f64, value(end));
        canvas.text(label, [x, y + side], Text::END.role(stroke.role).bold());
    }
}
