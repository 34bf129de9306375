//! The transformer in candle: the same as [`attention::Transformer`], with gradients, and for many sentences at once.

use attention::random::Normals;
use attention::{LAYER_NORM_EPSILON, Pairing, Rope, Transformer, angular_frequency};
use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::ops::softmax;

use super::batch::WORDS_COUNT;
use super::learning::Reader;
use crate::weights::{causal, normal, round, to_safetensors};
use crate::{Error, Result as ItsResult};

/// What a transformer is like before it has learned.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Features of a token, d.
    pub width: usize,
    /// Blocks.
    pub blocks: usize,
    /// Heads of a block; their values are d / heads wide.
    pub heads: usize,
    /// Features of a query and of a key, d_k.
    pub d_k: usize,
    /// Features inside the MLP; 0 for no MLP.
    pub mlp: usize,
    /// Whether queries and keys are turned by their positions; otherwise nothing tells where a word stands.
    pub rope: bool,
    /// What a head asks with.
    pub asks: Asks,
}

/// What a head asks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// A matrix of its own, W_Q.
    Query,
    /// The keys' matrix: W_Q = W_K.
    Key,
    /// Nothing: queries are 0, and weights even.
    Nothing,
}

impl Shape {
    /// One block with one head whose queries and keys can be drawn: d_k = 2, no MLP, no positions.
    pub const PLANE: Self =
        Self { width: 16, blocks: 1, heads: 1, d_k: 2, mlp: 0, rope: false, asks: Asks::Query };
    /// Two blocks with all that blocks have.
    pub const TWO_BLOCKS: Self =
        Self { width: 16, blocks: 2, heads: 2, d_k: 8, mlp: 64, rope: true, asks: Asks::Query };

    /// What the library turns queries and keys with.
    pub fn rope(&self) -> Option<Rope> {
        self.rope.then(|| Rope::new(Pairing::Halves))
    }
}

/// A transformer that can be trained.
pub struct Model {
    shape: Shape,
    embedding: Var, // [words, d]
    blocks: Vec<Block>,
    last_norm: Norm,
    unembedding: Var, // [d, words]
}

struct Block {
    first_norm: Norm,
    heads: Vec<Head>,
    second_norm: Norm,
    mlp: Option<Mlp>,
}

struct Norm {
    gamma: Var, // [1, d]
    beta: Var,  // [1, d]
}

struct Head {
    query: Var,  // [d, d_k]
    key: Var,    // [d, d_k]
    value: Var,  // [d, d_v]
    output: Var, // [d_v, d]
}

struct Mlp {
    w_in: Var,  // [d, d_ff]
    b_in: Var,  // [1, d_ff]
    w_out: Var, // [d_ff, d]
    b_out: Var, // [1, d]
}

