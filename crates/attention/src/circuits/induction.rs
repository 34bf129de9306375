//! 7.3: two heads, one on top of the other, that continue a pattern seen once.

use std::ops::Range;

use ndarray::{Array2, s};

use crate::attention_only::largest;
use crate::error::{Result, need_one, need_symbols};
use crate::heads::Head;
use crate::mask::Mask;
use crate::scores::Scale;
use crate::self_attention::Projections;

/// How much a match scores above all that does not match: e¹² is 162 755.
const SHARPNESS: f64 = 12.0;

/// An induction head, built by hand: two layers of attention and nothing else, over symbols 0, 1, 2, …
///
/// A token's vector has four parts, and d = 3 a + l for an alphabet of a symbols and sequences of up to
/// l of them:
///
/// | part | columns | filled by |
/// |---|---|---|
/// | token: which symbol it is, one-hot | 0 to a | [`embed`](Self::embed) |
/// | position: where it stands, one-hot | a to a + l | [`embed`](Self::embed) |
/// | before: which symbol stands before it | a + l to 2 a + l | the first layer |
/// | next: which symbol is to be predicted | 2 a + l to 3 a + l | the second layer |
///
/// The first layer attends from each position to the one before, and writes its symbol into "before".
/// The second asks with "token" and matches "before": it finds the place that followed the last time,
/// and copies its symbol into "next". Each adds to what is there: x + head(x). Both are causal.
///
/// The first token has nothing before it and attends to itself, so its "before" is wrong. The second
/// layer's W_K takes that back.
///
/// Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022,
/// "In-context Learning and Induction Heads". The construction is ours; trained models blend such heads
/// with much else.
///
/// # Example
///
/// ```
/// use attention::circuits::InductionCircuit;
///
/// let circuit = InductionCircuit::new(8, 6)?;
/// let run = circuit.run(&[5, 2, 7, 5, 2, 7], true, true)?; // a repeat of length L = 3
///
/// // At the second 5, it finds what followed the first: the 2. And so on.
/// assert_eq!(run.predictions[3..], [Some(2), Some(7), Some(5)]);
///
/// // Position i attends to i − (L − 1): its own symbol's last place, and one further.
/// for i in 3..6 {
///     assert!(run.second[[i, i - 2]] > 0.999);
/// }
///
/// // Without the first head, nobody knows what stood before.
/// let run = circuit.run(&[5, 2, 7, 5, 2, 7], false, true)?;
/// assert_eq!(run.predictions[3..], [None, Some(2), None]);
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: InductionCircuit
#[derive(Debug, Clone, PartialEq)]
pub struct InductionCircuit {
    /// Attends to the token before, and writes down which symbol it is.
    pub first: Head,
    /// Attends to what followed this symbol before, and predicts it.
    pub second: Head,
    alphabet: usize,
    length: usize,
}
// ANCHOR_END: InductionCircuit

/// Where the two heads looked, and what came of it.
// ANCHOR: InductionRun
#[derive(Debug, Clone, PartialEq)]
pub struct InductionRun {
    /// The first head's weights: a line just below the diagonal. `[T, T]`
    pub first: Array2<f64>,
    /// The second head's weights: a stripe where the sequence repeats.
    /// `[T, T]`
    pub second: Array2<f64>,
    /// At each position, the symbol with the largest logit, for the position
    /// that follows: none, if several share the largest. `[T]`
    pub predictions: Vec<Option<usize>>,
    /// At each position, how much speaks for each symbol. `[T, alphabet]`
    pub logits: Array2<f64>,
}
// ANCHOR_END: InductionRun

impl InductionCircuit {
    /// The circuit for an alphabet of so many symbols and sequences of up to `length` of them.
    ///
    /// # Errors
    ///
    /// [`Error::TooSmall`](crate::Error::TooSmall) if one of them is 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::circuits::InductionCircuit;
    ///
    /// let circuit = InductionCircuit::new(8, 20)?; // d = 3 · 8 + 20
    /// assert_eq!(circuit.first.projections.query.dim(), (44, 20)); // positions match
    /// assert_eq!(circuit.second.projections.query.dim(), (44, 8)); // symbols match
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: new
    pub fn new(alphabet: usize, length: usize) -> Result<Self> {
        need_one("alphabet", alphabet)?;
        need_one("length", length)?;
        let parts = Parts { alphabet, length };
        let positions = Array2::eye(length); // [length, length]
        let symbols = Array2::eye(alphabet); // [alphabet, alphabet]

        // "I stand at i" asks for "I stand at i − 1", which hands over its
        // symbol: one place below the diagonal.
        let one_before = Array2::from_shape_fn((length, length), |(i, j)| {
            if i == j + 1 { strength(length) } else { 0.0 }
        });
        let first = Head {
            projections: Projections {
                query: parts.read(parts.position(), &one_before), // [d, length]
                key: parts.read(parts.position(), &positions),    // [d, length]
                value: parts.read(parts.token(), &symbols), // [d, alphabet]
            },
            output: parts.write(parts.before()), // [alphabet, d]
        };

        // "I am an a" asks for "an a is before me", which hands over its
        // symbol.
        let asked = &symbols * strength(alphabet);
        let mut key = parts.read(parts.before(), &symbols); // [d, alphabet]
        // Before the first token is nothing, whatever the first layer wrote.
        key.row_mut(parts.position().start).fill(-1.0);
        let second = Head {
            projections: Projections {
                query: parts.read(parts.token(), &asked), // [d, alphabet]
                key,
                value: parts.read(parts.token(), &symbols), // [d, alphabet]
            },
            output: parts.write(parts.next()), // [alphabet, d]
        };
        Ok(Self { first, second, alphabet, length })
    }
    // ANCHOR_END: new

