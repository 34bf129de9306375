//! Writes `src/study/spread.txt` and `src/study/saturation.txt`, the numbers of [`attention::study::spread_table`] and
//! [`attention::study::saturation_table`]: run it again when attention, softmax, its gradient or the studies have
//! changed. It takes minutes.
//!
//! `cargo run --release -p attention --example scale`

use attention::study::{
    SCALE_DRAWS, SCALE_FEATURES, SCALE_KEYS, SCALE_SEEDS, dot_product_study,
    saturation_study,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut spread = String::from(
        "# Written by examples/scale.rs. A line: the seed, d, the typical size of a dot product, and the share of\n\
         # the dot products in each bar.\n",
    );
    let mut saturation = String::from(
        "# Written by examples/scale.rs. A line: the seed, d, and for bare dot products, then for divided ones, the\n\
         # mean of the largest weight, the share with one weight above 0.9, and of the length of the gradient at the\n\
         # query the lowest tenth, the median, and the highest tenth.\n",
    );
    for seed in SCALE_SEEDS {
        for row in dot_product_study(&SCALE_FEATURES, SCALE_DRAWS, seed)? {
            spread += &(row.line(seed) + "\n");
        }
        let trials = SCALE_DRAWS;
        for row in saturation_study(&SCALE_FEATURES, SCALE_KEYS, trials, seed)?
        {
            saturation += &(row.line(seed) + "\n");
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/study/").to_owned();
    std::fs::write(folder.clone() + "spread.txt", spread)?;
    std::fs::write(folder + "saturation.txt", saturation)?;
    Ok(())
}
