//! `paths`: two words of the sentence meet through every step between them, or in one step.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (paths, scene) = (figure("paths")?, Scene::default());
//! let drawing = paths.draw(&scene, &params([("gain", "0.5")]), Size::Wide)?;
//!
//! // Every step between, or one step.
//! assert_eq!(drawing.fact("chain-between")?.value(), Some(3.0));
//! assert_eq!(drawing.fact("attention-between")?.value(), Some(1.0));
//!
//! // The chain multiplies again and again; attention once, at any distance. (It passes on more than its weight
//! // times the change: the vector that moves is a key, too.)
//! for (step, row) in (1..).zip(&drawing.table.rows) {
//!     let arrives = drawing.table.cell(&row.name, "shrinking chain")?.value().unwrap();
//!     assert!((arrives - 0.5_f64.powi(step)).abs() < 1e-12);
//!     assert_eq!(drawing.table.cell(&row.name, "attention")?, drawing.fact("look-up")?);
//! }
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::attention;
use attention::study::{Activation, Dependencies, Recurrence, look_up_jacobian_norm};
use ndarray::Array2;

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::{Labels, in_a_row};
use crate::numbers::fixed;
use crate::parts::weights::answering;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "paths",
    title: "Every step between, or one step",
    caption: "Above: how one word's influence reaches another, through a recurrent chain (every step between) and \
              through attention (one step). Below: how much of a small change arrives after so many steps of the \
              chain, as the root mean square over all directions of the change, on a logarithmic scale. A step that \
              multiplies by a fixed factor does so again and again; attention passes the change on once, through key \
              and value, at any distance.",
    controls,
    draw: draw::<Paths>,
};

fn controls(_: &Scene) -> Vec<Control> {
    vec![
        Control::slider("gain", "A step multiplies by", [0.5, 0.95], 0.05, 0.8),
        Control::toggle("tanh", "Squash each state with tanh", false),
    ]
}

/// How many steps the chain is followed back.
const STEPS: usize = 20;

/// The angle by which each step turns the state. It changes no length; without it the chain would be two
/// chains of single numbers.
const TURN: f64 = 0.6;

/// A long text, to set beside the sentence.
const LONG: usize = 1000;

/// What is counted on a graph: the steps of the longest path between two tokens, and the operations that wait for
/// one another.
#[derive(Clone, Copy)]
struct Counts {
    path: usize,
    operations: usize,
}

impl Counts {
    fn of(graph: &Dependencies) -> Self {
        Counts { path: graph.longest_path(), operations: graph.sequential_operations() }
    }
}

/// The counts of a long text, of the chain and of attention: the same whatever the reader chooses, so made once.
static LONG_COUNTS: LazyLock<[Counts; 2]> = LazyLock::new(|| {
    [Counts::of(&Dependencies::recurrent(LONG)), Counts::of(&Dependencies::attention(LONG))]
});

/// The numbers of the figure: two words, the ways between them, and what arrives of a change.
struct Paths {
    gain: f64,
    /// The word that asks, and the other one that it gives most weight to.
    asks: usize,
    answers: usize,
    weight: f64,
    /// How much of a small change of that word's vector arrives in the output of the one that asks.
    look_up: f64,
    /// Steps between the two words, in the chain and in attention.
    between: [usize; 2],
    /// Of the sentence, in the chain and in attention.
    counts: [Counts; 2],
    /// What is left of a small change after so many steps of a chain that multiplies by the gain, and of one that
    /// divides by it. `[STEPS + 1]`
    shrinks: Vec<f64>,
    grows: Vec<f64>,
}

impl Steps for Paths {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let gain = settings.number("gain");
        let activation = if settings.is_on("tanh") { Activation::Tanh } else { Activation::Linear };
        let tokens = scene.tokens.len();

        let vectors = scene.vectors(); // [T, 2]
        let weights = attention(&vectors, &vectors, &vectors)?.weights; // [T, T]
        let asks = scene.query_place();
        let answers = answering(scene, &weights);

        // Count the steps between them on the graphs themselves.
        let graphs = [Dependencies::recurrent(tokens), Dependencies::attention(tokens)];
        let (early, late) = (asks.min(answers), asks.max(answers));
        let between = |graph: &Dependencies| graph.distances(early)[late].unwrap_or(0);

