use attention::random::Normals;
use attention::{Mask, Scale, attention, attention_with, one_pass_attention};
use ndarray::{Array2, ArrayRef2, Axis, Slice, array};
use proptest::prelude::*;

use crate::{assert_close, cases, permuted};

/// The largest entry of `came − needed`.
fn largest_difference(came: &ArrayRef2<f64>, needed: &ArrayRef2<f64>) -> f64 {
    assert_eq!(came.dim(), needed.dim());
    let differences = (came - needed).mapv(f64::abs);
    assert!(differences.iter().all(|difference| difference.is_finite()));
    differences.iter().copied().fold(0.0, f64::max)
}

/// A mask of a kind: 0 none, 1 causal, 2 by chance, 3 by chance with every third query shut out, 4
/// one key for each query, 5 nothing at all.
fn mask(kind: usize, t_q: usize, t_k: usize, normals: &mut Normals) -> Mask {
    let mut by_chance = || normals.next().unwrap() > 0.0;
    let allowed = |(i, j): (usize, usize)| match kind {
        2 => by_chance(),
        3 => i % 3 != 0 && by_chance(),
        4 => j == (i * 7) % t_k,
        _ => false,
    };
    match kind {
        0 => Mask::None,
        1 => Mask::Causal,
        _ => Mask::Allowed(Array2::from_shape_fn((t_q, t_k), allowed)),
    }
}

/// Prints what it finds: `cargo test -p attention one_pass -- --nocapture`.
#[test]
fn a_thousand_random_cases_are_equal_to_the_matrix() {
    const SPREADS: [f64; 3] = [1.0, 30.0, 1000.0];
    let mut largest = [0.0; SPREADS.len()];
    let mut sizes = Normals::seeded(720);
    let mut size = |most: usize| {
        let number = sizes.next().unwrap().abs() * most as f64;
        number as usize % most + 1
    };
    for case in 0..1000 {
        let (t_q, t_k) = (size(300), size(300));
        let (d_k, d_v) = (size(8), size(8));
        let mut normals = Normals::seeded(case as u64);
        // Scores of this spread: about ±1, ±30, ±1000 and beyond.
        let spread = SPREADS[case % SPREADS.len()];
        let queries = normals.matrix(t_q, d_k) * spread;
        let keys = normals.matrix(t_k, d_k);
        let values = normals.matrix(t_k, d_v);
        let mask = mask(case % 6, t_q, t_k, &mut normals);
        let needed =
            attention_with(&queries, &keys, &values, &mask, Scale::ByRootDk)
                .unwrap()
                .output;
        let came = one_pass_attention(&queries, &keys, &values, &mask).unwrap();
        let difference = largest_difference(&came, &needed);
        assert!(difference <= 1e-12, "case {case}: {difference}");
        let so_far: &mut f64 = &mut largest[case % SPREADS.len()];
        *so_far = so_far.max(difference);
    }
    for (spread, largest) in SPREADS.iter().zip(largest) {
        println!("scores of spread {spread}: largest difference {largest:e}");
    }
}

proptest! {
    #![proptest_config(cases())]

    // The scores are the keys: they have one feature, and the query is 1.
    #[test]
    fn whatever_the_scores(tokens in 1_usize..=300, seed: u64) {
        const EXTREME: [f64; 5] = [-1e3, 1e3, -1e300, 1e300, 0.0];
        let mut normals = Normals::seeded(seed);
        let keys = normals.matrix(tokens, 1).mapv(|number| {
            // The sixth and all after it are ordinary.
            let kind = (number.abs() * 1e6) as usize % 10;
            EXTREME.get(kind).copied().unwrap_or(number * 300.0)
        });
        let values = normals.matrix(tokens, 2);
        let query = array![[1.0]];
        let came = one_pass_attention(&query, &keys, &values, &Mask::None).unwrap();
        let needed = attention(&query, &keys, &values).unwrap().output;
        prop_assert!(largest_difference(&came, &needed) <= 1e-12);
    }

    // A larger score in a later block is what the rescaling is for.
    #[test]
    fn the_order_in_which_the_keys_pass_does_not_matter(
        (tokens, turn) in (1_usize..=200).prop_flat_map(|tokens| (Just(tokens), 0..tokens)), seed: u64,
    ) {
        let mut normals = Normals::seeded(seed);
        let queries = normals.matrix(3, 2) * 20.0;
        let (keys, values) = (normals.matrix(tokens, 2), normals.matrix(tokens, 2));
        let order: Vec<usize> = (0..tokens).map(|j| (j + turn) % tokens).collect();
        let was = one_pass_attention(&queries, &keys, &values, &Mask::None).unwrap();
        let is = one_pass_attention(
            &queries, &permuted(&keys, &order), &permuted(&values, &order), &Mask::None,
        ).unwrap();
        prop_assert!(largest_difference(&is, &was) <= 1e-12);
    }
}

