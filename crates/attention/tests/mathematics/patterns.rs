use attention::circuits::WordKind::{Noun, Other, Pronoun};
use attention::circuits::{
    Feature, WordKind, neighbourhood_head, previous_token_head, pronoun_head,
    sentence_features,
};
use attention::{Head, Mask, MultiHead};
use ndarray::{Array2, array};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::{assert_close, cases};

/// The cat sat because it was tired
const CAT: [WordKind; 7] = [Other, Noun, Other, Other, Pronoun, Other, Other];

fn weights(head: &Head, kinds: &[WordKind]) -> Array2<f64> {
    let x = sentence_features(kinds);
    head.attend(&x, &Mask::Causal).unwrap().weights
}

/// The weight on the token before, for each token that has one.
fn before(kinds: &[WordKind]) -> Vec<f64> {
    let weights = weights(&previous_token_head(), kinds);
    (1..kinds.len()).map(|i| weights[[i, i - 1]]).collect()
}

/// The weight on the last noun before, for each pronoun that has one.
fn referents(kinds: &[WordKind]) -> Vec<f64> {
    let weights = weights(&pronoun_head(), kinds);
    let pronouns = (0..kinds.len()).filter(|&i| kinds[i] == Pronoun);
    pronouns
        .filter_map(|i| {
            let noun = kinds[..i].iter().rposition(|&kind| kind == Noun)?;
            Some(weights[[i, noun]])
        })
        .collect()
}

/// A hundred sentences of 3 to 20 tokens, each kind as likely as any.
fn random_sentences() -> Vec<Vec<WordKind>> {
    let mut random = ChaCha8Rng::seed_from_u64(73);
    let mut sentence = || {
        let tokens = random.random_range(3..=20);
        let mut kind = || [Noun, Pronoun, Other][random.random_range(0..3)];
        (0..tokens).map(|_| kind()).collect()
    };
    (0..100).map(|_| sentence()).collect()
}

/// Mean and smallest, printed.
fn report(what: &str, weights: &[f64]) -> (f64, f64) {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let least = weights.iter().copied().fold(1.0, f64::min);
    let count = weights.len();
    println!("{what}: mean {mean:.5}, smallest {least:.5}, of {count}");
    (mean, least)
}

#[test]
fn the_heads_do_what_they_are_named_for() {
    let random = random_sentences();
    let all = |of: fn(&[WordKind]) -> Vec<f64>| -> Vec<f64> {
        random.iter().flat_map(|kinds| of(kinds)).collect()
    };
    let (mean, _) = report("previous token, the cat", &before(&CAT));
    assert!(mean > 0.95);
    let (mean, least) = report("previous token, random", &all(before));
    assert!(mean > 0.95 && least > 0.95);
    let (_, least) = report("pronoun, the cat", &referents(&CAT));
    assert!(least > 0.5);
    let referents = all(referents);
    assert!(referents.len() > 100);
    let (_, least) = report("pronoun, random", &referents);
    assert!(least > 0.5);
}

#[test]
fn only_the_pronoun_looks_for_a_noun() {
    let weights = weights(&pronoun_head(), &CAT);
    assert!(weights[[4, 1]] > 0.999);
    for i in [0, 1, 2, 3, 5, 6] {
        for j in 0..=i {
            let even = 1.0 / (i + 1) as f64;
            assert!((weights[[i, j]] - even).abs() < 1e-15);
        }
    }
}

// "Break it": the same weight of "it" on "cat", and still no pronoun head.
#[test]
fn a_head_in_which_all_look_for_a_noun_gives_the_pronoun_the_same_weight() {
    let mut all = pronoun_head();
    let query = &mut all.projections.query;
    let asks = query.row(Feature::Pronoun as usize).to_owned();
    query.row_mut(Feature::Pronoun as usize).fill(0.0);
    query.row_mut(Feature::One as usize).assign(&asks);
    let (all, pronoun) = (weights(&all, &CAT), weights(&pronoun_head(), &CAT));
    assert_eq!(all[[4, 1]], pronoun[[4, 1]]);
    for i in 1..7 {
        assert!(all[[i, 1]] > 0.999);
    }
}

#[test]
fn the_last_of_two_nouns_is_meant() {
    let weights = weights(&pronoun_head(), &[Noun, Noun, Other, Pronoun]);
    let last = 1.0 / (1.0 + libm::exp(-2.0)); // two positions' worth apart
    assert!((weights[[3, 1]] - last).abs() < 1e-12);
    assert!((weights[[3, 0]] - (1.0 - last)).abs() < 1e-12);
}

#[test]
fn without_a_noun_a_pronoun_looks_at_itself() {
    let weights = weights(&pronoun_head(), &[Other, Other, Pronoun, Noun]);
    assert!(weights[[2, 2]] > 0.86);
}

#[test]
fn the_neighbourhood_is_a_bell() {
    let x = sentence_features(&CAT);
    let it = neighbourhood_head().attend(&x, &Mask::None).unwrap();
    let mut bell = Array2::from_shape_fn((7, 7), |(i, j)| {
        let distance = i as f64 - j as f64;
        libm::exp(-distance * distance / 4.0)
    });
    for mut row in bell.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    assert_close(&it.weights, &bell, 1e-12);
}

#[test]
fn the_matrices_are_those_of_the_formula() {
    let two = 2.0_f64.sqrt(); // √d_k
    let head = previous_token_head();
    let query = array![
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [-16.0, -8.0],
        [16.0, 0.0],
        [0.0, 0.0],
    ];
    assert_close(&head.projections.query, &(query * two), 1e-12);
    let key = array![
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [1.0, 0.0],
        [0.0, 1.0],
    ];
    assert_eq!(head.projections.key, key);
    for (column, feature) in Feature::ALL.into_iter().enumerate() {
        assert_eq!(feature as usize, column);
    }
}

#[test]
fn each_hands_over_the_kind_of_word_it_looked_at() {
    let heads = MultiHead::new(vec![
        previous_token_head(),
        neighbourhood_head(),
        pronoun_head(),
    ]);
    assert_eq!(heads.parameters(), 3 * (12 + 12 + 18 + 18));
    let x = sentence_features(&CAT);
    let it = heads.attend(&x, &Mask::Causal).unwrap();
    assert_eq!(it.output.dim(), (7, 6));
    // At "it", the third has found a noun; the first, an other word.
    let each = heads.contributions(&x, &Mask::Causal).unwrap();
    assert!(each[2][[4, Feature::Noun as usize]] > 0.999);
    assert!(each[0][[4, Feature::Other as usize]] > 0.999);
}

proptest! {
    #![proptest_config(cases())]

    // Up to 64 tokens, both edges among them.
    #[test]
    fn long_sentences_do_not_blur_the_heads(
        kinds in proptest::collection::vec(0_usize..3, 3..=64)
    ) {
        let kinds: Vec<WordKind> = kinds.iter().map(|&n| [Noun, Pronoun, Other][n]).collect();
        for weight in before(&kinds) {
            prop_assert!(weight > 0.999);
        }
        for weight in referents(&kinds) {
            prop_assert!(weight > 0.86);
        }
        let near = weights(&neighbourhood_head(), &kinds);
        for i in 0..kinds.len() {
            for j in 1..=i {
                prop_assert!(near[[i, j]] >= near[[i, j - 1]], "{} {}", i, j);
            }
        }
    }
}

#[test]
fn a_noun_is_found_over_63_positions() {
    let mut kinds = [Other; 64];
    (kinds[0], kinds[63]) = (Noun, Pronoun);
    assert!(referents(&kinds)[0] > 0.999);
}
