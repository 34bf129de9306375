//! `saturation`: without the division, softmax puts all its weight on one token, and most queries get hardly any gradient.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (saturation, scene) = (figure("saturation")?, Scene::default());
//! let number = |d, name| {
//!     let drawing = saturation.draw(&scene, &params([("d", d)]), Size::Wide)?;
//!     Ok::<_, figures::Error>(drawing.fact(name)?.value().unwrap())
//! };
//! // Without the division, more features put more weight on one key; most queries get less gradient, a few get more.
//! assert!(number("256", "largest")? > number("8", "largest")? + 0.2);
//! assert!(number("256", "median")? < number("8", "median")? / 10.0);
//! assert!(number("256", "lowest")? < number("8", "lowest")? / 1000.0);
//! assert!(number("256", "highest")? > number("8", "highest")? * 2.0);
//! // With it, they hardly depend on the number of features.
//! for name in ["largest-divided", "lowest-divided", "median-divided", "highest-divided"] {
//!     assert!((number("256", name)? - number("8", name)?).abs() < 0.03);
//! }
//! # Ok::<(), figures::Error>(())
//! ```

use attention::study::{
    SCALE_DRAWS, SCALE_FEATURES, SCALE_KEYS, SCALE_SEEDS, Saturated, Saturation, saturation_table,
};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::parts::dimensions::{agreed, choice_of_features};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "saturation",
    title: "Without the division, softmax saturates",
    caption: "Softmax over the dot products of a random query with seven random keys, against the number of features \
              d, in a million random draws, with and without the division by √d. First: the largest of the seven \
              weights, on average. Then: the length of the gradient at the query, when the loss's gradient at each \
              weight is a standard normal number; the line is the median, and the band reaches from the lowest \
              tenth to the highest.",
    controls,
    draw: draw::<Saturates>,
};

fn controls(_: &Scene) -> Vec<Control> {
    vec![choice_of_features()]
}

/// The numbers of the figure: what was measured at each number of features, from both seeds, and which was chosen.
struct Saturates {
    study: Vec<[Saturation; 2]>,
    place: usize,
}

/// One of the numbers that were measured.
type Number = fn(&Saturation) -> f64;

