//! 7.1: why scores are divided by √d_k. Two experiments with random queries and keys.

use ndarray::{Array2, Axis};

use crate::error::{Error, Result, need_one, need_room};
use crate::gradient::softmax::softmax_jacobian;
use crate::random::normals::Normals;
use crate::scores::Scale;
use crate::softmax::softmax;
use crate::study::frobenius::frobenius_norm;

/// The seed of the book's [`dot_product_study`].
pub const DOT_PRODUCT_SEED: u64 = 71;

/// The seed of the book's [`saturation_study`].
pub const SATURATION_SEED: u64 = 72;

/// The variance of a dot product of two random vectors of `d` features, which are independent and
/// have mean 0: d · Var(q_i) · Var(k_i).
///
/// Each of the d terms q_i k_i has the mean 0 · 0 = 0, so its variance is the mean of its square,
/// E\[q_i² k_i²\] = E\[q_i²\] E\[k_i²\] = Var(q_i) Var(k_i). The terms are independent, so their
/// variances add up. With variances of 1 the sum is d, its root √d is the score's typical size, and
/// dividing by √d makes it 1 again.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", footnote 4.
///
/// # Example
///
/// Coin flips, ±1, have mean 0 and variance 1, and so few of them can be gone through one by one.
///
/// ```
/// use attention::study::dot_product_variance;
///
/// let flips = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]; // all vectors with d = 2
/// let mut squares = vec![];
/// for q in flips {
///     for k in flips {
///         let dot_product: f64 = q[0] * k[0] + q[1] * k[1]; // 2, 0 or −2
///         squares.push(dot_product * dot_product);
///     }
/// }
/// assert_eq!(squares.iter().sum::<f64>() / 16.0, 2.0);
/// assert_eq!(dot_product_variance(2, 1.0, 1.0), 2.0);
/// ```
// ANCHOR: dot_product_variance
pub fn dot_product_variance(
    d: usize,
    query_variance: f64,
    key_variance: f64,
) -> f64 {
    // E[(q_i k_i)²] = E[q_i²] E[k_i²]: both have mean 0, and are independent.
    let one_term = query_variance * key_variance;
    // The terms are independent: their variances add up.
    d as f64 * one_term
}
// ANCHOR_END: dot_product_variance

/// How far dot products of random vectors of `d` features spread: one row of
/// [`dot_product_study`].
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// Features of each query and key.
    pub d: usize,
    /// The typical size of a dot product: the root of the mean square. Expected near √d.
    pub deviation: f64,
    /// The same after division by √d. Expected near 1.
    pub deviation_scaled: f64,
    /// The undivided dot product of each pair, in the order of the draw. `[pairs]`
    pub scores: Vec<f64>,
}

/// Draws `pairs` random queries and keys, and measures how far their dot products spread, for each
/// number of features in `dimensions`.
///
/// Features are independent, with mean 0 and variance 1 ([`Normals`] from `seed`). Each pair is
/// drawn once, with as many features as the largest of `dimensions`; a smaller d takes its first d
/// features. The deviation is taken about 0, the mean that we know, not about the sample's: √(Σ s² /
/// pairs). The rows come in the order of `dimensions`.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1 and footnote 4.
///
/// # Errors
///
/// [`Error::Empty`] if `dimensions` is empty; [`Error::TooSmall`] if one of them or `pairs` is 0; and
/// [`Error::Number`] if they make more numbers than a gibibyte holds.
///
/// # Example
///
/// ```
/// use attention::study::{DOT_PRODUCT_SEED, dot_product_study};
///
/// for spread in dot_product_study(&[4, 64], 2_000, DOT_PRODUCT_SEED)? {
///     let root = (spread.d as f64).sqrt(); // 2, then 8
///     assert!((spread.deviation / root - 1.0).abs() < 0.1);
///     assert!((spread.deviation_scaled - 1.0).abs() < 0.1);
/// }
/// # Ok::<(), attention::Error>(())
/// ```
pub fn dot_product_study(
    dimensions: &[usize],
    pairs: usize,
    seed: u64,
) -> Result<Vec<Spread>> {
    need_one("pairs", pairs)?;
    let d_max = largest(dimensions)?;
    need_room("dimensions", d_max, 1)?;
    need_room("pairs", pairs, d_max)?;
    let mut normals = Normals::seeded(seed);
    let draw = |_| running_scores(&mut normals, 1, d_max); // [1, d_max]
    let draws: Vec<Array2<f64>> = (0..pairs).map(draw).collect();
    let spread = |&d: &usize| {
        let scores: Vec<f64> =
            draws.iter().map(|sums| sums[[0, d - 1]]).collect(); // [pairs]
        let mean_square = scores.iter().map(|score| score * score).sum::<f64>()
            / pairs as f64;
        let deviation = libm::sqrt(mean_square);
        let deviation_scaled = deviation / Scale::ByRootDk.divisor(d);
        Spread { d, deviation, deviation_scaled, scores }
    };
    Ok(dimensions.iter().map(spread).collect())
}

