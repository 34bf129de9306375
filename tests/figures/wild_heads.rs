use figures::Scene;

use crate::drawn;

/// The heads of the trained model are those of the full file, in which each row sums to 1 and no weight exceeds 1; and
/// what is said of them holds there.
#[test]
fn wild_heads_are_those_of_the_model() {
    let full: serde_json::Value =
        serde_json::from_str(include_str!("../../crates/minilm/tests/minilm.json")).unwrap();
    let case = &full["cases"][0];
    assert_eq!(case["text"].as_str().unwrap(), Scene::default().sentence());
    let tokens: Vec<&str> = case["tokens"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
    let weights = |head: &str| -> Vec<Vec<f64>> {
        let data = case[format!("attention_{head}")]["data"].as_array().unwrap();
        let row = |row: &[serde_json::Value]| row.iter().map(|weight| weight.as_f64().unwrap()).collect();
        data.chunks(tokens.len()).map(row).collect()
    };
    let heads = ["l0h2", "l1h8", "l3h1", "l5h11"];
    for head in heads {
        let drawing = drawn("wild-heads", &[("head", &head)]);
        for (query, row) in tokens.iter().zip(weights(head)) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-8 && row.iter().all(|weight| *weight <= 1.0));
            for (key, weight) in tokens.iter().zip(row) {
                let shown = drawing.cell(query, key);
                assert!((shown - weight).abs() < 6e-7 && shown <= 1.0, "{head}: {query} to {key}");
            }
            let sum = drawing.cell(query, "sum");
            assert!((sum - 1.0).abs() < 3e-6, "{head}: {query}");
        }
    }

    let place = |word: &str| tokens.iter().position(|token| *token == word).unwrap();
    let [previous, next, pronoun, everybody] = heads.map(weights);
    let [the, cat, it] = ["the", "cat", "it"].map(place);
    let drawing = drawn("wild-heads", &[]);
    let fact = |name: &str| drawing.number(name);
    let near = |name: &str, value: f64| assert!((fact(name) - value).abs() < 1e-6, "{name}: {value}");
    let fewest = |weights: &[f64]| weights.iter().copied().fold(1.0, f64::min);
    // To three digits, all of it.
    let before: Vec<f64> = (1..9).map(|i| previous[i][i - 1]).collect();
    assert!(fewest(&before) > 0.9995);
    near("previous-least", fewest(&before));
    near("previous-mean", before.iter().sum::<f64>() / 8.0);
    // Six words have a word after them: from `the` to `was`.
    let after: Vec<f64> = (1..7).map(|i| next[i][i + 1]).collect();
    near("next-least", fewest(&after));
    near("next-mean", after.iter().sum::<f64>() / 6.0);
    assert_eq!(fact("next-words"), 6.0);
    near("it-cat", pronoun[it][cat]);
    near("the-cat", pronoun[the][cat]);
    let column = |weights: &[Vec<f64>]| weights.iter().map(|row| row[cat]).collect::<Vec<f64>>();
    near("pronoun-mean", column(&pronoun).iter().sum::<f64>() / 9.0);
    near("everybody-it-cat", everybody[it][cat]);
    near("everybody-least", fewest(&column(&everybody)));
    near("everybody-mean", column(&everybody).iter().sum::<f64>() / 9.0);
    // Whom a row gives most to.
    let mostly_cat = |weights: &[Vec<f64>]| {
        weights.iter().filter(|row| row.iter().all(|weight| *weight <= row[cat])).count() as f64
    };
    assert_eq!(fact("pronoun-rows"), mostly_cat(&pronoun));
    assert_eq!(fact("everybody-rows"), mostly_cat(&everybody));
}