impl Model {
    /// A model that has learned nothing: matrices from N(0, 1 / rows), vectors of words from N(0, 1), for a seed.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn new(shape: Shape, seed: u64) -> Result<Self> {
        let mut normals = Normals::seeded(seed);
        let d = shape.width;
        let embedding = normal(&mut normals, 1.0, WORDS_COUNT, d)?;
        let blocks = (0..shape.blocks).map(|_| Block::new(&shape, &mut normals)).collect::<Result<_>>()?;
        let last_norm = Norm::new(d)?;
        let unembedding = matrix(d, WORDS_COUNT, &mut normals)?;
        Ok(Self { shape, embedding, blocks, last_norm, unembedding })
    }

    /// What is learned, by its name in the file, and always in this order. Of a block without an MLP the second norm is
    /// not among it, and of heads that ask with something else, W_Q.
    pub fn weights(&self) -> Vec<(String, &Var)> {
        let mut weights: Vec<(String, &Var)> = vec![("embedding".into(), &self.embedding)];
        for (b, block) in self.blocks.iter().enumerate() {
            let mut push = |name: &str, var| weights.push((format!("blocks.{b}.{name}"), var));
            push("first_norm.gamma", &block.first_norm.gamma);
            push("first_norm.beta", &block.first_norm.beta);
            for (h, head) in block.heads.iter().enumerate() {
                if self.shape.asks == Asks::Query {
                    push(&format!("heads.{h}.query"), &head.query);
                }
                push(&format!("heads.{h}.key"), &head.key);
                push(&format!("heads.{h}.value"), &head.value);
                push(&format!("heads.{h}.output"), &head.output);
            }
            if let Some(mlp) = &block.mlp {
                push("second_norm.gamma", &block.second_norm.gamma);
                push("second_norm.beta", &block.second_norm.beta);
                push("mlp.w_in", &mlp.w_in);
                push("mlp.b_in", &mlp.b_in);
                push("mlp.w_out", &mlp.w_out);
                push("mlp.b_out", &mlp.b_out);
            }
        }
        weights.push(("last_norm.gamma".into(), &self.last_norm.gamma));
        weights.push(("last_norm.beta".into(), &self.last_norm.beta));
        weights.push(("unembedding".into(), &self.unembedding));
        weights
    }

    /// The logits of many sentences, one below the other: `inputs` `[n, T]` → `[n T, words]`, computed in `dtype`.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn logits(&self, inputs: &Tensor, dtype: DType) -> Result<Tensor> {
        let (n, t) = inputs.dims2()?;
        let mask = causal(t, dtype)?; // [T, T]
        let mut x = self.embedding.to_dtype(dtype)?.index_select(&inputs.flatten_all()?, 0)?; // [n T, d]
        for block in &self.blocks {
            let normed = block.first_norm.apply(&x)?; // [n T, d]
            for head in &block.heads {
                x = (x + head.contribution(&normed, n, &mask, &self.shape)?)?;
            }
            if let Some(mlp) = &block.mlp {
                x = (&x + mlp.apply(&block.second_norm.apply(&x)?)?)?;
            }
        }
        self.last_norm.apply(&x)?.matmul(&self.unembedding.to_dtype(dtype)?) // [n T, words]
    }

    /// Rounds every weight to a multiple of `grid`, as the file has it.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn round(&self, grid: f64) -> Result<()> {
        round(self.weights().into_iter().map(|(_, weight)| weight), grid)
    }

    /// The file with its weights. Heads that ask with something else than a W_Q of their own have one in it that does
    /// the same.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn file(&self) -> Result<Vec<u8>> {
        let mut weights = self.weights();
        let mut others = vec![];
        for (b, block) in self.blocks.iter().enumerate() {
            for (h, head) in block.heads.iter().enumerate() {
                let query = match self.shape.asks {
                    Asks::Query => continue,
                    Asks::Key => head.key.as_tensor().clone(),
                    Asks::Nothing => head.query.zeros_like()?,
                };
                others.push((format!("blocks.{b}.heads.{h}.query"), Var::from_tensor(&query)?));
            }
        }
        weights.extend(others.iter().map(|(name, query)| (name.clone(), query)));
        to_safetensors(&weights)
    }

    /// The same network in the book's library, as it reads it in [`file`](Self::file).
    ///
    /// # Errors
    ///
    /// Those of candle, and [`Error::Library`] if the library refuses it.
    pub fn in_library(&self) -> ItsResult<Transformer> {
        let file = self.file()?;
        Transformer::from_safetensors(&file, self.shape.rope()).map_err(Error::Library)
    }
}

impl Reader for Model {
    fn learned(&self) -> Vec<Var> {
        self.weights().into_iter().map(|(_, weight)| weight.clone()).collect()
    }

    fn read(&self, inputs: &Tensor) -> Result<Tensor> {
        self.logits(inputs, DType::F32)
    }
}

fn matrix(rows: usize, columns: usize, normals: &mut Normals) -> Result<Var> {
    normal(normals, 1.0 / rows as f64, rows, columns)
}

fn row(number: f32, columns: usize) -> Result<Var> {
    Var::from_vec(vec![number; columns], (1, columns), &Device::Cpu)
}

impl Block {
    fn new(shape: &Shape, normals: &mut Normals) -> Result<Self> {
        let &Shape { width: d, heads, d_k, mlp, .. } = shape;
        let d_v = d / heads;
        let head = |normals: &mut Normals| {
            Ok(Head {
                query: matrix(d, d_k, normals)?,
                key: matrix(d, d_k, normals)?,
                value: matrix(d, d_v, normals)?,
                output: matrix(d_v, d, normals)?,
            })
        };
        let heads = (0..heads).map(|_| head(normals)).collect::<Result<_>>()?;
        let mlp = match mlp {
            0 => None,
            d_ff => Some(Mlp {
                w_in: matrix(d, d_ff, normals)?,
                b_in: row(0.0, d_ff)?,
                w_out: matrix(d_ff, d, normals)?,
                b_out: row(0.0, d)?,
            }),
        };
        Ok(Self { first_norm: Norm::new(d)?, heads, second_norm: Norm::new(d)?, mlp })
    }
}

