//! What is said of names and settings that are nearly right.

use crate::small::{BOOK_TOML, Small};

#[test]
fn a_name_nearly_right_is_guessed() {
    let cases = [
        ("{{#figure threads scaled}}", "does not say what is needed", "A setting is written `name=value`"),
        ("{{#scene sentense}}", "does not say what is needed", "Did you mean `sentence`?"),
        ("{{#value threads weight cat}}", "there is no row `weight`", "The row stands before the column"),
        (
            "```rust\n{{#include ../a.rs:softmax}}\n```",
            "the file has no `ANCHOR: softmax`",
            "Did you mean `soft-max`?",
        ),
        ("{{#figure thread}}", "there is no figure `thread`; there is `paths`", "Did you mean `threads`?"),
        ("{{#ref Matrx}}", "there is no figure `Matrx`", "Did you mean `matrix`?"),
        ("{{#figure next_token}}", "there is no figure `next_token`", "Did you mean `next-token`?"),
        ("{{#figur threads}}", "there is no directive `{{#figur}}`", "Did you mean `figure`?"),
        ("{{#exercise}}", "there is no directive `{{#exercise}}`", "Did you mean `exercises`?"),
        ("{{#value threads top-wieght}}", "there is no finding `top-wieght`", "Did you mean `top-weight`?"),
        ("{{#value threads Cat weight}}", "there is no row `Cat`", "Did you mean `cat`?"),
        ("{{#value threads cat weigth}}", "there is no column `weigth`", "Did you mean `weight`?"),
        ("{{#figure threads scale=off}}", "there is no parameter `scale`", "Did you mean `scaled`?"),
        ("{{#figure threads scaled=of}}", "scaled: `of` is not possible", "Did you mean `off`?"),
        ("{{#figure threads key=cat}}", "no parameter `key`", "A setting is written like this: query=1.4,1"),
        (
            "{{#figure threads key = cat}}",
            "does not say what is needed",
            "A setting is written without spaces, `name=value`",
        ),
        (
            "{{#figure query=1,2 threads}}",
            "does not say what is needed",
            "Settings, `name=value`, stand last",
        ),
        (
            "{{#value list threads}}",
            "there is no figure `list`",
            "The figure stands first: {{#value threads …}}",
        ),
        (
            "{{#value cat weight threads}}",
            "there is no figure `cat`",
            "The figure stands first: {{#value threads …}}",
        ),
        ("{{figure threads}}", "a directive has a `#` right before its word", "{{#figure threads}}"),
        (
            "{{# value threads top}}",
            "a directive has a `#` right before its word",
            "{{#value threads top-weight}}",
        ),
    ];
    let code = "// ANCHOR: soft-max\nfn a() {}\n// ANCHOR_END: soft-max\n";
    cases.iter().fold(Small::book("").file("a.rs", code), |small, (text, fault, hint)| {
        let place = if text.starts_with("```") { "src/1.md:4:1: " } else { "src/1.md:3:1: " };
        small.file("src/1.md", &format!("# One\n\n{text}\n")).refuses(&[place, fault, hint])
    });
    // Nothing is guessed of what is near to nothing.
    let (_, _, stderr) = Small::book("{{#figure elephant}}\n").run();
    assert!(!stderr.contains("Did you mean"), "{stderr}");
}

#[test]
fn a_control_is_set_by_what_a_reader_sees() {
    Small::book("{{#figure threads query=cat}}\n").builds().shows("1.html", &["“cat” asks"]);
    Small::book("{{#value threads top query=dog}}\n")
        .refuses(&["threads: query: `dog` is not possible; needed is two numbers"]);
}

#[test]
fn an_unknown_or_wrong_setting_is_refused_wherever_it_stands() {
    let tables = [
        ("preprocessor = 5\n", ["`preprocessor` is no table", ""]),
        ("[preprocessor]\nfigures = [1]\n", ["`figures` is no table", "needed is [preprocessor.figures]"]),
        ("[output]\nhtml = 1\n", ["`html` is no table", "needed is [output.html]"]),
        (
            "[preprocessor.figures]\nscen = \"x\"\n",
            ["[preprocessor.figures]: unknown field `scen`", "Did you mean `scene`?"],
        ),
        ("[preprocessor.figures]\nscene = 5\n", ["[preprocessor.figures]: ", "scene"]),
        ("[preprocessor.figures]\nbefore = \"links\"\n", ["[preprocessor.figures]: ", "before"]),
        ("[preprocessor.figures]\nkatex = true\n", ["[preprocessor.figures]: ", "katex"]),
        (
            "[preprocessor.figures.katex]\nmacro = \"m.txt\"\n",
            ["[preprocessor.figures.katex]: unknown field `macro`", "Did you mean `macros`?"],
        ),
        ("[preprocessor.figures.katex]\nmacros = [1]\n", ["[preprocessor.figures.katex]: ", "macros"]),
        ("[preprocessor.figures.katex]\nmax-size = \"a\"\n", ["[preprocessor.figures.katex]: ", "max-size"]),
        (
            "[preprocessor.figures.katex]\ninline-delimiter = { left = \"(\", right = \")\" }\n",
            [
                "[preprocessor.figures.katex]: formulas stand between `$` and `$`",
                "other delimiters are not read",
            ],
        ),
        ("[preprocessor.figure]\nscene = \"x\"\n", ["figure", ""]),
        ("[build]\nbuild_dir = \"x\"\n", ["build_dir", ""]),
        ("[output.html.serch]\nlimit-results = 1\n", ["serch", ""]),
        ("[figures]\nscene = \"x\"\n", ["figures", ""]),
    ];
    tables
        .iter()
        .fold(Small::book("# One\n"), |small, (table, parts)| small.file("book.toml", table).refuses(parts));
    Small::book("# One\n")
        .file("book.toml", &BOOK_TOML.replace("before", "optional = false\nbefore"))
        .builds();
}

#[test]
fn a_scene_that_is_not_there_is_said_to_be_missing() {
    let small = Small::book("# One\n").argument("--scene").argument("gone.toml");
    small.refuses(&["gone.toml: cannot be read: there is no such file"]);
    Small::book("# One\n")
        .file("book.toml", "[preprocessor.figures]\nscene = \"gone.toml\"\n")
        .refuses(&["gone.toml: cannot be read: there is no such file"]);
}
