//! What directives become, and what is said of those that become nothing.

use std::fs;

use crate::small::Small;

#[test]
fn a_good_book() {
    let small = Small::book(
        "# One\n\nSee {{#ref paths}} and {{#ref threads}}.\n{{#figure threads}}\nIt is *{{#value threads top}}*, \
         with {{#value threads cat weight}} or $w = {{#value threads top-share}}$.\n\n\
         `\\{{#figure paths}}` <!-- {{#figure nothing}} --> \\$5\n\n{{#figures}}\n",
    )
    .file("src/SUMMARY.md", "- [One](1.md)\n  - [Two](part/two.md)\n  - [Draft]()\n- [Three](part/README.md)\n")
    .file("src/part/two.md", "# Two\n\n{{#figure paths}}\n\nBack to {{#ref threads}}.\n")
    .file("src/part/README.md", "# Three\n\n{{#scene sentence}}: {{#scene tokens}}, {{#scene query}}\n\n{{#figure spread d=16}}\n\n{{#value spread d}}, {{#value spread d d=8}}\n")
    .builds()
    .shows(
        "1.html",
        &[
            // Numbers are counted before they are used; the way to another page and on the same one.
            "<a class=\"figure-ref\" href=\"part/two.html#figure-paths\">Figure 2</a>",
            "<a class=\"figure-ref\" href=\"#figure-threads\">Figure 1</a>",
            "<figure class=\"figure\" id=\"figure-threads\" data-figure=\"threads\"",
            "href=\"figures/threads.svg\"",
            // What follows a figure on the next line is Markdown still.
            "It is <em><code class=\"token\"><bdi>cat</bdi></code></em>, with 0.66",
            "<mn>66</mn>",
            "<code>{{#figure paths}}</code>",
            "<!-- {{#figure nothing}} --> $5",
            "href=\"part/index.html#figure-spread\">Figure 3</a>: Dot products",
        ],
    )
    .shows(
        "part/two.html",
        &[
            "<a class=\"figure-ref\" href=\"../1.html#figure-threads\">Figure 1</a>",
            "href=\"../figures/paths.svg\"",
        ],
    )
    // A value is that of the figure as it is shown, unless it is set otherwise.
    .shows(
        "part/index.html",
        &["The cat sat because it was tired: 7, <code class=\"token\"><bdi>it</bdi></code>", "<p>16, 8</p>"],
    );
    let svg = fs::read_to_string(small.path("book/figures/threads.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("class=\"wide\""));
    assert!(!small.path("book/figures/saturation.svg").exists(), "only what is shown");

    let (code, stdout, _) = small.run();
    assert_eq!(code, Some(0));
    let index = small.path("book/index.html").canonicalize().unwrap();
    assert!(stdout.starts_with("3 chapters and 3 figures, built in "), "{stdout}");
    assert!(stdout.ends_with(&format!("\n{}\n", index.display())), "{stdout}");
}

#[test]
fn a_figure_is_whole_on_its_page() {
    let small = Small::book("{{#figure threads query=2.2,1.6 scaled=off}}\n").builds();
    let html = small.main("1.html");
    let count = |part: &str| html.matches(part).count();
    assert_eq!((count("<svg "), count("class=\"wide\""), count("class=\"narrow\"")), (2, 1, 1));
    assert_eq!((count("<figure "), count("</figure>"), count("<p></p>")), (1, 1, 0));
    // It begins as it is set, and a reset brings it back to that.
    assert!(html.contains("<option value=\"2.2,1.6\" selected=\"\">cat</option>"), "{html}");
    assert!(html.contains("name=\"scaled\"> <label"), "not checked: {html}");
    assert!(html.contains("“cat” asks"), "{html}");
    // Each label is a control's, each reference goes somewhere, and no id is there twice.
    let all = |mark: &str| -> Vec<String> {
        html.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
    };
    let ids = all(" id=\"");
    for reference in [all(" for=\""), all("aria-labelledby=\""), all("aria-describedby=\"")].concat() {
        assert_eq!(ids.iter().filter(|id| **id == reference).count(), 1, "{reference}: {ids:?}");
    }
}

