//! 7.3: how far a model has come, and how it came there.

use std::ops::Range;

use ndarray::{ArrayRef1, ArrayRef2};

use crate::error::{Error, Result};
use crate::{AttentionOnly, Repeat, shift};

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
/// If `weights` is not `[T, T]`.
///
/// # Example
///
/// ```
/// use attention::{Repeat, previous_token_score};
/// use ndarray::array;
///
/// let it = Repeat { symbols: vec![5, 2, 5, 2], period: 2 };
/// let weights = array![[1.0, 0.0, 0.0], [0.7, 0.3, 0.0], [0.2, 0.3, 0.5]]; // [T = 3, T = 3]
/// assert_eq!(previous_token_score(&weights, &it), 0.7); // 2 at the 5 before it
/// ```
// ANCHOR: previous_token_score
pub fn previous_token_score(
    weights: &ArrayRef2<f64>, // [T, T]
    repeat: &Repeat,
) -> f64 {
    mean(1..repeat.period, |i| weights[[i, i - 1]])
}
// ANCHOR_END: previous_token_score

/// How much of its weight a head gives to what followed this symbol each time that it was there before,
/// on average over the positions after the first period.
///
/// Source: Olsson et al. 2022, "In-context Learning and Induction Heads", "prefix matching".
///
/// NaN if there is no such position.
///
/// # Panics
///
/// If `weights` is not `[T, T]`.
///
/// # Example
///
/// ```
/// use attention::{Repeat, induction_score};
/// use ndarray::array;
///
/// let it = Repeat { symbols: vec![5, 2, 5, 2], period: 2 };
/// let weights = array![[1.0, 0.0, 0.0], [0.7, 0.3, 0.0], [0.2, 0.3, 0.5]]; // [T = 3, T = 3]
/// assert_eq!(induction_score(&weights, &it), 0.3); // the second 5, at the 2 after the first
/// ```
// ANCHOR: induction_score
pub fn induction_score(
    weights: &ArrayRef2<f64>, // [T, T]
    repeat: &Repeat,
) -> f64 {
    mean(repeat.repeated(), |i| {
        repeat.followers(i).map(|j| weights[[i, j]]).sum()
    })
}
// ANCHOR_END: induction_score

/// How well a model continues sequences that repeat, and what its heads have to do with it: averages
/// over sequences.
// ANCHOR: Growth
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
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
// ANCHOR_END: Growth

impl Growth {
    /// What a model does on these sequences. They should be longer than their periods: what has no
    /// position to be measured at is NaN.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no sequence, and as for [`AttentionOnly::run`].
    ///
    /// # Panics
    ///
    /// If a symbol to be predicted is not in the model's alphabet, or a period is longer than its sequence.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{AttentionOnly, Growth, Repeats};
    ///
    /// let growth = Growth::of(&AttentionOnly::grown(), &Repeats::evaluation())?;
    /// assert!(growth.accuracy > 0.99);
    /// assert!(growth.previous[0][0] > 0.8);
    /// assert!(growth.induction[1][0] > 0.9);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: of
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
    // ANCHOR_END: of

