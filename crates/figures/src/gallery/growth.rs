//! `growth`: an induction head in training: losses and scores against the steps.

use std::sync::LazyLock;

use attention::AttentionOnly;
use attention::study::{Metrics, Repeats};
use attention::trained::TrainingLog;
use plotters::style::text_anchor::HPos;

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "growth",
    title: "An induction head that grows",
    caption: "A small network of two layers of attention is trained on letters that repeat, and measured every 25 steps. Left, its \
              loss: the lower, the better it knows what comes next. In the first period there is little to go by; on the repeats, \
              whoever finds the same letter further back can know. A model with one layer (thin and dashed) is trained in the same way, and \
              its loss stays high. Right, how much of their weight heads give to the token before (dashed: the best head of \
              layer 0 at each step) and to what followed the same letter earlier (the best head of layer 1). In the grey band the share of \
              right predictions on the repeats passes one half.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// What was measured does not depend on what the reader chooses, so it is read once.
static LOG: LazyLock<TrainingLog> = LazyLock::new(TrainingLog::two_layers);

/// The same, of a model with one layer.
static ONE_LAYER: LazyLock<TrainingLog> = LazyLock::new(TrainingLog::one_layer);

/// The model's parameters.
static PARAMETERS: LazyLock<usize> = LazyLock::new(|| AttentionOnly::trained().parameters());

fn controls(_: &Scene) -> Vec<Control> {
    let steps = |place: usize| LOG.rows[place].0 as f64;
    vec![Control {
        name: "step",
        label: "Training step",
        kind: Kind::Slider {
            min: 0.0,
            max: steps(LOG.rows.len() - 1),
            step: steps(1),
            default: steps(jump()),
        },
    }]
}

/// The place in the log of the first step after the jump.
fn jump() -> usize {
    place(LOG.jump().unwrap_or(0) as f64)
}

