//! `spread`: how far apart dot products lie, against the number of features, with and without the division.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (spread, scene) = (figure("spread")?, Scene::default());
//! for d in ["1", "64", "256"] {
//!     let drawing = spread.draw(&scene, &params([("d", d)]), Size::Wide)?;
//!     let number = |name| drawing.fact(name).unwrap().value().unwrap();
//!     // Measured: close to √d before the division, and to 1 after it.
//!     assert!((number("typical") / number("root") - 1.0).abs() < 0.01);
//!     assert!((number("typical-divided") - 1.0).abs() < 0.01);
//! }
//! # Ok::<(), figures::Error>(())
//! ```

use attention::study::{
    SCALE_DRAWS, SCALE_FEATURES, SCALE_SEEDS, SPREAD_BARS, SPREAD_REACH, Spread, spread_table,
};

use crate::canvas::{Canvas, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::fixed;
use crate::parts::dimensions::{agreed, choice_of_features};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "spread",
    title: "Dot products spread as the square root of d",
    caption: "A million dot products of random queries and keys whose d features are independent, with mean 0 and \
              variance 1. The curves: their typical size (standard deviation) against d; dots are measured, lines are \
              √d and 1. The bars: how they are spread at one d, before the division by √d and after it, on the same \
              axis. Each set of bars has its own height.",
    controls,
    draw: draw::<DotProducts>,
};

fn controls(_: &Scene) -> Vec<Control> {
    vec![choice_of_features()]
}

/// The numbers of the figure: what was measured at each number of features, from both seeds, and which was chosen.
struct DotProducts {
    study: Vec<[Spread; 2]>,
    place: usize,
}

impl Steps for DotProducts {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let [first, second] = SCALE_SEEDS.map(spread_table);
        let study = first.into_iter().zip(second).map(|(first, second)| [first, second]).collect();
        Ok(DotProducts { study, place: settings.chosen("d") })
    }

    fn describe(&self, _: &Scene) -> Description {
        let typical = |[first, second]: &[Spread; 2]| agreed([first.deviation, second.deviation]);
        let divided =
            |[first, second]: &[Spread; 2]| agreed([first.deviation_scaled, second.deviation_scaled]);
        let cells = |both: &[Spread; 2]| [Cell::number(root(&both[0]), 2), typical(both), divided(both)];
        let table = Table::new("d", ["√d", "typical size", "typical size after division"])
            .rows(self.study.iter().map(|both| (both[0].d.to_string(), cells(both))));

        let (both, chosen) = (&self.study[self.place], self.chosen());
        let findings = Findings::new()
            .count("d", chosen.d)
            .number("root", root(chosen), 1)
            .cell("typical", typical(both))
            .cell("typical-divided", divided(both))
            .count("pairs", SCALE_DRAWS);

        let sentences = vec![
            format!(
                "With {} features, dot products of random queries and keys have a typical size of {}, close to √{} = \
                 {}.",
                chosen.d,
                typical(both),
                chosen.d,
                fixed(root(chosen), 1)
            ),
            format!("Divided by √d, it is {}.", divided(both)),
        ];
        Description { table, findings, sentences }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(330.0, 640.0));
        let left = Chart {
            x: Axis::log(1.0..LARGEST, 34.0..size.pick(320.0, 322.0)),
            y: Axis::log(0.5..32.0, 280.0..46.0),
        };
        curves(&mut canvas, &left, self.study.iter().map(|both| &both[0]), self.chosen());
        let (start, end, top) = size.pick((380.0, 670.0, 46.0), (14.0, 330.0, 376.0));
        histogram(&mut canvas, self.chosen(), start..end, top);
        canvas
    }
}

impl DotProducts {
    /// What is drawn of the number of features that was chosen.
    fn chosen(&self) -> &Spread {
        &self.study[self.place][0]
    }
}

/// The most features of the study.
const LARGEST: f64 = SCALE_FEATURES[SCALE_FEATURES.len() - 1] as f64;

fn root(spread: &Spread) -> f64 {
    (spread.d as f64).sqrt()
}

fn curves<'a>(
    canvas: &mut Canvas,
    chart: &Chart,
    study: impl Iterator<Item = &'a Spread> + Clone,
    chosen: &Spread,
) {
    chart.left(canvas, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 0, "typical size of a dot product");
    chart.bottom(canvas, &[1.0, 4.0, 16.0, 64.0, 256.0], 0, "features d");
    let (before, after) = (Role::Warn, Role::Ink);
    let roots = study.clone().map(|spread| (spread.d as f64, (spread.d as f64).sqrt()));
    chart.curve(canvas, roots, Stroke::new(before, 2.0));
    let ones = study.clone().map(|spread| (spread.d as f64, 1.0));
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

/// How the dot products at one d are spread, before the division and after it.
fn histogram(canvas: &mut Canvas, chosen: &Spread, across: std::ops::Range<f64>, top: f64) {
    let root = root(chosen);
    let reach = SPREAD_REACH * root;
    let x = Axis::linear(-reach..reach, across.clone());
    let tallest = chosen.bars.iter().copied().fold(0.0, f64::max);
    // The division makes each bar narrower, and leaves its share as it is.
    let mut strip = |reach: f64, floor: f64, role: Role, name: String| {
        let edge = |bar: usize| x.at(reach * (2.0 * bar as f64 / SPREAD_BARS as f64 - 1.0));
        let gap = if edge(1) - edge(0) > 3.0 { 0.6 } else { 0.0 };
        for (bar, share) in chosen.bars.iter().enumerate() {
            let height = 64.0 * share / tallest;
            canvas.bar([edge(bar) + gap, floor - height], [edge(bar + 1) - gap, floor], role, 1.0);
        }
        canvas.line([across.start, floor], [across.end, floor], Stroke::new(Role::Line, 1.0));
        canvas.text(&name, [across.start, floor - 84.0], Text::START.role(role).bold());
    };
    strip(reach, top + 88.0, Role::Warn, format!("before the division, d = {}", chosen.d));
    strip(reach / root, top + 208.0, Role::Ink, "after the division by √d".into());
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
