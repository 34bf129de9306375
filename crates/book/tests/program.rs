//! The program, run on small books: what it builds, what it refuses, and what it leaves alone.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use mdbook_driver::MDBook;
use mdbook_driver::builtin_preprocessors::CmdPreprocessor;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use tempfile::TempDir;

const BOOK_TOML: &str = "\
[book]
title = \"A small book\"
language = \"en\"

[preprocessor.figures]
before = [\"links\"]
command = \"cargo run --quiet -- preprocess\"

[preprocessor.figures.katex]
";

/// A book in a folder of its own.
struct Small {
    folder: TempDir,
    arguments: Vec<String>,
}

impl Small {
    /// A book whose first chapter, `1.md`, has this text.
    fn book(text: &str) -> Self {
        Small { folder: tempfile::tempdir().unwrap(), arguments: Vec::new() }
            .file("book.toml", BOOK_TOML)
            .file("src/SUMMARY.md", "- [One](1.md)\n")
            .file("src/1.md", text)
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.current_dir(self.folder.path()).args(&self.arguments);
        command
    }

    fn run(&self) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = self.command().output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    #[track_caller]
    fn builds(self) -> Self {
        let (code, _, stderr) = self.run();
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        self
    }

    /// Runs, expects exit code 1, and each of `parts` in what is said.
    #[track_caller]
    fn refuses(self, parts: &[&str]) -> Self {
        let (code, stdout, stderr) = self.run();
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "`{part}` is not in what was said:\n{stderr}");
        }
        self
    }

    /// Expects each of `parts` in the main part of a page.
    #[track_caller]
    fn shows(self, page: &str, parts: &[&str]) -> Self {
        let html = self.main(page);
        for part in parts {
            assert!(html.contains(part), "`{part}` is not in {page}:\n{html}");
        }
        self
    }

    fn main(&self, page: &str) -> String {
        let html = fs::read_to_string(self.path("book").join(page)).unwrap();
        let main = html.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>"));
        main.expect("a page has a main part").0.to_owned()
    }

    /// Every file of the book, with its bytes.
    fn built(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files(&self.path("book"))
    }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

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

#[test]
fn what_mdbook_and_katex_pass_over_stops_the_build() {
    Small::book("# One\n\nGood $x$, bad $\\frac{1}{2$ and\n$$\n\\wrong {{#scene tokens}}\n$$\n").refuses(&[
        // In the order of reading, whichever KaTeX came upon first.
            "error: the book has 2 faults:\nsrc/1.md:3:16: KaTeX cannot read the formula `\\frac{1}{2`: Unexpected end of input",
            "src/1.md:4:3: KaTeX cannot read the formula `\\wrong 7`: Undefined control sequence: \\wrong\n",
    ]);
    // Equal formulas each where they stand, beside what else is wrong there.
    Small::book("$\\bad$, $\\bad$ {{#ref a}}\n\n$\\bad$\n")
        .file("src/SUMMARY.md", "- [One](1.md)\n- [Two](2.md)\n")
        .file("src/2.md", "a\nb $\\bad$\n")
        .refuses(&[
            "error: the book has 5 faults:\nsrc/1.md:1:2: KaTeX",
            "\nsrc/1.md:1:10: KaTeX",
            "\nsrc/1.md:1:16: there is no figure `a`",
            "\nsrc/1.md:3:2: KaTeX",
            "\nsrc/2.md:2:4: KaTeX cannot read the formula `\\bad`: Undefined control sequence: \\bad\n",
        ]);
    Small::book("<div>\n\n# One\n").refuses(&["mdBook: unclosed HTML tag `<div>` found in `1.md`"]);
    Small::book("# One\n\n[^1]: A note that nobody refers to.\n")
        .refuses(&["footnote `1` in `1.md` is defined but not referenced"]);
}

