//! `cost`: operations and memory against the length of the text, counted.

use attention::study::{Cost, one_pass_cost, plain_cost};

use crate::canvas::{Canvas, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::numbers::{large, memory, power};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "cost",
    title: "The price of looking at everything",
    caption: "Multiplications, and memory held beside inputs and output, of one head with 64 features, counted for \
              texts of 16 to 65 536 tokens; both scales are logarithmic. Where a text twice as long costs four times as \
              much, the line has slope 2. Attention in one pass makes nearly the same number of multiplications, and from \
              64 tokens on, where one block is full, its memory does not grow at all.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// Features of a query, key and value; the caption says so too.
const FEATURES: usize = 64;

/// The lengths that are counted: powers of two.
const LENGTHS: [usize; 13] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

fn controls(_: &Scene) -> Vec<Control> {
    let options = LENGTHS
        .map(|length| Preset { value: length.to_string(), label: Cell::count(length as u64).to_string() });
    vec![Control {
        name: "length",
        label: "Tokens T",
        kind: Kind::Choice { options: options.to_vec(), default: 9 },
    }]
}

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let chosen = settings.choice("length").parse::<usize>().unwrap_or(LENGTHS[0]);
    let counts: Vec<(usize, Cost, Cost)> =
        LENGTHS.iter().map(|&t| (t, plain_cost(t, FEATURES), one_pass_cost(t, FEATURES))).collect();
    let table = Table {
        corner: "T".into(),
        columns: ["multiplications", "bytes", "multiplications, one pass", "bytes, one pass"]
            .map(String::from)
            .to_vec(),
        rows: counts
            .iter()
            .map(|(t, plain, one_pass)| Row {
                name: t.to_string(),
                cells: [plain.multiplications, plain.bytes, one_pass.multiplications, one_pass.bytes]
                    .map(Cell::count)
                    .to_vec(),
            })
            .collect(),
    };
    let (plain, one_pass) = (plain_cost(chosen, FEATURES), one_pass_cost(chosen, FEATURES));
    let twice = plain_cost(2 * chosen, FEATURES);
    let last = &counts[counts.len() - 1];
    let first = &counts[0];
    let slope = |measure: &dyn Fn(&Cost) -> u64, cost: &dyn Fn(&(usize, Cost, Cost)) -> Cost| {
        let rise = libm::log2(measure(&cost(last)) as f64 / measure(&cost(first)) as f64);
        rise / libm::log2(last.0 as f64 / first.0 as f64)
    };
    let plain_of = |entry: &(usize, Cost, Cost)| entry.1;
    let facts = vec![
        Fact { name: "length", cell: Cell::count(chosen as u64) },
        Fact { name: "features", cell: Cell::count(FEATURES as u64) },
        Fact { name: "multiplications", cell: Cell::words(large(plain.multiplications)) },
        Fact { name: "bytes", cell: Cell::words(memory(plain.bytes)) },
        Fact { name: "one-pass-multiplications", cell: Cell::words(large(one_pass.multiplications)) },
        Fact { name: "one-pass-bytes", cell: Cell::words(memory(one_pass.bytes)) },
        Fact {
            name: "times-when-twice",
            cell: Cell::number(twice.multiplications as f64 / plain.multiplications as f64, 1),
        },
        Fact { name: "slope", cell: Cell::number(slope(&|cost| cost.multiplications, &plain_of), 2) },
        Fact { name: "memory-slope", cell: Cell::number(slope(&|cost| cost.bytes, &plain_of), 2) },
        Fact {
            name: "more-multiplications",
            cell: Cell::share(one_pass.multiplications as f64 / plain.multiplications as f64 - 1.0),
        },
        Fact { name: "longest", cell: Cell::count(last.0 as u64) },
        Fact { name: "longest-bytes", cell: Cell::words(memory(last.1.bytes)) },
        // A block is full where its memory stops to grow.
        Fact {
            name: "block",
            cell: Cell::count(
                counts
                    .windows(2)
                    .find(|pair| pair[1].2.bytes == pair[0].2.bytes)
                    .map_or(0, |pair| pair[0].0 as u64),
            ),
        },
        Fact { name: "longest-one-pass-bytes", cell: Cell::words(memory(last.2.bytes)) },
    ];
    let sentences = vec![
        format!(
            "At {} tokens, attention with {FEATURES} features makes {} multiplications and holds {} of scores and weights.",
            Cell::count(chosen as u64),
            large(plain.multiplications),
            memory(plain.bytes)
        ),
        format!(
            "In one pass it makes {} multiplications and holds {}.",
            large(one_pass.multiplications),
            memory(one_pass.bytes)
        ),
    ];

    let mut canvas = Canvas::new(size, size.pick(340.0, 690.0));
    let down = size.pick(0.0, 350.0);
    let lengths = |across| Axis::log(16.0..65536.0, across);
    let work =
        Chart { x: lengths(size.pick(44.0..300.0, 58.0..316.0)), y: Axis::log(1e4..1e12, 286.0..46.0) };
    let space = Chart {
        x: lengths(size.pick(394.0..654.0, 58.0..316.0)),
        y: Axis::log(1e3..1e11, 286.0 + down..46.0 + down),
    };
    let multiplications: [u64; 9] = std::array::from_fn(|power| 10_u64.pow(power as u32 + 4));
    let bytes: [u64; 9] = std::array::from_fn(|power| 10_u64.pow(power as u32 + 3));
    let names = ["plain, and in one pass", ""];
    panel(&mut canvas, &work, "multiplications", names, &multiplications, power, &counts, chosen, |cost| {
        cost.multiplications
    });
    let names = ["plain", "in one pass"];
    panel(&mut canvas, &space, "memory", names, &bytes, memory, &counts, chosen, |cost| cost.bytes);
    Ok(Sketch { canvas, table, facts, sentences })
}

