//! Figures `spread` and `saturation`, whose numbers are drawn by chance.

use attention::study::{SCALE_SEEDS, Saturation, saturation_table, spread_table};
use figures::Cell;

use crate::drawn;

/// That a cell would say the same of the other seed's number, and says something of it.
#[track_caller]
fn assert_confirmed(cell: &Cell, second: f64) {
    let said = match *cell {
        Cell::Number { digits, .. } => Cell::number(second, digits),
        Cell::Share(_) => Cell::share(second),
        _ => panic!("{cell} is not measured"),
    };
    assert_eq!(cell.to_string(), said.to_string());
    assert!(cell.to_string().contains(|digit| ('1'..='9').contains(&digit)) || second < 0.005, "{cell}");
}

#[test]
fn the_second_seed_changes_no_digit_of_the_dot_products() {
    let drawing = drawn("spread", &[]);
    for second in spread_table(SCALE_SEEDS[1]) {
        let cell = |column| drawing.0.table.cell(&second.d.to_string(), column).unwrap();
        assert_confirmed(cell("typical size"), second.deviation);
        assert_confirmed(cell("typical size after division"), second.deviation_scaled);
    }
}

#[test]
fn the_second_seed_changes_no_digit_of_the_saturation() {
    let drawing = drawn("saturation", &[]);
    for second in saturation_table(SCALE_SEEDS[1]) {
        let Saturation { d, unscaled, scaled } = second;
        let columns = [
            ("largest weight", unscaled.largest_weight),
            ("gradient, lowest tenth", unscaled.gradient.lowest),
            ("gradient, median", unscaled.gradient.median),
            ("gradient, highest tenth", unscaled.gradient.highest),
            ("largest weight, divided", scaled.largest_weight),
            ("lowest tenth, divided", scaled.gradient.lowest),
            ("median, divided", scaled.gradient.median),
            ("highest tenth, divided", scaled.gradient.highest),
        ];
        for (column, second) in columns {
            assert_confirmed(drawing.0.table.cell(&d.to_string(), column).unwrap(), second);
        }
        if d == 64 {
            assert_confirmed(drawing.0.fact("decided").unwrap(), unscaled.decided);
            assert_confirmed(drawing.0.fact("decided-divided").unwrap(), scaled.decided);
        }
    }
}
