use crate::drawn;

/// The waves are those of the formula, sine and cosine in turn, and the rotation that the dials show leads from any
/// position to the one k further.
#[test]
fn sinusoids_follow_the_formula() {
    let drawing = drawn("sinusoid", &[]);
    let turn = |pair: usize| 10_000f64.powf(-(2.0 * pair as f64) / 16.0);
    let wave = |position: usize, name: &str, pair: usize| {
        drawing.cell(&position.to_string(), &format!("{name} {pair}"))
    };
    for position in 0..32 {
        for pair in 0..8 {
            let angle = position as f64 * turn(pair);
            assert!((wave(position, "sin", pair) - angle.sin()).abs() < 1e-12);
            assert!((wave(position, "cos", pair) - angle.cos()).abs() < 1e-12);
            let order = [2 * pair, 2 * pair + 1].map(|feature| drawing.table.columns[feature].clone());
            assert_eq!(order, [format!("sin {pair}"), format!("cos {pair}")]);
        }
    }
    // By 3 from anywhere: the same turn of each pair, whatever the position.
    for pair in 0..8 {
        let (sin, cos) = (3.0 * turn(pair)).sin_cos();
        for position in 0..29 {
            let [a, b] = ["sin", "cos"].map(|name| wave(position, name, pair));
            assert!((wave(position + 3, "sin", pair) - (a * cos + b * sin)).abs() < 1e-12);
            assert!((wave(position + 3, "cos", pair) - (b * cos - a * sin)).abs() < 1e-12);
        }
    }
    assert_eq!(drawing.text("difference"), "less than 10⁻⁹");
    let longest = std::f64::consts::TAU / turn(7);
    assert_eq!(drawing.number("longest"), longest.round());
}
