//! 7.4: a whole transformer: a table of vectors, blocks, and a matrix that makes a guess of what comes out.

use ndarray::{Array2, ArrayRef2, Axis};

use crate::block::{Block, State, Step};
use crate::error::{Result, need, need_below, need_one, need_symbols, shape};
use crate::mask::Mask;
use crate::stack::Stack;

/// A language model: each token's vector out of a table (the *embedding*), a [`Stack`] of blocks under a causal mask,
/// and a matrix from what comes out to a number for each word (the *unembedding*).
///
/// Where a token stands it hears from its heads, if they have a [`Rope`](crate::Rope), or not at all.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.1 and 3.4, the decoder without an encoder; Radford
/// et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
#[derive(Debug, Clone, PartialEq)]
pub struct Transformer {
    /// A vector for each word. `[vocabulary, d]`
    pub embedding: Array2<f64>,
    /// The blocks, and the last norm.
    pub stack: Stack,
    /// What each word's logit is made with. `[d, vocabulary]`
    pub unembedding: Array2<f64>,
}

/// What a transformer makes of some tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformerRun {
    /// The residual stream: the tokens' vectors, and then what they have become after each addition, two for each block.
    /// `1 + 2 blocks` times `[T, d]`
    pub stream: Vec<Array2<f64>>,
    /// For each block, each head's weights. `[T, T]`
    pub weights: Vec<Vec<Array2<f64>>>,
    /// A number for each word that may follow each token. `[T, vocabulary]`
    pub logits: Array2<f64>,
}

