//! The program behind `cargo run`: it puts figures, numbers and listings into the chapters, and has mdBook make
//! a website of them.
//!
//! A build is a line ([`build`](mod@build)): mdBook loads the book; [`expand`](mod@expand) fills its chapters; mdBook renders
//! it, as `book.toml` says ([`settings`]), and what it warns of is a fault ([`journal`]); the [`links`](mod@links) are
//! followed; [`site`] puts the new book in the place of the old one.
//!
//! A [`chapter`] is read for its [`directive`]s and formulas. Figures get their numbers first (`numbering`). A directive becomes a piece of a [`page`], and what mdBook is to
//! [`include`](mod@include) is checked; a [`formula`] becomes MathML, which [`maths`] makes fit for the page. The list of
//! [`exercises`] comes from the sources as they are. Words that need a certain scene have their [`premises`].
//!
//! Whatever goes wrong is a [`fault`], with its place, and with a [`hint`](mod@hint) where a name is nearly right; then the book built before stays as it is.

pub mod build;
pub mod chapter;
pub mod cli;
pub mod directive;
pub mod exercises;
pub mod expand;
pub mod fault;
pub mod formula;
pub mod hint;
pub mod include;
pub mod journal;
pub mod light;
pub mod links;
pub mod maths;
mod numbering;
pub mod page;
pub mod premises;
pub mod seeds;
pub mod settings;
pub mod site;
