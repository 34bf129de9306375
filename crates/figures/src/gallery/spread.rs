//! `spread`: how far apart dot products lie, against the number of features, with and without the division.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (spread, scene) = (figure("spread")?, Scene::default());
//! for d in ["8", "64", "256"] {
//!     let drawing = spread.draw(&scene, &params([("d", d)]), Size::Wide)?;
//!     let number = |name| drawing.fact(name).unwrap().value().unwrap();
//!     // Measured: close to √d before the division, and to 1 after it.
//!     assert!((number("typical") / number("root") - 1.0).abs() < 0.15);
//!     assert!((number("typical-divided") - 1.0).abs() < 0.15);
//! }
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::study::{DOT_PRODUCT_SEED, Spread, dot_product_study};

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
    id: "spread",
    title: "Dot products spread as the square root of d",
    caption: "Dot products of random queries and keys whose d features are independent, with mean 0 and variance 1. \
              The curves: their typical size (standard deviation) against d; dots are measured, lines are √d and 1. \
              The bars: all of them at one d, before the division by √d and after it, on the same axis. Each set of \
              bars has its own height.",
    controls,
    draw: draw::<DotProducts>,
};

fn controls(_: &Scene) -> Vec<Control> {
    vec![dimension_slider()]
}

/// How many queries and keys are drawn.
const PAIRS: usize = 500;

/// The study does not depend on what the reader chooses, so it is made once.
static STUDY: LazyLock<attention::Result<Vec<Spread>>> =
    LazyLock::new(|| dot_product_study(&dimensions(), PAIRS, DOT_PRODUCT_SEED));

/// The numbers of the figure: dot products at some numbers of features, and at the one that was chosen.
struct DotProducts {
    on_curve: Vec<&'static Spread>,
    chosen: &'static Spread,
}

impl Steps for DotProducts {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let study = STUDY.as_ref().map_err(|error| Error::from(error.clone()))?;
        Ok(DotProducts {
            on_curve: study.iter().filter(|spread| ON_CURVE.contains(&spread.d)).collect(),
            chosen: nearest(settings.number("d"), study, |spread| spread.d),
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let chosen = self.chosen;
        let cells = |it: &Spread| [root(it), it.deviation, it.deviation_scaled].map(|it| Cell::number(it, 2));
        let rows = with_chosen(&self.on_curve, chosen, |spread| spread.d);
        let table = Table::new("d", ["√d", "typical size", "typical size after division"])
            .rows(rows.into_iter().map(|spread| (spread.d.to_string(), cells(spread))));

        let findings = Findings::new()
            .count("d", chosen.d)
            .number("root", root(chosen), 1)
            .number("typical", chosen.deviation, 1)
            .number("typical-divided", chosen.deviation_scaled, 2)
            .number("furthest", furthest(chosen), 1)
            .number("furthest-divided", furthest(chosen) / root(chosen), 1)
            .count("pairs", PAIRS)
            .count("most-d", LARGEST);

        let (d, typical) = (chosen.d, fixed(chosen.deviation, 1));
        let sentences = vec![
            format!(
                "With {d} features, dot products of {PAIRS} random queries and keys have a typical size of {typical}, \
                 close to √{d} = {}.",
                fixed(root(chosen), 1)
            ),
            format!("Divided by √d, it is {}.", fixed(chosen.deviation_scaled, 2)),
        ];
        Description { table, findings, sentences }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(330.0, 640.0));
        let left = Chart {
            x: Axis::log(1.0..LARGEST as f64, 34.0..size.pick(320.0, 322.0)),
            y: Axis::log(0.5..32.0, 280.0..46.0),
        };
        curves(&mut canvas, &left, &self.on_curve, self.chosen);
        let (start, end, top) = size.pick((380.0, 670.0, 46.0), (14.0, 330.0, 376.0));
        histogram(&mut canvas, self.chosen, start..end, top);
        canvas
    }
}

fn root(spread: &Spread) -> f64 {
    (spread.d as f64).sqrt()
}

