//! 7.4: rotary positions. Queries and keys are turned, the further the later they stand.

use ndarray::{Array2, ArrayRef2, Axis};

use crate::error::{Result, need, need_count, need_even, shape};
use crate::sinusoid::{POSITION_BASE, angular_frequency};

/// Which two features are turned together.
///
/// Both are in use, and a model has to be run with the one it was trained with. They are the same up to
/// the order of features: [`neighbours_to_halves`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// Each with the next: 0 with 1, 2 with 3, …, as in the paper.
    Neighbours,
    /// First half with second half: 0 with d / 2, 1 with d / 2 + 1, …
    Halves,
}

impl Pairing {
    /// The two features of pair number i, of d features.
    ///
    /// # Panics
    ///
    /// If there is no such pair, and its place is beyond what a `usize` can count.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Pairing;
    ///
    /// assert_eq!(Pairing::Neighbours.pair(1, 8), (2, 3));
    /// assert_eq!(Pairing::Halves.pair(1, 8), (1, 5));
    /// ```
    // ANCHOR: pair
    pub fn pair(self, i: usize, d: usize) -> (usize, usize) {
        match self {
            Pairing::Neighbours => (2 * i, 2 * i + 1),
            Pairing::Halves => (i, d / 2 + i),
        }
    }
    // ANCHOR_END: pair

    /// Turns pair number i of row t by an angle of which the cosine and the sine stand at \[t, i\].
    ///
    /// `x` `[T, d]`, `cosines` and `sines` `[T, d / 2]` → `[T, d]`
    ///
    /// Models keep the two as tables, for all heads and blocks turn by the same angles: [`Rope::rotate`]
    /// computes them.
    ///
    /// # Errors
    ///
    /// [`Error::Number`](crate::Error::Number) if d is odd, and [`Error::Shape`](crate::Error::Shape) if
    /// `cosines` or `sines` is not `[T, d / 2]`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Pairing;
    /// use ndarray::array;
    ///
    /// // The first pair by a quarter, the second not at all.
    /// let (cosines, sines) = (array![[0.0, 1.0]], array![[1.0, 0.0]]); // [T = 1, d / 2 = 2]
    /// let x = array![[1.0, 2.0, 3.0, 4.0]]; // [T = 1, d = 4]
    /// let turned = Pairing::Neighbours.turn(&x, &cosines, &sines)?;
    /// assert_eq!(turned, array![[-2.0, 1.0, 3.0, 4.0]]);
    /// let turned = Pairing::Halves.turn(&x, &cosines, &sines)?;
    /// assert_eq!(turned, array![[-3.0, 2.0, 1.0, 4.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn turn(
        self,
        x: &ArrayRef2<f64>,       // [T, d]
        cosines: &ArrayRef2<f64>, // [T, d / 2]
        sines: &ArrayRef2<f64>,   // [T, d / 2]
    ) -> Result<Array2<f64>> {
        check_angles(x, cosines, sines)?;
        let d = x.ncols();
        let mut turned = Array2::zeros(x.dim()); // [T, d]
        for ((t, i), &cos) in cosines.indexed_iter() {
            let sin = sines[[t, i]];
            let (a, b) = self.pair(i, d);
            turned[[t, a]] = x[[t, a]] * cos - x[[t, b]] * sin;
            turned[[t, b]] = x[[t, a]] * sin + x[[t, b]] * cos;
        }
        Ok(turned)
    }
}

/// `Ok` if there is an angle for each pair of features.
fn check_angles(
    x: &ArrayRef2<f64>,
    cosines: &ArrayRef2<f64>,
    sines: &ArrayRef2<f64>,
) -> Result<()> {
    let pairs = need_even("d", x.ncols())?;
    let needed = (x.nrows(), pairs);
    let for_x = || format!("[{}, {pairs}] for x {}", x.nrows(), shape(x));
    need(cosines.dim() == needed, "cosines", cosines, for_x)?;
    need(sines.dim() == needed, "sines", sines, for_x)
}

/// The order in which d features paired as [`Pairing::Neighbours`] have to be read to be paired as
/// [`Pairing::Halves`]: 0, 2, 4, …, then 1, 3, 5, …
///
/// Turning x by neighbours and then reordering is reordering and then turning by halves. And an order
/// that queries and keys share changes no score. So a model's matrices can be converted, by reordering
/// the columns of W_Q and W_K in each head.
///
/// # Errors
///
/// [`Error::Number`](crate::Error::Number) if `d` is odd.
///
/// # Example
///
/// ```
/// use attention::neighbours_to_halves;
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]; // [T = 1, d = 6]
/// assert_eq!(neighbours_to_halves(&x)?, array![[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]]);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn neighbours_to_halves(x: &ArrayRef2<f64>) -> Result<Array2<f64>> {
    let d = x.ncols();
    need_even("d", d)?;
    let order: Vec<usize> =
        (0..d).step_by(2).chain((1..d).step_by(2)).collect();
    Ok(x.select(Axis(1), &order)) // [T, d]
}