impl Norm {
    fn new(d: usize) -> Result<Self> {
        Ok(Self { gamma: row(1.0, d)?, beta: row(0.0, d)? })
    }

    /// γ (x − mean) / √(variance + ε) + β. `x` `[n T, d]` → `[n T, d]`
    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        let centred = x.broadcast_sub(&x.mean_keepdim(1)?)?; // [n T, d]
        let variance = centred.sqr()?.mean_keepdim(1)?; // [n T, 1]
        let normed = centred.broadcast_div(&(variance + LAYER_NORM_EPSILON)?.sqrt()?)?; // [n T, d]
        let (gamma, beta) = (self.gamma.to_dtype(x.dtype())?, self.beta.to_dtype(x.dtype())?);
        normed.broadcast_mul(&gamma)?.broadcast_add(&beta)
    }
}

impl Head {
    /// What the head adds, for each of n sentences. `x` `[n T, d]` → `[n T, d]`
    fn contribution(&self, x: &Tensor, n: usize, mask: &Tensor, shape: &Shape) -> Result<Tensor> {
        let (rows, t, dtype) = (x.dim(0)?, mask.dim(0)?, x.dtype());
        let project = |matrix: &Var| x.matmul(&matrix.to_dtype(dtype)?)?.reshape((n, t, ())); // [n, T, d_k]
        let turned = |x: Tensor| if shape.rope { turn(&x) } else { Ok(x) };
        let values = project(&self.value)?; // [n, T, d_v]
        let keys = turned(project(&self.key)?)?; // [n, T, d_k]
        let queries = match shape.asks {
            Asks::Query => turned(project(&self.query)?)?,
            Asks::Key => keys.clone(),
            Asks::Nothing => keys.zeros_like()?,
        };
        let root_d_k = (shape.d_k as f64).sqrt();
        let scores = (queries.matmul(&keys.t()?)? / root_d_k)?.broadcast_add(mask)?; // [n, T, T]
        // Not `softmax_last_dim`, which is faster, and has no gradient.
        let weights = softmax(&scores, D::Minus1)?; // [n, T, T]
        let output = weights.matmul(&values)?.reshape((rows, ()))?; // [n T, d_v]
        output.matmul(&self.output.to_dtype(dtype)?) // [n T, d]
    }
}

/// RoPE: feature i with feature d_k / 2 + i, by the angles of the library. `x` `[n, T, d_k]` → `[n, T, d_k]`
fn turn(x: &Tensor) -> Result<Tensor> {
    let (_, t, d_k) = x.dims3()?;
    let half = d_k / 2;
    let table = |of: fn(f64) -> f64| {
        let angle = |place: usize| {
            let (t, i) = (place / half, place % half);
            t as f64 * angular_frequency(i, d_k, Rope::new(Pairing::Halves).base)
        };
        let numbers: Vec<f64> = (0..t * half).map(|place| of(angle(place))).collect();
        Tensor::from_vec(numbers, (t, half), &Device::Cpu)?.to_dtype(x.dtype())
    };
    let (cosines, sines) = (table(f64::cos)?, table(f64::sin)?); // [T, d_k / 2]
    let (a, b) = (x.narrow(2, 0, half)?, x.narrow(2, half, half)?); // [n, T, d_k / 2]
    let first = (a.broadcast_mul(&cosines)? - b.broadcast_mul(&sines)?)?;
    let second = (a.broadcast_mul(&sines)? + b.broadcast_mul(&cosines)?)?;
    Tensor::cat(&[first, second], 2)
}

impl Mlp {
    /// gelu(x W_in + b_in) W_out + b_out. `x` `[n T, d]` → `[n T, d]`
    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        let of = |var: &Var| var.to_dtype(x.dtype());
        let wide = x.matmul(&of(&self.w_in)?)?.broadcast_add(&of(&self.b_in)?)?; // [n T, d_ff]
        wide.gelu_erf()?.matmul(&of(&self.w_out)?)?.broadcast_add(&of(&self.b_out)?)
    }
}
