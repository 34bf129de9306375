//! 7.4: the way back. How a loss answers to each number that went into a layer.
//!
//! Each `backward` takes what its layer took, and the loss's gradient with respect to what the layer
//! made. It returns the gradient with respect to what it took, and to its parameters. There is no
//! automatic differentiation: each is a few lines by hand, and they are tested against differences.
//! What the layer computed on its way forward is computed again; nothing is kept in between.

use ndarray::{Array2, ArrayRef2};

use crate::error::{Result, need, shape};

pub(crate) mod attention;
mod block;
mod heads;
pub(crate) mod mlp;
mod norm;
pub(crate) mod softmax;
mod stack;

pub use attention::{AttentionGradient, attention_backward};
pub use mlp::gelu_derivative;
pub use softmax::{softmax_backward, softmax_jacobian};

/// The gradient of a loss L, a single number, with respect to all that went into a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradient<Layer> {
    /// ∂L/∂x, with respect to the tokens that came in. `[T, d]`
    pub x: Array2<f64>,
    /// ∂L/∂ each parameter, in the parameter's own place: a layer like the one
    /// that it is about. What is not learned in it (ε, a block's order of
    /// steps) stays as it is.
    pub layer: Layer,
}

/// `Ok` if the gradient has the shape of what it is about.
pub(crate) fn check(
    gradient: &ArrayRef2<f64>,
    of: &ArrayRef2<f64>,
) -> Result<()> {
    need(gradient.dim() == of.dim(), "gradient", gradient, || {
        format!("{}, the shape of what it is about", shape(of))
    })
}