impl Steps for Saturates {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let [first, second] = SCALE_SEEDS.map(saturation_table);
        let study = first.into_iter().zip(second).map(|(first, second)| [first, second]).collect();
        Ok(Saturates { study, place: settings.chosen("d") })
    }

    fn describe(&self, _: &Scene) -> Description {
        const NUMBERS: [(&str, &str, Number); 8] = [
            ("largest", "largest weight", |it| it.unscaled.largest_weight),
            ("lowest", "gradient, lowest tenth", |it| it.unscaled.gradient.lowest),
            ("median", "gradient, median", |it| it.unscaled.gradient.median),
            ("highest", "gradient, highest tenth", |it| it.unscaled.gradient.highest),
            ("largest-divided", "largest weight, divided", |it| it.scaled.largest_weight),
            ("lowest-divided", "lowest tenth, divided", |it| it.scaled.gradient.lowest),
            ("median-divided", "median, divided", |it| it.scaled.gradient.median),
            ("highest-divided", "highest tenth, divided", |it| it.scaled.gradient.highest),
        ];
        let cells = |both: [Saturation; 2]| {
            NUMBERS.map(|(_, _, number)| agreed([number(&both[0]), number(&both[1])]))
        };
        let table = Table::new("d", NUMBERS.map(|(_, column, _)| column))
            .rows(self.study.iter().map(|both| (both[0].d.to_string(), cells(*both))));

        let both = self.study[self.place];
        let Saturation { d, unscaled, scaled } = both[0];
        let mut findings = Findings::new().count("d", d);
        for ((name, _, _), cell) in NUMBERS.into_iter().zip(cells(both)) {
            findings = findings.cell(name, cell);
        }
        let findings = findings
            .share("decided", unscaled.decided)
            .share("decided-divided", scaled.decided)
            .number("even", (SCALE_KEYS as f64).recip(), 2)
            .count("keys", SCALE_KEYS)
            .count("trials", SCALE_DRAWS);

        let says = |when: &str, [largest, lowest, median, highest]: &[Cell; 4]| {
            format!(
                "{when}, the largest of {SCALE_KEYS} weights is {largest} on average, and the gradient at the query has \
                 a length of {median} in the median; a tenth is below {lowest}, and a tenth above {highest}."
            )
        };
        let [largest, lowest, median, highest, divided @ ..] = cells(both);
        let without = format!("With {d} features and no division");
        let sentences =
            vec![says(&without, &[largest, lowest, median, highest]), says("With the division", &divided)];
        Description { table, findings, sentences }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(330.0, 650.0));
        let features = |across| Axis::log(1.0..SCALE_FEATURES[SCALE_FEATURES.len() - 1] as f64, across);
        let weight = Chart {
            x: features(size.pick(34.0..320.0, 34.0..322.0)),
            y: Axis::linear(0.0..1.0, 280.0..46.0),
        };
        weight.left(&mut canvas, &[0.0, 0.5, 1.0], 1, "largest of seven weights");
        self.draw(&mut canvas, &weight, |found| found.largest_weight, None);

        let down = size.pick(0.0, 322.0);
        let gradient = Chart {
            x: features(size.pick(396.0..660.0, 44.0..322.0)),
            y: Axis::log(1e-8..10.0, 280.0 + down..46.0 + down),
        };
        for (tick, written) in [(1e-8, "10⁻⁸"), (1e-6, "10⁻⁶"), (1e-4, "10⁻⁴"), (1e-2, "10⁻²"), (1.0, "1")]
        {
            gradient.left_tick(&mut canvas, tick, written);
        }
        gradient.left(&mut canvas, &[], 0, "gradient at the query");
        for (part, role) in [(CURVES[0].0, Role::Warn), (CURVES[1].0, Role::Ink)] {
            let band = |both: &[Saturation; 2]| {
                let tenths = part(&both[0]).gradient;
                (both[0].d as f64, tenths.lowest, tenths.highest)
            };
            gradient.band(&mut canvas, &self.study.iter().map(band).collect::<Vec<_>>(), role, 0.2);
        }
        // Left of the wide band there is room below the narrow one.
        self.draw(&mut canvas, &gradient, |found| found.gradient.median, Some(gradient.at(1.0, 3e-3)));
        canvas
    }
}

/// What was found without the division, and with it.
type Part = fn(&Saturation) -> Saturated;

const CURVES: [(Part, Stroke, &str); 2] = [
    (|it| it.unscaled, Stroke::new(Role::Warn, 2.6), "not divided"),
    (|it| it.scaled, Stroke::new(Role::Ink, 2.6).dashed(), "divided by √d"),
];

impl Saturates {
    /// A number of the study against the number of features, without the division and with it.
    /// The second curve's label stands at `aside`, or at the curve's end.
    fn draw(&self, canvas: &mut Canvas, chart: &Chart, number: fn(&Saturated) -> f64, aside: Option<Place>) {
        chart.bottom(canvas, &[1.0, 4.0, 16.0, 64.0, 256.0], 0, "features d");
        for (part, stroke, label) in CURVES {
            let places = self.study.iter().map(|both| (both[0].d as f64, number(&part(&both[0]))));
            chart.curve(canvas, places.clone(), stroke);
            for (d, value) in places.clone() {
                canvas.disc(chart.at(d, value), 3.5, stroke.role, 1.0);
            }
            let places: Vec<_> = places.collect();
            let (d, value) = places[self.place];
            canvas.ring(chart.at(d, value), 8.0, Stroke::new(Role::Line, 1.8));
            // Below the curve's end there is room.
            let (d, value) = places[places.len() - 1];
            let [x, y] = chart.at(d, value);
            match aside {
                Some(at) if stroke.dashed => canvas.text(label, at, Text::START.role(stroke.role).bold()),
                _ => canvas.text(label, [x, y + 26.0], Text::END.role(stroke.role).bold()),
            }
        }
    }
}
