//! `grown`: the model that was trained, at work: its four heads, and what it predicts.

use std::sync::LazyLock;

use attention::study::{Metrics, Repeat, Repeats, induction_score, previous_token_score};
use attention::trained::TrainingLog;
use attention::{AttentionOnly, AttentionOnlyRun, shift};
use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::parts::heatmap::scale;
use crate::parts::repeat_strip::{Strip, letter, tiles};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "grown",
    title: "The grown model at work",
    caption: "Nobody built these heads: they were trained. The model runs here, over 24 letters that begin again and again. \
              Each square is a head's weights: a row is the letter that asks, a column the one it looks at, brighter is \
              more, hatched is masked; the letter beside the square stands where the sequence begins again. Under it is how \
              much of its weight the head gives, on average, to the letter one back (layer 0, in the first period), or to \
              what followed this letter earlier (layer 1, on the repeats; in the rows above them there is nothing to match yet). Below, each prediction beside the letter that comes next: a tick if it is right, a \
              cross if not, and a dash instead of a letter where none is ahead of all others; in the first period there is little to go by. Switch heads off and find out which of them matter.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// The layers and heads of the model, and the switch of each.
const HEADS: [(usize, usize, &str); 4] =
    [(0, 0, "head-0-0"), (0, 1, "head-0-1"), (1, 0, "head-1-0"), (1, 1, "head-1-1")];

/// A layer and a head in it, both counted from 0.
type LayerAndHead = (usize, usize);

/// On how large a share of the repeats in [`Repeats::evaluation`] the model is right without some of its heads, to
/// four digits. It takes too long to be measured for each picture; a test does it again.
const WITHOUT: [(&[LayerAndHead], &str, f64); 6] = [
    (&[], "accuracy", 0.9987),
    (&[(0, 0)], "without-0-0", 0.1669),
    (&[(0, 1)], "without-0-1", 0.9951),
    (&[(1, 0)], "without-1-0", 0.5668),
    (&[(1, 1)], "without-1-1", 0.5526),
    (&[(1, 0), (1, 1)], "without-layer-1", 0.0378),
];

/// The scores of the circuit built by hand on the same sequences, likewise: of its first head, then of its second.
const BUILT: [(&str, f64); 4] = [
    ("built-previous-0", 1.0),
    ("built-previous-1", 0.2144),
    ("built-induction-0", 0.0),
    ("built-induction-1", 0.9999),
];

/// The model does not depend on what the reader chooses, so it is read once.
static MODEL: LazyLock<AttentionOnly> = LazyLock::new(AttentionOnly::trained);

/// What was measured of it on the sequences of [`Repeats::evaluation`]: the log's last row.
static MEASURED: LazyLock<Metrics> =
    LazyLock::new(|| TrainingLog::two_layers().rows.pop().map(|(_, growth)| growth).expect("a log has rows"));

