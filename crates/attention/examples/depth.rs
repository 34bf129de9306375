//! Writes `src/study/depth.txt`, the numbers of [`attention::study::depth_table`]: run it again when a block, its
//! gradients, or the study has changed.
//!
//! `cargo run --release -p attention --example depth`

use attention::NormPlace;
use attention::study::{DEPTH_RUNS, DEPTH_SEED, DEPTHS, depth_study};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut file = String::from(
        "# Written by examples/depth.rs. A line is a stack: where its norms are, and for each block, from the\n\
         # first to the last, the size of the gradient of W_out before training.\n",
    );
    for norms in [NormPlace::Pre, NormPlace::Post] {
        for depth in DEPTHS {
            let it = depth_study(norms, depth, DEPTH_RUNS, DEPTH_SEED)?;
            file += &it.line();
            file += "\n";
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/study/depth.txt");
    std::fs::write(path, file)?;
    Ok(())
}
