//! Whether the live modules were built from the figures as they are.
//!
//! A module carries the fingerprint of the code that it was built from. It is taken of tokens, and not of bytes:
//! comments, documentation, tests, spaces and line breaks do not count, for no module is different for them.

mod dependencies;
mod source;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest as _, Sha256};

/// The command that builds the modules.
pub const COMMAND: &str = "cargo run -p live-build";

/// The crates that a module is compiled from.
const CRATES: [&str; 3] = ["attention", "figures", "live"];

/// How the line of a module begins that holds the fingerprint.
const LINE: &str = "// sources: ";

/// The folder of the modules, in the project whose folder is `root`.
///
/// ```
/// # use std::path::Path;
/// assert!(fingerprint::folder(Path::new("project")).starts_with("project"));
/// ```
pub fn folder(root: &Path) -> PathBuf {
    root.join("src/live")
}

/// The fingerprint of all that goes into a module, in the project whose folder is `root`: the code of the three crates
/// from their `lib.rs` on, the files it includes, and the versions in `Cargo.lock` of the crates it uses.
///
/// ```
/// # use std::path::Path;
/// let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
/// assert_eq!(fingerprint::of(&root).unwrap().len(), 32);
/// ```
///
/// # Errors
///
/// A file that cannot be read, or that Rust could not read either; the message names it.
pub fn of(root: &Path) -> io::Result<String> {
    let mut code = Vec::new();
    for name in CRATES {
        source::read(&root.join("crates").join(name).join("src/lib.rs"), &mut code)?;
    }
    for dependency in dependencies::of(root, &CRATES)? {
        code.extend(dependency.as_bytes());
        code.push(b'\n');
    }
    let mut hex = String::new();
    for byte in &Sha256::digest(code)[..16] {
        write!(hex, "{byte:02x}").expect("a string takes what is written");
    }
    Ok(hex)
}

/// The files and folders that the fingerprint is taken of, for those who take it again once they change.
///
/// ```
/// # use std::path::Path;
/// let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
/// assert!(fingerprint::sources(&root).iter().all(|source| source.exists()));
/// ```
pub fn sources(root: &Path) -> Vec<PathBuf> {
    let of_crate = |name| ["src", "Cargo.toml"].map(|part| root.join("crates").join(name).join(part));
    CRATES.into_iter().flat_map(of_crate).chain([root.join("Cargo.lock")]).collect()
}

/// The line of a module that says what it was built from; [`stale`] reads it.
///
/// ```
/// assert_eq!(fingerprint::line("0123"), "// sources: 0123");
/// ```
pub fn line(fingerprint: &str) -> String {
    format!("{LINE}{fingerprint}")
}

/// Those of the chapters whose modules in `folder` are missing, or carry another fingerprint than this.
///
/// ```
/// # use std::path::Path;
/// let nothing_there = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
/// assert_eq!(fingerprint::stale("0123", &nothing_there, ["matrix", "heads"]), ["matrix", "heads"]);
/// ```
pub fn stale<'a>(
    fingerprint: &str,
    folder: &Path,
    chapters: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let line = line(fingerprint);
    let fresh = |chapter: &str| {
        // A module that cannot be read is as good as none.
        let script = fs::read_to_string(folder.join(format!("{chapter}.js"))).unwrap_or_default();
        script.lines().take(3).any(|said| said == line)
    };
    chapters.into_iter().filter(|chapter| !fresh(chapter)).collect()
}

/// An error of reading, with the file's name to it.
fn named(path: &Path, error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