#[test]
fn every_fault_is_said_with_its_place() {
    let cases = [
        ("{{#figure thread}}", "src/1.md:3:1: there is no figure `thread`; there is `paths`"),
        (
            "{{#figure threads colour=red}}",
            "src/1.md:3:1: threads: there is no parameter `colour`; there is `query`",
        ),
        ("{{#figure threads query=9,9}}", "src/1.md:3:1: threads: query: `9,9` is not possible"),
        ("text {{#figure threads}}", "src/1.md:3:6: `{{#figure}}` stands alone on its line"),
        ("{{#figure threads\n\n", "src/1.md:3:1: `{{#figure` is not closed"),
        (
            "{{#figure threads}}\n\n{{#figure threads}}",
            "src/1.md:5:1: the figure `threads` is shown already, at src/1.md:3:1",
        ),
        ("```\n{{#figure threads}}\n```", "src/1.md:4:1: `{{#figure}}` does not work in code"),
        ("{{#ref threads}}", "src/1.md:3:1: the figure `threads` is shown nowhere in the book"),
        ("ä {{#ref thread}}", "src/1.md:3:3: there is no figure `thread`"),
        ("$x {{#ref threads}}$", "src/1.md:3:4: `{{#ref}}` does not work in a formula"),
        ("{{#value threads tops}}", "src/1.md:3:1: threads: there is no finding `tops`; there is `query`"),
        ("{{#value threads cat}}", "It is a row: name a column too"),
        (
            "{{#value threads dog weight}}",
            "src/1.md:3:1: threads: there is no row `dog`; there is `The`, `cat`",
        ),
        ("{{#value threads cat worth}}", "src/1.md:3:1: threads: there is no column `worth`"),
        (
            "{{#value threads top scaled=maybe}}",
            "src/1.md:3:1: threads: scaled: `maybe` is not possible; needed is `on` or `off`",
        ),
        ("{{#value threads 'top}}", "src/1.md:3:1: `{{#value threads 'top}}`: a quote is not closed"),
        ("{{#scene mood}}", "src/1.md:3:1: `{{#scene mood}}` does not say what is needed"),
        (
            "{{#picture threads}}",
            "src/1.md:3:1: there is no directive `{{#picture}}`; there is `figure`, `ref`",
        ),
        ("{{#include gone.rs}}", "src/1.md:3:1: `gone.rs` cannot be included: "),
        (
            "```rust\n{{#include 1.md:part}}\n```",
            "src/1.md:4:1: `1.md:part` cannot be included: the file has no `ANCHOR: part`",
        ),
        (
            "{{#rustdoc_include part.rs:open}}",
            "src/1.md:3:1: `part.rs:open` cannot be included: the file has `ANCHOR: open`, but no `ANCHOR_END: open`",
        ),
        ("{{#include part.rs:empty}}", "src/1.md:3:1: `part.rs:empty` includes nothing"),
        ("{{#include part.rs:9}}", "src/1.md:3:1: `part.rs:9` includes nothing"),
        (
            "{{#include part.md}}",
            "src/1.md:3:1: in `part.md`, which is included here: `$x$` would be left as it is",
        ),
        ("$x {{#include part.rs}}$", "src/1.md:3:4: `{{#include}}` does not work in a formula"),
        ("a price of $5", "src/1.md:3:12: this opens a formula that is not closed"),
    ];
    let part = "// ANCHOR: empty\n// ANCHOR_END: empty\n// ANCHOR: open\nfn a() {}\n";
    let small = Small::book("").file("src/part.rs", part).file("src/part.md", "Let $x$ be.\n");
    let small = cases.iter().fold(small, |small, (text, fault)| {
        small
            .file("src/1.md", &format!("# One\n\n{text}\n"))
            .refuses(&["error: the book has 1 fault:\n", fault])
    });
    assert!(!small.path("book").exists(), "nothing was built");
}

#[test]
fn all_faults_are_said_at_once_in_the_order_of_reading() {
    let (_, _, stderr) = Small::book(&"{{#ref a}}\n".repeat(11))
        .file("src/SUMMARY.md", "- [One](1.md)\n  - [Two](2.md)\n")
        .file("src/2.md", &"{{#ref b}}\n".repeat(11))
        .run();
    let lines: Vec<_> = stderr.lines().collect();
    assert_eq!((lines[0], lines[21]), ("error: the book has 22 faults:", "and 2 more"), "{stderr}");
    assert!(lines[1].starts_with("src/1.md:1:1: ") && lines[20].starts_with("src/2.md:9:1: "), "{stderr}");
}

