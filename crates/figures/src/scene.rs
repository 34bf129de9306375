//! The sentence that the figures are about: data, so that a teacher can bring another.

use attention::circuits::WordKind;
use ndarray::Array2;
use serde::{Serialize, Serializer};

/// A sentence, each token with its vector.
///
/// It is written in TOML, as in `scene.toml` beside this file:
///
/// ```
/// let scene = figures::Scene::parse(r#"
/// query = "she"                # the token whose question the chapters follow
/// why = "A pronoun has to find the one it stands for."
///
/// [[token]]
/// text = "Ada"
/// vector = [2.0, 1.0]          # its place in the plane
/// kind = "noun"                # a noun, a pronoun, or, if nothing is said, another word
///
/// [[token]]
/// text = "she"
/// vector = [1.0, 0.5]
/// kind = "pronoun"
/// "#)?;
/// assert_eq!(scene.tokens.len(), 2);
/// assert_eq!(scene.query().label, "she");
/// # Ok::<(), figures::SceneError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scene {
    /// The tokens in their order, from [`Scene::FEWEST`] to [`Scene::MOST`].
    pub tokens: Vec<Token>,
    /// Why the query token needs another token, in a sentence.
    pub why: String,
    /// The place of the token whose question the chapters follow.
    pub(crate) query: usize,
}

/// A token and its vector.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// Its text, and, where an earlier token has the same one, its count: `the`, `the (2)`.
    pub label: String,
    /// Its vector: key, value and, before anybody moves it, query.
    pub vector: [f64; 2],
    /// What kind of word it is, for the heads that care.
    #[serde(serialize_with = "by_name")]
    pub kind: WordKind,
}

/// The kinds of words, as scenes name them.
const KINDS: [(&str, WordKind); 3] =
    [("noun", WordKind::Noun), ("pronoun", WordKind::Pronoun), ("other", WordKind::Other)];

impl Token {
    /// The kind of word that a scene calls so: `noun`, `pronoun` or `other`. `None` if that is no kind.
    pub fn kind_named(name: &str) -> Option<WordKind> {
        KINDS.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }
}

fn by_name<S: Serializer>(kind: &WordKind, serializer: S) -> Result<S::Ok, S::Error> {
    let name = KINDS.into_iter().find(|(_, known)| known == kind).map(|(name, _)| name);
    name.serialize(serializer)
}

/// What is wrong with a scene, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct SceneError {
    /// File, line and column, as far as they are known.
    pub place: String,
    /// What is wrong, and what is needed.
    pub what: String,
}

impl Scene {
    /// The fewest tokens a scene may have: one that asks and one that can answer.
    pub const FEWEST: usize = 2;
    /// The most tokens a scene may have; more would not be told apart in a picture.
    pub const MOST: usize = 64;
    /// The most characters in a token, as a reader counts them: an é is one, however it is written, and so is an emoji
    /// of several parts (extended grapheme clusters, Unicode Standard Annex 29).
    pub const LONGEST_TOKEN: usize = 16;
    /// The most characters in the sentence that says why.
    pub const LONGEST_WHY: usize = 400;
    /// The largest size of a coordinate. The exponentials of larger scores differ by more than any picture shows.
    pub const LARGEST_COORDINATE: f64 = 100.0;

    /// A scene of tokens whose words have been checked before: by [`Scene::parse`], when the book was built. `None` if
    /// there are too few or too many, if a vector is too long, or if there is no token at the place of the `query`.
    pub fn of(tokens: Vec<Token>, why: String, query: usize) -> Option<Self> {
        let fits = |coordinate: &f64| coordinate.abs() <= Self::LARGEST_COORDINATE; // and is not NaN
        let good = (Self::FEWEST..=Self::MOST).contains(&tokens.len())
            && tokens.iter().all(|token| token.vector.iter().all(fits))
            && query < tokens.len();
        good.then_some(Scene { tokens, why, query })
    }

    /// The token whose question the chapters follow.
    pub fn query(&self) -> &Token {
        &self.tokens[self.query]
    }

    /// The place of [`Scene::query`] among the tokens.
    pub fn query_place(&self) -> usize {
        self.query
    }

    /// The label of the token at a place.
    pub(crate) fn label(&self, place: usize) -> &str {
        &self.tokens[place].label
    }

    /// The tokens' texts, in their order.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.tokens.iter().map(|token| token.text.as_str()).collect()
    }

    /// The tokens' labels, in their order.
    pub(crate) fn labels(&self) -> Vec<&str> {
        self.tokens.iter().map(|token| token.label.as_str()).collect()
    }

    /// The sentence, its tokens set apart by spaces.
    pub fn sentence(&self) -> String {
        let texts: Vec<_> = self.tokens.iter().map(|token| token.text.as_str()).collect();
        texts.join(" ")
    }

    /// The tokens' vectors as rows.
    pub fn vectors(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.tokens.len(), 2), |(token, feature)| self.tokens[token].vector[feature]) // [T, 2]
    }
}
