//! 7.4: the way back through several heads.

use ndarray::{Array2, ArrayRef2, Axis};

use crate::attention::attention_with;
use crate::biases::HeadBiases;
use crate::error::Result;
use crate::gradient::attention::attention_backward;
use crate::gradient::{Gradient, check};
use crate::heads::{Head, MultiHead};
use crate::mask::Mask;
use crate::scores::Scale;
use crate::self_attention::Projections;

impl MultiHead {
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
    /// use attention::{Mask, MultiHead};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let heads = MultiHead::xavier(8, 2, &mut normals)?; // d = 8, h = 2
    /// let (x, gradient) = (normals.matrix(5, 8), normals.matrix(5, 8)); // [T = 5, d = 8]
    /// let back = heads.backward(&x, &Mask::Causal, &gradient)?;
    /// // b_K has no effect on anything.
    /// assert!(back.layer.heads[0].biases.as_ref().unwrap().key.iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        self.check(x)?;
        self.heads.iter().try_for_each(|head| head.check(x))?;
        check(gradient, x)?;
        let mut for_x = Array2::zeros(x.raw_dim()); // [T, d]
        let mut heads = vec![];
        for head in &self.heads {
            let back = head_backward(head, x, mask, gradient)?;
            for_x += &back.x;
            heads.push(back.layer);
        }
        let bias = self.bias.as_ref().map(|_| gradient.sum_axis(Axis(0))); // [d]
        let layer = Self { heads, bias };
        Ok(Gradient { x: for_x, layer })
    }
}

/// The way back through one head and its rows of W_O.
fn head_backward(
    head: &Head,
    x: &ArrayRef2<f64>, // [T, d]
    mask: &Mask,
    gradient: &ArrayRef2<f64>, // [T, d]
) -> Result<Gradient<Head>> {
    let (queries, keys, values) = head.project(x)?;
    let it = attention_with(&queries, &keys, &values, mask, Scale::ByRootDk)?;
    // y = head's output W_O, and the head's output = attention(Q, K, V)
    let for_output = gradient.dot(&head.output.t()); // [T, d_v]
    let mut back =
        attention_backward(&queries, &keys, &values, &it, &for_output)?;
    if let Some(rope) = &head.rope {
        back.queries = rope.rotate_rows_back(&back.queries)?; // [T, d_k]
        back.keys = rope.rotate_rows_back(&back.keys)?; // [T, d_k]
    }
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
    let biases = head.biases.as_ref().map(|_| HeadBiases {
        query: back.queries.sum_axis(Axis(0)), // [d_k]
        key: back.keys.sum_axis(Axis(0)),      // [d_k]
        value: back.values.sum_axis(Axis(0)),  // [d_v]
    });
    let output = it.output.t().dot(gradient); // [d_v, d]
    let layer = Head { projections, biases, rope: head.rope, output };
    Ok(Gradient { x: for_x, layer })
}
