//! The directives of a chapter: `{{#word arguments}}`, found and read.
//!
//! | directive | becomes |
//! |---|---|
//! | `{{#figure threads}}` | the figure, numbered in the order of reading. It stands alone on its line, and each figure is shown once |
//! | `{{#figure threads query=1,2}}` | the same, its controls set |
//! | `{{#ref threads}}` | a link to it: Figure 2 |
//! | `{{#value threads top-weight}}` | one of its findings |
//! | `{{#value threads cat weight}}` | a cell of its table, by row and column |
//! | `{{#value threads top query=1,2}}` | a finding, some controls set otherwise |
//! | `{{#scene sentence}}` | a fact about the scene: `sentence`, `query`, `tokens` (how many), `why` |
//! | `{{#premise finds-another}}` | nothing; the build warns if the scene does not show what the text says there ([`crate::premises`]) |
//! | `{{#figures}}` | the list of all figures shown in the book, each with its picture; it stands alone on its line |
//! | `{{#exercises}}` | the questions of all chapters' exercises; it stands alone on its line |
//! | `{{#seeds}}` | 7.3's table of all seeds that a model was trained from; it stands alone on its line |
//!
//! Arguments are split as a shell would: a name with spaces stands in quotes, `"the (2)"`.
//!
//! - A value is that of the figure as it is shown in the book, so that text and picture agree: settings given
//!   with `{{#figure}}` hold for `{{#value}}` too, unless it has its own. Of a figure that is not shown, it is
//!   the value with every control at its default.
//! - `{{#value}}` and `{{#scene}}` may stand in a formula; they come out as TeX there.
//! - `\{{#figure threads}}` is left as it is, but for the backslash, which mdBook removes. So one writes about
//!   directives. In code our directives are refused unless they are escaped like that: shown as they stand they
//!   would look like a mistake, and expanded they would not be the code that runs.
//! - What stands in an HTML comment is left alone.
//! - `include` works as mdBook has it ([`crate::include`]). Its `rustdoc_include`, `playground` and `title` are mdBook's to
//!   expand; the files and anchors that they name are checked first, since mdBook shows nothing at all for an anchor that is
//!   missing. Any other word is refused.

use std::ops::Range;

use figures::{Control, Figure, Kind, Params, Scene};

use crate::hint::{did_you_mean, said};
use crate::premises::{PREMISES, Premise};

/// What a directive may be called, with an example of each; mdBook's own come last.
const KNOWN: &[(&str, &str)] = &[
    ("figure", "{{#figure threads}}"),
    ("ref", "{{#ref threads}}"),
    ("value", "{{#value threads top-weight}} or {{#value threads cat weight}}"),
    ("scene", "{{#scene sentence}}, or query, tokens, why"),
    ("premise", "{{#premise finds-another}}"),
    ("figures", "{{#figures}}"),
    ("exercises", "{{#exercises}}"),
    ("seeds", "{{#seeds}}"),
    ("include", "{{#include ../crates/attention/src/softmax.rs:softmax}}"),
    ("rustdoc_include", "{{#rustdoc_include ../crates/attention/src/softmax.rs:softmax}}"),
    ("playground", "{{#playground example.rs}}"),
    ("title", "{{#title The page's title}}"),
];

/// A directive as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Its bytes, braces included.
    pub range: Range<usize>,
    /// The word after the `#`.
    pub word: String,
    /// What follows the word.
    pub rest: String,
    /// Whether its `}}` was found.
    pub closed: bool,
    /// Whether its `#` stands where it is looked for, right before the word.
    pub marked: bool,
}

/// What mdBook expands, and not we.
const MDBOOKS: [&str; 4] = ["include", "rustdoc_include", "playground", "title"];

impl Directive {
    /// Whether there is a directive of that name, ours or mdBook's.
    pub fn is_known(&self) -> bool {
        KNOWN.iter().any(|(known, _)| *known == self.word)
    }
}

