//! A small language in which a pronoun must find its noun: what the networks of the book are trained on, and measured on.

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::error::{Error, Result};

/// The pronouns: one for each class of nouns.
pub const PRONOUNS: [&str; 3] = ["it", "she", "he"];

/// The nouns, by class, as in [`PRONOUNS`], and by what is said of them, as in [`STATES`].
///
/// Every class has the same three states. So a pronoun alone does not tell which of them follows, and neither do both
/// nouns of a sentence: somebody has to look which of the two is of the pronoun's class.
// ANCHOR: nouns
pub const NOUNS: [[&str; 3]; 3] = [
    ["cat", "dog", "horse"],   // it
    ["aunt", "girl", "queen"], // she
    ["king", "uncle", "boy"],  // he
];

/// What follows `was`.
pub const STATES: [&str; 3] = ["tired", "hungry", "happy"];

/// What follows a pronoun at once, instead of `was` and a state.
pub const VERBS: [&str; 3] = ["slept", "ate", "played"];
// ANCHOR_END: nouns

/// What a noun does first.
pub const ACTIONS: [&str; 5] = ["sat", "ran", "stopped", "waited", "left"];

/// What stands between, and says nothing about who is meant.
pub const FILLERS: [&str; 10] = [
    "slowly", "today", "there", "again", "outside", "alone", "at", "night",
    "in", "spring",
];

/// First nouns and second nouns that no training sentence has together, in this order: so one can see whether a network
/// has learned sentences, or how to read them.
pub const HELD_OUT: [(&str, &str); 4] =
    [("cat", "queen"), ("king", "dog"), ("girl", "boy"), ("uncle", "horse")];

/// All words, each once. A token is a place in this list.
///
/// ```
/// use attention::study::{WORDS, token};
/// assert_eq!(WORDS.len(), 39);
/// assert_eq!(token("cat").map(|cat| WORDS[cat]), Some("cat"));
/// ```
pub const WORDS: [&str; 39] = [
    "The", "the", "cat", "dog", "horse", "aunt", "girl", "queen", "king",
    "uncle", "boy", "sat", "ran", "stopped", "waited", "left", "near",
    "slowly", "today", "there", "again", "outside", "alone", "at", "night",
    "in", "spring", "because", "it", "she", "he", "was", "tired", "hungry",
    "happy", "slept", "ate", "played", ".",
];

/// The token of a word, if the language has it.
///
/// ```
/// use attention::study::token;
/// assert_eq!(token("The"), Some(0));
/// assert_eq!(token("dragon"), None);
/// ```
pub fn token(word: &str) -> Option<usize> {
    WORDS.iter().position(|it| *it == word)
}

/// A noun: its class and its state, both counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noun {
    /// Its pronoun's place in [`PRONOUNS`].
    pub class: usize,
    /// Its state's place in [`STATES`], and its verb's in [`VERBS`].
    pub state: usize,
}

impl Noun {
    /// All nouns, class by class.
    ///
    /// ```
    /// use attention::study::Noun;
    /// let words: Vec<&str> = Noun::all().map(Noun::word).collect();
    /// assert_eq!(words[..4], ["cat", "dog", "horse", "aunt"]);
    /// ```
    pub fn all() -> impl Iterator<Item = Noun> {
        (0..9).map(|n| Noun { class: n / 3, state: n % 3 })
    }

    /// The noun that is written so.
    ///
    /// ```
    /// use attention::study::Noun;
    /// assert_eq!(Noun::from_word("queen"), Some(Noun { class: 1, state: 2 }));
    /// assert_eq!(Noun::from_word("because"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Noun> {
        Self::all().find(|noun| noun.word() == word)
    }

    /// How it is written.
    ///
    /// # Panics
    ///
    /// If there is no such noun.
    pub fn word(self) -> &'static str {
        NOUNS[self.class][self.state]
    }
}

