//! `grown`: the model that was trained, at work: its four heads, and what it predicts.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (grown, scene) = (figure("grown")?, Scene::default());
//! let number = |drawing: &figures::Drawing, name| drawing.fact(name).unwrap().value().unwrap();
//! let drawing = grown.draw(&scene, &Params::new(), Size::Wide)?;
//! assert!(number(&drawing, "share") > 0.9);
//! // One head of layer 0 looks one letter back, the other does not; those of layer 1 at what followed earlier.
//! assert!(number(&drawing, "one-back-0-0") > 0.5 && number(&drawing, "one-back-0-1") < 0.5);
//! assert!(number(&drawing, "followed-1-0") > 0.5 && number(&drawing, "followed-1-1") > 0.5);
//!
//! // Which of them matter? Without one of layer 0 hardly anything is predicted; nothing is lost without the other.
//! let without = |head| grown.draw(&scene, &params([(head, "off")]), Size::Wide);
//! assert!(number(&without("head-0-0")?, "share") < 0.5);
//! assert_eq!(without("head-0-1")?.fact("share")?, drawing.fact("share")?);
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::study::{Metrics, Repeat, Repeats, induction_score, previous_token_score};
use attention::trained::TrainingLog;
use attention::{AttentionOnly, AttentionOnlyRun, shift};
use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Text};
use crate::colour::Role;
use crate::control::{Control, Settings, Value};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{fixed, share};
use crate::parts::heatmap::scale;
use crate::parts::repeat_strip::{Strip, asks_and_is_looked_at, letter, period_letters, tiles};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "grown",
    title: "The grown model at work",
    caption: "Nobody built these heads: they were trained. The model runs here, over 24 letters that begin again and \
              again. Each square is a head's weights: a row is the letter that asks, a column the one it looks at, \
              brighter is more, hatched is masked; the letter beside the square stands where the sequence begins \
              again. Under it is how much of its weight the head gives, on average, to the letter one back (layer 0, \
              in the first period), or to what followed this letter earlier (layer 1, on the repeats; in the rows \
              above them there is nothing to match yet). Below, each prediction beside the letter that comes next: a \
              tick if it is right, a cross if not, and a dash instead of a letter where none is ahead of all others; \
              in the first period there is little to go by. Switch heads off and find out which of them matter.",
    controls,
    draw: draw::<Grown>,
};

/// The layers and heads of the model, and the switch of each.
const HEADS: [(usize, usize, &str); 4] =
    [(0, 0, "head-0-0"), (0, 1, "head-0-1"), (1, 0, "head-1-0"), (1, 1, "head-1-1")];

/// A layer and a head in it, both counted from 0.
type LayerAndHead = (usize, usize);

/// On how large a share of the repeats in [`Repeats::evaluation`] the model is right without some of its heads, their
/// output set to 0, to four digits. It takes too long to be measured for each picture; a test does it again.
const WITHOUT: [(&[LayerAndHead], &str, f64); 6] = [
    (&[], "accuracy", 0.9987),
    (&[(0, 0)], "without-0-0", 0.1669),
    (&[(0, 1)], "without-0-1", 0.9951),
    (&[(1, 0)], "without-1-0", 0.5668),
    (&[(1, 1)], "without-1-1", 0.5526),
    (&[(1, 0), (1, 1)], "without-layer-1", 0.0378),
];

/// The same, with their output set to its mean.
const MEAN: [(&str, f64); 5] = [
    ("mean-0-0", 0.1564),
    ("mean-0-1", 0.9952),
    ("mean-1-0", 0.5724),
    ("mean-1-1", 0.5560),
    ("mean-layer-1", 0.0364),
];

/// The scores of the circuit built by hand on the same sequences, likewise: of its first head, then of its second.
const BUILT: [(&str, f64); 4] = [
    ("built-previous-0", 1.0),
    ("built-previous-1", 0.2144),
    ("built-induction-0", 0.0),
    ("built-induction-1", 0.9999),
];

/// How often guessing among all letters is right.
const CHANCE: f64 = 1.0 / Repeats::ALPHABET as f64;

/// The model does not depend on what the reader chooses, so it is read once.
static MODEL: LazyLock<AttentionOnly> = LazyLock::new(AttentionOnly::trained);

/// What was measured of it on the sequences of [`Repeats::evaluation`]: the log's last row.
static MEASURED: LazyLock<Metrics> =
    LazyLock::new(|| TrainingLog::two_layers().rows.pop().map(|(_, growth)| growth).expect("a log has rows"));