#[test]
fn faults_of_the_book_as_a_whole() {
    let missing =
        Small::book("# One\n").file("src/SUMMARY.md", "- [One](1.md)\n- [Two](2.md)\n").refuses(&["2.md"]);
    assert!(!missing.path("src/2.md").exists(), "sources are not written to");
    Small::book("")
        .file("book.toml", "[preprocessor.figures.katex]\nno-css = \"yes\"\n")
        .refuses(&["book.toml: ", "no-css"]);
    Small::book("")
        .file("book.toml", "[preprocessor.figures.katex]\nmacros = \"m.txt\"\n")
        .refuses(&["m.txt: KaTeX's macros cannot be read"]);
    Small::book("")
        .file("book.toml", "[preprocessor.figures.katex]\nmacros = \"m.txt\"\n")
        .file("m.txt", "Mine.\n\\R\n")
        .refuses(&["m.txt:2:1: `\\R` has no meaning; a macro is written `\\name:meaning`"]);
    Small::book("").file("book.toml", "[book]\ncolour = 1\n").refuses(&["book.toml: ", "colour"]);
    Small::book("").file("book.toml", "[output.html]\ncolour = 1\n").refuses(&["colour"]);
    Small::book("").argument("--scene").argument("gone.toml").refuses(&["gone.toml: cannot be read"]);
    Small::book("")
        .file("scene.toml", "query = \"a\"\nwhy = \"b\"\ntokens = 1\n")
        .argument("--scene")
        .argument("scene.toml")
        .refuses(&["scene.toml:3:1: unknown field `tokens`"]);

    let nowhere = Small::book("");
    fs::remove_file(nowhere.path("book.toml")).unwrap();
    nowhere.refuses(&["there is no book.toml in ", "--root"]);
}

#[test]
fn a_build_that_fails_leaves_the_old_book_as_it_was() {
    let mut small = Small::book("# One\n\n{{#figure threads}}\n").builds();
    let before = small.built();
    for fault in ["{{#ref nothing}}", "$\\frac$", "<div>\n\n"] {
        small = small.file("src/1.md", fault).refuses(&["the book has 1 fault"]);
        assert!(small.built() == before, "after {fault}");
    }
}

#[test]
fn a_new_book_replaces_the_old_one_whole() {
    let small = Small::book("# One\n").builds().file("book/of-the-old-one.html", "").builds();
    assert!(!small.path("book/of-the-old-one.html").exists());
    let first = small.built();
    assert!(small.builds().built() == first, "two builds are the same, byte for byte");
}

#[test]
fn folders_that_no_book_can_go_to() {
    let at = |build_dir: &str| {
        Small::book("# One\n")
            .file("book.toml", &format!("{BOOK_TOML}\n[build]\nbuild-dir = \"{build_dir}\"\n"))
    };
    // Below a file nobody can make a folder, not even root.
    at("book.toml/book").refuses(&["cannot be made"]);
    at("book.toml").refuses(&["book.toml: the book's folder would go here, but this is a file"]);
    let small = at("src")
        .refuses(&["src: the book's folder would replace this one, which is not empty and holds no book"]);
    assert_eq!(fs::read_to_string(small.path("src/1.md")).unwrap(), "# One\n");
    let small = at("out/site").builds();
    assert!(small.path("out/site/index.html").is_file());
}

#[test]
fn whatever_is_killed_when_there_is_a_whole_book() {
    const CHAPTERS: [&str; 2] =
        ["# One\n\n{{#figure threads}}\n", "# Uno\n\n$x$ {{#scene why}}\n\n{{#figure paths}}\n"];
    let mut small = Small::book(CHAPTERS[1]).builds();
    let second = small.built();
    let start = Instant::now();
    small = small.file("src/1.md", CHAPTERS[0]).builds();
    let duration = start.elapsed();
    let first = small.built();

    const KILLS: usize = 50;
    let (mut in_time, mut new) = (0, 0);
    for kill in 0..KILLS {
        let before = small.built();
        small = small.file("src/1.md", CHAPTERS[kill % 2]);
        let mut child = small.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // At any moment, from at once to a little after its usual end; another one in every run.
        let moment = duration.mul_f64(1.2 * chance());
        std::thread::sleep(moment);
        let _ = child.kill();
        in_time += usize::from(!child.wait().unwrap().success());
        let when = format!("kill {kill}, after {moment:?} of about {duration:?}");
        assert!(small.path("book").is_dir(), "{when}: there is no book");
        let built = small.built();
        assert!(built == first || built == second, "{when}: the book is neither the old one nor the new one");
        new += usize::from(built != before);
    }
    println!(
        "{KILLS} kills within {:?}: {in_time} came before the end, {new} left the new book and {} the old one",
        duration.mul_f64(1.2),
        KILLS - new
    );
    assert!(in_time > KILLS / 4, "only {in_time} of {KILLS} builds were killed before they ended");
    small = small.file("src/1.md", CHAPTERS[0]).builds();
    assert!(small.built() == first);
    assert_eq!(fs::read_dir(small.path(".book-staging")).unwrap().count(), 1, "only the lock stays");
}

