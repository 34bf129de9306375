//! A matrix of weights as tiles, with names, sums and a scale.

use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::labels::{Labels, fit, in_a_row};
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
    let grid = Grid::of(labels.len(), size);
    let mut canvas = Canvas::new(size, grid.bottom() + if grid.sums { 72.0 } else { 50.0 });
    let right = grid.left + grid.width;
    canvas.text("key: who is looked at", [right, 12.0], Text::END.role(Role::Key).bold());
    canvas.text("query: who asks", [2.0, 12.0], Text::START.role(Role::Query).bold());

    for (i, j) in grid.places() {
        let hidden = hidden(i, j);
        canvas
            .group(&[("data-set", &choose(i, j))], |canvas| grid.tile(canvas, i, j, weights[[i, j]], hidden));
    }
    // The row that is read out, and its cell.
    let whole_row = [grid.corner(row, 0), grid.corner(row + 1, grid.tokens)];
    frame(&mut canvas, whole_row[0], whole_row[1], Stroke::new(Role::Query, 2.4));
    let cell = [grid.corner(row, column), grid.corner(row + 1, column + 1)];
    frame(&mut canvas, cell[0], cell[1], Stroke::new(Role::Key, 2.4));

    canvas.group(&[], |canvas| grid.names(canvas, labels, row, column));
    if grid.sums {
        grid.write_sums(&mut canvas, weights);
    }
    let below = [grid.left, grid.bottom() + if grid.sums { 38.0 } else { 12.0 }];
    scale(&mut canvas, below, grid.width, grid.places().any(|(i, j)| hidden(i, j)));
    canvas
}

/// Where the tiles are.
struct Grid {
    tokens: usize,
    left: f64,
    width: f64,
    /// The width of a tile, and its height.
    side: f64,
    rise: f64,
    /// Whether there is room for the numbers in the tiles and the sums of columns below them; and for those of rows.
    sums: bool,
    row_sums: bool,
}

impl Grid {
    /// The top of the tiles.
    const TOP: f64 = 64.0;

    fn of(tokens: usize, size: Size) -> Self {
        let left = size.pick(96.0, 64.0);
        let width = |right: f64| (size.width() - left - right).min(size.pick(470.0, 400.0));
        // The sums of rows, all 1, give way before the numbers in the tiles do.
        let has_room = |width: f64| width >= WIDTH_OF_NUMBER * tokens as f64;
        let row_sums = tokens <= 10 && has_room(width(40.0));
        let width = width(if row_sums { 40.0 } else { 6.0 });
        let sums = tokens <= 10 && has_room(width);
        let side = width / tokens as f64;
        // Rows may be lower than they are wide: their text is one line.
        let rise = if sums { side.min(46.0) } else { side };
        Grid { tokens, left, width, side, rise, sums, row_sums }
    }

    fn bottom(&self) -> f64 {
        Grid::TOP + self.rise * self.tokens as f64
    }

    /// The upper left corner of a tile.
    fn corner(&self, i: usize, j: usize) -> Place {
        [self.left + self.side * j as f64, Grid::TOP + self.rise * i as f64]
    }

    /// The places of the tiles, row by row.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let tokens = self.tokens;
        (0..tokens).flat_map(move |i| (0..tokens).map(move |j| (i, j)))
    }

    fn tile(&self, canvas: &mut Canvas, i: usize, j: usize, weight: f64, hidden: bool) {
        let ([x, y], [right, low]) = (self.corner(i, j), self.corner(i + 1, j + 1));
        let gap = if self.side < 14.0 { 0.2 } else { 1.0 };
        let (corner, opposite) = ([x + gap, y + gap], [right - gap, low - gap]);
        if hidden {
            canvas.masked_tile(corner, opposite);
            canvas.bar([x, y], [right, low], Role::Line, HIT);
        } else {
            let number = if self.sums { in_tile(weight, self.side) } else { String::new() };
            canvas.tile(corner, opposite, weight, &number);
        }
    }

    /// The tokens beside their rows and above their columns, the chosen ones first.
    fn names(&self, canvas: &mut Canvas, labels: &[&str], row: usize, column: usize) {
        let mut names = Labels::within([0.0, 0.0], [canvas.width(), self.bottom()]);
        let first = |chosen: usize| {
            std::iter::once(chosen).chain((0..self.tokens).filter(move |place| *place != chosen))
        };
        let rows = fit(labels, self.left - 4.0);
        for i in first(row) {
            let how = if i == row { Text::END.bold() } else { Text::END };
            let at = [self.left - 6.0, Grid::TOP + self.rise * (i as f64 + 0.5)];
            names.end(canvas, &rows[i], at, how);
        }
        // In a narrow picture words that stand side by side would run into one another: every second one higher.
        let lines = if self.side < 60.0 { 2 } else { 1 };
        let middle = |j: usize| self.left + self.side * (j as f64 + 0.5);
        // The heading of the sums stands beside the last column's name.
        let sum_at = self.left + self.width + 20.0;
        let end = if self.row_sums { sum_at - Text::CENTRE.room("sum") / 2.0 } else { canvas.width() };
        let columns = in_a_row(labels, &middle, end, lines);
        for j in first(column) {
            let how = if j == column { Text::CENTRE.bold() } else { Text::CENTRE };
            let lift = if j % lines == 1 { 30.0 } else { 14.0 };
            let (label, x) = &columns[j];
            names.centre(canvas, label, [*x, Grid::TOP - lift], how);
        }
    }

    fn write_sums(&self, canvas: &mut Canvas, weights: &Array2<f64>) {
        let (end, bottom) = (self.left + self.width, self.bottom());
        let how = Text::CENTRE.role(Role::Muted);
        if self.row_sums {
            canvas.text("sum", [end + 20.0, Grid::TOP - 14.0], how);
        }
        canvas.text("sum", [self.left - 8.0, bottom + 16.0], Text::END.role(Role::Muted));
        for place in 0..self.tokens {
            let middle = place as f64 + 0.5;
            if self.row_sums {
                let across = [end + 20.0, Grid::TOP + self.rise * middle];
                canvas.text(&fixed(weights.row(place).sum(), 2), across, how);
            }
            let below = [self.left + self.side * middle, bottom + 16.0];
            canvas.text(&sum_in_brief(weights.column(place).sum(), self.side), below, how);
        }
    }
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

/// The outline of a rectangle.
pub fn frame(canvas: &mut Canvas, [left, top]: Place, [right, bottom]: Place, stroke: Stroke) {
    canvas.path(&[[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], stroke);
}
