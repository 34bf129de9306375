//! `norms`: how large the first gradients are in deep stacks, with the norms before and after.
//!
//! ```
//! use figures::{Drawing, Scene, Size, figure, params};
//!
//! let drawn = |depth| figure("norms")?.draw(&Scene::default(), &params([("depth", depth)]), Size::Wide);
//! let number = |drawing: &Drawing, name| Ok::<_, figures::Error>(drawing.fact(name)?.value().unwrap());
//! let (shallow, deep) = (drawn("6")?, drawn("24")?);
//! // Four times as many blocks halve the last block's gradient with pre-norm, and leave it as it is with post-norm.
//! assert!((number(&shallow, "pre")? / number(&deep, "pre")? - 2.0).abs() < 0.1);
//! assert!((number(&shallow, "post")? / number(&deep, "post")? - 1.0).abs() < 0.1);
//! // That is a line of slope −1/2 on logarithmic scales, and one of slope 0.
//! assert!((number(&deep, "pre-slope")? + 0.5).abs() < 0.1 && number(&deep, "post-slope")?.abs() < 0.1);
//!
//! // The blocks that are shown one by one are those of the chosen stack.
//! assert_eq!(deep.table.cell("24 of 24", "pre-norm")?, deep.fact("pre")?);
//! assert_eq!(shallow.table.rows.len() + 24 - 6, deep.table.rows.len());
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::NormPlace;
use attention::study::{DEPTH_RUNS, DEPTHS, DepthGradients, depth_table, log_slope};

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::fixed;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "norms",
    title: "The first gradients in deep stacks",
    caption: "Before training: the size of the gradient of a block's second MLP matrix, W_out (its Frobenius norm; \
              means over 10 random stacks), with the norms before attention and MLP (pre-norm) and after the additions \
              (post-norm). First: of the last block, against the number of blocks, both scales logarithmic; dots are \
              measured, lines are straight lines fitted to them, rings mark the chosen depth. Then: of each block in a stack of \
              that depth, the dots joined.",
    controls,
    draw: draw::<Gradients>,
};

fn controls(_: &Scene) -> Vec<Control> {
    let options = DEPTHS.map(|depth| (depth.to_string(), depth.to_string()));
    vec![Control::choice("depth", "Blocks in the stack", options, 5)]
}

/// The measurements do not depend on what the reader chooses, so they are read once.
static TABLE: LazyLock<Vec<DepthGradients>> = LazyLock::new(depth_table);

/// The numbers of the figure: what was measured with the norms before and after, and the depth that was chosen.
struct Gradients {
    depth: usize,
    pre: Stacks,
    post: Stacks,
}

/// What was measured with the norms at one place.
struct Stacks {
    norms: NormPlace,
    /// A stack of each of [`DEPTHS`], in their order.
    stacks: Vec<&'static DepthGradients>,
    /// The one of the chosen depth.
    chosen: &'static DepthGradients,
    /// How steeply the last block's gradient rises with the depth.
    slope: f64,
}

