//! How much of the book is checked: counted in the sources while the book is built, so that no page has to be believed.

use std::path::{Path, PathBuf};

/// How something is counted.
type Count = fn(&Sources) -> usize;

/// What can be counted, by the name that `{{#count NAME}}` has for it.
const KINDS: &[(&str, Count)] = &[
    ("tests", |sources| sources.rust.iter().map(|file| tests(file)).sum()),
    ("properties", |sources| sources.rust.iter().map(|file| properties(file)).sum()),
    ("doctests", |sources| sources.rust.iter().map(|file| doctests(file)).sum()),
    ("examples", |sources| sources.chapters.iter().map(|chapter| examples(chapter)).sum()),
    ("listings", |sources| sources.chapters.iter().map(|chapter| listings(chapter)).sum()),
    ("snapshots", |sources| sources.snapshots),
    ("browser-checks", |sources| sources.browser.iter().map(|script| browser_checks(script)).sum()),
];

/// The texts that are counted in.
struct Sources {
    /// Rust files of all packages.
    rust: Vec<String>,
    /// Chapters.
    chapters: Vec<String>,
    /// Scripts of checks in a browser.
    browser: Vec<String>,
    /// How many snapshots there are.
    snapshots: usize,
}

impl Sources {
    fn read(root: &Path, source: &Path) -> Self {
        let mut files = Vec::new();
        for package in packages(root) {
            gather(&root.join(package), &mut files);
        }
        gather(source, &mut files);
        let texts = |ending: &str| -> Vec<String> {
            let ends = |file: &&PathBuf| file.to_string_lossy().ends_with(ending);
            files.iter().filter(ends).filter_map(|file| std::fs::read_to_string(file).ok()).collect()
        };
        let snapshots = files.iter().filter(|file| file.extension().is_some_and(|end| end == "snap")).count();
        Sources { rust: texts(".rs"), chapters: texts(".md"), browser: texts(".test.mjs"), snapshots }
    }
}

/// How many there are of what `name` names, in the project at `root` with its chapters in `source`.
///
/// # Errors
///
/// What is wrong, if nothing is called that, or if there is none: then the count would be a boast about nothing.
pub fn count(root: &Path, source: &Path, name: &str) -> Result<usize, String> {
    let Some((_, count)) = KINDS.iter().find(|(known, _)| *known == name) else {
        let known: Vec<_> = KINDS.iter().map(|(known, _)| format!("`{known}`")).collect();
        return Err(format!("`{name}` cannot be counted; what can is {}", known.join(", ")));
    };
    match count(&Sources::read(root, source)) {
        0 => Err(format!("there are no {name} to be counted below {}", root.display())),
        count => Ok(count),
    }
}

/// The folders of the packages that plain `cargo test` tests: the workspace's default members.
fn packages(root: &Path) -> Vec<String> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).ok();
    let manifest: Option<toml::Table> = manifest.and_then(|text| text.parse().ok());
    let members =
        manifest.as_ref().and_then(|manifest| manifest.get("workspace")?.get("default-members")?.as_array());
    match members {
        Some(members) => members.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect(),
        None => vec!["crates".into(), "tests".into()],
    }
}

/// The files below a folder, without those that a build or a package manager has put there.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let foreign = path.file_name().is_some_and(|name| name == "node_modules" || name == "target");
        if path.is_dir() && !foreign {
            gather(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

/// Test functions.
fn tests(file: &str) -> usize {
    file.lines().filter(|line| line.trim() == "#[test]").count()
}

/// Test functions whose arguments are drawn at random, many times: those within `proptest!`.
fn properties(file: &str) -> usize {
    let mut count = 0;
    // The white space before the macro, and so before the brace that closes it.
    let mut within: Option<String> = None;
    for line in file.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match &within {
            None if line.trim_start().starts_with("proptest! {") => within = Some(indent.to_owned()),
            Some(margin) if indent == margin && line.trim() == "}" => within = None,
            Some(_) if line.trim() == "#[test]" => count += 1,
            _ => {}
        }
    }
    count
}

/// Examples in the documentation of the code.
fn doctests(file: &str) -> usize {
    let comments = file
        .lines()
        .map(str::trim_start)
        .filter_map(|line| line.strip_prefix("///").or(line.strip_prefix("//!")).map(|text| text.trim()));
    let mut open = false;
    let mut count = 0;
    for fence in comments.filter_map(|line| line.strip_prefix("```")) {
        open = !open;
        count += usize::from(open && (fence.is_empty() || fence == "rust"));
    }
    count
}

/// Blocks of a chapter that open with this line.
fn blocks<'a>(chapter: &'a str, opening: &'a str) -> impl Iterator<Item = &'a str> {
    let after = chapter.split(opening).skip(1);
    after.filter(|rest| rest.starts_with('\n')).map(|rest| rest.trim_start_matches('\n'))
}

/// Rust code that stands in a chapter, and is run.
fn examples(chapter: &str) -> usize {
    blocks(chapter, "\n```rust").count()
}

/// Listings that a chapter takes from the library.
fn listings(chapter: &str) -> usize {
    blocks(chapter, "\n```rust,ignore").filter(|block| block.starts_with("{{#include ")).count()
}

/// Checks in a browser. One that stands in a loop is counted once.
fn browser_checks(script: &str) -> usize {
    script.lines().filter(|line| line.trim_start().starts_with("test(")).count()
}

#[cfg(test)]
mod tests_of_counting {
    use super::*;

    #[test]
    fn each_kind_is_counted_where_it_stands() {
        let test = "#[test]"; // not counted itself: it stands in a line with other text
        let file = format!(
            "//! ```\n//! f();\n//! ```\n{test}\nfn a() {{}}\nproptest! {{\n    {test}\n    fn b(x in 0..1) {{\n    }}\n}}\n{test}\n\
             /// ```text\n/// ```\n/// ```\n/// g();\n/// ```\n"
        );
        assert_eq!((tests(&file), properties(&file), doctests(&file)), (3, 1, 2));

        let chapter =
            "# A\n\n```rust\nf();\n```\n\n```rust,ignore\n{{#include a.rs:b}}\n```\n\n```toml\n```\n";
        assert_eq!((examples(chapter), listings(chapter)), (1, 1));
        assert_eq!(browser_checks("test(\"a\", 1);\n  test(`b`, 2);\nfor (const test of tests) {}\n"), 2);
    }

    #[test]
    fn a_count_of_nothing_is_refused() {
        let empty = tempfile::tempdir().unwrap();
        let count = |name| count(empty.path(), empty.path(), name).unwrap_err();
        assert!(count("tests").starts_with("there are no tests to be counted below "));
        assert!(count("stars").starts_with("`stars` cannot be counted; what can is `tests`, "));
    }
}
