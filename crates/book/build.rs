//! Takes the fingerprint of the figures that are compiled into the program, so that it can tell at each build of the book
//! whether the live modules are older, without reading the code again.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Code that cannot be read is the compiler's to report.
    let fingerprint = fingerprint::of(&root).unwrap_or_default();
    println!("cargo::rustc-env=FIGURES_FINGERPRINT={fingerprint}");
    for source in fingerprint::sources(&root) {
        println!("cargo::rerun-if-changed={}", source.display());
    }
}
