//! The model: read from its files, and run step by step.

use std::fs;
use std::path::{Path, PathBuf};

use attention::{Block, LayerNorm, Mask, Mlp, MultiHead, NormPlace, Stack};
use ndarray::{Array1, Array2, Axis, s};
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use tokenizers::Tokenizer;

use crate::{Fault, Result};

/// A BERT with its tokenizer: embeddings, and a stack of post-norm blocks.
#[derive(Debug)]
pub struct Model {
    tokenizer: Tokenizer,
    weights: PathBuf,
    /// A vector for each token there is, in the precision it came in, for there are many. `[vocabulary, d]`
    words: Array2<f32>,
    /// A vector for each position. `[positions, d]`
    positions: Array2<f64>,
    /// The vector of the first sentence of two, which a single one is taken for. `[d]`
    segment: Array1<f64>,
    norm: LayerNorm,
    stack: Stack,
}

/// A sentence as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The tokens, those that the model adds among them. `T`
    pub tokens: Vec<String>,
    /// Their numbers in the vocabulary. `T`
    pub ids: Vec<u32>,
}

/// What came out, and where each head looked.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// `weights[layer][head]`, queries in rows. `[T, T]` each
    pub weights: Vec<Vec<Array2<f64>>>,
    /// The tokens after the last block. `[T, d]`
    pub states: Array2<f64>,
}

impl Run {
    /// The sentence as one vector: the mean of its tokens, with length 1. `[d]`
    pub fn embedding(&self) -> Array1<f64> {
        let mean = self.states.sum_axis(Axis(0)) / self.states.nrows() as f64; // [d]
        let length = libm::sqrt(mean.dot(&mean));
        mean / length
    }
}

/// What `config.json` says, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Settings {
    model_type: String,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    layer_norm_eps: f64,
    max_position_embeddings: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    type_vocab_size: usize,
    vocab_size: usize,
}

fn gelu() -> String {
    "gelu".into()
}

fn absolute() -> String {
    "absolute".into()
}

impl Model {
    /// Reads `config.json`, `tokenizer.json` and `model.safetensors` of a folder.
    ///
    /// # Errors
    ///
    /// If one of them is missing or damaged, or if the model is no BERT.
    pub fn load(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        let settings: Settings = serde_json::from_slice(&read(&path)?)
            .map_err(|error| Fault::Damaged { path: path.clone(), what: error.to_string() })?;
        settings.check(&path)?;

        let path = folder.join("tokenizer.json");
        let damaged =
            |error: tokenizers::Error| Fault::Damaged { path: path.clone(), what: error.to_string() };
        let mut tokenizer = Tokenizer::from_bytes(read(&path)?).map_err(damaged)?;
        // A sentence is neither cut nor filled up.
        tokenizer.with_truncation(None).map_err(damaged)?;
        tokenizer.with_padding(None);

        let path = folder.join("model.safetensors");
        let bytes = read(&path)?;
        let tensors = SafeTensors::deserialize(&bytes)
            .map_err(|error| Fault::Damaged { path: path.clone(), what: error.to_string() })?;
        let file = Weights { path: &path, tensors };
        let d = settings.hidden_size;
        let blocks = (0..settings.num_hidden_layers).map(|layer| file.block(layer, &settings));
        Ok(Self {
            tokenizer,
            words: file.single("embeddings.word_embeddings.weight", settings.vocab_size, d)?,
            positions: file.matrix(
                "embeddings.position_embeddings.weight",
                settings.max_position_embeddings,
                d,
            )?,
            segment: file
                .matrix("embeddings.token_type_embeddings.weight", settings.type_vocab_size, d)?
                .row(0)
                .to_owned(),
            norm: file.norm("embeddings.LayerNorm", &settings)?,
            stack: Stack { blocks: blocks.collect::<Result<_>>()?, last_norm: None },
            weights: path,
        })
    }

    /// Cuts a text into tokens.
    ///
    /// # Errors
    ///
    /// [`Fault::EmptySentence`] if there is no word in it, and [`Fault::LongSentence`] if it has more tokens than
    /// `most`, or than the model has positions.
    pub fn tokens(&self, text: &str, most: usize) -> Result<Sentence> {
        let damaged = |error: tokenizers::Error| Fault::Damaged {
            path: self.weights.with_file_name("tokenizer.json"),
            what: error.to_string(),
        };
        let encoding = self.tokenizer.encode(text, true).map_err(damaged)?;
        if encoding.get_special_tokens_mask().iter().all(|&special| special == 1) {
            return Err(Fault::EmptySentence);
        }
        let sentence = Sentence { tokens: encoding.get_tokens().to_vec(), ids: encoding.get_ids().to_vec() };
        let (came, most) = (sentence.tokens.len(), most.min(self.positions.nrows()));
        if came > most {
            return Err(Fault::LongSentence { came, most });
        }
        if sentence.ids.iter().any(|&id| id as usize >= self.words.nrows()) {
            return Err(damaged("it has tokens that the model has no vector for".into()));
        }
        Ok(sentence)
    }

