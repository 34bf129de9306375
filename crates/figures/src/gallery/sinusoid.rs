//! `sinusoid`: positions as waves; a shift turns each pair of features by one angle, the same at every position.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (sinusoid, scene) = (figure("sinusoid")?, Scene::default());
//! let at = |position, shift| {
//!     sinusoid.draw(&scene, &params([("position", position), ("shift", shift)]), Size::Wide)
//! };
//! // The angle between the hands depends on k alone, not on p.
//! let (here, there, further) = (at("5", "3")?, at("20", "3")?, at("5", "4")?);
//! for angle in ["angle-fastest", "angle-slowest"] {
//!     assert_eq!(here.fact(angle)?, there.fact(angle)?);
//!     assert_ne!(here.fact(angle)?, further.fact(angle)?);
//! }
//! // One rotation leads from every row to the one k further.
//! assert_eq!(here.fact("difference")?.to_string(), "less than 10⁻⁹");
//!
//! // Each pair is slower than the one before: from row 0, where all sines are 0, each rises less to row 1.
//! let risen = |pair: usize| here.table.rows[1].cells[2 * pair].value().unwrap();
//! assert!((1..8).all(|pair| risen(pair) < risen(pair - 1)));
//! # Ok::<(), figures::Error>(())
//! ```

use std::f64::consts::TAU;

use attention::{POSITION_BASE, angular_frequency, position_shift, sinusoids};
use ndarray::Array2;

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{angle, fixed, rounding};
use crate::parts::heatmap::frame;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "sinusoid",
    title: "Positions as waves",
    caption: "Each row is what is added to a token at that position: eight pairs of features, in each pair sine first, \
              then cosine, each pair slower than the one before. The last ones are too slow to be seen to turn here. \
              The framed rows are a position p (dashed) and the one k further. A dial for each pair has both as hands: \
              p moves both alike, and the angle between them, the arc, depends on k alone.",
    controls,
    draw: draw::<Waves>,
};

/// How many positions are shown, and with how many features; the caption says so too.
const POSITIONS: usize = 32;
const FEATURES: usize = 16;
const PAIRS: usize = FEATURES / 2;

/// The furthest position and the largest shift to choose: what lies so far further is still shown.
const LAST: usize = 23;
const FURTHEST: usize = POSITIONS - 1 - LAST;

fn controls(_: &Scene) -> Vec<Control> {
    vec![
        Control::slider("position", "Position p", [0.0, LAST as f64], 1.0, 5.0),
        Control::slider("shift", "Shift k", [1.0, FURTHEST as f64], 1.0, 3.0),
    ]
}

/// The numbers of the figure: waves, and two of their rows.
struct Waves {
    waves: Array2<f64>, // [T, d]
    position: usize,
    shift: usize,
    /// How far the rows that a shift leads to are away from those that are there, at most.
    difference: f64,
}

impl Steps for Waves {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let shift = settings.number("shift").round() as usize;
        let waves = sinusoids(POSITIONS, FEATURES)?; // [T, d]
        // The same matrix for all positions: what is it away from the row that is k further?
        let shifted = waves.dot(&position_shift(shift as i32, FEATURES)?); // [T, d]
        let difference = (0..POSITIONS - shift)
            .flat_map(|p| (&shifted.row(p) - &waves.row(p + shift)).to_vec())
            .fold(0.0, |most: f64, c| most.max(c.abs()));
        Ok(Waves { waves, position: settings.number("position").round() as usize, shift, difference })
    }

    fn describe(&self, _: &Scene) -> Description {
        let &Waves { position, shift, .. } = self;
        let columns = (0..PAIRS).flat_map(|pair| [format!("sin {pair}"), format!("cos {pair}")]);
        let table = Table::new("position", columns).rows(self.waves.rows().into_iter().enumerate().map(
            |(p, row)| {
                let cells: Vec<Cell> = row.iter().map(|&wave| Cell::number(wave, 3)).collect();
                (p.to_string(), cells)
            },
        ));

        let (here, there) = (self.waves.row(position), self.waves.row(self.target()));
        let (fastest, slowest) = (self.degrees(0), self.degrees(PAIRS - 1));
        let findings = Findings::new()
            .count("position", position)
            .count("shift", shift)
            .count("target", self.target())
            .count("positions", POSITIONS)
            .count("features", FEATURES)
            .count("pairs", PAIRS)
            .number("shortest", TAU / turn(0), 2)
            .count("longest", (TAU / turn(PAIRS - 1)).round() as usize)
            .number("turn-fastest", turn(0), 2)
            .number("angle-fastest", fastest, 0)
            .number("angle-slowest", slowest, 2)
            .cell("difference", rounding(self.difference))
            .number("product", here.dot(&there), 2)
            .number("length", libm::sqrt(here.dot(&here)), 2);

        let (target, fastest, slowest) = (self.target(), fixed(fastest, 0), fixed(slowest, 2));
        let difference = rounding(self.difference);
        let sentences = vec![
            format!(
                "From position {position} to {target}, the fastest pair of features turns by {fastest}°, the slowest \
                 by {slowest}°."
            ),
            format!(
                "The same rotation leads from every position to the one {shift} further: the largest difference is \
                 {difference}."
            ),
        ];
        Description { table, findings, sentences }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(440.0, 760.0));
        self.rows(&mut canvas);
        canvas.signed_scale([LEFT, TOP + RISE * POSITIONS as f64 + 14.0], 150.0, ["−1", "1"]);
        canvas.group(&[], |canvas| self.dials(canvas, size.pick([END + 20.0, 44.0], [2.0, 484.0])));
        canvas
    }
}

