//! `matrix` and `mask`: every token asks; the weights of all of them, as one matrix, without the mask and with it.

use attention::{Attention, Mask, Scale, attention_with, scores};
use ndarray::Array2;

use super::{Figure, Sketch, token_choice, weight_in_brief};
use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::labels::Labels;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "matrix",
    title: "Every token asks: the matrix of weights",
    caption: "Each row is a query, the token that asks; each column is a key, the token that is looked at. The brighter \
              a tile, the more of its attention the row's token gives to the column's. Each row sums to 1; the sums of \
              the columns stand below. The row that is read out is framed.",
    controls: |scene| controls(scene, false),
    draw,
};

pub const MASKED: Figure = Figure {
    id: "mask",
    title: "The matrix of weights under a causal mask",
    caption: "The same tokens, with the mask on: each may look at itself and at those before it, and shares its whole \
              attention out among them. What the code has masked is hatched; it has no weight, and no tile however \
              dark. The sums of late columns are small because few may look there.",
    controls: |scene| controls(scene, true),
    draw,
};

fn controls(scene: &Scene, masked: bool) -> Vec<Control> {
    let query = scene.query_place();
    vec![
        Control { name: "mask", label: "Causal mask", kind: Kind::Toggle { default: masked } },
        token_choice("row", "Query (row)", scene, query),
        token_choice("column", "Key (column)", scene, most(scene, query)),
    ]
}

/// The token that a query gives most weight to, without a mask.
fn most(scene: &Scene, query: usize) -> usize {
    let vectors = scene.vectors(); // [T, 2]
    // A scene has tokens, of two features each: nothing here can be refused.
    let weights = scores(&vectors, &vectors, Scale::ByRootDk).unwrap_or_default();
    weights.outer_iter().nth(query).map_or(0, |row| largest(row.iter().copied()))
}

/// The place of the largest number, the first of equal ones.
pub(super) fn largest(numbers: impl Iterator<Item = f64>) -> usize {
    numbers
        .enumerate()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map_or(0, |(place, _)| place)
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let masked = settings.is_on("mask");
    let (row, column) = (settings.place("row"), settings.place("column"));
    let mask = if masked { Mask::Causal } else { Mask::None };
    let vectors = scene.vectors(); // [T, 2]
    let Attention { weights, .. } = attention_with(&vectors, &vectors, &vectors, &mask, Scale::ByRootDk)?; // [T, T]
    let tokens = scene.tokens.len();
    let label = |place: usize| &scene.tokens[place].label;
    // What the code itself has masked.
    let hidden = |i: usize, j: usize| !mask.allows(i, j);

    let labels: Vec<&str> = scene.tokens.iter().map(|token| token.label.as_str()).collect();
    let table = weights_table(&labels, &weights, &hidden);
    let top = largest(weights.row(row).iter().copied());
    let column_sums: Vec<f64> = (0..tokens).map(|j| weights.column(j).sum()).collect();
    let (favourite, neglected) =
        (largest(column_sums.iter().copied()), largest(column_sums.iter().map(|sum| -sum)));
    // What those that may be looked at would have of the row's attention without a mask.
    let unmasked = attention_with(&vectors, &vectors, &vectors, &Mask::None, Scale::ByRootDk)?.weights; // [T, T]
    let visible =
        |i: usize| (0..tokens).filter(|&j| Mask::Causal.allows(i, j)).map(|j| unmasked[[i, j]]).sum();
    let least: f64 = (0..tokens).map(visible).fold(1.0, f64::min);
    let shown = |i: usize, j: usize| {
        if hidden(i, j) { Cell::words("nothing") } else { Cell::number(weights[[i, j]], 2) }
    };
    let token = |name, place: usize| Fact { name, cell: Cell::token(label(place)) };
    let facts = vec![
        token("row", row),
        token("column", column),
        Fact { name: "weight", cell: shown(row, column) },
        token("top", top),
        Fact { name: "top-weight", cell: shown(row, top) },
        Fact { name: "back", cell: shown(top, row) },
        Fact { name: "top-unmasked", cell: Cell::number(unmasked[[row, top]], 3) },
        Fact { name: "visible", cell: Cell::number(visible(row), 3) },
        Fact { name: "least-visible", cell: Cell::number(least, 2) },
        Fact { name: "row-sum", cell: Cell::number(weights.row(row).sum(), 2) },
        Fact { name: "column-sum", cell: Cell::number(column_sums[column], 2) },
        token("favourite", favourite),
        Fact { name: "favourite-sum", cell: Cell::number(column_sums[favourite], 2) },
        token("neglected", neglected),
        Fact { name: "neglected-sum", cell: Cell::number(column_sums[neglected], 2) },
        Fact { name: "cells", cell: Cell::count((tokens * tokens) as u64) },
        Fact {
            name: "masked",
            cell: Cell::count(
                (0..tokens).map(|i| (0..tokens).filter(|&j| hidden(i, j)).count()).sum::<usize>() as u64,
            ),
        },
        Fact { name: "tokens", cell: Cell::count(tokens as u64) },
    ];
    let mut sentences = vec![if hidden(row, column) {
        format!("“{}” (row) may not look at “{}” (column), which comes after it.", label(row), label(column))
    } else {
        format!("“{}” (row) gives {} to “{}” (column).", label(row), shown(row, column), label(column))
    }];
    if top != column {
        sentences.push(format!("It gives most, {}, to “{}”.", shown(row, top), label(top)));
    }
    sentences.push(format!(
        "Its row sums to {}; the column “{}” sums to {}.",
        Cell::number(weights.row(row).sum(), 2),
        label(column),
        Cell::number(column_sums[column], 2)
    ));

    let choose = |i: usize, j: usize| format!("row={}&column={}", i + 1, j + 1);
    let canvas = picture(size, &labels, &weights, &hidden, (row, column), &choose);
    Ok(Sketch { canvas, table, facts, sentences })
}