    // ANCHOR: of_one
    fn of_one(model: &AttentionOnly, repeat: &Repeat) -> Result<Self> {
        let (inputs, targets) = shift(&repeat.symbols); // [T], [T]
        let run = model.run(inputs)?;
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
    // ANCHOR_END: of_one

    /// The largest previous-token score of any head.
    pub fn best_previous(&self) -> f64 {
        best(&self.previous)
    }

    /// The largest induction score of any head.
    pub fn best_induction(&self) -> f64 {
        best(&self.induction)
    }

    /// What the numbers are called, if each layer has so many heads.
    fn names(heads: &[usize]) -> Vec<String> {
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
    fn numbers(&self) -> Vec<f64> {
        let scores = self.previous.iter().chain(&self.induction).flatten();
        let mut numbers =
            vec![self.loss_first, self.loss_repeated, self.accuracy];
        numbers.extend(scores);
        numbers
    }

    /// What has these numbers, if each layer has so many heads.
    fn from_numbers(numbers: &[f64], heads: &[usize]) -> Self {
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

/// −ln of the probability that softmax gives to `symbol`: ln Σ exp(logit) − its logit.
///
/// The largest logit is taken out of the sum first, so that `exp` cannot overflow.
// ANCHOR: cross_entropy
fn cross_entropy(logits: &ArrayRef1<f64>, symbol: usize) -> f64 {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shifted = logits.iter().map(|logit| libm::exp(logit - largest));
    largest + libm::log(shifted.sum()) - logits[symbol]
}
// ANCHOR_END: cross_entropy

/// What was measured while a model was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowthLog {
    /// After how many steps, and what.
    pub rows: Vec<(usize, Growth)>,
}

impl GrowthLog {
    /// How [`AttentionOnly::grown`] came to be. Its last row is of the rounded weights.
    ///
    /// ```
    /// use attention::GrowthLog;
    ///
    /// let log = GrowthLog::grown();
    /// let (step, first) = &log.rows[0];
    /// assert_eq!(*step, 0);
    /// assert!(first.accuracy < 0.1); // it knows nothing
    /// assert!(log.rows.last().unwrap().1.accuracy > 0.99);
    /// ```
    pub fn grown() -> Self {
        Self::parse(include_str!("grown/log.csv")).expect("a test reads it")
    }

    /// How a model with one layer fares, trained in the same way, but for longer: it never learns this.
    ///
    /// ```
    /// use attention::GrowthLog;
    ///
    /// let log = GrowthLog::one_layer();
    /// assert!(log.rows.iter().all(|(_, growth)| growth.accuracy < 0.5));
    /// ```
    pub fn one_layer() -> Self {
        Self::parse(include_str!("grown/log-one-layer.csv"))
            .expect("a test reads it")
    }

    /// The first step after which the accuracy is above one half, if there is one.
    ///
    /// ```
    /// use attention::GrowthLog;
    ///
    /// assert!(GrowthLog::grown().jump().is_some());
    /// assert_eq!(GrowthLog::one_layer().jump(), None);
    /// ```
    pub fn jump(&self) -> Option<usize> {
        let above = |(_, growth): &&(usize, Growth)| growth.accuracy > 0.5;
        self.rows.iter().find(above).map(|(step, _)| *step)
    }

    /// The log as lines of numbers with commas between them, below a line of names. Scores are called
    /// `previous 0.1` for layer 0, head 1, and so on.
    ///
    /// ```
    /// use attention::GrowthLog;
    ///
    /// let log = GrowthLog::grown();
    /// assert!(log.to_csv().starts_with("step,loss first,loss repeated,accuracy,previous 0.0,"));
    /// assert_eq!(GrowthLog::parse(&log.to_csv())?, log);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn to_csv(&self) -> String {
        let heads: Vec<usize> =
            self.rows.first().map_or(Vec::new(), |(_, growth)| {
                growth.previous.iter().map(Vec::len).collect()
            });
        let mut csv = head(&heads);
        for (step, growth) in &self.rows {
            csv += &format!("\n{step}");
            for number in growth.numbers() {
                csv += &format!(",{number:.4}");
            }
        }
        csv + "\n"
    }

    /// The log in what [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it has other columns, or a line in it is damaged.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::GrowthLog;
    ///
    /// let error = GrowthLog::parse("step,loss\n").unwrap_err();
    /// assert!(error.to_string().starts_with("csv: came with `step,loss` in line 1"));
    /// ```
    pub fn parse(csv: &str) -> Result<Self> {
        let fault = |line: usize, text: &str, needed: &str| Error::File {
            argument: "csv",
            came: format!("`{text}` in line {}", line + 1),
            needed: needed.to_owned(),
        };
        let mut lines = csv.lines().enumerate();
        let (_, names) = lines.next().unwrap_or_default();
        let heads = heads_in(names);
        if names != head(&heads) {
            return Err(fault(0, names, "the columns of a log"));
        }
        let row = |(line, text): (usize, &str)| {
            let row = row(text, &heads);
            row.ok_or_else(|| fault(line, text, "a number in each column"))
        };
        Ok(Self { rows: lines.map(row).collect::<Result<_>>()? })
    }
}

/// The first line of a log, if each layer has so many heads.
fn head(heads: &[usize]) -> String {
    format!("step,{}", Growth::names(heads).join(","))
}

/// How many heads each layer has, if this is the first line of a log.
fn heads_in(head: &str) -> Vec<usize> {
    let of_layer = |layer| {
        let name = format!(",previous {layer}.");
        head.matches(&name).count()
    };
    (0..).map(of_layer).take_while(|&heads| heads > 0).collect()
}

/// What a line of a log says.
fn row(line: &str, heads: &[usize]) -> Option<(usize, Growth)> {
    let (step, numbers) = line.split_once(',')?;
    let numbers = numbers.split(',').map(|number| number.parse().ok());
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    if numbers.len() != Growth::names(heads).len() {
        return None;
    }
    Some((step.parse().ok()?, Growth::from_numbers(&numbers, heads)))
}
