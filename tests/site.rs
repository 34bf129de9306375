//! The built book, page by page: what a reader's browser gets.

mod equations;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use figures::{Cell, Params, Scene, Size};
use scraper::{ElementRef, Html, Selector};
use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            if name == "node_modules" {
                continue;
            }
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// A copy of all that this book is built from.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for part in ["Cargo.toml", "book.toml", "src", "theme", "crates", "tests"] {
        copy(&root().join(part), &folder.path().join(part));
    }
    folder
}

/// Builds the book in `folder`, with its own scene or another, and returns the folder of its pages.
fn built(folder: &Path, scene: Option<&str>) -> PathBuf {
    let file = scene.map(|text| {
        let file = folder.join("scene.toml");
        fs::write(&file, text).unwrap();
        file
    });
    let built = book::build::build(folder, file.as_deref(), || ()).unwrap();
    built.index.parent().unwrap().to_owned()
}

/// Builds a copy of this book, with its own scene or another, and returns the folder of its pages.
fn build(scene: Option<&str>) -> (tempfile::TempDir, PathBuf) {
    let folder = copied();
    let pages = built(folder.path(), scene);
    (folder, pages)
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkDir::new(folder).into_iter().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().is_file()).map(|entry| {
        let name = entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
        (name, fs::read(entry.path()).unwrap())
    });
    files.collect()
}

/// The files of this book, built once for all tests.
static SITE: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let (_folder, pages) = build(None);
    files(&pages)
});

fn text_of(name: &str) -> &'static str {
    std::str::from_utf8(&SITE[name]).unwrap()
}

/// The pages; mdBook's table of contents for browsers without script, a fragment, is not one.
fn pages() -> impl Iterator<Item = (&'static str, Html)> {
    SITE.keys()
        .filter(|name| name.ends_with(".html") && *name != "toc.html")
        .map(|name| (name.as_str(), Html::parse_document(text_of(name))))
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef) -> String {
    element.text().collect::<String>()
}

/// Runs of white space as single spaces.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn nothing_is_left_unexpanded() {
    for (name, page) in pages() {
        for paragraph in
            all(&page, "main p, main li, main td, main th, main h1, main h2, main h3, main figcaption")
        {
            let mut prose = text(paragraph);
            for code in paragraph.select(&Selector::parse("code, script").unwrap()) {
                prose = prose.replacen(&text(code), "", 1);
            }
            for mark in ["$", "{{", "}}", "\\("] {
                assert!(!prose.contains(mark), "{name}: `{mark}` is left in: {prose}");
            }
        }
        assert!(!text_of(name).contains("{{#"), "{name} has a directive left");
    }
}

#[test]
fn nothing_comes_from_another_host() {
    let loads = [
        ("script[src]", "src"),
        ("link[href]", "href"),
        ("img[src]", "src"),
        ("iframe[src]", "src"),
        ("source[src]", "src"),
        ("use[href]", "href"),
        ("form[action]", "action"),
    ];
    let foreign = |address: &str| address.contains("//");
    for (name, page) in pages() {
        for (selector, attribute) in loads {
            for element in all(&page, selector) {
                let address = element.value().attr(attribute).unwrap();
                assert!(!foreign(address), "{name} loads {address}");
            }
        }
    }
    for (name, content) in SITE.iter().filter(|(name, _)| name.ends_with(".css")) {
        let style = std::str::from_utf8(content).unwrap();
        for part in style.split("url(").skip(1).chain(style.split("@import").skip(1)) {
            let address = part.split([')', ';']).next().unwrap();
            assert!(
                !foreign(address) || address.trim_matches(['"', '\'']).starts_with("data:"),
                "{name}: {address}"
            );
        }
    }
}

