use attention::{
    Pairing, Rope, neighbours_to_halves, position_shift, sinusoids,
};
use ndarray::{Array2, array};
use proptest::prelude::*;

use crate::{assert_close, cases, matrix};

const BOTH: [Pairing; 2] = [Pairing::Neighbours, Pairing::Halves];

/// The paper's formula, a cell at a time, with the standard library's functions.
#[test]
fn waves_are_the_formula_cell_by_cell() {
    for (tokens, d) in [(1, 2), (7, 8), (50, 10), (200, 64)] {
        let waves = sinusoids(tokens, d).unwrap();
        for ((pos, column), &came) in waves.indexed_iter() {
            let i = column / 2;
            let angle = pos as f64 / 10000_f64.powf(2.0 * i as f64 / d as f64);
            let needed =
                if column % 2 == 0 { angle.sin() } else { angle.cos() };
            assert!((came - needed).abs() < 1e-12, "{pos} {column}");
        }
    }
}

// Interleaved, not the sines first: the second column is a cosine, and its wave is as fast as the
// first's.
#[test]
fn sine_and_cosine_alternate() {
    let waves = sinusoids(2, 4).unwrap();
    let needed = array![
        [0.0, 1.0, 0.0, 1.0],
        [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004]
    ];
    assert_close(&waves, &needed, 1e-10);
}

#[test]
fn one_rotation_shifts_every_position() {
    let (tokens, d) = (60, 12);
    let waves = sinusoids(tokens, d).unwrap();
    for k in -30..=30 {
        let rotation = position_shift(k, d).unwrap();
        let shifted = waves.dot(&rotation);
        for position in 0..tokens {
            let Some(there) = position.checked_add_signed(k as isize) else {
                continue;
            };
            if there < tokens {
                let apart = &shifted.row(position) - &waves.row(there);
                assert!(apart.iter().all(|e| e.abs() < 1e-12));
            }
        }
        // It keeps lengths and angles, and the way back is the shift by −k.
        let back = position_shift(-k, d).unwrap();
        assert_close(&rotation.t(), &back, 0.0);
        assert_close(&rotation.dot(&back), &Array2::eye(d), 1e-14);
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_score_depends_on_the_offset_only(
        query in matrix(1, 8), key in matrix(1, 8),
        p in 0.0..500.0, q in 0.0..500.0, both in -500.0..500.0,
    ) {
        for pairing in BOTH {
            let rope = Rope::new(pairing);
            let score = |p: f64, q: f64| {
                let query = rope.rotate(&query, &[p]).unwrap();
                query.row(0).dot(&rope.rotate(&key, &[q]).unwrap().row(0))
            };
            prop_assert!((score(p, q) - score(p + both, q + both)).abs() < 1e-10);
            // And it does depend on it.
            prop_assert!(score(p, q) != score(p + 1.0, q));
        }
    }

    #[test]
    fn no_vector_changes_its_length(x in matrix(3, 6), p in -900.0..900.0) {
        for pairing in BOTH {
            let turned = Rope::new(pairing).rotate(&x, &[0.0, 1.0, p]).unwrap();
            prop_assert_eq!(turned.row(0), x.row(0));
            for (was, is) in x.rows().into_iter().zip(turned.rows()) {
                prop_assert!((was.dot(&was) - is.dot(&is)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_pairings_are_the_same_up_to_the_order_of_features(
        x in matrix(3, 8), positions in proptest::collection::vec(0.0..99.0, 3),
    ) {
        let turn = |pairing, x: &Array2<f64>| Rope::new(pairing).rotate(x, &positions).unwrap();
        let reordered = |x: &Array2<f64>| neighbours_to_halves(x).unwrap();
        prop_assert_eq!(
            turn(Pairing::Halves, &reordered(&x)),
            reordered(&turn(Pairing::Neighbours, &x))
        );
        // Without the order, they are not.
        prop_assert!(turn(Pairing::Halves, &x) != turn(Pairing::Neighbours, &x));
    }

    #[test]
    fn turning_twice_is_turning_by_the_sum(x in matrix(1, 6), p in 0.0..99.0, q in 0.0..99.0) {
        for pairing in BOTH {
            let rope = Rope::new(pairing);
            let twice = rope.rotate(&rope.rotate(&x, &[p]).unwrap(), &[q]).unwrap();
            assert_close(&twice, &rope.rotate(&x, &[p + q]).unwrap(), 1e-12);
        }
    }
}

// The second pair turns 100 times as slowly, and both turn from the first feature to the second.
#[test]
fn rotations_by_hand() {
    let x = array![[1.0, 0.0, 1.0, 0.0]];
    let (fast, slow) = (2.0_f64, 0.02_f64);
    let turned = |pairing| Rope::new(pairing).rotate(&x, &[2.0]).unwrap();
    let neighbours = array![[fast.cos(), fast.sin(), slow.cos(), slow.sin()]];
    assert_close(&turned(Pairing::Neighbours), &neighbours, 1e-15);
    // 0 with 2: [1, 1]; 1 with 3: [0, 0].
    let halves =
        array![[fast.cos() - fast.sin(), 0.0, fast.sin() + fast.cos(), 0.0]];
    assert_close(&turned(Pairing::Halves), &halves, 1e-15);
}
