//! The committed live modules belong to the sources they were built from.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { gather(&path, files) } else { files.push(path) }
    }
}

/// The sum that `crates/live/build.sh` writes into the modules: that of the list of all sources with their sums, as
/// `sha256sum` prints it.
fn sum() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for part in ["attention", "figures", "live"] {
        gather(&root.join("crates").join(part).join("src"), &mut files);
    }
    let mut names: Vec<String> = files
        .iter()
        .map(|file| file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"))
        .collect();
    names.sort();
    let list: String = names
        .iter()
        .map(|name| format!("{}  {name}\n", hex(&Sha256::digest(std::fs::read(root.join(name)).unwrap()))))
        .collect();
    hex(&Sha256::digest(list))
}

#[test]
fn every_chapter_has_a_module_as_new_as_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sum = sum();
    for chapter in figures::CHAPTERS {
        let file = format!("src/live/{}.js", chapter.name);
        let text = std::fs::read_to_string(root.join(&file)).unwrap_or_default();
        let built_from = text.lines().find_map(|line| line.strip_prefix("// sources: "));
        assert!(
            built_from == Some(&sum),
            "{file} is older than the sources of the figures: build it again with crates/live/build.sh"
        );
    }
    let modules = std::fs::read_dir(root.join("src/live")).unwrap().count();
    assert_eq!(modules, figures::CHAPTERS.len(), "src/live has modules that no chapter uses");
}
