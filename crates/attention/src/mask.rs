//! 7.2: which query may attend to which key.

use ndarray::{Array2, ArrayRef2};

use crate::error::{Result, need, need_room};

/// Who may attend to whom: rows are queries, columns are keys, and true means "may".
///
/// A mask works on scores, before softmax: [`Mask::apply`] writes −∞ where a query may not attend,
/// and softmax makes an exact 0 of it. A query that may attend to no key gets no weight at all, and
/// the output 0.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3: "by masking out (setting
/// to −∞) all values in the input of the softmax which correspond to illegal connections".
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Mask {
    /// Every query may attend to every key.
    #[default]
    None,
    /// No query may look ahead: key j is allowed to query i if j ≤ i. The
    /// diagonal stays, for a token may attend to itself.
    Causal,
    /// Exactly these: row i says which keys query i may attend to. `[T_q, T_k]`
    Allowed(Array2<bool>),
}

impl Mask {
    /// Whether this query may attend to this key, both counted from 0.
    ///
    /// # Panics
    ///
    /// If the mask is [`Mask::Allowed`], and its matrix has no such row or column.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Mask;
    ///
    /// assert!(Mask::Causal.allows(3, 2)); // what came before
    /// assert!(Mask::Causal.allows(3, 3)); // itself
    /// assert!(!Mask::Causal.allows(3, 4)); // what is to come
    /// assert!(Mask::None.allows(3, 4));
    /// ```
    // ANCHOR: allows
    pub fn allows(&self, query: usize, key: usize) -> bool {
        match self {
            Mask::None => true,
            Mask::Causal => key <= query,
            Mask::Allowed(allowed) => allowed[[query, key]],
        }
    }
    // ANCHOR_END: allows

    /// Writes −∞ over each score whose query may not attend to its key. `scores` `[T_q, T_k]`
    ///
    /// Scores that are allowed stay as they are, to the last bit. What was written over is gone, be it
    /// NaN: no score that is masked has any influence.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the mask is [`Mask::Allowed`] of another shape than
    /// `scores`.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, softmax_rows};
    /// use ndarray::array;
    ///
    /// const NO: f64 = f64::NEG_INFINITY;
    /// let mut scores = array![[0.0, 9.0], [5.0, 5.0], [7.0, 7.0]]; // [T_q = 3, T_k = 2]
    /// Mask::Causal.apply(&mut scores)?;
    /// assert_eq!(scores, array![[0.0, NO], [5.0, 5.0], [7.0, 7.0]]);
    ///
    /// // The first query has one key left. It gets everything, although its score was the lower one.
    /// assert_eq!(softmax_rows(&scores), array![[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: apply
    pub fn apply(&self, scores: &mut ArrayRef2<f64>) -> Result<()> {
        self.check(scores.nrows(), scores.ncols())?;
        self.hide(scores, 0, 0);
        Ok(())
    }

    /// Writes the −∞ into a block of scores, which begins at this query and
    /// this key. `[queries, keys]` of the block
    pub(crate) fn hide(
        &self,
        scores: &mut ArrayRef2<f64>,
        first_query: usize,
        first_key: usize,
    ) {
        if *self == Mask::None {
            return;
        }
        for (i, mut row) in scores.rows_mut().into_iter().enumerate() {
            for (j, score) in row.iter_mut().enumerate() {
                if !self.allows(first_query + i, first_key + j) {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
    }
    // ANCHOR_END: apply

    /// The mask as a matrix: row i says which keys query i may attend to. → `[queries, keys]`
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the mask is [`Mask::Allowed`] of another shape, and
    /// [`Error::Number`](crate::Error::Number) if it has more than 2²⁷ places.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Mask;
    /// use ndarray::array;
    ///
    /// let lower_triangle = array![
    ///     [true, false, false],
    ///     [true, true, false],
    ///     [true, true, true],
    /// ]; // [T = 3, T = 3]
    /// assert_eq!(Mask::Causal.matrix(3, 3)?, lower_triangle);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn matrix(&self, queries: usize, keys: usize) -> Result<Array2<bool>> {
        self.check(queries, keys)?;
        need_room("keys", keys, 1)?;
        need_room("queries", queries, keys)?;
        let allows = |(query, key)| self.allows(query, key);
        Ok(Array2::from_shape_fn((queries, keys), allows)) // [T_q, T_k]
    }

    /// `Ok` if the mask fits so many queries and keys.
    pub(crate) fn check(&self, queries: usize, keys: usize) -> Result<()> {
        let Mask::Allowed(allowed) = self else {
            return Ok(()); // fits any number of them
        };
        need(allowed.dim() == (queries, keys), "mask", allowed, || {
            format!("[{queries}, {keys}], a row per query, a column per key")
        })
    }
}
