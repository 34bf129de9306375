//! 7.3: three heads built by hand. Each has its pattern from W_Q and W_K that fit on a page.

use ndarray::Array2;

use crate::heads::Head;
use crate::self_attention::Projections;

/// What kind of word a token is, as far as the three heads care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// Something that a pronoun can stand for, such as `cat`.
    Noun,
    /// Something that stands for a noun, such as `it`.
    Pronoun,
    /// Any other word.
    Other,
}

/// The columns of [`sentence_features`], d = 6 of them: `Feature::Noun as usize` is 0, and so on.
///
/// Real models learn hundreds of features, and nobody names them. These six are just what the three
/// heads below need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// 1 for a noun, 0 for all else.
    Noun,
    /// 1 for a pronoun.
    Pronoun,
    /// 1 for any other word.
    Other,
    /// 1 for every token.
    One,
    /// The token's position, counted from 0.
    Position,
    /// The square of its position.
    Square,
}

impl Feature {
    /// All of them, in the order of the columns.
    pub const ALL: [Self; 6] = [
        Self::Noun,
        Self::Pronoun,
        Self::Other,
        Self::One,
        Self::Position,
        Self::Square,
    ];
}

/// A sentence as vectors: for each token its kind, a 1, its position p and p². → `[T, 6]`
///
/// There is a column for each [`Feature`], and any number of tokens.
///
/// # Example
///
/// ```
/// use attention::circuits::{WordKind, sentence_features};
/// use ndarray::array;
///
/// // The cat: it sleeps
/// let kinds = [WordKind::Other, WordKind::Noun, WordKind::Pronoun, WordKind::Other];
/// let x = array![
///     [0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
///     [1.0, 0.0, 0.0, 1.0, 1.0, 1.0],
///     [0.0, 1.0, 0.0, 1.0, 2.0, 4.0],
///     [0.0, 0.0, 1.0, 1.0, 3.0, 9.0],
/// ]; // [T = 4, d = 6]
/// assert_eq!(sentence_features(&kinds), x);
/// ```
// ANCHOR: sentence_features
pub fn sentence_features(kinds: &[WordKind]) -> Array2<f64> {
    let shape = (kinds.len(), Feature::ALL.len());
    Array2::from_shape_fn(shape, |(token, column)| {
        let is = |kind| if kinds[token] == kind { 1.0 } else { 0.0 };
        let p = token as f64;
        match Feature::ALL[column] {
            Feature::Noun => is(WordKind::Noun),
            Feature::Pronoun => is(WordKind::Pronoun),
            Feature::Other => is(WordKind::Other),
            Feature::One => 1.0,
            Feature::Position => p,
            Feature::Square => p * p,
        }
    }) // [T, d = 6]
}
// ANCHOR_END: sentence_features

/// A head that attends to the token before.
///
/// Its score for query i and key j is 8 (2 (i − 1) j − j²). That is −8 (j − (i − 1))², but for a number
/// which is the same along the row and which softmax does not see. So the token before scores highest,
/// and its neighbours 8 less: e⁻⁸ is 1 / 2981.
///
/// d = 6, d_k = 2, d_v = 3. With the causal mask, the first token has only itself.
///
/// Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", on previous token
/// heads. The construction is ours.
///
/// # Example
///
/// ```
/// use attention::Mask;
/// use attention::circuits::{WordKind, previous_token_head, sentence_features};
///
/// let x = sentence_features(&[WordKind::Other; 7]); // [T = 7, d = 6]
/// let it = previous_token_head().projections.attend(&x, &Mask::Causal)?;
/// for i in 1..7 {
///     assert!(it.weights[[i, i - 1]] > 0.999);
/// }
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: previous_token_head
pub fn previous_token_head() -> Head {
    let sharpness = 8.0;
    near(-1.0, sharpness)
}
// ANCHOR_END: previous_token_head

/// A head that attends to its neighbourhood: the further away, the less.
///
/// Its score for query i and key j is −(j − i)² / 4, but for a number which is the same along the row.
/// Compared with itself, a token at distance 1, 2, 3, 4 gets the shares e^(−1/4), e⁻¹, e^(−9/4), e⁻⁴:
/// 0.78, 0.37, 0.11, 0.02. A bell, of which the causal mask leaves half.
///
/// d = 6, d_k = 2, d_v = 3.
///
/// # Example
///
/// ```
/// use attention::Mask;
/// use attention::circuits::{WordKind, neighbourhood_head, sentence_features};
///
/// let x = sentence_features(&[WordKind::Other; 7]); // [T = 7, d = 6]
/// let it = neighbourhood_head().projections.attend(&x, &Mask::None)?;
/// let last = it.weights.row(6); // [T = 7]
/// assert!((last[4] / last[6] - libm::exp(-1.0)).abs() < 1e-12);
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: neighbourhood_head
pub fn neighbourhood_head() -> Head {
    let sharpness = 0.25;
    near(0.0, sharpness)
}
// ANCHOR_END: neighbourhood_head

