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
//! | `{{#figures}}` | the list of all figures shown in the book, each with its picture; it stands alone on its line |
//! | `{{#exercises}}` | the questions of all chapters' exercises; it stands alone on its line |
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
//! - mdBook's own `include`, `rustdoc_include`, `playground` and `title` are mdBook's to expand. The files and
//!   anchors that they name are checked first ([`crate::include`]), since mdBook shows nothing at all for an
//!   anchor that is missing. Any other word is refused.

use std::ops::Range;

use figures::{Figure, Params, Scene};

/// What a directive may be called, with an example of each; mdBook's own come last.
const KNOWN: &[(&str, &str)] = &[
    ("figure", "{{#figure threads}}"),
    ("ref", "{{#ref threads}}"),
    ("value", "{{#value threads top-weight}} or {{#value threads cat weight}}"),
    ("scene", "{{#scene sentence}}, or query, tokens, why"),
    ("figures", "{{#figures}}"),
    ("exercises", "{{#exercises}}"),
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
}

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
        // mdBook allows spaces before the `#`.
        let Some(named) = inside.trim_start().strip_prefix('#') else { continue };
        if !named.starts_with(|c: char| c.is_ascii_alphabetic()) || text[..start].ends_with('\\') {
            continue;
        }
        let end = inside.find("}}").filter(|&end| {
            let body = &inside[..end];
            !body.contains("{{") && !body.lines().skip(1).any(|line| line.trim().is_empty())
        });
        // Without an end: as far as the line goes, for the message.
        let body = &inside[..end.or_else(|| inside.find('\n')).unwrap_or(inside.len())];
        let content = body.trim_start().strip_prefix('#').unwrap_or_default();
        let word = content
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
            .next()
            .unwrap_or_default();
        from = start + 2 + body.len() + if end.is_some() { 2 } else { 0 };
        found.push(Directive {
            range: start..from,
            word: word.to_owned(),
            rest: content[word.len()..].trim().to_owned(),
            closed: end.is_some(),
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
    /// The list of figures.
    Figures,
    /// The list of exercises.
    Exercises,
    /// A file or a part of one, for mdBook to expand.
    Include(String),
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
                 backslash before it",
                known.join(", ")
            ));
        };
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
                .map(|file| Order::Include(file.to_owned()))
                .ok_or_else(needs);
        }
        if word == "title" {
            return if rest.is_empty() { Err(needs()) } else { Ok(Order::Title) };
        }

        let words =
            shlex::split(rest).ok_or_else(|| format!("`{{{{#{word} {rest}}}}}`: a quote is not closed"))?;
        let (names, settings) = divide(words);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
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
            ("figures", []) => Ok(Order::Figures),
            ("exercises", []) => Ok(Order::Exercises),
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
    let setting = |word: &String| {
        let (name, value) = word.split_once('=')?;
        // A token such as `=` or `+=` is a row's name, and no setting.
        let plain =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        plain.then(|| (name.to_owned(), value.to_owned()))
    };
    let names = words.iter().rposition(|word| setting(word).is_none()).map_or(0, |last| last + 1);
    let settings = words.split_off(names).iter().filter_map(setting).collect();
    (words, settings)
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
    let params: Params = settings.iter().cloned().collect();
    figure.check(scene, &params).map_err(|error| format!("{}: {error}", figure.id))?;
    Ok(params)
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
        assert_eq!(words("\\{{#figure a}} {{title}} {{}} { {#a} } $\\def\\x#1{{#1}}$ {{"), []);
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
            "{{#figures all}}",
            "{{#exercises all}}",
            "{{#include}}",
            "{{#title}}",
        ] {
            let fault = Order::read(&scan(text)[0]).unwrap_err();
            assert!(fault.contains("it is written like this"), "{text}: {fault}");
        }
    }
}