/// Rotary position embedding: pair number i of a query or a key at position p is turned by p · θ_i, with
/// θ_i = 1 / base^(2i / d).
///
/// The dot product of a query at p and a key at q then depends on their vectors and on p − q only, for
/// both are turned, and what counts is the angle between them. Values are not turned.
///
/// Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.2
/// and equation 34.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rope {
    /// Which two features are turned together.
    pub pairing: Pairing,
    /// The larger, the slower the slow pairs turn.
    pub base: f64,
}

impl Rope {
    /// With the paper's base, [`POSITION_BASE`].
    ///
    /// ```
    /// use attention::{Pairing, Rope};
    /// assert_eq!(Rope::new(Pairing::Halves).base, 10_000.0);
    /// ```
    pub fn new(pairing: Pairing) -> Self {
        Self { pairing, base: POSITION_BASE }
    }

    /// Turns each row by its position. `x` `[T, d]`, `positions` `[T]` → `[T, d]`
    ///
    /// `x` holds the queries or the keys of one head, and d is the head's d_k. No row changes its length.
    /// (Where only the first r features are to be turned, pass only those.) Positions and angles that are
    /// ∞ or NaN make NaN of what they turn.
    ///
    /// # Errors
    ///
    /// [`Error::Number`](crate::Error::Number) if d is odd, or if there is not one position for each row.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Pairing, Rope};
    /// use ndarray::array;
    /// use std::f64::consts::FRAC_PI_2;
    ///
    /// let rope = Rope::new(Pairing::Neighbours);
    /// let x = array![[1.0, 0.0], [1.0, 0.0]]; // [T = 2, d_k = 2]
    /// let turned = rope.rotate(&x, &[0.0, FRAC_PI_2])?; // [T = 2, d_k = 2]
    /// let by_hand = array![[1.0, 0.0], [0.0, 1.0]]; // not at all, and by a quarter
    /// assert!((turned - by_hand).iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: rotate
    pub fn rotate(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        positions: &[f64],  // [T]
    ) -> Result<Array2<f64>> {
        let (tokens, d) = x.dim();
        let pairs = need_even("d", d)?;
        need_count("positions.len()", positions.len(), tokens, "row of x")?;
        let angle = |(t, i)| positions[t] * angular_frequency(i, d, self.base);
        let angles = Array2::from_shape_fn((tokens, pairs), angle); // [T, d / 2]
        let cosines = angles.mapv(libm::cos); // [T, d / 2]
        let sines = angles.mapv(libm::sin); // [T, d / 2]
        self.pairing.turn(x, &cosines, &sines) // [T, d]
    }
    // ANCHOR_END: rotate

    /// Turns each row by its place: positions 0, 1, 2, … `x` `[T, d]` → `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`rotate`](Self::rotate).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Pairing, Rope};
    /// use ndarray::array;
    ///
    /// let rope = Rope::new(Pairing::Halves);
    /// let x = array![[1.0, 2.0], [1.0, 2.0]]; // [T = 2, d_k = 2]
    /// assert_eq!(rope.rotate_rows(&x)?, rope.rotate(&x, &[0.0, 1.0])?);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn rotate_rows(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>> {
        let places: Vec<f64> = (0..x.nrows()).map(|t| t as f64).collect();
        self.rotate(x, &places)
    }

    /// Turns each row back: what [`rotate_rows`](Self::rotate_rows) has turned is as it was, but for rounding.
    /// `x` `[T, d]` → `[T, d]`
    ///
    /// A rotation's inverse is its transpose, so gradients go back this way too.
    ///
    /// # Errors
    ///
    /// As for [`rotate`](Self::rotate).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Pairing, Rope};
    /// use ndarray::array;
    ///
    /// let rope = Rope::new(Pairing::Halves);
    /// let x = array![[1.0, 2.0], [1.0, 2.0]]; // [T = 2, d_k = 2]
    /// let back = rope.rotate_rows_back(&rope.rotate_rows(&x)?)?;
    /// assert!((back - x).iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn rotate_rows_back(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>> {
        let places: Vec<f64> = (0..x.nrows()).map(|t| -(t as f64)).collect();
        self.rotate(x, &places)
    }
}
