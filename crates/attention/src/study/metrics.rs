//! 7.3: how far a model has come, and how it came there.

use std::ops::Range;

use ndarray::ArrayRef2;

use crate::attention_only::AttentionOnly;
use crate::cross_entropy::cross_entropy;
use crate::error::{Error, Result, need_at_most, need_below};
use crate::next_token::shift;
use crate::study::repeats::Repeat;

/// How much of its weight a head gives to the token before, on average over the first period's positions
/// but the very first, which has none before it.
///
/// Only the first period counts: later, a head may look at a token for what it is, and not because it
/// stands before.
///
/// Source: Olsson et al. 2022, "In-context Learning and Induction Heads", "previous token heads".
///
/// NaN if there is no such position.
///
/// # Panics
///
/// If `weights` is not `[T, T]` for the T inputs of the sequence, all symbols but the last.
///
/// # Example
///
/// ```
/// use attention::study::{Repeat, previous_token_score};
/// use ndarray::array;
///
/// let it = Repeat { symbols: vec![5, 2, 5, 2], period: 2 };
/// let weights = array![[1.0, 0.0, 0.0], [0.7, 0.3, 0.0], [0.2, 0.3, 0.5]]; // [T = 3, T = 3]
/// assert_eq!(previous_token_score(&weights, &it), 0.7); // 2 at the 5 before it
/// ```
pub fn previous_token_score(
    weights: &ArrayRef2<f64>, // [T, T]
    repeat: &Repeat,
) -> f64 {
    mean(1..repeat.period, |i| weights[[i, i - 1]])
}

/// How much of its weight a head gives to what followed this symbol each time that it was there before,
/// on average over the positions after the first period.
///
/// Source: Olsson et al. 2022, "In-context Learning and Induction Heads", "prefix matching".
///
/// NaN if there is no such position.
///
/// # Panics
///
/// If `weights` is not `[T, T]` for the T inputs of the sequence, all symbols but the last.
///
/// # Example
///
/// ```
/// use attention::study::{Repeat, induction_score};
/// use ndarray::array;
///
/// let it = Repeat { symbols: vec![5, 2, 5, 2], period: 2 };
/// let weights = array![[1.0, 0.0, 0.0], [0.7, 0.3, 0.0], [0.2, 0.3, 0.5]]; // [T = 3, T = 3]
/// assert_eq!(induction_score(&weights, &it), 0.3); // the second 5, at the 2 after the first
/// ```
pub fn induction_score(
    weights: &ArrayRef2<f64>, // [T, T]
    repeat: &Repeat,
) -> f64 {
    mean(repeat.repeated(), |i| {
        repeat.followers(i).map(|j| weights[[i, j]]).sum()
    })
}

/// How well a model continues sequences that repeat, and what its heads have to do with it: averages
/// over sequences.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// −ln of the probability of the symbol that follows, in the first
    /// period: nobody can know it.
    pub loss_first: f64,
    /// The same after the first period.
    pub loss_repeated: f64,
    /// After the first period, the share of positions at which the symbol
    /// that follows is predicted.
    pub accuracy: f64,
    /// Each head's previous-token score: `previous[layer][head]`.
    pub previous: Vec<Vec<f64>>,
    /// Each head's induction score: `induction[layer][head]`.
    pub induction: Vec<Vec<f64>>,
}

