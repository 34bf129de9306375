//! The number of features d of figures `spread` and `saturation`, and the digits of what was drawn by chance.

use attention::study::SCALE_FEATURES;

use crate::control::Control;
use crate::drawing::Cell;

/// The choice of the number of features: 64 at first.
pub fn choice_of_features() -> Control {
    let options = SCALE_FEATURES.map(|d| (d.to_string(), d.to_string()));
    Control::choice("d", "Features d", options, SCALE_FEATURES.len() - 3)
}

/// A number that was drawn by chance, from each of the two seeds: the first, with three significant digits, or with as
/// many as the second confirms.
pub fn agreed([first, second]: [f64; 2]) -> Cell {
    let cell = |significant: i32| {
        let power = libm::floor(libm::log10(first)) as i32;
        let digits = (significant - 1 - power).max(0) as usize;
        [first, second].map(|it| Cell::number(it, digits))
    };
    let confirmed = |[first, second]: &[Cell; 2]| first.to_string() == second.to_string();
    let [shown, _] = [3, 2].map(cell).into_iter().find(confirmed).unwrap_or_else(|| cell(1));
    shown
}
