//! Which heads look from a pronoun at what it stands for: all heads, over many sentences.

use std::ops::Range;

use ndarray::{Array2, ArrayRef2, Axis, Slice};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::{Fault, Group, Model, Question, Result, Sentence};

/// The words of a sentence, put together from the model's tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The words, without what the model adds before and after. `W`
    pub names: Vec<String>,
    /// Where each one's pieces stand among the tokens. `W`
    pub pieces: Vec<Range<usize>>,
}

impl Words {
    /// The words of a sentence: a token that starts with `##` goes on with the word before it.
    ///
    /// ```
    /// use minilm::{Sentence, Words};
    ///
    /// let tokens = ["[CLS]", "a", "ri", "##pe", "fig", "[SEP]"].map(str::to_owned).to_vec();
    /// let words = Words::of(&Sentence { tokens, ids: vec![0; 6] });
    /// assert_eq!(words.names, ["a", "ripe", "fig"]);
    /// assert_eq!(words.pieces, [1..2, 2..4, 4..5]);
    /// ```
    pub fn of(sentence: &Sentence) -> Self {
        let (mut names, mut pieces): (Vec<String>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        let last = sentence.tokens.len().saturating_sub(1);
        for (place, token) in sentence.tokens.iter().enumerate().take(last).skip(1) {
            match (token.strip_prefix("##"), names.last_mut(), pieces.last_mut()) {
                (Some(rest), Some(name), Some(range)) => {
                    name.push_str(rest);
                    range.end = place + 1;
                }
                _ => {
                    names.push(token.clone());
                    pieces.push(place..place + 1);
                }
            }
        }
        Self { names, pieces }
    }

    /// A head's weights from word to word: to a word, the sum over its pieces; from a word, the mean over its pieces.
    /// `[T, T]` → `[W, W]`
    ///
    /// The rows sum to 1 less what goes to the tokens that the model adds.
    ///
    /// Source: Clark et al. 2019, "What Does BERT Look At?", section 4.1.
    ///
    /// ```
    /// use ndarray::array;
    /// use minilm::{Sentence, Words};
    ///
    /// let tokens = ["[CLS]", "ri", "##pe", "fig", "[SEP]"].map(str::to_owned).to_vec();
    /// let words = Words::of(&Sentence { tokens, ids: vec![0; 5] });
    /// let weights = array![
    ///     [1.0, 0.0, 0.0, 0.0, 0.0],
    ///     [0.5, 0.25, 0.0, 0.25, 0.0],
    ///     [0.0, 0.0, 0.25, 0.5, 0.25],
    ///     [0.0, 0.5, 0.25, 0.0, 0.25],
    ///     [0.0, 0.0, 0.0, 0.0, 1.0],
    /// ]; // [T = 5, T = 5]
    /// let between = words.weights(&weights); // [W = 2, W = 2]
    /// assert_eq!(between, array![[0.25, 0.375], [0.75, 0.0]]);
    /// ```
    pub fn weights(&self, weights: &ArrayRef2<f64>) -> Array2<f64> {
        let slice = |range: &Range<usize>| Slice::from(range.clone());
        Array2::from_shape_fn((self.names.len(), self.names.len()), |(i, j)| {
            let (from, to) = (&self.pieces[i], &self.pieces[j]);
            let block = weights.slice_axis(Axis(0), slice(from)); // [pieces of i, T]
            block.slice_axis(Axis(1), slice(to)).sum() / from.len() as f64
        }) // [W, W]
    }

    fn place(&self, word: &str) -> Option<usize> {
        self.names.iter().position(|name| name == word)
    }
}

/// What one head does with one sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The noun that the pronoun gives most to, by its place among the nouns.
    pub noun: usize,
    /// The word that it gives most to, by its place among the words other than the pronoun.
    pub word: usize,
    /// What it gives to the noun that it stands for.
    pub weight: f64,
    /// What the other words (no nouns, and not the pronoun) give to that noun, as a mean.
    pub others_weight: f64,
    /// The share of these other words that give most, among the nouns, to that noun.
    pub others_find: f64,
}