/// The size of the dot product that is furthest from 0.
fn furthest(spread: &Spread) -> f64 {
    spread.scores.iter().fold(0.0, |far: f64, score| far.max(score.abs()))
}

fn curves(canvas: &mut Canvas, chart: &Chart, study: &[&Spread], chosen: &Spread) {
    chart.left(canvas, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 0, "typical size of a dot product");
    chart.bottom(canvas, &[1.0, 4.0, 16.0, 64.0, 256.0], 0, "features d");
    let (before, after) = (Role::Warn, Role::Ink);
    let roots = study.iter().map(|spread| (spread.d as f64, (spread.d as f64).sqrt()));
    chart.curve(canvas, roots, Stroke::new(before, 2.0));
    let ones = study.iter().map(|spread| (spread.d as f64, 1.0));
    chart.curve(canvas, ones, Stroke::new(after, 2.0).dashed());
    for spread in study {
        let d = spread.d as f64;
        canvas.disc(chart.at(d, spread.deviation), 4.0, before, 1.0);
        canvas.disc(chart.at(d, spread.deviation_scaled), 4.0, after, 1.0);
    }
    let d = chosen.d as f64;
    canvas.ring(chart.at(d, chosen.deviation), 8.0, Stroke::new(Role::Line, 1.8));
    canvas.ring(chart.at(d, chosen.deviation_scaled), 8.0, Stroke::new(Role::Line, 1.8));
    let [x, y] = chart.at(24.0, 24f64.sqrt());
    canvas.text("before: √d", [x - 10.0, y - 12.0], Text::END.role(before).bold());
    let [x, y] = chart.at(90.0, 1.0);
    canvas.text("after: 1", [x, y - 18.0], Text::CENTRE.role(after).bold());
}

/// All the dot products at one d, in bins, before the division and after it.
fn histogram(canvas: &mut Canvas, chosen: &Spread, across: std::ops::Range<f64>, top: f64) {
    let d = chosen.d as f64;
    let reach = furthest(chosen) * 1.02;
    let x = Axis::linear(-reach..reach, across.clone());
    let mut strip = |scores: Vec<f64>, floor: f64, role: Role, name: String| {
        const BINS: usize = 41;
        let mut counts = [0_usize; BINS];
        for score in scores {
            let bin = ((score + reach) / (2.0 * reach) * BINS as f64).floor();
            if (0.0..BINS as f64).contains(&bin) {
                counts[bin as usize] += 1;
            }
        }
        let tallest = counts.into_iter().max().unwrap_or(1).max(1) as f64;
        let width = (across.end - across.start) / BINS as f64;
        for (bin, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            let start = across.start + bin as f64 * width;
            let height = 64.0 * count as f64 / tallest;
            canvas.bar([start + 0.6, floor - height], [start + width - 0.6, floor], role, 1.0);
        }
        canvas.line([across.start, floor], [across.end, floor], Stroke::new(Role::Line, 1.0));
        canvas.text(&name, [across.start, floor - 84.0], Text::START.role(role).bold());
    };
    strip(chosen.scores.clone(), top + 88.0, Role::Warn, format!("before the division, d = {}", chosen.d));
    let divided = chosen.scores.iter().map(|score| score / d.sqrt()).collect();
    strip(divided, top + 208.0, Role::Ink, "after the division by √d".into());
    for tick in [-2.0, -1.0, 0.0, 1.0, 2.0].map(|step| step * nice(reach / 2.5)) {
        let at = [x.at(tick), top + 222.0];
        canvas.text(&fixed(tick, 0), at, Text::CENTRE.role(Role::Muted));
    }
    let middle = (across.start + across.end) / 2.0;
    canvas.text("dot product", [middle, top + 240.0], Text::CENTRE);
}

/// The largest of 1, 2, 5, 10, 20, … that is not above `number`.
fn nice(number: f64) -> f64 {
    let power = libm::exp10(libm::log10(number).floor());
    [5.0, 2.0, 1.0].into_iter().map(|step| step * power).find(|step| *step <= number).unwrap_or(power)
}
