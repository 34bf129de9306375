//! What the heads of a trained model find, asked which noun a pronoun stands for: the tables in `minilm/`, read.

use std::sync::LazyLock;

/// What all heads do with all sentences.
pub struct Survey {
    pub sentences: Vec<Sentence>,
    /// Layer by layer.
    pub heads: Vec<Head>,
    chances: Vec<([&'static str; 2], Chance)>,
}

/// A sentence with a pronoun.
pub struct Sentence {
    pub group: &'static str,
    /// Whether it makes a pair with the one before it or after it.
    pub paired: bool,
    /// How many nouns it has.
    pub nouns: usize,
    /// Which of them is meant.
    meant: usize,
    /// Which of them is the last before the pronoun.
    last: Option<usize>,
    /// For each head whether it finds the noun, among the nouns and among all words: `1` or `0`.
    found: [&'static [u8]; 2],
}

/// A head, and what it gives to nouns that are meant.
pub struct Head {
    pub layer: usize,
    pub head: usize,
    /// What the noun gets from the pronoun.
    pub weight: f64,
    /// What it gets from the other words.
    pub others_weight: f64,
    /// The share of the other words that give it most among the nouns.
    pub others_find: f64,
}

/// What is found if it is left to chance which noun is meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// By one head, on average.
    pub one: f64,
    /// By the best of all heads, in half of the draws at most.
    pub best: usize,
    /// The same, in 95 of 100 draws.
    pub best_95: usize,
}

/// What a head chooses among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// The nouns of the sentence.
    Nouns,
    /// All its words but the pronoun.
    Words,
}

/// What all sentences together are called.
pub const ALL: &str = "all";

/// The tables, read once.
pub static SURVEY: LazyLock<Survey> = LazyLock::new(|| Survey::read().expect("a test reads them"));

impl Sentence {
    /// Whether a head gives most to the noun that is meant.
    pub fn is_found(&self, head: usize, among: Among) -> bool {
        self.found[among as usize][head] == b'1'
    }

    /// Whether the last noun before the pronoun is the one that is meant.
    pub fn means_last(&self) -> bool {
        self.last == Some(self.meant)
    }

    /// Whether the first noun is the one that is meant.
    pub fn means_first(&self) -> bool {
        self.meant == 0
    }
}

impl Survey {
    fn read() -> Option<Self> {
        let mut survey = Survey { sentences: Vec::new(), heads: Vec::new(), chances: Vec::new() };
        for row in rows(include_str!("minilm/sentences.csv")) {
            let [group, paired, _, _, nouns, meant, last, _, among_nouns, among_words] = fields(row)?;
            survey.sentences.push(Sentence {
                group,
                paired: paired == "1",
                nouns: nouns.parse().ok()?,
                meant: meant.parse().ok()?,
                last: last.parse().ok(),
                found: [among_nouns.as_bytes(), among_words.as_bytes()],
            });
        }
        for row in rows(include_str!("minilm/heads.csv")) {
            let [layer, head, weight, others_weight, others_find] = fields(row)?;
            survey.heads.push(Head {
                layer: layer.parse().ok()?,
                head: head.parse().ok()?,
                weight: weight.parse().ok()?,
                others_weight: others_weight.parse().ok()?,
                others_find: others_find.parse().ok()?,
            });
        }
        for row in rows(include_str!("minilm/chance.csv")) {
            let [group, among, one, best, best_95] = fields(row)?;
            let chance =
                Chance { one: one.parse().ok()?, best: best.parse().ok()?, best_95: best_95.parse().ok()? };
            survey.chances.push(([group, among], chance));
        }
        let heads = survey.heads.len();
        let fits = |sentence: &Sentence| sentence.found.iter().all(|found| found.len() == heads);
        survey.sentences.iter().all(fits).then_some(survey)
    }

    /// The names of the groups, in their order.
    pub fn groups(&self) -> Vec<&'static str> {
        let mut groups: Vec<&str> = self.sentences.iter().map(|sentence| sentence.group).collect();
        groups.dedup();
        groups
    }

    /// The sentences of a group, or of [`ALL`]; where nouns are chosen from, those with several, if there are any.
    pub fn asked(&self, group: &str, among: Among) -> Vec<&Sentence> {
        let is_in = |sentence: &&Sentence| group == ALL || sentence.group == group;
        let all: Vec<&Sentence> = self.sentences.iter().filter(is_in).collect();
        let several: Vec<&Sentence> = all.iter().copied().filter(|sentence| sentence.nouns > 1).collect();
        if among == Among::Words || several.is_empty() { all } else { several }
    }

    /// What chance finds in a group; nothing is known where there is no choice.
    pub fn chance(&self, group: &str, among: Among) -> Option<Chance> {
        self.chance_of(group, ["nouns", "words"][among as usize])
    }

    /// Of how many pairs chance finds both sentences.
    pub fn chance_of_pairs(&self, group: &str) -> Option<Chance> {
        self.chance_of(group, "pairs")
    }

    fn chance_of(&self, group: &str, among: &str) -> Option<Chance> {
        self.chances.iter().find(|(key, _)| *key == [group, among]).map(|(_, chance)| *chance)
    }
}

/// The rows of a table, without its heading.
fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().skip(1)
}

fn fields<const N: usize>(row: &'static str) -> Option<[&'static str; N]> {
    row.split(',').collect::<Vec<_>>().try_into().ok()
}

/// The shares that go with finding something in `found` of `count` cases: those for which as few or as many would not be
/// unlikely (95 %).
///
/// Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
pub fn interval(found: usize, count: usize) -> [f64; 2] {
    // 95 % of a normal distribution lie within so many standard deviations.
    const Z: f64 = 1.959964;
    let (n, share) = (count as f64, found as f64 / count as f64);
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * libm::sqrt(share * (1.0 - share) / n + Z * Z / (4.0 * n * n));
    [middle - reach, middle + reach].map(|end| (end / (1.0 + Z * Z / n)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_can_be_read() {
        let survey = Survey::read().expect("tables of this form");
        assert_eq!((survey.sentences.len(), survey.heads.len()), (60, 72));
        assert_eq!(survey.groups().len(), 8);
        for among in [Among::Nouns, Among::Words] {
            assert!(survey.chance(ALL, among).is_some());
        }
        assert_eq!(survey.asked(ALL, Among::Nouns).len(), 54);
        assert_eq!(survey.asked(ALL, Among::Words).len(), 60);
        assert_eq!(survey.asked("one noun", Among::Nouns).len(), 6);
        // Pairs stand side by side, and no rule about places is right in both.
        let paired: Vec<&Sentence> = survey.sentences.iter().filter(|sentence| sentence.paired).collect();
        for pair in paired.chunks(2) {
            assert!(pair[0].means_last() != pair[1].means_last() && pair[0].group == pair[1].group);
        }
    }

    #[test]
    fn an_interval_is_wilson_s() {
        // The roots of (p − share)² = z² p (1 − p) / n.
        for (found, count) in [(0, 10), (3, 8), (45, 54), (54, 54)] {
            let share = found as f64 / count as f64;
            for p in interval(found, count) {
                let square = 1.959964 * 1.959964 * p * (1.0 - p) / count as f64;
                assert!(((p - share) * (p - share) - square).abs() < 1e-9, "{found} of {count}: {p}");
            }
        }
    }
}
