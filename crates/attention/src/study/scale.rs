//! 7.1: why scores are divided by √d_k. Two experiments with random queries and keys.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, s};

use crate::error::{Error, Result, need_one, need_room};
use crate::gradient::softmax::softmax_backward;
use crate::random::normals::Normals;
use crate::scores::Scale;
use crate::softmax::softmax;

/// How many draws the book's numbers come from, with each seed: those of [`spread_table`] and [`saturation_table`].
pub const SCALE_DRAWS: usize = 1_000_000;

/// The seed of these draws, and a second one, which shows how far chance reaches: it changes no digit that
/// the book prints.
pub const SCALE_SEEDS: [u64; 2] = [71, 72];

/// How many keys share the weight in [`saturation_table`].
pub const SCALE_KEYS: usize = 7;

/// The numbers of features in both tables.
pub const SCALE_FEATURES: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

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

/// How many bars a [`Spread`] has.
pub const SPREAD_BARS: usize = 41;

/// How far they reach on either side of 0, in units of √d.
pub const SPREAD_REACH: f64 = 4.1;

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
    /// How the dot products are spread: the share of the draws in each of [`SPREAD_BARS`] bars of equal width,
    /// from −[`SPREAD_REACH`] √d to [`SPREAD_REACH`] √d. What lies beyond is in none. `[SPREAD_BARS]`
    pub bars: Vec<f64>,
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
/// [`Error::Number`] if one of them is more numbers than a gibibyte holds.
///
/// # Example
///
/// ```
/// use attention::study::dot_product_study;
///
/// for spread in dot_product_study(&[4, 64], 2_000, 1)? {
///     let root = (spread.d as f64).sqrt(); // 2, then 8
///     assert!((spread.deviation / root - 1.0).abs() < 0.1);
///     assert!((spread.deviation_scaled - 1.0).abs() < 0.1);
///     assert!((spread.bars.iter().sum::<f64>() - 1.0).abs() < 0.02); // few lie beyond the bars
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
    need_room("pairs", pairs, 1)?;
    let mut normals = Normals::seeded(seed);
    let mut squares = vec![0.0; dimensions.len()];
    let mut bars = vec![vec![0_u64; SPREAD_BARS]; dimensions.len()];
    let width = 2.0 * SPREAD_REACH / SPREAD_BARS as f64;
    for _ in 0..pairs {
        let query = normals.matrix(1, d_max); // [1, d_max]
        let key = normals.matrix(1, d_max); // [1, d_max]
        let sums = running_scores(&query, &key); // [1, d_max]
        for (row, &d) in dimensions.iter().enumerate() {
            let score = sums[[0, d - 1]];
            squares[row] += score * score;
            let bar = (score / root(d) + SPREAD_REACH) / width;
            if (0.0..SPREAD_BARS as f64).contains(&bar) {
                bars[row][bar as usize] += 1;
            }
        }
    }
    let share = |count: u64| count as f64 / pairs as f64;
    let rows = dimensions.iter().zip(squares).zip(bars);
    Ok(rows
        .map(|((&d, squares), bars)| {
            let deviation = libm::sqrt(squares / pairs as f64);
            let deviation_scaled = deviation / root(d);
            let bars = bars.into_iter().map(share).collect();
            Spread { d, deviation, deviation_scaled, bars }
        })
        .collect())
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

/// Signs of saturation, over the trials of a [`saturation_study`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturated {
    /// The largest weight of a row, on average: 1 when one token gets everything, 1 / keys when all get alike.
    pub largest_weight: f64,
    /// The share of the trials in which one key has more than 0.9 of the weight.
    pub decided: f64,
    /// The length of the gradient that reaches the query.
    pub gradient: Tenths,
}

/// How something is spread over many trials. A mean would hide that: of a few large numbers and many that are
/// next to nothing it says the same as of numbers that are all alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tenths {
    /// A tenth of the trials is below this.
    pub lowest: f64,
    /// Half of them are.
    pub median: f64,
    /// A tenth is above this.
    pub highest: f64,
}

