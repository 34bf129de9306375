//! `mixing`: one token is nudged; whose rows change in the parts of a block, each alone, and in the whole block?
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (mixing, scene) = (figure("mixing")?, Scene::default());
//! let drawing = mixing.draw(&scene, &Params::new(), Size::Wide)?;
//! // LayerNorm and the MLP move no row but the nudged one.
//! for part in ["norm-changed", "mlp-changed"] {
//!     assert_eq!(drawing.fact(part)?.to_string(), "1");
//! }
//!
//! // Attention moves those of all that may look at it: itself and those after it, and without a mask everybody.
//! let moved = |drawing: &figures::Drawing| -> Vec<bool> {
//!     let attention = |row: &figures::Row| row.cells[1].to_string() != "0";
//!     drawing.table.rows.iter().map(attention).collect()
//! };
//! assert_eq!(moved(&drawing), [false, false, false, true, true, true, true]); // “because” is nudged
//! let unmasked = mixing.draw(&scene, &params([("mask", "off")]), Size::Wide)?;
//! assert_eq!(moved(&unmasked), [true; 7]);
//! # Ok::<(), figures::Error>(())
//! ```

use std::ops::Range;

use attention::{Block, Mask, NormPlace, State, Step};
use ndarray::Array2;

use crate::canvas::{Canvas, Size, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{distance, exactly, fixed};
use crate::parts::nudge::{bars, name_tokens, nudge_controls};
use crate::parts::untrained::{embedded, untrained};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "mixing",
    title: "Attention mixes tokens, norm and MLP do not",
    caption: "One token's feature 1 is nudged, and each part of the block is run with and without the nudge. The bars \
              say how far each token's row moves (the length of the change), all on one scale; a 0 without a bar is \
              exactly 0. LayerNorm and the MLP move no row but the nudged one; attention moves those of all that may \
              look at it. Tokens and matrices are those of the block above, pre-norm.",
    controls,
    draw: draw::<Nudged>,
};

fn controls(scene: &Scene) -> Vec<Control> {
    nudge_controls(scene, 1.0)
}

/// What is run: a part of the block alone, or all of it.
#[derive(Clone, Copy)]
enum Part {
    Norm,
    Attention,
    Mlp,
    Block,
}

impl Part {
    const ALL: [Part; 4] = [Part::Norm, Part::Attention, Part::Mlp, Part::Block];

    fn steps(self) -> Vec<Step> {
        match self {
            Part::Norm => vec![Step::FirstNorm],
            Part::Attention => vec![Step::Attention],
            Part::Mlp => vec![Step::Mlp],
            Part::Block => NormPlace::Pre.steps().to_vec(),
        }
    }

    fn name(self) -> String {
        match self.steps()[..] {
            [step] => format!("{} alone", step.name()),
            _ => "the whole block".to_owned(),
        }
    }

    /// What it makes of x. `x` `[T, d]` → `[T, d]`
    fn run(self, block: &Block, x: &Array2<f64>, mask: &Mask) -> Result<Array2<f64>> {
        let mut state = State { x: x.clone(), residual: None };
        for step in self.steps() {
            state = block.run_step(step, state, mask)?;
        }
        Ok(state.x)
    }
}

/// How far each token's row moves in each part. `[parts][T]`
type Changes = [Vec<f64>; 4];

/// The numbers of the figure: how far a nudge moves the rows.
struct Nudged {
    nudged: usize,
    nudge: f64,
    masked: bool,
    under_mask: Changes,
    without_mask: Changes,
}

