//! `cost`: operations and memory against the length of the text, counted.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (cost, scene) = (figure("cost")?, Scene::default());
//! let [short, long] = ["256", "65536"].map(|length| cost.draw(&scene, &params([("length", length)]), Size::Wide));
//! let (short, long) = (short?, long?);
//! // A text twice as long costs four times as much.
//! for drawing in [&short, &long] {
//!     assert_eq!(drawing.fact("times-when-twice")?.to_string(), "4.0");
//! }
//!
//! // In one pass: nearly the same number of multiplications, and memory that does not grow with the text.
//! let number = |row: &str, column: &str| long.table.cell(row, column).unwrap().value().unwrap();
//! let ratio = number("65536", "multiplications, one pass") / number("65536", "multiplications");
//! assert!((ratio - 1.0).abs() < 0.1);
//! assert_eq!(number("65536", "bytes, one pass"), number("64", "bytes, one pass"));
//! assert_eq!(short.fact("one-pass-bytes")?, long.fact("one-pass-bytes")?);
//!
//! // A block's matrices take as much at six times as many tokens as features.
//! assert_eq!(short.fact("gpt2-even")?.value(), Some(6.0 * 768.0));
//! assert_eq!(short.fact("larger-even")?.value(), Some(6.0 * 4096.0));
//! assert_eq!(short.fact("gpt2-square")?.to_string(), "18%"); // T / (T + 6 d) = 1024 / 5632
//! # Ok::<(), figures::Error>(())
//! ```

use attention::study::{Cost, block_multiplications, one_pass_cost, plain_cost};

use crate::canvas::{Canvas, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::{count, large, memory, power};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "cost",
    title: "The price of looking at everything",
    caption: "Multiplications, and memory held beside inputs and output, of one head with 64 features, counted for \
              texts of 16 to 65 536 tokens; both scales are logarithmic. Where a text twice as long costs four times \
              as much, the line has slope 2. Attention in one pass makes nearly the same number of multiplications, \
              and from 64 tokens on, where one block is full, its memory does not grow at all.",
    controls,
    draw: draw::<Counts>,
};

/// Features of a query, key and value; the caption says so too.
const FEATURES: usize = 64;

/// The lengths that are counted: powers of two.
const LENGTHS: [usize; 13] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

fn controls(_: &Scene) -> Vec<Control> {
    let lengths = LENGTHS.map(|length| (length.to_string(), count(length as u64)));
    vec![Control::choice("length", "Tokens T", lengths, 9)]
}

/// The features and the longest text of the smallest GPT-2, and the features of a larger model.
const GPT2: [usize; 2] = [768, 1024];
const LARGER: usize = 4096;

/// From so many tokens on, scores and means take as many multiplications as a block's matrices.
fn even(features: usize) -> usize {
    let is_even = |length: &usize| {
        plain_cost(*length, features).multiplications >= block_multiplications(*length, features)
    };
    (1..).find(is_even).unwrap_or(usize::MAX)
}

/// What attention costs at one length.
struct Count {
    length: usize,
    plain: Cost,
    one_pass: Cost,
}

impl Count {
    fn at(length: usize) -> Self {
        Count { length, plain: plain_cost(length, FEATURES), one_pass: one_pass_cost(length, FEATURES) }
    }
}

/// The numbers of the figure: the cost at every length.
struct Counts {
    /// At each of the [`LENGTHS`].
    counts: [Count; 13],
    /// The length that is read out, by its place.
    chosen: usize,
}

impl Steps for Counts {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        Ok(Counts { counts: LENGTHS.map(Count::at), chosen: settings.chosen("length") })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns = ["multiplications", "bytes", "multiplications, one pass", "bytes, one pass"];
        let table = Table::new("T", columns).rows(self.counts.iter().map(|it| {
            let Count { length, plain, one_pass } = it;
            let numbers = [plain.multiplications, plain.bytes, one_pass.multiplications, one_pass.bytes];
            (length.to_string(), numbers.map(Cell::count))
        }));
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(340.0, 690.0));
        let down = size.pick(0.0, 350.0);
        let lengths = |across| Axis::log(16.0..65536.0, across);
        let work = Panel {
            chart: Chart {
                x: lengths(size.pick(44.0..300.0, 58.0..316.0)),
                y: Axis::log(1e4..1e12, 286.0..46.0),
            },
            name: "multiplications",
            lines: ["plain, and in one pass", ""],
            ticks: [4, 6, 8, 10, 12],
            written: power,
            measure: |cost| cost.multiplications,
        };
        let space = Panel {
            chart: Chart {
                x: lengths(size.pick(394.0..654.0, 58.0..316.0)),
                y: Axis::log(1e3..1e11, 286.0 + down..46.0 + down),
            },
            name: "memory",
            lines: ["plain", "in one pass"],
            ticks: [3, 5, 7, 9, 11],
            written: memory,
            measure: |cost| cost.bytes,
        };
        for panel in [work, space] {
            panel.draw(&mut canvas, self);
        }
        canvas
    }
}

