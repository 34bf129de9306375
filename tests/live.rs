//! The committed live modules belong to the code of the figures.

use std::path::Path;

#[test]
fn every_chapter_has_a_module_as_new_as_the_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = fingerprint::folder(&root);
    let chapters = figures::CHAPTERS.iter().map(|chapter| chapter.name);
    let stale = fingerprint::stale(&fingerprint::of(&root).unwrap(), &folder, chapters);
    assert!(
        stale.is_empty(),
        "live modules older than the figures: {}; `{}` builds them again",
        stale.join(", "),
        fingerprint::COMMAND
    );
    let modules = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(modules, figures::CHAPTERS.len(), "there are modules that no chapter uses");
}
