//! Every Rust block of every chapter is a doctest here: what a page shows, compiles and holds.

/// Makes the Rust blocks of a chapter doctests.
macro_rules! chapters {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($path)]
            pub struct $name;
        )*

        /// The chapters whose Rust blocks are compiled and run.
        pub const CHAPTERS: &[&str] = &[$($path),*];
    };
}

chapters! {
    Opening: "../src/opening.md",
    QueryKeyValue: "../src/7-1-query-key-value.md",
    Learned: "../src/7-1-learned.md",
    Matrix: "../src/7-2-matrix.md",
    Heads: "../src/7-3-heads.md",
    Wild: "../src/7-3-wild.md",
    Growth: "../src/7-3-growth.md",
    Block: "../src/7-4-block.md",
    Positions: "../src/7-4-positions.md",
    Conventions: "../src/conventions.md",
}