/// What all heads do with one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The sentence's group, by its place.
    pub group: usize,
    /// How many nouns there are.
    pub nouns: usize,
    /// Which of them is meant, by its place among them.
    pub means: usize,
    /// Which of them is the last before the pronoun; none if the pronoun comes first.
    pub last: Option<usize>,
    /// How many words there are, without the pronoun.
    pub words: usize,
    /// Which of them is meant.
    pub means_word: usize,
    /// `looks[layer][head]`
    pub looks: Vec<Vec<Look>>,
}

impl Answer {
    /// One for each head, layer by layer.
    fn each(&self) -> impl Iterator<Item = &Look> {
        self.looks.iter().flatten()
    }

    /// What heads with these weights say about a sentence. `weights[layer][head]` `[T, T]`
    ///
    /// # Errors
    ///
    /// [`Fault::Sentences`] if the model cuts the sentence into other words, or if there are only nouns in it beside the
    /// pronoun.
    pub fn of(
        group: usize,
        question: &Question,
        sentence: &Sentence,
        weights: &[Vec<Array2<f64>>],
    ) -> Result<Self> {
        let words = Words::of(sentence);
        let place = |word: &str| {
            let what = || format!("`{}`: the model finds no `{word}` in it", question.text);
            words.place(word).ok_or_else(|| Fault::Sentences { what: what() })
        };
        let pronoun = place(&question.pronoun)?;
        let meant = place(&question.means)?;
        let mut nouns = question.nouns().map(place).collect::<Result<Vec<usize>>>()?;
        nouns.sort_unstable();
        let means = nouns.iter().position(|&noun| noun == meant).expect("it is among them");
        let others: Vec<usize> = (0..words.names.len()).filter(|&word| word != pronoun).collect();
        let asking: Vec<usize> = others.iter().copied().filter(|word| !nouns.contains(word)).collect();

        if asking.is_empty() {
            let what = format!("`{}`: it needs a word that is neither a noun nor the pronoun", question.text);
            return Err(Fault::Sentences { what });
        }

        let look = |weights: &Array2<f64>| {
            let weights = words.weights(weights); // [W, W]
            let most = |query: usize, keys: &[usize]| {
                let better = |best: usize, key: usize| {
                    if weights[[query, keys[key]]] > weights[[query, keys[best]]] { key } else { best }
                };
                (1..keys.len()).fold(0, better)
            };
            let finding = asking.iter().filter(|&&query| most(query, &nouns) == means).count();
            let given: f64 = asking.iter().map(|&query| weights[[query, meant]]).sum();
            Look {
                noun: most(pronoun, &nouns),
                word: most(pronoun, &others),
                weight: weights[[pronoun, meant]],
                others_weight: given / asking.len() as f64,
                others_find: finding as f64 / asking.len() as f64,
            }
        };
        Ok(Self {
            group,
            nouns: nouns.len(),
            means,
            last: nouns.iter().rposition(|&noun| noun < pronoun),
            words: others.len(),
            means_word: others.iter().position(|&word| word == meant).expect("it is among them"),
            looks: weights.iter().map(|heads| heads.iter().map(look).collect()).collect(),
        })
    }
}

/// What all heads of a model do with all sentences.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// The sentences.
    pub groups: Vec<Group>,
    /// What the heads do with them, in the same order.
    pub answers: Vec<Answer>,
}

impl Survey {
    /// What is said of all groups together.
    const ALL: &str = "all";