/// A sentence of the language: what it says, and where in it stands what matters. Places are counted from 0.
///
/// Only [`parse`](Self::parse) and [`Sentences`] make one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sentence {
    /// Its words. `[T]`
    pub tokens: Vec<usize>,
    /// Where its nouns stand: one, or two of different classes.
    pub nouns: Vec<usize>,
    /// Where the noun stands that the pronoun stands for.
    pub antecedent: usize,
    /// Where the pronoun stands.
    pub pronoun: usize,
    /// Where the word stands that has to be guessed, a state or a verb: from what stands before it.
    pub answer: usize,
}

impl Sentence {
    /// Reads a sentence: `The`, a noun, an action; if there is a second noun, `near the` and it, of another class; some
    /// fillers; `because`, the pronoun of one of the nouns; its verb, or `was` and its state; and a full stop, if you
    /// like.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it is none, with the word at which it goes wrong, counted from 0.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::Sentence;
    ///
    /// let it = Sentence::parse("The cat sat near the queen because it was tired")?;
    /// assert_eq!((&it.nouns[..], it.antecedent, it.pronoun, it.answer), (&[1, 5][..], 1, 7, 9));
    /// assert_eq!(it.text(), "The cat sat near the queen because it was tired .");
    ///
    /// let error = Sentence::parse("The cat sat because she was tired").unwrap_err();
    /// assert_eq!(error.to_string(), "sentence: came with `she` as word 4, needed the pronoun of one of its nouns");
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let spaced = text.replace('.', " .");
        let mut words =
            Words { left: spaced.split_whitespace().collect(), at: 0 };
        words.need(&["The"], "`The`")?;
        let mut nouns = vec![words.at];
        let first = words.noun(None)?;
        words.need(&ACTIONS, "an action")?;
        let mut second = None;
        if words.take("near") {
            words.need(&["the"], "`the`")?;
            nouns.push(words.at);
            second = Some(words.noun(Some(first))?);
        }
        while FILLERS.iter().any(|filler| words.take(filler)) {}
        words.need(&["because"], "`because`, or a filler")?;
        let pronoun = words.at;
        let both = [Some(first), second];
        let meant =
            both.iter().flatten().position(|it| words.take(PRONOUNS[it.class]));
        let meant = meant
            .ok_or_else(|| words.fault("the pronoun of one of its nouns"))?;
        let state = both[meant].expect("it is there").state;
        let was = words.take("was");
        let answer = words.at;
        match was {
            true => words.need(&[STATES[state]], "its noun's state")?,
            false => {
                words.need(&[VERBS[state]], "`was`, or its noun's verb")?
            }
        }
        if !words.left.is_empty() {
            words.need(&["."], "a full stop")?;
        }
        if !words.left.is_empty() {
            return Err(words.fault("nothing"));
        }
        let spaced = spaced.split_whitespace().filter(|word| *word != ".");
        let tokens =
            spaced.chain(["."]).map(|word| token(word).expect("it was read"));
        let antecedent = nouns[meant];
        Ok(Self {
            tokens: tokens.collect(),
            nouns,
            antecedent,
            pronoun,
            answer,
        })
    }

    /// Its words, with spaces between them.
    pub fn text(&self) -> String {
        let words = self.tokens.iter().map(|&token| WORDS[token]);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The words before the one that has to be guessed: what a network is given.
    ///
    /// ```
    /// use attention::study::{Sentence, WORDS};
    ///
    /// let it = Sentence::parse("The cat sat because it slept")?;
    /// assert_eq!(it.before().last().map(|&token| WORDS[token]), Some("it"));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn before(&self) -> &[usize] {
        &self.tokens[..self.answer]
    }

    /// The words that could stand where the answer stands, one of which is right: the states, or the verbs.
    ///
    /// ```
    /// use attention::study::{STATES, Sentence, WORDS};
    ///
    /// let it = Sentence::parse("The cat sat because it was tired")?;
    /// assert_eq!(it.candidates().map(|token| WORDS[token]), STATES);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn candidates(&self) -> [usize; 3] {
        let of_kind = if self.says_state() { STATES } else { VERBS };
        of_kind.map(|word| token(word).expect("a word of the language"))
    }

    /// Whether the answer is a state, after `was`, and not a verb, after the pronoun.
    ///
    /// ```
    /// use attention::study::Sentence;
    /// assert!(!Sentence::parse("The cat sat because it slept")?.says_state());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn says_state(&self) -> bool {
        self.answer > self.pronoun + 1
    }

    /// How many words stand between the pronoun and its noun.
    ///
    /// ```
    /// use attention::study::Sentence;
    /// assert_eq!(Sentence::parse("The cat sat because it slept")?.distance(), 2);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn distance(&self) -> usize {
        self.pronoun - self.antecedent - 1
    }

    /// Whether its nouns are a pair that no training sentence has: [`HELD_OUT`].
    ///
    /// ```
    /// use attention::study::Sentence;
    ///
    /// assert!(Sentence::parse("The cat sat near the queen because it slept")?.is_held_out());
    /// assert!(!Sentence::parse("The queen sat near the cat because it slept")?.is_held_out());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn is_held_out(&self) -> bool {
        let words: Vec<&str> =
            self.nouns.iter().map(|&at| WORDS[self.tokens[at]]).collect();
        HELD_OUT.iter().any(|&(first, second)| words == [first, second])
    }
}

