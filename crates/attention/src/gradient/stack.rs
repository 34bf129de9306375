//! 7.4: the way back through a stack: its last norm, and its blocks from the last to the first.

use ndarray::ArrayRef2;

use crate::error::Result;
use crate::gradient::{Gradient, check};
use crate::mask::Mask;
use crate::stack::Stack;

impl Stack {
    /// The way back through [`forward`](Self::forward): the last norm, and the blocks from the last to
    /// the first. `x` and `gradient` `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`Block::backward`](crate::Block::backward).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, NormPlace, Stack};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let stack = Stack::xavier(NormPlace::Pre, 3, 8, 2, &mut normals)?; // 3 blocks, d = 8, h = 2
    /// let (x, gradient) = (normals.matrix(5, 8), normals.matrix(5, 8)); // [T = 5, d = 8]
    /// let back = stack.backward(&x, &Mask::None, &gradient)?;
    /// assert_eq!(back.layer.blocks[2].mlp.w_out.dim(), (32, 8));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        check(gradient, x)?;
        // Forward, keeping what went into each block.
        let mut inputs = vec![x.to_owned()]; // of [T, d]
        for block in &self.blocks {
            inputs.push(block.forward(&inputs[inputs.len() - 1], mask)?);
        }
        // And back.
        let mut layer = self.clone();
        let mut back = gradient.to_owned(); // [T, d]
        if let Some(norm) = &self.last_norm {
            let gradient = norm.backward(&inputs[self.blocks.len()], &back)?;
            layer.last_norm = Some(gradient.layer);
            back = gradient.x; // [T, d]
        }
        for (i, block) in self.blocks.iter().enumerate().rev() {
            let gradient = block.backward(&inputs[i], mask, &back)?;
            layer.blocks[i] = gradient.layer;
            back = gradient.x; // [T, d]
        }
        Ok(Gradient { x: back, layer })
    }
}