#[test]
fn every_link_and_anchor_resolves() {
    let ids: BTreeMap<&str, BTreeSet<String>> = pages()
        .map(|(name, page)| {
            (name, all(&page, "[id]").iter().map(|e| e.value().attr("id").unwrap().to_owned()).collect())
        })
        .collect();
    let mut checked = 0;
    for (name, page) in pages() {
        for link in all(&page, "a[href], link[href], script[src], img[src]") {
            let address = link.value().attr("href").or(link.value().attr("src")).unwrap();
            if address.contains("://") || address.starts_with("data:") || address.is_empty() {
                continue;
            }
            let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
            let mut parts: Vec<&str> = name.split('/').collect();
            parts.pop();
            for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
                if part == ".." {
                    assert!(parts.pop().is_some(), "{name}: {address} leads out of the book");
                } else {
                    parts.push(part);
                }
            }
            let target = if path.is_empty() { name.to_owned() } else { parts.join("/") };
            assert!(SITE.contains_key(&target), "{name}: {address} leads nowhere");
            if !anchor.is_empty() {
                assert!(ids[target.as_str()].contains(anchor), "{name}: {address} has no such anchor");
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} links were found");
}

#[test]
fn the_html_is_well_formed() {
    for (name, page) in pages() {
        assert_eq!(page.errors, Vec::<String>::new(), "{name}");
        let mut seen = BTreeSet::new();
        for element in all(&page, "[id]") {
            let id = element.value().attr("id").unwrap();
            assert!(seen.insert(id.to_owned()), "{name}: the id {id} stands twice");
        }
    }
}

#[test]
fn every_figure_is_shown_with_its_words_and_numbers() {
    let scene = Scene::default();
    let pages: Vec<_> = pages().filter(|(name, _)| !["print.html", "index.html"].contains(name)).collect();
    for figure in figures::all() {
        let drawing = figure.draw(&scene, &Params::new(), Size::Wide).unwrap();
        let shown: Vec<_> = pages
            .iter()
            .filter(|(_, page)| !all(page, &format!("#figure-{}", figure.id)).is_empty())
            .collect();
        let [(name, page)] = &shown[..] else { panic!("{} is on {} pages", figure.id, shown.len()) };
        let within = |selector: &str| all(page, &format!("#figure-{} {selector}", figure.id));

        assert_eq!(folded(&text(within(".figure-says")[0])), folded(&drawing.words()), "{name}");
        assert!(!text(within("figcaption")[0]).trim().is_empty());
        let pictures = within(".figure-picture > svg");
        assert_eq!(pictures.len(), 2, "{name}: one picture for each width");
        for part in ["title", "desc"] {
            let selector = format!(".figure-picture > svg > {part}");
            assert_eq!(within(&selector).len(), 2, "{name}: {}", figure.id);
            assert!(within(&selector).iter().all(|e| !text(*e).trim().is_empty()));
        }
        // The numbers on the page are the figure's, each in its row and column.
        let rows = within(".figure-numbers tbody tr");
        assert_eq!(rows.len(), drawing.table.rows.len());
        for (row, expected) in rows.iter().zip(&drawing.table.rows) {
            let cells: Vec<_> = row.select(&Selector::parse("td").unwrap()).map(text).collect();
            assert_eq!(cells, expected.cells.iter().map(Cell::to_string).collect::<Vec<_>>());
        }
        // The file to take away is the picture, alone.
        let file = text_of(&format!("figures/{}.svg", figure.id));
        assert_eq!(file, drawing.svg);
        let download = within("a.figure-download")[0].value().attr("href").unwrap();
        assert_eq!(download, format!("figures/{}.svg", figure.id));
    }
}

/// The live figures get the scene that the page was built with, whatever stands in it.
#[test]
fn every_page_with_figures_carries_its_scene() {
    let mut found = 0;
    for (name, page) in pages().filter(|(_, page)| !all(page, "figure[data-figure]").is_empty()) {
        let carried = all(&page, "script.scene").into_iter().map(text).next().expect(name);
        assert_eq!(live::read(&carried), Some(Scene::default()), "{name}");
        found += 1;
    }
    assert!(found >= 2);
}

/// A figure names the live module of its chapter by what the module is, and no page loads one before a figure does.
#[test]
fn every_figure_names_its_live_module() {
    for (name, page) in pages() {
        for figure in all(&page, "figure[data-figure]") {
            let id = figure.value().attr("data-figure").unwrap();
            let file = format!("live/{}.js", figures::figure(id).unwrap().chapter());
            let sum = Sha256::digest(&SITE[&file]);
            let expected = format!("{file}?{:02x}{:02x}{:02x}{:02x}", sum[0], sum[1], sum[2], sum[3]);
            assert_eq!(figure.value().attr("data-module"), Some(&*expected), "{name}");
        }
        assert!(all(&page, "script[src*='live/']").is_empty(), "{name}");
    }
}

/// Formulas are set in a font cut down to the characters that it needs.
#[test]
fn the_font_has_every_character_of_every_formula() {
    let list = fs::read_to_string(root().join("theme/fonts/cut/characters.txt")).unwrap();
    let has: BTreeSet<char> = list
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .flat_map(|line| {
            let line = line.split('#').next().unwrap();
            let hex = |text: &str| u32::from_str_radix(text.trim().trim_start_matches("U+"), 16).unwrap();
            let bounds = line.split_whitespace().next().unwrap();
            let (first, last) = bounds.split_once('-').unwrap_or((bounds, bounds));
            (hex(first)..=hex(last)).filter_map(char::from_u32)
        })
        .collect();
    let lines = list.lines().filter(|line| !line.starts_with('#')).count();
    let bytes = fs::metadata(root().join("theme/fonts/book-math.woff2")).unwrap().len();
    let cut = format!("# Cut by subset.py: {lines} lines, and book-math.woff2 has {bytes} bytes.");
    assert!(
        list.lines().any(|line| line == cut),
        "characters.txt was changed: run theme/fonts/cut/subset.py"
    );
    let mut formulas = 0;
    for (name, page) in pages() {
        for formula in all(&page, "math") {
            formulas += 1;
            for character in text(formula).chars().filter(|c| !c.is_whitespace()) {
                assert!(
                    has.contains(&character),
                    "{name}: {character} (U+{:04X}) is not in the font; add it to theme/fonts/cut/characters.txt",
                    u32::from(character)
                );
            }
        }
        assert!(all(&page, "annotation").is_empty(), "{name}: TeX is left in a formula");
        assert!(all(&page, "[mathvariant]:not([mathvariant=normal])").is_empty(), "{name}");
    }
    assert!(formulas > 50);
}

#[test]
fn two_builds_are_the_same_bytes() {
    let (_folder, pages) = build(None);
    let again = files(&pages);
    assert_eq!(again.keys().collect::<Vec<_>>(), SITE.keys().collect::<Vec<_>>());
    for (name, content) in &again {
        assert!(content == &SITE[name], "{name} differs between two builds");
    }
}

/// A checkout with the line ends of Windows, with a byte order mark before each text and without an end of its last line,
/// makes the same book. (Styles and scripts come to the reader as they are.)
#[test]
fn line_ends_make_no_difference() {
    let windows = |text: &str| format!("\u{feff}{}", text.trim_end_matches('\n').replace('\n', "\r\n"));
    let folder = copied();
    let mut rewritten = BTreeMap::new();
    for (name, content) in files(folder.path()) {
        let ending = name.rsplit('.').next().unwrap_or_default();
        if ["md", "toml", "txt", "csv", "rs"].contains(&ending) && !name.starts_with("theme/fonts") {
            let text = String::from_utf8(content).unwrap();
            fs::write(folder.path().join(&name), windows(&text)).unwrap();
            *rewritten.entry(ending.to_owned()).or_insert(0) += 1;
        }
    }
    assert!(rewritten["md"] > 15 && rewritten["rs"] > 100 && rewritten["txt"] > 1, "{rewritten:?}");
    let scene = fs::read_to_string(root().join("crates/figures/src/scene.toml")).unwrap();
    let book = files(&built(folder.path(), Some(&windows(&scene))));
    assert_eq!(book.keys().collect::<Vec<_>>(), SITE.keys().collect::<Vec<_>>());
    for (name, content) in &book {
        assert!(content == &SITE[name], "{name} differs");
    }
}

/// Moving one token moves it everywhere: in the picture, its numbers, its words, and the text of the chapter.
#[test]
fn a_moved_token_moves_everywhere() {
    let scene = fs::read_to_string(root().join("crates/figures/src/scene.toml")).unwrap();
    let moved = scene.replace("vector = [2.2, 1.6]", "vector = [2.2, 0.6]");
    assert_ne!(scene, moved);
    let (_folder, pages) = build(Some(&moved));
    let chapter = |text: &str| {
        let page = Html::parse_document(text);
        let part = |selector: &str| {
            all(&page, selector).into_iter().map(|e| folded(&e.html())).collect::<Vec<_>>().join("\n")
        };
        [
            part("#figure-threads svg.wide"),
            part("#figure-threads .figure-numbers tbody"),
            part("#figure-threads .figure-says"),
            part("#figure-threads svg.wide > desc"),
            part("main > p"),
            part("main math"),
        ]
    };
    let before = chapter(text_of("7-1-query-key-value.html"));
    let after = chapter(&fs::read_to_string(pages.join("7-1-query-key-value.html")).unwrap());
    for (before, after) in before.iter().zip(&after) {
        assert!(!before.is_empty());
        assert_ne!(before, after);
    }
}

/// What the chapters say in words is true for a scene, or the build warns where it is not, or the page says what happens
/// instead.
#[test]
fn words_do_not_outlive_their_scene() {
    let scene = fs::read_to_string(root().join("crates/figures/src/scene.toml")).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(scene.contains(from), "{from}");
        scene.replace(from, to)
    };
    let prose = |html: &str| {
        let paragraphs =
            all(&Html::parse_document(html), "main > p").into_iter().map(text).collect::<Vec<_>>();
        folded(&paragraphs.join("\n")).replace(['\u{2068}', '\u{2069}'], "")
    };
    let differs = "in that of “it” it gives 0.98 to “dog” (in 7.1 it found “cat”: there the vectors decided";

    let dog = "text = \"dog\"\nvector = [-1.7, -0.4]\nkind = \"noun\"";
    for (scene, warned, heads) in [
        (scene.clone(), &[][..], "in that of “it” it gives 1.00 to “cat”. "),
        // The last noun is not the one that the vectors lead to.
        (changed("text = \"because\"\nvector = [-1.7, -0.4]", dog), &[][..], differs),
        // The vectors lead “it” to itself.
        (
            changed("vector = [1.4, 1.0]", "vector = [2.4, 1.8]"),
            &[
                ("src/opening.md", "finds another one; in this scene “it” gives most, 0.64, to itself"),
                (
                    "src/7-1-query-key-value.md",
                    "finds another one; in this scene “it” gives most, 0.64, to itself",
                ),
                (
                    "src/7-2-matrix.md",
                    "give each other the same; in this scene “it” gives most, 0.64, to itself",
                ),
            ],
            "1.00 to “cat” (in 7.1 it found itself: there the vectors decided",
        ),
    ] {
        let folder = copied();
        let file = folder.path().join("scene.toml");
        fs::write(&file, &scene).unwrap();
        let built = book::build::build(folder.path(), Some(&file), || ()).unwrap();
        let said: Vec<String> = built.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), warned.len(), "{said:#?}");
        for (said, (file, what)) in said.iter().zip(warned) {
            assert!(said.starts_with(&format!("{file}:")) && said.ends_with(what), "{said}");
        }
        let page = |name: &str| prose(&fs::read_to_string(folder.path().join("book").join(name)).unwrap());
        assert!(page("7-3-heads.html").contains(heads), "{heads}");
        // Of the trained model it is said on its own sentence, which is named there.
        let wild = page("7-3-wild.html");
        assert_eq!(wild, prose(text_of("7-3-wild.html")));
        for own in ["our own example", "on our sentence"] {
            assert!(!wild.contains(own) && !page("7-3-heads.html").contains(own), "{own}");
        }
    }
}

