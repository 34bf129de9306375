use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A small project: three crates, of which one has modules, includes a file, and is drawn by.
fn project() -> TempDir {
    let project = TempDir::new().unwrap();
    for (file, text) in [
        ("Cargo.lock", LOCK),
        (
            "crates/attention/Cargo.toml",
            "[dependencies]\nlibm.workspace = true\n[dev-dependencies]\nproptest = \"1\"\n",
        ),
        ("crates/attention/src/lib.rs", "pub mod softmax;\nmod grown;\n"),
        ("crates/attention/src/softmax.rs", SOFTMAX),
        ("crates/attention/src/grown/mod.rs", "const WEIGHTS: &[u8] = include_bytes!(\"weights.bin\");"),
        ("crates/attention/src/grown/weights.bin", "\u{1}\u{2}\r\n"),
        ("crates/attention/src/grown/README.md", "How they were grown."),
        (
            "crates/figures/Cargo.toml",
            "[dependencies]\nattention = \"0\"\ntoml = { version = \"1\", optional = true }\n",
        ),
        (
            "crates/figures/src/lib.rs",
            "mod gallery { mod threads; }\nconst SCENE: &str = include_str!(\"scene.toml\");",
        ),
        ("crates/figures/src/gallery/threads.rs", "const THICKEST: f64 = 12.0;"),
        ("crates/figures/src/scene.toml", "tokens = []\n"),
        ("crates/live/Cargo.toml", "[dependencies]\nfigures = \"0\"\n"),
        ("crates/live/src/lib.rs", "pub fn draw() {}"),
    ] {
        write(project.path(), file, text);
    }
    project
}

const LOCK: &str = r#"
[[package]]
name = "attention"
version = "0.1.0"
dependencies = [
 "libm",
 "proptest",
]

[[package]]
name = "figures"
version = "0.1.0"
dependencies = [
 "attention",
 "toml",
]

[[package]]
name = "libm"
version = "0.2.15"
dependencies = [
 "deep 1.0.0",
]

[[package]]
name = "deep"
version = "1.0.0"
dependencies = [
 "deeper",
]

[[package]]
name = "deep"
version = "2.0.0"

[[package]]
name = "deeper"
version = "3.0.0"

[[package]]
name = "live"
version = "0.1.0"
dependencies = [
 "figures",
]

[[package]]
name = "proptest"
version = "1.12.0"
dependencies = [
 "deep 2.0.0",
]

[[package]]
name = "toml"
version = "1.2.2"
"#;

const SOFTMAX: &str = "\
/// Shares of a row.
#[must_use]
pub fn softmax(row: &[f64], scale: f64) -> Vec<f64> {
    // In order.
    row.iter().map(|x| x * scale).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {}
}
";

