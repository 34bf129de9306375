//! `sinusoid`: positions as waves; a shift turns each pair of features by one angle, the same at every position.

use std::f64::consts::TAU;

use attention::{POSITION_BASE, angular_frequency, position_shift, sinusoids};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::numbers::rounding;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "sinusoid",
    title: "Positions as waves",
    caption: "Each row is what is added to a token at that position: eight pairs of features, in each pair sine first, \
              then cosine, each pair slower than the one before. The last ones are too slow to be seen to turn here. The framed rows are a position p (dashed) and the one \
              k further. A dial for each pair has both as hands: p moves both alike, and the angle between them, the \
              arc, depends on k alone.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// How many positions are shown, and with how many features; the caption says so too.
const POSITIONS: usize = 32;
const FEATURES: usize = 16;

/// The furthest position and the largest shift to choose: what lies so far further is still shown.
const LAST: usize = 23;
const FURTHEST: usize = POSITIONS - 1 - LAST;

fn controls(_: &Scene) -> Vec<Control> {
    let slider = |name, label, min, max, default| Control {
        name,
        label,
        kind: Kind::Slider { min, max: max as f64, step: 1.0, default },
    };
    vec![slider("position", "Position p", 0.0, LAST, 5.0), slider("shift", "Shift k", 1.0, FURTHEST, 3.0)]
}

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let position = settings.number("position").round() as usize;
    let shift = settings.number("shift").round() as usize;
    let target = position + shift;
    let waves = sinusoids(POSITIONS, FEATURES)?; // [T, d]

    // The same matrix for all positions: what is it away from the row that is k further?
    let shifted = waves.dot(&position_shift(shift as i32, FEATURES)?); // [T, d]
    let difference = (0..POSITIONS - shift)
        .flat_map(|p| (&shifted.row(p) - &waves.row(p + shift)).to_vec())
        .fold(0.0, |most: f64, c| most.max(c.abs()));

    let pairs = FEATURES / 2;
    let turn = |pair: usize| angular_frequency(pair, FEATURES, POSITION_BASE);
    let degrees = |pair: usize| shift as f64 * turn(pair) / TAU * 360.0;
    let table = Table {
        corner: "position".into(),
        columns: (0..pairs).flat_map(|pair| [format!("sin {pair}"), format!("cos {pair}")]).collect(),
        rows: waves
            .rows()
            .into_iter()
            .enumerate()
            .map(|(p, row)| Row {
                name: p.to_string(),
                cells: row.iter().map(|&wave| Cell::number(wave, 3)).collect(),
            })
            .collect(),
    };
    let count = |name, value: usize| Fact { name, cell: Cell::count(value as u64) };
    let number = |name, value, digits| Fact { name, cell: Cell::number(value, digits) };
    let product = waves.row(position).dot(&waves.row(target));
    let facts = vec![
        count("position", position),
        count("shift", shift),
        count("target", target),
        count("positions", POSITIONS),
        count("features", FEATURES),
        count("pairs", pairs),
        number("shortest", TAU / turn(0), 2),
        Fact { name: "longest", cell: Cell::count((TAU / turn(pairs - 1)).round() as u64) },
        number("turn-fastest", turn(0), 2),
        number("angle-fastest", degrees(0), 0),
        number("angle-slowest", degrees(pairs - 1), 2),
        Fact { name: "difference", cell: rounding(difference) },
        number("product", product, 2),
        number("length", libm::sqrt(waves.row(position).dot(&waves.row(position))), 2),
    ];
    let sentences = vec![
        format!(
            "From position {position} to {target}, the fastest pair of features turns by {}°, the slowest by {}°.",
            Cell::number(degrees(0), 0),
            Cell::number(degrees(pairs - 1), 2)
        ),
        format!(
            "The same rotation leads from every position to the one {shift} further: the largest difference is {}.",
            rounding(difference)
        ),
    ];

    let mut canvas = Canvas::new(size, size.pick(440.0, 760.0));
    let (left, top) = (34.0, 44.0);
    let (side, rise) = (19.0, 11.0);
    let corner =
        |p: usize, feature: usize| -> Place { [left + side * feature as f64, top + rise * p as f64] };
    canvas.text("position", [2.0, 12.0], Text::START);
    let end = left + side * FEATURES as f64;
    canvas.text("pair i: sine, cosine", [end, 12.0], Text::END);
    for pair in 0..pairs {
        let at = [left + side * (2 * pair + 1) as f64, top - 12.0];
        canvas.text(&pair.to_string(), at, Text::CENTRE.role(Role::Muted));
    }
    for (p, row) in waves.rows().into_iter().enumerate() {
        let choose = format!("position={}", p.min(LAST));
        canvas.group(&[("data-set", &choose)], |canvas| {
            for (feature, &wave) in row.iter().enumerate() {
                let ([x, y], [right, low]) = (corner(p, feature), corner(p + 1, feature + 1));
                // A little more between pairs than between sine and cosine.
                let gap = if feature % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                canvas.signed_tile([x + gap[0], y], [right - gap[1], low], wave, "");
            }
        });
    }
    for (p, stroke) in [(position, P), (target, TARGET)] {
        let ([x, y], [right, low]) = (corner(p, 0), corner(p + 1, FEATURES));
        canvas.path(&[[x, y], [right, y], [right, low], [x, low], [x, y]], stroke);
    }
    canvas.group(&[], |canvas| {
        for p in (0..POSITIONS).step_by(8).chain([POSITIONS - 1]) {
            // Beside the framed rows there stand their own.
            if [position, target].iter().all(|framed| framed.abs_diff(p) > 1) {
                let at = [left - 6.0, corner(p, 0)[1] + rise / 2.0];
                canvas.text(&p.to_string(), at, Text::END.role(Role::Muted));
            }
        }
        // Two rows that touch: their numbers stand as far apart as text needs.
        let apart = ((14.0 - rise * shift as f64) / 2.0).max(0.0);
        for (p, lift) in [(position, -apart), (target, apart)] {
            let at = [left - 6.0, corner(p, 0)[1] + rise / 2.0 + lift];
            canvas.text(&p.to_string(), at, Text::END.bold());
        }
    });
    canvas.signed_scale([left, top + rise * POSITIONS as f64 + 14.0], 150.0, ["−1", "1"]);

    let [x, y] = size.pick([end + 20.0, 44.0], [2.0, 484.0]);
    canvas.group(&[], |canvas| {
        let title = format!("hands at {position} (dashed) and {target}; k = {shift} turns");
        canvas.text(&title, [x, size.pick(12.0, y - 22.0)], Text::START);
        let step = (canvas.width() - x) / 4.0;
        for pair in 0..pairs {
            let across = x + step * (0.5 + (pair % 4) as f64);
            let centre = [across, y + 46.0 + size.pick(156.0, 132.0) * (pair / 4) as f64];
            let hands = [position, target].map(|p| [waves[[p, 2 * pair]], waves[[p, 2 * pair + 1]]]);
            dial(canvas, centre, hands, position as f64 * turn(pair), shift as f64 * turn(pair));
            canvas.text(&format!("i = {pair}"), [centre[0], centre[1] + 46.0], Text::CENTRE);
            let angle = degrees(pair);
            let digits = if angle < 1.0 { 2 } else { usize::from(angle < 10.0) };
            let written = Cell::number(angle, digits);
            canvas.text(&format!("{written}°"), [centre[0], centre[1] + 64.0], Text::CENTRE.bold());
        }
        let below = y + size.pick(312.0, 264.0);
        canvas.text("sine to the right, cosine up", [x, below], Text::START.role(Role::Muted));
    });
    Ok(Sketch { canvas, table, facts, sentences })
}

/// The position that is chosen, and the one that is k further.
const P: Stroke = Stroke::new(Role::Ink, 2.0).dashed();
const TARGET: Stroke = Stroke::new(Role::Ink, 2.4);

/// A pair of features as a clock: sine to the right, cosine up. Its hands are the two rows' own numbers, and the arc is
/// the turn from one to the other; where it goes around more than once it winds outwards.
fn dial(canvas: &mut Canvas, [x, y]: Place, hands: [[f64; 2]; 2], from: f64, turn: f64) {
    const RADIUS: f64 = 33.0;
    let tip = |[right, up]: [f64; 2]| -> Place { [x + RADIUS * right, y - RADIUS * up] };
    canvas.ring([x, y], RADIUS, Stroke::new(Role::Grid, 1.0));
    let outer = 10.0 + 12.0 * turn / TAU.max(turn);
    canvas.arc([x, y], TAU / 4.0 - from, -turn, [10.0, outer], Stroke::new(Role::Output, 2.6));
    canvas.line([x, y], tip(hands[0]), P);
    canvas.arrow([x, y], tip(hands[1]), TARGET);
}
