//! Takes the fingerprint of the figures that are compiled into the program, so that it can tell at each build of the book
//! whether the live modules are older, without reading the code again.

use std::path::Path;

fn main() {
    // As it is now, and not when this was compiled: a checkout can be moved, its target folder with it.
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    let root = Path::new(&folder).join("../..");
    // Code that cannot be read is the compiler's to report.
    let fingerprint = fingerprint::of(&root).unwrap_or_default();
    println!("cargo::rustc-env=FIGURES_FINGERPRINT={fingerprint}");
    for source in fingerprint::sources(&root) {
        println!("cargo::rerun-if-changed={}", source.display());
    }
}
