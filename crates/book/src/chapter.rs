//! A chapter as it is written: its directives, and what kind of text each stands in.

use std::ops::Range;
use std::path::{Path, PathBuf};

use mdbook_katex::scan::{Delimiter, Event, Scan};
use mdbook_markdown::pulldown_cmark::{self, Tag};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};

use crate::directive::{Directive, scan};
use crate::fault::Place;

/// What opens and closes formulas in this book: displayed ones, and those in a line.
#[derive(Debug, Clone)]
pub struct Delimiters {
    /// Of displayed formulas.
    pub block: Delimiter,
    /// Of formulas in a line.
    pub inline: Delimiter,
}

/// A formula as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// Its bytes, delimiters included.
    pub range: Range<usize>,
    /// Its TeX.
    pub inside: Range<usize>,
    /// Whether it is displayed, and not in a line.
    pub display: bool,
}

/// The kind of text that a directive stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Running text, on the same line as other text.
    Prose,
    /// Running text, and nothing else is on the line.
    Alone,
    /// A code block, or code in a line.
    Code,
    /// A formula.
    Formula,
    /// An HTML comment.
    Comment,
}

/// A chapter as it is written.
#[derive(Debug)]
pub struct Chapter {
    /// Its file, from the book's root, for messages.
    pub file: String,
    /// Its path from the book's sources, as mdBook has it.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its directives, in their order.
    pub directives: Vec<(Directive, Context)>,
    /// Its formulas, in their order.
    pub formulas: Vec<Formula>,
    /// Where a formula begins and does not end, or where KaTeX gave up reading before one.
    pub unread_formula: Option<usize>,
}

impl Chapter {
    /// Finds the directives and formulas of a chapter. Without delimiters it has no formulas.
    pub fn read(file: String, path: &Path, text: &str, delimiters: Option<&Delimiters>) -> Self {
        let found = scan(text);
        let masked = mask(text, &found);
        let code = code(&masked);
        let comments = comments(&masked, &code);
        let (formulas, unread_formula) = match delimiters {
            Some(delimiters) => formulas(&masked, delimiters, &code),
            None => (Vec::new(), None),
        };
        let directives = found
            .into_iter()
            .map(|directive| {
                let within = |ranges: &[Range<usize>]| {
                    ranges.iter().any(|range| range.contains(&directive.range.start))
                };
                let context = if within(&comments) {
                    Context::Comment
                } else if within(&code) {
                    Context::Code
                } else if formulas.iter().any(|formula| formula.inside.contains(&directive.range.start)) {
                    Context::Formula
                } else if stands_alone(text, &directive.range) {
                    Context::Alone
                } else {
                    Context::Prose
                };
                (directive, context)
            })
            .collect();
        Chapter { file, path: path.to_owned(), text: text.to_owned(), directives, formulas, unread_formula }
    }

    /// The place of a byte of the chapter.
    pub fn place(&self, byte: usize) -> Place {
        Place::of(&self.file, &self.text, byte)
    }

    /// The path of its page in the built book, with `/` on every system.
    ///
    /// mdBook renames a `README` to `index`, but only after our turn.
    pub fn page(&self) -> String {
        let readme = self.path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("readme"));
        let path =
            if readme { self.path.with_file_name("index.html") } else { self.path.with_extension("html") };
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }

    /// The way from its page up to the book's first folder: `../` for each folder it is in.
    pub fn to_root(&self) -> String {
        "../".repeat(self.path.iter().count().saturating_sub(1))
    }
}

/// The text with each directive replaced by as many `x`, so that a `$` or a backtick among its arguments is not
/// taken for the chapter's own.
fn mask(text: &str, directives: &[Directive]) -> String {
    let mut masked = String::with_capacity(text.len());
    for directive in directives {
        masked.push_str(&text[masked.len()..directive.range.start]);
        masked.push_str(&"x".repeat(directive.range.len()));
    }
    masked.push_str(&text[masked.len()..]);
    masked
}

/// What mdBook will show as code.
fn code(text: &str) -> Vec<Range<usize>> {
    new_cmark_parser(text, &MarkdownOptions::default())
        .into_offset_iter()
        .filter(|(event, _)| {
            matches!(event, pulldown_cmark::Event::Start(Tag::CodeBlock(_)) | pulldown_cmark::Event::Code(_))
        })
        .map(|(_, range)| range)
        .collect()
}

