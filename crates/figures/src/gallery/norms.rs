//! `norms`: how large the first gradients are in deep stacks, with the norms before and after.
//!
//! ```
//! use figures::{Drawing, Scene, Size, figure, params};
//!
//! let drawn = |depth, start| {
//!     figure("norms")?.draw(&Scene::default(), &params([("depth", depth), ("initialisation", start)]), Size::Wide)
//! };
//! let number = |drawing: &Drawing, name| Ok::<_, figures::Error>(drawing.fact(name)?.value().unwrap());
//! let (shallow, deep) = (drawn("6", "xavier")?, drawn("24", "xavier")?);
//! // Four times as many blocks halve the last block's gradient with pre-norm, and leave it as it is with post-norm.
//! assert!((number(&shallow, "pre")? / number(&deep, "pre")? - 2.0).abs() < 0.25);
//! assert!((number(&shallow, "post")? / number(&deep, "post")? - 1.0).abs() < 0.05);
//! // With the residuals scaled as in GPT-2, neither depends on the number of blocks.
//! let (shallow, deep) = (drawn("6", "gpt-2")?, drawn("24", "gpt-2")?);
//! assert!((number(&shallow, "pre")? / number(&deep, "pre")? - 1.0).abs() < 0.05);
//! assert!((number(&shallow, "post")? / number(&deep, "post")? - 1.0).abs() < 0.05);
//!
//! // The blocks that are shown one by one are those of the chosen stack.
//! assert_eq!(deep.table.cell("24 of 24", "pre-norm")?, deep.fact("pre")?);
//! assert_eq!(shallow.table.rows.len() + 24 - 6, deep.table.rows.len());
//! # Ok::<(), figures::Error>(())
//! ```

use std::sync::LazyLock;

use attention::NormPlace;
use attention::study::{
    DEPTH_RUNS, DEPTHS, DepthGradients, Initialisation, Quartiles, depth_table, log_slope,
};

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{count, fixed};
use crate::{Error, Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "norms",
    title: "The first gradients in deep stacks",
    caption: "Before training: the size of the gradient of a block's second MLP matrix, W_out (its Frobenius norm), over \
              700 random stacks, with the norms before attention and MLP (pre-norm, dashed) and after the additions \
              (post-norm). First: of the last block, against the number of blocks, both scales logarithmic; a dot is the \
              median, half of the stacks lie on the bar through it, lines are straight lines fitted to the medians, \
              rings mark the chosen depth. Then: of each block in stacks of that depth, the medians joined; half of the \
              stacks lie in the band. Another 700 stacks change the last digit of a number by one at most.",
    controls,
    draw: draw::<Gradients>,
};

/// How a stack may begin, in the order of the choice.
const INITIALISATIONS: [Initialisation; 2] = [Initialisation::Xavier, Initialisation::ScaledResiduals];

fn controls(_: &Scene) -> Vec<Control> {
    let initialisations =
        [("xavier", "all matrices Xavier"), ("gpt-2", "GPT-2's: W_O and W_out divided by √(2N)")];
    let depths = DEPTHS.map(|depth| (depth.to_string(), depth.to_string()));
    let first = DEPTHS.iter().position(|&depth| depth == 24).unwrap_or(0);
    vec![
        Control::choice("initialisation", "Initialisation", initialisations, 0),
        Control::choice("depth", "Blocks in the stack N", depths, first),
    ]
}

/// The measurements do not depend on what the reader chooses, so they are read once.
static TABLE: LazyLock<Vec<DepthGradients>> = LazyLock::new(depth_table);

/// The numbers of the figure: what was measured with the norms before and after, and the depth that was chosen.
struct Gradients {
    initialisation: Initialisation,
    depth: usize,
    pre: Stacks,
    post: Stacks,
}

/// What was measured with the norms at one place.
struct Stacks {
    norms: NormPlace,
    /// Of each of [`DEPTHS`], in their order, the last block's gradient.
    last: Vec<(usize, Quartiles)>,
    /// How steeply its median rises with the depth.
    slope: f64,
    /// Each block's, in stacks of the chosen depth.
    blocks: &'static [Quartiles],
}