impl Steps for Gradients {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let place = settings.chosen("depth");
        Ok(Gradients {
            depth: DEPTHS[place],
            pre: Stacks::measured(NormPlace::Pre, place)?,
            post: Stacks::measured(NormPlace::Post, place)?,
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let depth = self.depth;
        let cells = |size: &dyn Fn(&Stacks) -> f64| self.both().map(|it| Cell::number(size(it), DIGITS));
        let last = DEPTHS.map(|depth| (format!("last of {depth}"), cells(&|it| it.last_of(depth))));
        let each = (1..=depth).map(|block| {
            let name = format!("{block} of {depth}");
            (name, cells(&|it| it.chosen.sizes[block - 1]))
        });
        let table = Table::new("block", self.both().map(Stacks::name)).rows(last).rows(each);
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(340.0, 690.0));
        let down = size.pick(0.0, 350.0);
        let sizes = |down: f64| Axis::log(0.03..1.0, 286.0 + down..46.0 + down);
        let by_depth = Chart { x: Axis::log(3.5..55.0, size.pick(38.0..318.0, 38.0..326.0)), y: sizes(0.0) };
        let by_block = Chart {
            x: Axis::linear(0.0..self.depth as f64 + 1.0, size.pick(388.0..668.0, 38.0..326.0)),
            y: sizes(down),
        };
        self.axes(&mut canvas, &by_depth, &by_block);
        for it in self.both() {
            it.draw_by_depth(&mut canvas, &by_depth);
            canvas.group(&[], |canvas| it.draw_by_block(canvas, &by_block));
            let ring = by_depth.at(self.depth as f64, last(it.chosen));
            canvas.ring(ring, 8.0, Stroke::new(Role::Line, 1.8));
        }
        for depth in DEPTHS {
            let choose = format!("depth={depth}");
            let [x, _] = by_depth.at(depth as f64, 1.0);
            canvas.group(&[("data-set", &choose)], |canvas| {
                canvas.bar([x - 9.0, 46.0], [x + 9.0, 308.0], Role::Line, HIT);
            });
        }
        canvas
    }
}

/// How many digits a gradient's size has after the point.
const DIGITS: usize = 3;

impl Gradients {
    fn both(&self) -> [&Stacks; 2] {
        [&self.pre, &self.post]
    }

    fn findings(&self) -> Findings {
        let Gradients { depth, pre, post } = self;
        Findings::new()
            .count("depth", *depth)
            .number("pre", last(pre.chosen), DIGITS)
            .number("post", last(post.chosen), DIGITS)
            .number("pre-first", pre.chosen.sizes[0], DIGITS)
            .number("post-first", post.chosen.sizes[0], DIGITS)
            .number("pre-6", pre.last_of(6), DIGITS)
            .number("pre-12", pre.last_of(12), DIGITS)
            .number("pre-24", pre.last_of(24), DIGITS)
            .number("pre-48", pre.last_of(48), DIGITS)
            .number("post-6", post.last_of(6), DIGITS)
            .number("post-12", post.last_of(12), DIGITS)
            .number("post-24", post.last_of(24), DIGITS)
            .number("post-48", post.last_of(48), DIGITS)
            .number("pre-slope", pre.slope, 2)
            .number("post-slope", post.slope, 2)
            .number("pre-6-to-24", pre.last_of(6) / pre.last_of(24), 2)
            .count("shallowest", DEPTHS[0])
            .count("deepest", DEPTHS[DEPTHS.len() - 1])
            .count("runs", DEPTH_RUNS)
    }

    fn sentences(&self) -> Vec<String> {
        let [pre, post] = self.both().map(|it| fixed(last(it.chosen), DIGITS));
        let [pre_slope, post_slope] = self.both().map(|it| fixed(it.slope, 2));
        vec![
            format!(
                "In a stack of {} blocks, the last block's gradient is {pre} with pre-norm and {post} with post-norm.",
                self.depth
            ),
            format!(
                "From {} to {} blocks, the fitted slope on logarithmic scales is {pre_slope} with pre-norm, where \
                 1/√N would have −0.5, and {post_slope} with post-norm, where a constant would have 0.",
                DEPTHS[0],
                DEPTHS[DEPTHS.len() - 1]
            ),
        ]
    }

    fn axes(&self, canvas: &mut Canvas, by_depth: &Chart, by_block: &Chart) {
        let depth = self.depth;
        let each = format!("each block's gradient, {depth} blocks");
        for (chart, name) in [(by_depth, "last block's gradient"), (by_block, each.as_str())] {
            chart.left(canvas, &[], 0, name);
            for (tick, digits) in [(0.05, 2), (0.1, 1), (0.2, 1), (0.5, 1), (1.0, 0)] {
                chart.left(canvas, &[tick], digits, "");
            }
        }
        by_depth.bottom(canvas, &DEPTHS.map(|depth| depth as f64), 0, "blocks in the stack");
        canvas.group(&[], |canvas| {
            let every = [1, 2, 4, 8].into_iter().find(|every| depth / every <= 8).unwrap_or(16);
            let ticks: Vec<f64> = (1..=depth / every).map(|tick| (tick * every) as f64).collect();
            by_block.bottom(canvas, &ticks, 0, "block, from the first to the last");
        });
    }
}

