//! `order`: the tokens change places; are attention's outputs the same, at their new places?
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (order, scene) = (figure("order")?, Scene::default());
//! // Without positions and without a mask, every row is found again at the other end of its line.
//! for new_order in ["reversed", "exchanged", "shifted"] {
//!     let drawing = order.draw(&scene, &params([("order", new_order)]), Size::Wide)?;
//!     assert_eq!(drawing.fact("shown")?.to_string(), "less than 10⁻⁹");
//! }
//!
//! // With positions, or with a mask, it is not.
//! for control in ["positions", "mask"] {
//!     let drawing = order.draw(&scene, &params([(control, "on")]), Size::Wide)?;
//!     assert!(drawing.fact("shown")?.value().unwrap() > 0.1);
//! }
//!
//! // All four cases stand below, whichever is shown.
//! let drawing = order.draw(&scene, &Params::new(), Size::Wide)?;
//! assert_eq!(drawing.fact("plain")?, drawing.fact("shown")?);
//! assert!(drawing.fact("both")?.value().unwrap() > 0.1);
//! # Ok::<(), figures::Error>(())
//! ```

use attention::{Mask, NormPlace, sinusoids};
use ndarray::{Array2, Axis};

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings, Value};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::{Labels, fit};
use crate::numbers::{fixed, is_rounding, rounding};
use crate::parts::untrained::{FEATURES, embedded, reach, untrained};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "order",
    title: "The tokens change places",
    caption: "Attention's outputs, a row for each token: on the left for the sentence as it is, on the right for the \
              same tokens in another order. A line leads from each token to its new place, and the number says how far \
              its two outputs differ (the length of the difference). Without positions and without a mask, every row \
              is found again at the other end of its line. Below, the furthest of all tokens in each of the four \
              cases. Tokens and matrices are those of the block in the first half of 7.4.",
    controls,
    draw: draw::<Reordered>,
};

/// A new order of the tokens.
#[derive(Clone, Copy)]
enum Order {
    Reversed,
    Exchanged,
    Shifted,
}

/// The orders, as the choice has them.
const ORDERS: [Order; 3] = [Order::Reversed, Order::Exchanged, Order::Shifted];

fn controls(scene: &Scene) -> Vec<Control> {
    let orders = ORDERS.map(|order| match order {
        Order::Reversed => ("reversed", "reversed".to_owned()),
        Order::Exchanged => {
            let [one, other] = neighbours(scene).map(|place| scene.label(place));
            ("exchanged", format!("“{one}” and “{other}” exchanged"))
        }
        Order::Shifted => ("shifted", "the last token first".to_owned()),
    });
    vec![
        Control::choice("order", "New order", orders, 0),
        Control::toggle("positions", "Add positions", false),
        Control::toggle("mask", "Causal mask", false),
    ]
}

/// The query token and the one before it, or after it if it is the first.
fn neighbours(scene: &Scene) -> [usize; 2] {
    let first = scene.query_place().saturating_sub(1);
    [first, first + 1]
}

impl Order {
    /// Which token, by its old place, stands at each new place.
    fn places(self, scene: &Scene) -> Vec<usize> {
        let mut places: Vec<usize> = (0..scene.tokens.len()).collect();
        match self {
            Order::Reversed => places.reverse(),
            Order::Exchanged => {
                let [one, other] = neighbours(scene);
                places.swap(one, other);
            }
            Order::Shifted => places.rotate_right(1),
        }
        places
    }
}

/// What tells attention where a token stands.
struct Case {
    positions: bool,
    masked: bool,
    /// The finding: how far an output then differs at most.
    finding: &'static str,
    /// Its name in the picture.
    name: &'static str,
    /// Its name in the sentence.
    with: &'static str,
}

/// All cases: positions count one, the mask counts two.
const CASES: [Case; 4] = [
    Case {
        positions: false,
        masked: false,
        finding: "plain",
        name: "neither",
        with: "Without positions and without a mask",
    },
    Case {
        positions: true,
        masked: false,
        finding: "positions",
        name: "positions",
        with: "With positions added",
    },
    Case {
        positions: false,
        masked: true,
        finding: "masked",
        name: "causal mask",
        with: "With the causal mask",
    },
    Case {
        positions: true,
        masked: true,
        finding: "both",
        name: "both",
        with: "With positions added and with the causal mask",
    },
];

/// The numbers of the figure: attention's outputs before and after the tokens have changed places.
struct Reordered {
    /// Which token, by its old place, stands at each new place.
    places: Vec<usize>, // [T]
    /// The case that is shown, by its place among [`CASES`].
    chosen: usize,
    /// What happens in each of the [`CASES`].
    outcomes: Vec<Outcome>,
}

