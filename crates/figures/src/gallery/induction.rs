//! `induction`: two heads, one on top of the other, continue a pattern seen once.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (induction, scene) = (figure("induction")?, Scene::default());
//! let drawing = induction.draw(&scene, &Params::new(), Size::Wide)?;
//! // The first head looks one letter back, the second L − 1 letters, and all predictions in the repeat are right.
//! for weight in ["one-back", "stripe"] {
//!     assert!(drawing.fact(weight)?.value().unwrap() > 0.99);
//! }
//! assert_eq!(drawing.fact("right")?, drawing.fact("period")?);
//!
//! // Switch one of the heads off, and the predictions fail. Without the second, none is made.
//! let without = |head| induction.draw(&scene, &params([(head, "off")]), Size::Wide);
//! assert!(without("first")?.fact("share")?.value().unwrap() < 0.5);
//! let without_second = without("second")?;
//! for row in &without_second.table.rows {
//!     assert_eq!(without_second.table.cell(&row.name, "predicts")?.to_string(), "none");
//! }
//! # Ok::<(), figures::Error>(())
//! ```

use attention::circuits::induction_circuit;
use attention::random::Normals;
use attention::study::Repeat;
use attention::{AttentionOnlyRun, shift};
use ndarray::Array2;

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{fixed, share};
use crate::parts::heatmap::scale;
use crate::parts::repeat_strip::{Strip, asks_and_is_looked_at, letter, period_letters, tiles};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "induction",
    title: "Two heads that continue what they saw once",
    caption: "L different letters, and then the same again. Two heads, one after the other, each with its weights as \
              tiles: a row is the letter that asks, a column the one it looks at, brighter is more, hatched is masked. \
              The first head looks one letter back and writes down what it sees; the second looks for the place where \
              its own letter was written down, L − 1 letters back, and predicts what stands there. Below, each \
              prediction beside the letter that comes next: a tick if it is right, a cross if not; no letter is \
              predicted where several have an equal claim. Switch one of the heads off, and the predictions fail.",
    controls,
    draw: draw::<Continued>,
};

/// The letters that there are, A to Z.
const ALPHABET: usize = 26;

/// How often guessing among them is right.
const CHANCE: f64 = 1.0 / ALPHABET as f64;

/// The longest repeat.
const LONGEST: f64 = 8.0;

fn controls(_: &Scene) -> Vec<Control> {
    vec![
        Control::slider("period", "Length of the repeat L", [3.0, LONGEST], 1.0, 5.0),
        Control::slider("letters", "Draw of the letters", [1.0, 9.0], 1.0, 1.0),
        Control::toggle("first", "First head", true),
        Control::toggle("second", "Second head", true),
    ]
}

/// `period` different letters, drawn at random, twice, and the first of them once more.
fn drawn(period: usize, seed: u64) -> Repeat {
    let order: Vec<f64> = Normals::seeded(seed).take(ALPHABET).collect();
    let mut alphabet: Vec<usize> = (0..ALPHABET).collect();
    alphabet.sort_by(|&a, &b| order[a].total_cmp(&order[b]));
    Repeat { symbols: (0..=2 * period).map(|place| alphabet[place % period]).collect(), period }
}

/// The numbers of the figure: the circuit's run over letters that repeat.
struct Continued {
    repeat: Repeat,
    first_on: bool,
    second_on: bool,
    /// With the heads that are on.
    shown: AttentionOnlyRun,
    both: AttentionOnlyRun,
    without_first: AttentionOnlyRun,
    without_second: AttentionOnlyRun,
}

