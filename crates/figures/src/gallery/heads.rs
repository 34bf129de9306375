//! `heads`: the shapes on the way through several heads, read off the library's own arrays.

use attention::study::{HeadCost, head_cost};
use attention::{Mask, MultiHead};
use ndarray::{Array2, ArrayRef2};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "heads",
    title: "Project, split, attend, put together",
    caption: "The shapes on the way through several heads, from top to bottom. A box is as wide as it has features (the squares \
              are weights, T × T, and stand for themselves), and \
              all are drawn equally high; outlined boxes are learned, and what comes from above is multiplied by them; filled ones \
              are computed. What the first head does on its own is in full \
              colour. All tokens are projected, and the results are cut into the heads' parts. In each head, query and key make weights, and \
              weights and value make its output. The outputs are put side by side, and W_O mixes them: each head has rows of it. \
              That a head has d / h features is a habit, not a must: choose another width.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// Features of a token.
const FEATURES: usize = 64;

/// How many heads there may be.
const HEADS: [usize; 4] = [1, 2, 4, 8];

/// Widths of a head that do not follow from their number.
const WIDTHS: [usize; 3] = [8, 16, 32];

fn controls(_: &Scene) -> Vec<Control> {
    let preset = |number: usize| Preset { value: number.to_string(), label: number.to_string() };
    let divided = Preset { value: "divided".into(), label: format!("{FEATURES} / h") };
    vec![
        Control {
            name: "heads",
            label: "Heads h",
            kind: Kind::Choice { options: HEADS.map(preset).to_vec(), default: 2 },
        },
        Control {
            name: "width",
            label: "Features of a head d_head",
            kind: Kind::Choice {
                options: std::iter::once(divided).chain(WIDTHS.map(preset)).collect(),
                default: 0,
            },
        },
    ]
}

/// A step on the way: what it makes, how many of them side by side, and the shape of each.
struct Step {
    /// With a line break where there is little room.
    name: &'static str,
    count: usize,
    shape: [usize; 2],
}

impl Step {
    fn of(name: &'static str, count: usize, array: &ArrayRef2<f64>) -> Self {
        Step { name, count, shape: [array.nrows(), array.ncols()] }
    }

    fn written(&self) -> String {
        let [rows, columns] = self.shape;
        let shape = format!("[{rows}, {columns}]");
        if self.count == 1 { shape } else { format!("{} × {shape}", self.count) }
    }
}

/// The steps, in their order, each with the shape of what the library makes there.
fn steps(tokens: usize, heads: usize, width: usize) -> Result<Vec<Step>> {
    // What stands in the arrays does not matter here.
    let x = Array2::zeros((tokens, FEATURES)); // [T, d]
    let fused = Array2::zeros((FEATURES, heads * width)); // [d, h d_head]
    let back = Array2::zeros((heads * width, FEATURES)); // [h d_head, d]
    let projected = x.dot(&fused); // [T, h d_head]
    let split = MultiHead::split(&fused, &fused, &fused, &back, heads)?;
    let attended = split.attend(&x, &Mask::None)?;
    let query = x.dot(&split.heads[0].projections.query); // [T, d_head]
    let first = &attended.heads[0];
    // Side by side, as W_O takes them.
    let side_by_side = [first.output.nrows(), split.w_o().nrows()];
    Ok(vec![
        Step::of("tokens x", 1, &x),
        Step::of("W_Q, W_K,\nW_V", 3, &fused),
        Step::of("queries,\nkeys, values", 3, &projected),
        Step::of("split into\nheads", 3 * split.heads.len(), &query),
        Step::of("each head's\nweights", attended.heads.len(), &first.weights),
        Step::of("each head's\noutput", attended.heads.len(), &first.output),
        Step { name: "side by side", count: 1, shape: side_by_side },
        Step::of("W_O", 1, &split.w_o()),
        Step::of("output", 1, &attended.output),
    ])
}