/// Attention's outputs before and after, in one case.
struct Outcome {
    /// By old places.
    before: Array2<f64>, // [T, d]
    /// By new places.
    after: Array2<f64>, // [T, d]
    /// How far the output of each token has moved, by old places.
    moved: Vec<f64>, // [T]
    /// How far the output at each place has moved, whichever token stands there.
    moved_in_place: Vec<f64>, // [T]
}

impl Outcome {
    fn of(scene: &Scene, places: &[usize], case: &Case) -> Result<Self> {
        let mask = if case.masked { Mask::Causal } else { Mask::None };
        let attention = untrained(NormPlace::Pre)?.attention;
        let attend = |tokens: Array2<f64>| -> Result<Array2<f64>> {
            // Positions belong to places, not to tokens: they are added after the tokens have been put in order.
            let waves = sinusoids(tokens.nrows(), FEATURES)?; // [T, d]
            let x = if case.positions { tokens + waves } else { tokens }; // [T, d]
            Ok(attention.attend(&x, &mask)?.output)
        };
        let x = embedded(scene); // [T, d]
        let before = attend(x.clone())?; // [T, d]
        let after = attend(x.select(Axis(0), places))?; // [T, d]
        let distance = |old: usize, new: usize| {
            let change = &after.row(new) - &before.row(old); // [d]
            libm::sqrt(change.dot(&change))
        };
        let mut moved = vec![0.0; places.len()];
        for (new, &old) in places.iter().enumerate() {
            moved[old] = distance(old, new);
        }
        let moved_in_place = (0..places.len()).map(|place| distance(place, place)).collect();
        Ok(Outcome { before, after, moved, moved_in_place })
    }

    /// How far the output of a token has moved at most.
    fn furthest(&self) -> f64 {
        self.moved.iter().copied().fold(0.0, f64::max)
    }

    /// How far the output at a place has moved at most.
    fn furthest_in_place(&self) -> f64 {
        self.moved_in_place.iter().copied().fold(0.0, f64::max)
    }
}

impl Steps for Reordered {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let places = ORDERS[settings.chosen("order")].places(scene);
        let outcomes = CASES.iter().map(|case| Outcome::of(scene, &places, case)).collect::<Result<_>>()?;
        let chosen = usize::from(settings.is_on("positions")) + 2 * usize::from(settings.is_on("mask"));
        Ok(Reordered { places, chosen, outcomes })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let mut new_place = vec![0; self.places.len()];
        for (new, &old) in self.places.iter().enumerate() {
            new_place[old] = new;
        }
        let row = |(token, label): (usize, &str)| {
            let places = [token, new_place[token]].map(|place| Cell::count(place as u64));
            let moved = self.outcomes.iter().map(|outcome| Cell::number(outcome.moved[token], 3));
            (label.to_owned(), places.into_iter().chain(moved).collect::<Vec<_>>())
        };
        let cases = ["differs", "differs, positions", "differs, mask", "differs, both"];
        let table = Table::new("token", ["position", "new position"].into_iter().chain(cases))
            .rows(scene.labels().into_iter().enumerate().map(row));
        Description { table, findings: self.findings(scene), sentences: self.sentences() }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let tokens = self.places.len();
        let rise = (380.0 / tokens as f64).min(28.0);
        let top = 34.0;
        let cases_at = top + rise * tokens as f64 + 52.0;
        let mut canvas = Canvas::new(size, cases_at + size.pick(66.0, 122.0));
        self.outputs(&mut canvas, scene, top, rise);
        self.cases(&mut canvas, cases_at);
        canvas
    }
}

impl Reordered {
    fn shown(&self) -> &Outcome {
        &self.outcomes[self.chosen]
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let changed = self.places.iter().enumerate().filter(|(new, old)| new != *old).count();
        let cases = CASES.iter().zip(&self.outcomes);
        cases
            .fold(Findings::new(), |findings, (case, outcome)| {
                findings.cell(case.finding, rounding(outcome.furthest()))
            })
            .cell("shown", rounding(self.shown().furthest()))
            .number("in-place", self.outcomes[0].furthest_in_place(), 2)
            .count("changed-places", changed)
            .count("tokens", self.places.len())
            .token("first-before", scene.label(0))
            .token("first-after", scene.label(self.places[0]))
    }

    fn sentences(&self) -> Vec<String> {
        let with = CASES[self.chosen].with;
        let difference = rounding(self.shown().furthest());
        let in_place = fixed(self.shown().furthest_in_place(), 2);
        vec![
            match is_rounding(self.shown().furthest()) {
                true => format!(
                    "{with}, each token's output is the same after the tokens have changed places, at its new place: \
                     the difference is {difference}."
                ),
                false => format!("{with}, a token's two outputs differ by up to {difference}."),
            },
            format!(
                "Compared place by place, where another token stands now, outputs differ by up to {in_place}."
            ),
        ]
    }

