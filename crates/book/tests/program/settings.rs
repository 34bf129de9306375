//! `book.toml`, the list of chapters, and the scene.

use std::fs;

use crate::small::{BOOK_TOML, Small};

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
