use attention::random::Normals;
use attention::{Mask, Scale, attention, attention_with, scores};
use ndarray::{Array2, Axis, array};
use proptest::prelude::*;

use crate::{assert_close, by_loops, cases, matrix, order, permuted};

/// Queries `[T_q, d_k]`, keys `[T_k, d_k]` and values `[T_k, d_v]`, of any small size.
fn inputs() -> impl Strategy<Value = (Array2<f64>, Array2<f64>, Array2<f64>)> {
    (1_usize..=4, 1_usize..=6, 1_usize..=5, 1_usize..=3).prop_flat_map(
        |(t_q, t_k, d_k, d_v)| {
            (matrix(t_q, d_k), matrix(t_k, d_k), matrix(t_k, d_v))
        },
    )
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_size_agrees_with_plain_loops((queries, keys, values) in inputs()) {
        let root = (queries.ncols() as f64).sqrt();
        for (scale, divisor) in [(Scale::ByRootDk, root), (Scale::Off, 1.0)] {
            let came = attention_with(&queries, &keys, &values, &Mask::None, scale).unwrap();
            let needed = by_loops(&queries, &keys, &values, |_, _| true, divisor);
            assert_close(&came.weights, &needed.weights, 1e-12);
            assert_close(&came.output, &needed.output, 1e-12);
        }
    }

    #[test]
    fn attention_divides_by_the_root((queries, keys, values) in inputs()) {
        let came = attention(&queries, &keys, &values).unwrap();
        let needed = attention_with(&queries, &keys, &values, &Mask::None, Scale::ByRootDk).unwrap();
        prop_assert_eq!(came, needed);
    }

    #[test]
    fn each_query_gives_out_1((queries, keys, values) in inputs()) {
        let came = attention(&queries, &keys, &values).unwrap();
        for row in came.weights.rows() {
            prop_assert!((row.sum() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_order_of_keys_with_their_values_does_not_matter(
        (((queries, keys, values), order), scale) in (inputs().prop_flat_map(|inputs| {
            let tokens = inputs.1.nrows();
            (Just(inputs), order(tokens))
        }), prop_oneof![Just(Scale::ByRootDk), Just(Scale::Off)])
    ) {
        let came = attention_with(
            &queries, &permuted(&keys, &order), &permuted(&values, &order), &Mask::None, scale).unwrap();
        let needed = attention_with(&queries, &keys, &values, &Mask::None, scale).unwrap();
        assert_close(&came.output, &needed.output, 1e-12);
    }

    #[test]
    fn permuted_queries_give_permuted_outputs(
        ((queries, keys, values), order) in inputs().prop_flat_map(|inputs| {
            let tokens = inputs.0.nrows();
            (Just(inputs), order(tokens))
        })
    ) {
        let came = attention(&permuted(&queries, &order), &keys, &values).unwrap();
        let needed = attention(&queries, &keys, &values).unwrap();
        assert_close(&came.weights, &permuted(&needed.weights, &order), 1e-12);
        assert_close(&came.output, &permuted(&needed.output, &order), 1e-12);
    }

    // Inside the hull means: in no direction further out than the furthest value. Feature by
    // feature that is the bounding box; here every direction has its turn.
    #[test]
    fn no_output_leaves_the_hull_of_the_values(
        (queries, keys, values) in inputs(), direction in proptest::array::uniform3(-1.0..1.0),
    ) {
        let came = attention(&queries, &keys, &values).unwrap();
        let d_v = values.ncols();
        let mut directions: Vec<Vec<f64>> = vec![direction[..d_v].to_vec()];
        for feature in 0..d_v {
            let mut axis = vec![0.0; d_v];
            axis[feature] = 1.0;
            directions.push(axis);
        }
        for direction in directions {
            let along = |row: ndarray::ArrayView1<f64>| -> f64 {
                row.iter().zip(&direction).map(|(a, b)| a * b).sum()
            };
            let furthest = values.rows().into_iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            let nearest = values.rows().into_iter().map(along).fold(f64::INFINITY, f64::min);
            for output in came.output.rows() {
                let output = along(output);
                prop_assert!(nearest - 1e-12 <= output && output <= furthest + 1e-12);
            }
        }
    }

    #[test]
    fn a_longer_query_sharpens(direction in matrix(1, 3), keys in matrix(5, 3), length in 1.0..10.0) {
        let values = Array2::zeros((5, 1));
        let largest = |query: &Array2<f64>| {
            let weights = attention(query, &keys, &values).unwrap().weights;
            weights.iter().copied().fold(0.0, f64::max)
        };
        prop_assert!(largest(&(&direction * length)) >= largest(&direction) - 1e-12);
    }

    #[test]
    fn a_query_at_the_origin_attends_evenly(keys in matrix(5, 3), values in matrix(5, 2)) {
        let came = attention(&Array2::zeros((1, 3)), &keys, &values).unwrap();
        assert_close(&came.weights, &Array2::from_elem((1, 5), 0.2), 1e-15);
    }
}

#[test]
fn scores_agree_with_plain_loops_when_no_two_sizes_are_alike() {
    let (t_q, t_k, d_k) = (2, 3, 16);
    let mut normals = Normals::seeded(1);
    let queries = normals.matrix(t_q, d_k);
    let keys = normals.matrix(t_k, d_k);
    let mut needed = Array2::zeros((t_q, t_k));
    for i in 0..t_q {
        for j in 0..t_k {
            for f in 0..d_k {
                needed[[i, j]] += queries[[i, f]] * keys[[j, f]];
            }
        }
    }
    assert_close(&scores(&queries, &keys, Scale::Off).unwrap(), &needed, 1e-12);
    assert_close(
        &scores(&queries, &keys, Scale::ByRootDk).unwrap(),
        &(needed / 4.0),
        1e-12,
    );
}

#[test]
fn the_division_goes_by_the_head_and_not_by_the_model() {
    // Two heads of 2 features, side by side in a model of 4: a head sees its own columns.
    let tokens = array![[1.0, 1.0, 9.0, 9.0], [1.0, 0.0, 9.0, 9.0]];
    let head = tokens.slice_axis(Axis(1), (0..2).into());
    let root = 2.0_f64.sqrt();
    let needed = array![[2.0 / root, 1.0 / root], [1.0 / root, 1.0 / root]];
    assert_close(
        &scores(&head, &head, Scale::ByRootDk).unwrap(),
        &needed,
        1e-15,
    );
}

#[test]
fn scores_are_no_cosines() {
    let keys = array![[1.0, 0.0], [10.0, 0.0]];
    assert_eq!(
        scores(&keys, &keys, Scale::Off).unwrap(),
        array![[1.0, 10.0], [10.0, 100.0]]
    );
}

#[test]
fn no_query_is_no_error() {
    let nobody = Array2::zeros((0, 2));
    let came =
        attention(&nobody, &Array2::zeros((3, 2)), &Array2::zeros((3, 4)))
            .unwrap();
    assert_eq!(came.weights.dim(), (0, 3));
    assert_eq!(came.output.dim(), (0, 4));
}
