//! `leak`: one token is nudged; how far does each output move?
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (leak, scene) = (figure("leak")?, Scene::default());
//! let masked = leak.draw(&scene, &params([("token", "4"), ("mask", "on")]), Size::Wide)?;
//! let open = leak.draw(&scene, &params([("token", "4"), ("mask", "off")]), Size::Wide)?;
//!
//! // A position that cannot see the nudged token does not move at all.
//! for earlier in ["The", "cat", "sat"] {
//!     assert_eq!(masked.table.cell(earlier, "moves, with the mask")?.to_string(), "0");
//!     assert!(masked.table.cell(earlier, "moves, without it")?.value() > Some(0.0));
//! }
//! assert_eq!(masked.table, open.table); // the table says both
//! assert!(masked.words().contains("exactly 0") && !open.words().contains("exactly 0"));
//! # Ok::<(), figures::Error>(())
//! ```

use attention::{Mask, Projections};

use crate::canvas::{Canvas, Size, Text};
use crate::control::{Control, Settings};
use crate::drawing::{Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{distance, exactly, fixed};
use crate::parts::nudge::{bars, name_tokens, nudge_controls};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "leak",
    title: "What a nudge to one token changes",
    caption: "The arrow nudges one token's vector, in the direction of feature 1. Each bar says how far that position's output moves: at the nudged \
              token, after it, and, unless the mask is on, before it. A position that cannot see the nudged token does \
              not move at all, which is said by a 0 without a bar.",
    controls,
    draw: draw::<Leak>,
};

fn controls(scene: &Scene) -> Vec<Control> {
    nudge_controls(scene, 0.5)
}

/// The numbers of the figure: how far each output moves when one token is nudged.
struct Leak {
    nudged: usize,
    nudge: f64,
    masked: bool,
    with_mask: Vec<f64>,    // [T]
    without_mask: Vec<f64>, // [T]
}

impl Steps for Leak {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let (nudged, nudge) = (settings.chosen("token"), settings.number("size"));
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
        Ok(Leak {
            nudged,
            nudge,
            masked: settings.is_on("mask"),
            with_mask: changes(&Mask::Causal)?,
            without_mask: changes(&Mask::None)?,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let Leak { nudged, with_mask, without_mask, .. } = self;
        let table =
            Table::new("output", ["moves, with the mask", "moves, without it"]).rows(
                scene.labels().into_iter().enumerate().map(|(place, label)| {
                    (label, [distance(with_mask[place]), distance(without_mask[place])])
                }),
            );
        let findings = Findings::new()
            .token("nudged", scene.label(*nudged))
            .number("size", self.nudge, 1)
            .cell("before-masked", exactly(most(&with_mask[..*nudged])))
            .cell("before-unmasked", exactly(most(&without_mask[..*nudged])))
            .number("own", with_mask[*nudged], 2)
            .count("earlier", *nudged);

        let earlier = most(&self.shown()[..*nudged]);
        let before = match nudged {
            0 => "No position comes before it.".to_owned(),
            _ if earlier == 0.0 => "The outputs before it do not move at all: exactly 0.".to_owned(),
            _ => format!("The outputs before it move by up to {}.", distance(earlier)),
        };
        let with = if self.masked { "With the mask on," } else { "Without the mask," };
        let own = format!(
            "{with} “{}” is nudged by {}; its own output moves by {}.",
            scene.label(*nudged),
            fixed(self.nudge, 1),
            distance(self.shown()[*nudged])
        );
        Description { table, findings, sentences: vec![own, before] }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let tokens = scene.tokens.len();
        let mut canvas = Canvas::new(size, 250.0);
        let (start, end) = (size.pick(46.0, 24.0), size.width() - size.pick(46.0, 24.0));
        let x = |place: usize| start + (end - start) * place as f64 / (tokens - 1) as f64;
        let (ceiling, floor) = (44.0, 176.0);
        let half = ((end - start) / tokens as f64 * 0.3).min(20.0);
        let furthest = most(&self.with_mask).max(most(&self.without_mask));

        canvas.text("how far each output moves", [2.0, 12.0], Text::START);
        bars(&mut canvas, self.shown(), furthest, [ceiling, floor], half, &x);
        name_tokens(&mut canvas, scene, self.nudged, floor + 20.0, half, &x);
        canvas
    }
}

impl Leak {
    /// How far each output moves under the mask that the reader has set.
    fn shown(&self) -> &[f64] {
        if self.masked { &self.with_mask } else { &self.without_mask }
    }
}

fn most(changes: &[f64]) -> f64 {
    changes.iter().copied().fold(0.0, f64::max)
}
