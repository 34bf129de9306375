//! The program behind `cargo run`: it puts figures, numbers and listings into the chapters, and has mdBook make
//! a website of them.
//!
//! A build goes through these modules:
//!
//! 1. [`preprocessor`] replaces the [`directive`]s of each [`chapter`] by pieces of a [`page`], and checks what
//!    mdBook is to [`include`](mod@include). The list of [`exercises`] and the counts of [`checks`] come from the sources
//!    as they are.
//! 2. [`build`] has mdBook and KaTeX do their part, has [`maths`] settle the formulas, and takes what they complain about ([`journal`]) for faults.
//! 3. [`site`] puts the new book in the place of the old one.
//!
//! Whatever goes wrong is a [`fault`], with its place; then the book built before stays as it is.

pub mod build;
pub mod chapter;
pub mod checks;
pub mod cli;
pub mod directive;
pub mod exercises;
pub mod fault;
pub mod include;
pub mod journal;
pub mod maths;
pub mod page;
pub mod preprocessor;
pub mod site;
