//! 7.4: blocks on top of each other, the body of a language model.

use ndarray::{Array2, ArrayRef2};

use crate::block::Block;
use crate::error::Result;
use crate::mask::Mask;
use crate::norm::LayerNorm;

/// Blocks, one after another, and what stands after them.
///
/// A pre-norm stack needs a last norm: its residual is never normed on the way, and every block adds to
/// it. A post-norm stack ends with a norm as it is.
///
/// Source: Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", table 1 ("Final
/// LayerNorm").
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    /// The blocks, in the order in which they run.
    pub blocks: Vec<Block>,
    /// The norm after a pre-norm stack; none after a post-norm stack.
    pub last_norm: Option<LayerNorm>,
}

impl Stack {
    /// Every block takes what the one below it made. `x` `[T, d]` → `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`Block::forward`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, NormPlace, Stack, mean_and_variance};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let stack = Stack::xavier(NormPlace::Pre, 3, 8, 2, &mut normals)?; // 3 blocks, d = 8, h = 2
    /// let y = stack.forward(&normals.matrix(5, 8), &Mask::Causal)?; // [T = 5, d = 8]
    /// // After the last norm, each token has mean 0 and variance 1.
    /// let (mean, variance) = mean_and_variance(&y.row(4));
    /// assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-4);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: stack_forward
    pub fn forward(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Array2<f64>> {
        let mut x = x.to_owned(); // [T, d]
        for block in &self.blocks {
            x = block.forward(&x, mask)?; // [T, d]
        }
        match &self.last_norm {
            Some(norm) => norm.apply(&x), // [T, d]
            None => Ok(x),
        }
    }
    // ANCHOR_END: stack_forward

    /// How many numbers there are to learn.
    ///
    /// ```
    /// use attention::{NormPlace, Stack};
    /// use attention::random::Normals;
    /// use attention::study::block_parameters;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let pre = Stack::xavier(NormPlace::Pre, 3, 8, 2, &mut normals)?; // 3 blocks, d = 8, h = 2
    /// assert_eq!(pre.parameters(), 3 * block_parameters(8) + 2 * 8);
    /// let post = Stack::xavier(NormPlace::Post, 3, 8, 2, &mut normals)?;
    /// assert_eq!(post.parameters(), 3 * block_parameters(8));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parameters(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(Block::parameters).sum();
        blocks + self.last_norm.as_ref().map_or(0, LayerNorm::parameters)
    }
}
