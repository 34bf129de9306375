//! What `book.toml` says to this program, in `[preprocessor.figures]`.

use std::path::PathBuf;

use mdbook_katex::cfg::KatexConfig;
use mdbook_preprocessor::config::Config;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::fault::{Error, Result};
use crate::hint::did_you_mean;

/// The table of our own settings.
const FIGURES: &str = "preprocessor.figures";
/// The table of KaTeX's: those of mdbook-katex.
const KATEX: &str = "preprocessor.figures.katex";

/// What a book may set.
#[derive(Debug, Default)]
pub struct Settings {
    /// The file of the book's scene, from the book's folder.
    pub scene: Option<PathBuf>,
    /// How formulas are set; without this a dollar sign is a dollar sign.
    pub katex: Option<KatexConfig>,
}

/// The table as it is written: our own settings, and those by which mdBook runs preprocessors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    scene: Option<PathBuf>,
    katex: Option<Map<String, Value>>,
    #[serde(rename = "command")]
    _command: Option<String>,
    #[serde(rename = "before")]
    _before: Option<Vec<String>>,
    #[serde(rename = "after")]
    _after: Option<Vec<String>>,
    #[serde(rename = "renderers")]
    _renderers: Option<Vec<String>>,
    #[serde(rename = "optional")]
    _optional: Option<bool>,
}

impl Settings {
    /// Reads a book's settings.
    ///
    /// # Errors
    ///
    /// [`Error::Other`] if one is unknown or has the wrong type, or if formulas are to have other delimiters.
    ///
    /// ```
    /// use book::settings::Settings;
    ///
    /// let read = |text: &str| Settings::of(&text.parse().unwrap()).map_err(|error| error.to_string());
    /// assert!(read("[preprocessor.figures.katex]\nmacros = 'm.txt'")?.katex.is_some());
    /// let fault = read("[preprocessor.figures]\nscen = 'mine.toml'").unwrap_err();
    /// assert!(fault.starts_with("book.toml: in [preprocessor.figures]: unknown field `scen`"), "{fault}");
    /// assert!(fault.ends_with("Did you mean `scene`?"), "{fault}");
    /// # Ok::<(), String>(())
    /// ```
    pub fn of(config: &Config) -> Result<Self> {
        let table = config.get(FIGURES).map_err(|error| refusal(FIGURES, &error.root_cause().to_string()))?;
        let Some(table): Option<Table> = table else { return Ok(Settings::default()) };
        let katex = table.katex.map_or(Ok(None), |table| katex(config, &table))?;
        Ok(Settings { scene: table.scene, katex })
    }
}

/// Checks that what is a table for mdBook is one: it passes over what is none, or panics.
///
/// # Errors
///
/// [`Error::Other`] with the name of what is none.
pub fn are_tables(settings: &toml::Table) -> Result<()> {
    let tables = ["preprocessor", "output"].into_iter().filter_map(|name| Some((name, settings.get(name)?)));
    for (name, table) in tables {
        let Some(entries) = table.as_table() else {
            return Err(Error::Other(format!(
                "book.toml: `{name}` is no table; needed is one like [{name}.name]"
            )));
        };
        if let Some((entry, _)) = entries.iter().find(|(_, entry)| !entry.is_table()) {
            return Err(Error::Other(format!(
                "book.toml: `{entry}` is no table; needed is [{name}.{entry}]"
            )));
        }
    }
    Ok(())
}

/// KaTeX's settings. mdbook-katex passes over those that it does not know.
fn katex(config: &Config, table: &Map<String, Value>) -> Result<Option<KatexConfig>> {
    let known = serde_json::to_value(KatexConfig::default()).unwrap_or_default();
    let known: Vec<&str> = known.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    if let Some(unknown) = table.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(refusal(
            KATEX,
            &format!("unknown field `{unknown}`, expected one of `{}`", known.join("`, `")),
        ));
    }
    let settings = config.get(KATEX).map_err(|error| refusal(KATEX, &error.root_cause().to_string()))?;
    let Some(mut settings): Option<KatexConfig> = settings else { return Ok(None) };
    let (block, inline) = (&settings.block_delimiter, &settings.inline_delimiter);
    if [&block.left, &block.right] != ["$$"; 2] || [&inline.left, &inline.right] != ["$"; 2] {
        let what = "formulas stand between `$` and `$` in this book, displayed ones between `$$` and `$$`; other \
                    delimiters are not read";
        return Err(refusal(KATEX, what));
    }
    // Whatever is set: this needs no stylesheet.
    settings.output = "mathml".into();
    Ok(Some(settings))
}

/// What is wrong with a table; if that is a name that serde does not know, with the one that is nearest to it.
fn refusal(table: &str, what: &str) -> Error {
    let names: Vec<&str> = what.split('`').skip(1).step_by(2).collect();
    let hint = match (what.contains("unknown field"), &names[..]) {
        (true, [unknown, known @ ..]) => did_you_mean(unknown, known.iter().copied()),
        _ => String::new(),
    };
    Error::Other(format!("book.toml: in [{table}]: {}{hint}", what.trim()))
}