impl Transformer {
    /// How many numbers were learned.
    ///
    /// ```
    /// use attention::random::Normals;
    /// use attention::study::block_parameters;
    /// use attention::{NormPlace, Stack, Transformer};
    ///
    /// let mut normals = Normals::seeded(4);
    /// let transformer = Transformer {
    ///     embedding: normals.matrix(10, 8), // 10 words, d = 8
    ///     stack: Stack::xavier(NormPlace::Pre, 2, 8, 2, &mut normals)?, // 2 blocks, h = 2
    ///     unembedding: normals.matrix(8, 10),
    /// };
    /// assert_eq!(transformer.parameters(), 10 * 8 + 2 * block_parameters(8) + 2 * 8 + 8 * 10);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parameters(&self) -> usize {
        self.embedding.len() + self.stack.parameters() + self.unembedding.len()
    }

    /// Each token's vector, and what becomes of it. `tokens` `[T]`, each below the number of words
    ///
    /// # Errors
    ///
    /// [`Error::Empty`](crate::Error::Empty) if there is no token, [`Error::Number`](crate::Error::Number) if one has no
    /// vector; [`Error::Shape`](crate::Error::Shape) if `unembedding` does not fit `embedding`; and as for
    /// [`Block::forward`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::random::Normals;
    /// use attention::{NormPlace, Stack, Transformer};
    ///
    /// let mut normals = Normals::seeded(4);
    /// let transformer = Transformer {
    ///     embedding: normals.matrix(10, 8), // 10 words, d = 8
    ///     stack: Stack::xavier(NormPlace::Pre, 2, 8, 2, &mut normals)?, // 2 blocks, h = 2
    ///     unembedding: normals.matrix(8, 10),
    /// };
    /// let run = transformer.run(&[3, 1, 4])?; // T = 3
    /// assert_eq!((run.stream.len(), run.logits.dim()), (5, (3, 10)));
    /// assert_eq!(run.weights[1][0].dim(), (3, 3)); // block 1, head 0
    ///
    /// // What it guesses after a token is not changed by those that come later.
    /// let longer = transformer.run(&[3, 1, 4, 1, 5])?;
    /// assert!((&longer.logits.row(2) - &run.logits.row(2)).iter().all(|e| e.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn run(&self, tokens: &[usize]) -> Result<TransformerRun> {
        self.check(tokens)?;
        let mut stream = vec![self.embedding.select(Axis(0), tokens)]; // [T, d]
        let mut weights = vec![];
        for block in &self.stack.blocks {
            let x = stream[stream.len() - 1].clone(); // [T, d]
            weights.push(block.weights(&x, &Mask::Causal)?); // h times [T, T]
            stream.extend(after_additions(block, x)?);
        }
        let logits = self.guess(&stream[stream.len() - 1])?; // [T, vocabulary]
        Ok(TransformerRun { stream, weights, logits })
    }

    /// The logits that the last norm and the last matrix make of the stream, anywhere on its way.
    /// `x` `[T, d]` → `[T, vocabulary]`
    ///
    /// At the end it is the model's guess. Further up it says what the guess would be if nothing came any more: the
    /// *logit lens*.
    ///
    /// Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    ///
    /// # Errors
    ///
    /// As for [`LayerNorm::apply`](crate::LayerNorm::apply), and [`Error::Shape`](crate::Error::Shape) if `unembedding`
    /// has not d rows.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Stack, Transformer};
    /// use ndarray::{Array2, array};
    ///
    /// // No blocks, no last norm: each word is the guess after itself.
    /// let stack = Stack { blocks: vec![], last_norm: None };
    /// let echo = Transformer { embedding: Array2::eye(3), stack, unembedding: Array2::eye(3) };
    /// let run = echo.run(&[2, 0])?;
    /// assert_eq!(run.logits, array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]); // [T = 2, 3 words]
    /// assert_eq!(echo.guess(&run.stream[0])?, run.logits);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn guess(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
    ) -> Result<Array2<f64>> {
        let unembedding = &self.unembedding;
        need(
            unembedding.nrows() == x.ncols(),
            "unembedding",
            unembedding,
            || format!("[{}, vocabulary] for x {}", x.ncols(), shape(x)),
        )?;
        match &self.stack.last_norm {
            Some(norm) => Ok(norm.apply(x)?.dot(unembedding)),
            None => Ok(x.dot(unembedding)), // [T, vocabulary]
        }
    }

    /// The same transformer with one head switched off: it still looks, but nothing of it is added.
    ///
    /// # Errors
    ///
    /// [`Error::Number`](crate::Error::Number) if there is no such block, or no such head in it. Both are counted from 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::random::Normals;
    /// use attention::{NormPlace, Stack, Transformer};
    ///
    /// let mut normals = Normals::seeded(4);
    /// let transformer = Transformer {
    ///     embedding: normals.matrix(10, 8), // 10 words, d = 8
    ///     stack: Stack::xavier(NormPlace::Pre, 2, 8, 2, &mut normals)?, // 2 blocks, h = 2
    ///     unembedding: normals.matrix(8, 10),
    /// };
    /// let without = transformer.without_head(1, 0)?;
    /// let (run, less) = (transformer.run(&[3, 1, 4])?, without.run(&[3, 1, 4])?);
    /// assert_eq!(less.weights, run.weights);
    /// assert_ne!(less.logits, run.logits);
    /// assert!(transformer.without_head(2, 0).is_err());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn without_head(&self, block: usize, head: usize) -> Result<Self> {
        need_below("block", block, self.stack.blocks.len())?;
        let heads = self.stack.blocks[block].attention.heads.len();
        need_below("head", head, heads)?;
        let mut less = self.clone();
        let heads = &mut less.stack.blocks[block].attention.heads;
        heads[head].output.fill(0.0); // [d_v, d]
        Ok(less)
    }

    /// The same transformer with one block's MLP switched off: nothing of it is added.
    ///
    /// # Errors
    ///
    /// [`Error::Number`](crate::Error::Number) if there is no such block. They are counted from 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::random::Normals;
    /// use attention::{NormPlace, Stack, Transformer};
    ///
    /// let mut normals = Normals::seeded(4);
    /// let transformer = Transformer {
    ///     embedding: normals.matrix(10, 8), // 10 words, d = 8
    ///     stack: Stack::xavier(NormPlace::Pre, 2, 8, 2, &mut normals)?, // 2 blocks, h = 2
    ///     unembedding: normals.matrix(8, 10),
    /// };
    /// let stream = transformer.without_mlp(0)?.run(&[3, 1, 4])?.stream;
    /// assert_eq!(stream[2], stream[1]); // after the first block's MLP, and before it
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn without_mlp(&self, block: usize) -> Result<Self> {
        need_below("block", block, self.stack.blocks.len())?;
        let mut less = self.clone();
        let mlp = &mut less.stack.blocks[block].mlp;
        mlp.w_out.fill(0.0); // [d_ff, d]
        mlp.b_out.fill(0.0); // [d]
        Ok(less)
    }

    fn check(&self, tokens: &[usize]) -> Result<()> {
        let (words, d) = self.embedding.dim();
        need_one("embedding.nrows()", words)?;
        let unembedding = &self.unembedding;
        need(
            unembedding.dim() == (d, words),
            "unembedding",
            unembedding,
            || {
                format!(
                    "[{d}, {words}] for embedding {}",
                    shape(&self.embedding)
                )
            },
        )?;
        need_symbols(tokens, words, usize::MAX)
    }
}

/// What the tokens have become after each addition of a block. `x` `[T, d]` → for each `[T, d]`
fn after_additions(block: &Block, x: Array2<f64>) -> Result<Vec<Array2<f64>>> {
    let mut state = State { x, residual: None };
    let mut after = vec![];
    for step in block.norms.steps() {
        state = block.run_step(step, state, &Mask::Causal)?;
        if step == Step::Add {
            after.push(state.x.clone()); // [T, d]
        }
    }
    Ok(after)
}
