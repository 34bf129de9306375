//! 7.4: how large the first gradients are in a deep stack, before any training.

use ndarray::Array2;

use crate::block::{Block, NormPlace};
use crate::error::{Error, Result, need_one, need_room};
use crate::mask::Mask;
use crate::norm::LayerNorm;
use crate::random::normals::Normals;
use crate::stack::Stack;
use crate::study::cost::block_parameters;
use crate::study::frobenius::frobenius_norm;
use crate::study::quartiles::Quartiles;

/// The depths of the book's study, in blocks.
pub const DEPTHS: [usize; 8] = [4, 6, 8, 12, 16, 24, 32, 48];

/// How many stacks are drawn for each depth.
pub const DEPTH_RUNS: usize = 700;

/// The seed of the first of them; the others have those that follow.
pub const DEPTH_SEED: u64 = 74;

/// T, d and h of the study.
const TOKENS: usize = 16;
const FEATURES: usize = 64;
const HEADS: usize = 4;

/// How the matrices of a stack are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initialisation {
    /// All as Glorot and Bengio say: [`Stack::xavier`].
    Xavier,
    /// The same, and then W_O and W_out are divided by the square root of how many of them there are, as
    /// in GPT-2: [`Stack::with_scaled_residuals`].
    ScaledResiduals,
}

/// The size of the gradient of each block's second MLP matrix, for stacks of one kind and depth.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthGradients {
    /// Pre-norm or post-norm.
    pub norms: NormPlace,
    /// How they were drawn.
    pub initialisation: Initialisation,
    /// For each block, from the first to the last, over the runs: the [`frobenius_norm`] of ∂L/∂W_out.
    /// `[depth]`
    pub blocks: Vec<Quartiles>,
}

/// One run: tokens, targets, and blocks for the deepest stack, of which a shallower one has the first.
struct Draw {
    /// `[T, d]`
    x: Array2<f64>,
    /// `[T, d]`
    target: Array2<f64>,
    blocks: Vec<Block>,
}

impl Draw {
    fn new(depth: usize, seed: u64) -> Result<Self> {
        let mut normals = Normals::seeded(seed);
        let x = normals.matrix(TOKENS, FEATURES); // [T, d]
        let target = normals.matrix(TOKENS, FEATURES); // [T, d]
        let norms = NormPlace::Post;
        let stack = Stack::xavier(norms, depth, FEATURES, HEADS, &mut normals)?;
        Ok(Draw { x, target, blocks: stack.blocks })
    }

    /// The size of each block's gradient, if the first `depth` blocks are a stack of this kind.
    fn gradient_sizes(
        &self,
        norms: NormPlace,
        initialisation: Initialisation,
        depth: usize,
    ) -> Result<Vec<f64>> {
        let blocks = self.blocks[..depth].iter();
        let blocks = blocks.map(|block| Block { norms, ..block.clone() });
        let last_norm = match norms {
            NormPlace::Pre => Some(LayerNorm::new(FEATURES)),
            NormPlace::Post => None,
        };
        let mut stack = Stack { blocks: blocks.collect(), last_norm };
        if initialisation == Initialisation::ScaledResiduals {
            stack = stack.with_scaled_residuals();
        }

        // L = mean of (y − target)², so ∂L/∂y = 2 (y − target) / (T d).
        let y = stack.forward(&self.x, &Mask::Causal)?; // [T, d]
        let gradient = (y - &self.target) * (2.0 / (TOKENS * FEATURES) as f64);
        let back = stack.backward(&self.x, &Mask::Causal, &gradient)?;
        let blocks = back.layer.blocks.iter();
        Ok(blocks.map(|block| frobenius_norm(&block.mlp.w_out)).collect())
    }
}

