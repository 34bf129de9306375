//! `induction`: two heads, one on top of the other, continue a pattern seen once.

use attention::circuits::induction_circuit;
use attention::random::Normals;
use attention::study::Repeat;
use attention::{AttentionOnlyRun, shift};
use ndarray::Array2;

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::parts::heatmap::scale;
use crate::parts::repeat_strip::{Strip, letter, tiles};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "induction",
    title: "Two heads that continue what they saw once",
    caption: "L different letters, and then the same again. Two heads, one after the other, each with its weights as \
              tiles: a row is the letter that asks, a column the one it looks at, brighter is more, hatched is masked. \
              The first head looks one letter back and writes down what it sees; the second looks for the place where \
              its own letter was written down, L − 1 letters back, and predicts what stands there. Below, each \
              prediction beside the letter that comes next: a tick if it is right, a cross if not; no letter is predicted \
              where several have an equal claim. Switch one of the heads off, and the predictions fail.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// The letters that there are, A to Z.
const ALPHABET: usize = 26;

/// The longest repeat.
const LONGEST: f64 = 8.0;

fn controls(_: &Scene) -> Vec<Control> {
    vec![
        Control {
            name: "period",
            label: "Length of the repeat L",
            kind: Kind::Slider { min: 3.0, max: LONGEST, step: 1.0, default: 5.0 },
        },
        Control {
            name: "letters",
            label: "Draw of the letters",
            kind: Kind::Slider { min: 1.0, max: 9.0, step: 1.0, default: 1.0 },
        },
        Control { name: "first", label: "First head", kind: Kind::Toggle { default: true } },
        Control { name: "second", label: "Second head", kind: Kind::Toggle { default: true } },
    ]
}

/// `period` different letters, drawn at random, twice, and the first of them once more.
fn drawn(period: usize, seed: u64) -> Repeat {
    let order: Vec<f64> = Normals::seeded(seed).take(ALPHABET).collect();
    let mut alphabet: Vec<usize> = (0..ALPHABET).collect();
    alphabet.sort_by(|&a, &b| order[a].total_cmp(&order[b]));
    Repeat { symbols: (0..=2 * period).map(|place| alphabet[place % period]).collect(), period }
}

/// How many letters back the one stands that followed the last time.
fn offset(repeat: &Repeat) -> usize {
    repeat.period - 1
}

/// How many predictions in the repeat are right.
fn right(repeat: &Repeat, run: &AttentionOnlyRun) -> usize {
    Strip { repeat, predictions: &run.predictions }.right()
}

/// The mean weight, in the repeat, on the place where the second head is to look.
fn stripe(repeat: &Repeat, run: &AttentionOnlyRun) -> f64 {
    repeat.repeated().map(|i| run.weights[1][0][[i, i - offset(repeat)]]).sum::<f64>() / repeat.period as f64
}

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let period = settings.number("period").round() as usize;
    let (first, second) = (settings.is_on("first"), settings.is_on("second"));
    let repeat = drawn(period, settings.number("letters").round() as u64);
    let (inputs, targets) = shift(&repeat.symbols); // [T], [T]
    let positions = inputs.len();
    let circuit = induction_circuit(ALPHABET, positions)?;
    let (without_first, without_second) = (circuit.without(0, 0)?, circuit.without(1, 0)?);
    let [both, no_first, no_second] =
        [circuit.run(inputs)?, without_first.run(inputs)?, without_second.run(inputs)?];
    let shown = match (first, second) {
        (true, true) => both.clone(),
        (false, true) => no_first.clone(),
        (true, false) => no_second.clone(),
        (false, false) => without_first.without(1, 0)?.run(inputs)?,
    };
    let [first_weights, second_weights] = [0, 1].map(|layer| &shown.weights[layer][0]);

    let strip = Strip { repeat: &repeat, predictions: &shown.predictions };
    let before = |i: usize| i.checked_sub(1).map(|j| first_weights[[i, j]]);
    let far = |i: usize| i.checked_sub(offset(&repeat)).map(|j| second_weights[[i, j]]);
    let weight = |found: Option<f64>| found.map_or(Cell::words("none"), |weight| Cell::number(weight, 3));
    let table = Table {
        corner: "position".into(),
        columns: [
            "letter",
            "first head, one back",
            "second head, L − 1 back",
            "predicts",
            "next letter",
            "right",
        ]
        .map(String::from)
        .to_vec(),
        rows: (0..positions)
            .map(|i| Row {
                name: (i + 1).to_string(),
                cells: vec![
                    Cell::token(letter(inputs[i])),
                    weight(before(i)),
                    weight(far(i)),
                    shown.predictions[i].map_or(Cell::words("none"), |symbol| Cell::token(letter(symbol))),
                    Cell::token(letter(targets[i])),
                    Cell::words(if strip.is_right(i) { "yes" } else { "no" }),
                ],
            })
            .collect(),
    };
    let letters: Vec<String> = inputs[..period].iter().map(|symbol| letter(*symbol)).collect();
    let one_back = (1..positions).filter_map(before).sum::<f64>() / (positions - 1) as f64;
    let fact = |name, cell| Fact { name, cell };
    let share = |run: &AttentionOnlyRun| Cell::share(right(&repeat, run) as f64 / period as f64);
    let facts = vec![
        fact("period", Cell::count(period as u64)),
        fact("offset", Cell::count(offset(&repeat) as u64)),
        fact("letters", Cell::words(letters.join(" "))),
        fact("positions", Cell::count(positions as u64)),
        fact("right", Cell::count(strip.right() as u64)),
        fact("share", share(&shown)),
        fact("both", share(&both)),
        fact("without-first", share(&no_first)),
        fact("without-second", share(&no_second)),
        fact("chance", Cell::share(1.0 / ALPHABET as f64)),
        fact("alphabet", Cell::count(ALPHABET as u64)),
        fact("one-back", Cell::number(one_back, 3)),
        fact("stripe", Cell::number(stripe(&repeat, &shown), 3)),
        fact("stripe-both", Cell::number(stripe(&repeat, &both), 3)),
        fact("stripe-without-first", Cell::number(stripe(&repeat, &no_first), 2)),
    ];
    let state = match (first, second) {
        (true, true) => "Both heads on",
        (false, true) => "First head off",
        (true, false) => "Second head off",
        (false, false) => "Both heads off",
    };
    let mut sentences = vec![
        format!("The {period} letters {} come twice.", letters.join(" ")),
        format!(
            "{state}: in the repeat, {} of {period} predictions are right; guessing among {ALPHABET} letters would get {}.",
            strip.right(),
            Cell::share(1.0 / ALPHABET as f64)
        ),
        format!(
            "There the second head gives {} of its weight to the place L − 1 = {} back.",
            Cell::number(stripe(&repeat, &shown), 2),
            offset(&repeat)
        ),
    ];
    if !second {
        sentences
            .push("Nothing of it is added, so nothing speaks for any letter, and none is predicted.".into());
    }

    Ok(Sketch { canvas: picture(size, &strip, &shown, first, second), table, facts, sentences })
}

