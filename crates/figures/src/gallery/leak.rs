//! `leak`: one token is nudged; how far does each output move?

use attention::{Mask, Projections};

use super::{Figure, Sketch, token_choice, weight_in_brief};
use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::labels::Labels;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "leak",
    title: "What a nudge to one token changes",
    caption: "The arrow nudges one token's vector, in the direction of feature 1. Each bar says how far that position's output moves: at the nudged \
              token, after it, and, unless the mask is on, before it. A position that cannot see the nudged token does \
              not move at all, which is said by a 0 without a bar.",
    controls,
    draw,
};

fn controls(scene: &Scene) -> Vec<Control> {
    nudge_controls(scene, 0.5)
}

/// Which token is nudged and, at first, by how much; and whether the mask is on.
pub(super) fn nudge_controls(scene: &Scene, size: f64) -> Vec<Control> {
    // One in the middle, so that there are tokens before and after it.
    let middle = scene.tokens.len() / 2;
    vec![
        token_choice("token", "Nudge", scene, middle),
        Control {
            name: "size",
            label: "Size of the nudge",
            kind: Kind::Slider { min: 0.1, max: 2.0, step: 0.1, default: size },
        },
        Control { name: "mask", label: "Causal mask", kind: Kind::Toggle { default: true } },
    ]
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let nudged = settings.place("token");
    let nudge = settings.number("size");
    let masked = settings.is_on("mask");
    let tokens = scene.tokens.len();
    let label = |place: usize| &scene.tokens[place].label;

    // How far each output moves, under a mask.
    let vectors = scene.vectors(); // [T, 2]
    let mut moved = vectors.clone(); // [T, 2]
    moved[[nudged, 0]] += nudge;
    let attention = Projections::identity(2);
    let changes = |mask: &Mask| -> Result<Vec<f64>> {
        let before = attention.attend(&vectors, mask)?.output; // [T, 2]
        let after = attention.attend(&moved, mask)?.output; // [T, 2]
        let change = after - before; // [T, 2]
        Ok(change.rows().into_iter().map(|row| libm::hypot(row[0], row[1])).collect())
    };
    let (with, without) = (changes(&Mask::Causal)?, changes(&Mask::None)?);
    let shown = if masked { &with } else { &without };

    let table = Table {
        corner: "output".into(),
        columns: ["moves, with the mask", "moves, without it"].map(String::from).to_vec(),
        rows: (0..tokens)
            .map(|place| Row {
                name: label(place).clone(),
                cells: vec![distance(with[place]), distance(without[place])],
            })
            .collect(),
    };
    let most = |changes: &[f64]| changes.iter().copied().fold(0.0, f64::max);
    let facts = vec![
        Fact { name: "nudged", cell: Cell::token(label(nudged)) },
        Fact { name: "size", cell: Cell::number(nudge, 1) },
        Fact { name: "before-masked", cell: exactly(most(&with[..nudged])) },
        Fact { name: "before-unmasked", cell: exactly(most(&without[..nudged])) },
        Fact { name: "own", cell: Cell::number(with[nudged], 2) },
        Fact { name: "earlier", cell: Cell::count(nudged as u64) },
    ];
    let before = match nudged {
        0 => "No position comes before it.".to_owned(),
        _ if most(&shown[..nudged]) == 0.0 => {
            "The outputs before it do not move at all: exactly 0.".to_owned()
        }
        _ => format!("The outputs before it move by up to {}.", distance(most(&shown[..nudged]))),
    };
    let sentences = vec![
        format!(
            "{} “{}” is nudged by {}; its own output moves by {}.",
            if masked { "With the mask on," } else { "Without the mask," },
            label(nudged),
            Cell::number(nudge, 1),
            distance(shown[nudged])
        ),
        before,
    ];

    let canvas = picture(scene, size, shown, nudged, most(&with).max(most(&without)));
    Ok(Sketch { canvas, table, facts, sentences })
}

/// How far something has moved. That it has not moved at all is not to look like a small number.
pub fn distance(change: f64) -> Cell {
    if change == 0.0 { Cell::words("0") } else { Cell::number(change, 4) }
}