/// The cost of all heads together.
fn cost(tokens: usize, heads: usize, width: usize) -> HeadCost {
    let (one, h) = (head_cost(tokens, FEATURES, width), heads as u64);
    HeadCost {
        parameters: h * one.parameters,
        multiplications: h * one.multiplications,
        exponentials: h * one.exponentials,
    }
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let tokens = scene.tokens.len();
    let heads = settings.choice("heads").parse::<usize>().unwrap_or(HEADS[0]);
    let fixed = settings.choice("width").parse::<usize>().ok();
    let width_of = |heads: usize| fixed.unwrap_or(FEATURES / heads);
    let width = width_of(heads);
    let steps = steps(tokens, heads, width)?;

    let count = |number: usize| Cell::count(number as u64);
    let table = Table {
        corner: "heads".into(),
        columns: ["d_head", "h · d_head", "parameters", "multiplications", "exponentials"]
            .map(String::from)
            .to_vec(),
        rows: HEADS
            .iter()
            .map(|&heads| {
                let all = cost(tokens, heads, width_of(heads));
                Row {
                    name: heads.to_string(),
                    cells: vec![
                        count(width_of(heads)),
                        count(heads * width_of(heads)),
                        Cell::count(all.parameters),
                        Cell::count(all.multiplications),
                        Cell::count(all.exponentials),
                    ],
                }
            })
            .collect(),
    };
    let all = cost(tokens, heads, width);
    let one = cost(tokens, 1, FEATURES);
    let step = |name: &'static str, at: usize| Fact { name, cell: Cell::words(steps[at].written()) };
    let facts = vec![
        Fact { name: "tokens", cell: count(tokens) },
        Fact { name: "features", cell: count(FEATURES) },
        Fact { name: "heads", cell: count(heads) },
        Fact { name: "width", cell: count(width) },
        Fact { name: "all-widths", cell: count(heads * width) },
        Fact { name: "parameters", cell: Cell::count(all.parameters) },
        Fact { name: "multiplications", cell: Cell::count(all.multiplications) },
        Fact { name: "exponentials", cell: Cell::count(all.exponentials) },
        Fact { name: "one-parameters", cell: Cell::count(one.parameters) },
        Fact { name: "one-multiplications", cell: Cell::count(one.multiplications) },
        Fact { name: "one-exponentials", cell: Cell::count(one.exponentials) },
        step("shape-input", 0),
        step("shape-projection", 1),
        step("shape-projected", 2),
        step("shape-split", 3),
        step("shape-weights", 4),
        step("shape-head-output", 5),
        step("shape-side-by-side", 6),
        step("shape-w-o", 7),
        step("shape-output", 8),
    ];
    let plural = |heads: usize| if heads == 1 { "1 head".to_owned() } else { format!("{heads} heads") };
    let compared = if (heads, width) == (1, FEATURES) {
        "the yardstick for several".to_owned()
    } else if (all.parameters, all.multiplications) == (one.parameters, one.multiplications) {
        "as many as one head of full width has".to_owned()
    } else {
        format!(
            "where one head of full width has {} and {}",
            Cell::count(one.parameters),
            Cell::count(one.multiplications)
        )
    };
    let sentences = vec![
        format!(
            "{} of {width} features: {} goes in, each head has weights [{tokens}, {tokens}], and {} comes out.",
            plural(heads),
            steps[0].written(),
            steps[8].written()
        ),
        format!(
            "{} parameters and {} multiplications, {compared}.",
            Cell::count(all.parameters),
            Cell::count(all.multiplications)
        ),
        format!("{} weights are seen, and as many exponentials taken.", Cell::count(all.exponentials)),
    ];
    let canvas = picture(size, &steps, heads, width);
    Ok(Sketch { canvas, table, facts, sentences })
}

/// The height of a box of T tokens.
const HIGH: f64 = 22.0;

