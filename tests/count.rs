//! Prints how many tests of every kind the book says that `cargo test` has; `.ci/run` asks cargo itself.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let count = |kind| book::checks::count(&root, &root.join("src"), kind).expect("there are some");
    // A listing is a doctest that cargo lists and does not run: it is tested where it stands.
    println!("{}", ["tests", "doctests", "examples", "listings"].into_iter().map(count).sum::<usize>());
}
