//! 7.4: how large the first gradients are in a deep stack, before any training.

use crate::block::NormPlace;
use crate::error::{Error, Result, need_one, need_room};
use crate::mask::Mask;
use crate::random::normals::Normals;
use crate::stack::Stack;
use crate::study::cost::block_parameters;
use crate::study::frobenius::frobenius_norm;

/// The depths of the book's study, in blocks.
pub const DEPTHS: [usize; 8] = [4, 6, 8, 12, 16, 24, 32, 48];

/// How many stacks are drawn for each depth, and averaged over.
pub const DEPTH_RUNS: usize = 10;

/// The seed of the first of them; the others have those that follow.
pub const DEPTH_SEED: u64 = 74;

/// T, d and h of the study.
const TOKENS: usize = 16;
const FEATURES: usize = 64;
const HEADS: usize = 4;

/// The size of the gradient of each block's second MLP matrix, for stacks of one depth.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthGradients {
    /// Pre-norm or post-norm.
    pub norms: NormPlace,
    /// For each block, from the first to the last: the [`frobenius_norm`] of ∂L/∂W_out, averaged over
    /// the runs. `[depth]`
    pub sizes: Vec<f64>,
}

/// Draws a stack before training, gives it random tokens and random targets, and measures how large the
/// gradient is that each block's W_out gets. → `[depth]`
///
/// - T = 16 tokens of d = 64 features, standard normal ([`Normals`] from `seed`), and targets alike.
/// - Blocks with h = 4 heads and a causal mask, [drawn](Stack::xavier) as Glorot and Bengio say, with
///   normal numbers; biases are 0.
/// - The loss is the mean square error: the mean over all T d numbers of (y − target)².
///
/// Tokens and targets are drawn first, then block after block. So with the same seed, a deeper stack is
/// the shallower one with more blocks on top, and pre-norm and post-norm have the same matrices.
///
/// Source: Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", theorem 1: for the
/// last block, the gradient does not depend on the depth N in a post-norm stack, and is as 1/√N in a
/// pre-norm stack. The measurement is ours.
///
/// # Errors
///
/// [`Error::TooSmall`] if `depth` is 0, and [`Error::Number`] if so many blocks have more numbers than a
/// gibibyte holds.
///
/// # Example
///
/// ```
/// use attention::NormPlace;
/// use attention::study::gradient_sizes;
///
/// let pre = gradient_sizes(NormPlace::Pre, 16, 1)?;
/// let post = gradient_sizes(NormPlace::Post, 16, 1)?;
/// assert!(pre[15] < post[15] / 2.0); // the last of 16 blocks
/// # Ok::<(), attention::Error>(())
/// ```
pub fn gradient_sizes(
    norms: NormPlace,
    depth: usize,
    seed: u64,
) -> Result<Vec<f64>> {
    need_one("depth", depth)?;
    let mut normals = Normals::seeded(seed);
    let x = normals.matrix(TOKENS, FEATURES); // [T, d]
    let target = normals.matrix(TOKENS, FEATURES); // [T, d]
    let stack = Stack::xavier(norms, depth, FEATURES, HEADS, &mut normals)?;

    // L = mean of (y − target)², so ∂L/∂y = 2 (y − target) / (T d).
    let y = stack.forward(&x, &Mask::Causal)?; // [T, d]
    let gradient = (y - target) * (2.0 / (TOKENS * FEATURES) as f64);
    let back = stack.backward(&x, &Mask::Causal, &gradient)?;
    let blocks = back.layer.blocks.iter();
    Ok(blocks.map(|block| frobenius_norm(&block.mlp.w_out)).collect())
}

