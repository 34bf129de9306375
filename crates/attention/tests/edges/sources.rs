//! The public functions of the library, as its sources have them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A public function, by its name or its type's and its own: whether its documentation has a section on panics.
pub type Functions = BTreeMap<String, bool>;

/// All public functions below `src`.
pub fn public_functions() -> Functions {
    let mut files = Vec::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut functions = Functions::new();
    for file in files {
        read(&fs::read_to_string(file).unwrap(), &mut functions);
    }
    functions
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// The public functions in a file that is formatted as rustfmt does: an `impl` begins and ends at the start of a line.
fn read(source: &str, functions: &mut Functions) {
    let mut of_type = None;
    let mut panics = false;
    for line in source.lines() {
        let code = line.trim_start();
        if let Some(text) = code.strip_prefix("///") {
            panics |= text.trim() == "# Panics";
            continue;
        }
        if line.starts_with("impl") {
            of_type = implemented(line);
        } else if line == "}" {
            of_type = None;
        }
        if let Some(name) = name(code) {
            let name = match &of_type {
                Some(of_type) => format!("{of_type}::{name}"),
                None => name.to_owned(),
            };
            let twice = functions.insert(name.clone(), panics);
            assert!(twice.is_none(), "there are two functions `{name}`");
        }
        let between =
            code.is_empty() || code.starts_with("//") || code.starts_with("#[");
        panics &= between;
    }
}

/// The type that these functions belong to: in `impl Name {`, `impl<T> Name<T> {`.
fn implemented(line: &str) -> Option<String> {
    let rest = line.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(parameters) => parameters.split_once('>')?.1,
        None => rest,
    };
    let end = rest.trim().find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(rest.trim()[..end?].to_owned())
}

/// The name of the function that a line begins, if it is public.
fn name(code: &str) -> Option<&str> {
    let code = code.strip_prefix("pub ")?;
    let code = code.strip_prefix("const ").unwrap_or(code);
    let rest = code.strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

#[test]
fn a_source_is_read_as_it_is() {
    let source = "\
/// Free.
///
/// # Panics
///
/// Sometimes.
// ANCHOR: free
pub fn free<T>(x: T) {}

impl<'a> Name<'a> {
    /// Bound.
    pub const fn bound(&self) {
    }

    fn private() {}
    pub(crate) fn nearly() {}
}

/// Free too.
pub fn other(
    x: f64,
) {}
";
    let mut functions = Functions::new();
    read(source, &mut functions);
    let needed = [("Name::bound", false), ("free", true), ("other", false)];
    assert!(functions.iter().map(|(name, it)| (&name[..], *it)).eq(needed));
}