/// HTML comments outside of code.
fn comments(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("<!--").map(|at| from + at) {
        from = start + 4;
        if !code.iter().any(|range| range.contains(&start)) {
            from = text[from..].find("-->").map_or(text.len(), |at| from + at + 3);
            comments.push(start..from);
        }
    }
    comments
}

/// Formulas as mdbook-katex finds them, and the first delimiter it makes nothing of: it stops
/// reading, without a word, at a formula or a piece of code that is not closed.
fn formulas(text: &str, delimiters: &Delimiters, code: &[Range<usize>]) -> (Vec<Formula>, Option<usize>) {
    let mut formulas = Vec::new();
    let mut begin = 0;
    let mut read = 0;
    let of = |inside: Range<usize>, delimiter: &Delimiter, display| Formula {
        range: inside.start - delimiter.left.len()..inside.end + delimiter.right.len(),
        inside,
        display,
    };
    for event in Scan::new(text, &delimiters.block, &delimiters.inline) {
        match event {
            Event::Begin(at) => begin = at,
            Event::TextEnd(_) => {}
            Event::InlineEnd(end) => {
                formulas.push(of(begin..end, &delimiters.inline, false));
                read = end + delimiters.inline.right.len();
            }
            Event::BlockEnd(end) => {
                formulas.push(of(begin..end, &delimiters.block, true));
                read = end + delimiters.block.right.len();
            }
        }
    }
    let unread = text[read..].match_indices(&delimiters.inline.left).map(|(at, _)| read + at).find(|&at| {
        let backslashes = text[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
        backslashes % 2 == 0 && !code.iter().any(|range| range.contains(&at))
    });
    // A formula across paragraphs is two dollar signs that have nothing to do with each other.
    let torn = formulas.iter().find(|formula| {
        !formula.display && text[formula.inside.clone()].lines().skip(1).any(|line| line.trim().is_empty())
    });
    let torn = torn.map(|formula| formula.range.start);
    (formulas, torn.or(unread))
}

/// Whether there is nothing else on the lines of `range`.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let before = &text[..range.start];
    let after = text[range.end..].split('\n').next().unwrap_or_default();
    (before.is_empty() || before.ends_with('\n')) && after.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Chapter {
        let delimiters =
            Delimiters { block: Delimiter::same("$$".into()), inline: Delimiter::same("$".into()) };
        Chapter::read("src/1.md".into(), Path::new("1.md"), text, Some(&delimiters))
    }

    fn contexts(text: &str) -> Vec<Context> {
        read(text).directives.iter().map(|(_, context)| *context).collect()
    }

    #[test]
    fn tells_contexts_apart() {
        let text = "{{#ref alone}}\n\nIn prose {{#ref a}}, `code {{#ref a}}`, $x = {{#ref a}}$.\n\n\
                    ```text\n{{#ref a}}\n```\n\n<!-- {{#ref a}}\n{{#ref a}} -->\n\n$$\n{{#ref a}}\n$$\n\n- {{#ref a}}\n\n  \
                    ```\n  {{#ref a}}\n  ```\n";
        use Context::*;
        assert_eq!(
            contexts(text),
            [Alone, Prose, Code, Formula, Code, Comment, Comment, Formula, Prose, Code]
        );
    }

    #[test]
    fn takes_arguments_for_arguments() {
        // Neither the dollar sign nor the backtick in a name opens anything.
        assert_eq!(
            contexts("{{#value m '$' '`'}} and {{#value m '$' b}} cost `nothing`"),
            [Context::Prose; 2]
        );
    }

    #[test]
    fn finds_formulas_that_do_not_end() {
        assert_eq!(read("all $x$ and $$y$$ is \\$5, `$` too").unread_formula, None);
        assert_eq!(read("all $x$ and $y").unread_formula, Some(12));
        // A lone backtick makes mdbook-katex skip the rest of the chapter.
        assert_eq!(read("a ` and $x$").unread_formula, Some(8));
        assert_eq!(read("costs $5.\n\nOr $6.").unread_formula, Some(6));
    }

    #[test]
    fn knows_its_page() {
        let at = |path: &str| Chapter::read(String::new(), Path::new(path), "", None);
        assert_eq!((at("1.md").page(), at("1.md").to_root()), ("1.html".into(), "".into()));
        assert_eq!((at("a/b/1.md").page(), at("a/b/1.md").to_root()), ("a/b/1.html".into(), "../../".into()));
        assert_eq!(at("a/README.md").page(), "a/index.html");
    }
}