impl Steps for Nudged {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let (nudged, nudge) = (settings.chosen("token"), settings.number("size"));
        let block = untrained(NormPlace::Pre)?;
        let x = embedded(scene); // [T, d]
        let mut moved = x.clone(); // [T, d]
        moved[[nudged, 0]] += nudge;
        let under = |mask: Mask| -> Result<Changes> {
            let mut changes = Changes::default();
            for part in Part::ALL {
                let change = part.run(&block, &moved, &mask)? - part.run(&block, &x, &mask)?; // [T, d]
                changes[part as usize] =
                    change.rows().into_iter().map(|row| libm::sqrt(row.dot(&row))).collect();
            }
            Ok(changes)
        };
        Ok(Nudged {
            nudged,
            nudge,
            masked: settings.is_on("mask"),
            under_mask: under(Mask::Causal)?,
            without_mask: under(Mask::None)?,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let row = |(place, label): (usize, &str)| {
            (label.to_owned(), Part::ALL.map(|part| distance(self.shown(part)[place])))
        };
        let table = Table::new("token", Part::ALL.map(Part::name))
            .rows(scene.labels().into_iter().enumerate().map(row));
        Description { table, findings: self.findings(scene), sentences: self.sentences(scene) }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        const STRIP: f64 = 96.0;
        let tokens = scene.tokens.len();
        let floor = |part: usize| STRIP * (part as f64 + 1.0) - 8.0;
        let mut canvas = Canvas::new(size, STRIP * Part::ALL.len() as f64 + 60.0);
        let (start, end) = (size.pick(46.0, 24.0), size.width() - size.pick(46.0, 24.0));
        let x = |place: usize| start + (end - start) * place as f64 / (tokens - 1) as f64;
        let half = ((end - start) / tokens as f64 * 0.3).min(20.0);
        let all = self.under_mask.iter().chain(&self.without_mask);
        let furthest = all.flatten().copied().fold(0.0, f64::max);
        for (place, part) in Part::ALL.into_iter().enumerate() {
            let top = floor(place) - 76.0;
            canvas.text(&part.name(), [2.0, top], Text::START.bold());
            let moves = format!("{} of {tokens} rows move", changed(self.shown(part)));
            canvas.text(&moves, [canvas.width() - 2.0, top], Text::END.role(Role::Muted));
            bars(&mut canvas, self.shown(part), furthest, [top + 32.0, floor(place)], half, &x);
        }
        name_tokens(&mut canvas, scene, self.nudged, floor(Part::ALL.len() - 1) + 20.0, half, &x);
        canvas
    }
}

impl Nudged {
    /// How far each row moves in a part, under the mask or without it, as the reader wants it. `[T]`
    fn shown(&self, part: Part) -> &[f64] {
        let changes = if self.masked { &self.under_mask } else { &self.without_mask };
        &changes[part as usize]
    }

    /// How far the nudged row itself moves.
    fn own(&self, part: Part) -> f64 {
        self.shown(part)[self.nudged]
    }

    /// How far the furthest of some rows moves, without the nudged one.
    fn others(&self, part: Part, among: Range<usize>) -> f64 {
        let others = among.filter(|&place| place != self.nudged);
        others.map(|place| self.shown(part)[place]).fold(0.0, f64::max)
    }

    /// How far the furthest of those before the nudged one moves.
    fn before(&self, part: Part) -> f64 {
        self.others(part, 0..self.nudged)
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let tokens = scene.tokens.len();
        let moved = |part: Part| changed(self.shown(part));
        let moved_if = |changes: &Changes| changed(&changes[Part::Attention as usize]);
        let rest = |part: Part| exactly(self.others(part, 0..tokens));
        Findings::new()
            .token("nudged", scene.label(self.nudged))
            .number("size", self.nudge, 1)
            .count("tokens", tokens)
            .count("earlier", self.nudged)
            .count("later", tokens - 1 - self.nudged)
            .count("norm-changed", moved(Part::Norm))
            .count("attention-changed", moved(Part::Attention))
            .count("mlp-changed", moved(Part::Mlp))
            .count("block-changed", moved(Part::Block))
            .count("attention-changed-masked", moved_if(&self.under_mask))
            .count("attention-changed-unmasked", moved_if(&self.without_mask))
            .number("norm-own", self.own(Part::Norm), 2)
            .number("attention-own", self.own(Part::Attention), 2)
            .number("mlp-own", self.own(Part::Mlp), 2)
            .number("block-own", self.own(Part::Block), 2)
            .cell("norm-others", rest(Part::Norm))
            .cell("attention-others", rest(Part::Attention))
            .cell("mlp-others", rest(Part::Mlp))
            .cell("block-others", rest(Part::Block))
            .cell("attention-before", exactly(self.before(Part::Attention)))
            .cell("block-before", exactly(self.before(Part::Block)))
    }

    fn sentences(&self, scene: &Scene) -> Vec<String> {
        let both = |[one, other]: [&str; 2], parts: [Part; 2]| {
            let [ones, others] = parts.map(|part| self.rows(part));
            match ones == others {
                true => format!("{one} and {other} change {ones}."),
                false => format!("{one} changes {ones}, {other} {others}."),
            }
        };
        let mask = if self.masked { "With the mask on," } else { "Without the mask," };
        let (label, nudge) = (scene.label(self.nudged), fixed(self.nudge, 1));
        vec![
            format!("{mask} “{label}” is nudged by {nudge}."),
            both(["LayerNorm alone", "the MLP alone"], [Part::Norm, Part::Mlp]),
            both(["Attention alone", "the whole block"], [Part::Attention, Part::Block]),
        ]
    }

    /// How many rows a part moves, and which, in words.
    fn rows(&self, part: Part) -> String {
        let tokens = self.shown(part).len();
        match changed(self.shown(part)) {
            1 if self.own(part) != 0.0 => "its row alone".to_owned(),
            count if count == tokens => format!("all {tokens} rows"),
            count if self.masked && count == tokens - self.nudged && self.before(part) == 0.0 => {
                format!("{count} rows, its own and those after it")
            }
            count => format!("{count} of {tokens} rows"),
        }
    }
}

/// How many rows move at all.
fn changed(changes: &[f64]) -> usize {
    changes.iter().filter(|change| **change != 0.0).count()
}
