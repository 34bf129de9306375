//! The crates that a module is compiled with, as `Cargo.lock` has them.
//!
//! Both kinds of file are read line by line: cargo writes the one, and `[dependencies]` in the other has a line each. A
//! reader of TOML would have to be compiled a second time for the build script that asks for the fingerprint.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use crate::named;

/// A package in `Cargo.lock`. What it needs is written as `name`, or as `name version` where there are several.
#[derive(Default)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    needs: Vec<&'a str>,
}

/// Every crate that `own` need, and what those need, each as `name version`. What is needed for tests alone does not
/// count, nor what is optional, such as reading scenes in TOML.
pub fn of(root: &Path, own: &[&str]) -> io::Result<BTreeSet<String>> {
    let lock = text(&root.join("Cargo.lock"))?;
    let packages: Vec<Package> = lock.split("[[package]]").skip(1).map(package).collect();
    let find = |wanted: &str| {
        let (name, version) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let is = |package: &&Package| package.name == name && [package.version, ""].contains(&version);
        packages
            .iter()
            .find(is)
            .ok_or_else(|| named(&root.join("Cargo.lock"), format!("no package `{wanted}`")))
    };

    let mut waiting = Vec::new();
    for name in own {
        let manifest = text(&root.join("crates").join(name).join("Cargo.toml"))?;
        let declared = dependencies(&manifest);
        let counts = |entry: &&str| entry.split(' ').next().is_some_and(|name| declared.contains(name));
        waiting.extend(find(name)?.needs.iter().copied().filter(counts));
    }
    let mut all = BTreeSet::new();
    while let Some(wanted) = waiting.pop() {
        let package = find(wanted)?;
        if !own.contains(&package.name) && all.insert(format!("{} {}", package.name, package.version)) {
            waiting.extend(&package.needs);
        }
    }
    Ok(all)
}

fn text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path).map_err(|error| named(path, error))
}

/// A package of `Cargo.lock`, from the lines below its heading.
fn package(lines: &str) -> Package<'_> {
    let mut package = Package::default();
    for line in lines.lines() {
        if let Some(name) = line.strip_prefix("name = ") {
            package.name = name.trim_matches('"');
        } else if let Some(version) = line.strip_prefix("version = ") {
            package.version = version.trim_matches('"');
        } else if let Some(needed) = line.strip_prefix(" \"") {
            package.needs.push(needed.trim_end_matches("\","));
        }
    }
    package
}

/// The names under `[dependencies]` in a crate's `Cargo.toml`, but for those that are optional.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let below = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let lines = below.take_while(|line| !line.starts_with('['));
    let needed = lines.filter(|line| !line.starts_with('#') && !line.contains("optional = true"));
    needed.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty()).collect()
}
