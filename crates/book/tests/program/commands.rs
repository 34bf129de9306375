//! The other commands.

use crate::small::{Small, files};

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

    let (code, one, _) = Small::book("").argument("list").argument("threads").run();
    assert!(code == Some(0) && one.starts_with("threads: ") && !one.contains("\nmatrix: "), "{one}");
    Small::book("")
        .argument("list")
        .argument("thread")
        .refuses(&["there is no figure `thread`", "Did you mean `threads`?"]);

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
