//! `growth`: an induction head in training: losses and scores against the steps.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (growth, scene) = (figure("growth")?, Scene::default());
//! let drawing = growth.draw(&scene, &Params::new(), Size::Wide)?;
//! let number = |name| drawing.fact(name).unwrap().value().unwrap();
//! // In the grey band the share of right predictions on the repeats passes one half, and the loss falls there;
//! // in the first period there is little to go by.
//! assert!(number("accuracy-before") < 0.5 && number("accuracy-jump") >= 0.5);
//! assert!(number("repeated-end") < 0.5 && number("first-end") > number("guessing"));
//!
//! // With one layer the loss stays high, to the last step.
//! let last = growth.draw(&scene, &params([("step", "750")]), Size::Wide)?;
//! assert_eq!(last.fact("step")?, drawing.fact("steps")?);
//! assert_eq!(last.fact("repeated")?, drawing.fact("repeated-end")?);
//! assert!(last.fact("one-layer-repeated")?.value().unwrap() > 2.0);
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::AttentionOnly;
use attention::study::{Metrics, Repeats};
use attention::trained::{Recipe, TrainingLog};
use plotters::style::text_anchor::HPos;

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::fixed;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "growth",
    title: "An induction head that grows",
    caption: "A small network of two layers of attention is trained on letters that repeat, and measured every 25 \
              steps. Left, its loss: the lower, the better it knows what comes next. In the first period there is \
              little to go by; on the repeats, whoever finds the same letter further back can know. A model with one \
              layer (thin and dashed) is trained in the same way, and its loss stays high. Right, how much of their \
              weight heads give to the token before (dashed: the best head of layer 0 at each step) and to what \
              followed the same letter earlier (the best head of layer 1). In the grey band the share of right \
              predictions on the repeats passes one half.",
    controls,
    draw: draw::<Growth>,
};

/// What was measured does not depend on what the reader chooses, so it is read once.
static LOG: LazyLock<TrainingLog> = LazyLock::new(TrainingLog::two_layers);

/// The same, of a model with one layer.
static ONE_LAYER: LazyLock<TrainingLog> = LazyLock::new(TrainingLog::one_layer);

/// The model's parameters.
static PARAMETERS: LazyLock<usize> = LazyLock::new(|| AttentionOnly::trained().parameters());

fn controls(_: &Scene) -> Vec<Control> {
    vec![Control::slider("step", "Training step", [0.0, step_at(last())], step_at(1), step_at(jump()))]
}

/// The place in the log of the first step after the jump.
fn jump() -> usize {
    place(LOG.jump().unwrap_or(0) as f64)
}

/// The place in the log of the step that is nearest to a number.
fn place(step: f64) -> usize {
    let every = LOG.rows[1].0 as f64;
    ((step / every).round() as usize).min(last())
}

/// What was measured at a place of the log.
fn at(place: usize) -> &'static Metrics {
    &LOG.rows[place].1
}

/// The same, of the model with one layer: it was measured at the same steps, and at later ones.
fn alone(place: usize) -> &'static Metrics {
    &ONE_LAYER.rows[place].1
}

/// The best previous-token head of the first layer.
fn previous(growth: &Metrics) -> f64 {
    best(&growth.previous[0])
}

/// The best induction head of the second layer.
fn induction(growth: &Metrics) -> f64 {
    best(&growth.induction[1])
}

fn best(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(0.0, f64::max)
}

/// The step at a place of the log.
fn step_at(place: usize) -> f64 {
    LOG.rows[place].0 as f64
}

/// The last place of the log.
fn last() -> usize {
    LOG.rows.len() - 1
}

/// The loss of whoever guesses.
fn guessing() -> f64 {
    libm::log(Repeats::ALPHABET as f64)
}

/// The numbers of the figure: the log, of which places are chosen here.
struct Growth {
    /// The place that is read out.
    chosen: usize,
    /// The places around the jump, and at it.
    before: usize,
    jump: usize,
    after: usize,
    /// Where the loss in the first period is highest.
    highest: usize,
    /// The largest share that the model with one layer ever gets right.
    one_layer_most: f64,
}

