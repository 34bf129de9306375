//! The program, run for a few steps: what it writes, and what it refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use attention::AttentionOnly;
use attention::study::{Metrics, Repeats};
use attention::trained::{Recipe, Seed, TrainingLog};
use tempfile::TempDir;
use train::induction::seeds::seed_row;

const FILES: [&str; 3] = ["weights.safetensors", "log.csv", "logits.csv"];

fn command(out: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
    command.arg("induction").arg("--out").arg(out).args(arguments);
    command
}

/// Runs it, and returns the exit code, and what was said and complained.
fn run(out: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(out, arguments).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("some/folder");
    (folder, out)
}

fn read(out: &Path) -> Vec<Vec<u8>> {
    FILES.iter().map(|name| fs::read(out.join(name)).unwrap()).collect()
}

/// Expects the three files, whole, and nothing beside them. Returns the log.
#[track_caller]
fn whole(out: &Path) -> TrainingLog {
    assert_eq!(fs::read_dir(out).unwrap().count(), FILES.len());
    let files = read(out);
    let model = AttentionOnly::from_safetensors(&files[0]).unwrap();
    let log = TrainingLog::parse(std::str::from_utf8(&files[1]).unwrap()).unwrap();
    // The last row is of the weights that were written.
    let growth = Metrics::of(&model, &Repeats::evaluation()).unwrap();
    let (step, _) = *log.rows.last().unwrap();
    let again = TrainingLog { rows: vec![(step, growth)] }.to_csv();
    assert_eq!(log.to_csv().lines().last(), again.lines().last());
    log
}

#[test]
fn the_same_seed_gives_the_same_files() {
    let ((_a, a), (_b, b), (_c, c)) = (folder(), folder(), folder());
    for (out, seed) in [(&a, "5"), (&b, "5"), (&c, "6")] {
        let (code, said, complained) = run(out, &["--seed", seed, "--steps", "30"]);
        assert_eq!((code, complained.as_str()), (Some(0), ""));
        assert!(said.contains("Steps taken: 30. Numbers learned: 10624"), "{said}");
        let steps: Vec<usize> = whole(out).rows.iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [0, 25, 30]);
    }
    assert_eq!(read(&a), read(&b));
    // Another seed, other first weights, and other steps.
    let (five, six) = (whole(&a).rows, whole(&c).rows);
    assert_ne!(five[0].1, six[0].1);
    assert_ne!(read(&a)[0], read(&c)[0]);

    // And once more over what is there.
    let (code, ..) = run(&c, &["--seed", "5", "--steps", "30"]);
    assert_eq!(code, Some(0));
    assert_eq!(read(&a), read(&c));
}

#[test]
fn other_sizes() {
    let (_folder, out) = folder();
    let (code, said, complained) = run(&out, &["--layers", "3", "--width", "8", "--steps", "1"]);
    assert_eq!((code, complained.as_str()), (Some(0), ""));
    let layer = 4 * 8 * 8;
    assert!(said.contains(&format!("Numbers learned: {}", 26 * 8 + 24 * 8 + 3 * layer + 8 * 26)), "{said}");
    assert_eq!(whole(&out).rows[0].1.previous.len(), 3);
}