    /// Asks all heads of a model about all sentences.
    ///
    /// # Errors
    ///
    /// As of [`Model::tokens`], [`Model::run`] and [`Answer::of`].
    pub fn of(model: &Model, groups: Vec<Group>) -> Result<Self> {
        let mut answers = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            for question in &group.sentences {
                let sentence = model.tokens(&question.text, usize::MAX)?;
                answers.push(Answer::of(place, question, &sentence, &model.run(&sentence)?.weights)?);
            }
        }
        Ok(Self { groups, answers })
    }

    /// The files that hold what was found, by name; crates/figures/src/minilm/README.md says what is in them.
    pub fn files(&self) -> [(&'static str, String); 3] {
        [("sentences.csv", self.sentences()), ("heads.csv", self.weights()), ("chance.csv", self.chance())]
    }

    /// In words: the heads that find most, the first of equals before the others, and what rules about places find.
    pub fn summary(&self, most: usize) -> String {
        let several: Vec<&Answer> = self.answers.iter().filter(|answer| answer.nouns > 1).collect();
        let mut lines = Vec::new();
        for (layer, head) in self.places() {
            let found = |answers: &[&Answer], among: Among| {
                answers.iter().filter(|answer| among.finds(answer, &answer.looks[layer][head])).count()
            };
            let (nouns, words) = (found(&several, Among::Nouns), found(&self.all(), Among::Words));
            lines.push((
                nouns,
                words,
                format!(
                    "layer {layer}, head {head:2}: {nouns:2} among the nouns, {words:2} among all words\n"
                ),
            ));
        }
        lines.sort_by_key(|&(nouns, words, _)| std::cmp::Reverse((nouns, words)));
        let last = several.iter().filter(|answer| answer.last == Some(answer.means)).count();
        let first = several.iter().filter(|answer| answer.means == 0).count();
        let (count, all) = (several.len(), self.answers.len());
        lines.into_iter().take(most).map(|(_, _, line)| line).collect::<String>()
            + &format!(
                "of {count} sentences with several nouns, and {all} in all; the last noun before the pronoun: {last}, the first \
                 noun: {first}\n"
            )
    }

    /// Each head's layer, and its place in it.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let shape = self.answers.first().map_or(&[][..], |answer| &answer.looks);
        shape.iter().enumerate().flat_map(|(layer, heads)| (0..heads.len()).map(move |head| (layer, head)))
    }

    fn all(&self) -> Vec<&Answer> {
        self.answers.iter().collect()
    }

    /// The sentences, and which heads find what is meant: a row for each, with a 1 or a 0 for each head, layer by layer.
    fn sentences(&self) -> String {
        let mut csv =
            "group,paired,pronoun,means,nouns,meant,last,words,found_among_nouns,found_among_words\n"
                .to_owned();
        let questions = self.groups.iter().flat_map(|group| &group.sentences);
        for (answer, question) in self.answers.iter().zip(questions) {
            let group = &self.groups[answer.group];
            let found = |among: Among| -> String {
                answer.each().map(|look| if among.finds(answer, look) { '1' } else { '0' }).collect()
            };
            csv += &format!(
                "{},{},{},{},{},{},{},{},{},{}\n",
                group.name,
                u8::from(group.pairs),
                question.pronoun,
                question.means,
                answer.nouns,
                answer.means,
                answer.last.map_or(String::new(), |last| last.to_string()),
                answer.words,
                found(Among::Nouns),
                found(Among::Words)
            );
        }
        csv
    }

    /// The heads: what they give to the noun that is meant, from the pronoun and from other words, as means over all
    /// sentences; and how often those other words find it, as a mean over the sentences with several nouns.
    fn weights(&self) -> String {
        let mut csv = "layer,head,weight,others_weight,others_find\n".to_owned();
        let all = self.all();
        let several: Vec<&Answer> = all.iter().copied().filter(|answer| answer.nouns > 1).collect();
        for (layer, head) in self.places() {
            let mean = |answers: &[&Answer], number: fn(&Look) -> f64| {
                let numbers = answers.iter().map(|answer| number(&answer.looks[layer][head]));
                numbers.sum::<f64>() / answers.len() as f64
            };
            csv += &format!(
                "{layer},{head},{:.3},{:.3},{:.3}\n",
                mean(&all, |look| look.weight),
                mean(&all, |look| look.others_weight),
                mean(&several, |look| look.others_find)
            );
        }
        csv
    }

    /// What chance finds, in each group and in all of them: among the nouns of sentences that have several, among all
    /// words, and of pairs.
    fn chance(&self) -> String {
        let mut csv = "group,among,one_head,best_head,best_head_95\n".to_owned();
        let mut add = |group: &str, among: &str, it: Chance| {
            csv += &format!("{group},{among},{:.2},{},{}\n", it.one, it.best, it.best_95);
        };
        let groups = self.groups.iter().enumerate().map(|(place, group)| (group.name.as_str(), Some(place)));
        for (name, group) in [(Self::ALL, None)].into_iter().chain(groups) {
            let is_in = |answer: &&Answer| group.is_none_or(|group| answer.group == group);
            let answers: Vec<Answer> = self.answers.iter().filter(is_in).cloned().collect();
            let several: Vec<Answer> = answers.iter().filter(|answer| answer.nouns > 1).cloned().collect();
            if !several.is_empty() {
                add(name, "nouns", Chance::of(&several, Among::Nouns));
            }
            add(name, "words", Chance::of(&answers, Among::Words));
            let paired: Vec<Answer> =
                answers.into_iter().filter(|answer| self.groups[answer.group].pairs).collect();
            if !paired.is_empty() {
                add(name, "pairs", Chance::of_pairs(&paired));
            }
        }
        csv
    }
}