impl Steps for Growth {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let higher = |best, row| if at(row).loss_first > at(best).loss_first { row } else { best };
        Ok(Growth {
            chosen: place(settings.number("step")),
            before: jump().saturating_sub(1),
            jump: jump(),
            after: (jump() + 1).min(last()),
            highest: (0..=last()).fold(0, higher),
            one_layer_most: ONE_LAYER.rows.iter().map(|(_, metrics)| metrics.accuracy).fold(0.0, f64::max),
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns = [
            "loss, first period",
            "loss, repeats",
            "accuracy, repeats",
            "previous-token score",
            "induction score",
            "one layer: loss, repeats",
            "one layer: accuracy, repeats",
        ];
        let table = Table::new("step", columns).rows((0..=last()).map(|row| {
            let Metrics { loss_first, loss_repeated, accuracy, .. } = *at(row);
            let scores = [previous(at(row)), induction(at(row))];
            let one_layer = [alone(row).loss_repeated, alone(row).accuracy];
            let numbers = [[loss_first, loss_repeated].as_slice(), &[accuracy], &scores, &one_layer].concat();
            let cells: Vec<Cell> = numbers.into_iter().map(|number| Cell::number(number, 3)).collect();
            (LOG.rows[row].0.to_string(), cells)
        }));
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(392.0, 792.0));
        self.losses(size).draw(&mut canvas, self.chosen);
        self.scores(size).draw(&mut canvas, self.chosen);
        canvas
    }
}

impl Growth {
    fn findings(&self) -> Findings {
        let &Growth { chosen, before, jump, after, highest, one_layer_most } = self;
        let (shown, end) = (at(chosen), last());
        let (one_layer_steps, one_layer_end) = &ONE_LAYER.rows[ONE_LAYER.rows.len() - 1];
        let step = |row: usize| LOG.rows[row].0;
        Findings::new()
            .count("step", step(chosen))
            .number("first", shown.loss_first, 2)
            .number("repeated", shown.loss_repeated, 2)
            .number("accuracy", shown.accuracy, 3)
            .number("previous", previous(shown), 2)
            .number("induction", induction(shown), 2)
            .number("one-layer-repeated", alone(chosen).loss_repeated, 2)
            .number("one-layer-accuracy", alone(chosen).accuracy, 3)
            .count("jump", step(jump))
            .count("before-jump", step(before))
            .count("after-jump", step(after))
            .count("steps", step(end))
            .count("every", step(1))
            .number("first-start", at(0).loss_first, 2)
            .number("first-before", at(before).loss_first, 2)
            .number("first-jump", at(jump).loss_first, 2)
            .number("first-after", at(after).loss_first, 2)
            .number("first-end", at(end).loss_first, 2)
            .number("first-highest", at(highest).loss_first, 2)
            .count("first-highest-step", step(highest))
            .number("guessing", guessing(), 2)
            .number("repeated-start", at(0).loss_repeated, 2)
            .number("repeated-before", at(before).loss_repeated, 2)
            .number("repeated-jump", at(jump).loss_repeated, 2)
            .number("repeated-after", at(after).loss_repeated, 2)
            .number("repeated-end", at(end).loss_repeated, 2)
            .number("accuracy-start", at(0).accuracy, 3)
            .number("accuracy-before", at(before).accuracy, 3)
            .number("accuracy-jump", at(jump).accuracy, 3)
            .number("accuracy-after", at(after).accuracy, 3)
            .number("accuracy-end", at(end).accuracy, 3)
            .number("previous-end", previous(at(end)), 2)
            .number("induction-end", induction(at(end)), 2)
            .number("one-layer-end", one_layer_end.accuracy, 3)
            .number("one-layer-most", one_layer_most, 3)
            .count("one-layer-steps", *one_layer_steps)
            .count("parameters", *PARAMETERS)
            .count("batch", Recipe::INDUCTION.batch)
            .number("rate", Recipe::INDUCTION.rate, 3)
            .count("warm-up", Recipe::INDUCTION.warm_up)
            .number("beta1", Recipe::INDUCTION.beta1, 1)
            .number("beta2", Recipe::INDUCTION.beta2, 2)
            .number("weight-decay", Recipe::INDUCTION.weight_decay, 2)
            .count("grid", (1.0 / Recipe::INDUCTION.grid) as usize)
            .count("evaluated", Repeats::EVALUATED)
    }

