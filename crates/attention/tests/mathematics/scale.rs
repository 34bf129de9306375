use attention::gradient::softmax_backward;
use attention::random::Normals;
use attention::study::{
    SCALE_FEATURES, SCALE_KEYS, SCALE_SEEDS, SPREAD_BARS, SPREAD_REACH,
    Saturated, dot_product_study, dot_product_variance, saturation_study,
    saturation_table, spread_table,
};
use attention::{Mask, Scale, attention_with};
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// The first `d` columns.
fn first(matrix: &Array2<f64>, d: usize) -> ArrayView2<'_, f64> {
    matrix.slice_axis(Axis(1), (0..d).into())
}

#[test]
fn the_spread_grows_as_the_root_of_d_and_the_division_undoes_it() {
    let dimensions = [1, 3, 16, 100, 512];
    let study = dot_product_study(&dimensions, 2000, 71).unwrap();
    assert_eq!(study.len(), dimensions.len());
    for (spread, d) in study.iter().zip(dimensions) {
        assert_eq!((spread.d, spread.bars.len()), (d, SPREAD_BARS));
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
    let mut squares = [0.0; 2];
    let mut bars = [[0.0; SPREAD_BARS]; 2];
    for _ in 0..3 {
        let query: Vec<f64> = normals.by_ref().take(5).collect();
        let key: Vec<f64> = normals.by_ref().take(5).collect();
        for (row, d) in [(0, 5), (1, 2)] {
            let mut score = 0.0;
            for f in 0..d {
                score += query[f] * key[f];
            }
            squares[row] += score * score;
            let share = score / (d as f64).sqrt() / SPREAD_REACH / 2.0 + 0.5;
            bars[row][(share * SPREAD_BARS as f64) as usize] += 1.0 / 3.0;
        }
    }
    for ((spread, squares), bars) in study.iter().zip(squares).zip(bars) {
        assert!((spread.deviation - (squares / 3.0_f64).sqrt()).abs() < 1e-12);
        assert!(
            (spread.deviation_scaled * (spread.d as f64).sqrt()
                - spread.deviation)
                .abs()
                < 1e-12
        );
        for (came, expected) in spread.bars.iter().zip(bars) {
            assert!((came - expected).abs() < 1e-12);
        }
    }
}

/// Of eleven trials, a tenth of the way is the second smallest, half the sixth, nine tenths the tenth.
#[test]
fn saturation_is_measured_on_attention_itself() {
    const TRIALS: usize = 11;
    let study = saturation_study(&[4, 9], 7, TRIALS, 12).unwrap();
    let mut normals = Normals::seeded(12);
    let trials: Vec<(Array2<f64>, Array2<f64>, Array1<f64>)> = (0..TRIALS)
        .map(|_| {
            let (query, keys) = (normals.matrix(1, 9), normals.matrix(7, 9));
            (query, keys, normals.by_ref().take(7).collect())
        })
        .collect();
    for saturation in study {
        let d = saturation.d;
        for (scale, came) in [
            (Scale::Off, saturation.unscaled),
            (Scale::ByRootDk, saturation.scaled),
        ] {
            let (mut largest, mut lengths) = (0.0, vec![]);
            for (query, keys, asked) in &trials {
                let (query, keys) = (first(query, d), first(keys, d));
                let weights =
                    attention_with(&query, &keys, &keys, &Mask::None, scale)
                        .unwrap()
                        .weights;
                largest += weights.iter().copied().fold(0.0, f64::max);
                let scores = softmax_backward(&weights.row(0), asked);
                let at_query = keys.t().dot(&scores) / scale.divisor(d);
                lengths.push(at_query.dot(&at_query).sqrt());
            }
            lengths.sort_by(f64::total_cmp);
            let gradient = came.gradient;
            for (came, expected) in [
                (came.largest_weight, largest / TRIALS as f64),
                (gradient.lowest, lengths[1]),
                (gradient.median, lengths[5]),
                (gradient.highest, lengths[9]),
            ] {
                assert!((came - expected).abs() < 1e-12);
            }
        }
    }
}

/// From the first of the draws, so within what chance leaves open.
#[test]
fn the_tables_are_what_the_studies_measure() {
    let seed = SCALE_SEEDS[0];
    let near = |came: f64, expected: f64, by: f64| {
        assert!((came / expected - 1.0).abs() < by, "{came}, not {expected}");
    };
    let table = spread_table(seed);
    let again = dot_product_study(&SCALE_FEATURES, 40_000, seed).unwrap();
    assert_eq!(table.len(), again.len());
    for (table, again) in table.iter().zip(&again) {
        assert_eq!(table.d, again.d);
        near(again.deviation, table.deviation, 0.04);
        for (again, table) in again.bars.iter().zip(&table.bars) {
            assert!((again - table).abs() < 0.02);
        }
    }
    let table = saturation_table(seed);
    let again =
        saturation_study(&SCALE_FEATURES, SCALE_KEYS, 40_000, seed).unwrap();
    assert_eq!(table.len(), again.len());
    for (table, again) in table.iter().zip(&again) {
        assert_eq!(table.d, again.d);
        for part in [
            |it: &Saturated| it.largest_weight,
            |it: &Saturated| it.gradient.median,
            |it: &Saturated| it.gradient.highest,
        ] {
            near(part(&again.unscaled), part(&table.unscaled), 0.15);
            near(part(&again.scaled), part(&table.scaled), 0.05);
        }
        // What is tiny differs more from draw to draw.
        let lowest = |it: &Saturated| it.gradient.lowest;
        near(lowest(&again.unscaled), lowest(&table.unscaled), 0.8);
        near(lowest(&again.scaled), lowest(&table.scaled), 0.05);
        assert!((again.unscaled.decided - table.unscaled.decided).abs() < 0.02);
    }
}

#[test]
fn of_another_seed_there_is_no_table() {
    assert!(spread_table(1).is_empty() && saturation_table(1).is_empty());
}

#[test]
fn without_the_division_softmax_saturates_and_with_it_d_hardly_matters() {
    let study = saturation_study(&[8, 64, 512], 7, 400, 72).unwrap();
    for pair in study.windows(2) {
        let [few, many] = [pair[0].unscaled, pair[1].unscaled];
        assert!(many.largest_weight > few.largest_weight);
        assert!(many.gradient.lowest < few.gradient.lowest / 10.0);
        assert!(many.gradient.median < few.gradient.median);
        let [few, many] = [pair[0].scaled, pair[1].scaled];
        for (few, many) in [
            (few.largest_weight, many.largest_weight),
            (few.gradient.lowest, many.gradient.lowest),
            (few.gradient.median, many.gradient.median),
            (few.gradient.highest, many.gradient.highest),
        ] {
            assert!((many - few).abs() < 0.08);
        }
    }
    let highest = |place: usize| study[place].unscaled.gradient.highest;
    assert!(highest(2) > 1.5 * highest(0));
    assert!(study[2].unscaled.largest_weight > 0.9);
    assert!(study[2].unscaled.gradient.median < 0.01);
}

#[test]
fn one_key_gets_everything() {
    let only = saturation_study(&[3], 1, 5, 0).unwrap()[0];
    assert_eq!(
        (only.scaled.largest_weight, only.scaled.gradient.highest),
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