#[test]
fn nonsense_is_refused_before_anything_happens() {
    for (arguments, complaint) in [
        (&["--steps", "0"][..], "0 is not in 1..=100000"),
        (&["--steps", "many"], "invalid digit"),
        (&["--layers", "0"], "0 is not in 1..=4"),
        (&["--layers", "5"], "5 is not in 1..=4"),
        (&["--width", "31"], "not an even number from 4 to 128"),
        (&["--width", "2"], "not an even number from 4 to 128"),
        (&["--width", "130"], "not an even number from 4 to 128"),
        (&["--seed=-1"], "invalid digit"),
        (&["--heads", "3"], "unexpected argument"),
        (&["weights"], "unexpected argument"),
    ] {
        let (_folder, out) = folder();
        let (code, said, complained) = run(&out, arguments);
        assert_eq!((code, said.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(complained.contains(complaint), "{complained}");
        assert!(!out.exists());
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_training() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join("log.csv")).unwrap();
    let mut cases = vec![
        (file.join("below"), "this folder cannot be made"),
        (taken, "log.csv: a folder is where a file is to be"),
    ];
    if cfg!(target_os = "linux") {
        // Not even root may write there.
        cases.push(("/proc/self".into(), "nothing can be written here"));
    }
    for (out, complaint) in cases {
        let (code, said, complained) = run(&out, &[]);
        assert_eq!((code, said.as_str()), (Some(1), ""));
        assert!(complained.starts_with("error: ") && complained.contains(complaint), "{complained}");
        assert!(complained.contains(&out.display().to_string()), "{complained}");
    }
}

#[test]
fn help_says_what_there_is() {
    let (_folder, out) = folder();
    let (code, said, _) = run(&out, &["--help"]);
    assert_eq!(code, Some(0));
    for part in
        ["--seed", "--steps", "--layers", "--width", "--out", "--check", "Ctrl-C", "750", "target/grown"]
    {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

#[test]
fn without_a_task_it_says_which_there_are() {
    for (arguments, complaint) in [
        (&[][..], "Usage: train <COMMAND>"),
        (&["--seed", "3"], "unexpected argument"),
        (&["growth"], "unrecognized"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_train")).args(arguments).output().unwrap();
        let complained = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(complained.contains(complaint), "{complained}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_train")).arg("--help").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("induction"));
}

#[test]
fn a_table_has_a_row_for_each_seed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
        let output = command.args(["seeds", "--out"]).arg(folder.path()).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(&["--count", "2", "--steps", "3"]), (Some(0), String::new()));
    let rows = Seed::parse(&fs::read_to_string(folder.path().join("seeds.csv")).unwrap()).unwrap();
    assert_eq!(rows.iter().map(|it| (it.seed, it.jump)).collect::<Vec<_>>(), [(1, None), (2, None)]);
    assert_ne!(rows[0].metrics, rows[1].metrics);
    let (code, complained) = run(&["--count", "0"]);
    assert_eq!(code, Some(2));
    assert!(complained.contains("0 is not in 1..=1000"), "{complained}");
}

/// Two rows of the book's table, from other processors perhaps: a row need not come out the same to the last digit.
#[test]
#[ignore = "takes a minute, and many if it is not optimized"]
fn two_seeds_come_out_as_in_the_book_s_table() {
    let tried = Seed::tried();
    for seed in [1, 3] {
        let again = seed_row(seed, Recipe::INDUCTION.steps, &AtomicBool::new(false)).unwrap().unwrap();
        let book = tried.iter().find(|it| it.seed == seed).unwrap();
        let both = [again, book.clone()];
        println!("{}", Seed::to_csv(&both));
        let [jump, book_jump] = both.each_ref().map(|it| it.jump.unwrap());
        assert!(jump.abs_diff(book_jump) <= 25);
        let numbers = both.each_ref().map(|it| {
            let Seed { one_layer, metrics, ablations, .. } = it;
            let scores = metrics.previous.iter().chain(&metrics.induction);
            let shares = ablations.zero.iter().chain(&ablations.mean);
            let each = scores.chain(shares).flatten().copied();
            each.chain([*one_layer, metrics.accuracy]).collect::<Vec<_>>()
        });
        for (again, book) in numbers[0].iter().zip(&numbers[1]) {
            assert!((again - book).abs() < 0.03, "{again}, and in the book {book}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_reached() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    use rustix::process::{Pid, Signal, kill_process};

    let (_folder, out) = folder();
    let mut child = command(&out, &["--steps", "100000"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.trim_start().starts_with("50 ")));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let last = said.last().unwrap();
    assert!(last.contains("weights.safetensors"), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (step, _) = *whole(&out).rows.last().unwrap();
    assert!((50..100_000).contains(&step));
}

#[test]
fn a_check_fails_where_nothing_has_grown() {
    let (_folder, out) = folder();
    let (code, _, complained) = run(&out, &["--steps", "50", "--check"]);
    assert_eq!(code, Some(1));
    assert!(complained.starts_with("error: no induction head has grown: accuracy"), "{complained}");
    whole(&out);
}

/// Three times the whole training: `cargo test --release -p train -- --include-ignored`.
#[test]
#[ignore = "takes half a minute, and minutes if it is not optimized"]
fn an_induction_head_grows_in_two_layers_and_not_in_one() {
    for seed in ["14", "1"] {
        let (_folder, out) = folder();
        let (code, said, complained) = run(&out, &["--seed", seed, "--check"]);
        assert_eq!((code, complained.as_str()), (Some(0), ""), "{said}");
        let jump = whole(&out).jump().unwrap();
        println!("seed {seed}: the jump at step {jump}\n{said}");
        assert!((100..=600).contains(&jump));
    }
    let (_folder, out) = folder();
    let (code, said, complained) = run(&out, &["--layers", "1", "--check"]);
    println!("{said}");
    assert_eq!(code, Some(1));
    assert!(complained.contains("no induction head has grown"));
    assert_eq!(whole(&out).jump(), None);
}
