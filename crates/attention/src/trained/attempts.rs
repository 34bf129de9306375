//! How networks of several kinds fared that were trained on the small language, each with several seeds.

use crate::error::{Error, Result};
use crate::study::language::Sentence;
use crate::study::reading::Reading;
use crate::transformer::Transformer;

/// A network that was trained, and what came of it. Rights are shares of right guesses: a third by chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What kind of network it is.
    pub network: String,
    /// What its first numbers and its sentences were drawn from.
    pub seed: u64,
    /// After how many steps 0.99 of its guesses were right first, if they ever were when it was measured.
    pub learned_at: Option<usize>,
    /// Right in the end, on sentences with pairs of nouns that training has seen.
    pub seen: f64,
    /// Right in the end, on sentences with pairs that it has never seen.
    pub held_out: f64,
    /// Of the seen ones, right about verbs, which follow the pronoun.
    pub verbs: f64,
    /// Of the seen ones, right about states, which follow `was`; NaN if it was taught none.
    pub states: f64,
    /// What the pronoun gives to its noun in sentences with one noun, by the head that gives it most.
    pub weight_one: f64,
    /// The same in sentences with two nouns.
    pub weight_two: f64,
}

impl Attempt {
    /// The names of the columns in a file of attempts.
    const NAMES: &str = "network,seed,learned at,seen,held out,verbs,states,weight one noun,weight two nouns";

    /// What is to be told of a network that was trained, measured on these sentences.
    ///
    /// # Errors
    ///
    /// As for [`Reading::of`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::Transformer;
    /// use attention::study::{Sentences, Sort};
    /// use attention::trained::{Attempt, Attempts};
    ///
    /// // The network of the book, measured once more.
    /// let sort = Sort { fillers: 2, states: false };
    /// let (seen, held_out) = (Sentences::evaluation(sort), Sentences::held_out(sort));
    /// let again = Attempt::of("as it is", 7, None, &Transformer::roles(), &seen, &held_out)?;
    /// let told = Attempts::roles().into_iter().find(|it| it.network == "as it is" && it.seed == 7).unwrap();
    /// assert_eq!((again.seen, again.held_out), (told.seen, told.held_out));
    /// assert!((again.weight_two - told.weight_two).abs() < 1e-4);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn of(
        network: &str,
        seed: u64,
        learned_at: Option<usize>,
        model: &Transformer,
        seen: &[Sentence],
        held_out: &[Sentence],
    ) -> Result<Self> {
        let of = |keeps: &dyn Fn(&Sentence) -> bool| {
            let some: Vec<_> =
                seen.iter().filter(|it| keeps(it)).cloned().collect();
            Reading::of(model, &some)
        };
        let right = |keeps: &dyn Fn(&Sentence) -> bool| match of(keeps) {
            Err(Error::Empty { .. }) => Ok(f64::NAN),
            other => other.map(|it| it.right),
        };
        let weight = |nouns: usize| -> Result<f64> {
            let weights = of(&|it| it.nouns.len() == nouns)?.to_noun;
            Ok(weights.into_iter().flatten().fold(0.0, f64::max))
        };
        Ok(Self {
            network: network.to_owned(),
            seed,
            learned_at,
            seen: Reading::of(model, seen)?.right,
            held_out: Reading::of(model, held_out)?.right,
            verbs: right(&|it| !it.says_state())?,
            states: right(&Sentence::says_state)?,
            weight_one: weight(1)?,
            weight_two: weight(2)?,
        })
    }
}

/// What there is to read of attempts, and to write.
#[derive(Debug)]
pub struct Attempts;

impl Attempts {
    /// One head in the plane, and what it is compared with, with twelve seeds each: as it is, with one matrix for queries and
    /// keys, with even weights, and the first and the last of them with an MLP more.
    ///
    /// ```
    /// use attention::trained::Attempts;
    /// assert!(Attempts::roles().iter().filter(|it| it.network == "as it is").count() == 12);
    /// ```
    pub fn roles() -> Vec<Attempt> {
        Self::parse(include_str!("roles/seeds.csv")).expect("a test reads it")
    }

    /// Attempts as lines with commas, below a line of names.
    ///
    /// ```
    /// use attention::trained::Attempts;
    ///
    /// let attempts = Attempts::roles();
    /// let written = Attempts::to_csv(&attempts);
    /// assert_eq!(Attempts::to_csv(&Attempts::parse(&written)?), written);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn to_csv(attempts: &[Attempt]) -> String {
        let mut csv = Attempt::NAMES.to_owned() + "\n";
        for it in attempts {
            let learned = match it.learned_at {
                Some(step) => step.to_string(),
                None => "never".to_owned(),
            };
            csv += &format!("{},{},{learned}", it.network, it.seed);
            for number in [
                it.seen,
                it.held_out,
                it.verbs,
                it.states,
                it.weight_one,
                it.weight_two,
            ] {
                match number.is_nan() {
                    true => csv += ",none",
                    false => csv += &format!(",{number:.4}"),
                }
            }
            csv += "\n";
        }
        csv
    }

    /// The attempts in what [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it has other columns, or a line in it is damaged.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::trained::Attempts;
    /// assert!(Attempts::parse("network,seed\n").is_err());
    /// ```
    pub fn parse(csv: &str) -> Result<Vec<Attempt>> {
        let fault = |line: usize, text: &str, needed: &str| Error::File {
            argument: "csv",
            came: format!("`{text}` in line {}", line + 1),
            needed: needed.to_owned(),
        };
        let mut lines = csv.lines().enumerate();
        let (_, names) = lines.next().unwrap_or_default();
        if names != Attempt::NAMES {
            return Err(fault(0, names, Attempt::NAMES));
        }
        let read = |(line, text): (usize, &str)| {
            attempt(text)
                .ok_or_else(|| fault(line, text, "something in each column"))
        };
        lines.map(read).collect()
    }
}

/// What a line tells.
fn attempt(line: &str) -> Option<Attempt> {
    let mut cells = line.split(',');
    let network = cells.next()?.to_owned();
    let seed = cells.next()?.parse().ok()?;
    let learned_at = match cells.next()? {
        "never" => None,
        step => Some(step.parse().ok()?),
    };
    let mut next = || match cells.next()? {
        "none" => Some(f64::NAN),
        number => number.parse().ok(),
    };
    Some(Attempt {
        network,
        seed,
        learned_at,
        seen: next()?,
        held_out: next()?,
        verbs: next()?,
        states: next()?,
        weight_one: next()?,
        weight_two: next()?,
    })
}