impl Stacks {
    /// What was measured, with the depth at `place` among [`DEPTHS`] chosen.
    fn measured(norms: NormPlace, place: usize) -> Result<Self> {
        let stacks: Vec<_> = TABLE.iter().filter(|stack| stack.norms == norms).collect();
        let slope = log_slope(&points(&stacks))?;
        Ok(Stacks { norms, chosen: stacks[place], stacks, slope })
    }

    fn name(&self) -> &'static str {
        match self.norms {
            NormPlace::Pre => "pre-norm",
            NormPlace::Post => "post-norm",
        }
    }

    fn stroke(&self) -> Stroke {
        let stroke = Stroke::new(Role::Ink, 2.6);
        match self.norms {
            NormPlace::Pre => stroke.dashed(),
            NormPlace::Post => stroke,
        }
    }

    /// The last block's size in the stack of this depth, one of [`DEPTHS`].
    fn last_of(&self, depth: usize) -> f64 {
        let stack = self.stacks.iter().find(|stack| stack.sizes.len() == depth);
        stack.map_or_else(|| panic!("no stack of {depth} blocks was measured"), |stack| last(stack))
    }

    /// The last block's sizes against the depth: what was measured, and the line fitted to it.
    fn draw_by_depth(&self, canvas: &mut Canvas, chart: &Chart) {
        let (points, stroke) = (points(&self.stacks), self.stroke());
        // The fitted line goes through the middle of the points, on logarithmic scales.
        let middle = |part: fn(&(f64, f64)) -> f64| {
            libm::exp(points.iter().map(|point| libm::log(part(point))).sum::<f64>() / points.len() as f64)
        };
        let (x, y) = (middle(|point| point.0), middle(|point| point.1));
        let fitted = |depth: f64| (depth, y * libm::pow(depth / x, self.slope));
        let [first, last] = [points[0].0, points[points.len() - 1].0];
        chart.curve(canvas, [first, last].map(fitted), stroke);
        for &(depth, size) in &points {
            canvas.disc(chart.at(depth, size), 4.0, stroke.role, 1.0);
        }
        // Below the falling line there is room on the left, and above the other on the right.
        let (at, text) = match self.norms {
            NormPlace::Pre => (chart.at(first, 0.065), Text::START),
            NormPlace::Post => (chart.at(last, 0.43), Text::END),
        };
        let label = format!("{}, slope {}", self.name(), fixed(self.slope, 2));
        canvas.text(&label, at, text.role(stroke.role).bold());
    }

    /// The size of each block in the chosen stack.
    fn draw_by_block(&self, canvas: &mut Canvas, chart: &Chart) {
        let (sizes, stroke) = (&self.chosen.sizes, self.stroke());
        let points = || sizes.iter().enumerate().map(|(block, &size)| (block as f64 + 1.0, size));
        chart.curve(canvas, points(), stroke);
        for (block, size) in points() {
            canvas.disc(chart.at(block, size), 3.0, stroke.role, 1.0);
        }
        // Beside the end that is further from the other curve.
        let (at, text) = match self.norms {
            NormPlace::Pre => (chart.at(sizes.len() as f64, last(self.chosen) * 0.8), Text::END),
            NormPlace::Post => {
                let highest = sizes.iter().copied().fold(0.0, f64::max);
                (chart.at(1.0, highest * 1.2), Text::START)
            }
        };
        canvas.text(self.name(), at, text.role(stroke.role).bold());
    }
}

fn last(stack: &DepthGradients) -> f64 {
    stack.sizes[stack.sizes.len() - 1]
}

/// The last block's sizes against the depth.
fn points(stacks: &[&DepthGradients]) -> Vec<(f64, f64)> {
    stacks.iter().map(|stack| (stack.sizes.len() as f64, last(stack))).collect()
}
