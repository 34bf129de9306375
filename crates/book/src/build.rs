//! The whole of a build: scene, chapters, mdBook, pictures, and the new book in the place of the old.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use figures::{Params, Scene, Size};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use mdbook_katex::cfg::KatexConfig;
use mdbook_katex::preprocess::KatexProcessor;

use crate::fault::{Error, Fault, Faults, Place, Result};
use crate::journal::{Complaint, listen};
use crate::maths::MathsPreprocessor;
use crate::preprocessor::{FigurePreprocessor, NAME, scene};
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
    let figures = FigurePreprocessor::new(scene(scene_file, root, &config)?);
    let made = figures.made();

    let site = Site::open(&root.join(&config.build.build_dir), waiting)?;
    config.build.build_dir = site.draft();
    let (pages, complaints) = listen(|| run_mdbook(root, config, figures));
    let pages = pages?;
    let made = made.take();
    if !complaints.is_empty() {
        return Err(locate(complaints, &made.formulas).into());
    }
    let index = pages.join("index.html");
    if !index.is_file() {
        return Err(Error::Other(
            "mdBook made no index.html: has src/SUMMARY.md a chapter, and book.toml an [output.html]?".into(),
        ));
    }
    settle_scripts(&pages)?;
    let pictures = made.pictures.iter().map(|(id, svg)| (format!("{id}.svg"), svg.as_str()));
    write_files(&pages.join("figures"), pictures)?;
    // Where the page will be once the draft is the book.
    let index = index.strip_prefix(site.draft()).map(|within| site.book().join(within)).unwrap_or(index);
    site.publish()?;
    Ok(Built {
        index,
        chapters: made.chapters,
        figures: made.pictures.len(),
        drawing: made.drawing,
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
/// [`Error::File`] or [`Error::Other`] if it cannot be read, or if its settings for KaTeX are not possible.
pub fn configuration(root: &Path) -> Result<Config> {
    let other = |error: mdbook_driver::errors::Error| Error::Other(format!("book.toml: {error:#}"));
    let file = root.join("book.toml");
    let text =
        std::fs::read_to_string(&file).map_err(Error::file(&file, "the book's settings cannot be read"))?;
    let mut config: Config = text.parse().map_err(other)?;
    config.update_from_env().map_err(other)?;
    // mdBook would write an empty chapter into the sources for one that is missing.
    config.build.create_missing = false;
    for (preprocessor, order, neighbour) in
        [(NAME, "before", "links"), ("katex", "after", "links"), ("maths", "after", "katex")]
    {
        let key = format!("preprocessor.{preprocessor}.{order}");
        let wanted = preprocessor == NAME || config.contains_key("preprocessor.katex");
        if wanted && !config.contains_key(&key) {
            config.set(&key, [neighbour]).map_err(other)?;
        }
    }
    // mdbook-katex takes its defaults for everything if one setting has the wrong type.
    let katex: Option<KatexConfig> = config.get("preprocessor.katex").map_err(other)?;
    if let Some(macros) = katex.and_then(|katex| mdbook_katex::get_macro_path(root, &katex.macros)) {
        std::fs::metadata(&macros).map_err(Error::file(&macros, "KaTeX's macros cannot be read"))?;
    }
    Ok(config)
}

/// Loads and builds the book; returns the folder of its pages.
fn run_mdbook(root: &Path, config: Config, figures: FigurePreprocessor) -> Result<PathBuf> {
    let with_katex = config.contains_key("preprocessor.katex");
    let mut book = MDBook::load_with_config(root, config).map_err(refine)?;
    book.with_preprocessor(figures);
    if with_katex {
        book.with_preprocessor(KatexProcessor);
        book.with_preprocessor(MathsPreprocessor);
    }
    book.build().map_err(refine)?;
    Ok(book.build_dir_for("html"))
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

/// An error out of mdBook, which may be one of ours that went through it.
fn refine(error: mdbook_driver::errors::Error) -> Error {
    match error.downcast::<Faults>() {
        Ok(faults) => faults.into(),
        Err(error) => Error::Other(format!("mdBook: {error:#}")),
    }
}

/// Complaints as faults. Those about a formula are placed where the formula is in its chapter, and come in the
/// order of the chapters; KaTeX works on many at once.
fn locate(complaints: Vec<Complaint>, formulas: &[(String, Place)]) -> Faults {
    let mut faults: Vec<(usize, Fault)> = complaints
        .into_iter()
        .map(|Complaint { message, formula }| {
            let message = message.trim().replace('\n', " ");
            let Some(formula) = formula else {
                return (usize::MAX, Fault { place: None, what: format!("mdBook: {message}") });
            };
            let at = formulas.iter().position(|(text, _)| *text == formula).unwrap_or(formulas.len());
            let place = formulas.get(at).map(|(_, place)| place.clone());
            let what = format!("KaTeX cannot read the formula `{}`: {}", formula.trim(), reason(&message));
            (at, Fault { place, what })
        })
        .collect();
    faults.sort_by_key(|(order, _)| *order);
    Faults(faults.into_iter().map(|(_, fault)| fault).collect())
}

/// The reason in a message of KaTeX's, which wraps it in the debugging form of an error, and repeats the formula.
fn reason(message: &str) -> String {
    let reason = message.rsplit_once("KaTeX parse error: ").map_or(message, |(_, reason)| reason);
    let end = [" at position ", " at end of input"].iter().filter_map(|mark| reason.find(mark)).min();
    reason[..end.unwrap_or(reason.len())].replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_in_a_message_of_katex() {
        let message = r#"JsError(String("ParseError: KaTeX parse error: Undefined control sequence: \\bad at position 1: \\b")"#;
        assert_eq!(reason(message), r"Undefined control sequence: \\bad".replace(r"\\", r"\"));
        assert_eq!(reason("something else"), "something else");
    }

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
