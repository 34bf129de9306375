//! 7.4: the way back. How a loss answers to each number that went into a layer.
//!
//! Each `backward` takes what its layer took, and the loss's gradient with respect to what the layer
//! made. It returns the gradient with respect to what it took, and to its parameters. There is no
//! automatic differentiation: each is a few lines by hand, and they are tested against differences.
//! What the layer computed on its way forward is computed again; nothing is kept in between.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, Zip};

use crate::error::{Result, need, shape};
use crate::{
    Attention, BiasedHeads, Head, HeadBiases, LayerNorm, Mask, Mlp, MultiHead,
    Projections, Scale, gelu, gelu_slope, masked_attention,
};

/// The gradient of a loss L, a single number, with respect to all that went into a layer.
// ANCHOR: Gradient
#[derive(Debug, Clone, PartialEq)]
pub struct Gradient<Layer> {
    /// ∂L/∂x, with respect to the tokens that came in. `[T, d]`
    pub x: Array2<f64>,
    /// ∂L/∂ each parameter, in the parameter's own place: a layer like the one
    /// that it is about. What is not learned in it (ε, a block's order of
    /// steps) stays as it is.
    pub layer: Layer,
}
// ANCHOR_END: Gradient

/// Softmax's way back, for one row: from ∂L/∂weights to ∂L/∂scores. `[T]`, `[T]` → `[T]`
///
/// It is the product of the gradient with [`softmax_jacobian`], without writing down that matrix: ∂L/∂s_j
/// = Σ_i g_i w_i (δ_ij − w_j) = w_j (g_j − Σ_i g_i w_i). A weight of 0, which is what a mask makes, lets
/// nothing through.
///
/// [`softmax_jacobian`]: crate::softmax_jacobian
///
/// # Panics
///
/// If the two differ in length.
///
/// # Example
///
/// ```
/// use attention::{softmax_backward, softmax_jacobian};
/// use ndarray::array;
///
/// let (weights, gradient) = (array![0.75, 0.25], array![4.0, 0.0]); // [T = 2]
/// let by_hand = array![0.75 * (4.0 - 3.0), 0.25 * (0.0 - 3.0)];
/// assert_eq!(softmax_backward(&weights, &gradient), by_hand);
/// assert_eq!(softmax_jacobian(&weights).dot(&gradient), by_hand);
/// ```
// ANCHOR: softmax_backward
pub fn softmax_backward(
    weights: &ArrayRef1<f64>,  // [T]
    gradient: &ArrayRef1<f64>, // [T], ∂L/∂weights
) -> Array1<f64> {
    let mean: f64 = weights.dot(gradient); // weighted by the weights
    gradient.mapv(|answer| answer - mean) * weights // [T]
}
// ANCHOR_END: softmax_backward

/// The gradient of a loss with respect to what went into attention.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionGradient {
    /// ∂L/∂Q. `[T_q, d_k]`
    pub queries: Array2<f64>,
    /// ∂L/∂K. `[T_k, d_k]`
    pub keys: Array2<f64>,
    /// ∂L/∂V. `[T_k, d_v]`
    pub values: Array2<f64>,
}

/// The way back through [`masked_attention`]: from ∂L/∂output to queries, keys and values.
///
/// `attention` is what it returned for them; `gradient` `[T_q, d_v]`. The mask is not asked for: it is in
/// the weights, as zeros.
///
/// # Errors
///
/// [`Error::Shape`](crate::Error::Shape) if `gradient` has another shape than the output.
///
/// # Panics
///
/// If `attention` does not belong to `queries`, `keys` and `values`, and differs from them in shape.
///
/// # Example
///
/// ```
/// use attention::{attention, attention_backward};
/// use ndarray::array;
///
/// // Two equal scores: weights of ½, and an output of ½ · 6 + ½ · 10.
/// let (queries, keys) = (array![[1.0]], array![[0.0], [0.0]]); // [1, d_k = 1], [2, d_k = 1]
/// let values = array![[6.0], [10.0]]; // [T_k = 2, d_v = 1]
/// let it = attention(&queries, &keys, &values)?;
/// let gradient = attention_backward(&queries, &keys, &values, &it, &array![[1.0]])?;
/// assert_eq!(gradient.values, array![[0.5], [0.5]]); // the weights
/// assert_eq!(gradient.keys, array![[-1.0], [1.0]]); // ½ (6 − 8), ½ (10 − 8): the second should win
/// assert_eq!(gradient.queries, array![[0.0]]); // both keys are 0, whatever the query
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: attention_backward
pub fn attention_backward(
    queries: &ArrayRef2<f64>, // [T_q, d_k]
    keys: &ArrayRef2<f64>,    // [T_k, d_k]
    values: &ArrayRef2<f64>,  // [T_k, d_v]
    attention: &Attention,
    gradient: &ArrayRef2<f64>, // [T_q, d_v], ∂L/∂output
) -> Result<AttentionGradient> {
    let Attention { weights, output } = attention;
    check(gradient, output)?;
    // output = weights V
    let for_values = weights.t().dot(gradient); // [T_k, d_v]
    let mut scores = gradient.dot(&values.t()); // [T_q, T_k], ∂L/∂weights
    // weights = softmax(mask(scores)), row by row
    for (mut row, weights) in scores.rows_mut().into_iter().zip(weights.rows())
    {
        let back = softmax_backward(&weights, &row); // [T_k], ∂L/∂scores
        row.assign(&back);
    }
    // scores = Q Kᵀ / √d_k
    scores /= Scale::ByRootDk.divisor(queries.ncols());
    Ok(AttentionGradient {
        queries: scores.dot(keys),     // [T_q, d_k]
        keys: scores.t().dot(queries), // [T_k, d_k]
        values: for_values,            // [T_k, d_v]
    })
}
// ANCHOR_END: attention_backward