/// What is found by chance, and how much of it the best of all heads finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// What one head finds, on average over the heads and the draws.
    pub one: f64,
    /// What the best of all heads finds: in half of the draws no more than this.
    pub best: usize,
    /// The same, in 95 of 100 draws.
    pub best_95: usize,
}

impl Chance {
    /// How many draws there are.
    pub const DRAWS: usize = 10_000;

    /// What is found where it is left to chance which noun (or which word) of a sentence is the one that is meant: in each
    /// draw any of them is, each as likely as the others, the same for all heads, and what the heads choose stays.
    pub fn of(answers: &[Answer], among: Among) -> Self {
        Self::drawn(heads(answers), |random, found| {
            for answer in answers {
                let meant = random.random_range(0..among.options(answer) as u32) as usize;
                for (found, look) in found.iter_mut().zip(answer.each()) {
                    *found += usize::from(among.chosen(look) == meant);
                }
            }
        })
    }

    /// What is found in pairs of sentences, if it is left to chance which of the two means which of the nouns. A pair is
    /// found if both of its sentences are.
    pub fn of_pairs(answers: &[Answer]) -> Self {
        Self::drawn(heads(answers), |random, found| {
            for pair in answers.chunks_exact(2) {
                let swapped = usize::from(random.random::<bool>());
                let meant = [pair[swapped].means, pair[1 - swapped].means];
                let looks = pair[0].each().zip(pair[1].each());
                for (found, (first, second)) in found.iter_mut().zip(looks) {
                    *found += usize::from([first.noun, second.noun] == meant);
                }
            }
        })
    }

    /// `draw` adds to a zero for each head what that head finds.
    fn drawn(heads: usize, mut draw: impl FnMut(&mut ChaCha8Rng, &mut [usize])) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(73);
        let (mut all, mut best) = (0, Vec::with_capacity(Self::DRAWS));
        for _ in 0..Self::DRAWS {
            let mut found = vec![0; heads];
            draw(&mut random, &mut found);
            all += found.iter().sum::<usize>();
            best.push(found.into_iter().max().unwrap_or(0));
        }
        best.sort_unstable();
        let one = all as f64 / (heads.max(1) * Self::DRAWS) as f64;
        Self { one, best: best[Self::DRAWS / 2 - 1], best_95: best[Self::DRAWS * 95 / 100 - 1] }
    }
}

fn heads(answers: &[Answer]) -> usize {
    answers.first().map_or(0, |answer| answer.each().count())
}

/// What a head chooses among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// The nouns of the sentence.
    Nouns,
    /// All words of the sentence but the pronoun.
    Words,
}

impl Among {
    fn options(self, answer: &Answer) -> usize {
        match self {
            Among::Nouns => answer.nouns,
            Among::Words => answer.words,
        }
    }

    fn chosen(self, look: &Look) -> usize {
        match self {
            Among::Nouns => look.noun,
            Among::Words => look.word,
        }
    }

