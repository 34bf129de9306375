//! 7.4: blocks before training, with random matrices of a size that keeps numbers ordinary.

use ndarray::{Array1, Array2};

use crate::block::{Block, NormPlace};
use crate::error::{Result, need_room, need_room_squared};
use crate::heads::MultiHead;
use crate::mlp::{MLP_WIDENING, Mlp};
use crate::norm::LayerNorm;
use crate::random::normals::Normals;
use crate::stack::Stack;

/// A random matrix: independent normal numbers with mean 0 and variance 2 / (rows + columns).
///
/// If a token's features have the variance 1, so have the features of x W, as long as W is square. The
/// variance is a compromise between that for x W, 1 / rows, and that for gradients on their way back, 1 /
/// columns.
///
/// Source: Glorot and Bengio 2010, "Understanding the difficulty of training deep feedforward neural
/// networks", equation 12; normal, not uniform.
///
/// # Panics
///
/// If there is no memory for so many numbers.
///
/// # Example
///
/// ```
/// use attention::random::{Normals, xavier};
///
/// let w = xavier(100, 300, &mut Normals::seeded(4)); // [100, 300]
/// let variance = w.iter().map(|number| number * number).sum::<f64>() / 30_000.0;
/// assert!((variance - 2.0 / 400.0).abs() < 0.0002);
/// ```
pub fn xavier(
    rows: usize,
    columns: usize,
    normals: &mut Normals,
) -> Array2<f64> {
    let variance = 2.0 / (rows as f64 + columns as f64);
    normals.matrix(rows, columns) * libm::sqrt(variance) // [rows, columns]
}

impl MultiHead {
    /// `heads` heads, each d / h wide: W_Q, W_K, W_V and W_O are [`xavier()`] as `[d, d]`, before they
    /// are split. Biases are 0.
    ///
    /// # Errors
    ///
    /// [`Error::TooSmall`](crate::Error::TooSmall) if `heads` is 0,
    /// [`Error::Number`](crate::Error::Number) if it does not divide `d`, or if there are more numbers
    /// than a gibibyte holds, and [`Error::Shape`](crate::Error::Shape) if `d` is 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::MultiHead;
    /// use attention::random::Normals;
    ///
    /// let it = MultiHead::xavier(8, 2, &mut Normals::seeded(4))?; // d = 8, h = 2
    /// assert_eq!(it.heads[1].projections.query.dim(), (8, 4));
    /// let three = MultiHead::xavier(8, 3, &mut Normals::seeded(4)).unwrap_err();
    /// assert_eq!(three.to_string(), "heads: came as 3, needed a divisor of 8");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn xavier(
        d: usize,
        heads: usize,
        normals: &mut Normals,
    ) -> Result<Self> {
        need_room_squared("d", d)?;
        let [w_q, w_k, w_v, w_o] = [0; 4].map(|_| xavier(d, d, normals));
        let heads = MultiHead::split(&w_q, &w_k, &w_v, &w_o, heads)?;
        let b = Array1::zeros(d); // [d]
        heads.with_biases(&b, &b, &b, &b)
    }
}

impl Mlp {
    /// d → [4 d](MLP_WIDENING) → d: both matrices are [`xavier()`], and biases 0.
    ///
    /// # Panics
    ///
    /// If there is no memory for 8 d² numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Mlp;
    /// use attention::random::Normals;
    /// assert_eq!(Mlp::xavier(8, &mut Normals::seeded(4)).w_in.dim(), (8, 32));
    /// ```
    pub fn xavier(d: usize, normals: &mut Normals) -> Self {
        let d_ff = MLP_WIDENING.saturating_mul(d);
        Self {
            w_in: xavier(d, d_ff, normals),
            b_in: Array1::zeros(d_ff),
            w_out: xavier(d_ff, d, normals),
            b_out: Array1::zeros(d),
        }
    }
}

impl Block {
    /// A block before training: [`MultiHead::xavier`], [`Mlp::xavier`], and norms that are
    /// [`LayerNorm::new`].
    ///
    /// # Errors
    ///
    /// As for [`MultiHead::xavier`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Block, NormPlace};
    /// use attention::random::Normals;
    ///
    /// let block = Block::xavier(NormPlace::Pre, 8, 2, &mut Normals::seeded(4))?; // d = 8, h = 2
    /// assert_eq!(block.mlp.w_out.dim(), (32, 8));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn xavier(
        norms: NormPlace,
        d: usize,
        heads: usize,
        normals: &mut Normals,
    ) -> Result<Self> {
        need_room_squared("d", d)?;
        Ok(Self {
            norms,
            first_norm: LayerNorm::new(d),
            attention: MultiHead::xavier(d, heads, normals)?,
            second_norm: LayerNorm::new(d),
            mlp: Mlp::xavier(d, normals),
        })
    }
}

impl Stack {
    /// `depth` blocks before training, drawn from the lowest to the highest: [`Block::xavier`]; with a
    /// last norm if they are pre-norm.
    ///
    /// # Errors
    ///
    /// As for [`MultiHead::xavier`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{NormPlace, Stack};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let pre = Stack::xavier(NormPlace::Pre, 6, 8, 2, &mut normals)?; // 6 blocks, d = 8, h = 2
    /// assert!(pre.blocks.len() == 6 && pre.last_norm.is_some());
    /// let post = Stack::xavier(NormPlace::Post, 6, 8, 2, &mut normals)?;
    /// assert!(post.blocks.len() == 6 && post.last_norm.is_none());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn xavier(
        norms: NormPlace,
        depth: usize,
        d: usize,
        heads: usize,
        normals: &mut Normals,
    ) -> Result<Self> {
        need_room_squared("d", d)?;
        let each = d.saturating_mul(d).saturating_mul(12);
        need_room("depth", depth, each)?;
        let block = |_| Block::xavier(norms, d, heads, normals);
        let blocks = (0..depth).map(block).collect::<Result<_>>()?;
        let last_norm = match norms {
            NormPlace::Pre => Some(LayerNorm::new(d)),
            NormPlace::Post => None,
        };
        Ok(Self { blocks, last_norm })
    }
    /// The stack with smaller additions to its residual: W_O and W_out of each of the N blocks are divided
    /// by √(2 N). There are 2 N of these matrices, so what they all add together stays of one size,
    /// however many there are.
    ///
    /// Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners" (GPT-2), section
    /// 2.3: "We scale the weights of residual layers at initialization by a factor of 1/√N where N is the
    /// number of residual layers." A block has two.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{NormPlace, Stack};
    /// use attention::random::Normals;
    ///
    /// let drawn = Stack::xavier(NormPlace::Pre, 8, 4, 2, &mut Normals::seeded(4))?; // 8 blocks, d = 4, h = 2
    /// let scaled = drawn.clone().with_scaled_residuals();
    /// assert_eq!(scaled.blocks[5].mlp.w_out, &drawn.blocks[5].mlp.w_out / 4.0); // √(2 · 8)
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn with_scaled_residuals(mut self) -> Self {
        let root = libm::sqrt(2.0 * self.blocks.len() as f64);
        for block in &mut self.blocks {
            block.mlp.w_out /= root;
            for head in &mut block.attention.heads {
                head.output /= root;
            }
        }
        self
    }
}
