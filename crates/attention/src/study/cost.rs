//! 7.2: what attention costs, counted.

use std::num::Saturating;

use crate::error::{Result, need_divisor};
use crate::mlp::MLP_WIDENING;
use crate::one_pass::BLOCK;

/// A number to count with. What goes beyond a `u64` stays at its largest number.
fn count(number: usize) -> Saturating<u64> {
    Saturating(number as u64)
}

/// What it takes to let T tokens attend to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications. Divisions and additions are not among them. (As all
    /// counts here, u64::MAX if there are more.)
    pub multiplications: u64,
    /// Calls of `exp`.
    pub exponentials: u64,
    /// The most bytes that are held at once, beside inputs and output: 8 for
    /// each `f64`.
    pub bytes: u64,
}

/// The cost of [`attention()`](crate::attention()), which makes the T × T matrix: T queries, keys and
/// values of d features each, and no mask.
///
/// - Multiplications: a score is a dot product of d terms, and there are T² of them. Each of the T · d
///   numbers of the output is a sum of T terms, which makes as many again: 2 T² d.
/// - Exponentials: one for each score, T².
/// - Bytes: the scores, which softmax turns into weights where they stand, and the row it is working
///   on: 8 (T² + T). The weights are counted, although [`Attention`](crate::Attention) hands them out:
///   the output proper is `[T, d]`.
///
/// Not counted is what the matrix product needs for itself, to have its operands in the order in which
/// it reads them.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", table 1: O(n² · d) for self-attention.
///
/// # Example
///
/// ```
/// use attention::study::{Cost, plain_cost};
///
/// // 2 · 7² · 2 multiplications, 7² exponentials, (7² + 7) numbers of 8 bytes.
/// let seven = Cost { multiplications: 196, exponentials: 49, bytes: 448 };
/// assert_eq!(plain_cost(7, 2), seven);
///
/// // Twice the tokens: four times the work.
/// assert_eq!(plain_cost(14, 2).multiplications, 4 * 196);
/// ```
pub fn plain_cost(tokens: usize, d: usize) -> Cost {
    let [t, d] = [tokens, d].map(count);
    Cost {
        multiplications: (count(2) * t * t * d).0,
        exponentials: (t * t).0,
        bytes: (count(8) * (t * t + t)).0,
    }
}

/// The cost of [`one_pass_attention`](crate::one_pass_attention), which takes the keys in blocks of
/// 64: T queries, keys and values of d features each, and no mask.
///
/// With B = ⌈T / 64⌉ blocks of keys, and b = 64 rows in a block, or T if that is less:
///
/// - Multiplications: the 2 T² d of [`plain_cost`], and at each block each query's sum and its d
///   weighted sums are brought to the new largest score: T B (d + 1) more.
/// - Exponentials: one for each score, and one for each query at each block, to bring the sums to the
///   new largest score: T² + T B.
/// - Bytes: the scores of a block of queries for a block of keys, b²; what these keys add to the
///   output, b d; and each query's largest score and sum, 2 b: 8 (b² + b d + 2 b). From 64 tokens on, T
///   is not in it.
///
/// So the work still grows as T²; only the memory does not. As for [`plain_cost`], what the matrix
/// product needs for itself is not counted.
///
/// Source: Rabe and Staats 2021, "Self-attention Does Not Need O(n²) Memory"; Dao et al. 2022,
/// "FlashAttention", theorem 1: O(n² d) operations.
///
/// # Example
///
/// ```
/// use attention::study::{Cost, one_pass_cost, plain_cost};
///
/// // 7 tokens are one block: 7 · 1 · 3 multiplications and 7 exponentials more than plain attention.
/// let seven = Cost { multiplications: 196 + 21, exponentials: 49 + 7, bytes: 616 };
/// assert_eq!(one_pass_cost(7, 2), seven);
///
/// // A long text: hardly more work, and a small part of the memory, which no longer grows.
/// let (plain, one_pass) = (plain_cost(8192, 64), one_pass_cost(8192, 64));
/// assert!(one_pass.multiplications < plain.multiplications / 100 * 101);
/// assert_eq!(one_pass.bytes, 8 * (64 * 64 + 64 * 64 + 2 * 64)); // 66 560
/// assert_eq!(one_pass.bytes, one_pass_cost(64, 64).bytes);
/// assert!(plain.bytes > 8000 * one_pass.bytes);
/// ```
pub fn one_pass_cost(tokens: usize, d: usize) -> Cost {
    let blocks = count(tokens.div_ceil(BLOCK));
    let b = count(tokens.min(BLOCK));
    let [t, d, one, two] = [tokens, d, 1, 2].map(count);
    Cost {
        multiplications: (two * t * t * d + t * blocks * (d + one)).0,
        exponentials: (t * t + t * blocks).0,
        bytes: (count(8) * (b * b + b * d + two * b)).0,
    }
}

/// What heads cost: what is to be learned, and what is to be computed for T tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadCost {
    /// Numbers to learn.
    pub parameters: u64,
    /// Multiplications. Divisions and additions are not among them. (As all
    /// counts here, u64::MAX if there are more.)
    pub multiplications: u64,
    /// Calls of `exp`: one for each weight.
    pub exponentials: u64,
}

