//! Recurrent networks in candle, to compare with: a plain one and one with gates.

use attention::random::Normals;
use candle_core::{DType, Device, Result, Tensor, Var};
use candle_nn::ops::sigmoid;

use super::batch::WORDS_COUNT;
use super::learning::Reader;
use crate::weights::normal;

/// What a recurrent network is like before it has learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Whether it has gates (LSTM), or none.
    pub gates: bool,
    /// Features of its state, and of a word's vector.
    pub width: usize,
}

/// A recurrent network that can be trained.
pub struct Chain {
    shape: Shape,
    embedding: Var,   // [words, d]
    input: Var,       // [d, d], or [d, 4 d] with gates
    state: Var,       // [d, d], or [d, 4 d] with gates
    bias: Var,        // [1, d], or [1, 4 d] with gates
    unembedding: Var, // [d, words]
    out: Var,         // [1, words]
}

impl Chain {
    /// One that has learned nothing: matrices from N(0, 1 / rows), for a seed. A forget gate begins open: its bias is 1.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn new(shape: Shape, seed: u64) -> Result<Self> {
        let mut normals = Normals::seeded(seed);
        let d = shape.width;
        let columns = if shape.gates { 4 * d } else { d };
        let mut matrix = |rows, columns, variance| normal(&mut normals, variance, rows, columns);
        let open = |column: usize| f32::from(u8::from(shape.gates && (d..2 * d).contains(&column)));
        Ok(Self {
            shape,
            embedding: matrix(WORDS_COUNT, d, 1.0)?,
            input: matrix(d, columns, 1.0 / d as f64)?,
            state: matrix(d, columns, 1.0 / d as f64)?,
            bias: Var::from_vec((0..columns).map(open).collect::<Vec<f32>>(), (1, columns), &Device::Cpu)?,
            unembedding: matrix(d, WORDS_COUNT, 1.0 / d as f64)?,
            out: Var::from_vec(vec![0_f32; WORDS_COUNT], (1, WORDS_COUNT), &Device::Cpu)?,
        })
    }

    /// The logits of many sentences, one below the other: `inputs` `[n, T]` → `[n T, words]`
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn logits(&self, inputs: &Tensor) -> Result<Tensor> {
        let (n, t) = inputs.dims2()?;
        let d = self.shape.width;
        let embedded = self.embedding.index_select(&inputs.flatten_all()?, 0)?; // [n T, d]
        let from_words = embedded.matmul(&self.input)?.broadcast_add(&self.bias)?.reshape((n, t, ()))?;
        let mut h = Tensor::zeros((n, d), DType::F32, &Device::Cpu)?; // [n, d]
        let mut cell = h.clone(); // [n, d]
        let mut states = vec![];
        for step in 0..t {
            let sum = (from_words.narrow(1, step, 1)?.squeeze(1)? + h.matmul(&self.state)?)?; // [n, d] or [n, 4 d]
            h = if self.shape.gates {
                let part = |i: usize| sum.narrow(1, i * d, d);
                let (enter, forget, leave) = (sigmoid(&part(0)?)?, sigmoid(&part(1)?)?, sigmoid(&part(2)?)?);
                cell = ((forget * &cell)? + (enter * part(3)?.tanh()?)?)?;
                (leave * cell.tanh()?)?
            } else {
                sum.tanh()?
            };
            states.push(h.clone());
        }
        let states = Tensor::stack(&states, 1)?.reshape((n * t, d))?; // [n T, d]
        states.matmul(&self.unembedding)?.broadcast_add(&self.out) // [n T, words]
    }
}

impl Reader for Chain {
    fn learned(&self) -> Vec<Var> {
        let Self { embedding, input, state, bias, unembedding, out, .. } = self;
        [embedding, input, state, bias, unembedding, out].map(Var::clone).into()
    }

    fn read(&self, inputs: &Tensor) -> Result<Tensor> {
        self.logits(inputs)
    }
}