/// The place in the log of the step that is nearest to a number.
fn place(step: f64) -> usize {
    let every = LOG.rows[1].0 as f64;
    ((step / every).round() as usize).min(LOG.rows.len() - 1)
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

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let (jump, end) = (jump(), LOG.rows.len() - 1);
    let (before, after) = (jump.saturating_sub(1), (jump + 1).min(end));
    let chosen = place(settings.number("step"));
    let (step, shown) = &LOG.rows[chosen];
    let guessing = libm::log(Repeats::ALPHABET as f64);
    let highest =
        (0..=end).fold(0, |best, row| if at(row).loss_first > at(best).loss_first { row } else { best });
    let most_alone = ONE_LAYER.rows.iter().map(|(_, growth)| growth.accuracy).fold(0.0, f64::max);
    let (alone_steps, alone_end) = &ONE_LAYER.rows[ONE_LAYER.rows.len() - 1];

    let table = Table {
        corner: "step".into(),
        columns: [
            "loss, first period",
            "loss, repeats",
            "accuracy, repeats",
            "previous-token score",
            "induction score",
            "one layer: loss, repeats",
            "one layer: accuracy, repeats",
        ]
        .map(String::from)
        .to_vec(),
        rows: (0..=end)
            .map(|row| Row {
                name: LOG.rows[row].0.to_string(),
                cells: [
                    at(row).loss_first,
                    at(row).loss_repeated,
                    at(row).accuracy,
                    previous(at(row)),
                    induction(at(row)),
                    alone(row).loss_repeated,
                    alone(row).accuracy,
                ]
                .map(|number| Cell::number(number, 3))
                .to_vec(),
            })
            .collect(),
    };
    let two = |value: f64| Cell::number(value, 2);
    let three = |value: f64| Cell::number(value, 3);
    let fact = |name, cell| Fact { name, cell };
    let count = |name, value: usize| fact(name, Cell::count(value as u64));
    let facts = vec![
        count("step", *step),
        fact("first", two(shown.loss_first)),
        fact("repeated", two(shown.loss_repeated)),
        fact("accuracy", three(shown.accuracy)),
        fact("previous", two(previous(shown))),
        fact("induction", two(induction(shown))),
        fact("one-layer-repeated", two(alone(chosen).loss_repeated)),
        fact("one-layer-accuracy", three(alone(chosen).accuracy)),
        count("jump", LOG.rows[jump].0),
        count("before-jump", LOG.rows[before].0),
        count("after-jump", LOG.rows[after].0),
        count("steps", LOG.rows[end].0),
        count("every", LOG.rows[1].0),
        fact("first-start", two(at(0).loss_first)),
        fact("first-before", two(at(before).loss_first)),
        fact("first-jump", two(at(jump).loss_first)),
        fact("first-after", two(at(after).loss_first)),
        fact("first-end", two(at(end).loss_first)),
        fact("first-highest", two(at(highest).loss_first)),
        count("first-highest-step", LOG.rows[highest].0),
        fact("guessing", two(guessing)),
        fact("repeated-start", two(at(0).loss_repeated)),
        fact("repeated-before", two(at(before).loss_repeated)),
        fact("repeated-jump", two(at(jump).loss_repeated)),
        fact("repeated-after", two(at(after).loss_repeated)),
        fact("repeated-end", two(at(end).loss_repeated)),
        fact("accuracy-start", three(at(0).accuracy)),
        fact("accuracy-before", three(at(before).accuracy)),
        fact("accuracy-jump", three(at(jump).accuracy)),
        fact("accuracy-after", three(at(after).accuracy)),
        fact("accuracy-end", three(at(end).accuracy)),
        fact("previous-end", two(previous(at(end)))),
        fact("induction-end", two(induction(at(end)))),
        fact("one-layer-end", three(alone_end.accuracy)),
        fact("one-layer-most", three(most_alone)),
        count("one-layer-steps", *alone_steps),
        count("parameters", *PARAMETERS),
        count("evaluated", Repeats::EVALUATED),
    ];
    let sentences = vec![
        format!(
            "At step {step} the loss is {} in the first period and {} on the repeats, and of the predictions there {} are \
             right.",
            two(shown.loss_first),
            two(shown.loss_repeated),
            three(shown.accuracy)
        ),
        format!(
            "The best head of layer 0 gives {} of its weight to the token before, and the best of layer 1 gives {} to what \
             followed the same letter earlier.",
            two(previous(shown)),
            two(induction(shown))
        ),
        format!(
            "Between steps {} and {} the share of right predictions passes one half; the loss on the repeats falls from {} to \
             {}, and by step {} to {}.",
            LOG.rows[before].0,
            LOG.rows[jump].0,
            two(at(before).loss_repeated),
            two(at(jump).loss_repeated),
            LOG.rows[after].0,
            two(at(after).loss_repeated)
        ),
        format!("With one layer, after {alone_steps} steps {} are right.", three(alone_end.accuracy)),
    ];

    let mut canvas = Canvas::new(size, size.pick(392.0, 792.0));
    let down = size.pick(0.0, 400.0);
    let last = LOG.rows[end].0 as f64;
    let steps = |across| Axis::linear(0.0..last, across);
    // Where the name of the jump stands: in the middle of its band.
    let middle = (LOG.rows[before].0 + LOG.rows[jump].0) as f64 / 2.0;
    let losses = Panel {
        chart: Chart { x: steps(size.pick(38.0..318.0, 38.0..326.0)), y: Axis::linear(0.0..4.4, FLOOR..TOP) },
        down: 0.0,
        name: "loss",
        ticks: (&[0.0, 1.0, 2.0, 3.0, 4.0], 0),
        level: Some(guessing),
        lines: &[
            (Stroke::new(Role::Muted, 2.0), &|row| at(row).loss_first),
            (Stroke::new(Role::Warn, 1.6).dashed(), &|row| alone(row).loss_repeated),
            (Stroke::new(Role::Ink, 2.6), &|row| at(row).loss_repeated),
        ],
        labels: &[
            ("jump", [middle - 14.0, 4.22], Text::END),
            ("first period", [last, 3.86], Text::END.role(Role::Muted).bold()),
            (&format!("ln {} = {}: guessing", Repeats::ALPHABET, two(guessing)), [last, 2.79], Text::END),
            ("one layer, repeats", [last, 1.84], Text::END.role(Role::Warn).bold()),
            ("repeats", [last, 0.36], Text::END.bold()),
        ],
        read_out: [
            format!("first period {}, repeats {}", two(shown.loss_first), two(shown.loss_repeated)),
            format!("one layer, repeats {}", two(alone(chosen).loss_repeated)),
        ],
    };
    let scores = Panel {
        chart: Chart {
            x: steps(size.pick(388.0..668.0, 38.0..326.0)),
            y: Axis::linear(0.0..1.1, FLOOR + down..TOP + down),
        },
        down,
        name: "score: mean weight",
        ticks: (&[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 1),
        level: None,
        lines: &[
            (Stroke::new(Role::Ink, 2.6).dashed(), &|row| previous(at(row))),
            (Stroke::new(Role::Ink, 2.6), &|row| induction(at(row))),
        ],
        labels: &[
            ("jump", [middle - 14.0, 1.055], Text::END),
            ("induction head", [last, 1.045], Text::END.bold()),
            ("previous-token head", [last, 0.72], Text::END.bold()),
        ],
        read_out: [
            format!("previous-token {}, induction {}", two(previous(shown)), two(induction(shown))),
            format!("accuracy {}, one layer {}", three(shown.accuracy), three(alone(chosen).accuracy)),
        ],
    };
    losses.draw(&mut canvas, chosen);
    scores.draw(&mut canvas, chosen);
    Ok(Sketch { canvas, table, facts, sentences })
}

/// The lower and the upper end of an upper panel's axis.
const FLOOR: f64 = 286.0;
const TOP: f64 = 46.0;

/// A chart of the log, `down` from the top of the picture.
struct Panel<'a> {
    chart: Chart,
    down: f64,
    /// The name of the axis on the left.
    name: &'static str,
    /// Its ticks, and how many digits they have after the point.
    ticks: (&'a [f64], usize),
    /// A number to compare with: a thin line across.
    level: Option<f64>,
    /// How each line is drawn, and its height at each place of the log.
    lines: &'a [(Stroke, &'a dyn Fn(usize) -> f64)],
    /// Names and where they stand on the axes, from the top.
    labels: &'a [(&'a str, [f64; 2], Text)],
    /// What is to be read off at the chosen step.
    read_out: [String; 2],
}

