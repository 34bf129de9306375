//! 7.3: the model whose weights were trained, and others like it.

use ndarray::Array2;

use crate::attention_only::AttentionOnly;
use crate::error::{Error, Result};
use crate::heads::{Head, MultiHead};
use crate::self_attention::Projections;
use crate::trained::safetensors::{Tensors, read};

impl AttentionOnly {
    /// The model that `crates/train` trained for this book: two layers of two heads, d = 32, over 26 symbols.
    ///
    /// How it was made says `model/README.md`, beside this file.
    ///
    /// ```
    /// use attention::AttentionOnly;
    /// use attention::study::Repeats;
    ///
    /// let grown = AttentionOnly::trained();
    /// assert_eq!(grown.embedding.dim(), (Repeats::ALPHABET, 32));
    /// assert_eq!(grown.positions.dim(), (Repeats::LENGTH, 32));
    /// assert_eq!((grown.layers.len(), grown.layers[0].heads.len()), (2, 2));
    /// assert_eq!(grown.parameters(), 26 * 32 + 24 * 32 + 2 * 4 * 32 * 32 + 32 * 26);
    /// ```
    pub fn trained() -> Self {
        Self::from_safetensors(include_bytes!("model/weights.safetensors"))
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
    ///     "file: came with fewer than 8 bytes, needed the length of a header"
    /// );
    /// ```
    pub fn from_safetensors(file: &[u8]) -> Result<Self> {
        let mut tensors = read(file)?;
        let embedding = take(&mut tensors, "embedding")?; // [alphabet, d]
        let positions = take(&mut tensors, "positions")?; // [length, d]
        let unembedding = take(&mut tensors, "unembedding")?; // [d, alphabet]
        let mut layers = Vec::new();
        for layer in 0.. {
            let heads = heads_of(&mut tensors, &format!("layers.{layer}."))?;
            if heads.is_empty() {
                break;
            }
            layers.push(MultiHead::new(heads));
        }
        nothing_left(&tensors, "an attention-only transformer")?;
        let model = Self { embedding, positions, layers, unembedding };
        model.run(&[0])?; // If one symbol fits, all do.
        Ok(model)
    }
}

/// Takes the heads whose tensors' names begin so out of what a file has: none, if it has none.
pub(crate) fn heads_of(
    tensors: &mut Tensors,
    prefix: &str,
) -> Result<Vec<Head>> {
    let mut heads = Vec::new();
    for head in 0.. {
        let head = format!("{prefix}heads.{head}.");
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
        heads.push(Head::new(projections, output));
    }
    Ok(heads)
}

/// Takes the tensor of this name out of what a file has.
pub(crate) fn take(tensors: &mut Tensors, name: &str) -> Result<Array2<f64>> {
    tensors.remove(name).ok_or_else(|| Error::File {
        argument: "file",
        came: format!("no tensor `{name}`"),
        needed: "one".to_owned(),
    })
}

/// `Ok` if everything that a file has was taken.
pub(crate) fn nothing_left(tensors: &Tensors, of: &str) -> Result<()> {
    tensors.keys().next().map_or(Ok(()), |name| {
        Err(Error::File {
            argument: "file",
            came: format!("the tensor `{name}`"),
            needed: format!("none but those of {of}"),
        })
    })
}
