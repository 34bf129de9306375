//! `induction`: two heads, one on top of the other, continue a pattern seen once.

use attention::{InductionCircuit, InductionRun, Mask, Normals};
use ndarray::Array2;

use super::matrix::scale;
use super::{Figure, Sketch};
use crate::canvas::{Canvas, Place, Role, Size, Stroke, Text};
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
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
    draw,
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

/// A sequence that repeats once, and what is to be predicted at each of its positions.
struct Repeat {
    period: usize,
    letters: Vec<usize>,
    next: Vec<usize>,
}

impl Repeat {
    /// `period` different letters, drawn at random, twice.
    fn draw(period: usize, seed: u64) -> Self {
        let order: Vec<f64> = Normals::seeded(seed).take(ALPHABET).collect();
        let mut alphabet: Vec<usize> = (0..ALPHABET).collect();
        alphabet.sort_by(|&a, &b| order[a].total_cmp(&order[b]));
        let at = |place: usize| alphabet[place % period];
        let letters = (0..2 * period).map(at).collect();
        Repeat { period, letters, next: (1..=2 * period).map(at).collect() }
    }

    /// How many letters back the one stands that followed the last time.
    fn offset(&self) -> usize {
        self.period - 1
    }

    /// The positions in the repeat: only here can be known what comes next.
    fn repeated(&self) -> std::ops::Range<usize> {
        self.period..self.letters.len()
    }

    /// How many predictions in the repeat are right.
    fn right(&self, run: &InductionRun) -> usize {
        self.repeated().filter(|&i| self.is_right(run, i)).count()
    }

    fn is_right(&self, run: &InductionRun, position: usize) -> bool {
        run.predictions[position] == Some(self.next[position])
    }

    /// The mean weight, in the repeat, on the place where the second head is to look.
    fn stripe(&self, run: &InductionRun) -> f64 {
        self.repeated().map(|i| run.second[[i, i - self.offset()]]).sum::<f64>() / self.period as f64
    }
}

fn letter(symbol: usize) -> String {
    char::from(b'A' + symbol as u8).to_string()
}

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let period = settings.number("period").round() as usize;
    let (first, second) = (settings.is_on("first"), settings.is_on("second"));
    let repeat = Repeat::draw(period, settings.number("letters").round() as u64);
    let positions = repeat.letters.len();
    let circuit = InductionCircuit::new(ALPHABET, positions)?;
    let run = |first, second| circuit.run(&repeat.letters, first, second);
    let shown = run(first, second)?;
    let (both, no_first, no_second) = (run(true, true)?, run(false, true)?, run(true, false)?);

    let before = |i: usize| i.checked_sub(1).map(|j| shown.first[[i, j]]);
    let far = |i: usize| i.checked_sub(repeat.offset()).map(|j| shown.second[[i, j]]);
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
                    Cell::token(letter(repeat.letters[i])),
                    weight(before(i)),
                    weight(far(i)),
                    shown.predictions[i].map_or(Cell::words("none"), |symbol| Cell::token(letter(symbol))),
                    Cell::token(letter(repeat.next[i])),
                    Cell::words(if repeat.is_right(&shown, i) { "yes" } else { "no" }),
                ],
            })
            .collect(),
    };
    let letters: Vec<String> = repeat.letters[..period].iter().map(|symbol| letter(*symbol)).collect();
    let one_back = (1..positions).filter_map(before).sum::<f64>() / (positions - 1) as f64;
    let fact = |name, cell| Fact { name, cell };
    let share = |run: &InductionRun| Cell::share(repeat.right(run) as f64 / period as f64);
    let facts = vec![
        fact("period", Cell::count(period as u64)),
        fact("offset", Cell::count(repeat.offset() as u64)),
        fact("letters", Cell::words(letters.join(" "))),
        fact("positions", Cell::count(positions as u64)),
        fact("right", Cell::count(repeat.right(&shown) as u64)),
        fact("share", share(&shown)),
        fact("both", share(&both)),
        fact("without-first", share(&no_first)),
        fact("without-second", share(&no_second)),
        fact("chance", Cell::share(1.0 / ALPHABET as f64)),
        fact("alphabet", Cell::count(ALPHABET as u64)),
        fact("one-back", Cell::number(one_back, 3)),
        fact("stripe", Cell::number(repeat.stripe(&shown), 3)),
        fact("stripe-both", Cell::number(repeat.stripe(&both), 3)),
        fact("stripe-without-first", Cell::number(repeat.stripe(&no_first), 2)),
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
            repeat.right(&shown),
            Cell::share(1.0 / ALPHABET as f64)
        ),
        format!(
            "There the second head gives {} of its weight to the place L − 1 = {} back.",
            Cell::number(repeat.stripe(&shown), 2),
            repeat.offset()
        ),
    ];
    if !second {
        sentences
            .push("Nothing of it is added, so nothing speaks for any letter, and none is predicted.".into());
    }

    Ok(Sketch { canvas: picture(size, &repeat, &shown, first, second), table, facts, sentences })
}

