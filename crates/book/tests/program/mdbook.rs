//! What mdBook and KaTeX do, with us and without.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use book::light::{is_heavy, lighter};
use mdbook_driver::MDBook;
use mdbook_driver::builtin_preprocessors::CmdPreprocessor;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::small::{BOOK_TOML, Small, files};

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
        // But for the scripts of search, which only we put off, and for what we take out of styles and scripts.
        let alike = |path: &Path, bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes).replace(" type=\"text/x-later\"", "");
            if is_heavy(path) { lighter(&text) } else { text }
        };
        let all =
            files(&folder).into_iter().map(|(path, bytes)| (in_folder(path.clone()), alike(&path, bytes)));
        all.filter(|(path, _)| !path.starts_with("figures")).collect::<BTreeMap<_, _>>()
    };
    assert!(pages("theirs") == pages("book"), "the pages are the same, however they were built");

    let preprocessor = CmdPreprocessor::new("figures".into(), command, root.to_owned(), false);
    assert!(!preprocessor.supports_renderer("markdown").unwrap());
    let context = PreprocessorContext::new(root.to_owned(), mdbook.config.clone(), "html".into());
    mdbook.book.for_each_chapter_mut(|chapter| chapter.content = "{{#ref nothing}}".into());
    assert!(preprocessor.run(&context, mdbook.book).is_err());
}