/// What is left of a sentence that is read.
struct Words<'a> {
    left: Vec<&'a str>,
    at: usize,
}

impl Words<'_> {
    /// Whether the next word is this one; then it is taken.
    fn take(&mut self, word: &str) -> bool {
        let is = self.left.first() == Some(&word);
        if is {
            self.left.remove(0);
            self.at += 1;
        }
        is
    }

    /// Takes one of these words.
    fn need(&mut self, words: &[&str], needed: &str) -> Result<()> {
        match words.iter().any(|word| self.take(word)) {
            true => Ok(()),
            false => Err(self.fault(needed)),
        }
    }

    /// Takes a noun, of another class than this one.
    fn noun(&mut self, other: Option<Noun>) -> Result<Noun> {
        let came = self.left.first().and_then(|word| Noun::from_word(word));
        let needed = match other {
            None => "a noun",
            Some(_) => "a noun of another class",
        };
        let fits = |noun: &Noun| other.is_none_or(|it| it.class != noun.class);
        let noun = came.filter(fits).ok_or_else(|| self.fault(needed))?;
        self.take(noun.word());
        Ok(noun)
    }

    fn fault(&self, needed: &str) -> Error {
        let came = match self.left.first() {
            Some(word) => format!("`{word}` as word {}", self.at),
            None => format!("{} words", self.at),
        };
        Error::File { argument: "sentence", came, needed: needed.to_owned() }
    }
}

/// Which sentences are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// How many fillers a sentence has at most; how many it has is drawn evenly.
    pub fillers: u8,
    /// Whether a state may be what has to be guessed, as often as a verb; or verbs alone.
    pub states: bool,
}

/// An endless stream of [`Sentence`]s, the same for the same seed on every machine.
///
/// Three of four have two nouns; the pronoun is the first one's as often as the second one's.
///
/// # Example
///
/// ```
/// use attention::study::{Sentences, Sort};
///
/// let sort = Sort { fillers: 2, states: false };
/// for sentence in Sentences::seeded(7, sort).take(100) {
///     assert!(!sentence.says_state() && !sentence.is_held_out());
/// }
/// ```
#[derive(Debug)]
pub struct Sentences {
    random: ChaCha8Rng,
    sort: Sort,
    pairs: Pairs,
}

/// Which pairs of nouns may stand in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pairs {
    Seen,
    HeldOut,
    /// Two nouns, and so many fillers.
    SeenWith(u8),
}

impl Sentences {
    /// How many sentences networks are measured on.
    pub const EVALUATED: usize = 256;

    /// The stream that belongs to `seed`: none of its sentences has a pair of nouns that is [`HELD_OUT`].
    pub fn seeded(seed: u64, sort: Sort) -> Self {
        Self::stream(seed, 3, sort, Pairs::Seen)
    }

