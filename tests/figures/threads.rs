use figures::Scene;

use crate::drawn;

/// The weights that `threads` shows are those that softmax gives, computed here from the formula.
#[test]
fn threads_shows_the_weights_of_the_formula() {
    let scene = Scene::default();
    let drawing = drawn("threads", &[]);
    let [x, y] = scene.query().vector;
    let exponentials: Vec<f64> = scene
        .tokens
        .iter()
        .map(|token| ((x * token.vector[0] + y * token.vector[1]) / 2f64.sqrt()).exp())
        .collect();
    let sum: f64 = exponentials.iter().sum();
    for (token, exponential) in scene.tokens.iter().zip(&exponentials) {
        let shown = drawing.cell(&token.label, "weight");
        assert!((shown - exponential / sum).abs() < 1e-12);
    }
}

/// `it` gives more than half of its attention to `cat`.
#[test]
fn the_running_example_holds() {
    let drawing = drawn("threads", &[]);
    assert!(drawing.cell("cat", "weight") > 0.5);
    assert_eq!(drawing.text("top"), "cat");
}