impl Steps for Continued {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let (first_on, second_on) = (settings.is_on("first"), settings.is_on("second"));
        let period = settings.number("period").round() as usize;
        let repeat = drawn(period, settings.number("letters").round() as u64);
        let (inputs, _) = shift(&repeat.symbols); // [T]
        let circuit = induction_circuit(ALPHABET, inputs.len())?;
        let (no_first, no_second) = (circuit.without(0, 0)?, circuit.without(1, 0)?);
        let [both, without_first, without_second] =
            [circuit.run(inputs)?, no_first.run(inputs)?, no_second.run(inputs)?];
        let shown = match (first_on, second_on) {
            (true, true) => both.clone(),
            (false, true) => without_first.clone(),
            (true, false) => without_second.clone(),
            (false, false) => no_first.without(1, 0)?.run(inputs)?,
        };
        Ok(Continued { repeat, first_on, second_on, shown, both, without_first, without_second })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns =
            ["letter", "first head, one back", "second head, L − 1 back", "predicts", "next letter", "right"];
        let weight = |found: Option<f64>| found.map_or(Cell::words("none"), |weight| Cell::number(weight, 3));
        let strip = self.strip();
        let table = Table::new("position", columns).rows((0..self.positions()).map(|i| {
            let far = i.checked_sub(self.offset()).map(|j| second(&self.shown)[[i, j]]);
            let [predicts, next, right] = strip.cells(i);
            let asks = Cell::token(letter(self.repeat.symbols[i]));
            (i.to_string(), [asks, weight(self.one_back(i)), weight(far), predicts, next, right])
        }));
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let side = size.pick(296.0, 304.0);
        let map_height = side + 92.0;
        let maps = [[size.pick(30.0, 28.0), 34.0], size.pick([374.0, 34.0], [28.0, 34.0 + map_height])];
        let end = 34.0 + size.pick(map_height, 2.0 * map_height);
        let mut canvas = Canvas::new(size, end + 146.0);
        asks_and_is_looked_at(&mut canvas);
        for (head, corner) in self.heads().into_iter().zip(maps) {
            head.draw(&mut canvas, corner, side, &self.repeat);
        }
        let left = size.pick(80.0, 66.0);
        self.strip().draw(&mut canvas, [left, end + 8.0], 0, self.positions());
        scale(&mut canvas, [left, end + 112.0], 150.0, true);
        canvas
    }
}

impl Continued {
    fn positions(&self) -> usize {
        self.shown.predictions.len()
    }

    /// How many letters back the one stands that followed the last time.
    fn offset(&self) -> usize {
        self.repeat.period - 1
    }

    fn strip(&self) -> Strip<'_> {
        Strip { repeat: &self.repeat, predictions: &self.shown.predictions }
    }

    /// The first head's weight on the letter before.
    fn one_back(&self, i: usize) -> Option<f64> {
        i.checked_sub(1).map(|j| first(&self.shown)[[i, j]])
    }

    /// The share of right predictions in the repeat.
    fn right(&self, run: &AttentionOnlyRun) -> f64 {
        let strip = Strip { repeat: &self.repeat, predictions: &run.predictions };
        strip.right() as f64 / self.repeat.period as f64
    }

    /// The mean weight, in the repeat, on the place where the second head is to look.
    fn stripe(&self, run: &AttentionOnlyRun) -> f64 {
        let weights = self.repeat.repeated().map(|i| second(run)[[i, i - self.offset()]]);
        weights.sum::<f64>() / self.repeat.period as f64
    }

    fn findings(&self) -> Findings {
        let positions = self.positions();
        let one_back = (1..positions).filter_map(|i| self.one_back(i)).sum::<f64>();
        Findings::new()
            .count("period", self.repeat.period)
            .count("offset", self.offset())
            .words("letters", period_letters(&self.repeat))
            .count("positions", positions)
            .count("right", self.strip().right())
            .share("share", self.right(&self.shown))
            .share("both", self.right(&self.both))
            .share("without-first", self.right(&self.without_first))
            .share("without-second", self.right(&self.without_second))
            .share("chance", CHANCE)
            .count("alphabet", ALPHABET)
            .number("one-back", one_back / (positions - 1) as f64, 3)
            .number("stripe", self.stripe(&self.shown), 3)
            .number("stripe-both", self.stripe(&self.both), 3)
            .number("stripe-without-first", self.stripe(&self.without_first), 2)
    }

    fn sentences(&self) -> Vec<String> {
        let period = self.repeat.period;
        let (letters, right, chance) = (period_letters(&self.repeat), self.strip().right(), share(CHANCE));
        let (stripe, offset) = (fixed(self.stripe(&self.shown), 2), self.offset());
        let state = match (self.first_on, self.second_on) {
            (true, true) => "Both heads on",
            (false, true) => "First head off",
            (true, false) => "Second head off",
            (false, false) => "Both heads off",
        };
        let mut sentences = vec![
            format!("The {period} letters {letters} come twice."),
            format!(
                "{state}: in the repeat, {right} of {period} predictions are right; guessing among {ALPHABET} letters \
                 would get {chance}."
            ),
            format!("There the second head gives {stripe} of its weight to the place L − 1 = {offset} back."),
        ];
        if !self.second_on {
            let nothing = "Nothing of it is added, so nothing speaks for any letter, and none is predicted.";
            sentences.push(nothing.into());
        }
        sentences
    }

    /// The two heads, each with the stripe that is to be seen.
    fn heads(&self) -> [Head<'_>; 2] {
        let offset = self.offset();
        let first = Head {
            name: "first head",
            on: self.first_on,
            weights: first(&self.shown),
            stripe: Stripe { offset: 1, from: 1, name: "one back".into() },
        };
        let far = format!("L − 1 = {offset} back");
        let second = Head {
            name: "second head",
            on: self.second_on,
            weights: second(&self.shown),
            stripe: Stripe { offset, from: self.repeat.period, name: far },
        };
        [first, second]
    }
}

