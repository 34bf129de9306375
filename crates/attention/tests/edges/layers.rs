//! Random layers and models, whose parts mostly fit each other.

use attention::study::{
    Activation, Initialisation, Quartiles, Recurrence, Repeat, Sentence,
    Sentences, Sort, WORDS,
};
use attention::{
    AttentionOnly, Block, Head, HeadBiases, LayerNorm, Mask, Mlp, MultiHead,
    NormPlace, Pairing, Projections, Rope, Scale, Stack, Step, Transformer,
};
use ndarray::Array2;

use crate::draw::Draw;

impl Draw {
    pub fn scale(&mut self) -> Scale {
        self.one_of(&[Scale::ByRootDk, Scale::Off])
    }

    pub fn mask(&mut self, queries: usize, keys: usize) -> Mask {
        match self.below(3) {
            0 => Mask::None,
            1 => Mask::Causal,
            _ => {
                let shape = (self.about(queries), self.about(keys));
                Mask::Allowed(Array2::from_shape_fn(shape, |_| self.once_in(2)))
            }
        }
    }

    pub fn projections(&mut self, d: usize) -> Projections {
        let (d_k, d_v) = (self.size(), self.size());
        Projections {
            query: self.matrix(d, d_k),
            key: self.matrix(d, d_k),
            value: self.matrix(d, d_v),
        }
    }

    pub fn head(&mut self, d: usize) -> Head {
        let projections = self.projections(d);
        let biases = self.once_in(2).then(|| HeadBiases {
            query: self.row(projections.query.ncols()),
            key: self.row(projections.key.ncols()),
            value: self.row(projections.value.ncols()),
        });
        let d_v = projections.value.ncols();
        let turned = self.once_in(3);
        let rope = turned.then(|| Rope::new(self.pairing()));
        Head { projections, biases, rope, output: self.matrix(d_v, d) }
    }

    pub fn heads(&mut self, d: usize) -> MultiHead {
        let heads = (0..self.below(4)).map(|_| self.head(d)).collect();
        MultiHead { heads, bias: self.once_in(2).then(|| self.row(d)) }
    }

    pub fn norm(&mut self, d: usize) -> LayerNorm {
        LayerNorm {
            gamma: self.row(d),
            beta: self.row(d),
            epsilon: self.number(),
        }
    }

    pub fn mlp(&mut self, d: usize) -> Mlp {
        let d_ff = self.size();
        Mlp {
            w_in: self.matrix(d, d_ff),
            b_in: self.row(d_ff),
            w_out: self.matrix(d_ff, d),
            b_out: self.row(d),
        }
    }

    pub fn initialisation(&mut self) -> Initialisation {
        self.one_of(&[Initialisation::Xavier, Initialisation::ScaledResiduals])
    }

    pub fn quartiles(&mut self) -> Quartiles {
        let [lower, median, upper] = [0; 3].map(|_| self.number());
        Quartiles { lower, median, upper }
    }

    pub fn norm_place(&mut self) -> NormPlace {
        self.one_of(&[NormPlace::Pre, NormPlace::Post])
    }

    pub fn step(&mut self) -> Step {
        self.one_of(&NormPlace::Pre.steps())
    }

    pub fn block(&mut self, d: usize) -> Block {
        Block {
            norms: self.norm_place(),
            first_norm: self.norm(d),
            attention: self.heads(d),
            second_norm: self.norm(d),
            mlp: self.mlp(d),
        }
    }

    pub fn stack(&mut self, d: usize) -> Stack {
        let blocks = self.below(3);
        Stack {
            blocks: (0..blocks).map(|_| self.block(d)).collect(),
            last_norm: self.once_in(2).then(|| self.norm(d)),
        }
    }

    pub fn recurrence(&mut self, d: usize) -> Recurrence {
        let activation = self.one_of(&[Activation::Linear, Activation::Tanh]);
        Recurrence { weight: self.matrix(d, d), activation }
    }

    pub fn pairing(&mut self) -> Pairing {
        self.one_of(&[Pairing::Neighbours, Pairing::Halves])
    }

    pub fn symbols(&mut self, length: usize) -> Vec<usize> {
        (0..length)
            .map(
                |_| if self.once_in(40) { self.count() } else { self.below(4) },
            )
            .collect()
    }

    pub fn repeat(&mut self) -> Repeat {
        let length = self.below(8);
        let period = if self.once_in(10) { self.count() } else { self.size() };
        Repeat { symbols: self.symbols(length), period }
    }

    pub fn attention_only(&mut self) -> AttentionOnly {
        let (alphabet, length, d) = (self.size(), self.below(8), self.size());
        let layers = self.below(3);
        AttentionOnly {
            embedding: self.matrix(alphabet, d),
            positions: self.matrix(length, d),
            layers: (0..layers).map(|_| self.heads(d)).collect(),
            unembedding: self.matrix(d, alphabet),
        }
    }

    pub fn transformer(&mut self) -> Transformer {
        let (words, d) = (self.size(), self.size());
        Transformer {
            embedding: self.matrix(words, d),
            stack: self.stack(d),
            unembedding: self.matrix(d, words),
        }
    }

    pub fn sort(&mut self) -> Sort {
        let fillers = self.below(256) as u8;
        Sort { fillers, states: self.once_in(2) }
    }

    pub fn sentence(&mut self) -> Sentence {
        let (seed, sort) = (self.seed(), self.sort());
        Sentences::seeded(seed, sort).next().unwrap()
    }

    /// Some words of the small language, in any order, and some that are none.
    pub fn words(&mut self) -> String {
        let count = self.below(12);
        let word = |_| match self.once_in(8) {
            true => "?".to_owned(),
            false => WORDS[self.below(WORDS.len())].to_owned(),
        };
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }
}
