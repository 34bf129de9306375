//! A small book in a folder of its own, and what the program makes of it: each step says what it expects, and hands the book
//! on to the next.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use walkdir::WalkDir;

/// Figures and formulas, and else mdBook as it comes.
pub const BOOK_TOML: &str = "\
[book]
title = \"A small book\"
language = \"en\"

[preprocessor.figures]
before = [\"links\"]
command = \"cargo run --quiet -- preprocess\"

[preprocessor.figures.katex]
";

/// A book in a folder of its own.
pub struct Small {
    pub folder: TempDir,
    arguments: Vec<String>,
}

impl Small {
    /// A book whose first chapter, `1.md`, has this text.
    pub fn book(text: &str) -> Self {
        Small { folder: tempfile::tempdir().unwrap(), arguments: Vec::new() }
            .file("book.toml", BOOK_TOML)
            .file("src/SUMMARY.md", "- [One](1.md)\n")
            .file("src/1.md", text)
    }

    pub fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// More for the program on its command line.
    pub fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.current_dir(self.folder.path()).args(&self.arguments);
        command
    }

    pub fn run(&self) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = self.command().output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    #[track_caller]
    pub fn builds(self) -> Self {
        let (code, _, stderr) = self.run();
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        self
    }

    /// Runs, expects exit code 1, and each of `parts` in what is said.
    #[track_caller]
    pub fn refuses(self, parts: &[&str]) -> Self {
        let (code, stdout, stderr) = self.run();
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "`{part}` is not in what was said:\n{stderr}");
        }
        self
    }

    /// Expects each of `parts` in the main part of a page.
    #[track_caller]
    pub fn shows(self, page: &str, parts: &[&str]) -> Self {
        let html = self.main(page);
        for part in parts {
            assert!(html.contains(part), "`{part}` is not in {page}:\n{html}");
        }
        self
    }

    pub fn main(&self, page: &str) -> String {
        let html = fs::read_to_string(self.path("book").join(page)).unwrap();
        let main = html.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>"));
        main.expect("a page has a main part").0.to_owned()
    }

    /// Every file of the book by its path in there, with its bytes.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let book = self.path("book");
        let within = |path: PathBuf| path.strip_prefix(&book).unwrap().to_owned();
        self.built().into_iter().map(|(path, bytes)| (within(path), bytes)).collect()
    }

    /// What stands in the book's folder beside the book and its sources.
    pub fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| !["book.toml", "src", "book"].contains(&name.as_str())).collect()
    }

    /// Every file of the book, with its bytes.
    pub fn built(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files(&self.path("book"))
    }
}

/// Every file below a folder, with its bytes.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = WalkDir::new(folder).into_iter().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap())).collect()
}
