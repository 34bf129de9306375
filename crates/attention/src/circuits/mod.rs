//! 7.3: heads whose matrices are written by hand, so that each number in them has a reason.

pub(crate) mod induction;
pub(crate) mod patterns;

pub use induction::induction_circuit;
pub use patterns::{
    Feature, WordKind, neighbourhood_head, previous_token_head, pronoun_head,
    sentence_features,
};
