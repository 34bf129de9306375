//! A block before training, and what goes into it.

use attention::random::Normals;
use attention::{Block, NormPlace};
use ndarray::{Array2, s};

use crate::{Result, Scene};

/// Features of a token.
pub const FEATURES: usize = 8;

/// Heads of the attention.
pub const HEADS: usize = 2;

/// The scene's tokens with as many features as a block takes: the first two are their vectors, the others random.
pub fn embedded(scene: &Scene) -> Array2<f64> {
    const SEED: u64 = 745;
    let mut x = Normals::seeded(SEED).matrix(scene.tokens.len(), FEATURES); // [T, d]
    x.slice_mut(s![.., ..2]).assign(&scene.vectors());
    x
}

/// A block before training: its matrices are random, and the same for both places of the norms.
pub fn untrained(norms: NormPlace) -> Result<Block> {
    const SEED: u64 = 88;
    Ok(Block::xavier(norms, FEATURES, HEADS, &mut Normals::seeded(SEED))?)
}

/// The least of 1, 2, 3, 4, 6, 8, 10, 20, … that numbers of the `largest` size do not exceed: the end of a scale.
pub fn reach(largest: f64) -> f64 {
    let power = libm::exp10(libm::log10(largest.max(1.0)).floor());
    let steps = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0].map(|step| step * power);
    steps.into_iter().find(|reach| largest <= *reach).unwrap_or(10.0 * power)
}