/// All directives of a text that are not escaped. A directive ends at the first `}}`; one that has none before
/// the next `{{` or the end of the paragraph is not closed.
///
/// ```
/// use book::directive::scan;
///
/// let found = scan("It is {{#value threads top}}, \\{{#value as text}}.");
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].word.as_str(), found[0].rest.as_str()), ("value", "threads top"));
/// ```
pub fn scan(text: &str) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("{{").map(|at| from + at) {
        from = start + 1;
        let inside = &text[start + 2..];
        // mdBook allows spaces before the `#`. Without it, or with spaces behind it, only our own words are directives, and
        // faults: they would stand in the page as they are.
        let word = |text: &'_ str| {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
            text[..end.unwrap_or(text.len())].to_owned()
        };
        let named = inside.trim_start().strip_prefix('#');
        let marked = named.is_some_and(|named| named.starts_with(|c: char| c.is_ascii_alphabetic()));
        let named = named.unwrap_or(inside).trim_start();
        let word = word(named);
        let is_ours = KNOWN.iter().any(|(known, _)| *known == word) && !MDBOOKS.contains(&word.as_str());
        if !(marked || is_ours) || text[..start].ends_with('\\') {
            continue;
        }
        let end = inside.find("}}").filter(|&end| {
            let body = &inside[..end];
            !body.contains("{{") && !body.lines().skip(1).any(|line| line.trim().is_empty())
        });
        // Without an end: as far as the line goes, for the message.
        let body = &inside[..end.or_else(|| inside.find('\n')).unwrap_or(inside.len())];
        let content = body.trim_start();
        let content = content.strip_prefix('#').unwrap_or(content).trim_start();
        from = start + 2 + body.len() + if end.is_some() { 2 } else { 0 };
        found.push(Directive {
            range: start..from,
            rest: content.get(word.len()..).unwrap_or_default().trim().to_owned(),
            word,
            closed: end.is_some(),
            marked,
        });
    }
    found
}

/// What a directive asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// A figure, and how its controls are set.
    Figure(String, Settings),
    /// A link to a figure.
    Ref(String),
    /// A number out of a figure.
    Value {
        /// The figure.
        figure: String,
        /// The finding; or the row, if there is a column.
        name: String,
        /// The column.
        column: Option<String>,
        /// How the figure's controls are set.
        settings: Settings,
    },
    /// A fact about the scene.
    Scene(SceneFact),
    /// What the text needs of the scene.
    Premise(&'static Premise),
    /// The list of figures.
    Figures,
    /// The list of exercises.
    Exercises,
    /// The table of seeds.
    Seeds,
    /// A file or a part of one.
    Include(String),
    /// The same, in one of the ways that are mdBook's.
    Playground(String),
    /// A page's title, for mdBook.
    Title,
}

/// The controls that a directive sets, by name, with their values as written.
pub type Settings = Vec<(String, String)>;

/// What can be said about the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneFact {
    /// The sentence.
    Sentence,
    /// The token that asks.
    Query,
    /// How many tokens there are.
    Tokens,
    /// Why the query needs another token.
    Why,
}

