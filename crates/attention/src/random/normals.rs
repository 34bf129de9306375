//! Random numbers that are the same on every machine and in every build.

use std::f64::consts::TAU;

use ndarray::Array2;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// An endless stream of independent random numbers from the standard normal distribution: mean 0,
/// variance 1.
///
/// The same seed gives the same numbers, in the browser too.
///
/// Source: Box and Muller 1958, "A note on the generation of random normal deviates". Two uniform
/// numbers u, v in (0, 1] give two normal ones, √(−2 ln u) · cos(2πv) and √(−2 ln u) · sin(2πv): a
/// random length in a random direction.
///
/// ```
/// use attention::random::Normals;
///
/// let some: Vec<f64> = Normals::seeded(7).take(10_000).collect();
/// let again: Vec<f64> = Normals::seeded(7).take(10_000).collect();
/// assert_eq!(some, again);
///
/// let mean = some.iter().sum::<f64>() / 10_000.0;
/// let variance = some.iter().map(|x| x * x).sum::<f64>() / 10_000.0;
/// assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
/// ```
#[derive(Debug)]
pub struct Normals {
    uniform: ChaCha8Rng,
    // The second number of the last pair, until somebody asks for it.
    spare: Option<f64>,
}

impl Normals {
    /// The stream that belongs to `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self { uniform: ChaCha8Rng::seed_from_u64(seed), spare: None }
    }

    /// The next `rows` × `columns` numbers, row by row. `[rows, columns]`
    ///
    /// # Panics
    ///
    /// If there is no memory for so many numbers.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::random::Normals;
    ///
    /// let first: Vec<f64> = Normals::seeded(7).take(6).collect();
    /// let matrix = Normals::seeded(7).matrix(2, 3); // [2, 3]
    /// assert_eq!(matrix[[1, 0]], first[3]);
    /// ```
    pub fn matrix(&mut self, rows: usize, columns: usize) -> Array2<f64> {
        let shape = (rows, columns);
        Array2::from_shape_simple_fn(shape, || self.draw()) // [rows, columns]
    }

    fn draw(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let (now, later) = self.pair();
        self.spare = Some(later);
        now
    }

    fn pair(&mut self) -> (f64, f64) {
        // 1 − [0, 1) is (0, 1]: the logarithm never meets 0.
        let u = 1.0 - self.uniform.random::<f64>();
        let v = 1.0 - self.uniform.random::<f64>();
        let length = libm::sqrt(-2.0 * libm::log(u));
        let (sin, cos) = libm::sincos(TAU * v);
        (length * cos, length * sin)
    }
}

impl Iterator for Normals {
    type Item = f64;

    /// The next number: never `None`.
    fn next(&mut self) -> Option<f64> {
        Some(self.draw())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}