fn controls(_: &Scene) -> Vec<Control> {
    let periods = [*Repeats::PERIODS.start() as f64, *Repeats::PERIODS.end() as f64];
    let [first, second, third, fourth] = HEADS.map(|(_, _, switch)| switch);
    vec![
        Control::slider("period", "Length of the period L", periods, 1.0, 8.0),
        Control::slider("letters", "Draw of the letters", [1.0, 9.0], 1.0, 1.0),
        Control::toggle(first, "Layer 0, head 0", true),
        Control::toggle(second, "Layer 0, head 1", true),
        Control::toggle(third, "Layer 1, head 0", true),
        Control::toggle(fourth, "Layer 1, head 1", true),
    ]
}

/// The first sequence of this period in the stream of this seed.
fn drawn(period: usize, seed: u64) -> Repeat {
    Repeats::seeded(seed).find(|it| it.period == period).expect("the stream is endless")
}

/// The model without these heads.
fn without(off: &[LayerAndHead]) -> Result<AttentionOnly> {
    let switched = |model: AttentionOnly, &(layer, head): &LayerAndHead| model.without(layer, head);
    Ok(off.iter().try_fold(MODEL.clone(), switched)?)
}

/// The numbers of the figure: the model's run over letters that repeat.
struct Grown {
    repeat: Repeat,
    /// The heads that are switched off.
    off: Vec<LayerAndHead>,
    run: AttentionOnlyRun,
}

impl Steps for Grown {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let period = settings.number("period").round() as usize;
        let repeat = drawn(period, settings.number("letters").round() as u64);
        let is_off = |(_, _, switch): &(usize, usize, &str)| !settings.is_on(switch);
        let off: Vec<LayerAndHead> =
            HEADS.into_iter().filter(is_off).map(|(layer, head, _)| (layer, head)).collect();
        let run = without(&off)?.run(shift(&repeat.symbols).0)?;
        Ok(Grown { repeat, off, run })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns = [
            "letter",
            "0.0, one back",
            "0.1, one back",
            "1.0, what followed",
            "1.1, what followed",
            "predicts",
            "next letter",
            "right",
        ];
        let strip = self.strip();
        let table = Table::new("position", columns).rows((0..self.run.predictions.len()).map(|i| {
            let asks = Cell::token(letter(self.repeat.symbols[i]));
            let weights = HEADS.map(|(layer, head, _)| self.weight(layer, head, i));
            let cells: Vec<Cell> = [asks].into_iter().chain(weights).chain(strip.cells(i)).collect();
            (i.to_string(), cells)
        }));
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let end = 36.0 + RISE * size.pick(1.0, 2.0);
        let positions = self.run.predictions.len();
        let per_line = size.pick(positions, positions / 2);
        let lines = positions.div_ceil(per_line);
        let below = end + 12.0 + 112.0 * lines as f64;
        let mut canvas = Canvas::new(size, below + 34.0);
        asks_and_is_looked_at(&mut canvas);
        for place in 0..HEADS.len() {
            let in_line = size.pick(4, 2);
            let left = 20.0 + size.pick(168.0, 170.0) * (place % in_line) as f64;
            let top = 36.0 + RISE * (place / in_line) as f64;
            self.head(&mut canvas, [left, top], place);
        }
        let left = size.pick(80.0, 66.0);
        for line in 0..lines {
            let top = end + 8.0 + 112.0 * line as f64;
            self.strip().draw(&mut canvas, [left, top], line * per_line, per_line);
        }
        scale(&mut canvas, [left, below], 150.0, true);
        canvas
    }
}

