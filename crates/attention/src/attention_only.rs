//! 7.3: a transformer with nothing in it but attention, for weights that were trained.

use ndarray::{Array2, Axis, s};

use crate::error::{
    Error, Result, need, need_below, need_one, need_symbols, shape,
};
use crate::induction::largest;
use crate::safetensors::{Tensors, read};
use crate::{Head, Mask, MultiHead, Projections};

/// An attention-only transformer over symbols 0, 1, 2, …: each layer's heads add to what is there, x +
/// heads(x), and all of them are causal. It has no norms, no biases and no MLPs.
///
/// The weights are learned, and not here: `cargo run --release -p grow` trains such a model.
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
/// let run = AttentionOnly::grown().run(&sequence)?;
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
// ANCHOR: AttentionOnlyRun
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
// ANCHOR_END: AttentionOnlyRun

impl AttentionOnly {
    /// The model that `grow` trained for this book: two layers of two heads, d = 32, over 26 symbols.
    ///
    /// How it was made says `grown/README.md`, beside this file.
    ///
    /// ```
    /// use attention::{AttentionOnly, Repeats};
    ///
    /// let grown = AttentionOnly::grown();
    /// assert_eq!(grown.embedding.dim(), (Repeats::ALPHABET, 32));
    /// assert_eq!(grown.positions.dim(), (Repeats::LENGTH, 32));
    /// assert_eq!((grown.layers.len(), grown.layers[0].heads.len()), (2, 2));
    /// assert_eq!(grown.parameters(), 26 * 32 + 24 * 32 + 2 * 4 * 32 * 32 + 32 * 26);
    /// ```
    pub fn grown() -> Self {
        Self::from_safetensors(include_bytes!("grown/weights.safetensors"))
            .expect("a test reads this file")
    }

    /// The model in a safetensors file whose numbers are of type BF16. Tensors are called `embedding`,
    /// `positions`, `unembedding`, and, for each layer and head from 0 on,
    /// `layers.0.heads.0.query`, `.key`, `.value` and `.output`.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the file is damaged, or a tensor is missing, of another type, or one too many;
    /// [`Error::Shape`] if two of them do not fit each other; and [`Error::TooSmall`] if there is no
    /// symbol or no position.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let error = AttentionOnly::from_safetensors(b"GIF89a").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "file: came with fewer than 8 bytes, needed the length of a head"
    /// );
    /// ```
    // ANCHOR: from_safetensors
    pub fn from_safetensors(file: &[u8]) -> Result<Self> {
        let mut tensors = read(file)?;
        let embedding = take(&mut tensors, "embedding")?; // [alphabet, d]
        let positions = take(&mut tensors, "positions")?; // [length, d]
        let unembedding = take(&mut tensors, "unembedding")?; // [d, alphabet]
        let mut layers = Vec::new();
        for layer in 0.. {
            let heads = heads_of(&mut tensors, layer)?;
            if heads.is_empty() {
                break;
            }
            layers.push(MultiHead { heads });
        }
        nothing_left(&tensors)?;
        let model = Self { embedding, positions, layers, unembedding };
        model.run(&[0])?; // If one symbol fits, all do.
        Ok(model)
    }
    // ANCHOR_END: from_safetensors

    /// How many numbers were learned.
    pub fn parameters(&self) -> usize {
        let heads: usize = self.layers.iter().map(MultiHead::parameters).sum();
        let [e, p, u] = [&self.embedding, &self.positions, &self.unembedding];
        e.len() + p.len() + heads + u.len()
    }

    /// The same model with one head switched off: it still looks, but nothing of it is added.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if there is no such layer, or no such head in it. Both are counted from 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let sequence = [5, 2, 7, 0, 9, 4, 5, 2, 7, 0, 9, 4];
    /// let grown = AttentionOnly::grown();
    /// let without = grown.without(0, 0)?; // the one that looks at the token before
    /// assert_eq!(without.run(&sequence)?.weights[0], grown.run(&sequence)?.weights[0]);
    /// assert_ne!(without.run(&sequence)?.predictions[6..], [2, 7, 0, 9, 4, 5].map(Some));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: without
    pub fn without(&self, layer: usize, head: usize) -> Result<Self> {
        need_below("layer", layer, self.layers.len())?;
        need_below("head", head, self.layers[layer].heads.len())?;
        let mut model = self.clone();
        model.layers[layer].heads[head].output.fill(0.0); // [d_v, d]
        Ok(model)
    }
    // ANCHOR_END: without

    /// Each symbol's vector, plus its position's. → `[T, d]`
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no symbol, and [`Error::Number`] if there are more than the model has
    /// positions for, or one that it has no vector for; [`Error::Shape`] and [`Error::TooSmall`] if
    /// `embedding` and `positions` do not fit each other, or one of them has no row.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let grown = AttentionOnly::grown();
    /// let x = grown.embed(&[7, 7])?; // [T = 2, d = 32]
    /// assert_eq!(x.row(1), &grown.embedding.row(7) + &grown.positions.row(1));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: embed
    pub fn embed(&self, sequence: &[usize]) -> Result<Array2<f64>> {
        self.check(sequence)?;
        let symbols = self.embedding.select(Axis(0), sequence); // [T, d]
        let positions = self.positions.slice(s![..sequence.len(), ..]); // [T, d]
        Ok(symbols + positions) // [T, d]
    }
    // ANCHOR_END: embed

    /// All layers over a sequence of symbols.
    ///
    /// # Errors
    ///
    /// As for [`embed`](Self::embed) and [`MultiHead::attend`]; [`Error::Shape`] if `unembedding` does
    /// not fit the others.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    ///
    /// let run = AttentionOnly::grown().run(&[5, 2, 7])?;
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

/// Takes the heads of one layer out of what a file has: none, if it has no such layer.
fn heads_of(tensors: &mut Tensors, layer: usize) -> Result<Vec<Head>> {
    let mut heads = Vec::new();
    for head in 0.. {
        let head = format!("layers.{layer}.heads.{head}.");
        if !tensors.keys().any(|name| name.starts_with(&head)) {
            break;
        }
        let mut of = |matrix: &str| take(tensors, &format!("{head}{matrix}"));
        let projections = Projections {
            query: of("query")?, // [d, d_k]
            key: of("key")?,     // [d, d_k]
            value: of("value")?, // [d, d_v]
        };
        let output = of("output")?; // [d_v, d]
        heads.push(Head { projections, output });
    }
    Ok(heads)
}

/// Takes the tensor of this name out of what a file has.
fn take(tensors: &mut Tensors, name: &str) -> Result<Array2<f64>> {
    tensors.remove(name).ok_or_else(|| Error::File {
        argument: "file",
        came: format!("no tensor `{name}`"),
        needed: "one".to_owned(),
    })
}

/// `Ok` if everything that a file has was taken.
fn nothing_left(tensors: &Tensors) -> Result<()> {
    tensors.keys().next().map_or(Ok(()), |name| {
        Err(Error::File {
            argument: "file",
            came: format!("the tensor `{name}`"),
            needed: "none but those of an attention-only transformer"
                .to_owned(),
        })
    })
}
