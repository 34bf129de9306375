//! What several figures share: each part in a file of its own, so that no figure takes anything from another.

pub mod dimensions;
pub mod heatmap;
pub mod nudge;
pub mod repeat_strip;
pub mod untrained;
pub mod weights;
