//! `heads`: the shapes on the way through several heads, read off the library's own arrays.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (heads, scene) = (figure("heads")?, Scene::default());
//! let of = |width| heads.draw(&scene, &params([("heads", "8"), ("width", width)]), Size::Wide);
//!
//! // Cut into d / h features each, eight heads have what one of full width has.
//! let divided = of("divided")?;
//! assert_eq!(divided.fact("parameters")?, divided.fact("one-parameters")?);
//! assert_eq!(divided.fact("shape-split")?.to_string(), "24 × [7, 8]"); // a query, a key and a value in each head
//!
//! // That is a habit, not a must: with another width, W_O has as many rows as all heads have features.
//! let wider = of("16")?;
//! assert_eq!(wider.fact("shape-w-o")?.to_string(), "[128, 64]");
//! assert_eq!(wider.fact("shape-output")?, divided.fact("shape-output")?);
//! # Ok::<(), figures::Error>(())
//! ```

use attention::study::{HeadCost, head_cost};
use attention::{Mask, MultiHead};
use ndarray::{Array2, ArrayRef2};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::count;
use crate::parts::heatmap::frame;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "heads",
    title: "Project, split, attend, put together",
    caption: "The shapes on the way through several heads, from top to bottom. A box is as wide as it has features \
              (the squares are weights, T × T, and stand for themselves), and all are drawn equally high; outlined \
              boxes are learned, and what comes from above is multiplied by them; filled ones are computed. What the \
              first head does on its own is in full colour. All tokens are projected, and the results are cut into the \
              heads' parts. In each head, query and key make weights, and weights and value make its output. The \
              outputs are put side by side, and W_O mixes them: each head has rows of it. That a head has d / h \
              features is a habit, not a must: choose another width.",
    controls,
    draw: draw::<Shapes>,
};

/// Features of a token.
const FEATURES: usize = 64;

/// How many heads there may be.
const HEADS: [usize; 4] = [1, 2, 4, 8];

/// Widths of a head that do not follow from their number.
const WIDTHS: [usize; 3] = [8, 16, 32];

fn controls(_: &Scene) -> Vec<Control> {
    let number = |number: usize| (number.to_string(), number.to_string());
    let divided = ("divided".to_owned(), format!("{FEATURES} / h"));
    let widths = std::iter::once(divided).chain(WIDTHS.map(number));
    vec![
        Control::choice("heads", "Heads h", HEADS.map(number), 2),
        Control::choice("width", "Features of a head d_head", widths, 0),
    ]
}

/// How many features a head has.
#[derive(Clone, Copy)]
enum Width {
    /// Those of a token, divided among the heads.
    Divided,
    Fixed(usize),
}

impl Width {
    fn of(self, heads: usize) -> usize {
        match self {
            Width::Divided => FEATURES / heads,
            Width::Fixed(width) => width,
        }
    }
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

/// The numbers of the figure: the shapes on the way.
struct Shapes {
    heads: usize,
    width: Width,
    steps: Vec<Step>,
}

impl Steps for Shapes {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let heads = HEADS[settings.chosen("heads")];
        let width = match settings.chosen("width") {
            0 => Width::Divided,
            place => Width::Fixed(WIDTHS[place - 1]),
        };
        Ok(Shapes { heads, width, steps: steps(scene.tokens.len(), heads, width.of(heads))? })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let tokens = scene.tokens.len();
        let columns = ["d_head", "h · d_head", "parameters", "multiplications", "exponentials"];
        let table = Table::new("heads", columns).rows(HEADS.iter().map(|&heads| {
            let width = self.width.of(heads);
            let all = cost(tokens, heads, width);
            let widths = [width, heads * width].map(|width| width as u64);
            let numbers = [widths[0], widths[1], all.parameters, all.multiplications, all.exponentials];
            (heads.to_string(), numbers.map(Cell::count))
        }));
        Description { table, findings: self.findings(tokens), sentences: self.sentences(tokens) }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, top(self.steps.len() - 1) + HIGH + 16.0);
        self.names(&mut canvas);
        // Names and shapes stand beside the boxes, on two lines or three.
        let boxes = Boxes::between(size.pick(180.0, 100.0), size.width() - 4.0, self.heads, self.width());
        canvas.group(&[], |canvas| {
            boxes.projections(canvas);
            boxes.split(canvas);
            for head in 0..self.heads {
                boxes.attend(canvas, head);
            }
            boxes.put_together(canvas);
        });
        canvas
    }
}

impl Shapes {
    /// How many features a head has.
    fn width(&self) -> usize {
        self.width.of(self.heads)
    }

