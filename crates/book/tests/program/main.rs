//! The program, run on small books: what it builds, what it refuses, and what it leaves alone.

mod commands;
mod directives;
mod folders;
mod formulas;
mod line_ends;
mod links;
mod mdbook;
mod messages;
mod premises;
mod settings;
mod small;