/// Questions are repeated with their directives, formulas and links, from wherever the list stands.
#[test]
fn exercises_are_gathered() {
    Small::book("# 1 One\n\n## Exercises\n\n1. In {{#ref paths}}, is $x^2$\n   large?\n\n<details>\n\nNo.\n\n</details>\n")
        .file("src/SUMMARY.md", "- [One](1.md)\n- [All](part/all.md)\n")
        .file("src/part/all.md", "{{#figure paths}}\n\n{{#exercises}}\n")
        .builds()
        .shows(
        "part/all.html",
        &[
            "<strong><a href=\"../1.html#exercises\">1 One</a></strong>",
            "<li>In <a class=\"figure-ref\" href=\"#figure-paths\">Figure 1</a>, is <span class=\"katex\"><math",
            "large?</li>",
        ],
    );
    Small::book("So: {{#exercises}}\n")
        .refuses(&["src/1.md:1:5", "`{{#exercises}}` stands alone on its line"]);
}

#[test]
fn tokens_of_any_kind_come_through_as_text() {
    let tokens = [
        "<script>",
        "</svg>",
        "A&B",
        "&amp;",
        "$5 $6",
        "*b*_c_",
        "`x`",
        "{{#ref x}}",
        "{{title}}",
        "a|b",
        "[x](y)",
        "\\n",
        "...",
        "it's",
        "1.",
        "~~s~~",
        "#",
        "<!--",
        "=",
        "שלום",
        "😀👍🏽",
        "\"q\"",
    ];
    let mut scene = String::from("query = '<script>'\nwhy = 'It *costs* $5 & {{#figure paths}} | <b>.'\n");
    for (place, token) in tokens.iter().enumerate() {
        // JSON's strings are TOML's, too.
        let text = serde_json::to_string(token).unwrap();
        scene += &format!("[[token]]\ntext = {text}\nvector = [{}.5, {}.0]\n", place % 5, place % 3);
    }
    // A name with braces cannot be written in a directive; every other one can.
    let rows: String = tokens
        .iter()
        .filter(|token| !token.contains("{{"))
        .map(|token| format!("| {{{{#value threads {} 'feature 1'}}}} |\n", shlex::try_quote(token).unwrap()))
        .collect();
    let text = format!(
        "# {{{{#scene query}}}}\n\n{{{{#figure threads}}}}\n\n*{{{{#scene sentence}}}}* {{{{#scene why}}}} $x$\n\n\
         | a |\n|---|\n| {{{{#scene query}}}} {{{{#scene sentence}}}} |\n{rows}"
    );
    let small =
        Small::book(&text).file("scene.toml", &scene).argument("--scene").argument("scene.toml").builds();

    // Right-to-left tokens are kept from turning the words around them, here by invisible characters.
    let html = small.main("1.html").replace(['\u{2068}', '\u{2069}'], "");
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    for token in tokens {
        assert!(
            html.contains(&format!("<th scope=\"row\">{}</th>", escape(token))),
            "{token} is not in the table"
        );
    }
    let sentence = escape(&tokens.join(" "));
    assert!(html.contains(&format!("<em>{sentence}</em>")), "{html}");
    assert!(
        html.contains("It *costs* $5 &amp; {{#figure paths}} | &lt;b&gt;. <span class=\"katex\">"),
        "{html}"
    );
    let token = "<code class=\"token\"><bdi>&lt;script&gt;</bdi></code>";
    assert!(html.contains(&format!("<td>{token} {sentence}</td>")), "{html}");
    // The one script here is the scene, for the live figures.
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert!(html.contains("<script type=\"application/json\" class=\"scene\">{\"tokens\":"), "{html}");

    // In a formula, what Markdown would take for its own is refused.
    small
        .file("src/1.md", "$x = {{#scene why}}$\n")
        .refuses(&["src/1.md:1:6: ", "cannot stand in a formula, for its `*`"]);
}