/// A head with which a pronoun attends to the last noun before it.
///
/// A pronoun asks for two things, nouns and late positions: its score for key j is 200 if j is a noun,
/// and 2 j. A noun is worth as much as 100 positions, so in a sentence of up to 64 tokens no other word
/// comes near; and of two nouns, the later is ahead by at least 2, which makes it e² = 7.4 times as
/// heavy. So the last noun gets at least 1 − e⁻², more than 0.86.
///
/// A word that is no pronoun asks for nothing: its query is 0, and it attends evenly. A pronoun without
/// a noun in sight attends to the latest token it may, which is itself with the causal mask.
///
/// d = 6, d_k = 2, d_v = 3. Use it with [`Mask::Causal`](crate::Mask::Causal): without, "the last noun"
/// is the last one of the sentence.
///
/// # Example
///
/// ```
/// use attention::Mask;
/// use attention::circuits::{WordKind::*, pronoun_head, sentence_features};
///
/// // The cat sat because it was tired
/// let kinds = [Other, Noun, Other, Other, Pronoun, Other, Other];
/// let x = sentence_features(&kinds); // [T = 7, d = 6]
/// let it = pronoun_head().projections.attend(&x, &Mask::Causal)?;
/// assert!(it.weights[[4, 1]] > 0.99); // it → cat
/// assert_eq!(it.weights[[3, 1]], 0.25); // because → all four words so far
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: pronoun_head
pub fn pronoun_head() -> Head {
    use Feature::{Noun, Position, Pronoun};
    // What a pronoun asks for, and how much a key has of it.
    kind_head(
        [&[(Pronoun, 200.0)], &[(Pronoun, 2.0)]],
        [&[(Noun, 1.0)], &[(Position, 1.0)]],
    )
}
// ANCHOR_END: pronoun_head

/// A head that attends around the position `shift` away: its scores fall off as
/// −`sharpness` · (j − (i + shift))².
// ANCHOR: near
fn near(shift: f64, sharpness: f64) -> Head {
    use Feature::{One, Position, Square};
    // With c = i + shift: −(j − c)² = 2 c · j + (−1) · j² − c², and the
    // last is the same for all keys of a query.
    let two = 2.0 * sharpness;
    kind_head(
        [&[(Position, two), (One, two * shift)], &[(One, -sharpness)]],
        [&[(Position, 1.0)], &[(Square, 1.0)]],
    )
}
// ANCHOR_END: near

/// One feature of a query or a key: which features of the token it adds up, and how much of each.
type Sum<'a> = &'a [(Feature, f64)];

/// A head that hands over a word's kind, with these two features of a query and a key. Its scores come
/// out as they are written: the division by √d_k is made up for.
// ANCHOR: head
fn kind_head(query: [Sum; 2], key: [Sum; 2]) -> Head {
    let root = libm::sqrt(2.0); // √d_k
    let kinds: [Sum; 3] = [
        &[(Feature::Noun, 1.0)],
        &[(Feature::Pronoun, 1.0)],
        &[(Feature::Other, 1.0)],
    ];
    let projections = Projections {
        query: matrix(&query) * root, // [d = 6, d_k = 2]
        key: matrix(&key),            // [d = 6, d_k = 2]
        value: matrix(&kinds),        // [d = 6, d_v = 3]
    };
    let output = matrix(&kinds).reversed_axes(); // [d_v = 3, d = 6]
    Head::new(projections, output)
}

/// A column for each sum. → `[d = 6, sums]`
fn matrix(sums: &[Sum]) -> Array2<f64> {
    let mut matrix = Array2::zeros((Feature::ALL.len(), sums.len()));
    for (column, sum) in sums.iter().enumerate() {
        for &(feature, factor) in *sum {
            matrix[[feature as usize, column]] = factor;
        }
    }
    matrix // [d = 6, sums]
}
// ANCHOR_END: head
