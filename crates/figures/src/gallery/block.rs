//! `block`: the tokens on their way through a Transformer block, drawn from the list of steps that the code runs.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (block, scene) = (figure("block")?, Scene::default());
//! let after = |step| block.draw(&scene, &params([("step", step)]), Size::Wide);
//!
//! // Going in, a token's first two features are its vector. The first step keeps a copy, and changes nothing.
//! let [tokens, kept, normed] = [after("0")?, after("1")?, after("2")?];
//! assert_eq!(tokens.table.cell("cat", "feature 1")?.value(), Some(scene.tokens[1].vector[0]));
//! assert_eq!(kept.table, tokens.table);
//!
//! // The norm gives each row mean 0 and spread 1.
//! assert_ne!(tokens.fact("least-spread")?.to_string(), "1.00");
//! for row in &normed.table.rows {
//!     assert_eq!(normed.table.cell(&row.name, "mean")?.to_string(), "0.00");
//!     assert_eq!(normed.table.cell(&row.name, "spread")?.to_string(), "1.00");
//! }
//!
//! // What has come back at the end: with the norms after the additions, the last step is one of them.
//! assert_eq!(after("8")?.fact("formula")?.to_string(), "x + MLP(LN(x))");
//! let post = block.draw(&scene, &params([("norm", "post"), ("step", "8")]), Size::Wide)?;
//! assert_eq!(post.fact("formula")?.to_string(), "LN(x + MLP(x))");
//! # Ok::<(), figures::Error>(())
//! ```

use attention::random::Normals;
use attention::study::block_parameters;
use attention::{Block, Mask, NormPlace, Stack, State, Step, mean_and_variance};
use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::fit;
use crate::numbers::{fixed, in_column, in_signed_tile};
use crate::parts::heatmap::frame;
use crate::parts::untrained::{FEATURES, HEADS, embedded, reach, untrained};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "block",
    title: "A Transformer block, step by step",
    caption: "The steps of a block from top to bottom, with the residual branching off and coming back. The thick \
              arrow is where we stand, and the thick line beside it what is kept meanwhile; the tiles are the tokens \
              there, a row for each with its mean and spread (standard deviation): brown above 0, violet below. Going \
              in, a token's first two features are its vector of the earlier figures, the other six are random; the \
              matrices are random too, as before training.",
    controls,
    draw: draw::<Trace>,
};

/// Where the norms may stand, in the order of the choice.
const NORMS: [NormPlace; 2] = [NormPlace::Pre, NormPlace::Post];

fn controls(_: &Scene) -> Vec<Control> {
    let places =
        [("pre", "before attention and MLP (pre-norm)"), ("post", "after the additions (post-norm)")];
    vec![
        Control::choice("norm", "Norms", places, 0),
        Control::slider("step", "After step", [0.0, NormPlace::Pre.steps().len() as f64], 1.0, 2.0),
        Control::toggle("mask", "Causal mask", true),
    ]
}

/// More rows than this are not read any more.
const MOST_ROWS: usize = 12;

/// The numbers of the figure: a block that has run, and where on the way the reader stands.
struct Trace {
    block: Block,
    mask: Mask,
    /// How many steps are done.
    at: usize,
    /// What there is between the steps: one more than there are steps.
    states: Vec<State>,
    /// Of each token where we stand.
    moments: Vec<Moments>, // [T]
    /// How many numbers the last step has changed.
    changed: usize,
    /// Whether a norm comes after the last block.
    ends_with_norm: bool,
}

/// Mean and spread (standard deviation) of a token's features.
struct Moments {
    mean: f64,
    spread: f64,
}

impl Steps for Trace {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let norms = NORMS[settings.chosen("norm")];
        let mask = if settings.is_on("mask") { Mask::Causal } else { Mask::None };
        let at = (settings.number("step").round() as usize).min(norms.steps().len());

