use figures::Scene;

use crate::drawn;

/// What `rope` shows follows from the formula: both arrows turn by their position, keep their length, and the score
/// depends on the offset alone, not on where the two stand.
#[test]
fn rope_shows_that_the_offset_is_what_counts() {
    let scene = Scene::default();
    let shown = |m: usize, n: usize, both: usize| drawn("rope", &[("m", &m), ("n", &n), ("both", &both)]);
    let [query, key] = ["it", "cat"].map(|label| {
        scene.tokens.iter().find(|token| token.label == label).map(|token| token.vector).unwrap()
    });
    // Of two vectors in a plane, one turned by the angle a against the other: |q| |k| cos(between + a).
    let between = query[1].atan2(query[0]) - key[1].atan2(key[0]);
    let lengths = query[0].hypot(query[1]) * key[0].hypot(key[1]);
    for (m, n, both) in [(4, 1, 0), (4, 1, 50), (0, 0, 7), (10, 30, 3), (63, 0, 63)] {
        let offset = m as f64 - n as f64;
        let score: f64 = [1.0, 0.01].map(|turn| lengths * (between + offset * turn).cos()).iter().sum();
        let drawing = shown(m, n, both);
        assert!((drawing.number("score") - score / 2.0).abs() < 1e-9, "{m} {n} {both}");
        assert!((drawing.number("score") - drawing.number("score-before-the-move")).abs() < 1e-9);
        assert_eq!(drawing.text("change"), "less than 10⁻⁹");
        for vector in ["query", "key"] {
            let length = |row: &str| drawing.cell(row, "length");
            assert!((length(vector) - length(&format!("{vector}, turned"))).abs() < 1e-12);
        }
        let turned = |feature: &str| drawing.cell("query, turned", feature);
        let (sin, cos) = ((m + both) as f64).sin_cos();
        assert!((turned("feature 1") - (query[0] * cos - query[1] * sin)).abs() < 1e-9);
        assert!((turned("feature 2") - (query[0] * sin + query[1] * cos)).abs() < 1e-9);
    }
    // Where only the query moves, the score does not stay.
    let drawing = shown(4, 1, 0);
    assert!((drawing.number("score") - drawing.number("score-query-alone")).abs() > 0.1);
    assert_eq!(drawing.number("score-not-turned"), shown(9, 9, 0).number("score"));
}
