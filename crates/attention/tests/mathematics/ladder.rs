//! The library's files are a ladder: each takes things from the file that has them, and from no file that comes later in
//! the book.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files, in the order of the book: the mechanism, and then the modules around it. (The mask of 7.2 stands before
/// attention, which has it as an argument from the beginning; biases and rotations stand before the heads that may have
/// some.)
const ORDER: &[&str] = &[
    "error",
    "scores",
    "softmax",
    "mask",
    "attention",
    "self_attention",
    "one_pass",
    "next_token",
    "biases",
    "sinusoid",
    "rope",
    "heads",
    "attention_only",
    "cross_entropy",
    "norm",
    "gelu",
    "mlp",
    "block",
    "stack",
    "transformer",
    "gradient",
    "gradient::softmax",
    "gradient::attention",
    "gradient::heads",
    "gradient::norm",
    "gradient::mlp",
    "gradient::block",
    "gradient::stack",
    "random",
    "random::normals",
    "random::xavier",
    "circuits",
    "circuits::patterns",
    "circuits::induction",
    "study",
    "study::frobenius",
    "study::quartiles",
    "study::recurrence",
    "study::influence",
    "study::paths",
    "study::scale",
    "study::cost",
    "study::repeats",
    "study::metrics",
    "study::ablation",
    "study::language",
    "study::reading",
    "study::depth",
    "trained",
    "trained::safetensors",
    "trained::weights",
    "trained::transformers",
    "trained::attempts",
    "trained::log",
    "trained::recipe",
    "trained::seeds",
];

/// Where a file stands in the book.
fn rank(file: &str) -> Option<usize> {
    ORDER.iter().position(|known| *known == file)
}

/// The code of all files but lib.rs, by their paths as modules, without comments.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.lines().map(str::trim_start);
                let code = code.filter(|line| !line.starts_with("//"));
                let module = path.strip_prefix(&root).unwrap();
                let module = module.with_extension("");
                let module =
                    module.to_str().unwrap().replace(['/', '\\'], "::");
                let module = module.trim_end_matches("::mod").to_owned();
                sources.push((module, code.collect::<Vec<_>>().join(" ")));
            }
        }
    }
    sources.retain(|(module, _)| module != "lib");
    sources
}

/// What is wrong with the arrows of a file with this code.
fn faults(module: &str, code: &str) -> Vec<String> {
    let Some(here) = rank(module) else {
        return vec![format!(
            "{module}: has no place in the order of the book"
        )];
    };
    let mut faults = Vec::new();
    if code.contains("super::") {
        faults.push(format!("{module}: takes something from `super`, and not from the file that has it"));
    }
    for (before, path) in
        code.split("crate::").zip(code.split("crate::").skip(1))
    {
        if !before.ends_with("use ") && !before.ends_with("pub(") {
            faults.push(format!(
                "{module}: takes `crate::{:.20}…` without a `use`",
                path
            ));
            continue;
        }
        let path = path.split(';').next().unwrap();
        // The longest beginning of the path that is a file.
        let ends = path.match_indices("::").map(|(end, _)| end);
        match ends.filter_map(|end| rank(&path[..end])).last() {
            None => faults.push(format!("{module}: takes `{path}` from the root, and not from the file that has it")),
            Some(there) if there >= here => {
                faults.push(format!("{module}: takes `{path}`, which comes later in the book"));
            }
            Some(_) => {}
        }
    }
    faults
}

#[test]
fn no_file_takes_anything_from_the_root_or_from_later_in_the_book() {
    let faults: Vec<_> = sources()
        .iter()
        .flat_map(|(module, code)| faults(module, code))
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_file_has_its_place() {
    let there: BTreeSet<String> =
        sources().into_iter().map(|(module, _)| module).collect();
    let known: BTreeSet<String> =
        ORDER.iter().map(|module| (*module).to_owned()).collect();
    assert_eq!(there, known);
}

#[test]
fn an_arrow_that_is_wrong_is_found() {
    assert!(faults("mask", "use crate::error::{Result, need};").is_empty());
    assert!(
        faults(
            "study::depth",
            "use crate::gradient::softmax::softmax_backward;"
        )
        .is_empty()
    );
    for (module, code) in [
        ("mask", "use crate::{Head, Mlp};"),
        ("mask", "use crate::Head;"),
        ("mask", "use crate::heads::Head;"),
        ("rope", "use crate::gradient::Gradient;"),
        (
            "gradient::softmax",
            "use crate::gradient::attention::AttentionGradient;",
        ),
        ("mask", "fn f() { crate::error::need() }"),
        ("gradient::heads", "use super::Gradient;"),
        ("elsewhere", ""),
    ] {
        assert_eq!(faults(module, code).len(), 1, "{module}: {code}");
    }
}
