//! What learns to read the small language: what is written, and what comes of it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use attention::Transformer;
use attention::study::{Reading, Sentences, Sort};
use attention::trained::{Attempt, Attempts, Recipe};
use train::language::chain::{Chain, Shape};
use train::language::learning::Lessons;

/// Runs the program, and returns the exit code, and what was said and complained.
fn run(arguments: &[&str], out: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
    let output = command.args(arguments).arg("--out").arg(out).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_network_is_written_that_the_library_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said, complained) = run(&["roles", "--seed", "3", "--steps", "30"], folder.path());
    assert_eq!((code, complained.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("Steps taken: 30. Numbers learned: 1888"), "{said}");
    assert_eq!(names(folder.path()), ["log.csv", "weights.safetensors"]);
    let log = fs::read_to_string(folder.path().join("log.csv")).unwrap();
    let steps: Vec<&str> = log.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(steps, ["step", "25", "30"]);
    let file = fs::read(folder.path().join("weights.safetensors")).unwrap();
    let model = Transformer::from_safetensors(&file, None).unwrap();
    let sort = Sort { fillers: 2, states: false };
    let right = Reading::of(&model, &Sentences::evaluation(sort)).unwrap().right;
    assert!(said.contains(&format!("in the end {right:.3}")), "{said}");

    // The same seed, the same bytes.
    let again = tempfile::tempdir().unwrap();
    run(&["roles", "--seed", "3", "--steps", "30"], again.path());
    assert_eq!(fs::read(again.path().join("weights.safetensors")).unwrap(), file);
}

#[test]
fn two_blocks_turn_their_queries_and_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said, complained) = run(&["blocks", "--steps", "3"], folder.path());
    assert_eq!((code, complained.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("Numbers learned: 7712"), "{said}");
}

#[test]
fn a_table_has_each_network_with_each_seed() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said, complained) = run(&["roles", "--seeds", "2", "--steps", "2"], folder.path());
    assert_eq!((code, complained.as_str()), (Some(0), ""), "{said}");
    assert_eq!(names(folder.path()), ["seeds.csv"]);
    let written = fs::read_to_string(folder.path().join("seeds.csv")).unwrap();
    let attempts = Attempts::parse(&written).unwrap();
    let seeds: Vec<_> = attempts.iter().map(|it| it.seed).collect();
    assert_eq!(seeds, [1, 2].repeat(5));
    assert_eq!(attempts[0].learned_at, None);
    // With queries of 0, what was learned cannot change the weights.
    let even: Vec<&Attempt> = attempts.iter().filter(|it| it.network.starts_with("even")).collect();
    assert!(even.iter().all(|it| it.weight_two == even[0].weight_two));
}

/// A chain learns too, with gradients cut to a length: its loss falls from a guess among all words.
#[test]
fn chains_learn_as_well() {
    for gates in [false, true] {
        let chain = Chain::new(Shape { gates, width: 16 }, 1).unwrap();
        let sort = Sort { fillers: 0, states: true };
        let lessons = Lessons { recipe: Recipe::READING, steps: 100, clip: Some(1.0), sort, seed: 1 };
        let course = lessons.teach(&chain, &AtomicBool::new(false), |_, _| {}).unwrap();
        assert_eq!(course.steps, 100);
        let losses: Vec<f64> = course.rows.iter().map(|(_, loss, _)| *loss).collect();
        assert!(losses.len() == 4 && losses[3] < 0.8 * losses[0], "gates: {gates}, {losses:?}");
    }
}

/// `cargo test --release -p train -- --include-ignored`.
#[test]
#[ignore = "trains two networks"]
fn what_the_table_tells_comes_again() {
    let attempts = Attempts::roles();
    for seed in [7, 4] {
        let told = attempts.iter().find(|it| it.network == "as it is" && it.seed == seed).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (code, said, _) = run(&["roles", "--seed", &seed.to_string()], folder.path());
        assert_eq!(code, Some(0), "{said}");
        let file = fs::read(folder.path().join("weights.safetensors")).unwrap();
        let model = Transformer::from_safetensors(&file, None).unwrap();
        let sort = Sort { fillers: 2, states: false };
        let (seen, held_out) = (Sentences::evaluation(sort), Sentences::held_out(sort));
        let came = Attempt::of("as it is", seed, None, &model, &seen, &held_out).unwrap();
        // On another machine candle may add up in another order, and then each step leads a little elsewhere.
        assert!((came.seen - told.seen).abs() < 0.02, "{came:?}, told {told:?}");
        assert!((came.weight_two - told.weight_two).abs() < 0.15, "{came:?}, told {told:?}");
    }
}
