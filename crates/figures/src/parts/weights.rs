//! A matrix of weights: its table, and who gets most.

use ndarray::Array2;

use crate::Scene;
use crate::drawing::{Cell, Table};

/// The place of the largest number, the first of equal ones.
pub fn largest(numbers: impl Iterator<Item = f64>) -> usize {
    numbers
        .enumerate()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map_or(0, |(place, _)| place)
}

/// The mean of some numbers; of none, 0.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// The token, other than itself, that the query token gives most weight to. `weights` `[T, T]`
pub fn answering(scene: &Scene, weights: &Array2<f64>) -> usize {
    let asks = scene.query_place();
    (0..scene.tokens.len())
        .filter(|&j| j != asks)
        .reduce(|best, j| if weights[[asks, j]] > weights[[asks, best]] { j } else { best })
        .unwrap_or(asks)
}

/// A table of weights, queries in rows and keys in columns, with the sum of each row.
pub fn weights_table(labels: &[&str], weights: &Array2<f64>, hidden: &dyn Fn(usize, usize) -> bool) -> Table {
    let weight = |i, j| if hidden(i, j) { Cell::words("masked") } else { Cell::number(weights[[i, j]], 3) };
    let row = |(i, label): (usize, &&str)| {
        let sum = Cell::number(weights.row(i).sum(), 2);
        let cells: Vec<Cell> = (0..labels.len()).map(|j| weight(i, j)).chain([sum]).collect();
        ((*label).to_owned(), cells)
    };
    Table::new("query \\ key", labels.iter().copied().chain(["sum"])).rows(labels.iter().enumerate().map(row))
}
