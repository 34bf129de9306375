//! `looking`: a right answer is no proof that a head looked.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (looking, scene) = (figure("looking")?, Scene::default());
//! let drawn = looking.draw(&scene, &Params::new(), Size::Wide)?;
//! let number = |finding: &str| Ok::<_, figures::Error>(drawn.fact(finding)?.value().unwrap());
//! // With even weights nobody looks, and without an MLP half of it is guesswork.
//! assert!(number("even-most")? < 0.9);
//! // With an MLP the same even weights do.
//! assert!(number("even-mlp-least")? > 0.98);
//! // And the network of the book, which looked, does not do without.
//! assert!(number("evened")? < 40.0 && number("before")? == 64.0);
//! // With pairs of nouns that training never had, even weights do worse.
//! let held_out = looking.draw(&scene, &params([("pairs", "held-out")]), Size::Wide)?;
//! assert!(held_out.fact("even-most")?.value() < drawn.fact("even-most")?.value());
//! # Ok::<(), figures::Error>(())
//! ```

use attention::Transformer;
use attention::study::{Reading, Sentences, Sort};
use attention::trained::{Attempt, Attempts};

use crate::canvas::{Canvas, Size, Stroke, Text};
use crate::chart::Axis;
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::fixed;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "looking",
    title: "Who is right, and who looked",
    caption: "Five kinds of network, trained on the same language with twelve seeds each: a dot is a network. On the left, \
              how often its guess is right in the end (a third would be chance). On the right, how much of its weight \
              the pronoun gives to its noun where there are two. Networks that guess equally well need not look equally \
              much.",
    controls,
    draw: draw::<Looking>,
};

fn controls(_: &Scene) -> Vec<Control> {
    let pairs = [("seen", "seen in training"), ("held-out", "never seen in training")];
    vec![Control::choice("pairs", "Pairs of nouns", pairs, 0)]
}

/// The room between the two halves.
const BETWEEN: f64 = 44.0;

/// When a network counts as one that has learned.
const LEARNED: f64 = 0.99;

/// The numbers of the figure: how networks fared, kind by kind.
struct Looking {
    held_out: bool,
    kinds: Vec<(String, Vec<Attempt>)>,
    /// How often the network of figure `roles` is right, as it is and with its queries set to 0 after training.
    evened: [f64; 2],
}

impl Steps for Looking {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let mut kinds: Vec<(String, Vec<Attempt>)> = vec![];
        for attempt in Attempts::roles() {
            match kinds.iter_mut().find(|(name, _)| *name == attempt.network) {
                Some((_, attempts)) => attempts.push(attempt),
                None => kinds.push((attempt.network.clone(), vec![attempt])),
            }
        }
        let held_out = settings.chosen("pairs") == 1;
        Ok(Self { held_out, kinds, evened: evened(held_out)? })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns =
            ["steps to 0.99", "right", "right, pairs held out", "weight, one noun", "weight, two nouns"];
        let mut table = Table::new("network", columns);
        for it in self.kinds.iter().flat_map(|(_, attempts)| attempts) {
            let steps = it.learned_at.map_or(Cell::words("never"), |step| Cell::count(step as u64));
            let numbers = [it.seen, it.held_out, it.weight_one, it.weight_two];
            let numbers = numbers.map(|number| Cell::number(number, 2));
            table = table
                .row(format!("{}, seed {}", it.network, it.seed), [vec![steps], numbers.to_vec()].concat());
        }
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let (row, top) = (size.pick(44.0, 58.0), 30.0);
        let height = top + row * self.kinds.len() as f64 + 40.0;
        let mut canvas = Canvas::new(size, height);
        // On a phone the names stand above their dots.
        let left = size.pick(196.0, 14.0);
        let width = (canvas.width() - left - 14.0 - BETWEEN) / 2.0;
        let right = Axis::linear(0.0..1.0, left..left + width);
        let weight = Axis::linear(0.0..1.0, left + width + BETWEEN..left + 2.0 * width + BETWEEN);
        let bottom = height - 40.0;
        for (axis, name) in [(&right, "right guesses"), (&weight, "weight on the noun")] {
            for tick in [0.0, 0.5, 1.0] {
                let x = axis.at(tick);
                canvas.line([x, top], [x, bottom], Stroke::new(Role::Grid, 1.0));
                canvas.text(&fixed(tick, 1), [x, bottom + 14.0], Text::CENTRE.role(Role::Muted));
            }
            canvas.text(name, [axis.at(0.0), 12.0], Text::START.role(Role::Muted));
        }
        let chance = right.at(1.0 / 3.0);
        canvas.line([chance, top], [chance, bottom], Stroke::new(Role::Line, 1.0).dashed());
        canvas.text("chance", [chance, bottom + 30.0], Text::CENTRE.role(Role::Muted));
        for (k, (name, attempts)) in self.kinds.iter().enumerate() {
            let y = top + row * (k as f64 + 0.5);
            let at = size.pick([left - 14.0, y], [left, y - 18.0]);
            canvas.text(name, at, size.pick(Text::END, Text::START));
            canvas.group(&[], |canvas| {
                for (n, it) in attempts.iter().enumerate() {
                    // Each a little lower than the one before, so that equal ones can be told apart.
                    let y = y + (n as f64 - 5.5) * 1.8 + size.pick(0.0, 8.0);
                    canvas.disc([right.at(self.right(it)), y], 3.5, Role::Output, 0.7);
                    canvas.disc([weight.at(it.weight_two), y], 3.5, Role::Weight, 0.9);
                }
            });
        }
        canvas
    }
}

