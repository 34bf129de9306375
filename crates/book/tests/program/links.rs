//! Links between chapters, and chapters with unusual names.

use crate::small::Small;

const EXERCISES: &str = "## Exercises\n\n1. Why?\n";

/// A book with chapters of these paths, as they stand in SUMMARY.md and as files.
fn book(names: &[(&str, &str)]) -> Small {
    let summary: String = names.iter().map(|(link, _)| format!("- [C](<{link}>)\n")).collect();
    let small = Small::book("# One\n\n{{#figures}}\n\n{{#ref threads}}\n\n{{#exercises}}\n")
        .file("src/SUMMARY.md", &format!("- [One](1.md)\n{summary}"));
    names.iter().enumerate().fold(small, |small, (place, (_, name))| {
        let figure = if place == 0 { "{{#figure threads}}" } else { "Text." };
        small.file(&format!("src/{name}"), &format!("# A [part] of it\n\n{figure}\n\n{EXERCISES}"))
    })
}

#[test]
fn chapters_of_any_name_are_linked_to() {
    for (link, name, page) in [
        ("my%20chapter.md", "my chapter.md", "my%20chapter.html"),
        ("my chapter.md", "my chapter.md", "my%20chapter.html"),
        ("a(b.md", "a(b.md", "a%28b.html"),
        ("a)[b].md", "a)[b].md", "a%29%5Bb%5D.html"),
        ("100%.md", "100%.md", "100%25.html"),
        ("a#b?.md", "a#b?.md", "a%23b%3F.html"),
        ("größe.md", "größe.md", "größe.html"),
        ("part/README.md", "part/README.md", "part/index.html"),
        ("part two/x & y.md", "part two/x & y.md", "part%20two/x%20%26%20y.html"),
    ] {
        let exercises = format!("<a href=\"{page}#exercises\">A [part] of it</a>");
        let figure = format!("href=\"{page}#figure-threads\">Figure 1</a>");
        book(&[(link, name)]).builds().shows("1.html", &[&exercises, &figure]);
    }
}

#[test]
fn the_page_for_printing_finds_what_chapters_in_folders_have() {
    let small = book(&[("a/b/x.md", "a/b/x.md"), ("a/y.md", "a/y.md")])
        .file("src/a/y.md", "# Y\n\n{{#ref threads}} [one](../1.md)\n")
        .builds();
    let print = small.main("print.html");
    assert!(!print.contains("../"), "{print}");
    assert!(print.contains("data-module=\"live/"), "{print}");
    assert!(small.main("a/b/x.html").contains("data-module=\"../../live/"));
}

/// mdBook copies the first chapter's page, whatever folder it is in.
#[test]
fn the_first_page_finds_what_its_chapter_has() {
    let small = Small::book("# One\n")
        .file("src/SUMMARY.md", "- [First](a/first.md)\n- [One](1.md)\n- [More](a/more.md)\n")
        .file(
            "src/a/first.md",
            "{{#figure threads}}\n\n[one](../1.md#one) [more](more.md) [self](#figure-threads) ![x](x.png)\n",
        )
        .file("src/a/more.md", "# More\n")
        .file("src/a/x.png", "")
        .builds()
        .shows("a/first.html", &["href=\"../1.html#one\"", "data-module=\"../live/"])
        .shows(
            "index.html",
            &["href=\"1.html#one\"", "data-module=\"live/", "href=\"a/more.html\"", "src=\"a/x.png\""],
        );
    assert!(small.main("index.html").contains("href=\"#figure-threads\""));
    // A README is the page itself, and no copy.
    Small::book("# One\n")
        .file("src/SUMMARY.md", "- [First](README.md)\n- [One](part/1.md)\n")
        .file("src/README.md", "# R\n\n[one](part/1.md)\n")
        .file("src/part/1.md", "# One\n\n[up](../index.md)\n")
        .builds()
        .shows("index.html", &["href=\"part/1.html\""]);
}

#[test]
fn a_chapter_outside_of_the_sources_is_refused() {
    let small = Small::book("# One\n")
        .file("src/SUMMARY.md", "- [One](1.md)\n- [Two](../x.md)\n  - [Three](a/../../y.md)\n")
        .file("x.md", "# X\n")
        .file("y.md", "# Y\n")
        .refuses(&[
            "src/SUMMARY.md:2:9: the chapter `../x.md` is outside of src",
            "src/SUMMARY.md:3:13: the chapter `a/../../y.md` is outside of src",
        ]);
    small
        .file("src/SUMMARY.md", "- [One](/etc/passwd)\n")
        .refuses(&["the chapter `/etc/passwd` is outside of src"]);
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let text = "# One\n\n[a](1.md#one) [b](part/#two) [c](x.png) [d](https://a.b/c.md) [e](mailto:a@b) \
                [f](#figure-threads?query=1,2) [g](part/index.md) [h](my%20own.md) [i](1.html) [j](<my own.md>) [k](figures/threads.svg) [l](.) [m](part) [n](print.html)\n\n{{#figure threads}}\n";
    let small = Small::book(text)
        .file("src/SUMMARY.md", "- [One](1.md)\n- [Two](part/README.md)\n- [Three](<my own.md>)\n")
        .file("src/part/README.md", "# Two\n\n[up](../1.md)\n")
        .file("src/my own.md", "# Three\n")
        .file("src/unlisted.md", "# Not in the book\n")
        .file("src/x.png", "")
        .builds();
    let cases = [
        ("[a](2.md)", "src/1.md:1:6: the link `2.md` leads to no chapter"),
        ("[a](1.md#on)", "leads to a page without a part of that name. Did you mean `one`?"),
        ("[a](#nowhere)", "the link `#nowhere` leads to a page without a part"),
        ("[a](unlisted.md)", "the link `unlisted.md` leads to no chapter"),
        ("[a](part/README.md)", "the page of a README is called `index.md` in links"),
        ("![a](y.png)", "the link `y.png` leads to no chapter, and to no other file"),
        ("[a][b]\n\n[b]: ../1.md", "the link `../1.md` leads to no chapter"),
    ];
    cases.iter().fold(small, |small, (link, fault)| {
        small.file("src/1.md", &format!("text {link}\n\n# One\n")).refuses(&[fault])
    });
}
