//! The number of features d, from 1 to 256: its slider, and the numbers of features that studies are made for.

use crate::control::Control;

/// The most features that a vector has here.
pub const LARGEST: usize = 256;

/// The numbers of features that the curves are drawn through.
pub const ON_CURVE: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// The slider for the number of features, shared with `saturation`.
pub fn dimension_slider() -> Control {
    Control::slider("d", "Features d", [8.0, LARGEST as f64], 8.0, 64.0)
}

/// Every number of features that a study is made for: those on the curve and those of the slider.
pub fn dimensions() -> Vec<usize> {
    let mut all: Vec<usize> = ON_CURVE.into_iter().chain((8..=LARGEST).step_by(8)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The entry of a study whose number of features is nearest to the one asked for.
pub fn nearest<T>(wanted: f64, study: &[T], d: impl Fn(&T) -> usize) -> &T {
    let far = |entry: &T| (d(entry) as f64 - wanted).abs();
    let mut best = &study[0];
    for entry in study {
        if far(entry) < far(best) {
            best = entry;
        }
    }
    best
}

/// The entries on the curve and the chosen one, in the order of their numbers of features.
pub fn with_chosen<'a, T>(on_curve: &[&'a T], chosen: &'a T, d: impl Fn(&T) -> usize) -> Vec<&'a T> {
    let mut all = on_curve.to_vec();
    if !ON_CURVE.contains(&d(chosen)) {
        all.push(chosen);
        all.sort_by_key(|entry| d(entry));
    }
    all
}