    /// Whether a head finds what is meant.
    pub fn finds(self, answer: &Answer, look: &Look) -> bool {
        let meant = match self {
            Among::Nouns => answer.means,
            Among::Words => answer.means_word,
        };
        self.chosen(look) == meant
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// Five words, one of them in two pieces.
    fn ape(pronoun: &str, means: &str, other: &str) -> (Question, Sentence) {
        let tokens = ["[CLS]", "an", "ape", "saw", "fi", "##g", "it", "[SEP]"].map(str::to_owned).to_vec();
        let question = Question {
            text: "An ape saw fig it".into(),
            pronoun: pronoun.into(),
            means: means.into(),
            others: vec![other.into()],
        };
        (question, Sentence { tokens, ids: vec![0; 8] })
    }

    #[test]
    fn a_head_is_asked_by_words() {
        let (question, sentence) = ape("it", "fig", "ape");
        // Only the rows of `an`, `saw` and `it` matter.
        let weights = array![
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.5, 0.0, 0.2, 0.0, 0.1, 0.2, 0.0, 0.0], // an: fig 0.3, ape 0.2
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.5, 0.0, 0.1, 0.1, 0.0, 0.3], // saw: fig 0.2, ape 0.5
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.1, 0.2, 0.25, 0.1, 0.14, 0.2, 0.01], // it: fig 0.24, ape 0.2, saw 0.25
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ]; // [T = 8, T = 8]
        let answer = Answer::of(3, &question, &sentence, &[vec![weights]]).unwrap();
        assert_eq!((answer.group, answer.nouns, answer.means, answer.last), (3, 2, 1, Some(1)));
        assert_eq!((answer.words, answer.means_word), (4, 3)); // an, ape, saw, fig
        let look = answer.looks[0][0];
        assert_eq!((look.noun, look.word), (1, 2));
        assert!(Among::Nouns.finds(&answer, &look) && !Among::Words.finds(&answer, &look));
        assert!((look.weight - 0.24).abs() < 1e-12 && (look.others_weight - 0.25).abs() < 1e-12);
        assert_eq!(look.others_find, 0.5); // `an` does, `saw` does not
    }

    #[test]
    fn no_noun_is_before_a_pronoun_that_comes_first() {
        let (question, sentence) = ape("an", "ape", "fig");
        let answer = Answer::of(0, &question, &sentence, &[]).unwrap();
        assert_eq!((answer.means, answer.last), (0, None));
    }

    #[test]
    fn sentences_that_cannot_be_asked_about() {
        let refused = |question: &Question, what: &str| {
            let fault = Answer::of(0, question, &ape("it", "fig", "ape").1, &[]).unwrap_err();
            assert_eq!(fault.to_string(), format!("the sentences: `An ape saw fig it`: {what}"));
        };
        refused(&ape("it", "fig", "nut").0, "the model finds no `nut` in it");
        let (mut question, _) = ape("it", "fig", "ape");
        question.others.extend(["an".into(), "saw".into()]);
        refused(&question, "it needs a word that is neither a noun nor the pronoun");
    }

    /// Sentences with two nouns and nine words, and heads that choose as they are told.
    fn answers(count: usize, heads: usize, chosen: impl Fn(usize, usize) -> usize) -> Vec<Answer> {
        let look = |noun| Look { noun, word: 2 * noun, weight: 0.5, others_weight: 0.1, others_find: 0.5 };
        let answer = |sentence: usize| Answer {
            group: 0,
            nouns: 2,
            means: sentence % 2,
            last: Some(1),
            words: 9,
            means_word: 4,
            looks: vec![(0..heads).map(|head| look(chosen(sentence, head))).collect()],
        };
        (0..count).map(answer).collect()
    }

    #[test]
    fn the_best_of_many_finds_more_by_chance_than_one() {
        let alike = Chance::of(&answers(40, 72, |_, _| 0), Among::Nouns);
        let different =
            Chance::of(&answers(40, 72, |sentence, head| (sentence >> (head % 5)) % 2), Among::Nouns);
        for it in [alike, different] {
            assert!((it.one - 20.0).abs() < 0.1, "{it:?}");
        }
        // A binomial distribution of 40 tries with a half: its median, and where it passes 0.95.
        assert_eq!((alike.best, alike.best_95), (20, 25));
        assert!(different.best > 20 && different.best_95 > 25, "{different:?}");
        let words = Chance::of(&answers(45, 3, |_, _| 0), Among::Words);
        assert!((words.one - 5.0).abs() < 0.1, "{words:?}");
    }

    #[test]
    fn a_head_that_always_chooses_alike_finds_no_pair() {
        assert_eq!(Chance::of_pairs(&answers(16, 4, |_, _| 1)), Chance { one: 0.0, best: 0, best_95: 0 });
        // One that tells two sentences apart is right in both or in none: 8 tries with a half.
        let telling = Chance::of_pairs(&answers(16, 1, |sentence, _| sentence % 2));
        assert!((telling.one - 4.0).abs() < 0.1, "{telling:?}");
        assert_eq!((telling.best, telling.best_95), (4, 6));
    }
}
