//! 7.3: sequences that repeat, each with a period of its own: what an induction head is trained on, and
//! measured on.

use std::ops::{Range, RangeInclusive};

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// A sequence of symbols 0, 1, 2, … that repeats, and its period.
///
/// What matters at position i is the symbol at i + 1, which is to be predicted. The last symbol has none
/// after it, and is only there to be predicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The symbols. `[T + 1]`
    pub symbols: Vec<usize>,
    /// After how many symbols it begins again.
    pub period: usize,
}

impl Repeat {
    /// The positions of the first period: their symbols have not been there before. What follows the
    /// last of them is the first symbol once more, but nothing has said that the period ends here.
    ///
    /// ```
    /// use attention::study::Repeat;
    ///
    /// let it = Repeat { symbols: vec![5, 2, 7, 5, 2, 7, 5], period: 3 };
    /// assert_eq!(it.first(), 0..3);
    /// ```
    pub fn first(&self) -> Range<usize> {
        0..self.period
    }

    /// The positions whose symbols have been there before, and which have a next one to predict.
    ///
    /// ```
    /// use attention::study::Repeat;
    ///
    /// let it = Repeat { symbols: vec![5, 2, 7, 5, 2, 7, 5], period: 3 };
    /// assert_eq!(it.repeated(), 3..6);
    /// ```
    pub fn repeated(&self) -> Range<usize> {
        self.period..self.symbols.len().saturating_sub(1)
    }

    /// Where an induction head at position i should look: at what followed this symbol, each time that
    /// it was there before. Where there is no position i, there are none.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::Repeat;
    ///
    /// let it = Repeat { symbols: vec![5, 2, 7, 5, 2, 7, 5], period: 3 };
    /// assert_eq!(it.followers(4).collect::<Vec<_>>(), [2]); // after the first 2
    /// assert_eq!(it.followers(6).collect::<Vec<_>>(), [1, 4]); // after two 5s
    /// assert_eq!(it.followers(2).count(), 0);
    /// ```
    pub fn followers(&self, i: usize) -> impl Iterator<Item = usize> {
        let symbol = self.symbols.get(i);
        let before = symbol.map_or(0, |_| i);
        (1..=before).filter(move |&j| self.symbols.get(j - 1) == symbol)
    }
}

/// An endless stream of [`Repeat`]s, the same for the same seed on every machine.
///
/// The period is drawn evenly among [`PERIODS`](Self::PERIODS), and then that many distinct symbols
/// among the [`ALPHABET`](Self::ALPHABET). They are distinct, so that the symbol before is all that one
/// has to remember; and the period differs, so that no fixed distance leads to the right place.
///
/// # Example
///
/// ```
/// use attention::study::Repeats;
///
/// let it = Repeats::seeded(7).next().unwrap();
/// assert_eq!(it.symbols.len(), Repeats::LENGTH + 1);
/// assert!(Repeats::PERIODS.contains(&it.period));
/// for i in it.period..it.symbols.len() {
///     assert_eq!(it.symbols[i], it.symbols[i - it.period]);
/// }
/// ```
#[derive(Debug)]
pub struct Repeats {
    random: ChaCha8Rng,
}

impl Repeats {
    /// How many symbols there are: as many as letters from A to Z.
    pub const ALPHABET: usize = 26;
    /// How many symbols a model sees, T. One more is to be predicted.
    pub const LENGTH: usize = 24;
    /// After how many symbols a sequence may begin again: at least twice in all.
    pub const PERIODS: RangeInclusive<usize> = 6..=12;
    /// How many sequences models are measured on.
    pub const EVALUATED: usize = 128;

    /// The stream that belongs to `seed`. Its random numbers are others than those of
    /// [`Normals`](crate::random::Normals) with the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self::stream(seed, 1)
    }

    /// The sequences on which models are measured, which are in no stream that they are trained on.
    /// `[128]`
    ///
    /// ```
    /// use attention::study::Repeats;
    ///
    /// let sequences = Repeats::evaluation();
    /// assert_eq!(sequences.len(), 128);
    /// assert_eq!(sequences, Repeats::evaluation());
    /// ```
    pub fn evaluation() -> Vec<Repeat> {
        Self::stream(0, 2).take(Self::EVALUATED).collect()
    }

    fn stream(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self { random }
    }

    fn draw(&mut self) -> Repeat {
        let period = self.random.random_range(Self::PERIODS);
        let mut all: Vec<usize> = (0..Self::ALPHABET).collect();
        let (drawn, _) = all.partial_shuffle(&mut self.random, period);
        let again = drawn.iter().copied().cycle();
        let symbols = again.take(Self::LENGTH + 1).collect(); // [T + 1]
        Repeat { symbols, period }
    }
}

impl Iterator for Repeats {
    type Item = Repeat;

    /// The next sequence: never `None`.
    fn next(&mut self) -> Option<Repeat> {
        Some(self.draw())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}
