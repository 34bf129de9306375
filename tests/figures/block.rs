use attention::random::Normals;
use attention::{Block, NormPlace, Step};
use figures::{Cell, Scene};
use ndarray::Array2;

use crate::drawn;

/// The diagram of a block has the steps that run, in their order, and one residual for each that is kept.
#[test]
fn the_diagram_shows_the_steps_that_run() {
    for (norm, place) in [("pre", NormPlace::Pre), ("post", NormPlace::Post)] {
        let texts = drawn("block", &[("norm", &norm)]).texts();
        let numbered: Vec<_> =
            (1..=8).zip(place.steps()).map(|(n, step)| format!("{n} {}", step.name())).collect();
        let drawn: Vec<_> = texts.iter().filter(|text| numbered.contains(text)).collect();
        assert_eq!(drawn, numbered.iter().collect::<Vec<_>>());
        let kept = place.steps().iter().filter(|step| **step == Step::Keep).count();
        assert_eq!(texts.iter().filter(|text| *text == "residual").count(), kept);
        let last_norm = texts.iter().any(|text| text == "LayerNorm");
        assert_eq!(last_norm, place == NormPlace::Pre, "the one that stands after the stack has no number");
    }
}

/// What a block shows after its last step is the formula of its norms, computed from its parts; and what it shows after
/// a norm has mean 0 and spread 1.
#[test]
fn the_block_shows_what_its_formula_says() {
    let scene = Scene::default();
    let shown = |norm: &str, step: usize| {
        let drawing = drawn("block", &[("norm", &norm), ("step", &step)]);
        let number = |cell: &Cell| cell.value().unwrap();
        let rows = &drawing.table.rows;
        let x = Array2::from_shape_fn((7, 8), |(t, feature)| number(&rows[t].cells[feature + 2]));
        let moments: Vec<_> = rows.iter().map(|row| [number(&row.cells[0]), number(&row.cells[1])]).collect();
        (x, moments, drawing.text("formula"))
    };
    let x = shown("pre", 0).0;
    for (token, row) in scene.tokens.iter().zip(x.rows()) {
        assert_eq!([row[0], row[1]], token.vector);
    }
    let norm = |x: &Array2<f64>| {
        let mut normed = x.clone();
        for mut row in normed.rows_mut() {
            let mean = row.sum() / 8.0;
            let variance = row.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 8.0;
            row.mapv_inplace(|c| (c - mean) / (variance + 1e-5).sqrt());
        }
        normed
    };
    let near = |one: &Array2<f64>, other: &Array2<f64>| {
        assert!((one - other).iter().all(|e| e.abs() < 1e-12), "{one} {other}");
    };
    // Pre-norm: what is added is what was kept, raw.
    near(&shown("pre", 1).0, &x);
    near(&shown("pre", 2).0, &norm(&x));
    near(&shown("pre", 4).0, &(&x + &shown("pre", 3).0));
    let between = shown("pre", 4).0;
    near(&shown("pre", 6).0, &norm(&between));
    near(&shown("pre", 8).0, &(&between + &shown("pre", 7).0));
    assert_eq!(shown("pre", 4).2, "x + MHA(LN(x))");
    assert_eq!(shown("pre", 8).2, "x + MLP(LN(x))");
    // Post-norm: the norm comes last.
    near(&shown("post", 4).0, &norm(&(&x + &shown("post", 2).0)));
    near(&shown("post", 8).0, &norm(&(&shown("post", 4).0 + &shown("post", 6).0)));
    assert_eq!(shown("post", 4).2, "LN(x + MHA(x))");
    assert_eq!(shown("post", 8).2, "LN(x + MLP(x))");
    for (norm, step) in [("pre", 2), ("pre", 6), ("post", 4), ("post", 8)] {
        for [mean, spread] in shown(norm, step).1 {
            assert!(mean.abs() < 1e-12 && (spread - 1.0).abs() < 1e-3, "{norm} {step}: {mean} {spread}");
        }
    }
}

/// The parameters that `block` states by formula are as many as blocks of these widths have.
#[test]
fn parameters_by_formula_are_those_that_are_there() {
    let drawing = drawn("block", &[]);
    for (finding, d, heads) in [("parameters", 8, 2), ("parameters-64", 64, 4), ("parameters-768", 768, 12)] {
        let block = Block::xavier(NormPlace::Pre, d, heads, &mut Normals::seeded(1)).unwrap();
        assert_eq!(drawing.number(finding), block.parameters() as f64);
        assert_eq!(block.parameters(), 12 * d * d + 13 * d);
    }
}