        let block = untrained(norms)?;
        let states = block.trace(&embedded(scene), &mask)?;
        let shown = &states[at].x; // [T, d]
        let moments = shown.rows().into_iter().map(|token| {
            let (mean, variance) = mean_and_variance(&token);
            Moments { mean, spread: libm::sqrt(variance) }
        });
        let before = &states[at.saturating_sub(1)].x; // [T, d]
        let stack = Stack::xavier(norms, 1, FEATURES, HEADS, &mut Normals::seeded(0))?;
        Ok(Trace {
            moments: moments.collect(),
            changed: shown.iter().zip(before).filter(|(after, before)| after != before).count(),
            ends_with_norm: stack.last_norm.is_some(),
            block,
            mask,
            at,
            states,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let features = (1..=FEATURES).map(|feature| format!("feature {feature}"));
        let columns = ["mean", "spread"].map(String::from).into_iter().chain(features);
        let rows = scene.tokens.iter().zip(&self.moments).zip(self.x().rows());
        let table = Table::new("token", columns).rows(rows.map(|((token, moments), features)| {
            let numbers = [moments.mean, moments.spread].into_iter().chain(features.iter().copied());
            let cells: Vec<Cell> = numbers.map(|number| Cell::number(number, 2)).collect();
            (&token.label, cells)
        }));
        Description { table, findings: self.findings(scene), sentences: self.sentences() }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let tokens = scene.tokens.len();
        let rows = tokens.min(MOST_ROWS);
        let diagram_height = TOP + PITCH * (self.steps().len() + 2) as f64 + 24.0;
        let rise = size.pick(((diagram_height - 150.0) / rows as f64).clamp(24.0, 34.0), 24.0);
        let panel_height = 148.0 + rise * rows as f64 + if rows < tokens { 20.0 } else { 0.0 };
        let (corner, height) = match size {
            Size::Wide => ([258.0, 0.0], diagram_height.max(panel_height)),
            Size::Narrow => ([0.0, diagram_height + 16.0], diagram_height + 16.0 + panel_height),
        };
        let mut canvas = Canvas::new(size, height);
        self.diagram(&mut canvas);
        canvas.group(&[], |canvas| self.panel(canvas, scene, corner, rise));
        canvas
    }
}

impl Trace {
    fn steps(&self) -> [Step; 8] {
        self.block.norms.steps()
    }

    /// The step that stands in a row of the diagram: none in the first, where the tokens come in, and none after the
    /// last.
    fn step_in(&self, row: usize) -> Option<Step> {
        row.checked_sub(1).and_then(|place| self.steps().get(place).copied())
    }

    /// The step that was done last.
    fn step(&self) -> Option<Step> {
        self.step_in(self.at)
    }

    /// The tokens where we stand. `[T, d]`
    fn x(&self) -> &Array2<f64> {
        &self.states[self.at].x
    }

    /// What the steps have made of x, as a formula. At each place where x is kept it is called x anew.
    fn formula(&self) -> String {
        self.steps()[..self.at].iter().fold("x".to_owned(), |x, step| match step {
            Step::Keep => "x".to_owned(),
            Step::FirstNorm | Step::SecondNorm => format!("LN({x})"),
            Step::Attention => format!("MHA({x})"),
            Step::Mlp => format!("MLP({x})"),
            Step::Add => format!("x + {x}"),
        })
    }

    /// What the last step has made each row from.
    fn reads(&self) -> &'static str {
        match (self.step(), &self.mask) {
            (Some(step), Mask::Causal) if step.mixes_tokens() => "its own row and those before it",
            (Some(step), _) if step.mixes_tokens() => "the rows of all tokens",
            _ => "its own row alone",
        }
    }

