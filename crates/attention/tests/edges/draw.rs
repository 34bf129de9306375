//! Random arguments.

use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// A stream of arguments, the same for the same seed.
pub struct Draw {
    random: ChaCha8Rng,
}

impl Draw {
    pub fn seeded(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed) }
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.random.random_range(0..count)
    }

    pub fn one_of<T: Clone>(&mut self, these: &[T]) -> T {
        these.choose(&mut self.random).expect("there are some").clone()
    }

    pub fn shuffle<T>(&mut self, these: &mut [T]) {
        these.shuffle(&mut self.random);
    }
}