impl Metrics {
    /// What a model does on these sequences. They should be longer than their periods: what has no
    /// position to be measured at is NaN.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no sequence; [`Error::Number`] if a period is longer than the T inputs
    /// of its sequence, or a symbol to be predicted is not in the model's alphabet; and as for
    /// [`AttentionOnly::run`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    /// use attention::study::{Metrics, Repeats};
    ///
    /// let growth = Metrics::of(&AttentionOnly::trained(), &Repeats::evaluation())?;
    /// assert!(growth.accuracy > 0.99);
    /// assert!(growth.previous[0][0] > 0.8);
    /// assert!(growth.induction[1][0] > 0.9);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn of(model: &AttentionOnly, repeats: &[Repeat]) -> Result<Self> {
        if repeats.is_empty() {
            return Err(Error::Empty { argument: "repeats" });
        }
        let of_one = |repeat| Ok(Self::of_one(model, repeat)?.numbers());
        let each = repeats.iter().map(of_one).collect::<Result<Vec<_>>>()?;
        let average = |n: usize| mean(0..each.len(), |one| each[one][n]);
        let averages: Vec<f64> = (0..each[0].len()).map(average).collect();
        let heads = model.layers.iter().map(|layer| layer.heads.len());
        Ok(Self::from_numbers(&averages, &heads.collect::<Vec<_>>()))
    }

    fn of_one(model: &AttentionOnly, repeat: &Repeat) -> Result<Self> {
        let (inputs, targets) = shift(&repeat.symbols); // [T], [T]
        let run = model.run(inputs)?;
        need_at_most("repeat.period", repeat.period, inputs.len())?;
        for &target in targets {
            need_below("symbol in repeat", target, run.logits.ncols())?;
        }
        let loss = |i: usize| cross_entropy(&run.logits.row(i), targets[i]);
        let right =
            |i: usize| f64::from(run.predictions[i] == Some(targets[i]));
        let heads = &run.weights; // for each layer, each head's [T, T]
        Ok(Self {
            loss_first: mean(repeat.first(), loss),
            loss_repeated: mean(repeat.repeated(), loss),
            accuracy: mean(repeat.repeated(), right),
            previous: by_head(heads, |it| previous_token_score(it, repeat)),
            induction: by_head(heads, |it| induction_score(it, repeat)),
        })
    }

    /// The largest previous-token score of any head.
    pub fn best_previous(&self) -> f64 {
        best(&self.previous)
    }

    /// The largest induction score of any head.
    pub fn best_induction(&self) -> f64 {
        best(&self.induction)
    }

    /// What the numbers are called, if each layer has so many heads.
    pub(crate) fn names(heads: &[usize]) -> Vec<String> {
        let mut names = ["loss first", "loss repeated", "accuracy"]
            .map(String::from)
            .to_vec();
        for score in ["previous", "induction"] {
            for (layer, &heads) in heads.iter().enumerate() {
                names.extend(
                    (0..heads).map(|head| format!("{score} {layer}.{head}")),
                );
            }
        }
        names
    }

    /// All numbers, one after the other.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let scores = self.previous.iter().chain(&self.induction).flatten();
        let mut numbers =
            vec![self.loss_first, self.loss_repeated, self.accuracy];
        numbers.extend(scores);
        numbers
    }

    /// What has these numbers, if each layer has so many heads.
    pub(crate) fn from_numbers(numbers: &[f64], heads: &[usize]) -> Self {
        let mut numbers = numbers.iter().copied();
        let mut next = || numbers.next().expect("one for each name");
        let [loss_first, loss_repeated, accuracy] =
            std::array::from_fn(|_| next());
        let mut scores = || {
            let of_layer =
                |&heads: &usize| (0..heads).map(|_| next()).collect();
            heads.iter().map(of_layer).collect()
        };
        let (previous, induction) = (scores(), scores());
        Self { loss_first, loss_repeated, accuracy, previous, induction }
    }
}

fn best(scores: &[Vec<f64>]) -> f64 {
    scores.iter().flatten().copied().fold(0.0, f64::max)
}

/// Something of each head: for each layer, each head's.
fn by_head<Of, Is>(
    layers: &[Vec<Of>],
    what: impl Fn(&Of) -> Is,
) -> Vec<Vec<Is>> {
    let of_layer = |heads: &Vec<Of>| heads.iter().map(&what).collect();
    layers.iter().map(of_layer).collect()
}

/// The mean of a number over these places.
fn mean(places: Range<usize>, number: impl Fn(usize) -> f64) -> f64 {
    let count = places.len() as f64;
    places.map(number).sum::<f64>() / count
}