/// A number from 0 to 1, from what the standard library seeds its hash maps with.
fn chance() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}

#[test]
fn two_builds_at_once_both_end_well() {
    let small = Small::book("# One\n\n{{#figure threads}}\n");
    let mut children: Vec<_> =
        (0..3).map(|_| small.command().stdout(Stdio::null()).spawn().unwrap()).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert!(small.path("book/index.html").is_file());
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

    let html = small.main("1.html");
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

#[test]
fn book_toml_may_name_the_scene() {
    let scene = "query = 'b'\nwhy = 'b.'\n[[token]]\ntext = 'a'\nvector = [1.0, 0.0]\n[[token]]\ntext = 'b'\nvector = [0.0, 1.0]\n";
    let named =
        BOOK_TOML.replace("[preprocessor.figures]", "[preprocessor.figures]\nscene = \"mine/scene.toml\"");
    Small::book("{{#scene sentence}}\n")
        .file("mine/scene.toml", scene)
        .file("book.toml", &named)
        .builds()
        .shows("1.html", &["<p>a b</p>"]);
}

#[test]
fn mdbook_can_run_the_preprocessor_itself() {
    let program = env!("CARGO_BIN_EXE_book");
    let command = format!("{program} preprocess");
    let text = "# One\n\n{{#figure threads}}\n\n{{#value threads top}} $x = {{#value threads top-weight}}$\n";
    let small = Small::book(text)
        .file("book.toml", &BOOK_TOML.replace("cargo run --quiet -- preprocess", &command))
        .builds();
    let root = small.folder.path();

    // As `mdbook build` does it, which starts the preprocessor as a program.
    let mut mdbook = MDBook::load(root).unwrap();
    mdbook.config.build.build_dir = "theirs".into();
    mdbook.build().unwrap();
    let pages = |folder: &str| {
        let folder = small.path(folder);
        let in_folder = |path: PathBuf| path.strip_prefix(&folder).unwrap().to_owned();
        // But for the scripts of search, which only we put off.
        let at_once = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace(" type=\"text/x-later\"", "");
        let all = files(&folder).into_iter().map(|(path, bytes)| (in_folder(path), at_once(bytes)));
        all.filter(|(path, _)| !path.starts_with("figures")).collect::<BTreeMap<_, _>>()
    };
    assert!(pages("theirs") == pages("book"), "the pages are the same, however they were built");

    let preprocessor = CmdPreprocessor::new("figures".into(), command, root.to_owned(), false);
    assert!(!preprocessor.supports_renderer("markdown").unwrap());
    let context = PreprocessorContext::new(root.to_owned(), mdbook.config.clone(), "html".into());
    mdbook.book.for_each_chapter_mut(|chapter| chapter.content = "{{#ref nothing}}".into());
    assert!(preprocessor.run(&context, mdbook.book).is_err());
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
fn the_other_commands() {
    let small = Small::book("").argument("list");
    let (code, list, _) = small.run();
    assert_eq!(code, Some(0));
    assert!(
        figures::all().all(|figure| list.contains(&format!("{}: {}\n", figure.id, figure.title))),
        "{list}"
    );
    assert!(
        list.contains("query=1.4,1 (x,y: x from -3 to 3, y from -3 to 3); scaled=on (on or off)"),
        "{list}"
    );

    let small = Small::book("").argument("figures").argument("out/pictures");
    assert_eq!(small.run().0, Some(0));
    let names: Vec<_> = files(&small.path("out/pictures")).into_keys().collect();
    assert_eq!(names.len(), figures::all().count(), "{names:?}");
    Small::book("")
        .argument("figures")
        .argument("book.toml")
        .refuses(&["book.toml: this folder cannot be made"]);

    let (code, _, stderr) = Small::book("").argument("fly").run();
    assert_eq!(code, Some(2), "{stderr}");
    Small::book("").argument("--open").argument("list").refuses(&["--open goes with a build"]);
    let (_, help, _) = Small::book("").argument("--help").run();
    assert!(help.contains("cargo run -- --open"), "{help}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_book_that_nothing_opens_is_built_all_the_same() {
    let small = Small::book("# One\n").argument("--open");
    let output = small.command().env("PATH", "").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("no program opened it (tried `xdg-open`, "), "{stderr}");
    assert!(small.path("book/index.html").is_file());
}