fn controls(_: &Scene) -> Vec<Control> {
    let switch = |name, label| Control { name, label, kind: Kind::Toggle { default: true } };
    let (least, most) = (*Repeats::PERIODS.start() as f64, *Repeats::PERIODS.end() as f64);
    vec![
        Control {
            name: "period",
            label: "Length of the period L",
            kind: Kind::Slider { min: least, max: most, step: 1.0, default: 8.0 },
        },
        Control {
            name: "letters",
            label: "Draw of the letters",
            kind: Kind::Slider { min: 1.0, max: 9.0, step: 1.0, default: 1.0 },
        },
        switch(HEADS[0].2, "Layer 0, head 0"),
        switch(HEADS[1].2, "Layer 0, head 1"),
        switch(HEADS[2].2, "Layer 1, head 0"),
        switch(HEADS[3].2, "Layer 1, head 1"),
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

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let period = settings.number("period").round() as usize;
    let repeat = drawn(period, settings.number("letters").round() as u64);
    let off: Vec<LayerAndHead> = HEADS
        .iter()
        .filter(|(_, _, switch)| !settings.is_on(switch))
        .map(|&(layer, head, _)| (layer, head))
        .collect();
    let (inputs, targets) = shift(&repeat.symbols); // [T], [T]
    let run = without(&off)?.run(inputs)?;
    let strip = Strip { repeat: &repeat, predictions: &run.predictions };
    let (right, known) = (strip.right(), repeat.repeated().len());

    let weight = |(layer, head, _): (usize, usize, &str), i: usize| {
        let weights = &run.weights[layer][head]; // [T, T]
        let places: Vec<usize> = match layer {
            0 => i.checked_sub(1).into_iter().collect(),
            _ => repeat.followers(i).collect(),
        };
        match places[..] {
            [] => Cell::words("none"),
            _ => Cell::number(places.iter().map(|&j| weights[[i, j]]).sum(), 3),
        }
    };
    let table = Table {
        corner: "position".into(),
        columns: [
            "letter",
            "0.0, one back",
            "0.1, one back",
            "1.0, what followed",
            "1.1, what followed",
            "predicts",
            "next letter",
            "right",
        ]
        .map(String::from)
        .to_vec(),
        rows: (0..inputs.len())
            .map(|i| {
                let predicted = run.predictions[i];
                let mut cells = vec![Cell::token(letter(inputs[i]))];
                cells.extend(HEADS.map(|head| weight(head, i)));
                cells.extend([
                    predicted.map_or(Cell::words("none"), |symbol| Cell::token(letter(symbol))),
                    Cell::token(letter(targets[i])),
                    Cell::words(if strip.is_right(i) { "yes" } else { "no" }),
                ]);
                Row { name: (i + 1).to_string(), cells }
            })
            .collect(),
    };
    let letters: Vec<String> = inputs[..period].iter().map(|&symbol| letter(symbol)).collect();
    let fact = |name, cell| Fact { name, cell };
    let count = |name, value: usize| fact(name, Cell::count(value as u64));
    let score = |name, value| fact(name, Cell::number(value, 2));
    let here = |layer, head| own_score(&run, &repeat, layer, head);
    let mut facts = vec![
        count("period", period),
        fact("letters", Cell::words(letters.join(" "))),
        count("positions", inputs.len()),
        count("right", right),
        count("known", known),
        fact("share", Cell::share(right as f64 / known as f64)),
        score("one-back-0-0", here(0, 0)),
        score("one-back-0-1", here(0, 1)),
        score("followed-1-0", here(1, 0)),
        score("followed-1-1", here(1, 1)),
        count("evaluated", Repeats::EVALUATED),
        fact("chance", Cell::number(1.0 / Repeats::ALPHABET as f64, 3)),
    ];
    facts.extend(WITHOUT.map(|(_, name, accuracy)| fact(name, Cell::number(accuracy, 3))));
    let scores = &MEASURED;
    facts.extend([
        score("score-previous-0-0", scores.previous[0][0]),
        score("score-previous-0-1", scores.previous[0][1]),
        score("score-previous-1-0", scores.previous[1][0]),
        score("score-previous-1-1", scores.previous[1][1]),
        score("score-induction-0-0", scores.induction[0][0]),
        score("score-induction-0-1", scores.induction[0][1]),
        score("score-induction-1-0", scores.induction[1][0]),
        score("score-induction-1-1", scores.induction[1][1]),
    ]);
    facts.extend(BUILT.map(|(name, value)| score(name, value)));
    facts.push(count("parameters", MODEL.parameters()));

    let names: Vec<String> = off.iter().map(|(layer, head)| format!("{layer}.{head}")).collect();
    let state = match names.len() {
        0 => "All heads on".to_owned(),
        1 => format!("Head {} off", names[0]),
        _ => format!("Heads {} off", names.join(", ")),
    };
    let mut sentences = vec![
        format!("{} letters, and after each {period} the same again: {}.", inputs.len(), letters.join(" ")),
        format!(
            "{state}: on the repeats {right} of {known} predictions are right; guessing among {} letters would get {}.",
            Repeats::ALPHABET,
            Cell::share(1.0 / Repeats::ALPHABET as f64)
        ),
        format!(
            "In the first period head 0.0 gives {} of its weight to the letter one back, and 0.1 gives {}; on the repeats \
             1.0 gives {} to what followed before, and 1.1 gives {}.",
            Cell::number(here(0, 0), 2),
            Cell::number(here(0, 1), 2),
            Cell::number(here(1, 0), 2),
            Cell::number(here(1, 1), 2)
        ),
    ];
    if let Some((_, _, accuracy)) = WITHOUT.iter().find(|(heads, ..)| *heads == off) {
        sentences.push(format!(
            "Over {} other sequences, a share of {} are right.",
            Repeats::EVALUATED,
            Cell::number(*accuracy, 3)
        ));
    }
    Ok(Sketch { canvas: picture(size, &strip, &run, &off), table, facts, sentences })
}

/// The score that a head of this layer can be expected to have: the previous-token score in layer 0, and the induction
/// score above it.
fn own_score(run: &AttentionOnlyRun, repeat: &Repeat, layer: usize, head: usize) -> f64 {
    let weights = &run.weights[layer][head]; // [T, T]
    match layer {
        0 => previous_token_score(weights, repeat),
        _ => induction_score(weights, repeat),
    }
}

/// The width of a head's square.
const SIDE: f64 = 150.0;

/// The height of a head's square with what is written above and below it.
const RISE: f64 = 222.0;

fn picture(size: Size, strip: &Strip, run: &AttentionOnlyRun, off: &[LayerAndHead]) -> Canvas {
    let in_line = size.pick(4, 2);
    let end = 36.0 + RISE * size.pick(1.0, 2.0);
    let per_line = size.pick(run.predictions.len(), run.predictions.len() / 2);
    let lines = run.predictions.len().div_ceil(per_line);
    let below = end + 12.0 + 112.0 * lines as f64;
    let mut canvas = Canvas::new(size, below + 34.0);
    canvas.text("query: who asks", [2.0, 12.0], Text::START.role(Role::Query).bold());
    canvas.text("key: who is looked at", [size.width() - 2.0, 12.0], Text::END.role(Role::Key).bold());
    for (place, (layer, head, switch)) in HEADS.into_iter().enumerate() {
        let left = 20.0 + size.pick(168.0, 170.0) * (place % in_line) as f64;
        let top = 36.0 + RISE * (place / in_line) as f64;
        let on = !off.contains(&(layer, head));
        let written = ["one back", "what followed"][layer.min(1)];
        let score = Cell::number(own_score(run, strip.repeat, layer, head), 2);
        let name = format!("layer {layer}, head {head}");
        canvas.group(&[("data-set", &format!("{switch}={}", if on { "off" } else { "on" }))], |canvas| {
            heat_map(canvas, [left, top], &name, on, strip.repeat, &run.weights[layer][head]);
            canvas.text(&format!("{written} {score}"), [left, top + SIDE + 48.0], Text::START);
            canvas.bar([left, top - 10.0], [left + SIDE, top + RISE - 10.0], Role::Line, HIT);
        });
    }
    for line in 0..lines {
        let top = end + 8.0 + 112.0 * line as f64;
        strip.draw(&mut canvas, [size.pick(80.0, 66.0), top], line * per_line, per_line);
    }
    scale(&mut canvas, [size.pick(80.0, 66.0), below], 150.0, true);
    canvas
}

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
