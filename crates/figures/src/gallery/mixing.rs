//! `mixing`: one token is nudged; whose rows change in the parts of a block, each alone, and in the whole block?

use attention::{Block, Mask, NormPlace, State, Step};
use ndarray::Array2;

use crate::canvas::{Canvas, Size, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::numbers::{distance, exactly};
use crate::parts::nudge::{bars, name_tokens, nudge_controls};
use crate::parts::untrained::{embedded, untrained};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "mixing",
    title: "Attention mixes tokens, norm and MLP do not",
    caption: "One token's feature 1 is nudged, and each part of the block is run with and without the nudge. The bars \
              say how far each token's row moves (the length of the change), all on one scale; a 0 without a bar is exactly 0. LayerNorm and the \
              MLP move no row but the nudged one; attention moves those of all that may look at it. Tokens and matrices \
              are those of the block above, pre-norm.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

fn controls(scene: &Scene) -> Vec<Control> {
    nudge_controls(scene, 1.0)
}

/// The parts that are run, each with its name.
fn parts() -> Vec<(String, Vec<Step>)> {
    let alone = |step: Step| (format!("{} alone", step.name()), vec![step]);
    let whole = ("the whole block".to_owned(), NormPlace::Pre.steps().to_vec());
    vec![alone(Step::FirstNorm), alone(Step::Attention), alone(Step::Mlp), whole]
}

/// What some steps of a block make of x. `x` `[T, d]` → `[T, d]`
fn run(block: &Block, steps: &[Step], x: &Array2<f64>, mask: &Mask) -> Result<Array2<f64>> {
    let mut state = State { x: x.clone(), residual: None };
    for &step in steps {
        state = block.run_step(step, state, mask)?;
    }
    Ok(state.x)
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let nudged = settings.chosen("token");
    let nudge = settings.number("size");
    let masked = settings.is_on("mask");
    let tokens = scene.tokens.len();

    // How far each row moves in each part, under a mask.
    let block = untrained(NormPlace::Pre)?;
    let x = embedded(scene); // [T, d]
    let mut moved = x.clone(); // [T, d]
    moved[[nudged, 0]] += nudge;
    let parts = parts();
    let changes = |mask: &Mask| -> Result<Vec<Vec<f64>>> {
        let each = parts.iter().map(|(_, steps)| {
            let change = run(&block, steps, &moved, mask)? - run(&block, steps, &x, mask)?; // [T, d]
            Ok(change.rows().into_iter().map(|row| libm::sqrt(row.dot(&row))).collect())
        });
        each.collect()
    };
    let (with, without) = (changes(&Mask::Causal)?, changes(&Mask::None)?);
    let shown = if masked { &with } else { &without };

    let table = Table {
        corner: "token".into(),
        columns: parts.iter().map(|(name, _)| name.clone()).collect(),
        rows: (0..tokens)
            .map(|place| Row {
                name: scene.tokens[place].label.clone(),
                cells: shown.iter().map(|changes| distance(changes[place])).collect(),
            })
            .collect(),
    };
    let changed = |changes: &[f64]| changes.iter().filter(|change| **change != 0.0).count();
    // The furthest of some rows, without the nudged one.
    let others = |changes: &[f64], among: std::ops::Range<usize>| {
        among.filter(|&place| place != nudged).map(|place| changes[place]).fold(0.0, f64::max)
    };
    let count = |name, value: usize| Fact { name, cell: Cell::count(value as u64) };
    let own = |name, part: usize| Fact { name, cell: Cell::number(shown[part][nudged], 2) };
    let rest = |name, part: usize| Fact { name, cell: exactly(others(&shown[part], 0..tokens)) };
    let [norm, attention, mlp, whole] = [0, 1, 2, 3];
    let facts = vec![
        Fact { name: "nudged", cell: Cell::token(&scene.tokens[nudged].label) },
        Fact { name: "size", cell: Cell::number(nudge, 1) },
        count("tokens", tokens),
        count("earlier", nudged),
        count("later", tokens - 1 - nudged),
        count("norm-changed", changed(&shown[norm])),
        count("attention-changed", changed(&shown[attention])),
        count("mlp-changed", changed(&shown[mlp])),
        count("block-changed", changed(&shown[whole])),
        count("attention-changed-masked", changed(&with[attention])),
        count("attention-changed-unmasked", changed(&without[attention])),
        own("norm-own", norm),
        own("attention-own", attention),
        own("mlp-own", mlp),
        own("block-own", whole),
        rest("norm-others", norm),
        rest("attention-others", attention),
        rest("mlp-others", mlp),
        rest("block-others", whole),
        Fact { name: "attention-before", cell: exactly(others(&shown[attention], 0..nudged)) },
        Fact { name: "block-before", cell: exactly(others(&shown[whole], 0..nudged)) },
    ];

    let rows = |part: usize| match changed(&shown[part]) {
        1 if shown[part][nudged] != 0.0 => "its row alone".to_owned(),
        count if count == tokens => format!("all {tokens} rows"),
        count if masked && count == tokens - nudged && others(&shown[part], 0..nudged) == 0.0 => {
            format!("{count} rows, its own and those after it")
        }
        count => format!("{count} of {tokens} rows"),
    };
    let both = |[one, other]: [&str; 2], [ones, others]: [String; 2]| match ones == others {
        true => format!("{one} and {other} change {ones}."),
        false => format!("{one} changes {ones}, {other} {others}."),
    };
    let sentences = vec![
        format!(
            "{} “{}” is nudged by {}.",
            if masked { "With the mask on," } else { "Without the mask," },
            scene.tokens[nudged].label,
            Cell::number(nudge, 1)
        ),
        both(["LayerNorm alone", "the MLP alone"], [rows(norm), rows(mlp)]),
        both(["Attention alone", "the whole block"], [rows(attention), rows(whole)]),
    ];

    let furthest = with.iter().chain(&without).flatten().copied().fold(0.0, f64::max);
    const STRIP: f64 = 96.0;
    let floor = |part: usize| STRIP * (part as f64 + 1.0) - 8.0;
    let mut canvas = Canvas::new(size, STRIP * parts.len() as f64 + 60.0);
    let (start, end) = (size.pick(46.0, 24.0), size.width() - size.pick(46.0, 24.0));
    let x = |place: usize| start + (end - start) * place as f64 / (tokens - 1) as f64;
    let half = ((end - start) / tokens as f64 * 0.3).min(20.0);
    for (part, (name, _)) in parts.iter().enumerate() {
        let top = floor(part) - 76.0;
        canvas.text(name, [2.0, top], Text::START.bold());
        let moves = format!("{} of {tokens} rows move", changed(&shown[part]));
        canvas.text(&moves, [canvas.width() - 2.0, top], Text::END.role(Role::Muted));
        bars(&mut canvas, &shown[part], furthest, [top + 32.0, floor(part)], half, &x);
    }
    name_tokens(&mut canvas, scene, nudged, floor(parts.len() - 1) + 20.0, half, &x);
    Ok(Sketch { canvas, table, facts, sentences })
}
