//! The model in candle: the same as [`attention::AttentionOnly`], with gradients, and for many sequences at once.

use attention::random::Normals;
use attention::study::Repeats;
use attention::{AttentionOnly, Head, MultiHead, Projections};
use candle_core::{D, DType, Result, Tensor, Var};
use candle_nn::ops::softmax;

use crate::weights::{causal, matrix, normal};

/// How many heads a layer has.
pub const HEADS: usize = 2;

/// How large a model is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Layers.
    pub layers: usize,
    /// Features of a token, d; a head has d / 2.
    pub width: usize,
}

impl Size {
    /// The size of the book's model.
    pub const BOOK: Self = Self { layers: 2, width: 32 };
}

struct TrainedHead {
    query: Var,  // [d, d_k]
    key: Var,    // [d, d_k]
    value: Var,  // [d, d_v]
    output: Var, // [d_v, d]
}

/// A model that can be trained.
pub struct Model {
    embedding: Var,   // [alphabet, d]
    positions: Var,   // [length, d]
    unembedding: Var, // [d, alphabet]
    layers: Vec<Vec<TrainedHead>>,
}

impl Model {
    /// A model that has learned nothing: every number from N(0, 1/d), for a seed.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn new(size: Size, seed: u64) -> Result<Self> {
        let mut normals = Normals::seeded(seed);
        let d = size.width;
        let mut draw = |rows, columns| normal(&mut normals, 1.0 / d as f64, rows, columns);
        let d_k = d / HEADS;
        Ok(Self {
            embedding: draw(Repeats::ALPHABET, d)?,
            positions: draw(Repeats::LENGTH, d)?,
            unembedding: draw(d, Repeats::ALPHABET)?,
            layers: (0..size.layers)
                .map(|_| {
                    let head = |_| {
                        Ok(TrainedHead {
                            query: draw(d, d_k)?,
                            key: draw(d, d_k)?,
                            value: draw(d, d_k)?,
                            output: draw(d_k, d)?,
                        })
                    };
                    (0..HEADS).map(head).collect()
                })
                .collect::<Result<_>>()?,
        })
    }

    /// Everything that is learned, by its name in the file, and always in this order.
    pub fn weights(&self) -> Vec<(String, &Var)> {
        let mut weights = vec![
            ("embedding".to_owned(), &self.embedding),
            ("positions".to_owned(), &self.positions),
            ("unembedding".to_owned(), &self.unembedding),
        ];
        for (l, layer) in self.layers.iter().enumerate() {
            for (h, head) in layer.iter().enumerate() {
                let TrainedHead { query, key, value, output } = head;
                for (name, matrix) in [("query", query), ("key", key), ("value", value), ("output", output)] {
                    weights.push((format!("layers.{l}.heads.{h}.{name}"), matrix));
                }
            }
        }
        weights
    }

    /// The logits of many sequences, one below the other: `inputs` `[n, T]` → `[n T, alphabet]`
    ///
    /// In the type of the weights, or in another one if `dtype` says so.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn logits(&self, inputs: &Tensor, dtype: DType) -> Result<Tensor> {
        let (n, t) = inputs.dims2()?;
        let d = self.embedding.dim(1)?;
        let mask = causal(t, dtype)?; // [T, T]
        let positions = self.positions.to_dtype(dtype)?.narrow(0, 0, t)?; // [T, d]
        let embedded = self.embedding.to_dtype(dtype)?.index_select(&inputs.flatten_all()?, 0)?; // [n T, d]
        let x = embedded.reshape((n, t, d))?.broadcast_add(&positions)?; // [n, T, d]
        // candle multiplies no matrix with three axes by one with two: all tokens are rows.
        let mut x = x.reshape((n * t, d))?; // [n T, d]
        for layer in &self.layers {
            let mut next = x.clone();
            for head in layer {
                next = (next + head.contribution(&x, n, &mask)?)?;
            }
            x = next;
        }
        x.matmul(&self.unembedding.to_dtype(dtype)?) // [n T, alphabet]
    }

    /// The same weights in the book's library.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn in_library(&self) -> Result<AttentionOnly> {
        let head = |head: &TrainedHead| {
            let projections = Projections {
                query: matrix(&head.query)?,
                key: matrix(&head.key)?,
                value: matrix(&head.value)?,
            };
            Ok(Head::new(projections, matrix(&head.output)?))
        };
        let layer =
            |heads: &Vec<TrainedHead>| Ok(MultiHead::new(heads.iter().map(head).collect::<Result<_>>()?));
        Ok(AttentionOnly {
            embedding: matrix(&self.embedding)?,
            positions: matrix(&self.positions)?,
            layers: self.layers.iter().map(layer).collect::<Result<_>>()?,
            unembedding: matrix(&self.unembedding)?,
        })
    }
}

impl TrainedHead {
    /// What the head adds: softmax(mask(x W_Q (x W_K)ᵀ / √d_k)) x W_V W_O, for each of n sequences.
    /// `x` `[n T, d]` → `[n T, d]`
    fn contribution(&self, x: &Tensor, n: usize, mask: &Tensor) -> Result<Tensor> {
        let (rows, t) = (x.dim(0)?, mask.dim(0)?);
        let project = |matrix: &Var| {
            let d_k = matrix.dim(1)?;
            x.matmul(&matrix.to_dtype(x.dtype())?)?.reshape((n, t, d_k)) // [n, T, d_k]
        };
        let (queries, keys, values) = (project(&self.query)?, project(&self.key)?, project(&self.value)?);
        let root_d_k = (queries.dim(2)? as f64).sqrt();
        let scores = (queries.matmul(&keys.t()?)? / root_d_k)?.broadcast_add(mask)?; // [n, T, T]
        // Not `softmax_last_dim`, which is faster, and has no gradient.
        let weights = softmax(&scores, D::Minus1)?; // [n, T, T]
        let output = weights.matmul(&values)?; // [n, T, d_v]
        output.reshape((rows, ()))?.matmul(&self.output.to_dtype(x.dtype())?) // [n T, d]
    }
}