/// Lets one random query attend to `keys` random keys, `trials` times, and measures for each number
/// of features in `dimensions` how far softmax is saturated: without the division by √d, and with.
///
/// Features are independent, with mean 0 and variance 1 ([`Normals`] from `seed`). Each trial is
/// drawn once, with as many features as the largest of `dimensions`; a smaller d takes its first d
/// features. What the loss asks of the weights, ∂L/∂w, is drawn too: a standard normal number for each. The
/// gradient at the query is what becomes of it on the way back through softmax, the division, and the keys.
/// The rows come in the order of `dimensions`.
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
/// use attention::study::saturation_study;
///
/// let study = saturation_study(&[4, 256], 7, 400, 1)?;
/// let (narrow, wide) = (study[0], study[1]);
///
/// // Unscaled, a large d puts nearly all weight on one token, and in most trials the query hears little of
/// // what the loss asks for. In some it hears the more.
/// assert!(wide.unscaled.largest_weight > 0.9);
/// assert!(wide.unscaled.gradient.median < narrow.unscaled.gradient.median / 10.0);
/// assert!(wide.unscaled.gradient.highest > narrow.unscaled.gradient.highest);
/// // Scaled, d makes no great difference.
/// assert!((wide.scaled.largest_weight - narrow.scaled.largest_weight).abs() < 0.1);
/// assert!((wide.scaled.gradient.median - narrow.scaled.gradient.median).abs() < 0.1);
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
    need_room("trials", trials, 2 * dimensions.len())?;
    let mut normals = Normals::seeded(seed);
    let tally = |&d: &usize| (d, [Scale::Off, Scale::ByRootDk].map(Tally::new));
    let mut tallies: Vec<_> = dimensions.iter().map(tally).collect();
    for _ in 0..trials {
        let query = normals.matrix(1, d_max); // [1, d_max]
        let keys = normals.matrix(keys, d_max); // [keys, d_max]
        let asked: Array1<f64> = normals.by_ref().take(keys.nrows()).collect(); // [keys], ∂L/∂w
        let sums = running_scores(&query, &keys); // [keys, d_max]
        for (d, tallies) in &mut tallies {
            for tally in tallies {
                let scores = &sums.column(*d - 1) / tally.scale.divisor(*d); // [keys]
                let keys = keys.slice(s![.., ..*d]); // [keys, d]
                tally.take_in(&softmax(&scores), &asked, &keys);
            }
        }
    }
    let saturation = |(d, [unscaled, scaled]): (usize, [Tally; 2])| {
        let (unscaled, scaled) = (unscaled.result(), scaled.result());
        Saturation { d, unscaled, scaled }
    };
    Ok(tallies.into_iter().map(saturation).collect())
}

/// What has been seen in the trials so far, with one scale.
struct Tally {
    scale: Scale,
    largest_weights: f64,
    decided: usize,
    gradients: Vec<f64>,
}

impl Tally {
    fn new(scale: Scale) -> Self {
        Tally { scale, largest_weights: 0.0, decided: 0, gradients: vec![] }
    }

    /// One trial: its weights, what the loss asks of them, and its keys.
    fn take_in(
        &mut self,
        weights: &ArrayRef1<f64>, // [keys]
        asked: &ArrayRef1<f64>,   // [keys], ∂L/∂w
        keys: &ArrayRef2<f64>,    // [keys, d]
    ) {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        self.largest_weights += largest;
        self.decided += usize::from(largest > 0.9);
        let for_scores = softmax_backward(weights, asked); // [keys], ∂L/∂s
        let for_query = for_scores.dot(keys) / self.scale.divisor(keys.ncols()); // [d], ∂L/∂q
        self.gradients.push(libm::sqrt(for_query.dot(&for_query)));
    }

    fn result(mut self) -> Saturated {
        let trials = self.gradients.len();
        self.gradients.sort_unstable_by(f64::total_cmp);
        let below = |tenths: usize| self.gradients[trials * tenths / 10];
        Saturated {
            largest_weight: self.largest_weights / trials as f64,
            decided: self.decided as f64 / trials as f64,
            gradient: Tenths {
                lowest: below(1),
                median: below(5),
                highest: below(9),
            },
        }
    }
}

/// The book's [`dot_product_study`]: of [`SCALE_FEATURES`], with [`SCALE_DRAWS`] pairs, from one of the
/// [`SCALE_SEEDS`]. Of another seed there are no rows.
///
/// That takes minutes, so it is read from a file, `spread.txt`, which `cargo run --release -p attention
/// --example scale` writes. A test draws some of it again.
///
/// # Example
///
/// ```
/// use attention::study::{SCALE_FEATURES, SCALE_SEEDS, spread_table};
///
/// let table = spread_table(SCALE_SEEDS[0]);
/// assert_eq!(table.len(), SCALE_FEATURES.len());
/// assert_eq!((table[6].d, table[6].deviation.round()), (64, 8.0));
/// ```
pub fn spread_table(seed: u64) -> Vec<Spread> {
    rows(include_str!("spread.txt"), seed, |d, numbers| Spread {
        d,
        deviation: numbers[0],
        deviation_scaled: numbers[0] / root(d),
        bars: numbers[1..].to_vec(),
    })
}