impl LayerNorm {
    /// The way back through [`apply`](Self::apply). `x` and `gradient` `[T, d]`
    ///
    /// With n = (x − mean) / √(variance + ε), y = γ n + β. Of ∂L/∂n, two parts are lost: its mean, for
    /// adding the same to all features of x changes nothing, and its part along n, for stretching x
    /// changes (nearly) nothing. What remains is divided by √(variance + ε).
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply), and [`Error::Shape`](crate::Error::Shape) if `gradient` has
    /// another shape than `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::LayerNorm;
    /// use ndarray::array;
    ///
    /// // Two features become ±1 whatever they are, so no change of x is felt.
    /// let norm = LayerNorm { epsilon: 0.0, ..LayerNorm::new(2) };
    /// let (x, gradient) = (array![[1.0, 5.0]], array![[7.0, 9.0]]); // [T = 1, d = 2]
    /// let back = norm.backward(&x, &gradient)?;
    /// assert_eq!(back.x, array![[0.0, 0.0]]);
    /// assert_eq!(back.layer.gamma, array![-7.0, 9.0]);
    /// assert_eq!(back.layer.beta, array![7.0, 9.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: norm_backward
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>,        // [T, d]
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        self.check(x)?;
        check(gradient, x)?;
        let mut normed = x.to_owned(); // [T, d]
        let mut back = gradient.to_owned() * &self.gamma; // [T, d], ∂L/∂normed
        let tokens = normed.rows_mut().into_iter().zip(back.rows_mut());
        for (mut token, mut back) in tokens {
            let divisor = self.norm_token(&mut token);
            let d = token.len() as f64;
            let (same, along) = (back.sum() / d, back.dot(&token) / d);
            Zip::from(&mut back).and(&token).for_each(|back, normed| {
                *back = (*back - same - along * normed) / divisor;
            });
        }
        let layer = Self {
            gamma: (normed * gradient).sum_axis(Axis(0)), // [d]
            beta: gradient.sum_axis(Axis(0)),             // [d]
            epsilon: self.epsilon,
        };
        Ok(Gradient { x: back, layer })
    }
    // ANCHOR_END: norm_backward
}

impl Mlp {
    /// The way back through [`apply`](Self::apply). `x` and `gradient` `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply), and [`Error::Shape`](crate::Error::Shape) if `gradient` has
    /// another shape than `x`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Mlp;
    /// use ndarray::array;
    ///
    /// // At 0, GELU is ½ steep.
    /// let one = array![[1.0]]; // [d = 1, d_ff = 1], and back
    /// let (w_in, w_out) = (one.clone() * 3.0, one.clone() * 5.0);
    /// let mlp = Mlp { w_in, b_in: array![0.0], w_out, b_out: array![0.0] };
    /// let back = mlp.backward(&array![[0.0]], &one)?; // [T = 1, d = 1]
    /// assert_eq!(back.x, array![[3.0 * 0.5 * 5.0]]);
    /// assert_eq!(back.layer.b_in, array![0.5 * 5.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: mlp_backward
    pub fn backward(
        &self,
        x: &ArrayRef2<f64>,        // [T, d]
        gradient: &ArrayRef2<f64>, // [T, d], ∂L/∂y
    ) -> Result<Gradient<Self>> {
        self.check(x)?;
        check(gradient, x)?;
        let wide = x.dot(&self.w_in) + &self.b_in; // [T, d_ff]
        let bent = wide.mapv(gelu); // [T, d_ff]
        // y = bent W_out + b_out, and bent = gelu(wide), and wide = x W_in + b_in
        let for_bent = gradient.dot(&self.w_out.t()); // [T, d_ff]
        let for_wide = for_bent * wide.mapv(gelu_slope); // [T, d_ff]
        let layer = Self {
            w_in: x.t().dot(&for_wide),        // [d, d_ff]
            b_in: for_wide.sum_axis(Axis(0)),  // [d_ff]
            w_out: bent.t().dot(gradient),     // [d_ff, d]
            b_out: gradient.sum_axis(Axis(0)), // [d]
        };
        Ok(Gradient { x: for_wide.dot(&self.w_in.t()), layer })
    }
    // ANCHOR_END: mlp_backward
}

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
    /// use attention::{BiasedHeads, Mask, Normals};
    ///
    /// let mut normals = Normals::seeded(4);
    /// let heads = BiasedHeads::xavier(8, 2, &mut normals)?; // d = 8, h = 2
    /// let (x, gradient) = (normals.matrix(5, 8), normals.matrix(5, 8)); // [T = 5, d = 8]
    /// let back = heads.backward(&x, &Mask::Causal, &gradient)?;
    /// // b_K has no effect on anything.
    /// assert!(back.layer.biases[0].key.iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: heads_backward
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
    // ANCHOR_END: heads_backward
}

/// The way back through one head and its rows of W_O.
// ANCHOR: head_backward
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
// ANCHOR_END: head_backward

/// `Ok` if the gradient has the shape of what it is about.
pub(crate) fn check(
    gradient: &ArrayRef2<f64>,
    of: &ArrayRef2<f64>,
) -> Result<()> {
    need(gradient.dim() == of.dim(), "gradient", gradient, || {
        format!("{}, the shape of what it is about", shape(of))
    })
}
