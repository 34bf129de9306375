use std::time::Instant;

use attention::NormPlace;
use attention::study::{
    DEPTH_RUNS, DEPTH_SEED, DEPTHS, DepthGradients, depth_study, depth_table,
    log_slope,
};

/// The table's stack of that depth.
fn stack(norms: NormPlace, depth: usize) -> DepthGradients {
    let fits =
        |it: &DepthGradients| it.norms == norms && it.sizes.len() == depth;
    depth_table().into_iter().find(fits).unwrap()
}

#[test]
fn the_table_is_what_the_code_computes() {
    for norms in [NormPlace::Pre, NormPlace::Post] {
        for depth in [4, 6] {
            let start = Instant::now();
            let it = depth_study(norms, depth, DEPTH_RUNS, DEPTH_SEED).unwrap();
            println!("{norms:?}, {depth} blocks: {:?}", start.elapsed());
            let table = stack(norms, depth);
            for (came, needed) in table.sizes.iter().zip(&it.sizes) {
                // Five decimals in the file.
                assert!((came - needed).abs() < 6e-6, "{came} {needed}");
            }
        }
    }
}

#[test]
fn the_table_has_every_depth_once() {
    let table = depth_table();
    let depths: Vec<usize> = table.iter().map(|it| it.sizes.len()).collect();
    assert_eq!(depths, [DEPTHS, DEPTHS].concat());
    assert!(table[..8].iter().all(|it| it.norms == NormPlace::Pre));
    assert!(table[8..].iter().all(|it| it.norms == NormPlace::Post));
}

// Xiong et al. 2020, theorem 1.
#[test]
fn the_last_gradient_falls_as_the_root_in_pre_norm_and_stays_in_post_norm() {
    let slope = |norms| {
        let point = |depth| {
            let sizes = stack(norms, depth).sizes;
            (depth as f64, sizes[depth - 1])
        };
        log_slope(&DEPTHS.map(point)).unwrap()
    };
    let (pre, post) = (slope(NormPlace::Pre), slope(NormPlace::Post));
    println!("slopes of the last block: pre {pre:.3}, post {post:.3}");
    assert!((pre + 0.5).abs() < 0.1 && post.abs() < 0.1);
}