/// The book's [`saturation_study`]: of [`SCALE_FEATURES`] and [`SCALE_KEYS`], with [`SCALE_DRAWS`] trials,
/// from one of the [`SCALE_SEEDS`]. Of another seed there are no rows. The file is `saturation.txt`, made as
/// that of [`spread_table`].
///
/// # Example
///
/// ```
/// use attention::study::{SCALE_FEATURES, SCALE_SEEDS, saturation_table};
///
/// let table = saturation_table(SCALE_SEEDS[0]);
/// assert_eq!(table.len(), SCALE_FEATURES.len());
/// let (unscaled, scaled) = (table[6].unscaled.gradient, table[6].scaled.gradient);
/// assert!(unscaled.lowest < 0.001 && scaled.lowest > 0.1); // with 64 features
/// ```
pub fn saturation_table(seed: u64) -> Vec<Saturation> {
    rows(include_str!("saturation.txt"), seed, |d, numbers| {
        let [unscaled, scaled] = [0, 5].map(|start| Saturated {
            largest_weight: numbers[start],
            decided: numbers[start + 1],
            gradient: Tenths {
                lowest: numbers[start + 2],
                median: numbers[start + 3],
                highest: numbers[start + 4],
            },
        });
        Saturation { d, unscaled, scaled }
    })
}

/// The lines of a table's file that belong to `seed`: each the seed, d, and numbers.
fn rows<T>(file: &str, seed: u64, row: fn(usize, &[f64]) -> T) -> Vec<T> {
    let of_line = |line: &str| {
        let numbers = line.split(' ').map(|it| it.parse().expect("a number"));
        let numbers: Vec<f64> = numbers.collect();
        (numbers[0] == seed as f64)
            .then(|| row(numbers[1] as usize, &numbers[2..]))
    };
    file.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(of_line)
        .collect()
}

impl Spread {
    /// A line of the file that [`spread_table`] reads.
    ///
    /// ```
    /// use attention::study::Spread;
    ///
    /// let it = Spread { d: 4, deviation: 2.0, deviation_scaled: 1.0, bars: vec![0.5, 0.25] };
    /// assert_eq!(it.line(7), "7 4 2.000000 0.50000 0.25000");
    /// ```
    pub fn line(&self, seed: u64) -> String {
        let bars = self.bars.iter().map(|bar| format!(" {bar:.5}"));
        let bars: String = bars.collect();
        format!("{seed} {} {:.6}{bars}", self.d, self.deviation)
    }
}

impl Saturation {
    /// A line of the file that [`saturation_table`] reads.
    ///
    /// ```
    /// use attention::study::{Saturated, Saturation, Tenths};
    ///
    /// let gradient = Tenths { lowest: 0.00025, median: 0.5, highest: 2.0 };
    /// let one = Saturated { largest_weight: 0.875, decided: 0.75, gradient };
    /// let line = Saturation { d: 4, unscaled: one, scaled: one }.line(7);
    /// assert_eq!(line, format!("7 4{0}{0}", " 0.875000 0.750000 2.50000e-4 5.00000e-1 2.00000e0"));
    /// ```
    pub fn line(&self, seed: u64) -> String {
        let [unscaled, scaled] = [self.unscaled, self.scaled].map(|it| {
            let Tenths { lowest, median, highest } = it.gradient;
            let (largest, decided) = (it.largest_weight, it.decided);
            format!(" {largest:.6} {decided:.6} {lowest:.5e} {median:.5e} {highest:.5e}")
        });
        format!("{seed} {}{unscaled}{scaled}", self.d)
    }
}

/// √d, the divisor.
fn root(d: usize) -> f64 {
    Scale::ByRootDk.divisor(d)
}

/// A query's dot products with keys, for every d at once: column d − 1 holds those of the first d
/// features. `[1, d_max]`, `[keys, d_max]` → `[keys, d_max]`
fn running_scores(query: &Array2<f64>, keys: &Array2<f64>) -> Array2<f64> {
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
