//! `norms`: how large the first gradients are in deep stacks, with the norms before and after.

use std::sync::LazyLock;

use attention::NormPlace;
use attention::study::{DEPTH_RUNS, DEPTHS, DepthGradients, depth_table, log_slope};

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
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
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

fn controls(_: &Scene) -> Vec<Control> {
    let options = DEPTHS.map(|depth| Preset { value: depth.to_string(), label: depth.to_string() });
    vec![Control {
        name: "depth",
        label: "Blocks in the stack",
        kind: Kind::Choice { options: options.to_vec(), default: 5 },
    }]
}

/// The measurements do not depend on what the reader chooses, so they are read once.
static TABLE: LazyLock<Vec<DepthGradients>> = LazyLock::new(depth_table);

/// What was measured with the norms at one place: for each depth, the size for each block.
fn measured(norms: NormPlace) -> Vec<&'static DepthGradients> {
    TABLE.iter().filter(|stack| stack.norms == norms).collect()
}

fn last(stack: &DepthGradients) -> f64 {
    stack.sizes[stack.sizes.len() - 1]
}

/// The last block's sizes against the depth, as points.
fn last_by_depth(stacks: &[&DepthGradients]) -> Vec<(f64, f64)> {
    stacks.iter().map(|stack| (stack.sizes.len() as f64, last(stack))).collect()
}