    /// Sentences for measuring, with pairs of nouns that training has seen: drawn by themselves, so that some may be
    /// sentences that training has seen as well. `[256]`
    ///
    /// ```
    /// use attention::study::{Sentences, Sort};
    ///
    /// let seen = Sentences::evaluation(Sort { fillers: 6, states: true });
    /// assert_eq!(seen.len(), Sentences::EVALUATED);
    /// assert!(!seen.iter().any(|sentence| sentence.is_held_out()));
    /// ```
    pub fn evaluation(sort: Sort) -> Vec<Sentence> {
        let stream = Self::stream(0, 4, sort, Pairs::Seen);
        stream.take(Self::EVALUATED).collect()
    }

    /// Sentences for measuring, with pairs of nouns that training has never seen. `[256]`
    ///
    /// ```
    /// use attention::study::{Sentences, Sort};
    ///
    /// let held_out = Sentences::held_out(Sort { fillers: 6, states: true });
    /// assert!(held_out.iter().all(|sentence| sentence.is_held_out()));
    /// ```
    pub fn held_out(sort: Sort) -> Vec<Sentence> {
        let stream = Self::stream(0, 5, sort, Pairs::HeldOut);
        stream.take(Self::EVALUATED).collect()
    }

    /// Sentences for measuring, with two nouns whose pair training has seen, and exactly so many fillers; what is to be
    /// guessed is a state. `[256]`
    ///
    /// ```
    /// use attention::study::Sentences;
    ///
    /// let far = Sentences::with_fillers(14);
    /// assert!(far.iter().all(|it| it.says_state() && it.nouns.len() == 2 && it.pronoun == it.nouns[1] + 16));
    /// ```
    pub fn with_fillers(fillers: u8) -> Vec<Sentence> {
        let sort = Sort { fillers, states: true };
        let stream = Self::stream(0, 6, sort, Pairs::SeenWith(fillers));
        stream.take(Self::EVALUATED).collect()
    }

    fn stream(seed: u64, stream: u64, sort: Sort, pairs: Pairs) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self { random, sort, pairs }
    }

    fn draw(&mut self) -> Sentence {
        let (first, second) = self.draw_nouns();
        let mut words = vec!["The", first.word(), self.draw_word(&ACTIONS)];
        let meant = match second {
            Some(second) => {
                words.extend(["near", "the", second.word()]);
                if self.random.random() { first } else { second }
            }
            None => first,
        };
        let fillers = match self.pairs {
            Pairs::SeenWith(fillers) => fillers,
            _ => self.random.random_range(0..=self.sort.fillers),
        };
        for _ in 0..fillers {
            words.push(self.draw_word(&FILLERS));
        }
        words.extend(["because", PRONOUNS[meant.class]]);
        let exact = matches!(self.pairs, Pairs::SeenWith(_));
        if exact || (self.sort.states && self.random.random()) {
            words.extend(["was", STATES[meant.state]]);
        } else {
            words.push(VERBS[meant.state]);
        }
        Sentence::parse(&words.join(" ")).expect("it is put together so")
    }

    /// One noun, or two of different classes.
    fn draw_nouns(&mut self) -> (Noun, Option<Noun>) {
        let noun = |word| Noun::from_word(word).expect("a noun");
        if self.pairs == Pairs::HeldOut {
            let (first, second) =
                HELD_OUT[self.random.random_range(0..HELD_OUT.len())];
            return (noun(first), Some(noun(second)));
        }
        let all: Vec<Noun> = Noun::all().collect();
        let exact = matches!(self.pairs, Pairs::SeenWith(_));
        let two = exact || self.random.random_range(0..4) < 3;
        loop {
            let first = all[self.random.random_range(0..all.len())];
            let second = all[self.random.random_range(0..all.len())];
            let pair = (first.word(), second.word());
            if !two {
                return (first, None);
            }
            if first.class != second.class && !HELD_OUT.contains(&pair) {
                return (first, Some(second));
            }
        }
    }

    fn draw_word(&mut self, words: &[&'static str]) -> &'static str {
        words.choose(&mut self.random).expect("there are words")
    }
}

impl Iterator for Sentences {
    type Item = Sentence;

    /// The next sentence: never `None`.
    fn next(&mut self) -> Option<Sentence> {
        Some(self.draw())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}
