//! The mathematics of the book: attention, and what it is built from.
//!
//! The mechanism stands in the open: there is a file for each idea, in the order of the book, and all
//! that is public in it is here at the top, as in `use attention::softmax`. A file takes nothing from
//! those that come later in the list.
//!
//! | the book | file | what it holds |
//! |---|---|---|
//! | 7.1 | `scores.rs` | [`scores()`]: each query's dot product with each key, divided by √d_k |
//! | 7.1 | `softmax.rs` | [`softmax()`]: from scores to weights |
//! | 7.2 | `mask.rs` | [`Mask`]: which query may attend to which key |
//! | 7.1 | `attention.rs` | [`attention()`]: scores, mask, weights, and the weighted mean of the values |
//! | 7.2 | `self_attention.rs` | [`Projections`]: queries, keys and values of the same tokens |
//! | 7.2 | `one_pass.rs` | [`one_pass_attention`]: the same output without the T × T matrix |
//! | 7.2 | `next_token.rs` | [`shift`]: what predicting the next token takes in, and what it is to find |
//! | 7.4 | `biases.rs` | [`HeadBiases`]: what a head of a block adds to its queries, keys and values |
//! | 7.4 | `sinusoid.rs` | [`sinusoids`]: positions as waves |
//! | 7.4 | `rope.rs` | [`Rope`]: positions as angles |
//! | 7.3 | `heads.rs` | [`MultiHead`]: several heads side by side |
//! | 7.3 | `attention_only.rs` | [`AttentionOnly`]: a transformer of nothing but attention |
//! | 7.3 | `cross_entropy.rs` | [`cross_entropy()`]: how wrong a prediction is |
//! | 7.4 | `norm.rs` | [`LayerNorm`]: each token's features with mean 0 and variance 1 |
//! | 7.4 | `gelu.rs` | [`gelu`], and [the tanh form](gelu_tanh) |
//! | 7.4 | `mlp.rs` | [`Mlp`]: each token on its own |
//! | 7.4 | `block.rs` | [`Block`]: a list of [`Step`]s, pre-norm or post-norm |
//! | 7.4 | `stack.rs` | [`Stack`]: blocks on top of each other |
//! | 7.4 | `transformer.rs` | [`Transformer`]: a stack between a table of vectors and a guess |
//!
//! `error.rs` ([`Error`]) serves all of them.
//!
//! Around the mechanism are modules of their own. Each may use the mechanism and the modules before it:
//!
//! | module | what it holds |
//! |---|---|
//! | [`gradient`] | the way back through each layer: [`softmax_jacobian`](gradient::softmax_jacobian), [`Block::backward`], [`Stack::backward`] |
//! | [`random`] | seeded random numbers, and weights before training: [`Normals`](random::Normals), [`xavier`](random::xavier()) |
//! | [`circuits`] | heads built by hand: [`pronoun_head`](circuits::pronoun_head), [an induction circuit](circuits::induction_circuit) |
//! | [`study`] | what is measured and counted: recurrence, paths, scale, cost, depth, how far a model has come |
//! | [`trained`] | weights that were trained: [`AttentionOnly::trained`], and [the log](trained::TrainingLog) of it |
//!
//! # Letters
//!
//! An array's shape stands behind the line that makes it, as in `// [T, d]`. Tokens are rows and
//! features are columns, so a token's vector is a row, and it is multiplied by a matrix from the
//! right: `x W`.
//!
//! | letter | meaning |
//! |---|---|
//! | `T` | tokens; `T_q` and `T_k` when queries and keys may differ in number |
//! | `d` | features of a token |
//! | `d_k` | features of a query and of a key: the size of a head |
//! | `d_v` | features of a value |
//! | `d_ff` | features inside the MLP |
//! | `h` | heads |
//!
//! # The same numbers everywhere
//!
//! All numbers are `f64`. `exp`, `tanh`, `sin`, `cos`, `ln`, `pow`, `erf` and `sqrt` come from the `libm` crate, so
//! that a browser and a laptop compute the same values, and random numbers come from [`random::Normals`],
//! which is seeded. Only the order in which a matrix product adds its terms is left to the machine,
//! and with it the last bit or two.
//!
//! # Numbers out of range
//!
//! No number makes a function panic. What leaves the range of `f64` is ±∞, what then has no answer (∞ − ∞,
//! 0 · ∞) is NaN, and both are handed on to whatever is computed from them. Where it is otherwise, or may
//! surprise, the function says so: [`scores()`], [`softmax()`], [`attention()`], [`LayerNorm`], [`gelu`].
//! Counts that no memory holds are refused, or a section on panics says that they are not.
//!
//! # Example
//!
//! One query, two keys, two values. The query points the way of the first key, and is long enough
//! to give it three quarters of the weight.
//!
//! ```
//! use attention::attention;
//! use ndarray::array;
//!
//! let ln_3 = libm::log(3.0);
//! let queries = array![[2.0 * ln_3, 0.0, 0.0, 0.0]]; // [T_q = 1, d_k = 4]
//! let keys = array![[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]; // [T_k = 2, d_k = 4]
//! let values = array![[0.0], [8.0]]; // [T_k = 2, d_v = 1]
//!
//! // Scores: [2 ln 3, 0] / √4 = [ln 3, 0]. Softmax: [3, 1] / 4. Output: ¾ · 0 + ¼ · 8.
//! let it = attention(&queries, &keys, &values)?;
//! assert!((it.weights[[0, 0]] - 0.75).abs() < 1e-12);
//! assert!((it.output[[0, 0]] - 2.0).abs() < 1e-12);
//! # Ok::<(), attention::Error>(())
//! ```

#![warn(missing_docs)]

pub mod circuits;
pub mod gradient;
pub mod random;
pub mod study;
pub mod trained;

mod attention;
mod attention_only;
mod biases;
mod block;
mod cross_entropy;
mod error;
mod gelu;
mod heads;
mod mask;
mod mlp;
mod next_token;
mod norm;
mod one_pass;
mod rope;
mod scores;
mod self_attention;
mod sinusoid;
mod softmax;
mod stack;
mod transformer;

pub use attention::{Attention, attention, attention_with};
pub use attention_only::{AttentionOnly, AttentionOnlyRun};
pub use biases::HeadBiases;
pub use block::{Block, NormPlace, State, Step};
pub use cross_entropy::cross_entropy;
pub use error::{Error, Result};
pub use gelu::{GELU_TANH_CUBIC, gelu, gelu_tanh};
pub use heads::{Head, MultiHead, MultiHeadAttention};
pub use mask::Mask;
pub use mlp::{MLP_WIDENING, Mlp};
pub use next_token::shift;
pub use norm::{LAYER_NORM_EPSILON, LayerNorm, mean_and_variance};
pub use one_pass::one_pass_attention;
pub use rope::{Pairing, Rope, neighbours_to_halves};
pub use scores::{Scale, scores};
pub use self_attention::Projections;
pub use sinusoid::{
    POSITION_BASE, angular_frequency, position_shift, sinusoids,
};
pub use softmax::{softmax, softmax_rows};
pub use stack::Stack;
pub use transformer::{Transformer, TransformerRun};
