//! What has to hold for every input, checked on a thousand of them, and what has to hold for one,
//! checked against plain loops.

mod attention;
mod block;
mod break_it;
mod cost;
mod depth;
mod errors;
mod gradients;
mod heads;
mod induction;
mod influence;
mod ladder;
mod mask;
mod one_pass;
mod paths;
mod patterns;
mod positions;
mod recurrence;
mod scale;
mod self_attention;
mod softmax;
mod trained;
mod transformer;

use ::attention::Attention;
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

/// Equation 1, masked, as loops that leave out what is masked, with the standard library's `exp`.
fn by_loops(
    queries: &ArrayRef2<f64>,
    keys: &ArrayRef2<f64>,
    values: &ArrayRef2<f64>,
    allows: impl Fn(usize, usize) -> bool,
    divisor: f64,
) -> Attention {
    let (t_q, t_k, d_v) = (queries.nrows(), keys.nrows(), values.ncols());
    let mut weights = Array2::zeros((t_q, t_k));
    let mut output = Array2::zeros((t_q, d_v));
    for i in 0..t_q {
        let mut sum = 0.0;
        for j in (0..t_k).filter(|&j| allows(i, j)) {
            let mut score = 0.0;
            for f in 0..queries.ncols() {
                score += queries[[i, f]] * keys[[j, f]];
            }
            weights[[i, j]] = (score / divisor).exp();
            sum += weights[[i, j]];
        }
        for j in (0..t_k).filter(|&j| allows(i, j)) {
            weights[[i, j]] /= sum;
            for f in 0..d_v {
                output[[i, f]] += weights[[i, j]] * values[[j, f]];
            }
        }
    }
    Attention { weights, output }
}
