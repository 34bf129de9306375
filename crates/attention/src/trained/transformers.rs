//! 7.1 and 7.4: the transformers that were trained on the small language, and others like them.

use ndarray::{Array1, Array2};

use crate::block::{Block, NormPlace};
use crate::error::{Error, Result};
use crate::heads::MultiHead;
use crate::mlp::Mlp;
use crate::norm::LayerNorm;
use crate::rope::Rope;
use crate::stack::Stack;
use crate::trained::safetensors::{Tensors, read};
use crate::trained::weights::{heads_of, nothing_left, take};
use crate::transformer::Transformer;

impl Transformer {
    /// One block with one head whose queries and keys have two features each, so that they can be drawn; without an MLP and
    /// without positions. It has learned to read the small language as far as verbs go.
    ///
    /// How it was made says `roles/README.md`, beside this file.
    ///
    /// ```
    /// use attention::Transformer;
    /// use attention::study::{Sentence, WORDS};
    ///
    /// let model = Transformer::roles();
    /// let head = &model.stack.blocks[0].attention.heads[0];
    /// assert_eq!(head.projections.query.dim(), (16, 2)); // [d, d_k]
    ///
    /// let it = Sentence::parse("The cat sat because it slept")?;
    /// let run = model.run(it.before())?;
    /// assert!(run.weights[0][0][[it.pronoun, it.antecedent]] > 0.4);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn roles() -> Self {
        let file = include_bytes!("roles/weights.safetensors");
        Self::from_safetensors(file, None).expect("a test reads this file")
    }

    /// The pre-norm transformer in a safetensors file whose numbers are of type BF16. Its heads turn queries and keys by
    /// `rope`, if there is one.
    ///
    /// Tensors are called `embedding` and `unembedding`; `last_norm.gamma` and `last_norm.beta`; and, for each block and
    /// head from 0 on, `blocks.0.first_norm.gamma` and `.beta`, `blocks.0.heads.0.query`, `.key`, `.value` and
    /// `.output`, and, if the block has an MLP, `blocks.0.second_norm.gamma` and `.beta` and `blocks.0.mlp.w_in`,
    /// `.b_in`, `.w_out` and `.b_out`. What is a vector has one row.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the file is damaged, or a tensor is missing, of another type, or one too many;
    /// [`Error::Shape`] if two of them do not fit each other; and [`Error::TooSmall`] if there is no word.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Transformer;
    ///
    /// let error = Transformer::from_safetensors(b"GIF89a", None).unwrap_err();
    /// assert!(error.to_string().starts_with("file: came with fewer than 8 bytes"));
    /// ```
    pub fn from_safetensors(file: &[u8], rope: Option<Rope>) -> Result<Self> {
        let mut tensors = read(file)?;
        let embedding = take(&mut tensors, "embedding")?; // [vocabulary, d]
        let unembedding = take(&mut tensors, "unembedding")?; // [d, vocabulary]
        let last_norm = Some(norm(&mut tensors, "last_norm")?);
        let mut blocks = vec![];
        loop {
            let prefix = format!("blocks.{}.", blocks.len());
            if !tensors.keys().any(|name| name.starts_with(&prefix)) {
                break;
            }
            blocks.push(block(&mut tensors, &prefix, rope)?);
        }
        nothing_left(&tensors, "a transformer")?;
        let stack = Stack { blocks, last_norm };
        let model = Self { embedding, stack, unembedding };
        model.run(&[0])?; // If one word fits, all do.
        Ok(model)
    }
}

/// Takes the block whose tensors' names begin so.
fn block(
    tensors: &mut Tensors,
    prefix: &str,
    rope: Option<Rope>,
) -> Result<Block> {
    let first_norm = norm(tensors, &format!("{prefix}first_norm"))?;
    let mut heads = heads_of(tensors, prefix)?;
    heads.iter_mut().for_each(|head| head.rope = rope);
    let d = first_norm.gamma.len();
    let mlp = format!("{prefix}mlp.");
    let has_mlp = tensors.keys().any(|name| name.starts_with(&mlp));
    let (second_norm, mlp) = match has_mlp {
        true => {
            let mut of = |name: &str| take(tensors, &format!("{mlp}{name}"));
            let (w_in, w_out) = (of("w_in")?, of("w_out")?); // [d, d_ff], [d_ff, d]
            let b_in = vector(tensors, &format!("{mlp}b_in"))?; // [d_ff]
            let b_out = vector(tensors, &format!("{mlp}b_out"))?; // [d]
            let norm = norm(tensors, &format!("{prefix}second_norm"))?;
            (norm, Mlp { w_in, b_in, w_out, b_out })
        }
        false => (LayerNorm::new(d), Mlp::none(d)),
    };
    let attention = MultiHead::new(heads);
    Ok(Block { norms: NormPlace::Pre, first_norm, attention, second_norm, mlp })
}

fn norm(tensors: &mut Tensors, name: &str) -> Result<LayerNorm> {
    let gamma = vector(tensors, &format!("{name}.gamma"))?; // [d]
    let beta = vector(tensors, &format!("{name}.beta"))?; // [d]
    Ok(LayerNorm { gamma, beta, ..LayerNorm::new(0) })
}

/// Takes a matrix of one row.
fn vector(tensors: &mut Tensors, name: &str) -> Result<Array1<f64>> {
    let matrix: Array2<f64> = take(tensors, name)?;
    let (rows, columns) = matrix.dim();
    match rows {
        1 => Ok(matrix.row(0).to_owned()),
        _ => Err(Error::File {
            argument: "file",
            came: format!("the shape [{rows}, {columns}] in `{name}`"),
            needed: "one row".to_owned(),
        }),
    }
}
