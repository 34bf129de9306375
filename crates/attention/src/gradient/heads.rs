//! 7.4: the way back through several heads.

use ndarray::{Array2, ArrayRef2, Axis};

use crate::attention::masked_attention;
use crate::biases::{BiasedHeads, HeadBiases};
use crate::error::Result;
use crate::gradient::attention::attention_backward;
use crate::gradient::{Gradient, check};
use crate::heads::{Head, MultiHead};
use crate::mask::Mask;
use crate::self_attention::Projections;

impl BiasedHeads {
    /// The way back through [`attend`](Self::attend). `x` and `gradient` `[T, d]`
    ///
    /// Every token came in three times for each head, as query, key and value, so its gradient is a sum.
    ///
    /// # Errors
    ///
    /// As for [`attend`](Self::attend), and [`Error::Shape`](crate::Error::Shape) if `gradient` has
    /// another shape than `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{BiasedHeads, Mask};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let heads = BiasedHeads::xavier(8, 2, &mut normals)?; // d = 8, h = 2
    /// let (x, gradient) = (normals.matrix(5, 8), normals.matrix(5, 8)); // [T = 5, d = 8]
    /// let back = heads.backward(&x, &Mask::Causal, &gradient)?;
    /// // b_K has no effect on anything.
    /// assert!(back.layer.biases[0].key.iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        self.check(x)?;
        check(gradient, x)?;
        let mut for_x = Array2::zeros(x.raw_dim()); // [T, d]
        let (mut heads, mut biases) = (vec![], vec![]);
        for (head, bias) in self.heads.heads.iter().zip(&self.biases) {
            let back = head_backward(head, bias, x, mask, gradient)?;
            for_x += &back.x;
            let (head, bias) = back.layer;
            heads.push(head);
            biases.push(bias);
        }
        let layer = Self {
            heads: MultiHead { heads },
            biases,
            output: gradient.sum_axis(Axis(0)), // [d]
        };
        Ok(Gradient { x: for_x, layer })
    }
}

/// The way back through one head and its rows of W_O.
fn head_backward(
    head: &Head,
    bias: &HeadBiases,
    x: &ArrayRef2<f64>, // [T, d]
    mask: &Mask,
    gradient: &ArrayRef2<f64>, // [T, d]
) -> Result<Gradient<(Head, HeadBiases)>> {
    let (queries, keys, values) = bias.project(&head.projections, x)?;
    let it = masked_attention(&queries, &keys, &values, mask)?;
    // y = head's output W_O, and the head's output = attention(Q, K, V)
    let for_output = gradient.dot(&head.output.t()); // [T, d_v]
    let back = attention_backward(&queries, &keys, &values, &it, &for_output)?;
    // Q = x W_Q + b_Q, and K and V likewise
    let Projections { query, key, value } = &head.projections;
    let for_x = back.queries.dot(&query.t())
        + back.keys.dot(&key.t())
        + back.values.dot(&value.t()); // [T, d]
    let projections = Projections {
        query: x.t().dot(&back.queries), // [d, d_k]
        key: x.t().dot(&back.keys),      // [d, d_k]
        value: x.t().dot(&back.values),  // [d, d_v]
    };
    let biases = HeadBiases {
        query: back.queries.sum_axis(Axis(0)), // [d_k]
        key: back.keys.sum_axis(Axis(0)),      // [d_k]
        value: back.values.sum_axis(Axis(0)),  // [d_v]
    };
    let output = it.output.t().dot(gradient); // [d_v, d]
    Ok(Gradient { x: for_x, layer: (Head { projections, output }, biases) })
}