/// The cost of one head of width d_k = d_v = `d_head` over T tokens of `d` features, without a mask.
///
/// - Parameters: W_Q, W_K, W_V and this head's rows of W_O, 4 d d_head.
/// - Multiplications: each parameter once for each token, and attention itself,
///   [2 T² d_head](plain_cost).
/// - Exponentials: T², however narrow the head.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2 and table 1.
///
/// # Example
///
/// ```
/// use attention::study::{HeadCost, head_cost};
///
/// // 4 · 8 · 2 parameters; 7 · 64 + 2 · 49 · 2 multiplications.
/// let narrow = HeadCost { parameters: 64, multiplications: 644, exponentials: 49 };
/// assert_eq!(head_cost(7, 8, 2), narrow);
/// ```
pub fn head_cost(tokens: usize, d: usize, d_head: usize) -> HeadCost {
    let attention = plain_cost(tokens, d_head);
    let parameters = count(4) * count(d) * count(d_head);
    let projected = count(tokens) * parameters;
    HeadCost {
        parameters: parameters.0,
        multiplications: projected.0.saturating_add(attention.multiplications),
        exponentials: attention.exponentials,
    }
}

/// The cost of `heads` heads of width d / h each: h times [`head_cost`].
///
/// Parameters and multiplications come out the same for every h: 4 d² and 4 T d² + 2 T² d. Only the
/// exponentials grow, h T², for there are h times as many weights.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2: "the total computational
/// cost is similar to that of single-head attention with full dimensionality".
///
/// # Errors
///
/// [`Error::TooSmall`](crate::Error::TooSmall) if `heads` is 0, and [`Error::Number`](crate::Error::Number) if it does not divide `d`.
///
/// # Example
///
/// ```
/// use attention::study::multi_head_cost;
///
/// let (one, four) = (multi_head_cost(7, 8, 1)?, multi_head_cost(7, 8, 4)?);
/// assert_eq!((one.parameters, one.multiplications), (256, 2576));
/// assert_eq!((four.parameters, four.multiplications), (256, 2576));
/// assert_eq!((one.exponentials, four.exponentials), (49, 4 * 49));
///
/// let three = multi_head_cost(7, 8, 3).unwrap_err();
/// assert_eq!(three.to_string(), "heads: came as 3, needed a divisor of 8");
/// # Ok::<(), attention::Error>(())
/// ```
pub fn multi_head_cost(
    tokens: usize,
    d: usize,
    heads: usize,
) -> Result<HeadCost> {
    let d_head = need_divisor("heads", heads, d)?;
    let one = head_cost(tokens, d, d_head);
    let h = heads as u64;
    Ok(HeadCost {
        parameters: h.saturating_mul(one.parameters),
        multiplications: h.saturating_mul(one.multiplications),
        exponentials: h.saturating_mul(one.exponentials),
    })
}

/// How many multiplications T tokens take at the matrices of a block of `d` features, its MLP
/// [four times as wide](crate::MLP_WIDENING): 12 T d².
///
/// Each token is multiplied once by each number of W_Q, W_K, W_V and W_O (4 d²) and of the MLP's two matrices
/// (d · 4 d, twice). What tokens do with one another, scores and means, is [`plain_cost`]'s 2 T² d, for all
/// heads together.
///
/// # Example
///
/// ```
/// use attention::study::{block_multiplications, plain_cost};
///
/// assert_eq!(block_multiplications(7, 8), 7 * (4 * 8 * 8 + 2 * 8 * 32)); // 5376
///
/// // Below 6 d tokens the matrices are the larger part, above 6 d what tokens do with one another.
/// assert!(plain_cost(47, 8).multiplications < block_multiplications(47, 8));
/// assert_eq!(plain_cost(48, 8).multiplications, block_multiplications(48, 8));
/// assert!(plain_cost(49, 8).multiplications > block_multiplications(49, 8));
/// ```
pub fn block_multiplications(tokens: usize, d: usize) -> u64 {
    let [t, d] = [tokens, d].map(count);
    let attention = count(4) * d * d; // W_Q, W_K, W_V, W_O
    let mlp = count(2 * MLP_WIDENING) * d * d; // d → 4 d → d
    (t * (attention + mlp)).0
}

/// How many numbers a block of `d` features learns, if its MLP is [four times as wide](crate::MLP_WIDENING)
/// and its heads are d / h wide: 12 d² + 13 d. What is beyond a `usize` is counted as its largest number.
///
/// # Example
///
/// ```
/// use attention::study::block_parameters;
/// assert_eq!(block_parameters(768), 7_087_872); // BERT's and GPT-2's smallest: a block of twelve
/// ```
pub fn block_parameters(d: usize) -> usize {
    let [d, two, four, five, eight] = [d, 2, 4, 5, 8].map(Saturating);
    let attention = four * d * d + four * d; // W_Q, W_K, W_V, W_O and their biases
    let mlp = eight * d * d + five * d; // d → 4 d → d, and biases for both
    let norms = two * (d + d); // γ and β, twice
    (attention + mlp + norms).0 // 12 d² + 13 d
}
