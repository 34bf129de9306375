//! What comes of numbers at the ends of `f64`: that which the documentation of each function says.

use attention::gradient::{gelu_derivative, softmax_jacobian};
use attention::study::{
    Activation, Recurrence, Repeat, block_parameters, dot_product_variance,
    frobenius_norm, head_cost, log_slope, multi_head_cost, one_pass_cost,
    plain_cost,
};
use attention::{
    Attention, LayerNorm, Mask, Mlp, Pairing, Rope, Scale, angular_frequency,
    attention, attention_with, cross_entropy, gelu, gelu_tanh,
    mean_and_variance, one_pass_attention, scores, sinusoids, softmax,
    softmax_rows,
};
use ndarray::{Array1, Array2, ArrayRef2, array};

use crate::draw::Draw;

const INFINITE: f64 = f64::INFINITY;

fn masked(
    queries: &ArrayRef2<f64>,
    keys: &ArrayRef2<f64>,
    values: &ArrayRef2<f64>,
    mask: &Mask,
) -> attention::Result<Attention> {
    attention_with(queries, keys, values, mask, Scale::ByRootDk)
}

fn all_nan<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> bool {
    numbers.into_iter().all(|number| number.is_nan())
}

#[test]
fn a_score_out_of_range_is_nan_and_not_masked() {
    let (query, far) = (array![[1e200]], array![[-1e200], [-1e200]]);
    for scale in [Scale::ByRootDk, Scale::Off] {
        assert!(all_nan(&scores(&query, &far, scale).unwrap()));
        assert!(all_nan(&scores(&query, &-&far, scale).unwrap()));
    }
    let values = array![[1.0], [2.0]];
    let it = attention(&query, &far, &values).unwrap();
    assert!(all_nan(&it.weights) && all_nan(&it.output));

    // One of two is enough, for nobody knows how much of the weight is its own.
    let one = array![[-1e200], [0.0]];
    let it = attention(&query, &one, &values).unwrap();
    assert!(all_nan(&it.weights) && all_nan(&it.output));
    // Other queries have nothing to do with it.
    let it = attention(&array![[1e200], [0.0]], &one, &values).unwrap();
    assert!(all_nan(it.weights.row(0)));
    assert_eq!(it.weights.row(1), array![0.5, 0.5]);
    assert_eq!(it.output.row(1), array![1.5]);

    // In range, however far: the lower one has nothing, exactly.
    let near = array![[-1e154], [-1e153]];
    let it = attention(&array![[1e154]], &near, &values).unwrap();
    assert_eq!(it.weights, array![[0.0, 1.0]]);
}

#[test]
fn the_mask_decides_who_attends_to_nobody() {
    let query = array![[1e200], [1e200]];
    let keys = array![[-1e200], [-1e200]];
    let values = array![[1.0], [2.0]];
    let mask = Mask::Allowed(array![[false, false], [false, true]]);
    let it = masked(&query, &keys, &values, &mask).unwrap();
    assert_eq!(it.weights.row(0), array![0.0, 0.0]);
    assert_eq!(it.output.row(0), array![0.0]);
    assert!(all_nan(it.weights.row(1)) && all_nan(it.output.row(1)));

    // What is out of range and masked has no influence.
    let mixed = array![[0.0], [-1e200]];
    let it = masked(&query, &mixed, &values, &Mask::Causal).unwrap();
    assert_eq!(it.weights.row(0), array![1.0, 0.0]);
    assert_eq!(it.output.row(0), array![1.0]);
}

/// NaN in the same places, and elsewhere the same but for the rounding of numbers of this size.
fn agree(one: &ArrayRef2<f64>, other: &ArrayRef2<f64>, size: f64) -> bool {
    one.dim() == other.dim()
        && one.iter().zip(other).all(|(&one, &other)| {
            one.is_nan() && other.is_nan()
                || (one - other).abs() <= 1e-12 * size + f64::MIN_POSITIVE
        })
}

#[test]
fn rows_sum_to_1_or_are_nan_or_have_all_masked_and_one_pass_agrees() {
    let mut draw = Draw::seeded(21);
    let (mut ordinary, mut nan, mut nothing) = (0, 0, 0);
    for _ in 0..20_000 {
        let (t_q, t_k) = (1 + draw.below(3), 1 + draw.below(5));
        let (d_k, d_v) = (1 + draw.below(2), draw.below(3));
        let queries = draw.exactly(t_q, d_k);
        let keys = draw.exactly(t_k, d_k);
        let values = draw.exactly(t_k, d_v);
        let values = values.mapv(|it| if it.is_finite() { it } else { 3.0 });
        let mask = draw.mask(t_q, t_k);
        let Ok(allowed) = mask.matrix(t_q, t_k) else { continue };
        let Attention { weights, output } =
            masked(&queries, &keys, &values, &mask).unwrap();
        for (row, allowed) in weights.rows().into_iter().zip(allowed.rows()) {
            let kind = if allowed.iter().all(|&it| !it) {
                assert!(row.iter().all(|&weight| weight == 0.0));
                &mut nothing
            } else if row.sum().is_nan() {
                assert!(all_nan(row));
                &mut nan
            } else {
                assert!((row.sum() - 1.0).abs() < 1e-12);
                &mut ordinary
            };
            *kind += 1;
        }
        let one_pass =
            one_pass_attention(&queries, &keys, &values, &mask).unwrap();
        let size = values.iter().fold(0.0, |it: f64, v| it.max(v.abs()));
        assert!(agree(&output, &one_pass, size), "{output}\n{one_pass}");
    }
    assert!(ordinary > 5_000 && nan > 5_000 && nothing > 500);
}