fn picture(size: Size, steps: &[Step], heads: usize, width: usize) -> Canvas {
    // Names and shapes stand beside the boxes, on two lines or three.
    let (left, right) = (size.pick(180.0, 100.0), size.width() - 4.0);
    let step_down = 60.0;
    let top = |step: usize| 14.0 + step_down * step as f64;
    let mut canvas = Canvas::new(size, top(steps.len() - 1) + HIGH + 16.0);
    for (place, step) in steps.iter().enumerate() {
        let name = size.pick(step.name.replace('\n', " "), step.name.to_owned());
        let mut y = top(place) + HIGH / 2.0 - 8.0 * name.lines().count() as f64;
        for line in name.lines() {
            canvas.text(line, [2.0, y], Text::START.bold());
            y += 16.0;
        }
        canvas.text(&step.written(), [2.0, y], Text::START.role(Role::Muted));
    }

    canvas.group(&[], |canvas| {
        // Three boxes of all heads' features beside one another are the widest there is.
        let (gap, middle) = (8.0, (left + right) / 2.0);
        let features = (heads * width).max(FEATURES) as f64;
        let unit = (right - left - 2.0 * gap) / (3.0 * features);
        let (whole, part, token) =
            (unit * (heads * width) as f64, unit * width as f64, unit * FEATURES as f64);
        let kinds = [Role::Query, Role::Key, Role::Value];
        // The left edges of queries, keys and values; of one head's three parts; and of what is alone in its row.
        let fused = |kind: usize| middle + (kind as f64 - 1.0) * (whole + gap) - whole / 2.0;
        let share = (right - left) / heads as f64;
        let inner = ((share - 3.0 * part) / 4.0).clamp(0.0, 6.0);
        let centre = |head: usize| left + share * (head as f64 + 0.5);
        let slot = |head: usize, kind: usize| {
            centre(head) + (kind as f64 - 1.5) * part + (kind as f64 - 1.0) * inner
        };
        let alone = |width: f64| middle - width / 2.0;
        let line = Stroke::new(Role::Line, 1.2);

        // The tokens.
        filled(canvas, [alone(token), top(0)], token, Role::Ink, false);
        // The three projections: learned, and the heads' parts side by side in their columns.
        for (kind, &role) in kinds.iter().enumerate() {
            canvas.arrow([middle, top(0) + HIGH + 2.0], [fused(kind) + whole / 2.0, top(1) - 3.0], line);
            outlined(canvas, [fused(kind), top(1)], [whole, HIGH], Stroke::new(role, 1.6));
            for head in 1..heads {
                let x = fused(kind) + part * head as f64;
                canvas.line([x, top(1)], [x, top(1) + HIGH], Stroke::new(role, 1.0));
            }
            down(canvas, fused(kind) + whole / 2.0, top(1), top(2), line);
        }
        // Queries, keys and values of all heads, and whose part is whose.
        for head in (0..heads).rev() {
            for (kind, &role) in kinds.iter().enumerate() {
                let x = fused(kind) + part * head as f64;
                filled(canvas, [x, top(2)], part, role, head == 0);
                let way = if head == 0 { Stroke::new(role, 1.8) } else { Stroke::new(Role::Line, 0.8) };
                canvas.line(
                    [x + part / 2.0, top(2) + HIGH + 1.0],
                    [slot(head, kind) + part / 2.0, top(3) - 1.0],
                    way,
                );
                filled(canvas, [slot(head, kind), top(3)], part, role, head == 0);
            }
        }
        // Each head: its weights, and what it brings back.
        for head in 0..heads {
            let x = centre(head);
            // Query and key make the weights; the weights and the value make what is brought back.
            for kind in [0, 1] {
                let from = slot(head, kind) + part / 2.0;
                canvas.arrow([from, top(3) + HIGH + 2.0], [x + (from - x) * 0.25, top(4) - 3.0], line);
            }
            filled(canvas, [x - HIGH / 2.0, top(4)], HIGH, Role::Weight, head == 0);
            down(canvas, x, top(4), top(5), line);
            let value = slot(head, 2) + part / 2.0;
            canvas.line([value, top(3) + HIGH + 2.0], [value, top(4) + HIGH], line);
            canvas.arrow(
                [value, top(4) + HIGH],
                [x + (part / 2.0).min((value - x) * 0.6), top(5) - 3.0],
                line,
            );
            filled(canvas, [x - part / 2.0, top(5)], part, Role::Output, head == 0);
            let beside = alone(whole) + part * head as f64;
            let way = if head == 0 { Stroke::new(Role::Output, 1.8) } else { Stroke::new(Role::Line, 0.8) };
            canvas.line([x, top(5) + HIGH + 1.0], [beside + part / 2.0, top(6) - 1.0], way);
            filled(canvas, [beside, top(6)], part, Role::Output, head == 0);
        }
        // W_O: learned, and the heads' parts one below the other in its rows.
        down(canvas, middle, top(6), top(7), line);
        outlined(canvas, [alone(token), top(7)], [token, HIGH], Stroke::new(Role::Output, 1.6));
        for head in 1..heads {
            let y = top(7) + HIGH * head as f64 / heads as f64;
            canvas.line([alone(token), y], [alone(token) + token, y], Stroke::new(Role::Output, 1.0));
        }
        down(canvas, middle, top(7), top(8), line);
        filled(canvas, [alone(token), top(8)], token, Role::Output, true);
    });
    canvas
}

/// A box of something computed, a little apart from its neighbours: in full colour, or grey with a line around it.
fn filled(canvas: &mut Canvas, [left, top]: Place, width: f64, role: Role, full: bool) {
    let fill = if full { role } else { Role::Grid };
    canvas.bar([left + 0.5, top], [left + width - 0.5, top + HIGH], fill, 1.0);
    if !full {
        outlined(canvas, [left + 1.0, top + 0.5], [width - 2.0, HIGH - 1.0], Stroke::new(role, 1.0));
    }
}

/// A box of something learned.
fn outlined(canvas: &mut Canvas, [left, top]: Place, [width, height]: [f64; 2], stroke: Stroke) {
    let (right, bottom) = (left + width, top + height);
    canvas.path(&[[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], stroke);
}

/// An arrow from the box of one row to that of the next.
fn down(canvas: &mut Canvas, x: f64, from: f64, to: f64, stroke: Stroke) {
    canvas.arrow([x, from + HIGH + 2.0], [x, to - 3.0], stroke);
}