    /// The outputs on both sides, from `top` on, each row of height `rise`, and who goes where.
    fn outputs(&self, canvas: &mut Canvas, scene: &Scene, top: f64, rise: f64) {
        let Outcome { before, after, .. } = self.shown();
        let size = canvas.size;
        let bottom = top + rise * self.places.len() as f64;
        let side = size.pick(22.0, 9.0);
        let width = side * FEATURES as f64;
        let left = size.pick(78.0, 64.0);
        let right = canvas.width() - size.pick(58.0, 44.0) - size.pick(72.0, 58.0) - width;
        let middle = |row: usize| top + rise * (row as f64 + 0.5);

        canvas.text("as it is", [left, 12.0], Text::START.bold());
        canvas.text("new order", [right, 12.0], Text::START.bold());
        canvas.text("differs", [canvas.width() - 2.0, 12.0], Text::END.role(Role::Muted));
        let numbers = before.iter().chain(after);
        let reach = reach(numbers.fold(0.0, |most: f64, c| most.max(c.abs())));
        canvas.group(&[], |canvas| {
            for (new, &old) in self.places.iter().enumerate() {
                tiles(canvas, [left, top + rise * old as f64], [side, rise], before.row(old).iter(), reach);
                tiles(canvas, [right, top + rise * new as f64], [side, rise], after.row(new).iter(), reach);
                let role = if new == old { Role::Line } else { Role::Ink };
                let stroke = Stroke::new(role, (rise / 14.0).clamp(0.4, 1.4));
                canvas.line([left + width + 4.0, middle(old)], [right - 4.0, middle(new)], stroke);
            }
        });
        // Names on both sides where there is room, and how far each token's output has moved.
        let labels = fit(&scene.labels(), size.pick(64.0, 58.5));
        let mut names = Labels::within([0.0, top - 6.0], [canvas.width(), bottom + 6.0]);
        canvas.group(&[], |canvas| {
            for (new, &old) in self.places.iter().enumerate() {
                let name = &labels[old];
                names.end(canvas, name, [left - 6.0, middle(old)], Text::END);
                let moved = self.shown().moved[old];
                let how = if is_rounding(moved) { Text::END } else { Text::END.role(Role::Output).bold() };
                names.end(canvas, &fixed(moved, 2), [canvas.width() - 2.0, middle(new)], how);
                let end = right + width + size.pick(64.0, 58.0);
                names.end(canvas, name, [end, middle(new)], Text::END);
            }
        });
        let ends = [-reach, reach].map(|end| fixed(end, 0));
        canvas.signed_scale([left, bottom + 12.0], width.max(110.0), [&ends[0], &ends[1]]);
    }

    /// The four cases, to be chosen, each with the furthest of all tokens.
    fn cases(&self, canvas: &mut Canvas, top: f64) {
        canvas.text("the most that an output differs:", [2.0, top + 10.0], Text::START);
        let columns = canvas.size.pick(4, 2);
        let step = canvas.width() / columns as f64;
        for (place, (case, outcome)) in CASES.iter().zip(&self.outcomes).enumerate() {
            let [x, y] = [step * (place % columns) as f64, top + 26.0 + 48.0 * (place / columns) as f64];
            let [positions, mask] = [case.positions, case.masked].map(Value::Switch);
            let choose = format!("positions={positions}&mask={mask}");
            let chosen = place == self.chosen;
            let furthest = outcome.furthest();
            canvas.group(&[("data-set", &choose)], |canvas| {
                canvas.bar([x, y], [x + step, y + 38.0], Role::Line, HIT);
                let how = Text::START.bold_if(chosen);
                canvas.text(case.name, [x + 12.0, y + 10.0], how);
                let role = if is_rounding(furthest) { Role::Ink } else { Role::Output };
                canvas.text(&fixed(furthest, 2), [x + 12.0, y + 29.0], how.role(role));
                if chosen {
                    canvas.line([x + 4.0, y + 2.0], [x + 4.0, y + 37.0], Stroke::new(Role::Ink, 3.0));
                }
            });
        }
    }
}

/// One token's output.
fn tiles<'a>(
    canvas: &mut Canvas,
    [left, top]: Place,
    [side, rise]: [f64; 2],
    output: impl Iterator<Item = &'a f64>,
    reach: f64,
) {
    let gap = if rise < 14.0 { 0.2 } else { 0.5 };
    for (feature, number) in output.enumerate() {
        let from = left + side * feature as f64;
        canvas.signed_tile(
            [from + gap, top + gap],
            [from + side - gap, top + rise - gap],
            number / reach,
            "",
        );
    }
}
