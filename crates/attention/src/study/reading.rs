//! How well a transformer reads the small language, and where its heads look while it does.

use crate::error::{Error, Result, need_at_most};
use crate::study::language::Sentence;
use crate::transformer::{Transformer, TransformerRun};

/// What a transformer does on sentences of the small language: averages over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The share of right guesses: of the three words that could stand there, the right one has the largest logit. By
    /// chance it is a third.
    pub right: f64,
    /// For each block and head, how much of its weight the pronoun gives to its noun.
    pub to_noun: Vec<Vec<f64>>,
}

impl Reading {
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no sentence, [`Error::Number`] if the model has fewer words than the language, and as
    /// for [`Transformer::run`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::{Reading, Sentence, WORDS, token};
    /// use attention::{Stack, Transformer};
    /// use ndarray::Array2;
    ///
    /// // No blocks, and after `it` always `slept`: right about the cat, and wrong about the dog.
    /// let (it, slept) = (token("it").unwrap(), token("slept").unwrap());
    /// let mut unembedding = Array2::zeros((WORDS.len(), WORDS.len()));
    /// unembedding[[it, slept]] = 1.0;
    /// let stack = Stack { blocks: vec![], last_norm: None };
    /// let guesser = Transformer { embedding: Array2::eye(WORDS.len()), stack, unembedding };
    /// let sentences = ["The cat sat because it slept", "The dog sat because it ate"];
    /// let sentences = sentences.map(|text| Sentence::parse(text).unwrap());
    /// assert_eq!(Reading::of(&guesser, &sentences)?.right, 0.5);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn of(model: &Transformer, sentences: &[Sentence]) -> Result<Self> {
        let mut right = 0.0;
        let mut to_noun: Vec<Vec<f64>> = vec![];
        for sentence in sentences {
            let run = model.run(sentence.before())?;
            right += f64::from(is_right(&run, sentence)?);
            let here = run.weights.iter().map(|heads| {
                let weight = heads.iter();
                weight.map(|it| it[[sentence.pronoun, sentence.antecedent]])
            });
            let here: Vec<Vec<f64>> = here.map(Iterator::collect).collect();
            if to_noun.is_empty() {
                to_noun = here;
            } else {
                let sums = to_noun.iter_mut().flatten();
                sums.zip(here.iter().flatten())
                    .for_each(|(sum, it)| *sum += it);
            }
        }
        if sentences.is_empty() {
            return Err(Error::Empty { argument: "sentences" });
        }
        let count = sentences.len() as f64;
        to_noun.iter_mut().flatten().for_each(|sum| *sum /= count);
        Ok(Self { right: right / count, to_noun })
    }
}

/// Whether the guess at the sentence's answer is right. A tie is no guess.
fn is_right(run: &TransformerRun, sentence: &Sentence) -> Result<bool> {
    let logits = run.logits.row(sentence.answer - 1); // [vocabulary]
    let candidates = sentence.candidates();
    for candidate in candidates {
        need_at_most("word", candidate, logits.len().saturating_sub(1))?;
    }
    let answer = sentence.tokens[sentence.answer];
    let others = candidates.iter().filter(|&&it| it != answer);
    Ok(others.into_iter().all(|&it| logits[answer] > logits[it]))
}
