//! `leak`: one token is nudged; how far does each output move?

use attention::{Mask, Projections};

use crate::canvas::{Canvas, Size, Text};
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::numbers::{distance, exactly};
use crate::parts::nudge::{bars, name_tokens, nudge_controls};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "leak",
    title: "What a nudge to one token changes",
    caption: "The arrow nudges one token's vector, in the direction of feature 1. Each bar says how far that position's output moves: at the nudged \
              token, after it, and, unless the mask is on, before it. A position that cannot see the nudged token does \
              not move at all, which is said by a 0 without a bar.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

fn controls(scene: &Scene) -> Vec<Control> {
    nudge_controls(scene, 0.5)
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let nudged = settings.chosen("token");
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