/// [`gradient_sizes`], averaged over `runs` stacks with the seeds `seed`, `seed + 1`, …
///
/// # Errors
///
/// [`Error::TooSmall`] if `depth` or `runs` is 0, and [`Error::Number`] as for [`gradient_sizes`].
///
/// # Example
///
/// ```
/// use attention::NormPlace;
/// use attention::study::{depth_study, gradient_sizes};
///
/// let both = depth_study(NormPlace::Post, 2, 2, 5)?;
/// let (one, two) = (gradient_sizes(NormPlace::Post, 2, 5)?, gradient_sizes(NormPlace::Post, 2, 6)?);
/// assert!((both.sizes[1] - (one[1] + two[1]) / 2.0).abs() < 1e-12);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn depth_study(
    norms: NormPlace,
    depth: usize,
    runs: usize,
    seed: u64,
) -> Result<DepthGradients> {
    need_one("runs", runs)?;
    need_room("depth", depth, block_parameters(FEATURES))?;
    let mut sizes = vec![0.0; depth];
    for run in 0..runs as u64 {
        let seed = seed.wrapping_add(run);
        let once = gradient_sizes(norms, depth, seed)?; // [depth]
        for (mean, size) in sizes.iter_mut().zip(once) {
            *mean += size / runs as f64;
        }
    }
    Ok(DepthGradients { norms, sizes })
}

/// The book's study: [`depth_study`] of each of [`DEPTHS`], first pre-norm and then post-norm, with
/// [`DEPTH_RUNS`] runs from [`DEPTH_SEED`].
///
/// That takes some seconds, so it is read from a file, `depth.txt`, which `cargo run --release -p
/// attention --example depth` writes. A test computes a part of it again.
///
/// # Example
///
/// ```
/// use attention::NormPlace;
/// use attention::study::{DEPTHS, depth_table};
///
/// let table = depth_table();
/// assert_eq!(table.len(), 2 * DEPTHS.len());
/// assert_eq!((table[1].norms, table[1].sizes.len()), (NormPlace::Pre, 6));
/// ```
pub fn depth_table() -> Vec<DepthGradients> {
    let lines = include_str!("depth.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(read).collect()
}

/// A line of the file: "pre" or "post", and a size for each block.
fn read(line: &str) -> DepthGradients {
    let mut words = line.split(' ');
    let norms = match words.next() {
        Some("pre") => NormPlace::Pre,
        _ => NormPlace::Post,
    };
    let sizes = words.map(|word| word.parse().expect("a number")).collect();
    DepthGradients { norms, sizes }
}

impl DepthGradients {
    /// A line of the file that [`depth_table`] reads.
    ///
    /// ```
    /// use attention::NormPlace;
    /// use attention::study::DepthGradients;
    ///
    /// let it = DepthGradients { norms: NormPlace::Pre, sizes: vec![0.5, 0.25] };
    /// assert_eq!(it.line(), "pre 0.50000 0.25000");
    /// ```
    pub fn line(&self) -> String {
        let norms = match self.norms {
            NormPlace::Pre => "pre",
            NormPlace::Post => "post",
        };
        let size = |size: &f64| format!(" {size:.5}");
        norms.to_owned() + &self.sizes.iter().map(size).collect::<String>()
    }
}

/// How steeply y rises with x where both axes are logarithmic: the slope of the straight line with the
/// least squares. y ~ 1/√x has the slope −½. Points that are not above 0, or not finite, or all at the
/// same x, have no slope: it is NaN.
///
/// # Errors
///
/// [`Error::TooSmall`] if there are fewer than two points.
///
/// # Example
///
/// ```
/// use attention::study::log_slope;
///
/// let points = [(1.0, 8.0), (4.0, 4.0), (16.0, 2.0)]; // 8/√x
/// assert!((log_slope(&points)? + 0.5).abs() < 1e-12);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn log_slope(points: &[(f64, f64)]) -> Result<f64> {
    let came = points.len();
    if came < 2 {
        let argument = "points.len()";
        return Err(Error::TooSmall { argument, came, needed: 2 });
    }
    let logs = points.iter().map(|&(x, y)| (libm::log(x), libm::log(y)));
    let logs: Vec<(f64, f64)> = logs.collect();
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / came as f64;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / came as f64;
    let rise = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y));
    let run = logs.iter().map(|(x, _)| (x - mean_x) * (x - mean_x));
    Ok(rise.sum::<f64>() / run.sum::<f64>())
}
