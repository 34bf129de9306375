use attention::attention;
use attention::study::{frobenius_norm, look_up_jacobian_norm};
use ndarray::{Array2, s};
use proptest::prelude::*;

use crate::{cases, matrix};

proptest! {
    #![proptest_config(cases())]

    // Nudge the vector of the token that is found, wherever it stands, and look at what comes out.
    #[test]
    fn a_look_up_passes_on_what_a_small_change_does(
        x in matrix(5, 3), asks in 0_usize..5, found in 0_usize..5,
    ) {
        let step = 1e-5;
        let mut jacobian = Array2::zeros((3, 3));
        for i in 0..3 {
            let output = |sign: f64| {
                let mut x = x.clone();
                x[[found, i]] += sign * step;
                let query = x.slice(s![asks..=asks, ..]);
                attention(&query, &x, &x).unwrap().output.row(0).to_owned()
            };
            jacobian.row_mut(i).assign(&((output(1.0) - output(-1.0)) / (2.0 * step)));
        }
        let needed = frobenius_norm(&jacobian) / 3.0_f64.sqrt();
        let norm = look_up_jacobian_norm(&x, asks, found).unwrap();
        prop_assert!((norm - needed).abs() < 1e-7, "{asks} {found}: {norm} {needed}");
    }
}
