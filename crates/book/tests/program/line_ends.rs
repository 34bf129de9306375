//! Text files of any system.

use crate::small::Small;

/// A text as some editors write it on Windows.
fn windows(text: &str) -> String {
    format!("\u{feff}{}", text.trim_end_matches('\n').replace('\n', "\r\n"))
}

const SCENE: &str = "query = 'b'\nwhy = 'b.'\n[[token]]\ntext = 'a'\nvector = [1.0, 0.0]\n[[token]]\ntext = 'b'\nvector = [0.0, 1.0]\n";

#[test]
fn line_ends_make_no_difference() {
    let files = [
        (
            "book.toml",
            "[book]\ntitle = \"A small book\"\n\n[preprocessor.figures]\nscene = \"scene.toml\"\n\n[preprocessor.figures.katex]\nmacros = \"macros.txt\"\n",
        ),
        ("scene.toml", SCENE),
        ("macros.txt", "Macros.\n\\R:\\mathbb{R}\n"),
        ("src/SUMMARY.md", "# Summary\n\n[One](1.md)\n\n---\n\n- [Two](2.md)\n  - [Three](part/3.md)\n"),
        (
            "src/1.md",
            "# One\n\nOf $\\R$ and\n$$\nx\n- y\n$$\n\n```rust\n{{#include ../a.rs:f}}\n```\n\n{{#include part/b.md}}\n\n{{#exercises}}\n",
        ),
        ("a.rs", "mod a {\n    // ANCHOR: f\n    fn f() {\n\n        1\n    }\n    // ANCHOR_END: f\n}\n"),
        ("src/part/b.md", "A *part*:\n{{#include c.md}}\n"),
        ("src/part/c.md", "one more.\n"),
        (
            "src/2.md",
            "# Two\n\n{{#figure threads}}\n\n## Exercises\n\n1. Why\n   {{#scene why}}\n\n<details>\nSo.\n</details>\n",
        ),
        ("src/part/3.md", "{{#figures}}\n"),
    ];
    let with = |change: &dyn Fn(usize, &str) -> String| {
        let book = files.iter().enumerate();
        book.fold(Small::book(""), |small, (place, (path, text))| small.file(path, &change(place, text)))
            .builds()
    };
    let unix = with(&|_, text| text.to_owned()).contents();
    // Of Windows, and of a Mac before 2001.
    for other in [windows, |text: &str| text.replace('\n', "\r")] {
        for (path, content) in with(&|_, text| other(text)).contents() {
            assert!(unix.get(&path) == Some(&content), "{}", path.display());
        }
    }
    // One file alone that differs is no worse.
    for (one, (name, _)) in files.iter().enumerate() {
        let built = with(&|place, text| if place == one { windows(text) } else { text.to_owned() });
        assert!(built.contents() == unix, "{name}");
    }
}

#[test]
fn a_text_that_is_none_is_named() {
    let small = Small::book("{{#include a.txt}}\n");
    std::fs::write(small.path("src/a.txt"), [0xff, 0xfe, b'a', 0]).unwrap();
    let small =
        small.refuses(&["src/1.md:1:1: `a.txt` cannot be included: ", "it is UTF-16; save it as UTF-8"]);
    std::fs::write(small.path("src/a.txt"), [b'a', b'\n', 0xe4]).unwrap();
    let small = small.refuses(&["it is no UTF-8, from line 2 on"]);
    // A chapter is one as well, and named where the list of chapters has it.
    std::fs::write(small.path("src/2.md"), [0xff, 0xfe, b'a', 0]).unwrap();
    let small = small
        .file("src/SUMMARY.md", "- [One](1.md)\n- [Two](2.md)\n- [Three](3.md)\n")
        .refuses(&[
            "src/SUMMARY.md:2:9: the chapter `2.md` cannot be read: it is UTF-16; save it as UTF-8\n",
            "src/SUMMARY.md:3:11: the chapter `3.md` cannot be read: No such file",
        ])
        .file("src/SUMMARY.md", "- [One](1.md)\n");
    // What mdBook itself reads must have no mark.
    small
        .file("src/a.rs", "\u{feff}fn a() {}\n")
        .file("src/1.md", "{{#playground a.rs}}\n")
        .refuses(&["`a.rs` begins with a byte order mark"]);
}
