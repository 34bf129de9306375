//! What a figure gives back: a picture, its numbers, and what there is to see in them.

use std::fmt;

use crate::numbers::{count, fixed, share};
use crate::{Error, Result};

/// A figure, drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The picture, a complete SVG document.
    pub svg: String,
    /// The numbers in the picture, by row and column.
    pub table: Table,
    /// Single findings, by name: what the sentences and the chapters quote.
    pub facts: Vec<Fact>,
    /// What there is to see, made from the numbers: the text alternative and the live status line.
    pub sentences: Vec<String>,
}

/// The numbers of a figure, with named rows and columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The heading of the column of row names.
    pub corner: String,
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows, from the top.
    pub rows: Vec<Row>,
}

/// A row of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The row's name.
    pub name: String,
    /// One cell for each of the table's columns.
    pub cells: Vec<Cell>,
}

/// A finding, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its name in `{{#value figure name}}`.
    pub name: &'static str,
    /// What was found.
    pub cell: Cell,
}

/// Findings in the making.
#[derive(Default)]
pub(crate) struct Findings(pub Vec<Fact>);

impl Findings {
    pub fn new() -> Self {
        Findings::default()
    }

    /// One finding more, of any kind.
    pub fn cell(mut self, name: &'static str, cell: Cell) -> Self {
        self.0.push(Fact { name, cell });
        self
    }

    /// A number, shown with so many digits after the point.
    pub fn number(self, name: &'static str, value: f64, digits: usize) -> Self {
        self.cell(name, Cell::number(value, digits))
    }

    /// A share of the whole, from 0 to 1.
    pub fn share(self, name: &'static str, value: f64) -> Self {
        self.cell(name, Cell::share(value))
    }

    /// A whole number.
    pub fn count(self, name: &'static str, value: usize) -> Self {
        self.cell(name, Cell::count(value as u64))
    }

    /// A token of the scene.
    pub fn token(self, name: &'static str, text: &str) -> Self {
        self.cell(name, Cell::token(text))
    }

    /// A few words.
    pub fn words(self, name: &'static str, words: impl Into<String>) -> Self {
        self.cell(name, Cell::words(words))
    }
}

/// A number or a few words to be shown.
///
/// ```
/// use figures::Cell;
///
/// assert_eq!(Cell::number(0.4567, 2).to_string(), "0.46");
/// assert_eq!(Cell::number(-1.5, 1).to_string(), "−1.5"); // a minus sign, not a hyphen
/// assert_eq!(Cell::number(-0.001, 2).to_string(), "0.00"); // no negative zero
/// assert_eq!(Cell::share(0.4567).to_string(), "46%");
/// assert_eq!(Cell::count(43_008).to_string(), "43\u{202f}008"); // a narrow space that does not break
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A number, shown with so many digits after the point.
    Number {
        /// The number, unrounded.
        value: f64,
        /// How many digits are shown after the point.
        digits: usize,
    },
    /// A share of the whole, from 0 to 1, shown in per cent.
    Share(f64),
    /// A whole number, its thousands set apart.
    Count(u64),
    /// A few words.
    Words(String),
    /// A token of the scene, which pages set apart from the words around it.
    Token(String),
}

impl Cell {
    /// A number shown with `digits` digits after the point.
    pub fn number(value: f64, digits: usize) -> Self {
        Cell::Number { value, digits }
    }

    /// A share of the whole, from 0 to 1.
    pub fn share(value: f64) -> Self {
        Cell::Share(value)
    }

    /// A whole number.
    pub fn count(value: u64) -> Self {
        Cell::Count(value)
    }

    /// A few words.
    pub fn words(words: impl Into<String>) -> Self {
        Cell::Words(words.into())
    }

    /// A token of the scene.
    pub fn token(text: impl Into<String>) -> Self {
        Cell::Token(text.into())
    }

    /// The number behind the cell, unrounded, if it has one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Cell::Number { value, .. } | Cell::Share(value) => Some(*value),
            Cell::Count(value) => Some(*value as f64),
            Cell::Words(_) | Cell::Token(_) => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Number { value, digits } => f.write_str(&fixed(*value, *digits)),
            Cell::Share(value) => f.write_str(&share(*value)),
            Cell::Count(value) => f.write_str(&count(*value)),
            Cell::Words(words) | Cell::Token(words) => f.write_str(words),
        }
    }
}

impl Table {
    /// A table without rows.
    ///
    /// ```
    /// use figures::{Cell, Table};
    ///
    /// let table = Table::new("token", ["weight"]).row("cat", [Cell::number(0.66, 2)]);
    /// assert_eq!(table.cell("cat", "weight")?.to_string(), "0.66");
    /// # Ok::<(), figures::Error>(())
    /// ```
    pub fn new<C: Into<String>>(corner: impl Into<String>, columns: impl IntoIterator<Item = C>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Table { corner: corner.into(), columns, rows: Vec::new() }
    }

    /// The table with one row more, which has a cell for each column.
    pub fn row(mut self, name: impl Into<String>, cells: impl Into<Vec<Cell>>) -> Self {
        self.rows.push(Row { name: name.into(), cells: cells.into() });
        self
    }

    /// The table with more rows, each a name and its cells.
    pub fn rows<N: Into<String>, C: Into<Vec<Cell>>>(self, rows: impl IntoIterator<Item = (N, C)>) -> Self {
        rows.into_iter().fold(self, |table, (name, cells)| table.row(name, cells))
    }

    /// The cell of a row and column.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] if there is no such row or column; the message lists those there are.
    pub fn cell(&self, row: &str, column: &str) -> Result<&Cell> {
        let names = || self.rows.iter().map(|row| row.name.as_str());
        let found = self.rows.iter().find(|candidate| candidate.name == row);
        let place = self.columns.iter().position(|candidate| candidate == column);
        match (found, place) {
            (None, _) => Err(Error::unknown("row", row, names())),
            (_, None) => Err(Error::unknown("column", column, self.columns.iter().map(String::as_str))),
            (Some(row), Some(place)) => Ok(&row.cells[place]),
        }
    }
}

impl Drawing {
    /// A finding by its name.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] if the figure has no finding of that name; the message lists those it has.
    pub fn fact(&self, name: &str) -> Result<&Cell> {
        match self.facts.iter().find(|fact| fact.name == name) {
            Some(fact) => Ok(&fact.cell),
            None => Err(Error::unknown("finding", name, self.facts.iter().map(|fact| fact.name))),
        }
    }

    /// The figure in words: all its sentences, one after the other.
    pub fn words(&self) -> String {
        self.sentences.join(" ")
    }
}