    /// The least and the largest of one of the rows' moments.
    fn range(&self, moment: fn(&Moments) -> f64) -> [f64; 2] {
        let all = || self.moments.iter().map(moment);
        [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let (tokens, steps) = (scene.tokens.len(), self.steps());
        let mixing: Vec<&str> =
            steps.into_iter().filter(|step| step.mixes_tokens()).map(Step::name).collect();
        let [least_mean, most_mean] = self.range(|moments| moments.mean);
        let [least_spread, most_spread] = self.range(|moments| moments.spread);
        let query = &self.moments[scene.query_place()];
        Findings::new()
            .count("step", self.at)
            .words("step-name", self.step().map_or("the tokens as they come in", Step::name))
            .words("formula", self.formula())
            .count("steps", steps.len())
            .words("shape", format!("[{tokens}, {FEATURES}]"))
            .count("tokens", tokens)
            .count("features", FEATURES)
            .count("heads", HEADS)
            .count("head-features", FEATURES / HEADS)
            .count("mlp-features", self.block.mlp.w_in.ncols())
            .count("numbers", self.x().len())
            .count("changed", self.changed)
            .words("reads", self.reads())
            .words("mixing", mixing.join(", "))
            .number("least-mean", least_mean, 2)
            .number("most-mean", most_mean, 2)
            .number("least-spread", least_spread, 2)
            .number("most-spread", most_spread, 2)
            .token("query", &scene.query().label)
            .number("query-mean", query.mean, 2)
            .number("query-spread", query.spread, 2)
            .words("after-the-stack", if self.ends_with_norm { "a last norm" } else { "nothing" })
            .count("parameters", self.block.parameters())
            .count("parameters-64", block_parameters(64))
            .count("parameters-768", block_parameters(768))
    }

    fn sentences(&self) -> Vec<String> {
        let (at, steps, tokens) = (self.at, self.steps().len(), self.moments.len());
        let between = |name: &str, range: [f64; 2]| {
            let [least, most] = range.map(|number| fixed(number, 2));
            if least == most { format!("{name} {least}") } else { format!("{name}s from {least} to {most}") }
        };
        let mean = between("mean", self.range(|moments| moments.mean));
        let spread = between("spread", self.range(|moments| moments.spread));
        let where_we_are = match self.step() {
            None => format!("The tokens as they come in, x: {tokens} rows of {FEATURES} features."),
            Some(step) => {
                let (name, formula) = (step.name(), self.formula());
                format!(
                    "After step {at} of {steps}, {name}: {formula}, {tokens} rows of {FEATURES} features."
                )
            }
        };
        let what_was_done = match self.step() {
            None => "No step has run yet.".to_owned(),
            Some(Step::Keep) => "No number changes: a copy is kept beside the path.".to_owned(),
            Some(_) => {
                let (changed, numbers, reads) = (self.changed, self.x().len(), self.reads());
                format!("{changed} of {numbers} numbers have changed; each row was made from {reads}.")
            }
        };
        vec![where_we_are, format!("The rows have {mean} and {spread}."), what_was_done]
    }

    /// The steps from top to bottom, as the list has them.
    fn diagram(&self, canvas: &mut Canvas) {
        // The path; behind the step where we stand it is thick.
        canvas.group(&[], |canvas| {
            for row in 0..=self.steps().len() {
                let from = [MIDDLE, row_y(row) + half_height(self.step_in(row)) + 1.0];
                let to = [MIDDLE, row_y(row + 1) - half_height(self.step_in(row + 1)) - 2.0];
                canvas.arrow(from, to, if row == self.at { THICK } else { THIN });
            }
        });
        canvas.group(&[], |canvas| self.residuals(canvas));
        for row in 0..=self.steps().len() {
            let choose = format!("step={row}");
            canvas.group(&[("data-set", &choose)], |canvas| self.row(canvas, row));
        }
        self.after_the_last(canvas);
    }

    /// The residuals: each from where it is kept to where it is added, and thick where it is kept now.
    fn residuals(&self, canvas: &mut Canvas) {
        let kept = self.states[self.at].residual.is_some();
        let mut branch = 0;
        for (place, step) in self.steps().into_iter().enumerate() {
            let row = place + 1;
            let [from, to] = [branch, row].map(row_y);
            match step {
                Step::Keep => branch = row,
                Step::Add => {
                    let stroke = if kept && (branch..row).contains(&self.at) { THICK } else { THIN };
                    canvas.path(&[[MIDDLE, from], [RAIL, from], [RAIL, to]], stroke);
                    canvas.arrow([RAIL, to], [MIDDLE + half_height(Some(step)) + 3.0, to], stroke);
                    let how = Text { upwards: true, ..Text::CENTRE.role(Role::Muted) };
                    canvas.text("residual", [RAIL + 12.0, (from + to) / 2.0], how);
                }
                _ => {}
            }
        }
    }

    /// A step of the diagram, to be chosen.
    fn row(&self, canvas: &mut Canvas, row: usize) {
        let (y, here) = (row_y(row), row == self.at);
        canvas.bar([0.0, y - 17.0], [MIDDLE + HALF[0], y + 17.0], Role::Line, HIT);
        let stroke = if here { Stroke::new(Role::Ink, 2.6) } else { THIN };
        let Some(step) = self.step_in(row) else {
            canvas.text("x", [MIDDLE, y], Text::CENTRE.bold_if(here));
            return;
        };
        let name = format!("{row} {}", step.name());
        let half = half_height(Some(step));
        match step {
            Step::Keep => {
                canvas.disc([MIDDLE, y], half, Role::Ink, 1.0);
                canvas.text(&name, [MIDDLE - 18.0, y], Text::END);
            }
            Step::Add => {
                let arm = half - 5.0;
                canvas.ring([MIDDLE, y], half, stroke);
                canvas.line([MIDDLE - arm, y], [MIDDLE + arm, y], stroke);
                canvas.line([MIDDLE, y - arm], [MIDDLE, y + arm], stroke);
                canvas.text(&name, [MIDDLE - 18.0, y], Text::END);
            }
            _ => {
                step_box(canvas, y, stroke);
                canvas.text(&name, [MIDDLE, y], Text::CENTRE.bold_if(here));
            }
        }
        if step.mixes_tokens() {
            canvas.text("mixes tokens", [MIDDLE - HALF[0] - 10.0, y], Text::END.role(Role::Muted));
        }
    }

    /// Where the path leads, and what comes after the last block.
    fn after_the_last(&self, canvas: &mut Canvas) {
        let after = self.steps().len() + 1;
        canvas.text("to the next block", [MIDDLE, row_y(after)], Text::CENTRE);
        let y = row_y(after + 1);
        canvas.group(&[], |canvas| {
            if self.ends_with_norm {
                canvas.text("after the last:", [MIDDLE - HALF[0] - 10.0, y], Text::END.role(Role::Muted));
                step_box(canvas, y, THIN.dashed());
                canvas.text("LayerNorm", [MIDDLE, y], Text::CENTRE);
            } else {
                canvas.text("after the last: no norm", [MIDDLE, y], Text::CENTRE.role(Role::Muted));
            }
        });
    }

    /// The tokens where we stand.
    fn panel(&self, canvas: &mut Canvas, scene: &Scene, [left, top]: Place, rise: f64) {
        let title = match self.step() {
            None => "before the first step".to_owned(),
            Some(step) => format!("after step {}: {}", self.at, step.name()),
        };
        canvas.text(&title, [left, top + 12.0], Text::START.bold());
        canvas.text(&self.formula(), [left, top + 34.0], Text::START);
        let shape = format!("shape [{}, {FEATURES}]", self.moments.len());
        canvas.text(&shape, [canvas.width() - 4.0, top + 34.0], Text::END.role(Role::Muted));
        let below = self.tiles(canvas, scene, [left, top + 62.0], rise);
        if self.at > 0 {
            let changes = format!("changed by this step: {} of {} numbers", self.changed, self.x().len());
            canvas.text(&changes, [left, below], Text::START.role(Role::Muted));
        }
    }

    /// The tokens' features as tiles, a row of height `rise` for each token, with its mean and spread; and their scale.
    /// Gives back where a line of text fits in between.
    fn tiles(&self, canvas: &mut Canvas, scene: &Scene, [left, top]: Place, rise: f64) -> f64 {
        // The scale is one for all steps, so that they can be compared.
        let numbers = self.states.iter().flat_map(|state| state.x.iter());
        let reach = reach(numbers.fold(0.0, |most: f64, c| most.max(c.abs())));
        let tokens = self.moments.len();
        let rows = tokens.min(MOST_ROWS);
        let (start, right) = (left + 66.0, canvas.width() - 2.0);
        let end = right - 90.0;
        let side = (end - start) / FEATURES as f64;
        let (mean_at, spread_at) = (end + 42.0, right);

        canvas.text("feature", [start - 6.0, top], Text::END.role(Role::Muted));
        for feature in 0..FEATURES {
            let at = [start + side * (feature as f64 + 0.5), top];
            canvas.text(&(feature + 1).to_string(), at, Text::CENTRE.role(Role::Muted));
        }
        canvas.text("mean", [mean_at, top], Text::END.role(Role::Muted));
        canvas.text("spread", [spread_at, top], Text::END.role(Role::Muted));
        let first = top + 12.0;
        let labels = fit(&scene.labels()[..rows], start - left - 6.0);
        for (row, (label, moments)) in labels.iter().zip(&self.moments).enumerate() {
            let (y, middle) = (first + rise * row as f64, first + rise * (row as f64 + 0.5));
            canvas.text(label, [start - 6.0, middle], Text::END);
            for (feature, &number) in self.x().row(row).iter().enumerate() {
                let from = start + side * feature as f64;
                // In a narrow picture there is room for the colour alone.
                let written = canvas.size.pick(in_signed_tile(number), String::new());
                let (corner, opposite) = ([from + 0.5, y + 0.5], [from + side - 0.5, y + rise - 0.5]);
                canvas.signed_tile(corner, opposite, number / reach, &written);
            }
            canvas.text(&in_column(moments.mean), [mean_at, middle], Text::END);
            canvas.text(&in_column(moments.spread), [spread_at, middle], Text::END);
        }
        let below = first + rise * rows as f64 + 16.0;
        let mut scale_at = below + 18.0;
        if rows < tokens {
            let rest = format!("tokens 1 to {rows} of {tokens}; all are in the table");
            canvas.text(&rest, [left, below + 20.0], Text::START.role(Role::Muted));
            scale_at += 20.0;
        }
        let ends = [-reach, reach].map(|end| fixed(end, 0));
        canvas.signed_scale([start, scale_at], 150.0, [&ends[0], &ends[1]]);
        below
    }
}

/// Where the diagram's first row stands, and how far its rows are apart.
const TOP: f64 = 12.0;
const PITCH: f64 = 40.0;

/// The path's middle, half of a box's width and height, and where the residual runs down.
const MIDDLE: f64 = 162.0;
const HALF: [f64; 2] = [58.0, 13.0];
const RAIL: f64 = 232.0;

/// The path, and the part of it where we stand.
const THIN: Stroke = Stroke::new(Role::Line, 1.4);
const THICK: Stroke = Stroke::new(Role::Ink, 3.6);

fn row_y(row: usize) -> f64 {
    TOP + PITCH * row as f64
}

/// How far a step's sign, or text where there is no step, reaches up and down from its middle.
fn half_height(step: Option<Step>) -> f64 {
    match step {
        Some(Step::Keep) => 4.0,
        Some(Step::Add) => 11.0,
        Some(_) => HALF[1],
        None => 10.0,
    }
}

fn step_box(canvas: &mut Canvas, y: f64, stroke: Stroke) {
    frame(canvas, [MIDDLE - HALF[0], y - HALF[1]], [MIDDLE + HALF[0], y + HALF[1]], stroke);
}