/// The first head's weights. `[T, T]`
fn first(run: &AttentionOnlyRun) -> &Array2<f64> {
    &run.weights[0][0]
}

/// The second head's weights. `[T, T]`
fn second(run: &AttentionOnlyRun) -> &Array2<f64> {
    &run.weights[1][0]
}

/// A head, as it is drawn.
struct Head<'a> {
    name: &'static str,
    on: bool,
    weights: &'a Array2<f64>, // [T, T]
    stripe: Stripe,
}

/// A line of tiles below the diagonal: how far below, and from which position on.
struct Stripe {
    offset: usize,
    from: usize,
    name: String,
}

impl Head<'_> {
    /// Its weights as tiles, in a square of width `side` below and to the right of a corner.
    fn draw(&self, canvas: &mut Canvas, [left, top]: Place, side: f64, repeat: &Repeat) {
        let positions = self.weights.nrows();
        let tile = side / positions as f64;
        let top = top + 34.0;
        let (state, how) = match self.on {
            true => (self.name.to_owned(), Text::START),
            false => (format!("{}, off: adds nothing", self.name), Text::START.role(Role::Warn)),
        };
        canvas.text(&state, [left, top - 32.0], how.bold());
        let middle = |place: usize| tile * (place as f64 + 0.5);
        canvas.group(&[], |canvas| {
            let (asks, is_looked_at) = (Text::CENTRE.role(Role::Query), Text::CENTRE.role(Role::Key));
            for (place, &symbol) in repeat.symbols[..positions].iter().enumerate() {
                canvas.text(&letter(symbol), [left + middle(place), top - 12.0], is_looked_at);
                canvas.text(&letter(symbol), [left - 14.0, top + middle(place)], asks);
            }
        });
        canvas.group(&[], |canvas| tiles(canvas, [left, top], side, self.weights));
        canvas.group(&[], |canvas| self.stripe(canvas, [left, top + side], side, tile));
    }

    /// How far the stripe lies from the diagonal, measured under the last row.
    fn stripe(&self, canvas: &mut Canvas, [left, bottom]: Place, side: f64, tile: f64) {
        let Stripe { offset, from, name } = &self.stripe;
        let positions = self.weights.nrows();
        let found = (*from..positions).map(|i| self.weights[[i, i - offset]]);
        let mean = found.sum::<f64>() / (positions - from) as f64;
        if mean > 0.5 {
            let last = positions - 1;
            let [diagonal, there] = [last, last - offset].map(|place| left + tile * (place as f64 + 0.5));
            let stroke = Stroke::new(Role::Ink, 1.6);
            canvas.line([diagonal, bottom + 3.0], [diagonal, bottom + 13.0], stroke);
            canvas.arrow([diagonal, bottom + 8.0], [there, bottom + 8.0], stroke);
            canvas.text(name, [left + side, bottom + 24.0], Text::END.bold());
        } else {
            canvas.text("no stripe", [left + side, bottom + 24.0], Text::END.role(Role::Warn).bold());
        }
    }
}
