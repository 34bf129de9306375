//! The chapters' sources: every Rust block is either compiled and run, or cut out of code that is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

fn chapters() -> Vec<(String, String)> {
    let mut files: Vec<_> =
        std::fs::read_dir(source_folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// A fenced block: its line, its info string, its text.
struct Block {
    line: usize,
    info: String,
    text: String,
}

fn blocks(chapter: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in chapter.lines().enumerate() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(info) => {
                blocks.push(Block { line: number + 1, info: info.to_owned(), text: String::new() });
                open = true;
            }
            None if open => {
                let block = blocks.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!open, "a block is not closed");
    blocks
}

/// Why a block is not allowed in a chapter, if it is not.
fn fault(block: &Block) -> Option<String> {
    let is_include = block.text.lines().count() == 1 && block.text.trim_start().starts_with("{{#include ");
    match block.info.as_str() {
        "rust" if is_include => Some("an include is tested where it stands: mark it `rust,ignore`".into()),
        "rust" => None,
        "rust,ignore" if is_include => None,
        "rust,ignore" => Some("a listing that is ignored must be an include and nothing else".into()),
        info if info.starts_with("rust") => Some(format!("`{info}` is neither run nor an include")),
        "text" | "toml" | "console" => None,
        info => Some(format!("a block must say what it is, and `{info}` is not known here")),
    }
}

#[test]
fn every_rust_block_is_run_or_included() {
    let mut faults = Vec::new();
    for (name, chapter) in chapters() {
        for block in blocks(&chapter) {
            if let Some(fault) = fault(&block) {
                faults.push(format!("src/{name}:{}: {fault}", block.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_block_that_is_neither_is_found() {
    let chapter = "```rust,ignore\nlet typed = 1;\n```\n\n```rust,no_run\nf();\n```\n\n```rust\n{{#include a.rs:b}}\n```\n";
    let faults: Vec<_> = blocks(chapter).iter().map(|block| fault(block).is_some()).collect();
    assert_eq!(faults, [true, true, true]);
}

#[test]
fn every_chapter_is_among_the_doctests() {
    for (name, chapter) in chapters() {
        let has_rust = blocks(&chapter).iter().any(|block| block.info == "rust");
        let listed = checks::CHAPTERS.contains(&format!("../src/{name}").as_str());
        assert!(listed || !has_rust, "src/{name} has Rust blocks and is not listed in tests/lib.rs");
    }
}

/// A decimal number in a chapter's prose was typed, unless it belongs to an exact statement.
#[test]
fn no_computed_number_is_typed() {
    // Exact numbers: given in an exercise, or part of a definition.
    const GIVEN: [&str; 2] = ["0.9", "0.01"];
    let mut typed = Vec::new();
    for (name, chapter) in chapters() {
        let mut in_block = false;
        for (number, line) in chapter.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_block = !in_block;
            }
            // Directives and addresses are not prose.
            let mut prose = line.to_owned();
            for (open, close) in [("{{#", "}}"), ("](", ")")] {
                while let Some(start) = prose.find(open) {
                    let end = prose[start..].find(close).map_or(prose.len(), |end| start + end + close.len());
                    prose.replace_range(start..end, " ");
                }
            }
            let decimals = prose.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| {
                let parts: Vec<_> = word.split('.').collect();
                // `7.1` and its like are chapters.
                matches!(parts[..], [whole, rest] if !whole.is_empty() && !rest.is_empty() && whole != "7")
            });
            for decimal in decimals.filter(|decimal| !in_block && !GIVEN.contains(decimal)) {
                typed.push(format!("src/{name}:{}: {decimal}", number + 1));
            }
        }
    }
    assert!(typed.is_empty(), "numbers typed into the prose:\n{}", typed.join("\n"));
}

/// The listings that chapters take from the code, as its file and the anchor in it.
fn listings() -> BTreeSet<(String, String)> {
    let mut listings = BTreeSet::new();
    for (_, chapter) in chapters() {
        for include in chapter.split("{{#include ../").skip(1) {
            let (file, anchor) = include.split_once("}}").unwrap().0.split_once(':').expect("an anchor");
            listings.insert((file.to_owned(), anchor.to_owned()));
        }
    }
    listings
}

/// The anchors in the code, likewise.
fn anchors(root: &Path, folder: &str, anchors: &mut BTreeSet<(String, String)>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            self::anchors(root, &name, anchors);
        } else if name.ends_with(".rs") {
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let line = line.trim_start();
                let anchor = line.strip_prefix("// ANCHOR: ").or(line.strip_prefix("// ANCHOR_END: "));
                anchors.extend(anchor.map(|anchor| (name.clone(), anchor.to_owned())));
            }
        }
    }
}

#[test]
fn every_anchor_is_used_and_every_used_anchor_exists() {
    let mut found = BTreeSet::new();
    anchors(&source_folder().join(".."), "crates", &mut found);
    let used = listings();
    let unused: Vec<_> = found.difference(&used).collect();
    assert!(unused.is_empty(), "no chapter has a listing of these: {unused:#?}");
    let missing: Vec<_> = used.difference(&found).collect();
    assert!(missing.is_empty(), "chapters have listings of these, which do not exist: {missing:#?}");
}
