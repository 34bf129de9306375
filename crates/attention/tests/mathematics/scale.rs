use attention::gradient::softmax_jacobian;
use attention::random::Normals;
use attention::study::{
    DOT_PRODUCT_SEED, SATURATION_SEED, dot_product_study, dot_product_variance,
    frobenius_norm, saturation_study,
};
use attention::{Mask, Scale, attention_with};
use ndarray::{Array2, ArrayView2, Axis};

/// The first `d` columns.
fn first(matrix: &Array2<f64>, d: usize) -> ArrayView2<'_, f64> {
    matrix.slice_axis(Axis(1), (0..d).into())
}

#[test]
fn the_spread_grows_as_the_root_of_d_and_the_division_undoes_it() {
    let dimensions = [1, 3, 16, 100, 512];
    let study = dot_product_study(&dimensions, 2000, DOT_PRODUCT_SEED).unwrap();
    assert_eq!(study.len(), dimensions.len());
    for (spread, d) in study.iter().zip(dimensions) {
        assert_eq!((spread.d, spread.scores.len()), (d, 2000));
        let expected = dot_product_variance(d, 1.0, 1.0).sqrt();
        assert!(
            (spread.deviation / expected - 1.0).abs() < 0.08,
            "{d}: {}",
            spread.deviation
        );
        assert!(
            (spread.deviation_scaled - 1.0).abs() < 0.08,
            "{d}: {}",
            spread.deviation_scaled
        );
    }
}

#[test]
fn a_pairs_score_is_the_dot_product_of_its_first_d_features() {
    let study = dot_product_study(&[5, 2], 3, 11).unwrap();
    let mut normals = Normals::seeded(11);
    for pair in 0..3 {
        let query: Vec<f64> = normals.by_ref().take(5).collect();
        let key: Vec<f64> = normals.by_ref().take(5).collect();
        for (row, d) in [(0, 5), (1, 2)] {
            let mut score = 0.0;
            for f in 0..d {
                score += query[f] * key[f];
            }
            assert_eq!(study[row].scores[pair], score);
        }
    }
    for spread in &study {
        let squares: f64 =
            spread.scores.iter().map(|score| score * score).sum();
        assert!((spread.deviation - (squares / 3.0).sqrt()).abs() < 1e-12);
        assert!(
            (spread.deviation_scaled * (spread.d as f64).sqrt()
                - spread.deviation)
                .abs()
                < 1e-12
        );
    }
}

#[test]
fn saturation_is_measured_on_attention_itself() {
    let study = saturation_study(&[4, 9], 7, 2, 12).unwrap();
    let mut normals = Normals::seeded(12);
    let trials: Vec<(Array2<f64>, Array2<f64>)> =
        (0..2).map(|_| (normals.matrix(1, 9), normals.matrix(7, 9))).collect();
    for saturation in study {
        let d = saturation.d;
        for (scale, came) in [
            (Scale::Off, saturation.unscaled),
            (Scale::ByRootDk, saturation.scaled),
        ] {
            let (mut largest, mut norm) = (0.0, 0.0);
            for (query, keys) in &trials {
                let (query, keys) = (first(query, d), first(keys, d));
                let weights =
                    attention_with(&query, &keys, &keys, &Mask::None, scale)
                        .unwrap()
                        .weights;
                largest += weights.iter().copied().fold(0.0, f64::max) / 2.0;
                norm +=
                    frobenius_norm(&softmax_jacobian(&weights.row(0))) / 2.0;
            }
            assert!((came.largest_weight - largest).abs() < 1e-12);
            assert!((came.jacobian_norm - norm).abs() < 1e-12);
        }
    }
}

#[test]
fn without_the_division_softmax_saturates_and_with_it_d_hardly_matters() {
    let study =
        saturation_study(&[1, 8, 64, 512], 7, 200, SATURATION_SEED).unwrap();
    for pair in study.windows(2) {
        assert!(
            pair[1].unscaled.largest_weight > pair[0].unscaled.largest_weight
        );
        assert!(
            pair[1].unscaled.jacobian_norm < pair[0].unscaled.jacobian_norm
        );
        assert!(
            (pair[1].scaled.largest_weight - pair[0].scaled.largest_weight)
                .abs()
                < 0.08
        );
        assert!(
            (pair[1].scaled.jacobian_norm - pair[0].scaled.jacobian_norm).abs()
                < 0.08
        );
    }
    assert!(study[3].unscaled.largest_weight > 0.9);
    assert!(study[3].unscaled.jacobian_norm < 0.1);
}

#[test]
fn one_key_gets_everything() {
    let only = saturation_study(&[3], 1, 5, 0).unwrap()[0];
    assert_eq!(
        (only.scaled.largest_weight, only.scaled.jacobian_norm),
        (1.0, 0.0)
    );
}

#[test]
fn variances_multiply_within_a_term_and_add_up_over_terms() {
    assert_eq!(dot_product_variance(64, 1.0, 1.0), 64.0);
    assert_eq!(dot_product_variance(3, 2.0, 0.5), 3.0);
    assert_eq!(dot_product_variance(3, 2.0, 4.0), 24.0);
    assert_eq!(dot_product_variance(0, 1.0, 1.0), 0.0);
}

#[test]
fn the_same_seed_gives_the_same_numbers_for_ever() {
    let first: Vec<f64> = Normals::seeded(1).take(4).collect();
    assert_eq!(first, FIRST_OF_SEED_1);
    assert_ne!(first, Normals::seeded(2).take(4).collect::<Vec<f64>>());
}

/// Written down once. Should they ever change, so do the book's pictures.
const FIRST_OF_SEED_1: [f64; 4] = [
    0.8881529718908301,
    -0.4910583485874152,
    0.2580898936504063,
    -1.3224392258941324,
];

#[test]
fn normals_have_mean_0_variance_1_and_the_tails_of_a_bell() {
    let numbers: Vec<f64> = Normals::seeded(3).take(100_000).collect();
    let moment =
        |power: i32| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / 1e5;
    assert!(moment(1).abs() < 0.01);
    assert!((moment(2) - 1.0).abs() < 0.02);
    assert!(moment(3).abs() < 0.05);
    assert!((moment(4) - 3.0).abs() < 0.1);
    // The two numbers of a pair have nothing to do with each other.
    let together =
        numbers.chunks(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 5e4;
    assert!(together.abs() < 0.02);
}
