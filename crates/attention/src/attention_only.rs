//! 7.3: a transformer with nothing in it but attention, for weights that were trained.

use ndarray::{Array2, ArrayRef1, Axis, s};

use crate::error::{Result, need, need_below, need_one, need_symbols, shape};
use crate::heads::MultiHead;
use crate::mask::Mask;

/// An attention-only transformer over symbols 0, 1, 2, …: each layer's heads add to what is there, x +
/// heads(x), and all of them are causal. It has no norms, no biases and no MLPs.
///
/// The weights are learned, and not here: `cargo run --release -p train -- induction` trains such a model.
///
/// Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", "Transformer
/// overview", but with positions that are learned and added to the embedding.
///
/// # Example
///
/// ```
/// use attention::AttentionOnly;
///
/// // A repeat of length 6: from the second 5 on, each symbol has been there before.
/// let sequence = [5, 2, 7, 0, 9, 4, 5, 2, 7, 0, 9, 4];
/// let run = AttentionOnly::trained().run(&sequence)?;
/// assert_eq!(run.predictions[6..], [2, 7, 0, 9, 4, 5].map(Some));
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: AttentionOnly
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionOnly {
    /// A vector for each symbol. `[alphabet, d]`
    pub embedding: Array2<f64>,
    /// A vector for each position. `[length, d]`
    pub positions: Array2<f64>,
    /// The heads of each layer, the lowest layer first.
    pub layers: Vec<MultiHead>,
    /// From d features to how much speaks for each symbol. `[d, alphabet]`
    pub unembedding: Array2<f64>,
}
// ANCHOR_END: AttentionOnly

/// Where the heads looked, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionOnlyRun {
    /// The weights of each layer's heads: `weights[layer][head]`. `[T, T]`
    pub weights: Vec<Vec<Array2<f64>>>,
    /// At each position, how much speaks for each symbol. `[T, alphabet]`
    pub logits: Array2<f64>,
    /// At each position, the symbol with the largest logit, for the position
    /// that follows. `[T]`
    pub predictions: Vec<Option<usize>>,
}

impl AttentionOnly {
    /// How many numbers were learned.
    pub fn parameters(&self) -> usize {
        let heads: usize = self.layers.iter().map(MultiHead::parameters).sum();
        let [e, p, u] = [&self.embedding, &self.positions, &self.unembedding];
        e.len() + p.len() + heads + u.len()
    }

    /// The same model with one head's output set to 0, zero-ablation: it still looks, but nothing of it is added.
    ///
    /// [`mean_ablated`](crate::study::mean_ablated) sets it to its mean instead.
    ///
    /// # Errors
    ///
    /// [`Error::Number`](crate::Error::Number) if there is no such layer, or no such head in it. Both are counted from 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let sequence = [5, 2, 7, 0, 9, 4, 5, 2, 7, 0, 9, 4];
    /// let grown = AttentionOnly::trained();
    /// let without = grown.without(0, 0)?; // the one that looks at the token before
    /// assert_eq!(without.run(&sequence)?.weights[0], grown.run(&sequence)?.weights[0]);
    /// assert_ne!(without.run(&sequence)?.predictions[6..], [2, 7, 0, 9, 4, 5].map(Some));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn without(&self, layer: usize, head: usize) -> Result<Self> {
        need_below("layer", layer, self.layers.len())?;
        need_below("head", head, self.layers[layer].heads.len())?;
        let mut model = self.clone();
        model.layers[layer].heads[head].output.fill(0.0); // [d_v, d]
        Ok(model)
    }

    /// Each symbol's vector, plus its position's. → `[T, d]`
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) if there is no symbol, and [`Error::Number`](crate::Error::Number) if there are more than the model has
    /// positions for, or one that it has no vector for; [`Error::Shape`](crate::Error::Shape) and [`Error::TooSmall`](crate::Error::TooSmall) if
    /// `embedding` and `positions` do not fit each other, or one of them has no row.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let grown = AttentionOnly::trained();
    /// let x = grown.embed(&[7, 7])?; // [T = 2, d = 32]
    /// assert_eq!(x.row(1), &grown.embedding.row(7) + &grown.positions.row(1));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn embed(&self, sequence: &[usize]) -> Result<Array2<f64>> {
        self.check(sequence)?;
        let symbols = self.embedding.select(Axis(0), sequence); // [T, d]
        let positions = self.positions.slice(s![..sequence.len(), ..]); // [T, d]
        Ok(symbols + positions) // [T, d]
    }

    /// All layers over a sequence of symbols.
    ///
    /// # Errors
    ///
    /// As for [`embed`](Self::embed) and [`MultiHead::attend`]; [`Error::Shape`](crate::Error::Shape) if `unembedding` does
    /// not fit the others.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let run = AttentionOnly::trained().run(&[5, 2, 7])?;
    /// assert_eq!(run.weights[1][0].dim(), (3, 3)); // layer 1, head 0
    /// assert_eq!(run.logits.dim(), (3, 26));
    /// assert_eq!(run.predictions.len(), 3);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: run
    pub fn run(&self, sequence: &[usize]) -> Result<AttentionOnlyRun> {
        let mut x = self.embed(sequence)?; // [T, d]
        let mut weights = Vec::new();
        for layer in &self.layers {
            let it = layer.attend(&x, &Mask::Causal)?;
            x += &it.output; // [T, d]
            weights.push(it.heads.into_iter().map(|it| it.weights).collect());
        }
        let logits = x.dot(&self.unembedding); // [T, alphabet]
        let predictions = logits.rows().into_iter().map(|row| largest(&row));
        Ok(AttentionOnlyRun {
            predictions: predictions.collect(),
            weights,
            logits,
        })
    }
    // ANCHOR_END: run

    fn check(&self, sequence: &[usize]) -> Result<()> {
        let (alphabet, d) = self.embedding.dim();
        let length = self.positions.nrows();
        need_one("embedding.nrows()", alphabet)?;
        need_one("positions.nrows()", length)?;
        let for_e = || format!("for embedding {}", shape(&self.embedding));
        need(
            self.positions.ncols() == d,
            "positions",
            &self.positions,
            || format!("[length, {d}] {}", for_e()),
        )?;
        let unembedding = &self.unembedding;
        let fits = unembedding.dim() == (d, alphabet);
        need(fits, "unembedding", unembedding, || {
            format!("[{d}, {alphabet}] {}", for_e())
        })?;
        need_symbols(sequence, alphabet, length)
    }
}

/// The place of the largest number, if there is one that is ahead of all
/// others.
fn largest(row: &ArrayRef1<f64>) -> Option<usize> {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ahead = |&number: &f64| number > largest - TIE;
    let first = row.iter().position(ahead)?;
    let last = row.iter().rposition(ahead)?;
    (first == last).then_some(first)
}

/// Logits that differ by less than this count as equal: it is more than all that does not match can leave behind.
const TIE: f64 = 1e-3;