/// How the two are drawn, and what they are called.
const LOOKS: [(Stroke, &str); 2] =
    [(Stroke::new(Role::Ink, 2.6).dashed(), "pre-norm"), (Stroke::new(Role::Ink, 2.6), "post-norm")];

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let depth = settings.choice("depth").parse::<usize>().unwrap_or(DEPTHS[0]);
    let stacks = [NormPlace::Pre, NormPlace::Post].map(measured);
    let of = |place: usize, depth: usize| {
        stacks[place].iter().find(|stack| stack.sizes.len() == depth).copied().unwrap_or(stacks[place][0])
    };
    let slopes = [log_slope(&last_by_depth(&stacks[0]))?, log_slope(&last_by_depth(&stacks[1]))?];
    let chosen = [of(0, depth), of(1, depth)];

    let digits = 3;
    let row = |name: String, sizes: [f64; 2]| Row {
        name,
        cells: sizes.map(|size| Cell::number(size, digits)).to_vec(),
    };
    let table = Table {
        corner: "block".into(),
        columns: LOOKS.map(|(_, name)| name.to_owned()).to_vec(),
        rows: DEPTHS
            .iter()
            .map(|&depth| row(format!("last of {depth}"), [last(of(0, depth)), last(of(1, depth))]))
            .chain((0..depth).map(|block| {
                row(format!("{} of {depth}", block + 1), chosen.map(|stack| stack.sizes[block]))
            }))
            .collect(),
    };
    let number = |name, value| Fact { name, cell: Cell::number(value, digits) };
    let slope = |name, value| Fact { name, cell: Cell::number(value, 2) };
    let count = |name, value: usize| Fact { name, cell: Cell::count(value as u64) };
    let facts = vec![
        count("depth", depth),
        number("pre", last(chosen[0])),
        number("post", last(chosen[1])),
        number("pre-first", chosen[0].sizes[0]),
        number("post-first", chosen[1].sizes[0]),
        number("pre-6", last(of(0, 6))),
        number("pre-12", last(of(0, 12))),
        number("pre-24", last(of(0, 24))),
        number("pre-48", last(of(0, 48))),
        number("post-6", last(of(1, 6))),
        number("post-12", last(of(1, 12))),
        number("post-24", last(of(1, 24))),
        number("post-48", last(of(1, 48))),
        slope("pre-slope", slopes[0]),
        slope("post-slope", slopes[1]),
        slope("pre-6-to-24", last(of(0, 6)) / last(of(0, 24))),
        count("shallowest", DEPTHS[0]),
        count("deepest", DEPTHS[DEPTHS.len() - 1]),
        count("runs", DEPTH_RUNS),
    ];
    let sentences = vec![
        format!(
            "In a stack of {depth} blocks, the last block's gradient is {} with pre-norm and {} with post-norm.",
            Cell::number(last(chosen[0]), digits),
            Cell::number(last(chosen[1]), digits)
        ),
        format!(
            "From {} to {} blocks, the fitted slope on logarithmic scales is {} with pre-norm, where 1/√N would have \
             −0.5, and {} with post-norm, where a constant would have 0.",
            DEPTHS[0],
            DEPTHS[DEPTHS.len() - 1],
            Cell::number(slopes[0], 2),
            Cell::number(slopes[1], 2)
        ),
    ];

    let mut canvas = Canvas::new(size, size.pick(340.0, 690.0));
    let down = size.pick(0.0, 350.0);
    let sizes = |down: f64| Axis::log(0.03..1.0, 286.0 + down..46.0 + down);
    let by_depth = Chart { x: Axis::log(3.5..55.0, size.pick(38.0..318.0, 38.0..326.0)), y: sizes(0.0) };
    let by_block = Chart {
        x: Axis::linear(0.0..depth as f64 + 1.0, size.pick(388.0..668.0, 38.0..326.0)),
        y: sizes(down),
    };
    for (chart, name) in [
        (&by_depth, "last block's gradient".to_owned()),
        (&by_block, format!("each block's gradient, {depth} blocks")),
    ] {
        chart.left(&mut canvas, &[], 0, &name);
        for (tick, digits) in [(0.05, 2), (0.1, 1), (0.2, 1), (0.5, 1), (1.0, 0)] {
            chart.left(&mut canvas, &[tick], digits, "");
        }
    }
    by_depth.bottom(&mut canvas, &DEPTHS.map(|depth| depth as f64), 0, "blocks in the stack");
    canvas.group(&[], |canvas| {
        let every = [1, 2, 4, 8].into_iter().find(|every| depth / every <= 8).unwrap_or(16);
        let ticks: Vec<f64> = (1..=depth / every).map(|tick| (tick * every) as f64).collect();
        by_block.bottom(canvas, &ticks, 0, "block, from the first to the last");
    });
    for (place, (stroke, name)) in LOOKS.into_iter().enumerate() {
        let points = last_by_depth(&stacks[place]);
        // The fitted line goes through the middle of the points, on logarithmic scales.
        let middle = |part: fn(&(f64, f64)) -> f64| {
            libm::exp(points.iter().map(|point| libm::log(part(point))).sum::<f64>() / points.len() as f64)
        };
        let (x, y) = (middle(|point| point.0), middle(|point| point.1));
        let fitted = |depth: f64| (depth, y * libm::pow(depth / x, slopes[place]));
        by_depth.curve(&mut canvas, [fitted(points[0].0), fitted(points[points.len() - 1].0)], stroke);
        for &(depth, size) in &points {
            canvas.disc(by_depth.at(depth, size), 4.0, stroke.role, 1.0);
        }
        // Below the falling line there is room on the left, and above the other on the right.
        let slope = format!("{name}, slope {}", Cell::number(slopes[place], 2));
        let (at, text) = match place {
            0 => (by_depth.at(points[0].0, 0.065), Text::START),
            _ => (by_depth.at(points[points.len() - 1].0, 0.43), Text::END),
        };
        canvas.text(&slope, at, text.role(stroke.role).bold());

        let sizes = &chosen[place].sizes;
        let points: Vec<_> =
            sizes.iter().enumerate().map(|(block, &size)| (block as f64 + 1.0, size)).collect();
        canvas.group(&[], |canvas| {
            by_block.curve(canvas, points.iter().copied(), stroke);
            for &(block, size) in &points {
                canvas.disc(by_block.at(block, size), 3.0, stroke.role, 1.0);
            }
            // Beside the end that is further from the other curve.
            let highest = sizes.iter().copied().fold(0.0, f64::max);
            let ([x, y], text) = match place {
                0 => (by_block.at(depth as f64, last(chosen[place]) * 0.8), Text::END),
                _ => (by_block.at(1.0, highest * 1.2), Text::START),
            };
            canvas.text(name, [x, y], text.role(stroke.role).bold());
        });
        canvas.ring(by_depth.at(depth as f64, last(chosen[place])), 8.0, Stroke::new(Role::Line, 1.8));
    }
    for depth in DEPTHS {
        let choose = format!("depth={depth}");
        let [x, _] = by_depth.at(depth as f64, 1.0);
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([x - 9.0, 46.0], [x + 9.0, 308.0], Role::Line, HIT);
        });
    }
    Ok(Sketch { canvas, table, facts, sentences })
}