impl Counts {
    fn chosen(&self) -> &Count {
        &self.counts[self.chosen]
    }

    /// The slope of a line through all lengths, where both scales are logarithmic.
    fn slope(&self, measure: fn(&Cost) -> u64) -> f64 {
        let (first, last) = (&self.counts[0], &self.counts[LENGTHS.len() - 1]);
        let rise = libm::log2(measure(&last.plain) as f64 / measure(&first.plain) as f64);
        rise / libm::log2(last.length as f64 / first.length as f64)
    }

    fn findings(&self) -> Findings {
        let Count { length, plain, one_pass } = self.chosen();
        let twice = plain_cost(2 * length, FEATURES);
        let last = &self.counts[LENGTHS.len() - 1];
        let times = |one: &Cost, other: &Cost| one.multiplications as f64 / other.multiplications as f64;
        let [width, context] = GPT2;
        let square = plain_cost(context, width).multiplications as f64;
        let matrices = block_multiplications(context, width) as f64;
        // A block is full where its memory stops to grow.
        let mut pairs = self.counts.windows(2);
        let block = pairs.find(|pair| pair[1].one_pass.bytes == pair[0].one_pass.bytes);
        Findings::new()
            .count("length", *length)
            .count("features", FEATURES)
            .words("multiplications", large(plain.multiplications))
            .words("bytes", memory(plain.bytes))
            .words("one-pass-multiplications", large(one_pass.multiplications))
            .words("one-pass-bytes", memory(one_pass.bytes))
            .number("times-when-twice", times(&twice, plain), 1)
            .number("slope", self.slope(|cost| cost.multiplications), 2)
            .number("memory-slope", self.slope(|cost| cost.bytes), 2)
            .share("more-multiplications", times(one_pass, plain) - 1.0)
            .count("longest", last.length)
            .words("longest-bytes", memory(last.plain.bytes))
            .count("block", block.map_or(0, |pair| pair[0].length))
            .words("longest-one-pass-bytes", memory(last.one_pass.bytes))
            .count("gpt2-features", width)
            .count("gpt2-tokens", context)
            .count("gpt2-even", even(width))
            .share("gpt2-square", square / (square + matrices))
            .count("larger-features", LARGER)
            .count("larger-even", even(LARGER))
    }

    fn sentences(&self) -> Vec<String> {
        let Count { length, plain, one_pass } = self.chosen();
        let tokens = count(*length as u64);
        let [(made, held), (made_in_one, held_in_one)] =
            [plain, one_pass].map(|cost| (large(cost.multiplications), memory(cost.bytes)));
        vec![
            format!(
                "At {tokens} tokens, attention with {FEATURES} features makes {made} multiplications and holds {held} \
                 of scores and weights."
            ),
            format!("In one pass it makes {made_in_one} multiplications and holds {held_in_one}."),
        ]
    }
}

/// One of the two charts: what it shows of a cost.
struct Panel {
    chart: Chart,
    name: &'static str,
    /// The names of plain attention's line and of the other.
    lines: [&'static str; 2],
    /// Powers of ten on the left axis.
    ticks: [u32; 5],
    /// How they are written.
    written: fn(u64) -> String,
    measure: fn(&Cost) -> u64,
}

impl Panel {
    fn draw(&self, canvas: &mut Canvas, Counts { counts, chosen }: &Counts) {
        let Panel { chart, measure, .. } = self;
        chart.left(canvas, &[], 0, self.name);
        for tick in self.ticks.map(|power| 10_u64.pow(power)) {
            chart.left_tick(canvas, tick as f64, &(self.written)(tick));
        }
        chart.bottom(canvas, &[], 0, "tokens T");
        for length in [16, 256, 4096, 65536] {
            chart.bottom_tick(canvas, length as f64, &count(length));
        }
        let plain = |it: &Count| (it.length as f64, measure(&it.plain) as f64);
        let one_pass = |it: &Count| (it.length as f64, measure(&it.one_pass) as f64);
        chart.curve(canvas, counts.iter().map(plain), Stroke::new(Role::Warn, 2.6));
        chart.curve(canvas, counts.iter().map(one_pass), Stroke::new(Role::Ink, 2.6).dashed());
        for (length, cost) in [plain(&counts[*chosen]), one_pass(&counts[*chosen])] {
            canvas.ring(chart.at(length, cost), 8.0, Stroke::new(Role::Line, 1.8));
        }
        // Names beside the lines, where there is room: left of the steep one, right below the other.
        let [plain_name, one_pass_name] = self.lines;
        let (length, cost) = plain(&counts[8]);
        let [x, y] = chart.at(length, cost);
        canvas.text(plain_name, [x - 12.0, y - 8.0], Text::END.role(Role::Warn).bold());
        let (length, cost) = one_pass(&counts[11]);
        let [x, y] = chart.at(length, cost);
        canvas.text(one_pass_name, [x, y + 22.0], Text::CENTRE.role(Role::Ink).bold());
    }
}
