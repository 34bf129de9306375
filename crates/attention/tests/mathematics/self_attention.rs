use attention::random::Normals;
use attention::{
    Mask, Projections, Scale, attention_with, one_pass_attention, shift,
};
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;

use crate::{assert_close, assert_same_bits, cases, matrix, order, permuted};

/// Tokens `[T, d]`, and projections to d_k and d_v features, no two sizes tied to each other.
fn sentence() -> impl Strategy<Value = (Array2<f64>, Projections)> {
    (1_usize..=7, 1_usize..=4, 1_usize..=4, 1_usize..=3).prop_flat_map(
        |(tokens, d, d_k, d_v)| {
            let projections =
                (matrix(d, d_k), matrix(d, d_k), matrix(d, d_v)).prop_map(
                    |(query, key, value)| Projections { query, key, value },
                );
            (matrix(tokens, d), projections)
        },
    )
}

/// What no query in front of it may notice.
#[derive(Debug, Clone)]
struct Change {
    tokens: usize,
    changed: usize,
    size: f64,
    seed: u64,
}

fn change(
    tokens: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = Change> {
    tokens
        .prop_flat_map(|tokens| {
            let size = prop_oneof![Just(1e-9), Just(1.0), Just(1e6)];
            (Just(tokens), 0..tokens, size, any::<u64>())
        })
        .prop_map(|(tokens, changed, size, seed)| Change {
            tokens,
            changed,
            size,
            seed,
        })
}

impl Change {
    /// The tokens before and after the change, `[T, 5]`, and projections to other sizes.
    fn sentences(&self) -> (Array2<f64>, Array2<f64>, Projections) {
        let mut normals = Normals::seeded(self.seed);
        let x = normals.matrix(self.tokens, 5);
        let mut nudged = x.clone();
        let mut row = nudged.row_mut(self.changed);
        row += &(normals.matrix(1, 5).row(0).to_owned() * self.size);
        // Over √5, so that scores stay ordinary, and every key gets some weight.
        let root = 5.0_f64.sqrt();
        let projections = Projections {
            query: normals.matrix(5, 3) / root,
            key: normals.matrix(5, 3) / root,
            value: normals.matrix(5, 4) / root,
        };
        (x, nudged, projections)
    }

    /// Nothing before the changed token has changed, not by a bit.
    fn check(&self) {
        let (x, nudged, projections) = self.sentences();
        let before = ..self.changed;
        let first = |matrix: &Array2<f64>| {
            matrix.slice_axis(Axis(0), before.into()).to_owned()
        };
        let was = projections.attend(&x, &Mask::Causal).unwrap();
        let is = projections.attend(&nudged, &Mask::Causal).unwrap();
        assert_same_bits(&first(&is.output), &first(&was.output));
        assert_same_bits(&first(&is.weights), &first(&was.weights));
        let one_pass = |x: &Array2<f64>| {
            let (queries, keys, values) = projections.project(x).unwrap();
            one_pass_attention(&queries, &keys, &values, &Mask::Causal).unwrap()
        };
        assert_same_bits(&first(&one_pass(&nudged)), &first(&one_pass(&x)));
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_short_sentences_future_changes_nothing(change in change(1..=8)) {
        change.check();
    }

    #[test]
    fn a_long_texts_future_changes_nothing(change in change(60..=140)) {
        change.check();
    }

    // The same change is felt by all without the mask: the test above would see a leak.
    #[test]
    fn without_the_mask_everybody_notices(change in change(2..=8)) {
        let (x, nudged, projections) = Change { size: 1.0, ..change.clone() }.sentences();
        let was = projections.attend(&x, &Mask::None).unwrap().output;
        let is = projections.attend(&nudged, &Mask::None).unwrap().output;
        for i in 0..change.tokens {
            prop_assert_ne!(is.row(i), was.row(i));
        }
    }

    #[test]
    fn queries_keys_and_values_are_products_with_their_own_matrix((x, projections) in sentence()) {
        let (queries, keys, values) = projections.project(&x).unwrap();
        for (came, weight) in [
            (&queries, &projections.query), (&keys, &projections.key), (&values, &projections.value),
        ] {
            let mut needed = Array2::zeros((x.nrows(), weight.ncols()));
            for i in 0..x.nrows() {
                for j in 0..weight.ncols() {
                    for f in 0..x.ncols() {
                        needed[[i, j]] += x[[i, f]] * weight[[f, j]];
                    }
                }
            }
            assert_close(came, &needed, 1e-12);
        }
        for mask in [Mask::None, Mask::Causal] {
            let came = projections.attend(&x, &mask).unwrap();
            prop_assert_eq!(came, attention_with(&queries, &keys, &values, &mask, Scale::ByRootDk).unwrap());
        }
    }

    #[test]
    fn permuted_tokens_give_permuted_outputs(
        ((x, projections), order) in sentence().prop_flat_map(|sentence| {
            let tokens = sentence.0.nrows();
            (Just(sentence), order(tokens))
        })
    ) {
        let was = projections.attend(&x, &Mask::None).unwrap();
        let is = projections.attend(&permuted(&x, &order), &Mask::None).unwrap();
        assert_close(&is.output, &permuted(&was.output, &order), 1e-11);
    }

    #[test]
    fn each_position_but_the_last_predicts_the_next(tokens in proptest::collection::vec(0..9, 0..9)) {
        let (inputs, targets) = shift(&tokens);
        prop_assert_eq!(inputs.len(), targets.len());
        prop_assert_eq!(inputs.len(), tokens.len().max(1) - 1);
        for i in 0..inputs.len() {
            prop_assert_eq!((inputs[i], targets[i]), (tokens[i], tokens[i + 1]));
        }
    }
}

#[test]
fn the_causal_mask_gives_tokens_an_order() {
    let x = array![[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]];
    let turned = [2, 1, 0];
    let attend = |x: &Array2<f64>, mask| {
        Projections::identity(2).attend(x, &mask).unwrap().output
    };
    let was = permuted(&attend(&x, Mask::None), &turned);
    let is = attend(&permuted(&x, &turned), Mask::None);
    assert_close(&is, &was, 1e-15);
    // The first token sees itself only, and there is another first one now.
    let was = permuted(&attend(&x, Mask::Causal), &turned);
    let is = attend(&permuted(&x, &turned), Mask::Causal);
    assert_eq!(is.row(0), array![2.0, 2.0]);
    assert_eq!(was.row(2), array![1.0, 0.0]);
    for i in 0..3 {
        assert!((&is.row(i) - &was.row(i)).iter().any(|e| e.abs() > 0.01));
    }
}

#[test]
fn rows_sum_to_1_and_columns_need_not() {
    let x = array![[0.0, 0.0], [3.0, 0.0], [0.0, 1.0]];
    let it = Projections::identity(2).attend(&x, &Mask::None).unwrap();
    for row in it.weights.rows() {
        assert!((row.sum() - 1.0).abs() < 1e-12);
    }
    let received = it.weights.sum_axis(Axis(0));
    assert!(received[1] > 1.5 && received[0] < 0.9);
}

#[test]
fn identity_hands_over_what_is_there() {
    let x = Normals::seeded(8).matrix(4, 3);
    let (queries, keys, values) = Projections::identity(3).project(&x).unwrap();
    assert_eq!((&queries, &keys, &values), (&x, &x, &x));
}
