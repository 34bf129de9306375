//! Writes `src/study/depth.txt`, the numbers of [`attention::study::depth_table`], and what other seeds give beside its
//! test: run it again when a block, its gradients, or the study has changed.
//!
//! `cargo run --release -p attention --example depth`

use std::thread;

use attention::Result;
use attention::study::{DEPTH_RUNS, DEPTH_SEED, DEPTHS, depth_study};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let files = [
        ("src/study/depth.txt", DEPTH_SEED),
        ("tests/mathematics/depth_other_seeds.txt", DEPTH_SEED + 10_000),
    ];
    let texts = thread::scope(|scope| {
        let threads = files.map(|(_, seed)| scope.spawn(move || text(seed)));
        threads.map(|thread| thread.join().expect("the study does not panic"))
    });
    for ((path, _), text) in files.into_iter().zip(texts) {
        std::fs::write(format!("{folder}/{path}"), text?)?;
    }
    Ok(())
}

fn text(seed: u64) -> Result<String> {
    let mut text = format!(
        "# Written by examples/depth.rs: seeds from {seed}. For a line see `DepthGradients::line`.\n"
    );
    for it in depth_study(&DEPTHS, DEPTH_RUNS, seed)? {
        text += &it.line();
        text += "\n";
    }
    Ok(text)
}