impl Panel<'_> {
    fn draw(&self, canvas: &mut Canvas, chosen: usize) {
        let chart = &self.chart;
        let step = |row: usize| LOG.rows[row].0 as f64;
        let [top, floor] = [TOP + self.down, FLOOR + self.down];
        let band = [jump().saturating_sub(1), jump()].map(|row| chart.x.at(step(row)));
        canvas.bar([band[0], top], [band[1], floor], Role::Grid, 1.0);
        chart.left(canvas, self.ticks.0, self.ticks.1, self.name);
        chart.bottom(canvas, &[0.0, 250.0, 500.0, 750.0], 0, "training steps");
        if let Some(level) = self.level {
            let ends = [0, LOG.rows.len() - 1].map(|row| (step(row), level));
            chart.curve(canvas, ends, Stroke::new(Role::Line, 1.0));
        }
        for (stroke, height) in self.lines {
            chart.curve(canvas, (0..LOG.rows.len()).map(|row| (step(row), height(row))), *stroke);
        }
        for (text, [x, y], how) in self.labels {
            canvas.text(text, chart.at(*x, *y), *how);
        }
        canvas.group(&[], |canvas| self.marker(canvas, chosen));
        let half = (chart.x.at(step(1)) - chart.x.at(step(0))) / 2.0;
        for (row, (choice, _)) in LOG.rows.iter().enumerate() {
            let x = chart.x.at(step(row));
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
        for (text, [label_x, label_y], how) in self.labels {
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
        for (_, height) in self.lines {
            canvas.ring([x, chart.y.at(height(chosen))], 5.0, Stroke::new(Role::Line, 1.8));
        }
        let left = chart.x.at(0.0);
        canvas.text(&format!("at step {step}"), [left, floor + 60.0], Text::START.bold());
        for (text, y) in self.read_out.iter().zip([78.0, 96.0]) {
            canvas.text(text, [left, floor + y], Text::START);
        }
    }
}
