//! The whole of a build: load, expand, render, publish.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use figures::{Params, Scene, Size};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

use crate::expand::{expand, scene};
use crate::fault::{Error, Result};
use crate::journal::heed;
use crate::site::{Site, write_files};

/// What a build made.
#[derive(Debug)]
pub struct Built {
    /// The page to open.
    pub index: PathBuf,
    /// How many chapters the book has.
    pub chapters: usize,
    /// How many figures it shows.
    pub figures: usize,
    /// How long the figures took to draw.
    pub drawing: Duration,
    /// How long everything took.
    pub total: Duration,
}

/// Builds the book at `root`, with the scene in a file, or else the one of `book.toml`, or else our own.
/// `waiting` is called if another build of it is going on, for whose end this one waits.
///
/// # Errors
///
/// Whatever is wrong with the book, its configuration or its folder. The book built before, if there is one, is
/// then as it was.
pub fn build(root: &Path, scene_file: Option<&Path>, waiting: impl FnOnce()) -> Result<Built> {
    let start = Instant::now();
    let root = &std::path::absolute(root).map_err(Error::file(root, "this folder cannot be found"))?;
    let mut config = configuration(root)?;
    let scene = scene(scene_file, root, &config)?;
    let site = Site::open(&root.join(&config.build.build_dir), waiting)?;
    config.build.build_dir = site.draft();

    let mut book = heed(|| MDBook::load_with_config(root, config))?;
    let expanded = expand(&mut book.book, &scene, root, &book.config)?;
    heed(|| book.build())?;
    let pages = book.build_dir_for("html");
    let index = pages.join("index.html");
    if !index.is_file() {
        return Err(Error::Other(
            "mdBook made no index.html: has src/SUMMARY.md a chapter, and book.toml an [output.html]?".into(),
        ));
    }
    settle_scripts(&pages)?;
    let pictures = expanded.pictures.iter().map(|(id, svg)| (format!("{id}.svg"), svg.as_str()));
    write_files(&pages.join("figures"), pictures)?;
    // Where the page will be once the draft is the book.
    let index = index.strip_prefix(site.draft()).map(|within| site.book().join(within)).unwrap_or(index);
    site.publish()?;
    Ok(Built {
        index,
        chapters: expanded.chapters,
        figures: expanded.pictures.len(),
        drawing: expanded.drawing,
        total: start.elapsed(),
    })
}

/// Writes the picture of every figure into `folder`, as `id.svg`, and returns how many there are.
///
/// # Errors
///
/// [`Error::Figure`] if one cannot be drawn in this scene; then none is written. [`Error::File`] if the folder
/// cannot be written.
pub fn write_figures(scene: &Scene, folder: &Path) -> Result<usize> {
    let mut pictures = Vec::new();
    for figure in figures::all() {
        let drawing = figure
            .draw(scene, &Params::new(), Size::Wide)
            .map_err(|source| Error::Figure { id: figure.id, source })?;
        pictures.push((format!("{}.svg", figure.id), drawing.svg));
    }
    write_files(folder, pictures.iter().map(|(name, svg)| (name.clone(), svg.as_str())))?;
    Ok(pictures.len())
}

/// The nearest folder with a `book.toml`, from `folder` upwards.
pub fn find_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join("book.toml").is_file())
}

/// `book.toml`, with what a build needs and what mdBook would pass over in silence.
///
/// # Errors
///
/// [`Error::File`] or [`Error::Other`] if it cannot be read.
pub fn configuration(root: &Path) -> Result<Config> {
    let other = |error: mdbook_driver::errors::Error| Error::Other(format!("book.toml: {error:#}"));
    let file = root.join("book.toml");
    let text =
        std::fs::read_to_string(&file).map_err(Error::file(&file, "the book's settings cannot be read"))?;
    let mut config: Config = text.parse().map_err(other)?;
    config.update_from_env().map_err(other)?;
    // mdBook would write an empty chapter into the sources for one that is missing.
    config.build.create_missing = false;
    // Our turn comes before mdBook's, and not as a program that it starts.
    config.set("preprocessor.figures.renderers", Vec::<String>::new()).map_err(other)?;
    Ok(config)
}

/// Leaves each page the scripts that it needs from the start: those of mdBook's search, a third of a page's scripts,
/// are marked as ones that `theme/search.js` loads when a reader searches.
fn settle_scripts(pages: &Path) -> Result<()> {
    let read = |path: &Path| std::fs::read_dir(path).map_err(Error::file(path, "this folder cannot be read"));
    let mut folders = vec![pages.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in read(&folder)? {
            let path = entry.map_err(Error::file(&folder, "this folder cannot be read"))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                let cannot = "this page cannot be rewritten";
                let page = std::fs::read_to_string(&path).map_err(Error::file(&path, cannot))?;
                std::fs::write(&path, settled(&page)).map_err(Error::file(&path, cannot))?;
            }
        }
    }
    Ok(())
}

/// A page with its scripts settled.
fn settled(page: &str) -> String {
    const OPENS: &str = "<script src=\"";
    let mut parts = page.split(OPENS);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for tag in parts {
        let file = tag.split('"').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        // mdBook puts a sum of the content between name and ending.
        let is_search = ["elasticlunr", "mark", "searcher"]
            .iter()
            .any(|name| file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.') || is_sum(rest)));
        result += if is_search { "<script type=\"text/x-later\" src=\"" } else { OPENS };
        result += tag;
    }
    result
}

/// Whether a file's name goes on like `-1a2b3c.js`.
fn is_sum(rest: &str) -> bool {
    let sum = rest.strip_prefix('-').and_then(|rest| rest.split('.').next());
    sum.is_some_and(|sum| sum.chars().all(|character| character.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_put_off_by_name() {
        let page = "<script src=\"../mark-1a.min.js\"></script><script src=\"bookmark-2.js\"></script><p>";
        assert_eq!(
            settled(page),
            "<script type=\"text/x-later\" src=\"../mark-1a.min.js\"></script><script src=\"bookmark-2.js\"></script><p>"
        );
    }

    #[test]
    fn the_root_is_found_upwards() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("src/part");
        std::fs::create_dir_all(&below).unwrap();
        assert_eq!(find_root(&below), None);
        std::fs::write(root.path().join("book.toml"), "").unwrap();
        assert_eq!(find_root(&below), Some(root.path()));
    }
}