        // Follow a small change back through the chain: the sentence, read again and again.
        let inputs = Array2::from_shape_fn((STEPS + 1, 2), |(t, feature)| {
            vectors[[t % tokens, feature]] / (2.0 * Scene::LARGEST_COORDINATE.min(largest(&vectors)))
        }); // [STEPS + 1, 2]
        let stretch = |gain| Recurrence::rotation(gain, TURN, activation).jacobian_norms(&inputs);
        Ok(Paths {
            gain,
            asks,
            answers,
            weight: weights[[asks, answers]],
            look_up: look_up_jacobian_norm(&vectors, asks, answers)?,
            between: graphs.each_ref().map(between),
            counts: graphs.each_ref().map(Counts::of),
            shrinks: stretch(gain)?,
            grows: stretch(1.0 / gain)?,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let columns = ["shrinking chain", "growing chain", "attention"];
        let table = Table::new("steps back", columns).rows((1..=STEPS).map(|step| {
            let cells = [
                Cell::number(self.shrinks[step], 4),
                Cell::number(self.grows[step], 2),
                Cell::number(self.look_up, 2),
            ];
            (step.to_string(), cells)
        }));
        let (early, late) = self.in_order();
        let (shrunk, grown) = (self.shrinks[STEPS], self.grows[STEPS]);
        let [chain, lookup] = self.between;
        let sentences = vec![
            format!(
                "Through the chain “{}” reaches “{}” in {}; through attention in {}.",
                scene.label(early),
                scene.label(late),
                steps(chain),
                steps(lookup)
            ),
            format!(
                "After {STEPS} steps of the chain, {} of a small change is left where a step multiplies by {}, and it \
                 has become {} times as large where a step multiplies by {}.",
                fixed(shrunk, 3),
                fixed(self.gain, 2),
                fixed(grown, if grown < 10.0 { 2 } else { 0 }),
                fixed(1.0 / self.gain, 2)
            ),
            format!(
                "Attention passes it on once: {} of it arrives, through a key and a value with weight {}.",
                fixed(self.look_up, 2),
                fixed(self.weight, 2)
            ),
        ];
        Description { table, findings: self.findings(scene), sentences }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(530.0, 500.0));
        let (early, late) = self.in_order();
        sentence(&mut canvas, scene, early, late, self.asks);
        let floor = canvas.height - 44.0;
        let chart_top = size.pick(278.0, 268.0);
        let decades = decades(&[&self.shrinks, &self.grows, &vec![self.look_up]]);
        let chart = Chart {
            x: Axis::linear(0.0..STEPS as f64, 56.0..canvas.width() - size.pick(140.0, 12.0)),
            y: Axis::log(power_of_ten(-decades)..power_of_ten(decades), floor..chart_top),
        };
        self.curves(&mut canvas, &chart, decades);
        canvas
    }
}

impl Paths {
    /// The places of the two words, the earlier first.
    fn in_order(&self) -> (usize, usize) {
        (self.asks.min(self.answers), self.asks.max(self.answers))
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let [chain_between, attention_between] = self.between;
        let [chain, lookups] = self.counts;
        let [long_chain, long_lookups] = *LONG_COUNTS;
        let near = chain_between.min(STEPS);
        Findings::new()
            .token("asks", scene.label(self.asks))
            .token("answers", scene.label(self.answers))
            .number("weight", self.weight, 2)
            .number("look-up", self.look_up, 2)
            .number("gain", self.gain, 2)
            .number("growth", 1.0 / self.gain, 2)
            .number("shrunk", self.shrinks[near], 2)
            .number("grown", self.grows[near], 2)
            .number("shrunk-far", self.shrinks[STEPS], 3)
            .number("grown-far", self.grows[STEPS], 0)
            .count("far", STEPS)
            .count("tokens", scene.tokens.len())
            .count("chain-between", chain_between)
            .count("attention-between", attention_between)
            .count("chain-path", chain.path)
            .count("attention-path", lookups.path)
            .count("chain-operations", chain.operations)
            .count("attention-operations", lookups.operations)
            .count("long", LONG)
            .count("long-chain-path", long_chain.path)
            .count("long-attention-path", long_lookups.path)
            .count("long-chain-operations", long_chain.operations)
            .count("long-attention-operations", long_lookups.operations)
    }

    /// What is left of a small change after so many steps.
    fn curves(&self, canvas: &mut Canvas, chart: &Chart, decades: i32) {
        let every = if decades > 4 { 2 } else { 1 };
        for power in (-decades..=decades).filter(|power| power % every == 0) {
            let digits = usize::try_from(-power).unwrap_or(0);
            chart.left(canvas, &[power_of_ten(power)], digits.min(8), "");
        }
        let measured = canvas.size.pick(
            "what arrives of a change of 1: root mean square (log scale)",
            "root mean square that arrives (log scale)",
        );
        chart.left(canvas, &[], 0, measured);
        let ticks: Vec<f64> = (0..=STEPS).step_by(5).map(|step| step as f64).collect();
        chart.bottom(canvas, &ticks, 0, "steps of the chain between them");

        let inside = power_of_ten(-decades)..=power_of_ten(decades);
        let mut follow = |curve: &[f64], stroke: Stroke, name: String, slant: f64| {
            let points: Vec<_> =
                curve.iter().copied().enumerate().filter(|(_, value)| inside.contains(value)).collect();
            chart.curve(canvas, points.iter().map(|&(step, value)| (step as f64, value)), stroke);
            // The name stands behind the curve's end, or, where there is no room, beside its middle.
            let (place, text) = match canvas.size {
                Size::Wide => (points.last(), Text::START),
                Size::Narrow if slant == 0.0 => (points.last(), Text::END),
                Size::Narrow => (points.get(points.len() / 2), Text::END),
            };
            if let Some(&(step, value)) = place {
                let [x, y] = chart.at(step as f64, value);
                let at = canvas.size.pick([x + 8.0, y], [x, y + if slant == 0.0 { 13.0 } else { slant }]);
                canvas.text(&name, at, text.role(stroke.role).bold());
            }
        };
        let chain = Stroke::new(Role::Warn, 2.6);
        let a_step = |gain: f64| format!("× {} a step", fixed(gain, 2));
        follow(&self.grows, chain, a_step(1.0 / self.gain), -12.0);
        follow(&self.shrinks, chain.dashed(), a_step(self.gain), 12.0);
        let attention = format!("attention, × {}", fixed(self.look_up, 2));
        follow(&[self.look_up; STEPS + 1], Stroke::new(Role::Ink, 2.6), attention, 0.0);
    }
}

