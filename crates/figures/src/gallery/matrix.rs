//! `matrix` and `mask`: every token asks; the weights of all of them, as one matrix, without the mask and with it.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let scene = Scene::default();
//! let matrix = figure("matrix")?.draw(&scene, &Params::new(), Size::Wide)?;
//! for row in &matrix.table.rows {
//!     assert_eq!(matrix.table.cell(&row.name, "sum")?.to_string(), "1.00"); // each row sums to 1
//! }
//! assert_eq!(matrix.fact("masked")?.to_string(), "0");
//!
//! // With the mask on, the first token may look at itself alone, and gives itself everything.
//! let masked = figure("matrix")?.draw(&scene, &params([("mask", "on"), ("row", "1")]), Size::Wide)?;
//! assert_eq!(masked.table.cell("The", "cat")?.to_string(), "masked");
//! assert_eq!(masked.fact("top-weight")?.to_string(), "1.00");
//!
//! // `mask` is the same figure, with the mask on at first.
//! let mask = figure("mask")?.draw(&scene, &params([("row", "1")]), Size::Wide)?;
//! assert_eq!(mask.table, masked.table);
//! # Ok::<(), figures::Error>(())
//! ```

use attention::{Mask, Scale, attention_with, scores};
use ndarray::Array2;

use crate::canvas::{Canvas, Size};
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::fixed;
use crate::parts::heatmap;
use crate::parts::weights::{largest, weights_table};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "matrix",
    title: "Every token asks: the matrix of weights",
    caption: "Each row is a query, the token that asks; each column is a key, the token that is looked at. The brighter \
              a tile, the more of its attention the row's token gives to the column's. Each row sums to 1; the sums of \
              the columns stand below. The row that is read out is framed.",
    controls: |scene| controls(scene, false),
    draw: draw::<Matrix>,
};

pub const MASKED: Figure = Figure {
    id: "mask",
    title: "The matrix of weights under a causal mask",
    caption: "The same tokens, with the mask on: each may look at itself and at those before it, and shares its whole \
              attention out among them. What the code has masked is hatched; it has no weight, and no tile however \
              dark. The sums of late columns are small because few may look there.",
    controls: |scene| controls(scene, true),
    draw: draw::<Matrix>,
};

fn controls(scene: &Scene, masked: bool) -> Vec<Control> {
    let query = scene.query_place();
    vec![
        Control::toggle("mask", "Causal mask", masked),
        Control::token("row", "Query (row)", scene, query),
        Control::token("column", "Key (column)", scene, most(scene, query)),
    ]
}

/// The token that a query gives most weight to, without a mask.
fn most(scene: &Scene, query: usize) -> usize {
    let vectors = scene.vectors(); // [T, 2]
    // A scene has tokens, of two features each: nothing here can be refused.
    let weights = scores(&vectors, &vectors, Scale::ByRootDk).unwrap_or_default();
    weights.outer_iter().nth(query).map_or(0, |row| largest(row.iter().copied()))
}

/// The numbers of the figure: everybody's weights, and where the reader looks.
struct Matrix {
    mask: Mask,
    row: usize,
    column: usize,
    weights: Array2<f64>,  // [T, T]
    unmasked: Array2<f64>, // [T, T]
}

impl Steps for Matrix {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let vectors = scene.vectors(); // [T, 2]
        let under = |mask: &Mask| attention_with(&vectors, &vectors, &vectors, mask, Scale::ByRootDk);
        let mask = if settings.is_on("mask") { Mask::Causal } else { Mask::None };
        Ok(Matrix {
            row: settings.chosen("row"),
            column: settings.chosen("column"),
            weights: under(&mask)?.weights,
            unmasked: under(&Mask::None)?.weights,
            mask,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        Description {
            table: weights_table(&scene.labels(), &self.weights, &|i, j| self.hides(i, j)),
            findings: self.findings(scene),
            sentences: self.sentences(scene),
        }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let choose = |i: usize, j: usize| format!("row={}&column={}", i + 1, j + 1);
        let hidden = |i: usize, j: usize| self.hides(i, j);
        heatmap::picture(size, &scene.labels(), &self.weights, &hidden, (self.row, self.column), &choose)
    }
}

impl Matrix {
    /// What the code itself has masked.
    fn hides(&self, i: usize, j: usize) -> bool {
        !self.mask.allows(i, j)
    }

    /// The key that gets most of the row.
    fn top(&self) -> usize {
        largest(self.weights.row(self.row).iter().copied())
    }

    fn weight(&self, i: usize, j: usize) -> Cell {
        if self.hides(i, j) { Cell::words("nothing") } else { Cell::number(self.weights[[i, j]], 2) }
    }

    /// What those that a causal mask lets a token look at have of its attention without one.
    fn visible(&self, i: usize) -> f64 {
        let tokens = self.weights.nrows();
        (0..tokens).filter(|&j| Mask::Causal.allows(i, j)).map(|j| self.unmasked[[i, j]]).sum()
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let &Matrix { row, column, .. } = self;
        let (tokens, top) = (scene.tokens.len(), self.top());
        let sums: Vec<f64> = self.weights.columns().into_iter().map(|column| column.sum()).collect();
        let favourite = largest(sums.iter().copied());
        let neglected = largest(sums.iter().map(|sum| -sum));
        let pairs = (0..tokens).flat_map(|i| (0..tokens).map(move |j| (i, j)));
        Findings::new()
            .token("row", scene.label(row))
            .token("column", scene.label(column))
            .cell("weight", self.weight(row, column))
            .token("top", scene.label(top))
            .cell("top-weight", self.weight(row, top))
            .cell("back", self.weight(top, row))
            .number("top-unmasked", self.unmasked[[row, top]], 3)
            .number("visible", self.visible(row), 3)
            .number("least-visible", (0..tokens).map(|i| self.visible(i)).fold(1.0, f64::min), 2)
            .number("row-sum", self.weights.row(row).sum(), 2)
            .number("column-sum", sums[column], 2)
            .token("favourite", scene.label(favourite))
            .number("favourite-sum", sums[favourite], 2)
            .token("neglected", scene.label(neglected))
            .number("neglected-sum", sums[neglected], 2)
            .count("cells", tokens * tokens)
            .count("masked", pairs.filter(|&(i, j)| self.hides(i, j)).count())
            .count("tokens", tokens)
    }

    fn sentences(&self, scene: &Scene) -> Vec<String> {
        let &Matrix { row, column, .. } = self;
        let (asks, key) = (scene.label(row), scene.label(column));
        let given = if self.hides(row, column) {
            format!("“{asks}” (row) may not look at “{key}” (column), which comes after it.")
        } else {
            format!("“{asks}” (row) gives {} to “{key}” (column).", self.weight(row, column))
        };
        let top = self.top();
        let most = (top != column)
            .then(|| format!("It gives most, {}, to “{}”.", self.weight(row, top), scene.label(top)));
        let (row_sum, column_sum) = (self.weights.row(row).sum(), self.weights.column(column).sum());
        let (row_sum, column_sum) = (fixed(row_sum, 2), fixed(column_sum, 2));
        let sums = format!("Its row sums to {row_sum}; the column “{key}” sums to {column_sum}.");
        [Some(given), most, Some(sums)].into_iter().flatten().collect()
    }
}
