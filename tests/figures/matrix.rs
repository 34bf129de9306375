use figures::Scene;

use crate::drawn;

/// In the matrices, rows are queries and columns are keys: each cell is what softmax gives to that row's query, each
/// row sums to 1, no weight exceeds 1, and what lies above the diagonal is masked or not as the switch says.
#[test]
fn matrices_show_queries_in_rows() {
    let scene = Scene::default();
    for (id, masked) in [("matrix", false), ("mask", true), ("matrix", true), ("mask", false)] {
        let drawing = drawn(id, &[("mask", if masked { &"on" } else { &"off" })]);
        for (i, query) in scene.tokens.iter().enumerate() {
            let exponential = |key: &figures::Token| {
                let dot = query.vector[0] * key.vector[0] + query.vector[1] * key.vector[1];
                (dot / 2f64.sqrt()).exp()
            };
            let allowed = |j: usize| j <= i || !masked;
            let whole: f64 = (0..7).filter(|&j| allowed(j)).map(|j| exponential(&scene.tokens[j])).sum();
            let mut sum = 0.0;
            for (j, key) in scene.tokens.iter().enumerate() {
                let cell = drawing.table.cell(&query.label, &key.label).unwrap();
                match cell.value() {
                    Some(weight) => {
                        assert!(allowed(j) && weight <= 1.0, "{id}: {} to {}", query.label, key.label);
                        assert!((weight - exponential(key) / whole).abs() < 1e-12);
                        sum += weight;
                    }
                    None => assert!(!allowed(j) && cell.to_string() == "masked"),
                }
            }
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }
}
