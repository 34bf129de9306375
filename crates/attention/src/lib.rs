//! The mathematics of the book: attention, and what it is built from.
//!
//! There is one file for each idea, in the order of the chapters, and everything public is here at
//! the top: `use attention::softmax`.
//!
//! | the book | file | what it holds |
//! |---|---|---|
//! | Opening | `recurrence.rs` | [`Recurrence`]: what a chain of steps carries, and what it loses |
//! | Opening | `paths.rs` | [`Dependencies`]: who waits for whom, and how far apart two words are |
//! | 7.1 | `scores.rs` | [`scores()`]: each query's dot product with each key, divided by √d_k |
//! | 7.1 | `softmax.rs` | [`softmax()`]: from scores to weights, and [its derivative](softmax_jacobian) |
//! | 7.1 | `attention.rs` | [`attention()`]: scores, weights, and the weighted mean of the values |
//! | 7.1 | `scale.rs` | [`dot_product_study`], [`saturation_study`]: why scores are divided by √d_k |
//! | 7.2 | `mask.rs` | [`Mask`]: which query may attend to which key |
//! | 7.2 | `self_attention.rs` | [`Projections`]: queries, keys and values of the same tokens |
//! | 7.2 | `one_pass.rs` | [`one_pass_attention`]: the same output without the T × T matrix |
//! | 7.2 | `cost.rs` | [`plain_cost`], [`one_pass_cost`]: operations and bytes, counted |
//! | 7.3 | `heads.rs` | [`MultiHead`]: several heads side by side, and [what they cost](multi_head_cost) |
//! | 7.3 | `patterns.rs` | [`previous_token_head`], [`neighbourhood_head`], [`pronoun_head`]: built by hand |
//! | 7.3 | `induction.rs` | [`InductionCircuit`]: two heads that continue what they have seen once |
//! | 7.3 | `repeats.rs` | [`Repeats`]: sequences to train and measure such a circuit on |
//! | 7.3 | `attention_only.rs` | [`AttentionOnly`]: a small transformer, and [one that was trained](AttentionOnly::grown) |
//! | 7.3 | `growth.rs` | [`Growth`]: how far it has come; [`GrowthLog`]: how it came there |
//! | 7.4 | `norm.rs` | [`LayerNorm`]: each token's features with mean 0 and variance 1 |
//! | 7.4 | `gelu.rs` | [`gelu`], and [the tanh form](gelu_tanh) |
//! | 7.4 | `mlp.rs` | [`Mlp`]: each token on its own |
//! | 7.4 | `biases.rs` | [`BiasedHeads`]: [`MultiHead`] as it stands in a block |
//! | 7.4 | `block.rs` | [`Block`]: a list of [`Step`]s, pre-norm or post-norm |
//! | 7.4 | `stack.rs` | [`Stack`]: blocks on top of each other |
//! | 7.4 | `xavier.rs` | [`xavier()`]: blocks before training |
//! | 7.4 | `gradients.rs` | [`Gradient`]: the way back through each layer |
//! | 7.4 | `backward.rs` | [`Block::backward`], [`Stack::backward`]: the list of steps in reverse |
//! | 7.4 | `depth.rs` | [`depth_study`]: the first gradients in deep stacks, pre-norm and post-norm |
//! | 7.4 | `sinusoid.rs` | [`sinusoids`]: positions as waves |
//! | 7.4 | `rope.rs` | [`Rope`]: positions as angles |
//!
//! Two files serve all of them: `error.rs` ([`Error`]) and `normals.rs` ([`Normals`], seeded random
//! numbers). A third, `safetensors.rs`, reads trained weights.
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
//! that a browser and a laptop compute the same values, and random numbers come from [`Normals`],
//! which is seeded. Only the order in which a matrix product adds its terms is left to the machine,
//! and with it the last bit or two.
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

mod attention;
mod attention_only;
mod backward;
mod biases;
mod block;
mod cost;
mod depth;
mod error;
mod gelu;
mod gradients;
mod growth;
mod heads;
mod induction;
mod mask;
mod mlp;
mod norm;
mod normals;
mod one_pass;
mod paths;
mod patterns;
mod recurrence;
mod repeats;
mod rope;
mod safetensors;
mod scale;
mod scores;
mod self_attention;
mod sinusoid;
mod softmax;
mod stack;
mod xavier;

pub use attention::{
    Attention, attention, attention_scaled, attention_with, masked_attention,
};
pub use attention_only::{AttentionOnly, AttentionOnlyRun};
pub use biases::{BiasedHeads, HeadBiases};
pub use block::{Block, NormPlace, State, Step, block_parameters};
pub use cost::{Cost, one_pass_cost, plain_cost};
pub use depth::{
    DEPTH_RUNS, DEPTH_SEED, DEPTHS, DepthGradients, depth_study, depth_table,
    gradient_sizes, log_slope,
};
pub use error::{Error, Result};
pub use gelu::{GELU_TANH_CUBIC, gelu, gelu_slope, gelu_tanh};
pub use gradients::{
    AttentionGradient, Gradient, attention_backward, softmax_backward,
};
pub use growth::{Growth, GrowthLog, induction_score, previous_token_score};
pub use heads::{
    Head, HeadCost, MultiHead, MultiHeadAttention, head_cost, multi_head_cost,
};
pub use induction::{InductionCircuit, InductionRun};
pub use mask::Mask;
pub use mlp::{MLP_WIDENING, Mlp};
pub use norm::{LAYER_NORM_EPSILON, LayerNorm, moments};
pub use normals::Normals;
pub use one_pass::one_pass_attention;
pub use paths::{Dependencies, Operation};
pub use patterns::{
    Feature, WordKind, neighbourhood_head, previous_token_head, pronoun_head,
    sentence_features,
};
pub use recurrence::{Activation, Recurrence};
pub use repeats::{Repeat, Repeats};
pub use rope::{Pairing, Rope, neighbours_to_halves};
pub use scale::{
    DOT_PRODUCT_SEED, SATURATION_SEED, Saturated, Saturation, Spread,
    dot_product_study, dot_product_variance, saturation_study,
};
pub use scores::{Scale, scores};
pub use self_attention::{Projections, shift};
pub use sinusoid::{
    POSITION_BASE, position_shift, sinusoids, turn_per_position,
};
pub use softmax::{frobenius_norm, softmax, softmax_jacobian, softmax_rows};
pub use stack::Stack;
pub use xavier::xavier;