/// The room that a weight in two digits takes up.
const WIDTH_OF_NUMBER: f64 = 29.0;

/// A weight as it is written in a tile of this width: in a small one without the leading 0, and only if it is large.
fn in_tile(weight: f64, side: f64) -> String {
    match Cell::number(weight, 2).to_string() {
        _ if side >= WIDTH_OF_NUMBER + 4.0 => weight_in_brief(weight),
        _ if weight < 0.1 => String::new(),
        number => number.strip_prefix('0').map_or("1.0".to_owned(), String::from),
    }
}

/// The sum of a column under a tile of this width.
fn sum_in_brief(sum: f64, side: f64) -> String {
    match side >= WIDTH_OF_NUMBER + 4.0 {
        true if sum >= 0.005 => Cell::number(sum, 2).to_string(),
        true => "<.01".to_owned(),
        false if sum >= 0.05 => Cell::number(sum, 1).to_string(),
        false => "<.1".to_owned(),
    }
}

/// A table of weights, queries in rows and keys in columns, with the sum of each row.
pub(super) fn weights_table(
    labels: &[&str],
    weights: &Array2<f64>,
    hidden: &dyn Fn(usize, usize) -> bool,
) -> Table {
    let weight = |i, j| if hidden(i, j) { Cell::words("masked") } else { Cell::number(weights[[i, j]], 3) };
    let row = |(i, label): (usize, &&str)| {
        let sum = Cell::number(weights.row(i).sum(), 2);
        let cells = (0..labels.len()).map(|j| weight(i, j)).chain([sum]).collect();
        Row { name: (*label).to_owned(), cells }
    };
    Table {
        corner: "query \\ key".into(),
        columns: labels.iter().copied().chain(["sum"]).map(String::from).collect(),
        rows: labels.iter().enumerate().map(row).collect(),
    }
}

