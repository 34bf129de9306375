//! What is measured and counted about attention, and beside it: nothing here is part of the mechanism.
//!
//! | the book | file | what it holds |
//! |---|---|---|
//! | Opening | `recurrence.rs` | [`Recurrence`]: what a chain of steps carries, and what it loses |
//! | Opening | `influence.rs` | [`look_up_jacobian_norm`]: what a look-up passes on, measured like the chain |
//! | Opening | `paths.rs` | [`Dependencies`]: who waits for whom, and how far apart two words are |
//! | 7.1 | `scale.rs` | [`dot_product_study`], [`saturation_study`]: why scores are divided by √d_k |
//! | 7.2 | `cost.rs` | [`plain_cost`], [`one_pass_cost`]: operations and bytes, counted; [heads](multi_head_cost) and [blocks](block_parameters) too |
//! | 7.3 | `repeats.rs` | [`Repeats`]: sequences to train and measure an induction circuit on |
//! | 7.3 | `metrics.rs` | [`Metrics`]: how far a model has come with them |
//! | 7.3 | `ablation.rs` | [`Ablations`]: heads switched off, set to zero or to their mean |
//! | 7.1, 7.4 | `language.rs` | [`Sentences`]: a small language in which a pronoun must find its noun |
//! | 7.1, 7.4 | `reading.rs` | [`Reading`]: how well a transformer reads it |
//! | 7.4 | `depth.rs` | [`depth_study`]: the first gradients in deep stacks, pre-norm and post-norm, begun in two ways |
//!
//! `frobenius.rs` ([`frobenius_norm`]) and `quartiles.rs` ([`Quartiles`]) serve several of them.

pub(crate) mod ablation;
pub(crate) mod cost;
pub(crate) mod depth;
pub(crate) mod frobenius;
pub(crate) mod influence;
pub(crate) mod language;
pub(crate) mod metrics;
pub(crate) mod paths;
pub(crate) mod quartiles;
pub(crate) mod reading;
pub(crate) mod recurrence;
pub(crate) mod repeats;
pub(crate) mod scale;

pub use ablation::{Ablations, mean_ablated, mean_output};
pub use cost::{
    Cost, HeadCost, block_multiplications, block_parameters, head_cost,
    multi_head_cost, one_pass_cost, plain_cost,
};
pub use depth::{
    DEPTH_RUNS, DEPTH_SEED, DEPTHS, DepthGradients, Initialisation,
    depth_study, depth_table, gradient_sizes, log_slope,
};
pub use frobenius::frobenius_norm;
pub use influence::look_up_jacobian_norm;
pub use language::{
    ACTIONS, FILLERS, HELD_OUT, NOUNS, Noun, PRONOUNS, STATES, Sentence,
    Sentences, Sort, VERBS, WORDS, token,
};
pub use metrics::{Metrics, induction_score, previous_token_score};
pub use paths::{Dependencies, Operation};
pub use quartiles::Quartiles;
pub use reading::Reading;
pub use recurrence::{Activation, Recurrence};
pub use repeats::{Repeat, Repeats};
pub use scale::{
    SCALE_DRAWS, SCALE_FEATURES, SCALE_KEYS, SCALE_SEEDS, SPREAD_BARS,
    SPREAD_REACH, Saturated, Saturation, Spread, Tenths, dot_product_study,
    dot_product_variance, saturation_study, saturation_table, spread_table,
};