impl Grown {
    fn strip(&self) -> Strip<'_> {
        Strip { repeat: &self.repeat, predictions: &self.run.predictions }
    }

    /// The score that a head of this layer can be expected to have: the previous-token score in layer 0, and the
    /// induction score above it.
    fn score(&self, layer: usize, head: usize) -> f64 {
        let weights = &self.run.weights[layer][head]; // [T, T]
        match layer {
            0 => previous_token_score(weights, &self.repeat),
            _ => induction_score(weights, &self.repeat),
        }
    }

    /// The weight, at one position, that this score is a mean of: none where there is nothing to look at.
    fn weight(&self, layer: usize, head: usize, i: usize) -> Cell {
        let weights = &self.run.weights[layer][head]; // [T, T]
        let places: Vec<usize> = match layer {
            0 => i.checked_sub(1).into_iter().collect(),
            _ => self.repeat.followers(i).collect(),
        };
        match places[..] {
            [] => Cell::words("none"),
            _ => Cell::number(places.iter().map(|&j| weights[[i, j]]).sum(), 3),
        }
    }

    fn findings(&self) -> Findings {
        let (right, known) = (self.strip().right(), self.repeat.repeated().len());
        let findings = Findings::new()
            .count("period", self.repeat.period)
            .words("letters", period_letters(&self.repeat))
            .count("positions", self.run.predictions.len())
            .count("right", right)
            .count("known", known)
            .share("share", right as f64 / known as f64)
            .number("one-back-0-0", self.score(0, 0), 2)
            .number("one-back-0-1", self.score(0, 1), 2)
            .number("followed-1-0", self.score(1, 0), 2)
            .number("followed-1-1", self.score(1, 1), 2)
            .count("evaluated", Repeats::EVALUATED)
            .number("chance", CHANCE, 3);
        let accuracies = WITHOUT.into_iter().map(|(_, name, accuracy)| (name, accuracy)).chain(MEAN);
        let findings = accuracies.fold(findings, |all, (name, accuracy)| all.number(name, accuracy, 3));
        let Metrics { previous, induction, .. } = &*MEASURED;
        let findings = findings
            .number("score-previous-0-0", previous[0][0], 2)
            .number("score-previous-0-1", previous[0][1], 2)
            .number("score-previous-1-0", previous[1][0], 2)
            .number("score-previous-1-1", previous[1][1], 2)
            .number("score-induction-0-0", induction[0][0], 2)
            .number("score-induction-0-1", induction[0][1], 2)
            .number("score-induction-1-0", induction[1][0], 2)
            .number("score-induction-1-1", induction[1][1], 2);
        let findings = BUILT.into_iter().fold(findings, |all, (name, score)| all.number(name, score, 2));
        findings.count("parameters", MODEL.parameters())
    }

    fn sentences(&self) -> Vec<String> {
        let (positions, period) = (self.run.predictions.len(), self.repeat.period);
        let (letters, alphabet, chance) = (period_letters(&self.repeat), Repeats::ALPHABET, share(CHANCE));
        let (right, known) = (self.strip().right(), self.repeat.repeated().len());
        let names: Vec<String> = self.off.iter().map(|(layer, head)| format!("{layer}.{head}")).collect();
        let state = match &names[..] {
            [] => "All heads on".to_owned(),
            [name] => format!("Head {name} off"),
            names => format!("Heads {} off", names.join(", ")),
        };
        let [first, second, third, fourth] = HEADS.map(|(layer, head, _)| fixed(self.score(layer, head), 2));
        let mut sentences = vec![
            format!("{positions} letters, and after each {period} the same again: {letters}."),
            format!(
                "{state}: on the repeats {right} of {known} predictions are right; guessing among {alphabet} letters \
                 would get {chance}."
            ),
            format!(
                "In the first period head 0.0 gives {first} of its weight to the letter one back, and 0.1 gives \
                 {second}; on the repeats 1.0 gives {third} to what followed before, and 1.1 gives {fourth}."
            ),
        ];
        if let Some((_, _, accuracy)) = WITHOUT.iter().find(|(heads, ..)| *heads == self.off) {
            let (evaluated, accuracy) = (Repeats::EVALUATED, fixed(*accuracy, 3));
            sentences.push(format!("Over {evaluated} other sequences, a share of {accuracy} are right."));
        }
        sentences
    }

    /// One of [`HEADS`], to be switched, with its score, below and to the right of a corner.
    fn head(&self, canvas: &mut Canvas, [left, top]: Place, place: usize) {
        let (layer, head, switch) = HEADS[place];
        let on = !self.off.contains(&(layer, head));
        let score = fixed(self.score(layer, head), 2);
        let written = match layer {
            0 => format!("one back {score}"),
            _ => format!("what followed {score}"),
        };
        let name = format!("layer {layer}, head {head}");
        let choose = format!("{switch}={}", Value::Switch(!on));
        canvas.group(&[("data-set", &choose)], |canvas| {
            heat_map(canvas, [left, top], &name, on, &self.repeat, &self.run.weights[layer][head]);
            canvas.text(&written, [left, top + SIDE + 48.0], Text::START);
            canvas.bar([left, top - 10.0], [left + SIDE, top + RISE - 10.0], Role::Line, HIT);
        });
    }
}

/// The width of a head's square.
const SIDE: f64 = 150.0;

/// The height of a head's square with what is written above and below it.
const RISE: f64 = 222.0;

/// A head's weights as tiles, below and to the right of a corner, with its name.
fn heat_map(
    canvas: &mut Canvas,
    [left, top]: Place,
    name: &str,
    on: bool,
    repeat: &Repeat,
    weights: &Array2<f64>,
) {
    let (name, how) = if on {
        (name.to_owned(), Text::START)
    } else {
        (format!("{name}: off"), Text::START.role(Role::Warn))
    };
    canvas.text(&name, [left, top], how.bold());
    let top = top + 34.0;
    let tile = SIDE / weights.nrows() as f64;
    // For letters at each place the tiles are too small.
    for place in (0..weights.nrows()).step_by(repeat.period) {
        let (text, middle) = (letter(repeat.symbols[place]), tile * (place as f64 + 0.5));
        canvas.text(&text, [left + middle, top - 10.0], Text::CENTRE.role(Role::Key));
        canvas.text(&text, [left - 9.0, top + middle], Text::CENTRE.role(Role::Query));
    }
    tiles(canvas, [left, top], SIDE, weights);
}
