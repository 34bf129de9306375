//! Where the book is put, and that nothing else is touched.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::process::Stdio;
use std::time::Instant;

use crate::small::{BOOK_TOML, Small};

#[test]
fn a_build_that_fails_leaves_the_old_book_as_it_was() {
    let mut small = Small::book("# One\n\n{{#figure threads}}\n").builds();
    let before = small.built();
    for fault in ["{{#ref nothing}}", "$\\frac$", "<div>\n\n"] {
        small = small.file("src/1.md", fault).refuses(&["the book has 1 fault"]);
        assert_eq!(small.leftovers(), [""; 0], "after {fault}");
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
    assert_eq!(fs::read_dir(small.path("out")).unwrap().count(), 1, "nothing stays but the book");
    assert!(small.path("out/site/index.html").is_file());
}

#[test]
fn a_book_is_not_built_among_its_sources() {
    let with = |src: &str, build_dir: &str| {
        let settings = format!("[book]\nsrc = \"{src}\"\n[build]\nbuild-dir = \"{build_dir}\"\n");
        let files = [("SUMMARY.md", "- [One](1.md)\n"), ("1.md", "# One\n"), (".nojekyll", MARK)];
        let small = Small::book("")
            .file("book.toml", &settings)
            .file("book/.nojekyll", MARK)
            .file("book/old.html", "");
        files.iter().fold(small, |small, (name, text)| small.file(&format!("{src}/{name}"), text))
    };
    for (src, build_dir) in
        [("src", "src/book"), ("src", "x/../src/book"), (".", "book"), ("./src", "src/a/b")]
    {
        let small = with(src, build_dir).refuses(&["the book would be built among its own sources"]);
        assert!(small.path("book/old.html").exists());
    }
    for build_dir in ["src", ".", "..", "./src/.."] {
        let small = with("src", build_dir).refuses(&["would replace this one", "set another build-dir"]);
        assert_eq!(fs::read_to_string(small.path("src/1.md")).unwrap(), "# One\n");
    }
}

/// What mdBook writes into every book, which says that it may be replaced.
const MARK: &str = "This file makes sure that Github Pages doesn't process mdBook's output.";

#[cfg(unix)]
#[test]
fn links_and_devices_as_targets() {
    use std::os::unix::fs::symlink;
    // Through a link, to the folder that it means; nothing is put in the place of one that leads nowhere.
    let small = Small::book("# One\n");
    fs::create_dir(small.path("elsewhere")).unwrap();
    symlink("elsewhere", small.path("book")).unwrap();
    let small = small.builds();
    assert!(small.path("book").is_symlink() && small.path("elsewhere/index.html").is_file());
    fs::remove_file(small.path("book")).unwrap();
    symlink("nowhere", small.path("book")).unwrap();
    let small = small.refuses(&["there is a link here that leads nowhere"]);
    assert!(small.path("book").is_symlink());

    let at = |build_dir: &str| {
        Small::book("# One\n").file("book.toml", &format!("[build]\nbuild-dir = \"{build_dir}\"\n"))
    };
    at("/dev/null").refuses(&["this is a file"]);

    // Pictures go through links as well, and none is written if one cannot be.
    let small = Small::book("").file("out/kept.svg", "kept").argument("figures").argument("out");
    symlink("kept.svg", small.path("out/threads.svg")).unwrap();
    assert_eq!(small.run().0, Some(0));
    assert!(small.path("out/threads.svg").is_symlink());
    assert!(fs::read_to_string(small.path("out/kept.svg")).unwrap().starts_with("<svg"));
    for target in ["/dev/null", "nowhere"] {
        let small = Small::book("").argument("figures").argument("out");
        fs::create_dir(small.path("out")).unwrap();
        symlink(target, small.path("out/threads.svg")).unwrap();
        let small = small.refuses(&["threads.svg: this file cannot be written: "]);
        assert_eq!(fs::read_dir(small.path("out")).unwrap().count(), 1);
    }
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
    assert!(!small.path(".book-staging").exists(), "nothing of a killed build stays after the next one");
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