    fn sentences(&self) -> Vec<String> {
        let &Growth { chosen, before, jump, after, .. } = self;
        let shown = at(chosen);
        let [step, step_before, step_jump, step_after] =
            [chosen, before, jump, after].map(|row| LOG.rows[row].0);
        let [loss_before, loss_jump, loss_after] =
            [before, jump, after].map(|row| fixed(at(row).loss_repeated, 2));
        let [first, repeated, previous, induction] =
            [shown.loss_first, shown.loss_repeated, previous(shown), induction(shown)]
                .map(|number| fixed(number, 2));
        let (one_layer_steps, one_layer_end) = &ONE_LAYER.rows[ONE_LAYER.rows.len() - 1];
        let [accuracy, one_layer] = [shown, one_layer_end].map(|metrics| fixed(metrics.accuracy, 3));
        vec![
            format!(
                "At step {step} the loss is {first} in the first period and {repeated} on the repeats, and of the \
                 predictions there {accuracy} are right."
            ),
            format!(
                "The best head of layer 0 gives {previous} of its weight to the token before, and the best of layer 1 \
                 gives {induction} to what followed the same letter earlier."
            ),
            format!(
                "Between steps {step_before} and {step_jump} the share of right predictions passes one half; the loss \
                 on the repeats falls from {loss_before} to {loss_jump}, and by step {step_after} to {loss_after}."
            ),
            format!("With one layer, after {one_layer_steps} steps {one_layer} are right."),
        ]
    }

    /// Where the name of the jump ends: a little before the middle of its band.
    fn jump_name(&self) -> f64 {
        (step_at(self.before) + step_at(self.jump)) / 2.0 - 14.0
    }

    fn losses(&self, size: Size) -> Panel {
        let (shown, end) = (at(self.chosen), step_at(last()));
        let guess = format!("ln {} = {}: guessing", Repeats::ALPHABET, fixed(guessing(), 2));
        let [first, repeated, one_layer] =
            [shown.loss_first, shown.loss_repeated, alone(self.chosen).loss_repeated]
                .map(|loss| fixed(loss, 2));
        Panel {
            chart: Chart {
                x: Axis::linear(0.0..end, size.pick(38.0..318.0, 38.0..326.0)),
                y: Axis::linear(0.0..4.4, FLOOR..TOP),
            },
            down: 0.0,
            name: "loss",
            ticks: (&[0.0, 1.0, 2.0, 3.0, 4.0], 0),
            level: Some(guessing()),
            lines: vec![
                (Stroke::new(Role::Muted, 2.0), |row| at(row).loss_first),
                (Stroke::new(Role::Warn, 1.6).dashed(), |row| alone(row).loss_repeated),
                (Stroke::new(Role::Ink, 2.6), |row| at(row).loss_repeated),
            ],
            labels: vec![
                ("jump".into(), [self.jump_name(), 4.22], Text::END),
                ("first period".into(), [end, 3.86], Text::END.role(Role::Muted).bold()),
                (guess, [end, 2.79], Text::END),
                ("one layer, repeats".into(), [end, 1.84], Text::END.role(Role::Warn).bold()),
                ("repeats".into(), [end, 0.36], Text::END.bold()),
            ],
            read_out: [
                format!("first period {first}, repeats {repeated}"),
                format!("one layer, repeats {one_layer}"),
            ],
        }
    }