/// Draws a stack before training, gives it random tokens and random targets, and measures how large the
/// gradient is that each block's W_out gets. → `[depth]`
///
/// - T = 16 tokens of d = 64 features, standard normal ([`Normals`] from `seed`), and targets alike.
/// - Blocks with h = 4 heads and a causal mask, [drawn](Stack::xavier) as Glorot and Bengio say, with
///   normal numbers; biases are 0. Then comes what `initialisation` says.
/// - The loss is the mean square error: the mean over all T d numbers of (y − target)².
///
/// Tokens and targets are drawn first, then block after block. So with the same seed, a deeper stack is
/// the shallower one with more blocks on top, and pre-norm and post-norm have the same matrices.
///
/// Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", section 3.4, measure the
/// same matrix in stacks drawn like these (Xavier). Their theorem 1 bounds the last block's gradient from
/// above, in a simplified stack: by a number that does not depend on the depth N in post-norm, and one
/// that is as 1/√N in pre-norm. The tokens, targets and loss are ours.
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
/// use attention::study::{Initialisation, gradient_sizes};
///
/// let last = |norms, start| Ok::<_, attention::Error>(gradient_sizes(norms, start, 16, 1)?[15]);
/// let post = last(NormPlace::Post, Initialisation::Xavier)?;
/// assert!(last(NormPlace::Pre, Initialisation::Xavier)? < post / 2.0); // the last of 16 blocks
/// assert!(last(NormPlace::Pre, Initialisation::ScaledResiduals)? > post / 2.0);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn gradient_sizes(
    norms: NormPlace,
    initialisation: Initialisation,
    depth: usize,
    seed: u64,
) -> Result<Vec<f64>> {
    need_depth(depth)?;
    Draw::new(depth, seed)?.gradient_sizes(norms, initialisation, depth)
}

fn need_depth(depth: usize) -> Result<()> {
    need_one("depth", depth)?;
    need_room("depth", depth, block_parameters(FEATURES))
}

/// [`gradient_sizes`] of `runs` stacks with the seeds `seed`, `seed + 1`, …, for each of these depths and
/// each kind of stack: [`Initialisation::Xavier`] with pre-norm, each depth in turn, and with post-norm;
/// then [`Initialisation::ScaledResiduals`] likewise.
///
/// # Errors
///
/// [`Error::TooSmall`] if there are no depths, or one of them or `runs` is 0, and [`Error::Number`] as for
/// [`gradient_sizes`].
///
/// # Example
///
/// ```
/// use attention::NormPlace;
/// use attention::study::{Initialisation, depth_study, gradient_sizes};
///
/// let study = depth_study(&[1, 2], 3, 5)?;
/// let one = |seed| gradient_sizes(NormPlace::Pre, Initialisation::Xavier, 2, seed);
/// let mut last = [one(5)?[1], one(6)?[1], one(7)?[1]];
/// last.sort_by(f64::total_cmp);
/// assert_eq!(study[1].blocks[1].median, last[1]);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn depth_study(
    depths: &[usize],
    runs: usize,
    seed: u64,
) -> Result<Vec<DepthGradients>> {
    let deepest = depths.iter().copied().max().unwrap_or(0);
    need_one("depths.len()", depths.len())?;
    need_one("runs", runs)?;
    for &depth in depths {
        need_depth(depth)?;
    }
    let mut kinds = Vec::new();
    for initialisation in
        [Initialisation::Xavier, Initialisation::ScaledResiduals]
    {
        for norms in [NormPlace::Pre, NormPlace::Post] {
            kinds.extend(
                depths.iter().map(|&depth| (norms, initialisation, depth)),
            );
        }
    }
    // For each kind and depth, each block's sizes, one a run.
    let mut sizes: Vec<Vec<Vec<f64>>> =
        kinds.iter().map(|kind| vec![Vec::new(); kind.2]).collect();
    for run in 0..runs as u64 {
        let draw = Draw::new(deepest, seed.wrapping_add(run))?;
        for (sizes, &(norms, initialisation, depth)) in
            sizes.iter_mut().zip(&kinds)
        {
            let once = draw.gradient_sizes(norms, initialisation, depth)?;
            for (block, size) in sizes.iter_mut().zip(once) {
                block.push(size);
            }
        }
    }
    let studied = kinds.into_iter().zip(sizes);
    let studied = studied.map(|((norms, initialisation, _), sizes)| {
        let blocks = sizes.iter().map(|sizes| Quartiles::of(sizes));
        let blocks = blocks.collect::<Result<_>>()?;
        Ok(DepthGradients { norms, initialisation, blocks })
    });
    studied.collect()
}