impl Order {
    /// Reads a directive.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence with an example of how it is written.
    ///
    /// ```
    /// use book::directive::{Order, scan};
    ///
    /// let read = |text| Order::read(&scan(text)[0]);
    /// assert_eq!(read("{{#ref threads}}"), Ok(Order::Ref("threads".into())));
    /// assert_eq!(
    ///     read("{{#value matrix \"the (2)\" cat causal=on}}"),
    ///     Ok(Order::Value {
    ///         figure: "matrix".into(),
    ///         name: "the (2)".into(),
    ///         column: Some("cat".into()),
    ///         settings: vec![("causal".into(), "on".into())],
    ///     })
    /// );
    /// assert_eq!(
    ///     read("{{#ref}}").unwrap_err(),
    ///     "`{{#ref}}` does not say what is needed; it is written like this: {{#ref threads}}"
    /// );
    /// ```
    pub fn read(directive: &Directive) -> Result<Order, String> {
        let Directive { word, rest, .. } = directive;
        let Some((_, example)) = KNOWN.iter().find(|(known, _)| known == word) else {
            let known: Vec<_> = KNOWN.iter().map(|(known, _)| format!("`{known}`")).collect();
            return Err(format!(
                "there is no directive `{{{{#{word}}}}}`; there is {}. If the text itself is meant, put a \
                 backslash before it{}",
                known.join(", "),
                did_you_mean(word, KNOWN.iter().map(|(known, _)| *known))
            ));
        };
        if !directive.marked {
            return Err(format!(
                "a directive has a `#` right before its word, and is written like this: {example}. If the text itself is \
                 meant, put a backslash before it"
            ));
        }
        if !directive.closed {
            return Err(format!("`{{{{#{word}` is not closed; it is written like this: {example}"));
        }
        let needs = || {
            let gap = if rest.is_empty() { "" } else { " " };
            format!(
                "`{{{{#{word}{gap}{rest}}}}}` does not say what is needed; it is written like this: {example}"
            )
        };
        if let "include" | "rustdoc_include" | "playground" = word.as_str() {
            return rest
                .split_whitespace()
                .next()
                .map(str::to_owned)
                .map(if word == "include" { Order::Include } else { Order::Playground })
                .ok_or_else(needs);
        }
        if word == "title" {
            return if rest.is_empty() { Err(needs()) } else { Ok(Order::Title) };
        }

        let words =
            shlex::split(rest).ok_or_else(|| format!("`{{{{#{word} {rest}}}}}`: a quote is not closed"))?;
        let (names, settings) = divide(words);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let needs = || {
            // A row may be called `=` or `a=b`, but most often a setting is meant.
            let hint = if names.iter().any(|name| name.starts_with('=') || name.ends_with('=')) {
                ". A setting is written without spaces, `name=value`"
            } else if names.iter().any(|name| setting(name).is_some()) {
                ". Settings, `name=value`, stand last"
            } else if !settings.is_empty() && !matches!(word.as_str(), "figure" | "value") {
                ". Only `figure` and `value` have settings"
            } else if word == "figure" && names.len() > 1 {
                ". A setting is written `name=value`"
            } else {
                ""
            };
            let facts = ["sentence", "query", "tokens", "why"];
            let guess = match (word.as_str(), &names[..]) {
                ("scene", [name]) => did_you_mean(name, facts),
                ("premise", [name]) => did_you_mean(name, PREMISES.iter().map(|premise| premise.name)),
                _ => String::new(),
            };
            needs() + hint + &guess
        };
        match (word.as_str(), names.as_slice()) {
            ("figure", [id]) => Ok(Order::Figure((*id).into(), settings)),
            ("value", [figure, name]) => {
                Ok(Order::Value { figure: (*figure).into(), name: (*name).into(), column: None, settings })
            }
            ("value", [figure, row, column]) => Ok(Order::Value {
                figure: (*figure).into(),
                name: (*row).into(),
                column: Some((*column).into()),
                settings,
            }),
            // The others have nothing to be set.
            _ if !settings.is_empty() => Err(needs()),
            ("ref", [id]) => Ok(Order::Ref((*id).into())),
            ("premise", [name]) => {
                PREMISES.iter().find(|premise| premise.name == *name).map(Order::Premise).ok_or_else(needs)
            }
            ("figures", []) => Ok(Order::Figures),
            ("exercises", []) => Ok(Order::Exercises),
            ("seeds", []) => Ok(Order::Seeds),
            ("scene", ["sentence"]) => Ok(Order::Scene(SceneFact::Sentence)),
            ("scene", ["query"]) => Ok(Order::Scene(SceneFact::Query)),
            ("scene", ["tokens"]) => Ok(Order::Scene(SceneFact::Tokens)),
            ("scene", ["why"]) => Ok(Order::Scene(SceneFact::Why)),
            _ => Err(needs()),
        }
    }
}

/// Parts the words of a directive into names and, behind them, `name=value` settings.
fn divide(mut words: Vec<String>) -> (Vec<String>, Settings) {
    let names = words.iter().rposition(|word| setting(word).is_none()).map_or(0, |last| last + 1);
    let settings = words.split_off(names).iter().filter_map(|word| setting(word)).collect();
    (words, settings)
}

/// A word as a setting, if it is one.
fn setting(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    // A token such as `=` or `+=` is a row's name, and no setting.
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    plain.then(|| (name.to_owned(), value.to_owned()))
}

/// Settings as a figure's parameters.
///
/// # Errors
///
/// What is wrong, if the figure has no such control, or a value is not possible.
///
/// ```
/// use book::directive::parameters;
///
/// let threads = figures::figure("threads")?;
/// let settings = vec![("colour".to_owned(), "red".to_owned())];
/// let fault = parameters(threads, &figures::Scene::default(), &settings).unwrap_err();
/// assert!(fault.starts_with("threads: there is no parameter `colour`; there is `query`"), "{fault}");
/// # Ok::<(), figures::Error>(())
/// ```
pub fn parameters(figure: &Figure, scene: &Scene, settings: &Settings) -> Result<Params, String> {
    let controls = figure.controls(scene);
    let read = |(name, value): &(String, String)| {
        let control = controls.iter().find(|control| control.name == *name);
        (name.clone(), control.and_then(|control| by_label(control, value)).unwrap_or(value.clone()))
    };
    let params: Params = settings.iter().map(read).collect();
    figure.check(scene, &params).map_err(|error| {
        let written = controls.first().map(|control| format!("{}={}", control.name, control.default()));
        let hint = match (&error, written) {
            (figures::Error::Unknown { .. }, Some(written)) => {
                format!(". A setting is written like this: {written}")
            }
            _ => String::new(),
        };
        format!("{}: {}{hint}", figure.id, said(&error))
    })?;
    Ok(params)
}