fn picture(size: Size, repeat: &Repeat, run: &InductionRun, first: bool, second: bool) -> Canvas {
    let side = size.pick(296.0, 304.0);
    let map_height = side + 92.0;
    let maps = [[size.pick(30.0, 28.0), 34.0], size.pick([374.0, 34.0], [28.0, 34.0 + map_height])];
    let end = 34.0 + size.pick(map_height, 2.0 * map_height);
    let mut canvas = Canvas::new(size, end + 146.0);
    canvas.text("query: who asks", [2.0, 12.0], Text::START.role(Role::Query).bold());
    canvas.text("key: who is looked at", [size.width() - 2.0, 12.0], Text::END.role(Role::Key).bold());
    let offset = repeat.offset();
    let one = Stripe { offset: 1, from: 1, name: "one back".into() };
    heat_map(&mut canvas, maps[0], side, "first head", first, repeat, &run.first, &one);
    let far = Stripe { offset, from: repeat.period, name: format!("L − 1 = {offset} back") };
    heat_map(&mut canvas, maps[1], side, "second head", second, repeat, &run.second, &far);
    predictions(&mut canvas, [size.pick(80.0, 66.0), end + 8.0], repeat, run);
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
    let positions = repeat.letters.len();
    let tile = side / positions as f64;
    let top = top + 34.0;
    let state = if on { name.to_owned() } else { format!("{name}, off: adds nothing") };
    let how = if on { Text::START.bold() } else { Text::START.role(Role::Warn).bold() };
    canvas.text(&state, [left, top - 32.0], how);
    let middle = |place: usize| tile * (place as f64 + 0.5);
    canvas.group(&[], |canvas| {
        for (place, &symbol) in repeat.letters.iter().enumerate() {
            canvas.text(&letter(symbol), [left + middle(place), top - 12.0], Text::CENTRE.role(Role::Key));
            canvas.text(&letter(symbol), [left - 14.0, top + middle(place)], Text::CENTRE.role(Role::Query));
        }
    });
    canvas.group(&[], |canvas| {
        for i in 0..positions {
            for j in 0..positions {
                let [x, y] = [left + tile * j as f64, top + tile * i as f64];
                if Mask::Causal.allows(i, j) {
                    let (corner, opposite) = ([x + 0.5, y + 0.5], [x + tile - 0.5, y + tile - 0.5]);
                    canvas.tile(corner, opposite, weights[[i, j]], "");
                }
            }
        }
        hatch(canvas, [left, top], tile, positions);
    });
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

/// Slanted lines over all that is masked: each goes through the rows in one stroke, for tile by tile they would be more
/// than a thousand.
fn hatch(canvas: &mut Canvas, [left, top]: Place, tile: f64, positions: usize) {
    // In tiles from the corner: where a row's masked part begins.
    let edge =
        |row: usize| (0..positions).find(|&j| !Mask::Causal.allows(row, j)).unwrap_or(positions) as f64;
    let end = positions as f64;
    let lines = (2.0 * end * tile / 8.0) as usize;
    for line in 1..lines {
        // The line of all places whose distances from the left and from the top have this sum.
        let sum = line as f64 * 8.0 / tile;
        let Some(row) = (0..positions).rev().find(|&row| sum - row as f64 > edge(row)) else { continue };
        let from = (sum - row as f64 - 1.0).max(edge(row));
        let to = sum.min(end);
        if from < to {
            let at = |across: f64| [left + across * tile, top + (sum - across) * tile];
            canvas.line(at(from), at(to), Stroke::new(Role::Line, 1.0));
        }
    }
}

/// Each position's letter, its prediction, and what comes next.
fn predictions(canvas: &mut Canvas, [left, top]: Place, repeat: &Repeat, run: &InductionRun) {
    let positions = repeat.letters.len();
    let step = ((canvas.width() - left - 4.0) / positions as f64).min(44.0);
    let x = |place: usize| left + step * (place as f64 + 0.5);
    let rows = [top + 26.0, top + 46.0, top + 66.0, top + 86.0];
    for (name, y) in ["letter", "predicts", "next is", "right?"].into_iter().zip(rows) {
        canvas.text(name, [2.0, y], Text::START.role(Role::Muted));
    }
    canvas.group(&[], |canvas| {
        let stroke = Stroke::new(Role::Line, 1.0);
        for (part, name) in [(0..repeat.period, "first time"), (repeat.repeated(), "again")] {
            let (from, to) = (x(part.start) - step / 2.0 + 3.0, x(part.end - 1) + step / 2.0 - 3.0);
            canvas.text(name, [(from + to) / 2.0, top], Text::CENTRE);
            canvas.line([from, top + 11.0], [to, top + 11.0], stroke);
        }
        for (i, &symbol) in repeat.letters.iter().enumerate() {
            let right = repeat.is_right(run, i);
            let known = repeat.repeated().contains(&i);
            let how = if known { Text::CENTRE.bold() } else { Text::CENTRE.role(Role::Muted) };
            canvas.text(&letter(symbol), [x(i), rows[0]], Text::CENTRE);
            let prediction = run.predictions[i].map_or("–".to_owned(), letter);
            canvas.text(&prediction, [x(i), rows[1]], how);
            canvas.text(&letter(repeat.next[i]), [x(i), rows[2]], Text::CENTRE);
            let role = match (known, right) {
                (false, _) => Role::Line,
                (true, true) => Role::Ink,
                (true, false) => Role::Warn,
            };
            mark(canvas, [x(i), rows[3]], right, Stroke::new(role, 2.0));
        }
    });
}

/// A tick or a cross.
fn mark(canvas: &mut Canvas, [x, y]: Place, right: bool, stroke: Stroke) {
    if right {
        canvas.path(&[[x - 5.0, y], [x - 1.5, y + 4.0], [x + 5.0, y - 5.0]], stroke);
    } else {
        canvas.line([x - 4.0, y - 4.0], [x + 4.0, y + 4.0], stroke);
        canvas.line([x - 4.0, y + 4.0], [x + 4.0, y - 4.0], stroke);
    }
}