/// The book's study: [`depth_study`] of [`DEPTHS`], with [`DEPTH_RUNS`] runs from [`DEPTH_SEED`], in
/// thousandths.
///
/// That takes some ten minutes, so it is read from a file, `depth.txt`, which `cargo run --release -p
/// attention --example depth` writes. A test computes a part of it again, and compares all of it with
/// what other seeds give.
///
/// # Example
///
/// ```
/// use attention::NormPlace;
/// use attention::study::{DEPTHS, depth_table};
///
/// let table = depth_table();
/// assert_eq!(table.len(), 4 * DEPTHS.len());
/// assert_eq!((table[1].norms, table[1].blocks.len()), (NormPlace::Pre, 6));
/// ```
pub fn depth_table() -> Vec<DepthGradients> {
    let lines = include_str!("depth.txt").lines();
    lines.filter_map(DepthGradients::read).collect()
}

impl DepthGradients {
    /// A line of the file that [`depth_table`] reads: the kind of stack, each block's median, how far its
    /// lower quartile is below that, and how far the upper is above, in thousandths.
    ///
    /// ```
    /// use attention::NormPlace;
    /// use attention::study::{DepthGradients, Initialisation, Quartiles};
    ///
    /// let blocks = vec![Quartiles { lower: 0.25, median: 0.5, upper: 0.625 }; 2];
    /// let it = DepthGradients { norms: NormPlace::Pre, initialisation: Initialisation::Xavier, blocks };
    /// assert_eq!(it.line(), "xavier pre | 500 500 | 250 250 | 125 125");
    /// ```
    pub fn line(&self) -> String {
        let kind = match (self.initialisation, self.norms) {
            (Initialisation::Xavier, NormPlace::Pre) => KINDS[0],
            (Initialisation::Xavier, NormPlace::Post) => KINDS[1],
            (Initialisation::ScaledResiduals, NormPlace::Pre) => KINDS[2],
            (Initialisation::ScaledResiduals, NormPlace::Post) => KINDS[3],
        };
        let thousandths = |number: f64| (number * 1000.0).round() as u32;
        let mut line = kind.to_owned();
        let mut put = |number: &dyn Fn(&Quartiles) -> u32| {
            line += " |";
            for block in &self.blocks {
                line += &format!(" {}", number(block));
            }
        };
        let median = |it: &Quartiles| thousandths(it.median);
        put(&median);
        put(&|it| median(it).abs_diff(thousandths(it.lower)));
        put(&|it| median(it).abs_diff(thousandths(it.upper)));
        line
    }

    /// What such a line says; `None` if it is none.
    ///
    /// ```
    /// use attention::study::DepthGradients;
    ///
    /// let it = DepthGradients::read("scaled post | 500 | 250 | 125").unwrap();
    /// assert_eq!((it.blocks[0].lower, it.blocks[0].upper), (0.25, 0.625));
    /// assert_eq!(DepthGradients::read("# A remark."), None);
    /// ```
    pub fn read(line: &str) -> Option<Self> {
        let mut parts = line.split(" | ");
        let kind = parts.next()?;
        let kind = KINDS.iter().position(|known| *known == kind)?;
        let initialisation =
            [Initialisation::Xavier, Initialisation::ScaledResiduals][kind / 2];
        let norms = [NormPlace::Pre, NormPlace::Post][kind % 2];

        let mut numbers = || {
            let words = parts.next()?.split(' ');
            let numbers = words.map(|word| word.parse::<u32>().ok());
            numbers.collect::<Option<Vec<_>>>()
        };
        let (medians, below, above) = (numbers()?, numbers()?, numbers()?);
        if below.len() != medians.len() || above.len() != medians.len() {
            return None;
        }
        let thousandths = |number: u32| f64::from(number) / 1000.0;
        let block = |place: usize| {
            let median = medians[place];
            Some(Quartiles {
                lower: thousandths(median.checked_sub(below[place])?),
                median: thousandths(median),
                upper: thousandths(median.checked_add(above[place])?),
            })
        };
        let blocks = (0..medians.len()).map(block).collect::<Option<_>>()?;
        Some(Self { norms, initialisation, blocks })
    }
}

/// The beginnings of the file's lines.
const KINDS: [&str; 4] =
    ["xavier pre", "xavier post", "scaled pre", "scaled post"];

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
