//! What has to hold for every input, checked on a thousand of them, and what has to hold for one,
//! checked against plain loops.

mod attention;
mod break_it;
mod cost;
mod errors;
mod heads;
mod induction;
mod mask;
mod one_pass;
mod paths;
mod patterns;
mod recurrence;
mod scale;
mod self_attention;
mod softmax;

use ndarray::{Array1, Array2, ArrayRef2, Axis};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A thousand cases, the same ones in every run.
fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// `[rows, columns]`, filled with ordinary numbers.
fn matrix(rows: usize, columns: usize) -> impl Strategy<Value = Array2<f64>> {
    proptest::collection::vec(-3.0..3.0, rows * columns).prop_map(
        move |numbers| {
            Array2::from_shape_vec((rows, columns), numbers).unwrap()
        },
    )
}

/// `[T]`, from 1 to 8 numbers.
fn row(
    number: impl Strategy<Value = f64>,
) -> impl Strategy<Value = Array1<f64>> {
    proptest::collection::vec(number, 1..=8).prop_map(Array1::from)
}

/// The numbers 0 to `n` − 1 in some order.
fn order(n: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..n).collect::<Vec<usize>>()).prop_shuffle()
}

/// The rows of `matrix` in that order.
fn permuted(matrix: &ArrayRef2<f64>, order: &[usize]) -> Array2<f64> {
    matrix.select(Axis(0), order)
}

/// Equal but for the last few bits.
#[track_caller]
fn assert_close(
    came: &ArrayRef2<f64>,
    needed: &ArrayRef2<f64>,
    tolerance: f64,
) {
    assert_eq!(came.dim(), needed.dim());
    for ((place, came), needed) in came.indexed_iter().zip(needed) {
        assert!(
            (came - needed).abs() <= tolerance,
            "at {place:?}: came {came}, needed {needed}"
        );
    }
}

/// Equal to the last bit.
#[track_caller]
fn assert_same_bits(came: &ArrayRef2<f64>, needed: &ArrayRef2<f64>) {
    assert_eq!(came.dim(), needed.dim());
    for ((place, came), needed) in came.indexed_iter().zip(needed) {
        assert!(
            came.to_bits() == needed.to_bits(),
            "at {place:?}: came {came}, needed {needed}"
        );
    }
}
