//! A chapter as it is written: its directives, and what kind of text each stands in.

use std::ops::Range;
use std::path::{Path, PathBuf};

use mdbook_markdown::pulldown_cmark::{Event, LinkType, Tag, TagEnd};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};

use crate::directive::{Directive, scan};
use crate::fault::Place;

/// A formula as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// Its bytes, dollar signs included.
    pub range: Range<usize>,
    /// Its TeX.
    pub inside: Range<usize>,
    /// Whether it is displayed, and not in a line.
    pub display: bool,
    /// In how many quotes it stands: each has a `>` of its own before every line.
    pub quotes: usize,
}

/// A link or an image as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The byte at which it begins.
    pub at: usize,
    /// The address, without the escapes of Markdown.
    pub to: String,
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
    /// The dollar signs that belong to no formula and are not escaped, each with what is wrong.
    pub dollars: Vec<(usize, &'static str)>,
    /// Its links and images.
    pub links: Vec<Link>,
}

impl Chapter {
    /// Finds the directives, links and, if it is to have any, the formulas of a chapter.
    ///
    /// Markdown's own reading says what is code, what is HTML and what is text; a formula is found in text alone, between
    /// dollar signs that stand in one paragraph (or heading, or cell of a table): `$$` and `$$`, or a `$` with no space
    /// behind it and the next `$` if that has no space before it and no digit behind it. A displayed formula that begins a
    /// line is one up to its `$$`, whatever its own lines begin with.
    pub fn read(file: String, path: &Path, text: &str, has_formulas: bool) -> Self {
        let found = scan(text);
        let mut masked = mask(text, &found);
        let mut markdown = Markdown::read(&masked);
        let (mut formulas, mut dollars) = (Vec::new(), Vec::new());
        if has_formulas {
            (formulas, dollars) = pair(&masked, &markdown.dollars);
            while let Some(inside) = dollars.iter().find_map(|(at, _)| torn_display(&masked, *at)) {
                masked.replace_range(inside.clone(), &"x".repeat(inside.len()));
                markdown = Markdown::read(&masked);
                (formulas, dollars) = pair(&masked, &markdown.dollars);
            }
        }
        if has_formulas {
            let raw = markdown
                .blocks
                .iter()
                .flat_map(|block| dollars_in_html(&masked, block.clone()))
                .collect::<Vec<_>>();
            dollars.extend(pair(&masked, &raw).0.iter().map(|formula| (formula.range.start, IN_HTML)));
        }
        let comments = comments(&masked, &markdown.html);
        let directives = found
            .into_iter()
            .map(|directive| {
                let within = |ranges: &[Range<usize>]| {
                    ranges.iter().any(|range| range.contains(&directive.range.start))
                };
                let context = if within(&comments) {
                    Context::Comment
                } else if within(&markdown.code) {
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
        let links = markdown.links;
        Chapter { file, path: path.to_owned(), text: text.to_owned(), directives, formulas, dollars, links }
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

/// A dollar sign in text, where a formula may begin or end.
struct Dollar {
    at: usize,
    /// The number of the paragraph, heading or cell that it stands in.
    block: usize,
    quotes: usize,
}

/// What Markdown makes of a text, as mdBook reads it.
#[derive(Default)]
struct Markdown {
    code: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    /// What of it stands in a block of its own, where nothing is Markdown.
    blocks: Vec<Range<usize>>,
    links: Vec<Link>,
    dollars: Vec<Dollar>,
}

impl Markdown {
    fn read(text: &str) -> Self {
        let mut found = Markdown::default();
        // In how many things we are whose text is no running text; and in which HTML element of that kind.
        let (mut opaque, mut element) = (0, None);
        let (mut block, mut quotes) = (0, 0);
        for (event, range) in new_cmark_parser(text, &MarkdownOptions::default()).into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    block += usize::from(!is_inline(&tag.to_end()));
                    match tag {
                        Tag::CodeBlock(_) => {
                            opaque += 1;
                            found.code.push(range);
                        }
                        Tag::HtmlBlock => {
                            found.html.push(range.clone());
                            found.blocks.push(range);
                        }
                        Tag::BlockQuote(_) => quotes += 1,
                        Tag::Image { dest_url, .. } => {
                            opaque += 1;
                            found.links.push(Link { at: range.start, to: dest_url.into_string() });
                        }
                        // Its text is its address.
                        Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {}
                        Tag::Link { dest_url, .. } => {
                            found.links.push(Link { at: range.start, to: dest_url.into_string() });
                        }
                        _ => {}
                    }
                }
                Event::End(tag) => {
                    if !is_inline(&tag) {
                        block += 1;
                        element = None;
                    }
                    match tag {
                        TagEnd::CodeBlock | TagEnd::Image => opaque -= 1,
                        TagEnd::BlockQuote(_) => quotes -= 1,
                        _ => {}
                    }
                }
                Event::Code(_) => found.code.push(range),
                Event::InlineHtml(html) => {
                    match element {
                        None => element = RAW.iter().find(|name| is_tag(&html, "<", name)),
                        Some(name) if is_tag(&html, "</", name) => element = None,
                        Some(_) => {}
                    }
                    found.html.push(range);
                }
                Event::Text(_) if opaque == 0 && element.is_none() && !is_autolink(text, &range) => {
                    for (at, _) in text[range.clone()].match_indices('$') {
                        let at = range.start + at;
                        if !is_escaped(text, at) {
                            found.dollars.push(Dollar { at, block, quotes });
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// HTML elements whose content is code, or no text at all.
const RAW: &[&str] = &["code", "pre", "kbd", "samp", "script", "style", "textarea"];

/// Whether a piece of HTML is a tag of that name.
fn is_tag(html: &str, opens: &str, name: &str) -> bool {
    let rest = html.strip_prefix(opens).and_then(|rest| rest.get(..name.len()).zip(rest.get(name.len()..)));
    rest.is_some_and(|(is, rest)| is.eq_ignore_ascii_case(name) && !rest.starts_with(char::is_alphanumeric))
}

/// Whether a tag can stand within a paragraph.
fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}

/// Whether the text in `range` is the address in `<https://…>`.
fn is_autolink(text: &str, range: &Range<usize>) -> bool {
    text[..range.start].ends_with('<') && text[range.end..].starts_with('>')
}

fn is_escaped(text: &str, at: usize) -> bool {
    text[..at].bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// HTML comments.
fn comments(text: &str, html: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    for part in html {
        let mut from = part.start;
        while let Some(start) = text[from..part.end].find("<!--").map(|at| from + at) {
            from = text[start..part.end].find("-->").map_or(part.end, |at| start + at + 3);
            comments.push(start..from);
        }
    }
    comments
}

const NOT_CLOSED: &str = "this opens a formula that is not closed in its paragraph (which a list item, a heading or a cell of \
    a table ends as well); a dollar sign that is meant as such is written `\\$`";
const SPACE_BEHIND: &str = "this dollar sign has a space behind it, and so opens no formula; one that is meant as such is \
    written `\\$`";
const NOT_CLOSING: &str = "this opens a formula that the next dollar sign does not close, for that has a space before it or a \
    digit behind it; a dollar sign that is meant as such is written `\\$`";

const IN_HTML: &str = "this looks like a formula, and none is set in a block of HTML; leave a blank line between the tags and \
    the text, which makes it Markdown, or write the dollar sign as `&#36;`";

/// The dollar signs in the running text of a block of HTML: not in tags, comments, code, scripts and their like.
fn dollars_in_html(text: &str, block: Range<usize>) -> Vec<Dollar> {
    let mut dollars = Vec::new();
    let (mut at, mut piece, mut element) = (block.start, 0, None);
    while let Some(found) = text[at..block.end].find(['<', '$']).map(|found| at + found) {
        let rest = &text[found..block.end];
        let (ends, length) = if rest.starts_with("<!--") { ("-->", 3) } else { (">", 1) };
        if rest.starts_with('$') {
            if element.is_none() {
                dollars.push(Dollar { at: found, block: piece, quotes: 0 });
            }
            at = found + 1;
            continue;
        }
        piece += 1;
        match element {
            None => element = RAW.iter().find(|name| is_tag(rest, "<", name)),
            Some(name) if is_tag(rest, "</", name) => element = None,
            Some(_) => {}
        }
        at = rest.find(ends).map_or(block.end, |end| found + end + length);
    }
    dollars
}

/// The formulas between dollar signs, and the dollar signs that belong to none, with what is wrong.
fn pair(text: &str, dollars: &[Dollar]) -> (Vec<Formula>, Vec<(usize, &'static str)>) {
    let (mut formulas, mut wrong) = (Vec::new(), Vec::new());
    let is_double = |place: usize| {
        let next = dollars.get(place + 1);
        next.is_some_and(|next| next.at == dollars[place].at + 1 && next.block == dollars[place].block)
    };
    let mut place = 0;
    while let Some(&Dollar { at, block, quotes }) = dollars.get(place) {
        let display = is_double(place);
        let width = if display { 2 } else { 1 };
        let after = place + width;
        let mut rest = (after..dollars.len()).take_while(|&other| dollars[other].block == block);
        let close = if display { rest.find(|&other| is_double(other)) } else { rest.next() };
        let inside = close.map(|close| at + width..dollars[close].at);
        let fault = match &inside {
            _ if !display && text[at + 1..].starts_with(char::is_whitespace) => Some(SPACE_BEHIND),
            None => Some(NOT_CLOSED),
            Some(inside) => {
                let closes = !text[inside.clone()].ends_with(char::is_whitespace)
                    && !text[inside.end + 1..].starts_with(|next: char| next.is_ascii_digit());
                (!display && !closes).then_some(NOT_CLOSING)
            }
        };
        match (fault, inside, close) {
            (None, Some(inside), Some(close)) => {
                let range = at..inside.end + width;
                formulas.push(Formula { range, inside, display, quotes });
                place = close + width;
            }
            (fault, ..) => {
                wrong.extend(fault.map(|what| (at, what)));
                place = after;
            }
        }
    }
    (formulas, wrong)
}

/// The inside of a displayed formula that Markdown has torn apart, for a line of it begins as a list does, or a heading, or
/// ends a paragraph: it begins a line, and ends before any fence of code.
fn torn_display(text: &str, at: usize) -> Option<Range<usize>> {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    let begins = line.trim_matches([' ', '\t', '>']).is_empty();
    let start = at + 2;
    if !begins || text.get(at..start) != Some("$$") {
        return None;
    }
    let mut ends = text[start..].match_indices("$$").map(|(found, _)| start + found);
    let end = ends.find(|&end| !is_escaped(text, end))?;
    let inside = &text[start..end];
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let is_fenced = inside.lines().any(is_fence);
    // One that is all `x` was mended before, and it did not help.
    let is_new = !inside.is_empty() && inside.bytes().any(|byte| byte != b'x');
    (is_new && !is_fenced).then_some(start..end)
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
        Chapter::read("src/1.md".into(), Path::new("1.md"), text, true)
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

    /// What stands in each formula, and where dollar signs belong to none.
    fn formulas(text: &str) -> (Vec<&str>, Vec<usize>) {
        let chapter = read(text);
        let inside = chapter.formulas.iter().map(|formula| &text[formula.inside.clone()]).collect();
        (inside, chapter.dollars.iter().map(|(at, _)| *at).collect())
    }

    #[test]
    fn finds_formulas_that_do_not_end() {
        assert_eq!(formulas("all $x$ and $$y$$ is \\$5, `$` too"), (vec!["x", "y"], vec![]));
        assert_eq!(formulas("all $x$ and $y"), (vec!["x"], vec![12]));
        // A lone backtick is a lone backtick.
        assert_eq!(formulas("a ` and $x$"), (vec!["x"], vec![]));
        assert_eq!(formulas("costs $5.\n\nOr $6."), (vec![], vec![6, 14]));
        assert_eq!(formulas("- $a\n- b$\n\n| $c | d$ |\n|---|---|\n"), (vec![], vec![2, 8, 13, 19]));
    }

    #[test]
    fn a_price_is_no_formula() {
        for text in [
            "It costs $5 and you pay $6.",
            "$5/$6",
            "US$5, US$6",
            "from $20,000 to $30,000",
            "$HOME and $PATH",
            "a $ b $ c",
            "5 $",
            "$",
            "$$",
            "$x$2",
        ] {
            let (found, wrong) = formulas(text);
            assert!(found.is_empty() && !wrong.is_empty(), "{text}: {found:?} {wrong:?}");
        }
        assert_eq!(formulas(r"It costs \$5 and you pay \$6, $\$7$, \\$x$."), (vec![r"\$7", "x"], vec![]));
    }

    #[test]
    fn what_is_code_for_markdown_is_code_for_formulas() {
        for text in [
            "a\n\n    let a = \"$x$\";\n\nb",
            "~~~text\n$x$\n~~~",
            "````\n```\n$x$\n```\n````",
            "- a\n\n  ```\n  $x$\n  ```\n",
            "> ```\n> $x$ and $y\n> ```\n",
            "- a\n\n      $x$\n",
            "``a ` $x$``, ` $ ` and `` ` ``",
            "<pre>\n$x$\n\n$y\n</pre>\n",
            "<script>\nlet a = `$x$`;\n</script>\n",
            "<!-- $x$\n\n$y -->\n",
            "a <!-- $x$ --> b <span title=\"$x$\">c</span>",
            "a <code>$x$</code> <KBD>$</KBD>",
            "![img $i_1$](x.png)",
            "![a *$i$*][b]\n\n[b]: c.png '$d$'",
            "[a](b$c$.md \"$5 $\") <https://a.b/$c$>",
            "&#36;x&#36;",
            "<div class=\"$a$\">\n",
            "<p>It costs $5 there, and $6 here.</p>\n",
            "<table><tr><td>$5</td><td>$6</td></tr></table>\n",
            "<div><code>$x$</code><!-- $y$ --></div>\n",
            "a[^n]\n\n[^n]:\n    b\n\n        $x$\n",
        ] {
            assert_eq!(formulas(text), (vec![], vec![]), "{text}");
        }
    }

    #[test]
    fn a_formula_in_html_is_not_left_there_silently() {
        for (text, at) in [("<td>$x$</td>\n", 4), ("<details><summary>On $d_k$</summary>\n\n$x$\n", 21)] {
            let chapter = read(text);
            assert_eq!(chapter.dollars, [(at, IN_HTML)], "{text}");
        }
    }

    #[test]
    fn formulas_wherever_text_is() {
        for (text, inside) in [
            ("# On $x$ {#id}\n", "x"),
            ("| a |\n|---|\n| $x$ |\n", "x"),
            ("a[^1]\n\n[^1]: $x$\n", "x"),
            ("[see $x$](a.md)", "x"),
            ("**$a_1*b_2*c$**", "a_1*b_2*c"),
            ("$a < b$", "a < b"),
            ("$f[x](y)$", "f[x](y)"),
            ("$a <b> c$", "a <b> c"),
            ("- $x$", "x"),
            ("*[$x$*", "x"),
            ("$x\n+1$", "x\n+1"),
            ("<details>\n\n$x$\n\n</details>", "x"),
            ("$x$-th", "x"),
            // Lines of a displayed formula may begin as lists, headings and rules do.
            ("$$\na\n- b\n+ c\n$$\n", "\na\n- b\n+ c\n"),
            ("$$\na\n=\nb\n$$\n", "\na\n=\nb\n"),
            ("$$\n# b\n\n> c\n$$\n", "\n# b\n\n> c\n"),
        ] {
            assert_eq!(formulas(text), (vec![inside], vec![]), "{text}");
        }
        assert_eq!(formulas("$a$$b$"), (vec!["a", "b"], vec![]));
        let quoted = read("> > $$\n> > a\n> > $$\n");
        assert_eq!((quoted.formulas.len(), quoted.formulas[0].quotes), (1, 2));
        // Without formulas a dollar sign is a dollar sign.
        assert!(Chapter::read(String::new(), Path::new(""), "$5", false).dollars.is_empty());
    }

    #[test]
    fn finds_links() {
        let links = read("[a](b.md#c) ![d](<e f.png>) `[g](h)` [i]\n\n[i]: j%20k.md\n\n<https://a.b>").links;
        let to: Vec<_> = links.iter().map(|link| (link.at, link.to.as_str())).collect();
        assert_eq!(to, [(0, "b.md#c"), (12, "e f.png"), (37, "j%20k.md")]);
    }

    #[test]
    fn knows_its_page() {
        let at = |path: &str| Chapter::read(String::new(), Path::new(path), "", false);
        assert_eq!((at("1.md").page(), at("1.md").to_root()), ("1.html".into(), "".into()));
        assert_eq!((at("a/b/1.md").page(), at("a/b/1.md").to_root()), ("a/b/1.html".into(), "../../".into()));
        assert_eq!(at("a/README.md").page(), "a/index.html");
    }
}
