//! A whole transformer, and the small language that it reads.

use std::collections::BTreeMap;

use attention::random::Normals;
use attention::study::{
    HELD_OUT, Noun, PRONOUNS, Reading, STATES, Sentence, Sentences, Sort,
    VERBS, WORDS, token,
};
use attention::{
    Head, Mask, NormPlace, Pairing, Projections, Rope, Stack, Transformer,
};

use crate::assert_close;

fn transformer(seed: u64, words: usize) -> Transformer {
    let mut normals = Normals::seeded(seed);
    let mut stack =
        Stack::xavier(NormPlace::Pre, 2, 8, 2, &mut normals).unwrap();
    for block in &mut stack.blocks {
        let heads = block.attention.heads.iter_mut();
        heads.for_each(|head| head.rope = Some(Rope::new(Pairing::Halves)));
    }
    Transformer {
        embedding: normals.matrix(words, 8),
        stack,
        unembedding: normals.matrix(8, words),
    }
}

#[test]
fn the_last_of_the_stream_is_what_the_stack_makes() {
    for seed in 0..20 {
        let it = transformer(seed, 10);
        let tokens = [1, 7, 3, 3, 9];
        let run = it.run(&tokens).unwrap();
        let forward = it.stack.forward(&run.stream[0], &Mask::Causal).unwrap();
        assert_close(&run.logits, &forward.dot(&it.unembedding), 1e-12);
        // What a block adds is what the stream gains, in two parts.
        let block = &it.stack.blocks[1];
        let normed = block.first_norm.apply(&run.stream[2]).unwrap();
        let added = block.attention.attend(&normed, &Mask::Causal).unwrap();
        assert_close(&run.stream[3], &(&run.stream[2] + &added.output), 1e-12);
        for (weights, attended) in run.weights[1].iter().zip(&added.heads) {
            assert_close(weights, &attended.weights, 1e-12);
        }
    }
}

#[test]
fn a_head_turns_its_queries_and_keys_and_not_its_values() {
    let mut normals = Normals::seeded(3);
    let rope = Rope::new(Pairing::Neighbours);
    let plain = Head::new(
        Projections {
            query: normals.matrix(6, 4),
            key: normals.matrix(6, 4),
            value: normals.matrix(6, 4),
        },
        normals.matrix(4, 6),
    );
    let turned = Head { rope: Some(rope), ..plain.clone() };
    let x = normals.matrix(5, 6); // [T = 5, d = 6]
    let (queries, keys, values) = plain.project(&x).unwrap();
    let (q, k, v) = turned.project(&x).unwrap();
    let places = [0.0, 1.0, 2.0, 3.0, 4.0];
    assert_eq!(q, rope.rotate(&queries, &places).unwrap());
    assert_eq!(k, rope.rotate(&keys, &places).unwrap());
    assert_eq!(v, values);
    // The same token everywhere: what it gives to the one before it is the same wherever it stands.
    let same = x.select(ndarray::Axis(0), &[2; 5]); // [T = 5, d = 6]
    let (q, k, _) = turned.project(&same).unwrap();
    let scores = q.dot(&k.t()); // [T, T]
    for i in 2..5 {
        assert!((scores[[i, i - 1]] - scores[[1, 0]]).abs() < 1e-12);
    }
    let odd = Head::new(Projections::identity(3), normals.matrix(3, 3));
    let odd = Head { rope: Some(rope), ..odd };
    assert!(odd.project(&normals.matrix(2, 3)).is_err());
}

#[test]
fn a_sentence_that_is_none_is_told_where_it_goes_wrong() {
    for (text, came, needed) in [
        ("", "0 words", "`The`"),
        ("the cat sat", "`the` as word 0", "`The`"),
        ("The dragon sat", "`dragon` as word 1", "a noun"),
        ("The cat slept", "`slept` as word 2", "an action"),
        (
            "The cat sat near the dog",
            "`dog` as word 5",
            "a noun of another class",
        ),
        ("The cat sat near a king", "`a` as word 4", "`the`"),
        ("The cat sat softly", "`softly` as word 3", "`because`, or a filler"),
        (
            "The cat sat because he slept",
            "`he` as word 4",
            "the pronoun of one of its nouns",
        ),
        ("The cat sat because it was", "6 words", "its noun's state"),
        (
            "The cat sat because it was happy",
            "`happy` as word 6",
            "its noun's state",
        ),
        (
            "The cat sat because it played",
            "`played` as word 5",
            "`was`, or its noun's verb",
        ),
        (
            "The cat sat because it slept well",
            "`well` as word 6",
            "a full stop",
        ),
        ("The cat sat because it slept. No", "`No` as word 7", "nothing"),
    ] {
        let error = Sentence::parse(text).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("sentence: came with {came}, needed {needed}")
        );
    }
}