/// Where the rows stand, and the width and height of one of their tiles.
const LEFT: f64 = 34.0;
const TOP: f64 = 44.0;
const SIDE: f64 = 19.0;
const RISE: f64 = 11.0;
const END: f64 = LEFT + SIDE * FEATURES as f64;

/// The corner of a tile.
fn corner(p: usize, feature: usize) -> Place {
    [LEFT + SIDE * feature as f64, TOP + RISE * p as f64]
}

impl Waves {
    /// The position that is k further.
    fn target(&self) -> usize {
        self.position + self.shift
    }

    /// By how much the shift turns a pair of features, in radians.
    fn turned(&self, pair: usize) -> f64 {
        self.shift as f64 * turn(pair)
    }

    fn degrees(&self, pair: usize) -> f64 {
        self.turned(pair) / TAU * 360.0
    }

    /// All rows as tiles, each to be chosen, and the two in their frames.
    fn rows(&self, canvas: &mut Canvas) {
        canvas.text("position", [2.0, 12.0], Text::START);
        canvas.text("pair i: sine, cosine", [END, 12.0], Text::END);
        for pair in 0..PAIRS {
            let at = [LEFT + SIDE * (2 * pair + 1) as f64, TOP - 12.0];
            canvas.text(&pair.to_string(), at, Text::CENTRE.role(Role::Muted));
        }
        for (p, row) in self.waves.rows().into_iter().enumerate() {
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
        for (p, stroke) in [(self.position, P), (self.target(), TARGET)] {
            frame(canvas, corner(p, 0), corner(p + 1, FEATURES), stroke);
        }
        canvas.group(&[], |canvas| self.row_numbers(canvas));
    }

    /// Every eighth row's number, and those of the framed ones.
    fn row_numbers(&self, canvas: &mut Canvas) {
        let framed = [self.position, self.target()];
        for p in (0..POSITIONS).step_by(8).chain([POSITIONS - 1]) {
            // Beside the framed rows there stand their own.
            if framed.iter().all(|framed| framed.abs_diff(p) > 1) {
                let at = [LEFT - 6.0, corner(p, 0)[1] + RISE / 2.0];
                canvas.text(&p.to_string(), at, Text::END.role(Role::Muted));
            }
        }
        // Two rows that touch: their numbers stand as far apart as text needs.
        let apart = ((14.0 - RISE * self.shift as f64) / 2.0).max(0.0);
        for (p, lift) in framed.into_iter().zip([-apart, apart]) {
            let at = [LEFT - 6.0, corner(p, 0)[1] + RISE / 2.0 + lift];
            canvas.text(&p.to_string(), at, Text::END.bold());
        }
    }

    /// A dial for each pair of features, in two lines.
    fn dials(&self, canvas: &mut Canvas, [x, y]: Place) {
        let (size, framed) = (canvas.size, [self.position, self.target()]);
        let title = format!("hands at {} (dashed) and {}; k = {} turns", framed[0], framed[1], self.shift);
        canvas.text(&title, [x, size.pick(12.0, y - 22.0)], Text::START);
        let step = (canvas.width() - x) / 4.0;
        for pair in 0..PAIRS {
            let across = x + step * (0.5 + (pair % 4) as f64);
            let centre = [across, y + 46.0 + size.pick(156.0, 132.0) * (pair / 4) as f64];
            let hands = framed.map(|p| [self.waves[[p, 2 * pair]], self.waves[[p, 2 * pair + 1]]]);
            dial(canvas, centre, hands, self.position as f64 * turn(pair), self.turned(pair));
            canvas.text(&format!("i = {pair}"), [centre[0], centre[1] + 46.0], Text::CENTRE);
            let angle = angle(self.degrees(pair));
            canvas.text(&angle, [centre[0], centre[1] + 64.0], Text::CENTRE.bold());
        }
        let below = y + size.pick(312.0, 264.0);
        canvas.text("sine to the right, cosine up", [x, below], Text::START.role(Role::Muted));
    }
}

/// The angle of a pair of features, in radians a position.
fn turn(pair: usize) -> f64 {
    angular_frequency(pair, FEATURES, POSITION_BASE)
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