/// How far something has moved, for a sentence.
pub fn exactly(change: f64) -> Cell {
    if change == 0.0 { Cell::words("exactly 0") } else { Cell::number(change, 4) }
}

fn picture(scene: &Scene, size: Size, changes: &[f64], nudged: usize, furthest: f64) -> Canvas {
    let tokens = changes.len();
    let mut canvas = Canvas::new(size, 250.0);
    let (start, end) = (size.pick(46.0, 24.0), size.width() - size.pick(46.0, 24.0));
    let x = |place: usize| start + (end - start) * place as f64 / (tokens - 1) as f64;
    let (ceiling, floor) = (44.0, 176.0);
    let half = ((end - start) / tokens as f64 * 0.3).min(20.0);

    canvas.text("how far each output moves", [2.0, 12.0], Text::START);
    bars(&mut canvas, changes, furthest, [ceiling, floor], half, &x);
    name_tokens(&mut canvas, scene, nudged, floor + 20.0, half, &x);
    canvas
}

/// A bar for each token's change, as high as `floor` from `ceiling` for the one that is `furthest`, with its number
/// where there is room.
pub fn bars(
    canvas: &mut Canvas,
    changes: &[f64],
    furthest: f64,
    [ceiling, floor]: [f64; 2],
    half: f64,
    x: &dyn Fn(usize) -> f64,
) {
    let ends = [x(0) - half, x(changes.len() - 1) + half];
    canvas.line([ends[0], floor], [ends[1], floor], Stroke::new(Role::Line, 1.0));
    let top = |place: usize| match furthest > 0.0 {
        true => floor - (floor - ceiling) * changes[place] / furthest,
        false => floor,
    };
    let mut numbers = Labels::within([0.0, ceiling - 24.0], [canvas.width(), floor]);
    canvas.group(&[], |canvas| {
        for (place, &change) in changes.iter().enumerate() {
            if change > 0.0 {
                canvas.bar([x(place) - half, top(place)], [x(place) + half, floor], Role::Output, 1.0);
            }
            let number = if change == 0.0 { "0".to_owned() } else { weight_in_brief(change) };
            // A number is not to stand on a higher bar beside its own.
            let room = Text::CENTRE.room(&number) / 2.0;
            let covers = |other: usize| {
                other != place && (x(other) - x(place)).abs() < room + half && top(other) < top(place) - 2.0
            };
            if !(0..changes.len()).any(covers) {
                numbers.centre(canvas, &number, [x(place), top(place) - 10.0], Text::CENTRE);
            }
        }
    });
}

/// The tokens at their places, to choose the nudged one by; an arrow points to it.
pub fn name_tokens(
    canvas: &mut Canvas,
    scene: &Scene,
    nudged: usize,
    y: f64,
    half: f64,
    x: &dyn Fn(usize) -> f64,
) {
    let tokens = scene.tokens.len();
    let mut names = Labels::within([0.0, y - 10.0], [canvas.width(), y + 10.0]);
    let others = (0..tokens).filter(|&place| place != nudged);
    canvas.group(&[], |canvas| {
        for place in std::iter::once(nudged).chain(others) {
            let how = if place == nudged { Text::CENTRE.bold() } else { Text::CENTRE };
            names.centre(canvas, &scene.tokens[place].text, [x(place), y], how);
        }
    });
    for place in 0..tokens {
        let choose = format!("token={}", place + 1);
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([x(place) - half, y - 12.0], [x(place) + half, y + 12.0], Role::Line, HIT);
        });
    }
    canvas.arrow([x(nudged), y + 42.0], [x(nudged), y + 15.0], Stroke::new(Role::Warn, 3.0));
    let right = nudged * 2 >= tokens;
    let (at, how) = if right { (x(nudged) - 12.0, Text::END) } else { (x(nudged) + 12.0, Text::START) };
    canvas.text("nudged", [at, y + 34.0], how.role(Role::Warn).bold());
}