#[test]
fn what_a_sentence_says_of_itself_is_so_and_it_reads_itself() {
    let sort = Sort { fillers: 6, states: true };
    let all = Sentences::seeded(7, sort).take(2000);
    let all =
        all.chain(Sentences::held_out(sort)).chain(Sentences::with_fillers(9));
    for it in all {
        assert_eq!(Sentence::parse(&it.text()).unwrap(), it);
        let word = |at: usize| WORDS[it.tokens[at]];
        let noun = Noun::from_word(word(it.antecedent)).unwrap();
        assert!(it.nouns.contains(&it.antecedent));
        assert_eq!(word(it.pronoun), PRONOUNS[noun.class]);
        assert_eq!(word(it.pronoun - 1), "because");
        let said = if it.says_state() { STATES } else { VERBS };
        assert_eq!(word(it.answer), said[noun.state]);
        assert!(it.candidates().contains(&it.tokens[it.answer]));
        assert_eq!(it.answer + 2, it.tokens.len());
        // The other noun is of another class, so that the pronoun tells which is meant.
        for &at in it.nouns.iter().filter(|&&at| at != it.antecedent) {
            assert_ne!(Noun::from_word(word(at)).unwrap().class, noun.class);
        }
    }
}

/// Nobody can guess better than by chance who does not look: not from the pronoun, and with two nouns not from both.
#[test]
fn neither_the_pronoun_nor_the_nouns_alone_tell_the_answer() {
    let sort = Sort { fillers: 0, states: false };
    let mut by_pronoun = BTreeMap::<_, [f64; 3]>::new();
    let (mut one, mut first) = (0.0, 0.0);
    let all: Vec<_> = Sentences::seeded(3, sort).take(18_000).collect();
    for it in &all {
        let state = it
            .candidates()
            .iter()
            .position(|&word| word == it.tokens[it.answer]);
        by_pronoun.entry(it.tokens[it.pronoun]).or_default()[state.unwrap()] +=
            1.0;
        one += f64::from(it.nouns.len() == 1);
        first += f64::from(it.nouns.len() == 2 && it.antecedent == it.nouns[0]);
    }
    let count = all.len() as f64;
    assert!((one / count - 0.25).abs() < 0.02);
    assert!((first / count - 0.375).abs() < 0.02);
    for (pronoun, states) in by_pronoun {
        let sum: f64 = states.iter().sum();
        assert!((sum / count - 1.0 / 3.0).abs() < 0.02, "{}", WORDS[pronoun]);
        for state in states {
            assert!(
                (state / sum - 1.0 / 3.0).abs() < 0.04,
                "{}",
                WORDS[pronoun]
            );
        }
    }
}

#[test]
fn held_out_pairs_are_never_trained_on_and_the_words_are_all_there() {
    for (first, second) in HELD_OUT {
        let [first, second] =
            [first, second].map(|word| Noun::from_word(word).unwrap());
        assert_ne!(first.class, second.class);
    }
    let sort = Sort { fillers: 6, states: true };
    let trained: Vec<_> = Sentences::seeded(1, sort).take(4000).collect();
    assert!(!trained.iter().any(Sentence::is_held_out));
    for (n, word) in WORDS.iter().enumerate() {
        assert_eq!(token(word), Some(n), "{word}");
        assert!(trained.iter().any(|it| it.tokens.contains(&n)), "{word}");
    }
}

#[test]
fn a_reading_counts_what_is_right_and_where_pronouns_look() {
    let sort = Sort { fillers: 2, states: true };
    let sentences: Vec<_> = Sentences::seeded(1, sort).take(30).collect();
    let it = transformer(5, WORDS.len());
    let reading = Reading::of(&it, &sentences).unwrap();
    let (mut right, mut weight) = (0, 0.0);
    for sentence in &sentences {
        // The whole sentence: what comes later changes nothing.
        let run = it.run(&sentence.tokens).unwrap();
        let logit = |word: &usize| run.logits[[sentence.answer - 1, *word]];
        let guess = sentence
            .candidates()
            .into_iter()
            .max_by(|a, b| logit(a).total_cmp(&logit(b)));
        right += usize::from(guess == Some(sentence.tokens[sentence.answer]));
        weight += run.weights[1][0][[sentence.pronoun, sentence.antecedent]];
    }
    assert_eq!(reading.right, right as f64 / 30.0);
    assert!((reading.to_noun[1][0] - weight / 30.0).abs() < 1e-12);
    assert!(Reading::of(&it, &[]).is_err());
    assert!(Reading::of(&transformer(5, 10), &sentences).is_err());
}