/// Another sentence makes another book, with nothing of the first one's words left in its own.
#[test]
fn another_sentence_goes_through_the_whole_book() {
    let scene = r#"
query = "her"
why = "A pronoun <points> & needs its $name$."

[[token]]
text = "Ada"
vector = [2.0, 1.0]

[[token]]
text = "<script>${{`\\\""
vector = [-1.0, 0.5]

[[token]]
text = "קול"
vector = [0.5, -1.5]

[[token]]
text = "*her*"
vector = [0.1, 0.2]

[[token]]
text = "her"
vector = [1.0, 0.4]
"#;
    let (_folder, pages) = build(Some(scene));
    for chapter in [
        "opening.html",
        "7-1-query-key-value.html",
        "7-2-matrix.html",
        "7-3-heads.html",
        "7-3-wild.html",
        "7-3-growth.html",
        "7-4-block.html",
        "7-4-positions.html",
    ] {
        let html = fs::read_to_string(pages.join(chapter)).unwrap();
        let page = Html::parse_document(&html);
        assert_eq!(page.errors, Vec::<String>::new(), "{chapter}");
        let prose: String = all(&page, "main > p").into_iter().map(text).collect();
        let why = prose.contains("A pronoun <points> & needs its $name$.");
        assert!(why || chapter > "7-2", "{chapter}");
        assert!(prose.contains("Ada") || chapter > "7-3", "{chapter}");
        let carried = text(all(&page, "script.scene")[0]);
        assert_eq!(live::read(&carried), Some(Scene::parse(scene).unwrap()), "{chapter}");
        let (wrong, _) = equations::faults(chapter, &page);
        assert_eq!(wrong, Vec::<String>::new());
        // The trained model's heads are over our sentence, whatever the book's is.
        let tokens: Vec<_> =
            all(&page, "main :not(#figure-wild-heads *) > code.token").into_iter().map(text).collect();
        assert!(!tokens.iter().any(|token| ["cat", "it", "tired"].contains(&token.as_str())), "{chapter}");
    }
}