#[test]
fn sizes_about_the_edges_of_a_block() {
    for t_q in [1, 63, 64, 65, 128, 129] {
        for t_k in [1, 63, 64, 65, 127, 128, 193] {
            let mut normals = Normals::seeded((t_q * 1000 + t_k) as u64);
            let queries = normals.matrix(t_q, 3);
            let keys = normals.matrix(t_k, 3);
            let values = normals.matrix(t_k, 2);
            for mask in [Mask::None, Mask::Causal] {
                let came = one_pass_attention(&queries, &keys, &values, &mask)
                    .unwrap();
                let needed = attention_with(
                    &queries,
                    &keys,
                    &values,
                    &mask,
                    Scale::ByRootDk,
                )
                .unwrap();
                assert_close(&came, &needed.output, 1e-13);
            }
        }
    }
}

/// What is masked for the first 64 keys and allowed afterwards, and the other way round.
#[test]
fn a_block_of_keys_may_be_masked_as_a_whole() {
    let mut normals = Normals::seeded(9);
    let (queries, keys) = (normals.matrix(2, 3), normals.matrix(128, 3));
    let values = normals.matrix(128, 2);
    let allowed =
        Array2::from_shape_fn((2, 128), |(i, j)| (i == 0) == (j < 64));
    let came =
        one_pass_attention(&queries, &keys, &values, &Mask::Allowed(allowed))
            .unwrap();
    for (i, half) in [(0, 0..64), (1, 64..128)] {
        let of = |matrix: &Array2<f64>, rows: Slice| {
            matrix.slice_axis(Axis(0), rows).to_owned()
        };
        let needed = attention(
            &of(&queries, (i..i + 1).into()),
            &of(&keys, half.clone().into()),
            &of(&values, half.into()),
        )
        .unwrap()
        .output;
        assert_close(&of(&came, (i..i + 1).into()), &needed, 1e-13);
    }
}

#[test]
fn what_has_no_answer_is_nan_as_with_the_matrix() {
    for nonsense in [f64::NAN, f64::INFINITY] {
        for (place, others) in
            [(0, 0.0), (70, 0.0), (129, 0.0), (70, f64::NEG_INFINITY)]
        {
            let mut keys = Array2::from_elem((130, 1), others);
            keys[[place, 0]] = nonsense;
            let values = Array2::ones((130, 2));
            let query = array![[1.0]];
            let plain = attention(&query, &keys, &values).unwrap().output;
            let one_pass =
                one_pass_attention(&query, &keys, &values, &Mask::None)
                    .unwrap();
            assert!(plain.iter().all(|number| number.is_nan()));
            assert!(one_pass.iter().all(|number| number.is_nan()));
        }
    }
}

/// A mask is what masks: keys at −∞ make scores that are out of range, and no row without anything allowed.
#[test]
fn keys_at_minus_infinity_are_no_mask() {
    let keys = Array2::from_elem((130, 1), f64::NEG_INFINITY);
    let values = Array2::ones((130, 2));
    let query = array![[1.0]];
    let plain = attention(&query, &keys, &values).unwrap().output;
    let one_pass =
        one_pass_attention(&query, &keys, &values, &Mask::None).unwrap();
    assert!(plain.iter().all(|number| number.is_nan()));
    assert!(one_pass.iter().all(|number| number.is_nan()));
    let nobody = Mask::Allowed(Array2::from_elem((1, 130), false));
    let came = one_pass_attention(&query, &keys, &values, &nobody).unwrap();
    assert_eq!(came, array![[0.0, 0.0]]);
}

/// A value of NaN would spoil even a mean in which it has the weight 0.
#[test]
fn blocks_of_keys_ahead_of_all_queries_are_not_looked_at() {
    let mut normals = Normals::seeded(15);
    let x = normals.matrix(130, 2);
    let mut values = normals.matrix(130, 2);
    values.slice_axis_mut(Axis(0), (64..).into()).fill(f64::NAN);
    let came = one_pass_attention(&x, &x, &values, &Mask::Causal).unwrap();
    let first = came.slice_axis(Axis(0), (..64).into());
    assert!(first.iter().all(|number| number.is_finite()));
}

#[test]
fn no_query_is_no_error() {
    let came = one_pass_attention(
        &Array2::zeros((0, 2)),
        &Array2::zeros((3, 2)),
        &Array2::zeros((3, 4)),
        &Mask::Causal,
    )
    .unwrap();
    assert_eq!(came.dim(), (0, 4));
}

#[test]
fn transposed_views_will_do() {
    let mut normals = Normals::seeded(10);
    let (queries, keys) = (normals.matrix(3, 70), normals.matrix(3, 90));
    let values = normals.matrix(2, 90);
    let came =
        one_pass_attention(&queries.t(), &keys.t(), &values.t(), &Mask::Causal)
            .unwrap();
    let needed = attention_with(
        &queries.t(),
        &keys.t(),
        &values.t(),
        &Mask::Causal,
        Scale::ByRootDk,
    )
    .unwrap();
    assert_close(&came, &needed.output, 1e-13);
}