/// Across the boundary between two blocks of keys.
#[test]
fn one_pass_agrees_where_the_first_block_or_the_last_is_out_of_range() {
    for out_of_range in [0..64, 64..130, 3..4, 129..130, 0..130] {
        for sign in [1.0, -1.0] {
            let mut keys = Array2::<f64>::zeros((130, 1));
            for key in out_of_range.clone() {
                keys[[key, 0]] = sign * 1e200;
            }
            let (query, values) = (array![[1e200]], Array2::ones((130, 2)));
            let mask = Mask::None;
            let plain = attention(&query, &keys, &values).unwrap().output;
            let one_pass =
                one_pass_attention(&query, &keys, &values, &mask).unwrap();
            assert!(all_nan(&plain) && all_nan(&one_pass));
        }
    }
}

#[test]
fn softmax_has_its_answers_for_what_is_infinite() {
    assert_eq!(softmax(&array![-INFINITE, 0.0]), array![0.0, 1.0]);
    assert_eq!(softmax(&array![f64::MIN, f64::MAX]), array![0.0, 1.0]);
    assert_eq!(softmax(&array![-INFINITE, -INFINITE]), array![0.0, 0.0]);
    assert!(all_nan(&softmax_rows(&array![[INFINITE, 0.0]])));
    // Weights that are none.
    assert!(all_nan(&softmax_jacobian(&array![f64::NAN])));
    assert_eq!(softmax_jacobian(&array![1.0]), array![[0.0]]);
}

#[test]
fn gelu_goes_to_x_and_to_0() {
    for gelu in [gelu, gelu_tanh] {
        assert_eq!(gelu(INFINITE), INFINITE);
        assert_eq!(gelu(-INFINITE), 0.0);
        assert!(gelu(f64::NAN).is_nan());
        for x in [1e154, 1e300, f64::MAX] {
            assert_eq!(gelu(x), x);
            assert_eq!(gelu(-x), 0.0);
        }
        for x in [0.0, 5e-324, 2.2e-308] {
            assert!((gelu(x) - x / 2.0).abs() <= 5e-324);
        }
    }
    for x in [40.0, 1e154, 1e300, f64::MAX, INFINITE] {
        assert_eq!(gelu_derivative(x), 1.0);
        assert_eq!(gelu_derivative(-x), 0.0);
    }
    assert!(gelu_derivative(f64::NAN).is_nan());
}

#[test]
fn an_mlp_bends_what_is_infinite() {
    let one = array![[1.0]];
    let (b_in, b_out) = (array![0.0], array![0.0]);
    let mlp = Mlp { w_in: one.clone(), b_in, w_out: one.clone(), b_out };
    let x = array![[INFINITE], [-INFINITE]];
    assert_eq!(mlp.apply(&x).unwrap(), array![[INFINITE], [0.0]]);
    let back = mlp.backward(&x, &array![[1.0], [1.0]]).unwrap();
    assert_eq!(back.x, array![[1.0], [0.0]]);
}

#[test]
fn equal_features_are_0_away_from_their_mean() {
    for feature in [0.1, 1e13 / 3.0, -7.7e-5, 5e-324, 1e300, f64::MAX] {
        for d in 1..=9 {
            let token = Array1::from_elem(d, feature);
            assert_eq!(mean_and_variance(&token), (feature, 0.0));
            let x = Array2::from_elem((1, d), feature);
            let beta = Array1::from_elem(d, 3.0);
            let norm = LayerNorm { beta, ..LayerNorm::new(d) };
            assert_eq!(norm.apply(&x).unwrap(), Array2::from_elem((1, d), 3.0));
            let norm = LayerNorm { epsilon: 0.0, ..norm };
            assert!(all_nan(&norm.apply(&x).unwrap()));
        }
    }
    assert_eq!(mean_and_variance(&array![]), (0.0, 0.0));
}