/// A chapter, with everything that it makes a browser load, stays light.
#[test]
fn no_chapter_is_heavy() {
    // With the modules of another compiler, in the folder that MODULES names, where it is set.
    let others = std::env::var("MODULES").ok().map(|folder| root().join(folder));
    let module = |file: &str| others.as_ref().map(|folder| std::fs::read(folder.join(file)).unwrap());
    let compressed = |content: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap().len()
    };
    for (name, page) in pages().filter(|(name, _)| *name != "print.html") {
        let mut loaded: BTreeSet<String> = BTreeSet::from([name.to_owned()]);
        // The scripts of search are loaded by those who search.
        for element in all(&page, "link[href], script[src]:not([type='text/x-later']), img[src]") {
            let address = element.value().attr("href").or(element.value().attr("src")).unwrap();
            loaded.insert(address.to_owned());
        }
        // The live modules by the scripts that figures name.
        for figure in all(&page, "figure[data-module]") {
            let module = figure.value().attr("data-module").unwrap();
            loaded.insert(module.split('?').next().unwrap().to_owned());
        }
        // Every font, though no page uses them all.
        loaded.extend(SITE.keys().filter(|file| file.ends_with(".woff2")).cloned());
        let weight: usize = loaded
            .iter()
            .map(|file| {
                let other = file.strip_prefix("live/").and_then(module);
                let content =
                    other.as_ref().or(SITE.get(file)).unwrap_or_else(|| panic!("{name} loads {file}"));
                if file.ends_with(".woff2") { content.len() } else { compressed(content) }
            })
            .sum();
        println!("{name}: {weight} bytes, compressed");
        assert!(weight < 300_000, "{name} weighs {weight} bytes with all it loads");
    }
}
