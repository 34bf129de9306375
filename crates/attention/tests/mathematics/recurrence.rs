use attention::random::Normals;
use attention::study::{Activation, Recurrence, frobenius_norm};
use ndarray::{Array2, array};
use proptest::prelude::*;

use crate::{assert_close, cases, matrix};

fn activation() -> impl Strategy<Value = Activation> {
    prop_oneof![Just(Activation::Linear), Just(Activation::Tanh)]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn states_agree_with_plain_loops(
        weight in matrix(3, 3), inputs in matrix(5, 3), activation in activation(),
    ) {
        let mut needed = Array2::zeros((5, 3));
        let mut before = [0.0; 3];
        for t in 0..5 {
            for j in 0..3 {
                let mut sum = inputs[[t, j]];
                for i in 0..3 {
                    sum += before[i] * weight[[i, j]];
                }
                needed[[t, j]] = if activation == Activation::Tanh { sum.tanh() } else { sum };
            }
            before = [needed[[t, 0]], needed[[t, 1]], needed[[t, 2]]];
        }
        let states = Recurrence { weight, activation }.states(&inputs).unwrap();
        // States grow up to a few thousand here.
        assert_close(&states, &needed, 1e-8);
    }

    // A change of the state h_{T−k} is felt as its product with W at the next step's input, so
    // that is where we nudge, and we look at what comes out at the end.
    #[test]
    fn jacobians_are_what_a_small_change_does(
        weight in matrix(3, 3), inputs in matrix(4, 3), activation in activation(),
    ) {
        let chain = Recurrence { weight: &weight / 3.0, activation };
        let norms = chain.jacobian_norms(&inputs).unwrap();
        prop_assert_eq!(norms.len(), 4);
        prop_assert!((norms[0] - 1.0).abs() < 1e-15);
        let step = 1e-5;
        for (k, norm) in norms.into_iter().enumerate().skip(1) {
            let mut jacobian = Array2::zeros((3, 3));
            for i in 0..3 {
                let last = |sign: f64| {
                    let mut inputs = inputs.clone();
                    let mut row = inputs.row_mut(4 - k);
                    row += &(&chain.weight.row(i) * (sign * step));
                    chain.states(&inputs).unwrap().row(3).to_owned()
                };
                jacobian.row_mut(i).assign(&((last(1.0) - last(-1.0)) / (2.0 * step)));
            }
            let needed = frobenius_norm(&jacobian) / 3.0_f64.sqrt();
            prop_assert!((norm - needed).abs() < 1e-7, "k = {k}: {norm} {needed}");
        }
    }

    #[test]
    fn a_rotation_stretches_by_its_gain_at_each_step(gain in 0.1..2.0, angle in -7.0..7.0) {
        let chain = Recurrence::rotation(gain, angle, Activation::Linear);
        let norms = chain.jacobian_norms(&Normals::seeded(2).matrix(20, 2)).unwrap();
        for (k, norm) in norms.iter().enumerate() {
            let needed = f64::powi(gain, k as i32);
            prop_assert!((norm / needed - 1.0).abs() < 1e-12, "k = {k}: {norm} {needed}");
        }
    }

    #[test]
    fn tanh_only_ever_shrinks_what_linear_passes(gain in 0.1..2.0, inputs in matrix(6, 2)) {
        let norms = |activation| {
            Recurrence::rotation(gain, 0.5, activation).jacobian_norms(&inputs).unwrap()
        };
        for (tanh, linear) in norms(Activation::Tanh).iter().zip(norms(Activation::Linear)) {
            prop_assert!(*tanh <= linear * (1.0 + 1e-12));
        }
    }
}

#[test]
fn a_rotation_turns_from_the_first_feature_to_the_second() {
    let quarter = Recurrence::rotation(
        3.0,
        std::f64::consts::FRAC_PI_2,
        Activation::Linear,
    );
    let states = quarter.states(&array![[1.0, 0.0], [0.0, 0.0]]).unwrap();
    assert_close(&states, &array![[1.0, 0.0], [0.0, 3.0]], 1e-15);
}

#[test]
fn a_sentence_without_words_has_no_states() {
    let chain = Recurrence::rotation(0.5, 0.0, Activation::Tanh);
    let nothing = Array2::zeros((0, 2));
    assert_eq!(chain.states(&nothing).unwrap().dim(), (0, 2));
    assert_eq!(chain.jacobian_norms(&nothing).unwrap(), []);
}