    fn findings(&self, tokens: usize) -> Findings {
        let all = cost(tokens, self.heads, self.width());
        let one = cost(tokens, 1, FEATURES);
        let shape = |at: usize| self.steps[at].written();
        Findings::new()
            .count("tokens", tokens)
            .count("features", FEATURES)
            .count("heads", self.heads)
            .count("width", self.width())
            .count("all-widths", self.heads * self.width())
            .cell("parameters", Cell::count(all.parameters))
            .cell("multiplications", Cell::count(all.multiplications))
            .cell("exponentials", Cell::count(all.exponentials))
            .cell("one-parameters", Cell::count(one.parameters))
            .cell("one-multiplications", Cell::count(one.multiplications))
            .cell("one-exponentials", Cell::count(one.exponentials))
            .words("shape-input", shape(0))
            .words("shape-projection", shape(1))
            .words("shape-projected", shape(2))
            .words("shape-split", shape(3))
            .words("shape-weights", shape(4))
            .words("shape-head-output", shape(5))
            .words("shape-side-by-side", shape(6))
            .words("shape-w-o", shape(7))
            .words("shape-output", shape(8))
    }

    fn sentences(&self, tokens: usize) -> Vec<String> {
        let (heads, width) = (self.heads, self.width());
        let number = if heads == 1 { "1 head".to_owned() } else { format!("{heads} heads") };
        let (all, one) = (cost(tokens, heads, width), cost(tokens, 1, FEATURES));
        let compared = if (heads, width) == (1, FEATURES) {
            "the yardstick for several".to_owned()
        } else if (all.parameters, all.multiplications) == (one.parameters, one.multiplications) {
            "as many as one head of full width has".to_owned()
        } else {
            let (parameters, multiplications) = (count(one.parameters), count(one.multiplications));
            format!("where one head of full width has {parameters} and {multiplications}")
        };
        let [input, output] = [0, 8].map(|at| self.steps[at].written());
        let [parameters, multiplications, exponentials] =
            [all.parameters, all.multiplications, all.exponentials].map(count);
        vec![
            format!(
                "{number} of {width} features: {input} goes in, each head has weights [{tokens}, {tokens}], and \
                 {output} comes out."
            ),
            format!("{parameters} parameters and {multiplications} multiplications, {compared}."),
            format!("{exponentials} weights are seen, and as many exponentials taken."),
        ]
    }

    /// Each step's name and shape, on the left.
    fn names(&self, canvas: &mut Canvas) {
        for (place, step) in self.steps.iter().enumerate() {
            let name = canvas.size.pick(step.name.replace('\n', " "), step.name.to_owned());
            let mut y = top(place) + HIGH / 2.0 - 8.0 * name.lines().count() as f64;
            for line in name.lines() {
                canvas.text(line, [2.0, y], Text::START.bold());
                y += 16.0;
            }
            canvas.text(&step.written(), [2.0, y], Text::START.role(Role::Muted));
        }
    }
}

/// The height of a box of T tokens.
const HIGH: f64 = 22.0;

/// Where a step's boxes begin.
fn top(step: usize) -> f64 {
    14.0 + 60.0 * step as f64
}

/// The colours of queries, keys and values.
const KINDS: [Role; 3] = [Role::Query, Role::Key, Role::Value];

/// What leads from one box to another, and what does where it is not the first head's.
const LINE: Stroke = Stroke::new(Role::Line, 1.2);
const THIN: Stroke = Stroke::new(Role::Line, 0.8);

/// Where the boxes stand, and how wide they are.
struct Boxes {
    heads: usize,
    left: f64,
    middle: f64,
    /// The gap between queries, keys and values.
    gap: f64,
    /// The gap between the parts of one head.
    inner: f64,
    /// The room of a head.
    share: f64,
    /// The widths of all heads' features together, of one head's, and of a token's.
    whole: f64,
    part: f64,
    token: f64,
}

impl Boxes {
    fn between(left: f64, right: f64, heads: usize, width: usize) -> Self {
        // Three boxes of all heads' features beside one another are the widest there is.
        let gap = 8.0;
        let features = (heads * width).max(FEATURES) as f64;
        let unit = (right - left - 2.0 * gap) / (3.0 * features);
        let part = unit * width as f64;
        let share = (right - left) / heads as f64;
        Boxes {
            heads,
            left,
            middle: (left + right) / 2.0,
            gap,
            inner: ((share - 3.0 * part) / 4.0).clamp(0.0, 6.0),
            share,
            whole: unit * (heads * width) as f64,
            part,
            token: unit * FEATURES as f64,
        }
    }