/// What a control is set to by the name that a reader sees, `cat` for `2` or `2.2,1.6`: where that is no value already, and
/// the name of one alone.
fn by_label(control: &Control, written: &str) -> Option<String> {
    let (Kind::Choice { options: named, .. } | Kind::Point { presets: named, .. }) = &control.kind else {
        return None;
    };
    let mut found = named.iter().filter(|preset| preset.label.eq_ignore_ascii_case(written));
    match (control.parse(written), found.next(), found.next()) {
        (Err(_), Some(preset), None) => Some(preset.value.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, String, bool)> {
        scan(text).into_iter().map(|found| (found.word, found.rest, found.closed)).collect()
    }

    #[test]
    fn finds_each_form() {
        assert_eq!(words("{{#figures}}"), [("figures".into(), "".into(), true)]);
        assert_eq!(words("{{ #include a.rs:b }}"), [("include".into(), "a.rs:b".into(), true)]);
        // Wrapped by an editor.
        assert_eq!(words("a {{#value threads\ntop}} b"), [("value".into(), "threads\ntop".into(), true)]);
        // In TeX, among other braces.
        assert_eq!(words("$\\text{{{#value a b}}}$"), [("value".into(), "a b".into(), true)]);
    }

    #[test]
    fn a_directive_without_its_mark_is_found_and_refused() {
        for text in ["{{figure threads}}", "{{ value threads top }}", "{{# ref threads}}"] {
            let fault = Order::read(&scan(text)[0]).unwrap_err();
            assert!(fault.starts_with("a directive has a `#` right before its word"), "{text}: {fault}");
        }
    }

    #[test]
    fn says_how_settings_are_written() {
        for (text, hint) in [
            ("{{#figure query=1,2 threads}}", "Settings, `name=value`, stand last"),
            ("{{#figure threads query = 1,2}}", "without spaces"),
            ("{{#figure threads query= 1,2}}", "without spaces"),
            ("{{#ref threads query=1,2}}", "Only `figure` and `value` have settings"),
        ] {
            let fault = Order::read(&scan(text)[0]).unwrap_err();
            assert!(fault.contains(hint), "{text}: {fault}");
        }
    }

    #[test]
    fn a_control_is_set_by_name_too() {
        let set = |figure, name: &str, value: &str| {
            let settings = vec![(name.to_owned(), value.to_owned())];
            parameters(figures::figure(figure).unwrap(), &Scene::default(), &settings)
        };
        assert_eq!(set("threads", "query", "cat"), Ok(figures::params([("query", "2.2,1.6")])));
        assert_eq!(set("threads", "query", "1,2"), Ok(figures::params([("query", "1,2")])));
        let fault = set("threads", "query", "dog").unwrap_err();
        assert!(fault.starts_with("threads: query: `dog` is not possible"), "{fault}");
        let fault = set("threads", "key", "cat").unwrap_err();
        assert!(fault.ends_with(". A setting is written like this: query=1.4,1"), "{fault}");
    }

    #[test]
    fn finds_what_is_not_closed() {
        assert_eq!(words("{{#figure threads\n\nmore }}"), [("figure".into(), "threads".into(), false)]);
        assert_eq!(words("{{#figure threads}"), [("figure".into(), "threads}".into(), false)]);
        assert_eq!(
            words("{{#ref a {{#ref b}}"),
            [("ref".into(), "a {{#ref b}}".into(), false)],
            "the second is part of the first one's fault"
        );
    }

    #[test]
    fn leaves_other_braces_alone() {
        assert_eq!(
            words("\\{{#figure a}} \\{{figure a}} {{title}} {{# title}} {{}} { {#a} } $\\def\\x#1{{#1}}$ {{"),
            []
        );
    }

    #[test]
    fn parts_names_from_settings() {
        let part = |text: &str| divide(shlex::split(text).unwrap());
        assert_eq!(part("a b x=1").1, [("x".to_owned(), "1".to_owned())]);
        assert_eq!(part("a '=' '+='").0, ["a", "=", "+="]);
        // Only what stands last is a setting.
        assert_eq!(part("a x=1 b").0, ["a", "x=1", "b"]);
    }

    #[test]
    fn refuses_too_much_and_too_little() {
        for text in [
            "{{#figure}}",
            "{{#figure a b}}",
            "{{#value a}}",
            "{{#value a b c d}}",
            "{{#ref a x=1}}",
            "{{#scene mood}}",
            "{{#scene}}",
            "{{#premise hope}}",
            "{{#premise}}",
            "{{#figures all}}",
            "{{#exercises all}}",
            "{{#seeds all}}",
            "{{#include}}",
            "{{#title}}",
        ] {
            let fault = Order::read(&scan(text)[0]).unwrap_err();
            assert!(fault.contains("it is written like this"), "{text}: {fault}");
        }
    }
}
