//! A matrix of weights as tiles, with names, sums and a scale.

use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::labels::{Labels, fit as fit_labels, in_a_row};
use crate::numbers::{WIDTH_OF_NUMBER, fixed, in_tile, sum_in_brief};

/// The weights as tiles, queries in rows and keys in columns; a click on a tile sets what `choose` says.
pub fn picture(
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
    let rows = fit_labels(labels, left - 4.0);
    // In a narrow picture words that stand side by side would run into one another: every second one higher.
    let lines = if side < 60.0 { 2 } else { 1 };
    let columns = in_a_row(labels, &|j| left + side * (j as f64 + 0.5), size.width(), lines);
    canvas.group(&[], |canvas| {
        for i in first(row) {
            let how = if i == row { Text::END.bold() } else { Text::END };
            names.end(canvas, &rows[i], [left - 6.0, top + rise * (i as f64 + 0.5)], how);
        }
        for j in first(column) {
            let how = if j == column { Text::CENTRE.bold() } else { Text::CENTRE };
            let lift = if j % lines == 1 { 30.0 } else { 14.0 };
            let (label, x) = &columns[j];
            names.centre(canvas, label, [*x, top - lift], how);
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
                let row_sum = fixed(weights.row(place).sum(), 2);
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
pub fn scale(canvas: &mut Canvas, [x, y]: Place, width: f64, any_hidden: bool) {
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

pub fn frame(canvas: &mut Canvas, [left, top]: Place, [right, bottom]: Place, stroke: Stroke) {
    canvas.path(&[[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], stroke);
}
