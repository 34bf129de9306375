//! 7.4: what a head of a block adds to its queries, keys and values.

use ndarray::Array1;

use crate::error::{Result, need_features};
use crate::self_attention::Projections;

/// What one head adds to its queries, keys and values.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadBiases {
    /// b_Q: what every token asks for, whatever it is. `[d_k]`
    pub query: Array1<f64>,
    /// b_K. It adds the same to all scores of a query, which softmax does not
    /// notice: it has no effect at all. `[d_k]`
    pub key: Array1<f64>,
    /// b_V: what every token hands over, whatever it is. `[d_v]`
    pub value: Array1<f64>,
}

impl HeadBiases {
    /// How many numbers there are to learn.
    pub(crate) fn parameters(&self) -> usize {
        self.query.len() + self.key.len() + self.value.len()
    }

    /// `Ok` if each has one number for each column of its matrix.
    pub(crate) fn check(&self, of: &Projections) -> Result<()> {
        need_features("biases.query", &self.query, "query", &of.query)?;
        need_features("biases.key", &self.key, "key", &of.key)?;
        need_features("biases.value", &self.value, "value", &of.value)
    }
}