/// So many sentences are enough to see it, and few enough to be read while somebody waits.
const READ: usize = 64;

/// How often the network of figure `roles` is right, as it is and with queries of 0, on the first [`READ`] sentences.
fn evened(held_out: bool) -> Result<[f64; 2]> {
    let sort = Sort { fillers: 2, states: false };
    let mut sentences = if held_out { Sentences::held_out(sort) } else { Sentences::evaluation(sort) };
    sentences.truncate(READ);
    let model = Transformer::roles();
    let mut even = model.clone();
    even.stack.blocks[0].attention.heads[0].projections.query.fill(0.0); // [d, d_k]
    Ok([Reading::of(&model, &sentences)?.right, Reading::of(&even, &sentences)?.right])
}

impl Looking {
    /// How often a network is right, on the sentences that were chosen.
    fn right(&self, it: &Attempt) -> f64 {
        if self.held_out { it.held_out } else { it.seen }
    }

    /// The least and the largest share of right guesses, over the networks of a kind.
    fn rights(&self, kind: usize) -> [f64; 2] {
        spread(self.kinds[kind].1.iter().map(|it| self.right(it)))
    }

    /// The least and the largest weight on the noun, over the networks of a kind that have learned it; over all, if none
    /// has.
    fn weights(&self, kind: usize) -> [f64; 2] {
        let all = &self.kinds[kind].1;
        let none = self.learned(kind) == 0;
        spread(all.iter().filter(|it| none || self.right(it) >= LEARNED).map(|it| it.weight_two))
    }

    /// How many networks of a kind have learned it.
    fn learned(&self, kind: usize) -> usize {
        self.kinds[kind].1.iter().filter(|it| self.right(it) >= LEARNED).count()
    }

    fn findings(&self) -> Findings {
        let [even, even_mlp] = [2, 4].map(|kind| self.rights(kind));
        let weights = |kind| self.weights(kind);
        Findings::new()
            .count("seeds", self.kinds[0].1.len())
            .count("learned", self.learned(0))
            .number("weight-least", weights(0)[0], 2)
            .number("weight-most", weights(0)[1], 2)
            .count("one-matrix-learned", self.learned(1))
            .number("one-matrix-weight-least", weights(1)[0], 2)
            .number("one-matrix-weight-most", weights(1)[1], 2)
            .count("even-learned", self.learned(2))
            .number("even-least", even[0], 2)
            .number("even-most", even[1], 2)
            .number("even-weight", weights(2)[0], 2)
            .count("mlp-learned", self.learned(3))
            .number("mlp-weight-least", weights(3)[0], 2)
            .number("mlp-weight-most", weights(3)[1], 2)
            .count("even-mlp-learned", self.learned(4))
            .number("even-mlp-least", even_mlp[0], 2)
            .count("read", READ)
            .count("before", (self.evened[0] * READ as f64).round() as usize)
            .count("evened", (self.evened[1] * READ as f64).round() as usize)
    }

    fn sentences(&self) -> Vec<String> {
        let of = |kind: usize| {
            let (name, attempts) = &self.kinds[kind];
            let ([least, most], [least_weight, most_weight]) = (self.rights(kind), self.weights(kind));
            format!(
                "{name}: {} of {} learned it, right {} to {}, weight on the noun {} to {}.",
                self.learned(kind),
                attempts.len(),
                fixed(least, 2),
                fixed(most, 2),
                fixed(least_weight, 2),
                fixed(most_weight, 2),
            )
        };
        (0..self.kinds.len()).map(of).collect()
    }
}

/// The least and the largest of some numbers.
fn spread(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], it| [least.min(it), most.max(it)])
}
