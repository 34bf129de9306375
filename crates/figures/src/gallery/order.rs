//! `order`: the tokens change places; are attention's outputs the same, at their new places?

use attention::{Mask, NormPlace, sinusoids};
use ndarray::{Array2, Axis};

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::labels::{Labels, fit};
use crate::numbers::{is_rounding, rounding};
use crate::parts::untrained::{FEATURES, embedded, reach, untrained};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "order",
    title: "The tokens change places",
    caption: "Attention's outputs, a row for each token: on the left for the sentence as it is, on the right for the same \
              tokens in another order. A line leads from each token to its new place, and the number says how far its \
              two outputs differ (the length of the difference). Without positions and without a mask, every row is found again at the other end of its \
              line. Below, the furthest of all tokens in each of the four cases. Tokens and matrices are those of the \
              block in the first half of 7.4.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

fn controls(scene: &Scene) -> Vec<Control> {
    let option = |value: &str, label: String| Preset { value: value.into(), label };
    let [one, other] = neighbours(scene).map(|place| scene.tokens[place].label.clone());
    vec![
        Control {
            name: "order",
            label: "New order",
            kind: Kind::Choice {
                options: vec![
                    option("reversed", "reversed".into()),
                    option("exchanged", format!("“{one}” and “{other}” exchanged")),
                    option("shifted", "the last token first".into()),
                ],
                default: 0,
            },
        },
        Control { name: "positions", label: "Add positions", kind: Kind::Toggle { default: false } },
        Control { name: "mask", label: "Causal mask", kind: Kind::Toggle { default: false } },
    ]
}

/// The query token and the one before it, or after it if it is the first.
fn neighbours(scene: &Scene) -> [usize; 2] {
    let first = scene.query_place().saturating_sub(1);
    [first, first + 1]
}

/// Which token, by its old place, stands at each new place.
fn reorder(scene: &Scene, order: &str) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scene.tokens.len()).collect();
    let [one, other] = neighbours(scene);
    match order {
        "exchanged" => places.swap(one, other),
        "shifted" => places.rotate_right(1),
        _ => places.reverse(),
    }
    places
}

/// Whether positions are added, and whether the mask is on, with the name of the finding.
const CASES: [(bool, bool, &str); 4] =
    [(false, false, "plain"), (true, false, "positions"), (false, true, "masked"), (true, true, "both")];

fn case_name(positions: bool, masked: bool) -> &'static str {
    match (positions, masked) {
        (false, false) => "neither",
        (true, false) => "positions",
        (false, true) => "causal mask",
        (true, true) => "both",
    }
}

/// Attention's outputs before and after the tokens have changed places.
struct Outcome {
    /// By old places. `[T, d]`
    before: Array2<f64>,
    /// By new places. `[T, d]`
    after: Array2<f64>,
    /// How far the output of each token has moved, by old places.
    moved: Vec<f64>,
    /// How far the output at each place has moved, whichever token stands there.
    moved_in_place: Vec<f64>,
}

impl Outcome {
    fn furthest(&self) -> f64 {
        self.moved.iter().copied().fold(0.0, f64::max)
    }
}

