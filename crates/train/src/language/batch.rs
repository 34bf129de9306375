//! Sentences as tensors.

use attention::shift;
use attention::study::{Sentence, WORDS, token};
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::ops::log_softmax;

/// Some sentences, as long as the longest of them: what a network sees, and what it is to predict.
pub struct Batch {
    /// The words but the last. `[n, T]`
    pub inputs: Tensor,
    /// The words but the first. `[n T, 1]`
    targets: Tensor,
    /// 1 where a sentence has a word to predict, 0 behind its end. `[n T, 1]`
    counted: Tensor,
    /// How many words are predicted.
    count: usize,
}

impl Batch {
    /// What is shown and predicted of these sentences. Behind its end a sentence is filled up with full stops, which
    /// nothing before them can see, and which do not count.
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn new(sentences: &[Sentence]) -> Result<Self> {
        let stop = token(".").expect("a word of the language");
        let longest = sentences.iter().map(|it| it.tokens.len() - 1).max().unwrap_or(0);
        let (mut inputs, mut targets, mut counted) = (vec![], vec![], vec![]);
        for sentence in sentences {
            let (input, target) = shift(&sentence.tokens); // [T], [T]
            let behind = longest - input.len();
            let filled = |words: &[usize]| {
                let words = words.iter().copied().chain(std::iter::repeat_n(stop, behind));
                words.map(|word| word as u32).collect::<Vec<_>>()
            };
            inputs.extend(filled(input));
            targets.extend(filled(target));
            counted.extend(std::iter::repeat_n(1_f32, input.len()));
            counted.extend(std::iter::repeat_n(0_f32, behind));
        }
        let (n, rows) = (sentences.len(), inputs.len());
        let count = counted.iter().filter(|&&one| one == 1.0).count();
        Ok(Self {
            inputs: Tensor::from_vec(inputs, (n, longest), &Device::Cpu)?,
            targets: Tensor::from_vec(targets, (rows, 1), &Device::Cpu)?,
            counted: Tensor::from_vec(counted, (rows, 1), &Device::Cpu)?,
            count,
        })
    }

    /// −ln of the probability of each word that counts, on average. `logits` `[n T, words]`
    ///
    /// # Errors
    ///
    /// Those of candle.
    pub fn loss(&self, logits: &Tensor) -> Result<Tensor> {
        let chosen = log_softmax(logits, 1)?.gather(&self.targets, 1)?; // [n T, 1]
        (chosen * &self.counted)?.sum_all()? / -(self.count as f64)
    }
}

/// The share of these sentences of which the answer is guessed right. `logits` `[n T, words]`, of [`Batch::inputs`]
///
/// # Errors
///
/// Those of candle.
pub fn right(logits: &Tensor, sentences: &[Sentence]) -> Result<f64> {
    let logits: Vec<Vec<f64>> = logits.to_dtype(DType::F64)?.to_vec2()?; // [n T, words]
    let rows = logits.len() / sentences.len();
    let right = sentences.iter().enumerate().filter(|(n, it)| {
        let row = &logits[n * rows + it.answer - 1];
        let answer = it.tokens[it.answer];
        it.candidates().into_iter().filter(|&word| word != answer).all(|word| row[answer] > row[word])
    });
    Ok(right.count() as f64 / sentences.len() as f64)
}

/// How many words there are.
pub const WORDS_COUNT: usize = WORDS.len();
