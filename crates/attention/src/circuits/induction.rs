//! 7.3: two heads, one on top of the other, that continue a pattern seen once.

use std::ops::Range;

use ndarray::{Array2, s};

use crate::attention_only::AttentionOnly;
use crate::error::{Result, need_one, need_room_squared};
use crate::heads::{Head, MultiHead};
use crate::scores::Scale;
use crate::self_attention::Projections;

/// How much a match scores above all that does not match: e¹² is 162 755.
const SHARPNESS: f64 = 12.0;

/// An induction circuit, built by hand: an [`AttentionOnly`] of two layers with one head each, for an
/// alphabet of so many symbols and sequences of up to `length` of them.
///
/// A token's vector has four parts, and d = 3 a + l for an alphabet of a symbols and a length of l:
///
/// | part | columns | filled by |
/// |---|---|---|
/// | token: which symbol it is, one-hot | 0 to a | the embedding |
/// | position: where it stands, one-hot | a to a + l | the positions |
/// | before: which symbol stands before it | a + l to 2 a + l | the first layer |
/// | next: which symbol is to be predicted | 2 a + l to 3 a + l | the second layer, for the unembedding |
///
/// The first layer attends from each position to the one before, and writes its symbol into "before".
/// The second asks with "token" and matches "before": it finds the place that followed the last time,
/// and copies its symbol into "next".
///
/// The first token has nothing before it and attends to itself, so its "before" is wrong. The second
/// layer's W_K takes that back.
///
/// - A symbol that was there before is followed by what followed it then. If it was followed by several,
///   they share the logits, and where their shares are equal there is no prediction; the circuit remembers
///   one symbol back, no more.
/// - [Without](AttentionOnly::without) the first head, every key but the first token's is the same, the
///   second attends evenly, and predicts what was there most often. In a repeat of distinct symbols that is
///   never the next one, which has been waiting longest.
/// - Without the second, all logits are 0, and nothing is predicted.
///
/// Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022,
/// "In-context Learning and Induction Heads". The construction is ours; trained models blend such heads
/// with much else.
///
/// # Errors
///
/// [`Error::TooSmall`](crate::Error::TooSmall) if one of the two is 0.
///
/// # Example
///
/// ```
/// use attention::circuits::induction_circuit;
///
/// let circuit = induction_circuit(8, 6)?; // d = 3 · 8 + 6
/// assert_eq!(circuit.layers[0].heads[0].projections.query.dim(), (30, 6)); // positions match
/// assert_eq!(circuit.layers[1].heads[0].projections.query.dim(), (30, 8)); // symbols match
/// let sequence = [5, 2, 7, 5, 2, 7]; // a repeat of length L = 3
/// let run = circuit.run(&sequence)?;
///
/// // At the second 5, it finds what followed the first: the 2. And so on.
/// assert_eq!(run.predictions[3..], [Some(2), Some(7), Some(5)]);
///
/// // Position i attends to i − (L − 1): its own symbol's last place, and one further.
/// for i in 3..6 {
///     assert!(run.weights[1][0][[i, i - 2]] > 0.999);
/// }
///
/// // Without the first head, nobody knows what stood before.
/// let run = circuit.without(0, 0)?.run(&sequence)?;
/// assert_eq!(run.predictions[3..], [None, Some(2), None]);
///
/// // Without the second, nothing speaks for any symbol.
/// let run = circuit.without(1, 0)?.run(&sequence)?;
/// assert!(run.logits.iter().all(|&logit| logit == 0.0));
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: induction_circuit
pub fn induction_circuit(
    alphabet: usize,
    length: usize,
) -> Result<AttentionOnly> {
    need_one("alphabet", alphabet)?;
    need_one("length", length)?;
    need_room_squared("alphabet", alphabet)?;
    need_room_squared("length", length)?;
    let parts = Parts { alphabet, length };
    let positions = Array2::eye(length); // [length, length]
    let symbols = Array2::eye(alphabet); // [alphabet, alphabet]

    // "I stand at i" asks for "I stand at i − 1", which hands over its
    // symbol: one place below the diagonal.
    let one_before = Array2::from_shape_fn((length, length), |(i, j)| {
        if i == j + 1 { strength(length) } else { 0.0 }
    });
    let projections = Projections {
        query: parts.read(parts.position(), &one_before), // [d, length]
        key: parts.read(parts.position(), &positions),    // [d, length]
        value: parts.read(parts.token(), &symbols),       // [d, alphabet]
    };
    let output = parts.write(parts.before(), &symbols); // [alphabet, d]
    let first = Head::new(projections, output);

    // "I am an a" asks for "an a is before me", which hands over its
    // symbol.
    let asked = &symbols * strength(alphabet);
    let mut key = parts.read(parts.before(), &symbols); // [d, alphabet]
    // Before the first token is nothing, whatever the first layer wrote.
    key.row_mut(parts.position().start).fill(-1.0);
    let projections = Projections {
        query: parts.read(parts.token(), &asked), // [d, alphabet]
        key,
        value: parts.read(parts.token(), &symbols), // [d, alphabet]
    };
    let output = parts.write(parts.next(), &symbols); // [alphabet, d]
    let second = Head::new(projections, output);

    Ok(AttentionOnly {
        embedding: parts.write(parts.token(), &symbols), // [alphabet, d]
        positions: parts.write(parts.position(), &positions), // [length, d]
        layers: [first, second].map(|head| MultiHead::new(vec![head])).into(),
        unembedding: parts.read(parts.next(), &symbols), // [d, alphabet]
    })
}
// ANCHOR_END: induction_circuit

/// What a query of length 1 is multiplied by, so that a match scores [`SHARPNESS`] after the division by
/// √d_k.
fn strength(d_k: usize) -> f64 {
    SHARPNESS * Scale::ByRootDk.divisor(d_k)
}

/// Which columns of a token's vector hold what.
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

    /// A matrix that writes `what` into one part of a token. → `[rows, d]`
    fn write(&self, part: Range<usize>, what: &Array2<f64>) -> Array2<f64> {
        let mut matrix = Array2::zeros((what.nrows(), self.width()));
        matrix.slice_mut(s![.., part]).assign(what);
        matrix
    }
}
