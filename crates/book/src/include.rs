//! The files that a chapter includes.
//!
//! For an anchor that does not exist mdBook includes nothing, and says nothing; for a file that does not exist
//! it leaves the directive in the page. Both stop the build here. And mdBook takes a file as it is, with its byte order
//! mark; so `{{#include}}` is expanded here, and what mdBook alone knows, `rustdoc_include` and `playground`, is checked.

use std::path::Path;

use crate::chapter::Chapter;
use crate::directive::{Order, scan};
use crate::hint::did_you_mean;

/// How deep mdBook follows includes within includes.
const DEEPEST: usize = 10;

/// Where a file is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// In code, where everything is shown as it stands.
    pub in_code: bool,
    /// In a book with formulas.
    pub has_formulas: bool,
}

/// The text that `target`, a path as mdBook reads it (`file`, `file:anchor`, `file:first:last`), stands for in a file in
/// `folder`, with what it includes in turn. In text it may have no directives or formulas of its own: those are the
/// chapter's to expand. In code it is moved to the margin, if it is indented as a whole, as a method is in its file.
///
/// # Errors
///
/// What is wrong with it, in a sentence.
pub fn text(folder: &Path, target: &str, place: Place) -> Result<String, String> {
    to_depth(folder, target, place, 0)
}

/// Checks what mdBook is to include, as [`text()`] does.
///
/// # Errors
///
/// As there, and if the file begins with a byte order mark, which mdBook would show.
pub fn check(folder: &Path, target: &str, place: Place) -> Result<(), String> {
    let name = target.split(':').next().unwrap_or_default();
    if std::fs::read(folder.join(name)).is_ok_and(|bytes| bytes.starts_with("\u{feff}".as_bytes())) {
        return Err(format!(
            "`{name}` begins with a byte order mark, which mdBook would show; save it without"
        ));
    }
    text(folder, target, place).map(drop)
}

fn to_depth(folder: &Path, target: &str, place: Place, depth: usize) -> Result<String, String> {
    if depth > DEEPEST {
        return Err(format!("`{target}` is included {DEEPEST} files deep; does it include itself?"));
    }
    let (name, part) = target.split_once(':').unwrap_or((target, ""));
    let path = folder.join(name);
    let text = files::text(&path).map_err(|error| {
        format!("`{name}` cannot be included: {} cannot be read: {error}", path.display())
    })?;
    let lines = select(&text, part).map_err(|what| format!("`{target}` cannot be included: {what}"))?;
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Err(format!("`{target}` includes nothing: there is no text in that part of the file"));
    }

    let included = if place.in_code { at_margin(&lines) } else { lines.join("\n") };
    let inner_folder = path.parent().unwrap_or(folder);
    let within = |what| format!("in `{name}`, which is included here: {what}");
    if !place.in_code {
        let chapter = Chapter::read(name.to_owned(), &path, &included, place.has_formulas);
        if let Some(formula) = chapter.formulas.first() {
            let formula = &included[formula.range.clone()];
            return Err(within(format!(
                "`{formula}` would be left as it is; formulas work in chapters only"
            )));
        }
    }
    let mut whole = String::new();
    let mut from = 0;
    for directive in scan(&included) {
        match Order::read(&directive) {
            Ok(Order::Include(inner)) => {
                let inner = to_depth(inner_folder, &inner, place, depth + 1).map_err(within)?;
                whole.push_str(&included[from..directive.range.start]);
                whole.push_str(&inner);
                from = directive.range.end;
            }
            Ok(Order::Title) => {}
            // A listing may well have our directives in it; it is shown as it is.
            _ if place.in_code => {}
            _ => {
                let what = format!(
                    "`{{{{#{}}}}}` would be left as it is; directives work in chapters only",
                    directive.word
                );
                return Err(within(what));
            }
        }
    }
    Ok(whole + &included[from..])
}

/// Lines without the indent that they share.
fn at_margin(lines: &[&str]) -> String {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or_default();
    let moved: Vec<_> = lines.iter().map(|line| line.get(margin..).unwrap_or_default()).collect();
    moved.join("\n")
}

/// The lines of `text` that `part` names, by the rules of mdBook: an anchor, a line, `first:last`, or all.
fn select<'a>(text: &'a str, part: &str) -> Result<Vec<&'a str>, String> {
    let mut bounds = part.splitn(3, ':');
    let (first, last) = (bounds.next().unwrap_or_default(), bounds.next());
    if !first.is_empty() && first.parse::<usize>().is_err() {
        return anchored(text, first);
    }
    let start = first.parse::<usize>().unwrap_or(1).saturating_sub(1);
    let end = match last {
        Some(last) => last.parse::<usize>().unwrap_or(usize::MAX),
        None if first.is_empty() => usize::MAX,
        None => start + 1,
    };
    Ok(text.lines().take(end).skip(start).collect())
}