fn picture(size: Size, strip: &Strip, run: &AttentionOnlyRun, first: bool, second: bool) -> Canvas {
    let repeat = strip.repeat;
    let side = size.pick(296.0, 304.0);
    let map_height = side + 92.0;
    let maps = [[size.pick(30.0, 28.0), 34.0], size.pick([374.0, 34.0], [28.0, 34.0 + map_height])];
    let end = 34.0 + size.pick(map_height, 2.0 * map_height);
    let mut canvas = Canvas::new(size, end + 146.0);
    canvas.text("query: who asks", [2.0, 12.0], Text::START.role(Role::Query).bold());
    canvas.text("key: who is looked at", [size.width() - 2.0, 12.0], Text::END.role(Role::Key).bold());
    let offset = offset(repeat);
    let one = Stripe { offset: 1, from: 1, name: "one back".into() };
    heat_map(&mut canvas, maps[0], side, "first head", first, repeat, &run.weights[0][0], &one);
    let far = Stripe { offset, from: repeat.period, name: format!("L − 1 = {offset} back") };
    heat_map(&mut canvas, maps[1], side, "second head", second, repeat, &run.weights[1][0], &far);
    strip.draw(&mut canvas, [size.pick(80.0, 66.0), end + 8.0], 0, run.predictions.len());
    scale(&mut canvas, [size.pick(80.0, 66.0), end + 112.0], 150.0, true);
    canvas
}

/// A line of tiles below the diagonal: how far below, and from which position on.
struct Stripe {
    offset: usize,
    from: usize,
    name: String,
}

/// A head's weights as tiles, in a square of width `side` below and to the right of a corner.
#[allow(clippy::too_many_arguments)]
fn heat_map(
    canvas: &mut Canvas,
    [left, top]: Place,
    side: f64,
    name: &str,
    on: bool,
    repeat: &Repeat,
    weights: &Array2<f64>,
    stripe: &Stripe,
) {
    let positions = weights.nrows();
    let tile = side / positions as f64;
    let top = top + 34.0;
    let state = if on { name.to_owned() } else { format!("{name}, off: adds nothing") };
    let how = if on { Text::START.bold() } else { Text::START.role(Role::Warn).bold() };
    canvas.text(&state, [left, top - 32.0], how);
    let middle = |place: usize| tile * (place as f64 + 0.5);
    canvas.group(&[], |canvas| {
        for (place, &symbol) in repeat.symbols[..positions].iter().enumerate() {
            canvas.text(&letter(symbol), [left + middle(place), top - 12.0], Text::CENTRE.role(Role::Key));
            canvas.text(&letter(symbol), [left - 14.0, top + middle(place)], Text::CENTRE.role(Role::Query));
        }
    });
    canvas.group(&[], |canvas| tiles(canvas, [left, top], side, weights));
    // How far the stripe lies from the diagonal, measured under the last row.
    let found = (stripe.from..positions).map(|i| weights[[i, i - stripe.offset]]);
    let mean = found.sum::<f64>() / (positions - stripe.from) as f64;
    let last = positions - 1;
    let (diagonal, there, bottom) = (left + middle(last), left + middle(last - stripe.offset), top + side);
    canvas.group(&[], |canvas| {
        if mean > 0.5 {
            let stroke = Stroke::new(Role::Ink, 1.6);
            canvas.line([diagonal, bottom + 3.0], [diagonal, bottom + 13.0], stroke);
            canvas.arrow([diagonal, bottom + 8.0], [there, bottom + 8.0], stroke);
            let how = Text::END.bold();
            canvas.text(&stripe.name, [left + side, bottom + 24.0], how);
        } else {
            canvas.text("no stripe", [left + side, bottom + 24.0], Text::END.role(Role::Warn).bold());
        }
    });
}
