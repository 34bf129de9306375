//! The chapters' sources: every Rust block is either compiled and run, or cut out of code that is.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use mdbook_markdown::pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};
use walkdir::{DirEntry, WalkDir};

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

/// A block of code: where it is, its line, its info string (none if it is indented), its text.
struct Block {
    range: Range<usize>,
    line: usize,
    info: String,
    text: String,
}

/// The blocks of code of a chapter, as mdBook finds them.
fn blocks(chapter: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (event, range) in new_cmark_parser(chapter, &MarkdownOptions::default()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let line = chapter[..range.start].matches('\n').count() + 1;
                blocks.push(Block { range, line, info, text: String::new() });
                open = true;
            }
            Event::End(TagEnd::CodeBlock) => open = false,
            Event::Text(text) if open => blocks.last_mut().unwrap().text.push_str(&text),
            _ => {}
        }
    }
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
    // Others' numbers, each with its source in a comment beside it or in its sentence: results (7.3: Vaswani et al. 2017,
    // table 3; 7.1: GPT-2's matrices, and 768 · 0.02² of it), versions of programs and books, sections of a paper.
    const QUOTED: [&str; 13] =
        ["24.9", "25.8", "25.4", "0.02", "0.3", "1.23", "2.5", "2.12", "2.15", "1.0", "3.2", "3.3", "3.5"];
    let mut typed = Vec::new();
    for (name, chapter) in chapters() {
        let mut text = chapter.clone();
        for block in blocks(&chapter) {
            let lines = "\n".repeat(chapter[block.range.clone()].matches('\n').count());
            text.replace_range(block.range.clone(), &(" ".repeat(block.range.len() - lines.len()) + &lines));
        }
        for (number, line) in text.lines().enumerate() {
            // Directives, addresses and comments are not prose.
            let mut prose = line.to_owned();
            for (open, close) in [("{{#", "}}"), ("](", ")"), ("<!--", "-->")] {
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
            for decimal in decimals.filter(|decimal| !GIVEN.contains(decimal) && !QUOTED.contains(decimal)) {
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

/// The anchors in the code, likewise. A crate's own tests are no listings, and may have anchors in their strings.
fn anchors() -> BTreeSet<(String, String)> {
    let root = source_folder().join("..");
    let mut anchors = BTreeSet::new();
    let is_code = |entry: &DirEntry| entry.file_name() != "tests";
    for entry in WalkDir::new(root.join("crates")).into_iter().filter_entry(is_code) {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|ending| ending == "rs" || ending == "toml") {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let line = line.trim_start().replacen("# ", "// ", 1);
                let anchor = line.strip_prefix("// ANCHOR: ").or(line.strip_prefix("// ANCHOR_END: "));
                anchors.extend(anchor.map(|anchor| (name.clone(), anchor.to_owned())));
            }
        }
    }
    anchors
}

#[test]
fn every_anchor_is_used_and_every_used_anchor_exists() {
    let found = anchors();
    let used = listings();
    let unused: Vec<_> = found.difference(&used).collect();
    assert!(unused.is_empty(), "no chapter has a listing of these: {unused:#?}");
    let missing: Vec<_> = used.difference(&found).collect();
    assert!(missing.is_empty(), "chapters have listings of these, which do not exist: {missing:#?}");
}

/// What a student looks for: the field's words, whatever else this book may call the thing.
const TERMS: &[&str] = &[
    "ablation",
    "activation",
    "attention",
    "attention sink",
    "autoregressive",
    "batch",
    "bias",
    "block",
    "causal mask",
    "cross-attention",
    "decoder",
    "dropout",
    "embedding",
    "encoder",
    "equivariant",
    "GELU",
    "grouped-query attention",
    "head",
    "in-context learning",
    "induction head",
    "K-composition",
    "key",
    "KV cache",
    "LayerNorm",
    "learning rate",
    "logit",
    "mask",
    "MLP",
    "multi-head attention",
    "one-hot",
    "OV circuit",
    "padding",
    "parameters",
    "positional encoding",
    "post-norm",
    "pre-norm",
    "QK circuit",
    "query",
    "ReLU",
    "residual connection",
    "residual stream",
    "RoPE",
    "scaled dot-product attention",
    "score",
    "self-attention",
    "sinusoids",
    "skip connection",
    "softmax",
    "teacher forcing",
    "temperature",
    "token",
    "value",
    "weight",
    "weight tying",
];

/// The anchor that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect()
}

/// The part of a chapter below the heading with this anchor; the whole chapter without one.
fn section<'a>(chapter: &'a str, wanted: Option<&str>) -> Option<&'a str> {
    let Some(wanted) = wanted else { return Some(chapter) };
    let is_it = |part: &&str| anchor(part.lines().next().unwrap_or_default()) == wanted;
    chapter.split("\n## ").skip(1).find(is_it)
}

/// Each term is in the glossary, and where the glossary says, the text has it in its own words.
#[test]
fn every_term_is_in_the_glossary_and_explained_where_it_says() {
    let chapters = chapters();
    let text = |name: &str| &chapters.iter().find(|(file, _)| file == name).expect(name).1;
    // An entry: `**Term**, or other names: what it means. [Place](file.md#section)`
    let entries: Vec<(String, &str)> = text("glossary.md")
        .split("\n\n")
        .filter(|entry| entry.starts_with("**"))
        .map(|entry| (entry.split(": ").next().unwrap().to_lowercase(), entry))
        .collect();
    for term in TERMS {
        let named = term.to_lowercase();
        let is_named = |names: &str| {
            names.split(['*', ',', '(', ')']).any(|name| name.trim().trim_start_matches("or ") == named)
        };
        let (_, entry) = entries
            .iter()
            .find(|(names, _)| is_named(names))
            .unwrap_or_else(|| panic!("the glossary has no `{term}`"));
        let place = entry.rsplit_once("](").and_then(|(_, place)| place.trim_end().strip_suffix(')'));
        let place = place.unwrap_or_else(|| panic!("`{term}` names no place"));
        let (file, heading) =
            place.split_once('#').map_or((place, None), |(file, heading)| (file, Some(heading)));
        let section = section(text(file), heading)
            .unwrap_or_else(|| panic!("`{term}`: {file} has no section {heading:?}"));
        let section = section.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(section.contains(named.trim_end_matches('s')), "`{term}` is not said at {place}");
    }
}