    /// Runs a sentence through all blocks.
    ///
    /// # Errors
    ///
    /// [`Fault::Damaged`] if what comes out are no numbers.
    ///
    /// # Panics
    ///
    /// If the sentence is not from [`tokens`](Self::tokens) of this model.
    pub fn run(&self, sentence: &Sentence) -> Result<Run> {
        let mut states = self.embed(sentence)?; // [T, d]
        let mut weights = Vec::new();
        for block in &self.stack.blocks {
            weights.push(block.weights(&states, &Mask::None)?); // h times [T, T]
            states = block.forward(&states, &Mask::None)?; // [T, d]
        }
        if !states.iter().all(|number| number.is_finite()) {
            let what = "what comes out of the model are no numbers".into();
            return Err(Fault::Damaged { path: self.weights.clone(), what });
        }
        Ok(Run { weights, states })
    }

    /// What the first block gets: word, position and segment, added up and normed. → `[T, d]`
    fn embed(&self, sentence: &Sentence) -> Result<Array2<f64>> {
        let rows: Vec<usize> = sentence.ids.iter().map(|&id| id as usize).collect();
        let words = self.words.select(Axis(0), &rows).mapv(f64::from); // [T, d]
        let positions = self.positions.slice(s![..rows.len(), ..]); // [T, d]
        Ok(self.norm.apply(&(words + positions + &self.segment))?) // [T, d]
    }
}

impl Settings {
    /// `Ok` if it is a model that can be run here.
    fn check(&self, path: &Path) -> Result<()> {
        let need = |field, came: &str, needed: &str| {
            if came == needed {
                return Ok(());
            }
            let (path, came, needed) = (path.to_owned(), format!("{came:?}"), format!("{needed:?}"));
            Err(Fault::Architecture { path, field, came, needed })
        };
        need("model_type", &self.model_type, "bert")?;
        need("hidden_act", &self.hidden_act, "gelu")?;
        need("position_embedding_type", &self.position_embedding_type, "absolute")?;
        if self.num_attention_heads == 0 || !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(Fault::Architecture {
                path: path.to_owned(),
                field: "num_attention_heads",
                came: self.num_attention_heads.to_string(),
                needed: format!("a divisor of hidden_size {}", self.hidden_size),
            });
        }
        Ok(())
    }
}

/// The file of weights.
struct Weights<'a> {
    path: &'a Path,
    tensors: SafeTensors<'a>,
}

impl Weights<'_> {
    /// A tensor of float32, of this shape.
    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let needed = format!("F32 {shape:?}");
        let wrong = |came: String| Fault::Tensor {
            path: self.path.to_owned(),
            tensor: name.to_owned(),
            came,
            needed: needed.clone(),
        };
        let tensor = self.tensors.tensor(name).map_err(|_| wrong("not at all".into()))?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            return Err(wrong(format!("as {:?} {:?}", tensor.dtype(), tensor.shape())));
        }
        let (numbers, _) = tensor.data().as_chunks::<4>();
        Ok(numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
    }

    fn single(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>> {
        let numbers = self.numbers(name, &[rows, columns])?;
        Ok(Array2::from_shape_vec((rows, columns), numbers).expect("the shape is checked"))
    }

    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f64>> {
        Ok(self.single(name, rows, columns)?.mapv(f64::from))
    }

    fn vector(&self, name: &str, length: usize) -> Result<Array1<f64>> {
        let numbers = self.numbers(name, &[length])?;
        Ok(numbers.into_iter().map(f64::from).collect())
    }

    /// A matrix that is stored as (out, in) and used as (in, out), and its bias.
    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<(Array2<f64>, Array1<f64>)> {
        let stored = self.matrix(&format!("{name}.weight"), outputs, inputs)?;
        Ok((stored.reversed_axes(), self.vector(&format!("{name}.bias"), outputs)?))
    }

    fn norm(&self, name: &str, settings: &Settings) -> Result<LayerNorm> {
        let d = settings.hidden_size;
        Ok(LayerNorm {
            gamma: self.vector(&format!("{name}.weight"), d)?,
            beta: self.vector(&format!("{name}.bias"), d)?,
            epsilon: settings.layer_norm_eps,
        })
    }

    fn block(&self, layer: usize, settings: &Settings) -> Result<Block> {
        let (d, d_ff) = (settings.hidden_size, settings.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let (w_q, b_q) = self.linear(&name("attention.self.query"), d, d)?;
        let (w_k, b_k) = self.linear(&name("attention.self.key"), d, d)?;
        let (w_v, b_v) = self.linear(&name("attention.self.value"), d, d)?;
        let (w_o, b_o) = self.linear(&name("attention.output.dense"), d, d)?;
        let heads = MultiHead::split(&w_q, &w_k, &w_v, &w_o, settings.num_attention_heads)?;
        let attention = heads.with_biases(&b_q, &b_k, &b_v, &b_o)?;
        let (w_in, b_in) = self.linear(&name("intermediate.dense"), d, d_ff)?;
        let (w_out, b_out) = self.linear(&name("output.dense"), d_ff, d)?;
        Ok(Block {
            norms: NormPlace::Post,
            first_norm: self.norm(&name("attention.output.LayerNorm"), settings)?,
            attention,
            second_norm: self.norm(&name("output.LayerNorm"), settings)?,
            mlp: Mlp { w_in, b_in, w_out, b_out },
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|reason| Fault::Unreadable { path: path.to_owned(), reason })
}
