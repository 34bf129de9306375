//! `roles` and `looking`: what was learned, against plain sums.

use attention::Transformer;
use attention::study::{NOUNS, PRONOUNS, Sentence, Sentences, Sort, WORDS, token};
use attention::trained::{Attempt, Attempts};

use crate::drawn;

#[test]
fn weights_are_those_of_queries_and_keys_by_hand() {
    let model = Transformer::roles();
    let block = &model.stack.blocks[0];
    let head = &block.attention.heads[0];
    let words = ["The", "cat", "sat", "because", "it"].map(|word| token(word).unwrap());
    // LayerNorm and the two products, number by number.
    let normed = |word: usize| {
        let x = model.embedding.row(word);
        let mean = x.sum() / x.len() as f64;
        let variance = x.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>() / x.len() as f64;
        let norm = &block.first_norm;
        (0..x.len())
            .map(|i| (x[i] - mean) / (variance + norm.epsilon).sqrt() * norm.gamma[i] + norm.beta[i])
            .collect::<Vec<f64>>()
    };
    let product = |x: &[f64], w: &ndarray::Array2<f64>, column: usize| {
        (0..x.len()).map(|i| x[i] * w[[i, column]]).sum::<f64>()
    };
    let query = |word| [0, 1].map(|column| product(&normed(word), &head.projections.query, column));
    let key = |word| [0, 1].map(|column| product(&normed(word), &head.projections.key, column));
    let asks = query(words[4]);
    let scores = words.map(|word| (asks[0] * key(word)[0] + asks[1] * key(word)[1]) / 2_f64.sqrt());
    let sum: f64 = scores.iter().map(|score| score.exp()).sum();
    let drawing = drawn("roles", &[]);
    for (word, score) in words.into_iter().zip(scores) {
        let cell = |column| drawing.cell(WORDS[word], column);
        assert!((cell("score") - score).abs() < 1e-9);
        assert!((cell("weight") - score.exp() / sum).abs() < 1e-9);
        assert!((cell("key 1") - key(word)[0]).abs() < 1e-9);
    }
    // And each pronoun's query points the way of its class.
    for (class, name) in ["cosine-it", "cosine-she", "cosine-he"].into_iter().enumerate() {
        let q = query(token(PRONOUNS[class]).unwrap());
        let cosines = NOUNS[class].map(|noun| {
            let k = key(token(noun).unwrap());
            (q[0] * k[0] + q[1] * k[1]) / (q[0].hypot(q[1]) * k[0].hypot(k[1]))
        });
        let least = cosines.into_iter().fold(1.0, f64::min);
        assert!((drawing.number(name) - least).abs() < 1e-9);
    }
}

/// Whatever is chosen, a pronoun gives more to its noun than to any other word of the sentence.
#[test]
fn in_every_sentence_of_the_figure_the_pronoun_finds_its_noun() {
    for sentence in ["cat", "cat-queen-it", "cat-queen-she", "king-cat-it", "king-cat-he", "girl-horse"] {
        let drawing = drawn("roles", &[("sentence", &sentence)]);
        let asks = drawing.text("asks");
        let class = PRONOUNS.iter().position(|it| *it == asks).unwrap();
        let top = drawing.text("top");
        assert!(NOUNS[class].contains(&top.as_str()), "{sentence}: {asks} found {top}");
    }
}

#[test]
fn the_placed_vectors_are_those_of_the_first_figure() {
    let (placed, threads) = (drawn("roles", &[("vectors", &"placed")]), drawn("threads", &[]));
    for row in &threads.table.rows {
        let apart = placed.cell(&row.name, "weight") - threads.cell(&row.name, "weight");
        assert!(apart.abs() < 1e-12, "{}", row.name);
    }
}

#[test]
fn the_table_tells_what_the_network_of_the_book_does() {
    let sort = Sort { fillers: 2, states: false };
    let (seen, held_out) = (Sentences::evaluation(sort), Sentences::held_out(sort));
    let attempts = Attempts::roles();
    let told = attempts.iter().find(|it| it.network == "as it is" && it.seed == 7).unwrap();
    let again = Attempt::of("as it is", 7, told.learned_at, &Transformer::roles(), &seen, &held_out).unwrap();
    let one = |it: &Attempt| Attempts::to_csv(std::slice::from_ref(it));
    assert_eq!(one(&again), one(told));
    // Every kind with every seed.
    assert_eq!(drawn("looking", &[]).table.rows.len(), 5 * 12);
    // With queries of 0, weights are even: a word of n gets 1/n, whatever was learned.
    for it in attempts.iter().filter(|it| it.network.starts_with("even")) {
        let with_two: Vec<_> = seen.iter().filter(|it| it.nouns.len() == 2).collect();
        let even = with_two.iter().map(|it: &&Sentence| 1.0 / (it.pronoun + 1) as f64).sum::<f64>();
        assert!((it.weight_two - even / with_two.len() as f64).abs() < 1e-4);
    }
}