    /// The left edge of all heads' queries, keys or values.
    fn fused(&self, kind: usize) -> f64 {
        self.middle + (kind as f64 - 1.0) * (self.whole + self.gap) - self.whole / 2.0
    }

    fn centre(&self, head: usize) -> f64 {
        self.left + self.share * (head as f64 + 0.5)
    }

    /// The left edge of one head's query, key or value.
    fn slot(&self, head: usize, kind: usize) -> f64 {
        self.centre(head) + (kind as f64 - 1.5) * self.part + (kind as f64 - 1.0) * self.inner
    }

    /// The left edge of what is alone in its row.
    fn alone(&self, width: f64) -> f64 {
        self.middle - width / 2.0
    }

    /// The tokens, and the three projections: learned, and the heads' parts side by side in their columns.
    fn projections(&self, canvas: &mut Canvas) {
        let &Boxes { middle, whole, part, token, .. } = self;
        filled(canvas, [self.alone(token), top(0)], token, Role::Ink, false);
        for (kind, role) in KINDS.into_iter().enumerate() {
            let left = self.fused(kind);
            canvas.arrow([middle, top(0) + HIGH + 2.0], [left + whole / 2.0, top(1) - 3.0], LINE);
            outlined(canvas, [left, top(1)], [whole, HIGH], Stroke::new(role, 1.6));
            for head in 1..self.heads {
                let x = left + part * head as f64;
                canvas.line([x, top(1)], [x, top(1) + HIGH], Stroke::new(role, 1.0));
            }
            down(canvas, left + whole / 2.0, top(1), top(2), LINE);
        }
    }

    /// Queries, keys and values of all heads, and whose part is whose.
    fn split(&self, canvas: &mut Canvas) {
        let half = self.part / 2.0;
        for head in (0..self.heads).rev() {
            for (kind, role) in KINDS.into_iter().enumerate() {
                let x = self.fused(kind) + self.part * head as f64;
                let slot = self.slot(head, kind);
                filled(canvas, [x, top(2)], self.part, role, head == 0);
                let way = if head == 0 { Stroke::new(role, 1.8) } else { THIN };
                canvas.line([x + half, top(2) + HIGH + 1.0], [slot + half, top(3) - 1.0], way);
                filled(canvas, [slot, top(3)], self.part, role, head == 0);
            }
        }
    }

    /// A head: query and key make its weights; the weights and the value make what it brings back.
    fn attend(&self, canvas: &mut Canvas, head: usize) {
        let (x, part, half) = (self.centre(head), self.part, self.part / 2.0);
        for kind in [0, 1] {
            let from = self.slot(head, kind) + half;
            canvas.arrow([from, top(3) + HIGH + 2.0], [x + (from - x) * 0.25, top(4) - 3.0], LINE);
        }
        filled(canvas, [x - HIGH / 2.0, top(4)], HIGH, Role::Weight, head == 0);
        down(canvas, x, top(4), top(5), LINE);
        let value = self.slot(head, 2) + half;
        canvas.line([value, top(3) + HIGH + 2.0], [value, top(4) + HIGH], LINE);
        canvas.arrow([value, top(4) + HIGH], [x + half.min((value - x) * 0.6), top(5) - 3.0], LINE);
        filled(canvas, [x - half, top(5)], part, Role::Output, head == 0);
        let beside = self.alone(self.whole) + part * head as f64;
        let way = if head == 0 { Stroke::new(Role::Output, 1.8) } else { THIN };
        canvas.line([x, top(5) + HIGH + 1.0], [beside + half, top(6) - 1.0], way);
        filled(canvas, [beside, top(6)], part, Role::Output, head == 0);
    }

    /// W_O: learned, and the heads' parts one below the other in its rows. And the output.
    fn put_together(&self, canvas: &mut Canvas) {
        let &Boxes { middle, token, .. } = self;
        let left = self.alone(token);
        down(canvas, middle, top(6), top(7), LINE);
        outlined(canvas, [left, top(7)], [token, HIGH], Stroke::new(Role::Output, 1.6));
        for head in 1..self.heads {
            let y = top(7) + HIGH * head as f64 / self.heads as f64;
            canvas.line([left, y], [left + token, y], Stroke::new(Role::Output, 1.0));
        }
        down(canvas, middle, top(7), top(8), LINE);
        filled(canvas, [left, top(8)], token, Role::Output, true);
    }
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
    frame(canvas, [left, top], [left + width, top + height], stroke);
}

/// An arrow from the box of one row to that of the next.
fn down(canvas: &mut Canvas, x: f64, from: f64, to: f64, stroke: Stroke) {
    canvas.arrow([x, from + HIGH + 2.0], [x, to - 3.0], stroke);
}