/// “1 step”, “3 steps”.
fn steps(number: usize) -> String {
    format!("{number} {}", if number == 1 { "step" } else { "steps" })
}

fn power_of_ten(power: i32) -> f64 {
    libm::exp10(f64::from(power))
}

/// The size of the largest coordinate, or 1 if all are 0.
fn largest(vectors: &Array2<f64>) -> f64 {
    let largest = vectors.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// How many powers of ten above and below 1 the curves need, from 2 to 8.
fn decades(curves: &[&Vec<f64>]) -> i32 {
    let far = curves.iter().flat_map(|curve| curve.iter()).filter(|value| **value > 0.0);
    let far = far.map(|value| libm::log10(*value).abs()).fold(0.0, f64::max);
    // The end of a curve is not to lie on the frame.
    ((far + 0.2).ceil() as i32).clamp(2, 8)
}

/// The sentence twice: with the chain's path between the two words, and with attention's.
fn sentence(canvas: &mut Canvas, scene: &Scene, early: usize, late: usize, asks: usize) {
    let tokens = scene.tokens.len();
    let (start, end) = (canvas.size.pick(60.0, 22.0), canvas.width() - canvas.size.pick(60.0, 22.0));
    let x = |place: usize| start + (end - start) * place as f64 / (tokens - 1) as f64;
    let radius = (160.0 / tokens as f64).clamp(2.0, canvas.size.pick(11.0, 9.0));

    // The recurrent chain: each state waits for the one before it.
    let (states, words) = (62.0, 100.0);
    canvas.text("recurrent: every step between", [4.0, 14.0], Text::START.bold());
    for t in 1..tokens {
        let on_path = t > early && t <= late;
        let stroke = if on_path { Stroke::new(Role::Warn, 4.0) } else { Stroke::new(Role::Line, 1.4) };
        canvas.arrow([x(t - 1) + radius + 1.0, states], [x(t) - radius - 2.0, states], stroke);
    }
    for t in 0..tokens {
        let on_path = (early..=late).contains(&t);
        canvas.line([x(t), words - 11.0], [x(t), states + radius], Stroke::new(Role::Line, 1.0));
        if on_path {
            canvas.disc([x(t), states], radius, Role::Warn, 1.0);
        } else {
            canvas.ring([x(t), states], radius, Stroke::new(Role::Line, 1.4));
        }
    }
    name_tokens(canvas, scene, [early, late], words, &x);

    // Attention: the word that asks looks the other one up.
    let words = 218.0;
    canvas.text("attention: one step", [4.0, 140.0], Text::START.bold());
    let answers = if asks == late { early } else { late };
    let (from, to) = (x(answers), x(asks));
    let arc: Vec<Place> = (0..=40)
        .map(|part| {
            let share = f64::from(part) / 40.0;
            [from + (to - from) * share, words - 12.0 - 52.0 * 4.0 * share * (1.0 - share)]
        })
        .collect();
    canvas.path(&arc, Stroke::new(Role::Ink, 4.0));
    canvas.arrow_head(arc[37], arc[40], Stroke::new(Role::Ink, 4.0));
    name_tokens(canvas, scene, [early, late], words, &x);
}

/// The words below their places: the two that matter first, of the others those that fit.
fn name_tokens(canvas: &mut Canvas, scene: &Scene, pair: [usize; 2], y: f64, x: &dyn Fn(usize) -> f64) {
    let mut labels = Labels::within([0.0, y - 12.0], [canvas.width(), y + 12.0]);
    let others = (0..scene.tokens.len()).filter(|place| !pair.contains(place));
    let names = in_a_row(&scene.texts(), x, canvas.width(), 1);
    for place in pair.into_iter().chain(others) {
        let how = if pair.contains(&place) { Text::CENTRE.bold() } else { Text::CENTRE.role(Role::Muted) };
        let (name, x) = &names[place];
        labels.centre(canvas, name, [*x, y], how);
    }
}
