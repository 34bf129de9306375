//! The whole of a build: load, expand, render, publish.

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use figures::{Params, Scene, Size};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use mdbook_summary::{Summary, SummaryItem, parse_summary};
use walkdir::WalkDir;

use crate::expand::{Expanded, expand, scene};
use crate::fault::{Error, Fault, Faults, Place, Result};
use crate::journal::heed;
use crate::light::{is_heavy, lighter};
use crate::links;
use crate::page::{as_index, finished, printed};
use crate::settings::{Settings, are_tables};
use crate::site::{Site, keep_apart, write_files};

/// What a build made.
#[derive(Debug)]
pub struct Built {
    /// The page to open.
    pub index: PathBuf,
    /// How many chapters the book has.
    pub chapters: usize,
    /// What its text says and its scene does not show, with the places.
    pub warnings: Vec<Fault>,
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
    let summary = summary(root, &config)?;
    let folder = root.join(&config.build.build_dir);
    keep_apart(&folder, &[root, &root.join(&config.book.src)])?;
    let site = Site::open(&folder, waiting)?;
    config.build.build_dir = site.draft();

    let mut book = heed(|| MDBook::load_with_config_and_summary(root, config, summary))?;
    let expanded = expand(&mut book.book, &scene, root, &book.config)?;
    heed(|| book.build())?;
    let pages = book.build_dir_for("html");
    let index = pages.join("index.html");
    if !index.is_file() {
        return Err(Error::Other(
            "mdBook made no index.html: has src/SUMMARY.md a chapter, and book.toml an [output.html]?".into(),
        ));
    }
    settle_pages(&pages, &expanded)?;
    let pictures = expanded.pictures.iter().map(|of| (format!("{}.svg", of.id), of.wide.as_str()));
    write_files(&pages.join("figures"), pictures)?;
    links::follow(&expanded.links, &pages)?;
    // Where the page will be once the draft is the book.
    let index = index.strip_prefix(site.draft()).map(|within| site.book().join(within)).unwrap_or(index);
    site.publish()?;
    Ok(Built {
        index,
        chapters: expanded.chapters,
        warnings: expanded.warnings,
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
    let text = files::text(&file).map_err(Error::file(&file, "the book's settings cannot be read"))?;
    let mut config: Config = text.parse().map_err(other)?;
    are_tables(&text.parse().unwrap_or_default())?;
    config.update_from_env().map_err(other)?;
    // mdBook would write an empty chapter into the sources for one that is missing.
    config.build.create_missing = false;
    // Before anything is set, which would hide what is wrong there.
    Settings::of(&config)?;
    // Our turn comes before mdBook's, and not as a program that it starts.
    config.set("preprocessor.figures.renderers", Vec::<String>::new()).map_err(other)?;
    Ok(config)
}

/// The book's list of chapters, `SUMMARY.md`.
fn summary(root: &Path, config: &Config) -> Result<Summary> {
    let file = root.join(&config.book.src).join("SUMMARY.md");
    let name = config.book.src.join("SUMMARY.md").display().to_string();
    let text = files::text(&file).map_err(Error::file(&file, "the list of chapters cannot be read"))?;
    let summary = heed(|| parse_summary(&text)).map_err(|error| match error {
        Error::Other(what) => Error::Other(format!("{name}: {what}")),
        error => error,
    })?;
    let mut faults = Vec::new();
    let mut items: Vec<&SummaryItem> =
        [&summary.suffix_chapters, &summary.numbered_chapters, &summary.prefix_chapters]
            .into_iter()
            .flat_map(|items| items.iter().rev())
            .collect();
    while let Some(item) = items.pop() {
        let SummaryItem::Link(link) = item else { continue };
        items.extend(link.nested_items.iter().rev());
        let Some(path) = &link.location else { continue };
        let written = path.display().to_string();
        let is_inside =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let what = if !is_inside {
            // Its page would be outside the book's folder as well.
            let source = config.book.src.display();
            format!(
                "the chapter `{written}` is outside of {source}; a chapter's path leads from there, downwards"
            )
        } else if let Err(error) = files::text(&root.join(&config.book.src).join(path)) {
            format!("the chapter `{written}` cannot be read: {error}")
        } else {
            continue;
        };
        let at = text.find(&written).or_else(|| text.find(&written.replace(' ', "%20"))).unwrap_or(0);
        faults.push(Fault { place: Some(Place::of(&name, &text, at)), what });
    }
    if faults.is_empty() { Ok(summary) } else { Err(Faults(faults).into()) }
}

/// Leaves each page the scripts that it needs from the start: those of mdBook's search, a third of a page's scripts,
/// are marked as ones that `theme/search.js` loads when a reader searches. And sets the
/// addresses right on the pages that mdBook makes of others, the one for printing and the first one. Puts the
/// pictures into their places, and makes styles and scripts lighter.
fn settle_pages(pages: &Path, expanded: &Expanded) -> Result<()> {
    let cannot = "this file cannot be rewritten";
    let read = |path: &Path| std::fs::read_to_string(path).map_err(Error::file(path, cannot));
    for entry in WalkDir::new(pages) {
        let path = entry
            .map_err(|error| Error::file(pages, "this folder cannot be read")(error.into()))?
            .into_path();
        if path.extension().is_some_and(|ending| ending == "html") {
            let mut page = settled(&read(&path)?);
            if path == pages.join("print.html") {
                page = printed(&page);
            } else if path == pages.join("index.html") {
                page = as_index(&page, &expanded.first_folder);
            }
            page = finished(&page, &expanded.pictures);
            std::fs::write(&path, page).map_err(Error::file(&path, cannot))?;
        } else if is_heavy(&path) {
            std::fs::write(&path, lighter(&read(&path)?)).map_err(Error::file(&path, cannot))?;
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
