//! The links between a book's chapters, followed in the built book.

use std::collections::HashMap;
use std::path::Path;

use crate::expand::SourceLink;
use crate::fault::{Fault, Faults, Result};
use crate::hint::did_you_mean;

/// Follows the links of all chapters in the folder of the book's pages.
///
/// # Errors
///
/// [`Faults`] with each link that leads to no page, no other file, or no part of a page.
pub fn follow(links: &[SourceLink], pages: &Path) -> Result<()> {
    let mut ids = HashMap::new();
    let wrong = |link: &SourceLink| {
        let what = lost(link, pages, &mut ids)?;
        Some(Fault { place: Some(link.place.clone()), what })
    };
    let faults: Vec<_> = links.iter().filter_map(wrong).collect();
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults).into()) }
}

/// What is wrong with a link, if it leads nowhere in the book.
fn lost(link: &SourceLink, pages: &Path, ids: &mut HashMap<String, Vec<String>>) -> Option<String> {
    let to = &link.to;
    let (path, part) = to.split_once('#').unwrap_or((to, ""));
    let path = path.split('?').next().unwrap_or_default();
    // Elsewhere: an address with a scheme, or a host.
    let is_scheme = |scheme: &str| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    };
    if path.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) || path.starts_with('/') {
        return None;
    }
    let path = decoded(path);
    let mut page = if path.is_empty() { link.page.clone() } else { target(&link.page, &path) };
    if pages.join(&page).is_dir() {
        page = [page.as_str(), "index.html"]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/");
    }
    if !pages.join(&page).is_file() {
        let is_readme = page.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("readme.html"));
        let hint = if is_readme { "; the page of a README is called `index.md` in links" } else { "" };
        return Some(format!("the link `{to}` leads to no chapter, and to no other file of the book{hint}"));
    }
    // A part of a figure's address behind `?` is its settings.
    let part = decoded(part.split('?').next().unwrap_or_default());
    if part.is_empty() || !page.ends_with(".html") {
        return None;
    }
    let ids = ids.entry(page).or_insert_with_key(|page| ids_of(&pages.join(page)));
    if ids.contains(&part) {
        return None;
    }
    Some(format!(
        "the link `{to}` leads to a page without a part of that name{}",
        did_you_mean(&part, ids.iter().map(String::as_str))
    ))
}

/// The file that a path means on a page, from the book's first folder: a chapter's is its page.
fn target(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        // One too many leads out of the book, where it finds nothing.
        if part != ".." || parts.pop().is_none() {
            parts.push(part);
        }
    }
    let file = parts.join("/");
    match file.strip_suffix(".md") {
        Some(chapter) => format!("{chapter}.html"),
        None => file,
    }
}

/// Every `id` on a page.
fn ids_of(page: &Path) -> Vec<String> {
    let html = std::fs::read_to_string(page).unwrap_or_default();
    let ids = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    ids.map(|id| id.replace("&amp;", "&")).collect()
}

/// A part of an address without its percent signs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_means_a_file() {
        assert_eq!(target("a.html", "b.md"), "b.html");
        assert_eq!(target("part/a.html", "../b c.md"), "b c.html");
        assert_eq!(target("part/a.html", "./x.png"), "part/x.png");
        assert_eq!(target("part/a.html", "."), "part");
        assert_eq!(target("a.html", "../b.md"), "../b.html");
    }

    #[test]
    fn an_address_is_read_as_a_browser_does() {
        assert_eq!(decoded("a%20b%C3%BC%zz%"), "a bü%zz%");
    }
}
