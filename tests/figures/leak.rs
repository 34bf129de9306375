use crate::drawn;

/// With the mask, a nudge moves no earlier output at all; without it, it does.
#[test]
fn nothing_leaks_through_the_mask() {
    for token in 2..=7 {
        let drawing = drawn("leak", &[("token", &token)]);
        for row in &drawing.table.rows[..token - 1] {
            assert_eq!(row.cells[0].to_string(), "0");
            assert!(row.cells[1].value().is_some_and(|moved| moved > 0.0), "{token}: {}", row.name);
        }
    }
}
