//! Random numbers, counts and arrays from the edges.

use ndarray::{Array1, Array2};
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// Numbers at which arithmetic has its edges, with either sign.
const NUMBERS: [f64; 10] = [
    0.0,
    5e-324,
    2.2e-308,
    1.0,
    1e-154,
    1e154,
    1e-300,
    1e300,
    f64::INFINITY,
    f64::NAN,
];

/// Counts at which arithmetic and memory have theirs.
const COUNTS: [usize; 12] = [
    0,
    1,
    2,
    3,
    5,
    8,
    64,
    1 << (usize::BITS / 2 - 1),
    1 << (usize::BITS * 5 / 8),
    usize::MAX / 2,
    usize::MAX - 1,
    usize::MAX,
];

/// A stream of arguments, the same for the same seed.
pub struct Draw {
    random: ChaCha8Rng,
}

impl Draw {
    pub fn seeded(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
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

    pub fn seed(&mut self) -> u64 {
        self.one_of(&[0, 1, 74, u64::MAX - 1, u64::MAX])
    }

    pub fn number(&mut self) -> f64 {
        let number = self.one_of(&NUMBERS);
        if self.once_in(2) { number } else { -number }
    }

    /// A count of anything, from none to more than there can be.
    pub fn count(&mut self) -> usize {
        self.one_of(&COUNTS)
    }

    /// A count of what exists, or the largest there is: nothing between them, for which memory would be asked for in earnest.
    pub fn small_or_largest(&mut self) -> usize {
        if self.once_in(5) { usize::MAX } else { self.size() }
    }

    pub fn size(&mut self) -> usize {
        self.below(6)
    }

    /// This size, or now and then another.
    pub fn about(&mut self, size: usize) -> usize {
        if self.once_in(40) { self.size() } else { size }
    }

    /// Numbers of all kinds, or, in half of the cases, only ±1 and 0: so that not everything drowns in NaN.
    fn numbers(&mut self, count: usize) -> Vec<f64> {
        let plain = self.once_in(2);
        let mut number = || {
            if plain { self.one_of(&[0.0, 1.0, -1.0]) } else { self.number() }
        };
        (0..count).map(|_| number()).collect()
    }

    pub fn row(&mut self, length: usize) -> Array1<f64> {
        let length = self.about(length);
        Array1::from(self.numbers(length))
    }

    pub fn matrix(&mut self, rows: usize, columns: usize) -> Array2<f64> {
        let (rows, columns) = (self.about(rows), self.about(columns));
        self.exactly(rows, columns)
    }

    /// A matrix that has this shape and no other.
    pub fn exactly(&mut self, rows: usize, columns: usize) -> Array2<f64> {
        let numbers = self.numbers(rows * columns);
        Array2::from_shape_vec((rows, columns), numbers)
            .expect("as many as the shape has")
    }
}