/// The weights as tiles, queries in rows and keys in columns; a click on a tile sets what `choose` says.
pub(super) fn picture(
    size: Size,
    labels: &[&str],
    weights: &Array2<f64>,
    hidden: &dyn Fn(usize, usize) -> bool,
    (row, column): (usize, usize),
    choose: &dyn Fn(usize, usize) -> String,
) -> Canvas {
    let tokens = labels.len();
    let left = size.pick(96.0, 64.0);
    let top = 64.0;
    let width = |right: f64| (size.width() - left - right).min(size.pick(470.0, 400.0));
    // The sums of rows, all 1, give way before the numbers in the tiles do.
    let fit = |width: f64| width >= WIDTH_OF_NUMBER * tokens as f64;
    let row_sums = tokens <= 10 && fit(width(40.0));
    let width = width(if row_sums { 40.0 } else { 6.0 });
    let sums = tokens <= 10 && fit(width);
    let side = width / tokens as f64;
    // Rows may be lower than they are wide: their text is one line.
    let rise = if sums { side.min(46.0) } else { side };
    let bottom = top + rise * tokens as f64;
    let mut canvas = Canvas::new(size, bottom + if sums { 72.0 } else { 50.0 });
    let corner = |i: usize, j: usize| -> Place { [left + side * j as f64, top + rise * i as f64] };

    canvas.text("key: who is looked at", [left + width, 12.0], Text::END.role(Role::Key).bold());
    canvas.text("query: who asks", [2.0, 12.0], Text::START.role(Role::Query).bold());
    let gap = if side < 14.0 { 0.2 } else { 1.0 };
    for i in 0..tokens {
        for j in 0..tokens {
            let ([x, y], [right, low]) = (corner(i, j), corner(i + 1, j + 1));
            canvas.group(&[("data-set", &choose(i, j))], |canvas| {
                if hidden(i, j) {
                    canvas.masked_tile([x + gap, y + gap], [right - gap, low - gap]);
                    canvas.bar([x, y], [right, low], Role::Line, HIT);
                } else {
                    let number = if sums { in_tile(weights[[i, j]], side) } else { String::new() };
                    canvas.tile([x + gap, y + gap], [right - gap, low - gap], weights[[i, j]], &number);
                }
            });
        }
    }
    // The row that is read out, and its cell.
    frame(&mut canvas, corner(row, 0), corner(row + 1, tokens), Stroke::new(Role::Query, 2.4));
    frame(&mut canvas, corner(row, column), corner(row + 1, column + 1), Stroke::new(Role::Key, 2.4));

    let mut names = Labels::within([0.0, 0.0], [size.width(), bottom]);
    let first =
        |chosen: usize| std::iter::once(chosen).chain((0..tokens).filter(move |place| *place != chosen));
    canvas.group(&[], |canvas| {
        for i in first(row) {
            let how = if i == row { Text::END.bold() } else { Text::END };
            names.end(canvas, labels[i], [left - 6.0, top + rise * (i as f64 + 0.5)], how);
        }
        // In a narrow picture words that stand side by side would run into one another: every second one higher.
        for j in first(column) {
            let how = if j == column { Text::CENTRE.bold() } else { Text::CENTRE };
            let lift = if side < 60.0 && j % 2 == 1 { 30.0 } else { 14.0 };
            // The last word, if it is a long one, stays on the picture.
            let x = (left + side * (j as f64 + 0.5)).min(size.width() - how.room(labels[j]) / 2.0);
            let at = [x, top - lift];
            names.centre(canvas, labels[j], at, how);
        }
    });
    if sums {
        let end = left + width;
        if row_sums {
            canvas.text("sum", [end + 20.0, top - 14.0], Text::CENTRE.role(Role::Muted));
        }
        canvas.text("sum", [left - 8.0, bottom + 16.0], Text::END.role(Role::Muted));
        for place in 0..tokens {
            if row_sums {
                let row_sum = Cell::number(weights.row(place).sum(), 2).to_string();
                let across = [end + 20.0, top + rise * (place as f64 + 0.5)];
                canvas.text(&row_sum, across, Text::CENTRE.role(Role::Muted));
            }
            let below = [left + side * (place as f64 + 0.5), bottom + 16.0];
            let column_sum = sum_in_brief(weights.column(place).sum(), side);
            canvas.text(&column_sum, below, Text::CENTRE.role(Role::Muted));
        }
    }
    let any_hidden = (0..tokens).any(|i| (0..tokens).any(|j| hidden(i, j)));
    scale(&mut canvas, [left, bottom + if sums { 38.0 } else { 12.0 }], width, any_hidden);
    canvas
}

/// The scale of the tiles, from 0 to 1, and what is masked.
pub(super) fn scale(canvas: &mut Canvas, [x, y]: Place, width: f64, any_hidden: bool) {
    let end = x + width.min(150.0);
    let part = (end - x) / 36.0;
    for step in 0..36 {
        let from = x + part * f64::from(step);
        canvas.tile([from, y], [(from + part + 0.4).min(end), y + 10.0], f64::from(step) / 35.0, "");
    }
    canvas.text("weight 0", [x, y + 22.0], Text::START.role(Role::Muted));
    canvas.text("1", [end, y + 22.0], Text::END.role(Role::Muted));
    if !any_hidden {
        return;
    }
    canvas.masked_tile([end + 26.0, y - 2.0], [end + 44.0, y + 12.0]);
    canvas.text("masked", [end + 50.0, y + 5.0], Text::START.role(Role::Muted));
}

pub(super) fn frame(canvas: &mut Canvas, [left, top]: Place, [right, bottom]: Place, stroke: Stroke) {
    canvas.path(&[[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], stroke);
}
