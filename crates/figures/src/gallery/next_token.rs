//! `next-token`: position i sees the tokens up to and including i, and its output predicts token i + 1.
//!
//! ```
//! use figures::{Cell, Scene, Size, figure, params};
//!
//! let scene = Scene::default();
//! let drawn = |position| figure("next-token")?.draw(&scene, &params([("position", position)]), Size::Wide);
//!
//! // A position sees its own token and those before it, and predicts the one that comes next.
//! let third = drawn("3")?;
//! assert_eq!(third.fact("position")?, &Cell::count(2)); // counted from 0
//! assert_eq!(third.fact("sees")?, &Cell::count(3));
//! assert_eq!(third.fact("target")?, &Cell::token(&scene.tokens[3].label));
//!
//! // The last one predicts what is not written yet.
//! assert_eq!(drawn("7")?.fact("target")?.to_string(), "not written yet");
//! # Ok::<(), figures::Error>(())
//! ```

use std::borrow::Cow;

use attention::{Mask, shift};

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::fit;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "next-token",
    title: "Each position predicts the next token",
    caption: "A model that writes: each position takes in its own token and those before it (what the causal mask \
              allows), and its output is used to predict the token that comes next. The targets are the inputs, \
              shifted by one; the last position predicts what is not written yet.",
    controls,
    draw: draw::<NextToken>,
};

fn controls(scene: &Scene) -> Vec<Control> {
    // The one before the query token: what it predicts is the query token.
    vec![Control::token("position", "Position", scene, scene.query_place().saturating_sub(1))]
}

/// More columns than this do not fit beside one another.
const MOST_COLUMNS: usize = 8;

/// The numbers of the figure: what each position sees, and what it is to predict.
struct NextToken {
    position: usize,
    /// How many tokens each position sees.
    seen: Vec<usize>,
    /// The token that each position predicts; of the last there is none yet.
    targets: Vec<String>,
}

impl Steps for NextToken {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let labels = scene.labels();
        let seen = |place: usize| (0..labels.len()).filter(|&other| sees(place, other)).count();
        let (_, targets) = shift(&labels);
        Ok(NextToken {
            position: settings.chosen("position"),
            seen: (0..labels.len()).map(seen).collect(),
            targets: targets.iter().map(|target| (*target).to_owned()).collect(),
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let &NextToken { position, .. } = self;
        let target = |place| self.target(place).map_or(Cell::words("not written yet"), Cell::token);
        let seen = |place: usize| Cell::count(self.seen[place] as u64);
        let row = |(place, label): (usize, &str)| {
            (place.to_string(), [Cell::token(label), seen(place), target(place)])
        };
        let labels = scene.labels().into_iter().enumerate();
        let table = Table::new("position", ["input", "tokens it sees", "predicts"]).rows(labels.map(row));
        let findings = Findings::new()
            .count("position", position)
            .token("input", scene.label(position))
            .count("sees", self.seen[position])
            .cell("target", target(position))
            .count("examples", self.targets.len());

        let sees = match self.seen[position] {
            1 => "only its own token".to_owned(),
            count => format!("{count} tokens, its own among them"),
        };
        let predicts = match self.target(position) {
            Some(next) => format!("“{next}”"),
            None => "what is not written yet".to_owned(),
        };
        let (tokens, examples, input) = (scene.tokens.len(), self.targets.len(), scene.label(position));
        let sentences = vec![
            format!("Position {position} takes in “{input}”, sees {sees}, and predicts {predicts}."),
            format!("One sentence of {tokens} tokens gives {examples} examples to learn from."),
        ];
        Description { table, findings, sentences }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let tokens = scene.tokens.len();
        // In a long sentence, the columns around the position.
        let columns = tokens.min(size.pick(MOST_COLUMNS, 4));
        let first = self.position.saturating_sub(columns - 2).min(tokens - columns);
        let mut canvas = Canvas::new(size, 214.0);
        let left = size.pick(92.0, 66.0);
        let step = (size.width() - left) / columns as f64;
        let x = |place: usize| left + step * ((place - first) as f64 + 0.5);
        for (name, y) in [("target", TARGETS), ("position", POSITIONS), ("input", INPUTS)] {
            canvas.text(name, [2.0, y], Text::START.role(Role::Muted));
        }
        let labels = fit(&scene.labels(), step - 6.0);
        for place in first..first + columns {
            let choose = format!("position={}", place + 1);
            canvas.group(&[("data-set", &choose)], |canvas| {
                self.column(canvas, &labels, place, x(place), step)
            });
        }
        // Who is seen from the chosen position.
        for place in (first..first + columns).filter(|&place| sees(self.position, place)) {
            let from = [x(place), INPUTS - 12.0];
            let [far, down] = [x(self.position) - from[0], from[1] - POSITIONS];
            let reach = 16.0 / libm::hypot(far, down);
            let to = [x(self.position) - far * reach, POSITIONS + down * reach];
            canvas.arrow(from, to, Stroke::new(Role::Weight, 2.0));
        }
        if columns < tokens {
            let note = format!("positions {first} to {}, of {tokens} tokens", first + columns - 1);
            canvas.text(&note, [left, 204.0], Text::START.role(Role::Muted));
        }
        canvas
    }
}

/// Where what is predicted stands, the position that predicts it, and what comes in.
const TARGETS: f64 = 22.0;
const POSITIONS: f64 = 100.0;
const INPUTS: f64 = 180.0;

fn sees(place: usize, other: usize) -> bool {
    Mask::Causal.allows(place, other)
}

impl NextToken {
    fn target(&self, place: usize) -> Option<&str> {
        self.targets.get(place).map(String::as_str)
    }

    /// A position: what is predicted above, what comes in below, its own number between.
    fn column(&self, canvas: &mut Canvas, labels: &[Cow<str>], place: usize, x: f64, step: f64) {
        let chosen = place == self.position;
        let bold_if = |is: bool| if is { Text::CENTRE.bold() } else { Text::CENTRE };
        let stroke = if chosen { Stroke::new(Role::Output, 2.6) } else { Stroke::new(Role::Line, 1.2) };
        canvas.bar([x - step / 2.0, 4.0], [x + step / 2.0, 200.0], Role::Line, HIT);
        canvas.arrow([x, POSITIONS - 17.0], [x, TARGETS + 14.0], stroke);
        canvas.ring([x, POSITIONS], 14.0, stroke);
        canvas.text(&place.to_string(), [x, POSITIONS], bold_if(chosen));
        let how = if chosen { Text::CENTRE.role(Role::Output).bold() } else { Text::CENTRE };
        let target = labels.get(place + 1).map_or("?", |label| label);
        canvas.text(target, [x, TARGETS], how);
        canvas.text(&labels[place], [x, INPUTS], bold_if(sees(self.position, place)));
    }
}