fn write(root: &Path, file: &str, text: &str) {
    let file = root.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Whether the fingerprint is another once `from` has become `to` in a file.
fn changes(file: &str, from: &str, to: &str) -> bool {
    let project = project();
    let path = project.path().join(file);
    let before = crate::of(project.path()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no `{from}`");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    before != crate::of(project.path()).unwrap()
}

const FILE: &str = "crates/attention/src/softmax.rs";

#[test]
fn comments_and_documentation_do_not_count() {
    assert!(!changes(FILE, "// In order.", "// One by one,\n    /* and\n in order */"));
    assert!(!changes(FILE, "// In order.", ""));
    assert!(!changes(FILE, "/// Shares of a row.", "/// The shares of a row.\n///\n/// More."));
    assert!(!changes(FILE, "/// Shares of a row.", "#[doc = \"Shares.\"] #[doc(alias = \"exp\")]"));
    assert!(!changes(
        "crates/live/src/lib.rs",
        "pub",
        "//! The figures, live.\n#![doc = include_str!(\"no.md\")]\npub"
    ));
    assert!(!changes("crates/attention/src/grown/README.md", "How", "Where"));
}

#[test]
fn tests_do_not_count() {
    assert!(!changes(FILE, "fn sums() {}", "fn sums() { assert!(true) }"));
    assert!(!changes(FILE, "mod tests {\n    #[test]\n    fn sums() {}\n}", "mod tests;"));
    assert!(!changes(FILE, "#[cfg(test)]", "#[cfg(test)]\nuse std::fs;\n#[cfg(test)]"));
    assert!(!changes(
        FILE,
        "#[cfg(test)]",
        "#[cfg(test)] #[allow(unused)] pub(crate) fn row() -> [f64; 2] { [1.0; 2] }\n#[cfg(test)]"
    ));
    assert!(changes(FILE, "#[cfg(test)]", "#[cfg(feature = \"tests\")]"));
    assert!(changes(FILE, "#[cfg(test)]", "#[cfg(test)]\nuse std::fs;\nuse std::io;\n#[cfg(test)]"));
}

#[test]
fn the_form_does_not_count() {
    assert!(!changes(
        FILE,
        "row.iter().map(|x| x * scale).collect()",
        "row\n  .iter()\r\n .map( |x|  x*scale )\n.collect()"
    ));
    assert!(!changes(FILE, "(row: &[f64], scale: f64)", "(\n    row: &[f64],\n    scale: f64,\n)"));
    assert!(!changes(FILE, "\n", "\r\n"));
}

#[test]
fn code_counts() {
    assert!(changes("crates/figures/src/gallery/threads.rs", "12.0", "13.0"));
    assert!(changes(FILE, "#[must_use]", ""));
    assert!(changes(FILE, "x * scale", "x / scale"));
    assert!(changes(FILE, "x * scale", "x * *scale"));
    assert!(changes(FILE, "scale: f64", "scale: f32"));
    assert!(changes("crates/live/src/lib.rs", "{}", "{ 'a: loop {} }"));
}

#[test]
fn included_files_count() {
    assert!(changes("crates/attention/src/grown/weights.bin", "\u{2}", "\u{3}"));
    assert!(changes("crates/attention/src/grown/weights.bin", "\r\n", "\n"), "bytes are bytes");
    assert!(changes("crates/figures/src/scene.toml", "[]", "[1]"));
    assert!(!changes("crates/figures/src/scene.toml", "\n", "\r\n"), "text is text");
}

#[test]
fn versions_count_of_what_is_compiled_in() {
    assert!(changes("Cargo.lock", "0.2.15", "0.2.16"));
    assert!(changes("Cargo.lock", "3.0.0", "3.0.1"));
    assert!(!changes("Cargo.lock", "version = \"1.12.0\"", "version = \"1.12.1\""), "tests alone need it");
    assert!(!changes("Cargo.lock", "version = \"1.2.2\"", "version = \"1.2.3\""), "it is optional");
}

#[test]
fn a_module_is_stale_that_is_missing_or_older() {
    let project = project();
    let root = project.path();
    let line = crate::line(&crate::of(root).unwrap());
    let folder = crate::folder(root);
    write(&folder, "heads.js", &format!("// Built.\n{line}\nlet x;"));
    write(&folder, "matrix.js", "// Built.\n// sources: 00\n");
    let stale = || crate::stale(&crate::of(root).unwrap(), &folder, ["heads", "matrix", "block"]);
    assert_eq!(stale(), ["matrix", "block"]);
    write(root, "crates/live/src/lib.rs", "pub fn draw(_: f64) {}");
    assert_eq!(stale(), ["heads", "matrix", "block"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let said = |file: &str, text: &str| {
        let project = project();
        write(project.path(), file, text);
        crate::of(project.path()).unwrap_err().to_string()
    };
    assert!(said(FILE, "fn softmax( {").contains("softmax.rs: "));
    assert!(said("crates/live/src/lib.rs", "mod gone;").contains("gone/mod.rs: "));
    assert!(
        said("crates/live/src/lib.rs", "#[path = \"x.rs\"] mod x;").contains("lib.rs: modules with a `path`")
    );
    assert!(said(FILE, "const X: &str = include_str!(concat!(\"a\"));").contains("only a plain name"));
    assert!(said("Cargo.lock", "").contains("Cargo.lock: no package `attention`"));
}