/// The lines between `ANCHOR: name` and `ANCHOR_END: name`, without the lines of other anchors.
fn anchored<'a>(text: &'a str, anchor: &str) -> Result<Vec<&'a str>, String> {
    let mut lines = text.lines();
    if !lines.any(|line| name_after(line, "ANCHOR:") == Some(anchor)) {
        let mut known: Vec<_> = text.lines().filter_map(|line| name_after(line, "ANCHOR:")).collect();
        known.dedup();
        let hint = did_you_mean(anchor, known.iter().copied());
        let known = if known.is_empty() { "none".to_owned() } else { format!("`{}`", known.join("`, `")) };
        return Err(format!("the file has no `ANCHOR: {anchor}`; it has {known}{hint}"));
    }
    let mut inside = Vec::new();
    for line in lines {
        match name_after(line, "ANCHOR_END:") {
            Some(name) if name == anchor => return Ok(inside),
            Some(_) => {}
            None if name_after(line, "ANCHOR:").is_some() => {}
            None => inside.push(line),
        }
    }
    Err(format!("the file has `ANCHOR: {anchor}`, but no `ANCHOR_END: {anchor}` after it"))
}

/// The anchor's name that follows `mark` in a line.
fn name_after<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let name = line[line.find(mark)? + mark.len()..].trim_start();
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(name.len());
    (end > 0).then(|| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "one\n// ANCHOR: a\ntwo\n// ANCHOR: b\nthree\n// ANCHOR_END: a\nfour\n// ANCHOR: c\n// ANCHOR_END: c\n";

    #[test]
    fn selects_what_mdbook_selects() {
        assert_eq!(select("1\n2\n3\n4", ""), Ok(vec!["1", "2", "3", "4"]));
        assert_eq!(select("1\n2\n3\n4", "2"), Ok(vec!["2"]));
        assert_eq!(select("1\n2\n3\n4", "2:"), Ok(vec!["2", "3", "4"]));
        assert_eq!(select("1\n2\n3\n4", ":2"), Ok(vec!["1", "2"]));
        assert_eq!(select("1\n2\n3\n4", "2:3"), Ok(vec!["2", "3"]));
        assert_eq!(select("1\n2\n3\n4", "7:9"), Ok(vec![]));
        assert_eq!(select(FILE, "a"), Ok(vec!["two", "three"]));
        assert_eq!(select(FILE, "c"), Ok(vec![]));
    }

    #[test]
    fn says_what_is_wrong_with_an_anchor() {
        assert_eq!(select(FILE, "d").unwrap_err(), "the file has no `ANCHOR: d`; it has `a`, `b`, `c`");
        assert_eq!(
            select(FILE, "b").unwrap_err(),
            "the file has `ANCHOR: b`, but no `ANCHOR_END: b` after it"
        );
        assert_eq!(select("nothing", "d").unwrap_err(), "the file has no `ANCHOR: d`; it has none");
    }

    const IN_TEXT: Place = Place { in_code: false, has_formulas: false };
    const IN_CODE: Place = Place { in_code: true, has_formulas: false };

    #[test]
    fn a_method_is_moved_to_the_margin() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "impl A {\n    // ANCHOR: f\n    fn f() {\n\n        1\n    }\n    // ANCHOR_END: f\n}\n";
        // Whatever wrote the file.
        for lines in [lines.to_owned(), format!("\u{feff}{}", lines.replace('\n', "\r\n"))] {
            std::fs::write(folder.path().join("a.rs"), lines).unwrap();
            let text = |target, place| text(folder.path(), target, place).unwrap();
            assert_eq!(text("a.rs:f", IN_CODE), "fn f() {\n\n    1\n}");
            assert_eq!(text("a.rs:f", IN_TEXT), "    fn f() {\n\n        1\n    }");
            assert_eq!(text("a.rs:1", IN_CODE), "impl A {");
        }
        // Where mdBook reads the file, it reads the mark as well.
        assert!(check(folder.path(), "a.rs:f", IN_CODE).unwrap_err().contains("byte order mark"));
    }

    #[test]
    fn follows_includes_within_includes() {
        let folder = tempfile::tempdir().unwrap();
        let check = |target, place| text(folder.path(), target, place);
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        write("outer.md", "a {{#include sub/inner.md}} c");
        write("sub/inner.md", "b {{#include gone.md}}");
        let fault = check("outer.md", IN_TEXT).unwrap_err();
        assert!(fault.starts_with("in `outer.md`, which is included here: in `sub/inner.md`"), "{fault}");
        assert!(fault.contains("`gone.md` cannot be included"), "{fault}");
        write("sub/gone.md", "there");
        assert_eq!(check("outer.md", IN_TEXT).unwrap(), "a b there c");

        write("sub/inner.md", "{{#include inner.md}}");
        assert!(check("outer.md", IN_TEXT).unwrap_err().contains("does it include itself"));

        write("sub/inner.md", "{{#figure threads}}");
        assert!(check("outer.md", IN_TEXT).unwrap_err().contains("directives work in chapters only"));
        assert_eq!(check("outer.md", IN_CODE).unwrap(), "a {{#figure threads}} c");
    }
}
