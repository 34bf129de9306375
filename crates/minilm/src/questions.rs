//! Sentences with a pronoun, and what it stands for.

use serde::Deserialize;

use crate::{Fault, Result};

/// The sentences that were written for the book: crates/minilm/src/sentences.toml.
pub const SENTENCES: &str = include_str!("sentences.toml");

/// Sentences of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What kind.
    pub name: String,
    /// Whether each sentence and the next differ in one word, and mean different nouns.
    #[serde(default)]
    pub pairs: bool,
    /// The sentences.
    pub sentences: Vec<Question>,
}

/// A sentence, and what is asked about it: which of its nouns the pronoun stands for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The sentence.
    pub text: String,
    /// The pronoun.
    pub pronoun: String,
    /// The noun that it stands for.
    pub means: String,
    /// All other nouns.
    pub others: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Vec<Group>,
}

/// Reads groups of sentences from TOML, in the form of [`SENTENCES`].
///
/// ```
/// use minilm::{SENTENCES, questions};
///
/// let groups = questions(SENTENCES)?;
/// assert!(groups.iter().map(|group| group.sentences.len()).sum::<usize>() >= 30);
/// # Ok::<(), minilm::Fault>(())
/// ```
///
/// # Errors
///
/// [`Fault::Sentences`] if the text is no such TOML, a group is empty or named twice, a word stands in its sentence not
/// once, or a pair is no pair.
pub fn questions(toml: &str) -> Result<Vec<Group>> {
    let File { group: groups } =
        toml::from_str(toml).map_err(|error| Fault::Sentences { what: error.to_string() })?;
    for (place, group) in groups.iter().enumerate() {
        let fault = |what: &str| Fault::Sentences { what: format!("group `{}`: {what}", group.name) };
        if group.sentences.is_empty() {
            return Err(fault("it has no sentences"));
        }
        if groups[..place].iter().any(|before| before.name == group.name) {
            return Err(fault("there are two of that name"));
        }
        for question in &group.sentences {
            question.check()?;
        }
        if group.pairs {
            let pairs = group.sentences.chunks(2);
            if pairs.into_iter().any(|pair| pair.len() < 2 || !are_pair(&pair[0], &pair[1])) {
                return Err(fault(
                    "two that follow each other do not differ in one word and in the noun meant",
                ));
            }
        }
    }
    Ok(groups)
}

impl Question {
    /// The sentence's words, in small letters. A comma is a word, as it is to the model.
    fn words(&self) -> Vec<String> {
        self.text.replace(',', " ,").to_lowercase().split_whitespace().map(str::to_owned).collect()
    }

    /// The nouns: the one that is meant, and the others.
    pub fn nouns(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.means).chain(&self.others).map(String::as_str)
    }

    fn check(&self) -> Result<()> {
        let words = self.words();
        for word in self.nouns().chain([self.pronoun.as_str()]) {
            let times = words.iter().filter(|candidate| *candidate == word).count()
                * self.nouns().chain([self.pronoun.as_str()]).filter(|other| *other == word).count();
            if times != 1 {
                let what = format!("`{}`: `{word}` has to stand in it once, in one role", self.text);
                return Err(Fault::Sentences { what });
            }
        }
        Ok(())
    }
}

/// Whether two sentences differ in one word, have the same nouns, and mean different ones.
fn are_pair(one: &Question, two: &Question) -> bool {
    let (first, second) = (one.words(), two.words());
    let sorted = |question: &Question| {
        let mut nouns: Vec<String> = question.nouns().map(str::to_owned).collect();
        nouns.sort();
        nouns
    };
    first.len() == second.len()
        && first.iter().zip(&second).filter(|(one, two)| one != two).count() == 1
        && sorted(one) == sorted(two)
        && one.means != two.means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No rule about places does well with them.
    #[test]
    fn the_book_s_sentences_favour_no_place() {
        let groups = questions(SENTENCES).unwrap();
        let all: Vec<&Question> = groups.iter().flat_map(|group| &group.sentences).collect();
        let several: Vec<&Question> =
            all.iter().copied().filter(|question| !question.others.is_empty()).collect();
        assert_eq!((all.len(), several.len()), (60, 54));
        let (mut first, mut last) = (0, 0);
        for question in several {
            let words = question.words();
            let place = |word: &str| words.iter().position(|it| it == word).unwrap();
            let (meant, pronoun) = (place(&question.means), place(&question.pronoun));
            let others: Vec<usize> = question.others.iter().map(|noun| place(noun)).collect();
            first += usize::from(others.iter().all(|&noun| noun > meant));
            last += usize::from(meant < pronoun && others.iter().all(|&noun| noun < meant || noun > pronoun));
        }
        assert_eq!((first, last), (28, 22));
        let mut texts: Vec<&str> = all.iter().map(|question| question.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 60, "one stands there twice");
    }

    #[test]
    fn sentences_that_are_refused() {
        let refused = |sentences: &str, part: &str| {
            let toml = format!("[[group]]\nname = \"a\"\n{sentences}");
            let fault = questions(&toml).unwrap_err().to_string();
            assert!(
                fault.starts_with("the sentences: ") && fault.contains(part),
                "`{part}` is not in: {fault}"
            );
        };
        let sentence = |text: &str, means: &str, others: &str| {
            format!("{{ text = \"{text}\", pronoun = \"it\", means = \"{means}\", others = [{others}] }}")
        };
        let dog = sentence("The dog saw the cat and it ran", "dog", "\"cat\"");
        let once = "has to stand in it once, in one role";
        refused("", "missing field `sentences`");
        refused("sentences = []", "it has no sentences");
        refused(&format!("sentences = [{}]", sentence("The dog ran", "dog", "")), once);
        refused(&format!("sentences = [{}]", sentence("The dog saw it", "cat", "")), once);
        refused(&format!("sentences = [{}]", sentence("The dog saw it", "dog", "\"dog\"")), once);
        refused(&format!("sentences = [{}]", sentence("Dog saw dog and it ran", "dog", "")), once);
        refused(
            &format!("sentences = [{dog}]\n[[group]]\nname = \"a\"\nsentences = [{dog}]"),
            "there are two of that name",
        );
        let pair = |second: &str| format!("pairs = true\nsentences = [{dog}, {second}]");
        let no_pair = "do not differ in one word and in the noun meant";
        refused(&format!("pairs = true\nsentences = [{dog}]"), no_pair);
        refused(&pair(&dog), no_pair);
        refused(&pair(&sentence("The dog saw the cat and it sat", "dog", "\"cat\"")), no_pair);
        refused(&pair(&sentence("The dog saw a cat and it sat", "cat", "\"dog\"")), no_pair);
        let good = pair(&sentence("The dog saw the cat and it sat", "cat", "\"dog\""));
        assert!(questions(&format!("[[group]]\nname = \"a\"\n{good}")).is_ok());
    }
}
