//! 7.2: self-attention. Every token asks, advertises and hands over, all at once.

use ndarray::{Array2, ArrayRef2};

use crate::attention::{Attention, attention_with};
use crate::error::{Result, need, shape};
use crate::mask::Mask;
use crate::scores::Scale;

/// The three matrices that make queries, keys and values of the same tokens: W_Q, W_K and W_V.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2, for one head.
// ANCHOR: Projections
#[derive(Debug, Clone, PartialEq)]
pub struct Projections {
    /// W_Q: what a token asks for. `[d, d_k]`
    pub query: Array2<f64>,
    /// W_K: what a token advertises. `[d, d_k]`
    pub key: Array2<f64>,
    /// W_V: what a token hands over. `[d, d_v]`
    pub value: Array2<f64>,
}
// ANCHOR_END: Projections

impl Projections {
    /// Each token asks, advertises and hands over its own vector as it is: W_Q = W_K = W_V = I.
    ///
    /// # Panics
    ///
    /// If there is no memory for three matrices of d² numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Projections;
    /// assert_eq!(Projections::identity(2).key, ndarray::array![[1.0, 0.0], [0.0, 1.0]]);
    /// ```
    pub fn identity(d: usize) -> Self {
        let identity = Array2::eye(d); // [d, d]
        Self { query: identity.clone(), key: identity.clone(), value: identity }
    }

    /// Queries, keys and values, in this order: x W_Q, x W_K, x W_V.
    ///
    /// `x` `[T, d]` → `[T, d_k]`, `[T, d_k]`, `[T, d_v]`
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if one of the matrices has not one row for each feature
    /// of `x`, or if queries and keys would differ in features.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Projections;
    /// use ndarray::array;
    ///
    /// let projections = Projections {
    ///     query: array![[1.0], [0.0]], // [d = 2, d_k = 1], asks with the first feature
    ///     key: array![[0.0], [1.0]],   // [d = 2, d_k = 1], advertises the second
    ///     value: array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], // [d = 2, d_v = 3], both and their sum
    /// };
    /// let x = array![[3.0, 4.0]]; // [T = 1, d = 2]
    /// let (queries, keys, values) = projections.project(&x)?;
    /// assert_eq!(queries, array![[3.0]]);
    /// assert_eq!(keys, array![[4.0]]);
    /// assert_eq!(values, array![[3.0, 4.0, 7.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: project
    pub fn project(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
    ) -> Result<(Array2<f64>, Array2<f64>, Array2<f64>)> {
        self.check(x)?;
        let queries = x.dot(&self.query); // [T, d_k]
        let keys = x.dot(&self.key); // [T, d_k]
        let values = x.dot(&self.value); // [T, d_v]
        Ok((queries, keys, values))
    }
    // ANCHOR_END: project

    /// Self-attention: every token attends to the tokens of its own sequence.
    ///
    /// `x` `[T, d]` → weights `[T, T]`, output `[T, d_v]`
    ///
    /// Row i of the weights is what token i attends to. It sums to 1. Column j is what token j gets
    /// from all of them, and need not.
    ///
    /// # Errors
    ///
    /// As for [`Projections::project`] and [`attention_with`]; an empty `x` has no key.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, Projections};
    /// use ndarray::array;
    ///
    /// // The first token lies at the origin: its query and its key score 0 with everyone.
    /// let x = array![[0.0, 0.0], [0.0, 6.0]]; // [T = 2, d = 2]
    /// let it = Projections::identity(2).attend(&x, &Mask::None)?;
    /// assert_eq!(it.weights.row(0), array![0.5, 0.5]);
    /// assert_eq!(it.output.row(0), array![0.0, 3.0]);
    ///
    /// // With the causal mask, it has no one but itself.
    /// let it = Projections::identity(2).attend(&x, &Mask::Causal)?;
    /// assert_eq!(it.weights.row(0), array![1.0, 0.0]);
    /// assert_eq!(it.output.row(0), array![0.0, 0.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: attend
    pub fn attend(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Attention> {
        let (queries, keys, values) = self.project(x)?;
        attention_with(&queries, &keys, &values, mask, Scale::ByRootDk)
    }
    // ANCHOR_END: attend

    fn check(&self, x: &ArrayRef2<f64>) -> Result<()> {
        let d = x.ncols();
        let d_k = self.query.ncols();
        let for_x =
            |columns: &str| format!("[{d}, {columns}] for x {}", shape(x));
        need(self.query.nrows() == d, "query", &self.query, || for_x("d_k"))?;
        need(self.key.nrows() == d, "key", &self.key, || for_x("d_k"))?;
        need(self.value.nrows() == d, "value", &self.value, || for_x("d_v"))?;
        need(self.key.ncols() == d_k, "key", &self.key, || {
            format!("[{d}, {d_k}] to match query {}", shape(&self.query))
        })
    }
}