    /// Each symbol and its position, one-hot; the parts "before" and "next" are 0. → `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::circuits::InductionCircuit;
    /// use ndarray::array;
    ///
    /// let x = InductionCircuit::new(2, 3)?.embed(&[1, 0])?; // [T = 2, d = 2 + 3 + 2 + 2]
    /// assert_eq!(x.row(0), array![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(x.row(1), array![1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: embed
    pub fn embed(&self, sequence: &[usize]) -> Result<Array2<f64>> {
        need_symbols(sequence, self.alphabet, self.length)?;
        let parts = self.parts();
        let mut x = Array2::zeros((sequence.len(), parts.width())); // [T, d]
        for (position, &symbol) in sequence.iter().enumerate() {
            x[[position, parts.token().start + symbol]] = 1.0;
            x[[position, parts.position().start + position]] = 1.0;
        }
        Ok(x)
    }
    // ANCHOR_END: embed

    /// Both layers over a sequence of symbols. A head that is switched off still looks, but nothing of
    /// it is added.
    ///
    /// - With both on, a symbol that was there before is followed by what followed it then. If it was
    ///   followed by several, they share the logits, and where their shares are equal there is no
    ///   prediction; the circuit remembers one symbol back, no more.
    /// - Without the first, every key but the first token's is the same, the second attends evenly, and
    ///   predicts what was there most often. In a repeat of distinct symbols that is never the next one,
    ///   which has been waiting longest.
    /// - Without the second, all logits are 0, and nothing is predicted.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) if there is no symbol, and
    /// [`Error::Number`](crate::Error::Number) if there are more than the circuit has positions for, or
    /// one that is not in its alphabet.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::circuits::InductionCircuit;
    ///
    /// let circuit = InductionCircuit::new(3, 4)?;
    /// let run = circuit.run(&[2, 1, 2], true, true)?;
    /// assert!(run.first[[2, 1]] > 0.999); // the token before
    /// assert!(run.second[[2, 1]] > 0.999); // what followed the first 2
    /// assert_eq!(run.predictions[2], Some(1));
    ///
    /// // With the second head off, nothing speaks for any symbol.
    /// let run = circuit.run(&[2, 1, 2], true, false)?;
    /// assert!(run.logits.iter().all(|&logit| logit == 0.0));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: run
    pub fn run(
        &self,
        sequence: &[usize],
        first: bool,
        second: bool,
    ) -> Result<InductionRun> {
        let mut x = self.embed(sequence)?; // [T, d]
        let below = layer(&self.first, &mut x, first)?; // [T, T]
        let above = layer(&self.second, &mut x, second)?; // [T, T]
        let logits = x.slice(s![.., self.parts().next()]).to_owned();
        let predictions = logits.rows().into_iter().map(|row| largest(&row));
        Ok(InductionRun {
            predictions: predictions.collect(),
            first: below,
            second: above,
            logits, // [T, alphabet]
        })
    }
    // ANCHOR_END: run

    fn parts(&self) -> Parts {
        Parts { alphabet: self.alphabet, length: self.length }
    }
}

/// One layer: what the head brings is added to what is there, if it is on. Returns where it looked.
// ANCHOR: layer
fn layer(head: &Head, x: &mut Array2<f64>, on: bool) -> Result<Array2<f64>> {
    let it = head.attend(x, &Mask::Causal)?; // [T, d_v]
    if on {
        *x += &it.output.dot(&head.output); // [T, d]
    }
    Ok(it.weights) // [T, T]
}
// ANCHOR_END: layer

/// What a query of length 1 is multiplied by, so that a match scores [`SHARPNESS`] after the division by
/// √d_k.
fn strength(d_k: usize) -> f64 {
    SHARPNESS * Scale::ByRootDk.divisor(d_k)
}

/// Which columns of a token's vector hold what.
// ANCHOR: Parts
struct Parts {
    alphabet: usize,
    length: usize,
}

impl Parts {
    fn token(&self) -> Range<usize> {
        0..self.alphabet
    }

    fn position(&self) -> Range<usize> {
        let start = self.token().end;
        start..start + self.length
    }

    fn before(&self) -> Range<usize> {
        let start = self.position().end;
        start..start + self.alphabet
    }

    fn next(&self) -> Range<usize> {
        let start = self.before().end;
        start..start + self.alphabet
    }

    fn width(&self) -> usize {
        self.next().end // d
    }

    /// A matrix that reads one part of a token, with `what`, and nothing of
    /// the others. → `[d, columns]`
    fn read(&self, part: Range<usize>, what: &Array2<f64>) -> Array2<f64> {
        let mut matrix = Array2::zeros((self.width(), what.ncols()));
        matrix.slice_mut(s![part, ..]).assign(what);
        matrix
    }

    /// A matrix that writes a symbol into one part. → `[alphabet, d]`
    fn write(&self, part: Range<usize>) -> Array2<f64> {
        let mut matrix = Array2::zeros((self.alphabet, self.width()));
        matrix.slice_mut(s![.., part]).assign(&Array2::eye(self.alphabet));
        matrix
    }
}
// ANCHOR_END: Parts