impl Steps for Gradients {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let initialisation = INITIALISATIONS[settings.chosen("initialisation")];
        let depth = DEPTHS[settings.chosen("depth")];
        let stacks = |norms| Stacks::measured(norms, initialisation, depth);
        Ok(Gradients { initialisation, depth, pre: stacks(NormPlace::Pre)?, post: stacks(NormPlace::Post)? })
    }

    fn describe(&self, _: &Scene) -> Description {
        let depth = self.depth;
        let columns = self.both().map(|it| {
            let name = it.name();
            [name.to_owned(), format!("{name}, lower quartile"), format!("{name}, upper quartile")]
        });
        let row = |sizes: [&Quartiles; 2]| sizes.map(cells).concat();
        let last = self.pre.last.iter().zip(&self.post.last);
        let last = last.map(|((depth, pre), (_, post))| (format!("last of {depth}"), row([pre, post])));
        let each = self.pre.blocks.iter().zip(self.post.blocks).enumerate();
        let each = each.map(|(place, (pre, post))| (format!("{} of {depth}", place + 1), row([pre, post])));
        let corner = format!("block, {} stacks", count(DEPTH_RUNS as u64));
        let table = Table::new(corner, columns.concat()).rows(last).rows(each);
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
            let [x, y] = by_depth.at(self.depth as f64, it.end().median);
            canvas.ring([x + it.aside(), y], 8.0, Stroke::new(Role::Line, 1.8));
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

/// How many digits after the point of these sizes the draws can carry: of the last of them, the median's standard
/// error is less than a quarter.
fn digits(sizes: &Quartiles) -> usize {
    if sizes.error(DEPTH_RUNS) < 0.0025 { 2 } else { 1 }
}

/// The median, the lower and the upper quartile.
fn cells(sizes: &Quartiles) -> [Cell; 3] {
    [sizes.median, sizes.lower, sizes.upper].map(|size| Cell::number(size, digits(sizes)))
}

impl Gradients {
    fn both(&self) -> [&Stacks; 2] {
        [&self.pre, &self.post]
    }

    fn findings(&self) -> Findings {
        let Gradients { depth, pre, post, .. } = self;
        let names = [
            (pre.end(), ["pre", "pre-lower", "pre-upper"]),
            (post.end(), ["post", "post-lower", "post-upper"]),
            (pre.start(), ["pre-first", "pre-first-lower", "pre-first-upper"]),
            (post.start(), ["post-first", "post-first-lower", "post-first-upper"]),
        ];
        let mut findings = Findings::new().count("depth", *depth);
        for (sizes, names) in names {
            for (name, cell) in names.into_iter().zip(cells(sizes)) {
                findings = findings.cell(name, cell);
            }
        }
        findings
            .number("pre-slope", pre.slope, SLOPE)
            .number("post-slope", post.slope, SLOPE)
            .count("shallowest", DEPTHS[0])
            .count("deepest", DEPTHS[DEPTHS.len() - 1])
            .count("runs", DEPTH_RUNS)
    }

    fn sentences(&self) -> Vec<String> {
        let [pre, post] = self.both().map(|it| written(it.end()));
        let [pre_first, post_first] = self.both().map(|it| written(it.start()));
        let [pre_slope, post_slope] = self.both().map(|it| fixed(it.slope, SLOPE));
        let start = match self.initialisation {
            Initialisation::Xavier => "all matrices begin as Xavier's",
            Initialisation::ScaledResiduals => "W_O and W_out begin divided by √(2N), as in GPT-2",
        };
        vec![
            format!(
                "In stacks of {} blocks where {start}, the last block's gradient is {pre} with pre-norm and {post} \
                 with post-norm; the first block's is {pre_first} and {post_first}.",
                self.depth
            ),
            format!(
                "From {} to {} blocks, the fitted slope of the last block's on logarithmic scales is {pre_slope} with \
                 pre-norm and {post_slope} with post-norm; 1/√N would have −0.5, and a constant 0.",
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

/// How many digits a slope has after the point.
const SLOPE: usize = 1;

/// The median and the quartiles in a sentence.
fn written(sizes: &Quartiles) -> String {
    let [median, lower, upper] = cells(sizes);
    format!("{median} (half of the stacks between {lower} and {upper})")
}

impl Stacks {
    /// What was measured in stacks of this kind, and block by block in those of this depth.
    fn measured(norms: NormPlace, initialisation: Initialisation, depth: usize) -> Result<Self> {
        let kind = |it: &&DepthGradients| it.norms == norms && it.initialisation == initialisation;
        let measured = || TABLE.iter().filter(kind).map(|it| it.blocks.as_slice());
        let blocks = |depth: usize| {
            measured().find(|blocks| blocks.len() == depth).ok_or_else(|| {
                let depths: Vec<_> = measured().map(|blocks| blocks.len().to_string()).collect();
                Error::unknown("measured depth", &depth.to_string(), depths.iter().map(String::as_str))
            })
        };
        let last = DEPTHS.iter().map(|&depth| Ok((depth, blocks(depth)?[depth - 1])));
        let last: Vec<_> = last.collect::<Result<_>>()?;
        let medians: Vec<_> = last.iter().map(|(depth, sizes)| (*depth as f64, sizes.median)).collect();
        Ok(Stacks { norms, last, slope: log_slope(&medians)?, blocks: blocks(depth)? })
    }

    /// The first block's gradient in stacks of the chosen depth.
    fn start(&self) -> &Quartiles {
        &self.blocks[0]
    }

    /// The last block's.
    fn end(&self) -> &Quartiles {
        &self.blocks[self.blocks.len() - 1]
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

    /// How far to the right of their depth the dots stand, so that those of one do not hide those of the other.
    fn aside(&self) -> f64 {
        match self.norms {
            NormPlace::Pre => -2.5,
            NormPlace::Post => 2.5,
        }
    }

    /// The last block's sizes against the depth: what was measured, and the line fitted to the medians.
    fn draw_by_depth(&self, canvas: &mut Canvas, chart: &Chart) {
        let stroke = self.stroke();
        // The fitted line goes through the middle of the points, on logarithmic scales.
        let middle = |part: &dyn Fn(&(usize, Quartiles)) -> f64| {
            libm::exp(self.last.iter().map(|it| libm::log(part(it))).sum::<f64>() / self.last.len() as f64)
        };
        let (x, y) = (middle(&|it| it.0 as f64), middle(&|it| it.1.median));
        let fitted = |depth: f64| (depth, y * libm::pow(depth / x, self.slope));
        let [first, last] = [0, self.last.len() - 1].map(|place| self.last[place]);
        chart.curve(canvas, [first.0 as f64, last.0 as f64].map(fitted), Stroke { width: 1.4, ..stroke });
        for (depth, sizes) in &self.last {
            let at = |size: f64| {
                let [x, y] = chart.at(*depth as f64, size);
                [x + self.aside(), y]
            };
            canvas.line(at(sizes.lower), at(sizes.upper), Stroke::new(stroke.role, 2.0));
            canvas.disc(at(sizes.median), 3.0, stroke.role, 1.0);
        }
        // Below the lower line there is room on the left, and above the other on the right.
        let lowest = self.last.iter().map(|it| it.1.lower).fold(f64::INFINITY, f64::min);
        let highest = self.last.iter().map(|it| it.1.upper).fold(0.0, f64::max);
        let (at, text) = match self.norms {
            NormPlace::Pre => {
                let below = libm::sqrt(lowest * first.1.lower) * 0.75;
                (chart.at(first.0 as f64, below), Text::START)
            }
            NormPlace::Post => (chart.at(last.0 as f64, highest * 1.2), Text::END),
        };
        let label = format!("{}, slope {}", self.name(), fixed(self.slope, SLOPE));
        canvas.text(&label, at, text.role(stroke.role).bold());
    }

    /// The size of each block in stacks of the chosen depth.
    fn draw_by_block(&self, canvas: &mut Canvas, chart: &Chart) {
        let stroke = self.stroke();
        let places = || self.blocks.iter().enumerate().map(|(place, sizes)| (place as f64 + 1.0, sizes));
        let band: Vec<_> = places().map(|(block, sizes)| (block, sizes.lower, sizes.upper)).collect();
        chart.band(canvas, &band, stroke.role, 0.16);
        chart.curve(canvas, places().map(|(block, sizes)| (block, sizes.median)), stroke);
        // Beside the end that is further from the other curve.
        let (at, text) = match self.norms {
            NormPlace::Pre => (chart.at(self.blocks.len() as f64, self.end().lower * 0.8), Text::END),
            NormPlace::Post => {
                let highest = self.blocks.iter().map(|sizes| sizes.upper).fold(0.0, f64::max);
                (chart.at(1.0, highest * 1.2), Text::START)
            }
        };
        canvas.text(self.name(), at, text.role(stroke.role).bold());
    }
}