#[test]
fn a_variance_out_of_range_leaves_beta() {
    let norm = LayerNorm::new(2);
    let y = |x: Array2<f64>| norm.apply(&x).unwrap();
    assert_eq!(y(array![[1e200, -1e200]]), array![[0.0, 0.0]]);
    let (mean, variance) = mean_and_variance(&array![1e200, -1e200]);
    assert_eq!((mean, variance), (0.0, INFINITE));
    // In range, however far.
    let near = y(array![[1e150, -1e150]]);
    assert!((&near - array![[1.0, -1.0]]).iter().all(|e| e.abs() < 1e-12));
    // Squares too small to be told from 0.
    assert_eq!(mean_and_variance(&array![1e-170, -1e-170]), (0.0, 0.0));
    for nothing in [f64::NAN, INFINITE, -INFINITE] {
        assert!(all_nan(&y(array![[nothing, 1.0]])));
        assert!(all_nan(&y(array![[nothing, nothing]])));
    }
}

#[test]
fn positions_out_of_range_turn_into_nan() {
    let rope = Rope::new(Pairing::Halves);
    let x = array![[1.0, 0.0]];
    for position in [INFINITE, -INFINITE, f64::NAN] {
        assert!(all_nan(&rope.rotate(&x, &[position]).unwrap()));
    }
    // A turn has its cosine, however many times round it goes.
    for position in [1e16, 1e154, 1e300, f64::MAX] {
        let turned = rope.rotate(&x, &[position]).unwrap();
        let length = frobenius_norm(&turned);
        assert!((length - 1.0).abs() < 1e-12);
    }
    assert_eq!(angular_frequency(1, 2, 0.0), INFINITE);
    assert!(angular_frequency(1, 4, -1.0).is_nan());
    assert!(angular_frequency(0, 0, 10.0).is_nan());
    assert_eq!(angular_frequency(usize::MAX, 2, 10.0), 0.0);
}

#[test]
fn sizes_and_slopes_out_of_range() {
    assert_eq!(frobenius_norm(&array![[1e155]]), INFINITE);
    assert_eq!(frobenius_norm(&array![[1e-163]]), 0.0);
    assert!(log_slope(&[(0.0, 1.0), (1.0, 1.0)]).unwrap().is_nan());
    assert!(log_slope(&[(-1.0, 1.0), (1.0, 1.0)]).unwrap().is_nan());
    assert!(log_slope(&[(2.0, 1.0), (2.0, 3.0)]).unwrap().is_nan());
    assert!(log_slope(&[(INFINITE, 1.0), (2.0, 3.0)]).unwrap().is_nan());
    assert_eq!(dot_product_variance(2, 1e300, 1e300), INFINITE);
    assert_eq!(cross_entropy(&array![f64::MAX, f64::MIN], 0), 0.0);
    assert_eq!(cross_entropy(&array![f64::MAX, f64::MIN], 1), INFINITE);
    assert!(cross_entropy(&array![INFINITE, 0.0], 1).is_nan());
}

#[test]
fn a_state_that_explodes_is_infinite_and_then_nan() {
    let chain = Recurrence::rotation(1e200, 0.0, Activation::Linear);
    let mut inputs = Array2::zeros((4, 2));
    inputs[[0, 0]] = 1.0;
    let states = chain.states(&inputs).unwrap();
    assert_eq!(states[[1, 0]], 1e200);
    assert_eq!(states[[2, 0]], INFINITE);
    assert!(states[[3, 1]].is_nan()); // ∞ · 0
}

#[test]
fn counts_stay_at_the_largest_number() {
    let most = usize::MAX;
    assert_eq!(plain_cost(most, most).multiplications, u64::MAX);
    assert_eq!(plain_cost(most, 0).multiplications, 0);
    assert_eq!(one_pass_cost(most, most).multiplications, u64::MAX);
    assert_eq!(one_pass_cost(most, most).bytes, u64::MAX);
    assert_eq!(head_cost(most, most, most).parameters, u64::MAX);
    let heads = multi_head_cost(most, most, 1).unwrap();
    assert_eq!(heads.multiplications, u64::MAX);
    assert_eq!(block_parameters(most), usize::MAX);
}

#[test]
fn counts_beyond_any_memory_are_refused_with_what_would_fit() {
    let says =
        |it: Result<Array2<f64>, attention::Error>| it.unwrap_err().to_string();
    assert_eq!(
        says(sinusoids(usize::MAX, 8)),
        format!("tokens: came as {}, needed at most 16777216", usize::MAX)
    );
    assert_eq!(
        says(attention::position_shift(1, 1 << 20)),
        "d: came as 1048576, needed at most 11585"
    );
}

#[test]
fn where_there_is_no_position_there_is_no_follower() {
    let it = Repeat { symbols: vec![5, 2, 5], period: 2 };
    assert_eq!(it.followers(3).count(), 0);
    assert_eq!(it.followers(usize::MAX).count(), 0);
    assert_eq!(it.followers(2).collect::<Vec<_>>(), [1]);
}