/// How far softmax is saturated by random queries and keys of `d` features: one row of
/// [`saturation_study`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// Features of the query and of each key.
    pub d: usize,
    /// With bare dot products as scores.
    pub unscaled: Saturated,
    /// With scores divided by √d.
    pub scaled: Saturated,
}

/// Signs of saturation, each a mean over the trials of a [`saturation_study`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturated {
    /// The largest weight of a row: 1 when one token gets everything, 1 / keys when all get alike.
    pub largest_weight: f64,
    /// The [`frobenius_norm`] of the [`softmax_jacobian`]: 0 when no gradient passes.
    pub jacobian_norm: f64,
    /// The share of the trials in which one key has more than 0.9 of the weight.
    pub decided: f64,
}

/// Lets one random query attend to `keys` random keys, `trials` times, and measures for each number
/// of features in `dimensions` how far softmax is saturated: without the division by √d, and with.
///
/// Features are independent, with mean 0 and variance 1 ([`Normals`] from `seed`). Each trial is
/// drawn once, with as many features as the largest of `dimensions`; a smaller d takes its first d
/// features. The rows come in the order of `dimensions`.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1: "pushing the softmax
/// function into regions where it has extremely small gradients".
///
/// # Errors
///
/// [`Error::Empty`] if `dimensions` is empty; [`Error::TooSmall`] if one of them, `keys` or `trials`
/// is 0; and [`Error::Number`] if they make more numbers than a gibibyte holds.
///
/// # Example
///
/// ```
/// use attention::study::{SATURATION_SEED, saturation_study};
///
/// let study = saturation_study(&[4, 512], 7, 60, SATURATION_SEED)?;
/// let (narrow, wide) = (study[0], study[1]);
///
/// // Unscaled, a large d puts nearly all weight on one token, and little gradient is left.
/// assert!(wide.unscaled.largest_weight > 0.9);
/// assert!(wide.unscaled.jacobian_norm < narrow.unscaled.jacobian_norm / 3.0);
/// // Scaled, d makes no great difference.
/// assert!((wide.scaled.largest_weight - narrow.scaled.largest_weight).abs() < 0.1);
/// assert!((wide.scaled.jacobian_norm - narrow.scaled.jacobian_norm).abs() < 0.1);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn saturation_study(
    dimensions: &[usize],
    keys: usize,
    trials: usize,
    seed: u64,
) -> Result<Vec<Saturation>> {
    need_one("keys", keys)?;
    need_one("trials", trials)?;
    let d_max = largest(dimensions)?;
    need_room("dimensions", d_max, 1)?;
    need_room("keys", keys, d_max)?;
    need_room("trials", trials, keys * d_max)?;
    let mut normals = Normals::seeded(seed);
    let draw = |_| running_scores(&mut normals, keys, d_max); // [keys, d_max]
    let draws: Vec<Array2<f64>> = (0..trials).map(draw).collect();
    let saturation = |&d: &usize| Saturation {
        d,
        unscaled: saturated(&draws, d, Scale::Off),
        scaled: saturated(&draws, d, Scale::ByRootDk),
    };
    Ok(dimensions.iter().map(saturation).collect())
}

/// The two signs for the first `d` features of each draw.
fn saturated(draws: &[Array2<f64>], d: usize, scale: Scale) -> Saturated {
    let (mut largest_weight, mut jacobian_norm, mut decided) = (0.0, 0.0, 0.0);
    for sums in draws {
        let scores = &sums.column(d - 1) / scale.divisor(d); // [keys]
        let weights = softmax(&scores); // [keys]
        let largest = weights.iter().copied().fold(0.0, f64::max);
        largest_weight += largest;
        jacobian_norm += frobenius_norm(&softmax_jacobian(&weights));
        decided += if largest > 0.9 { 1.0 } else { 0.0 };
    }
    let trials = draws.len() as f64;
    Saturated {
        largest_weight: largest_weight / trials,
        jacobian_norm: jacobian_norm / trials,
        decided: decided / trials,
    }
}

/// One random query against random keys, for every d at once: column d − 1 holds the dot products
/// of the first d features. `[keys, d_max]`
fn running_scores(
    normals: &mut Normals,
    keys: usize,
    d_max: usize,
) -> Array2<f64> {
    let query = normals.matrix(1, d_max); // [1, d_max]
    let keys = normals.matrix(keys, d_max); // [keys, d_max]
    let mut sums = keys * query; // [keys, d_max], the terms q_i k_i
    sums.accumulate_axis_inplace(Axis(1), |&before, sum| *sum += before);
    sums
}

/// The largest of `dimensions`, all of which have to be at least 1.
fn largest(dimensions: &[usize]) -> Result<usize> {
    for &d in dimensions {
        need_one("dimensions", d)?;
    }
    dimensions
        .iter()
        .copied()
        .max()
        .ok_or(Error::Empty { argument: "dimensions" })
}