fn outcome(scene: &Scene, places: &[usize], positions: bool, masked: bool) -> Result<Outcome> {
    let mask = if masked { Mask::Causal } else { Mask::None };
    let attention = untrained(NormPlace::Pre)?.attention;
    let attend = |tokens: Array2<f64>| -> Result<Array2<f64>> {
        // Positions belong to places, not to tokens: they are added after the tokens have been put in order.
        let waves = sinusoids(tokens.nrows(), FEATURES)?; // [T, d]
        let x = if positions { tokens + waves } else { tokens }; // [T, d]
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

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let (positions, masked) = (settings.is_on("positions"), settings.is_on("mask"));
    let places = reorder(scene, settings.choice("order"));
    let tokens = places.len();
    let outcomes = CASES.map(|(positions, masked, _)| outcome(scene, &places, positions, masked));
    let [plain, with_positions, with_mask, both] = outcomes;
    let outcomes = [plain?, with_positions?, with_mask?, both?];
    let chosen = usize::from(positions) + 2 * usize::from(masked);
    let shown = &outcomes[chosen];
    let mut new_place = vec![0; tokens];
    for (new, &old) in places.iter().enumerate() {
        new_place[old] = new;
    }

    let table = Table {
        corner: "token".into(),
        columns: [
            "position",
            "new position",
            "differs",
            "differs, positions",
            "differs, mask",
            "differs, both",
        ]
        .map(String::from)
        .to_vec(),
        rows: (0..tokens)
            .map(|token| Row {
                name: scene.tokens[token].label.clone(),
                cells: [token, new_place[token]]
                    .map(|place| Cell::count(place as u64))
                    .into_iter()
                    .chain(outcomes.iter().map(|outcome| Cell::number(outcome.moved[token], 3)))
                    .collect(),
            })
            .collect(),
    };
    let in_place = |outcome: &Outcome| outcome.moved_in_place.iter().copied().fold(0.0, f64::max);
    let mut facts: Vec<Fact> = CASES
        .iter()
        .zip(&outcomes)
        .map(|(&(_, _, name), outcome)| Fact { name, cell: rounding(outcome.furthest()) })
        .collect();
    facts.extend([
        Fact { name: "shown", cell: rounding(shown.furthest()) },
        Fact { name: "in-place", cell: Cell::number(in_place(&outcomes[0]), 2) },
        Fact {
            name: "changed-places",
            cell: Cell::count(places.iter().enumerate().filter(|(new, old)| new != *old).count() as u64),
        },
        Fact { name: "tokens", cell: Cell::count(tokens as u64) },
        Fact { name: "first-before", cell: Cell::token(&scene.tokens[0].label) },
        Fact { name: "first-after", cell: Cell::token(&scene.tokens[places[0]].label) },
    ]);
    let with = match (positions, masked) {
        (false, false) => "Without positions and without a mask",
        (true, false) => "With positions added",
        (false, true) => "With the causal mask",
        (true, true) => "With positions added and with the causal mask",
    };
    let sentences = vec![
        match is_rounding(shown.furthest()) {
            true => format!(
                "{with}, each token's output is the same after the tokens have changed places, at its new place: the \
                 difference is {}.",
                rounding(shown.furthest())
            ),
            false => format!("{with}, a token's two outputs differ by up to {}.", rounding(shown.furthest())),
        },
        format!(
            "Compared place by place, where another token stands now, outputs differ by up to {}.",
            Cell::number(in_place(shown), 2)
        ),
    ];

    let canvas = picture(scene, size, &places, shown, &outcomes.each_ref().map(Outcome::furthest), chosen);
    Ok(Sketch { canvas, table, facts, sentences })
}

fn picture(
    scene: &Scene,
    size: Size,
    places: &[usize],
    shown: &Outcome,
    furthest: &[f64; 4],
    chosen: usize,
) -> Canvas {
    let tokens = places.len();
    let rise = (380.0 / tokens as f64).min(28.0);
    let top = 34.0;
    let bottom = top + rise * tokens as f64;
    let cases_at = bottom + 52.0;
    let mut canvas = Canvas::new(size, cases_at + size.pick(66.0, 122.0));
    let side = size.pick(22.0, 9.0);
    let width = side * FEATURES as f64;
    let left = size.pick(78.0, 64.0);
    let right = canvas.width() - size.pick(58.0, 44.0) - size.pick(72.0, 58.0) - width;
    let middle = |row: usize| top + rise * (row as f64 + 0.5);

    canvas.text("as it is", [left, 12.0], Text::START.bold());
    canvas.text("new order", [right, 12.0], Text::START.bold());
    canvas.text("differs", [canvas.width() - 2.0, 12.0], Text::END.role(Role::Muted));
    let largest = [&shown.before, &shown.after]
        .into_iter()
        .flat_map(|outputs| outputs.iter())
        .fold(0.0, |most: f64, c| most.max(c.abs()));
    let reach = reach(largest);
    canvas.group(&[], |canvas| {
        for (new, &old) in places.iter().enumerate() {
            tiles(canvas, [left, top + rise * old as f64], [side, rise], shown.before.row(old).iter(), reach);
            tiles(canvas, [right, top + rise * new as f64], [side, rise], shown.after.row(new).iter(), reach);
            let stroke =
                Stroke::new(if new == old { Role::Line } else { Role::Ink }, (rise / 14.0).clamp(0.4, 1.4));
            canvas.line([left + width + 4.0, middle(old)], [right - 4.0, middle(new)], stroke);
        }
    });
    // Names on both sides where there is room, and how far each token's output has moved.
    let labels = fit(&scene.labels(), size.pick(64.0, 58.5));
    let mut names = Labels::within([0.0, top - 6.0], [canvas.width(), bottom + 6.0]);
    canvas.group(&[], |canvas| {
        for (new, &old) in places.iter().enumerate() {
            let name = &labels[old];
            names.end(canvas, name, [left - 6.0, middle(old)], Text::END);
            let moved = shown.moved[old];
            let written = Cell::number(moved, 2).to_string();
            let how = if is_rounding(moved) { Text::END } else { Text::END.role(Role::Output).bold() };
            names.end(canvas, &written, [canvas.width() - 2.0, middle(new)], how);
            let end = right + width + canvas.size.pick(64.0, 58.0);
            names.end(canvas, name, [end, middle(new)], Text::END);
        }
    });
    let ends = [-reach, reach].map(|end| Cell::number(end, 0).to_string());
    canvas.signed_scale([left, bottom + 12.0], width.max(110.0), [&ends[0], &ends[1]]);

    // The four cases.
    canvas.text("the most that an output differs:", [2.0, cases_at + 10.0], Text::START);
    let columns = size.pick(4, 2);
    let step = canvas.width() / columns as f64;
    for (case, &(positions, masked, _)) in CASES.iter().enumerate() {
        let [x, y] = [step * (case % columns) as f64, cases_at + 26.0 + 48.0 * (case / columns) as f64];
        let switch = |on: bool| if on { "on" } else { "off" };
        let choose = format!("positions={}&mask={}", switch(positions), switch(masked));
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([x, y], [x + step, y + 38.0], Role::Line, HIT);
            let how = if case == chosen { Text::START.bold() } else { Text::START };
            canvas.text(case_name(positions, masked), [x + 12.0, y + 10.0], how);
            let written = Cell::number(furthest[case], 2).to_string();
            let role = if is_rounding(furthest[case]) { Role::Ink } else { Role::Output };
            canvas.text(&written, [x + 12.0, y + 29.0], how.role(role));
            if case == chosen {
                canvas.line([x + 4.0, y + 2.0], [x + 4.0, y + 37.0], Stroke::new(Role::Ink, 3.0));
            }
        });
    }
    canvas
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
