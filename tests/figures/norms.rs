use attention::NormPlace;
use attention::study::{DEPTH_RUNS, DEPTH_SEED, gradient_sizes};

use crate::drawn;

/// What `norms` quotes is what a stack of that depth gives, and its slopes are those that the theory has: the last
/// block's gradient falls as the root of the depth with pre-norm, and does not depend on it with post-norm.
#[test]
fn norms_shows_the_gradients_that_are_measured() {
    let drawing = drawn("norms", &[]);
    let number = |name: &str| drawing.number(name);
    for (place, name) in [(NormPlace::Pre, "pre"), (NormPlace::Post, "post")] {
        let runs = (0..DEPTH_RUNS as u64).map(|run| gradient_sizes(place, 6, DEPTH_SEED + run).unwrap()[5]);
        let mean = runs.sum::<f64>() / DEPTH_RUNS as f64;
        assert!((number(&format!("{name}-6")) - mean).abs() < 1e-5, "{name}: {mean}");
        for depth in [6, 12, 24, 48] {
            let cell = drawing.cell(&format!("last of {depth}"), &format!("{name}-norm"));
            assert_eq!(cell, number(&format!("{name}-{depth}")));
        }
    }
    // Between the shallowest and the deepest, by hand.
    let rise = |name: &str| {
        let last = |depth: &str| drawing.cell(depth, name);
        (last("last of 48") / last("last of 4")).ln() / 12f64.ln()
    };
    for (name, finding, slope) in [("pre-norm", "pre-slope", -0.5), ("post-norm", "post-slope", 0.0)] {
        assert!((number(finding) - slope).abs() < 0.06, "{name}");
        assert!((number(finding) - rise(name)).abs() < 0.03, "{name}");
    }
}