#[allow(clippy::too_many_arguments)]
fn panel(
    canvas: &mut Canvas,
    chart: &Chart,
    name: &str,
    [plain_name, one_pass_name]: [&str; 2],
    ticks: &[u64],
    written: fn(u64) -> String,
    counts: &[(usize, Cost, Cost)],
    chosen: usize,
    measure: impl Fn(&Cost) -> u64,
) {
    chart.left(canvas, &[], 0, name);
    for &tick in ticks.iter().step_by(2) {
        chart.left_tick(canvas, tick as f64, &written(tick));
    }
    chart.bottom(canvas, &[], 0, "tokens T");
    for length in [16, 256, 4096, 65536] {
        chart.bottom_tick(canvas, length as f64, &Cell::count(length).to_string());
    }
    let plain = |entry: &(usize, Cost, Cost)| measure(&entry.1) as f64;
    let one_pass = |entry: &(usize, Cost, Cost)| measure(&entry.2) as f64;
    chart.curve(
        canvas,
        counts.iter().map(|entry| (entry.0 as f64, plain(entry))),
        Stroke::new(Role::Warn, 2.6),
    );
    let dashed = Stroke::new(Role::Ink, 2.6).dashed();
    chart.curve(canvas, counts.iter().map(|entry| (entry.0 as f64, one_pass(entry))), dashed);
    for entry in counts.iter().filter(|entry| entry.0 == chosen) {
        canvas.ring(chart.at(entry.0 as f64, plain(entry)), 8.0, Stroke::new(Role::Line, 1.8));
        canvas.ring(chart.at(entry.0 as f64, one_pass(entry)), 8.0, Stroke::new(Role::Line, 1.8));
    }
    // Names beside the lines, where there is room: left of the steep one, right below the other.
    let middle = &counts[8];
    let [x, y] = chart.at(middle.0 as f64, plain(middle));
    canvas.text(plain_name, [x - 12.0, y - 8.0], Text::END.role(Role::Warn).bold());
    let late = &counts[11];
    let [x, y] = chart.at(late.0 as f64, one_pass(late));
    canvas.text(one_pass_name, [x, y + 22.0], Text::CENTRE.role(Role::Ink).bold());
}