    fn scores(&self, size: Size) -> Panel {
        let (shown, end, down) = (at(self.chosen), step_at(last()), size.pick(0.0, 400.0));
        let [previous_now, induction_now] = [previous(shown), induction(shown)].map(|score| fixed(score, 2));
        let [accuracy, one_layer] = [shown, alone(self.chosen)].map(|metrics| fixed(metrics.accuracy, 3));
        Panel {
            chart: Chart {
                x: Axis::linear(0.0..end, size.pick(388.0..668.0, 38.0..326.0)),
                y: Axis::linear(0.0..1.1, FLOOR + down..TOP + down),
            },
            down,
            name: "score: mean weight",
            ticks: (&[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 1),
            level: None,
            lines: vec![
                (Stroke::new(Role::Ink, 2.6).dashed(), |row| previous(at(row))),
                (Stroke::new(Role::Ink, 2.6), |row| induction(at(row))),
            ],
            labels: vec![
                ("jump".into(), [self.jump_name(), 1.055], Text::END),
                ("induction head".into(), [end, 1.045], Text::END.bold()),
                ("previous-token head".into(), [end, 0.72], Text::END.bold()),
            ],
            read_out: [
                format!("previous-token {previous_now}, induction {induction_now}"),
                format!("accuracy {accuracy}, one layer {one_layer}"),
            ],
        }
    }
}

/// The lower and the upper end of an upper panel's axis.
const FLOOR: f64 = 286.0;
const TOP: f64 = 46.0;

/// A line's height at each place of the log.
type Height = fn(usize) -> f64;

/// A chart of the log, `down` from the top of the picture.
struct Panel {
    chart: Chart,
    down: f64,
    /// The name of the axis on the left.
    name: &'static str,
    /// Its ticks, and how many digits they have after the point.
    ticks: (&'static [f64], usize),
    /// A number to compare with: a thin line across.
    level: Option<f64>,
    /// How each line is drawn, and its heights.
    lines: Vec<(Stroke, Height)>,
    /// Names and where they stand on the axes, from the top.
    labels: Vec<(String, [f64; 2], Text)>,
    /// What is to be read off at the chosen step.
    read_out: [String; 2],
}

impl Panel {
    fn draw(&self, canvas: &mut Canvas, chosen: usize) {
        let chart = &self.chart;
        let [top, floor] = [TOP + self.down, FLOOR + self.down];
        let band = [jump().saturating_sub(1), jump()].map(|row| chart.x.at(step_at(row)));
        canvas.bar([band[0], top], [band[1], floor], Role::Grid, 1.0);
        chart.left(canvas, self.ticks.0, self.ticks.1, self.name);
        chart.bottom(canvas, &[0.0, 250.0, 500.0, 750.0], 0, "training steps");
        if let Some(level) = self.level {
            let ends = [0, last()].map(|row| (step_at(row), level));
            chart.curve(canvas, ends, Stroke::new(Role::Line, 1.0));
        }
        for (stroke, height) in &self.lines {
            chart.curve(canvas, (0..LOG.rows.len()).map(|row| (step_at(row), height(row))), *stroke);
        }
        for (text, [x, y], how) in &self.labels {
            canvas.text(text, chart.at(*x, *y), *how);
        }
        canvas.group(&[], |canvas| self.marker(canvas, chosen));
        let half = (chart.x.at(step_at(1)) - chart.x.at(step_at(0))) / 2.0;
        for (row, (choice, _)) in LOG.rows.iter().enumerate() {
            let x = chart.x.at(step_at(row));
            canvas.group(&[("data-set", &format!("step={choice}"))], |canvas| {
                canvas.bar([x - half, top], [x + half, floor], Role::Line, HIT);
            });
        }
    }

    /// A line at the chosen step, which leaves out what is written in its way, and what is to be read off there.
    fn marker(&self, canvas: &mut Canvas, chosen: usize) {
        let chart = &self.chart;
        let step = LOG.rows[chosen].0;
        let (x, floor) = (chart.x.at(step as f64), FLOOR + self.down);
        let stroke = Stroke::new(Role::Line, 1.4);
        let mut from = TOP + self.down;
        for (text, [label_x, label_y], how) in &self.labels {
            let [label_x, y] = chart.at(*label_x, *label_y);
            let room = how.room(text);
            let left = match how.across {
                HPos::Left => label_x,
                HPos::Center => label_x - room / 2.0,
                HPos::Right => label_x - room,
            };
            if (left..=left + room + 2.0).contains(&x) {
                canvas.line([x, from], [x, y - 9.0], stroke);
                from = y + 9.0;
            }
        }
        canvas.line([x, from], [x, floor], stroke);
        for (_, height) in &self.lines {
            canvas.ring([x, chart.y.at(height(chosen))], 5.0, Stroke::new(Role::Line, 1.8));
        }
        let left = chart.x.at(0.0);
        canvas.text(&format!("at step {step}"), [left, floor + 60.0], Text::START.bold());
        for (text, y) in self.read_out.iter().zip([78.0, 96.0]) {
            canvas.text(text, [left, floor + y], Text::START);
        }
    }
}
