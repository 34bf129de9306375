use attention::circuits::induction_circuit;
use attention::study::{Metrics, Repeats, induction_score, mean_ablated, previous_token_score};
use attention::{AttentionOnly, shift};
use figures::Size;

use crate::{drawn, drawn_in};

/// What `grown` says of many sequences is what the model, and the circuit built by hand, do with them: measured here
/// again, for the figure only quotes it.
#[test]
fn grown_quotes_what_is_measured() {
    let drawing = drawn("grown", &[]);
    let near = |name: &str, measured: f64| {
        let quoted = drawing.number(name);
        println!("{name}: {measured:.4}");
        assert!((quoted - measured).abs() < 0.000_051, "{name}: {quoted}, and measured {measured}");
    };
    let sequences = Repeats::evaluation();
    let without = |off: &[(usize, usize)]| {
        let model = off
            .iter()
            .fold(AttentionOnly::trained(), |model, &(layer, head)| model.without(layer, head).unwrap());
        Metrics::of(&model, &sequences).unwrap()
    };
    let all = without(&[]);
    near("accuracy", all.accuracy);
    near("without-layer-1", without(&[(1, 0), (1, 1)]).accuracy);
    for layer in [0, 1] {
        for head in [0, 1] {
            near(&format!("without-{layer}-{head}"), without(&[(layer, head)]).accuracy);
            near(&format!("score-previous-{layer}-{head}"), all.previous[layer][head]);
            near(&format!("score-induction-{layer}-{head}"), all.induction[layer][head]);
        }
    }
    near("chance", 1.0 / 26.0);
    // The same with a head's output set to its mean.
    let ablated = |model: &AttentionOnly, layer, head| mean_ablated(model, layer, head, &sequences).unwrap();
    let accuracy = |model: &AttentionOnly| Metrics::of(model, &sequences).unwrap().accuracy;
    let grown = AttentionOnly::trained();
    for (layer, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        near(&format!("mean-{layer}-{head}"), accuracy(&ablated(&grown, layer, head)));
    }
    near("mean-layer-1", accuracy(&ablated(&ablated(&grown, 1, 0), 1, 1)));

    let circuit = induction_circuit(26, 24).unwrap();
    let mut built = [[0.0; 2]; 2];
    for it in &sequences {
        let run = circuit.run(shift(&it.symbols).0).unwrap();
        for (head, weights) in run.weights.iter().flatten().enumerate() {
            built[0][head] += previous_token_score(weights, it) / sequences.len() as f64;
            built[1][head] += induction_score(weights, it) / sequences.len() as f64;
        }
    }
    for head in [0, 1] {
        near(&format!("built-previous-{head}"), built[0][head]);
        near(&format!("built-induction-{head}"), built[1][head]);
    }
}

/// What `grown` shows is what the trained model does with the letters in the table, with those heads off that are
/// switched off; its letters repeat with the period, and are different within it.
#[test]
fn grown_shows_the_model_at_work() {
    let letter = |text: &str| usize::from(text.bytes().next().unwrap() - b'A');
    let heads = [(0, 0), (0, 1), (1, 0), (1, 1)];
    for period in 6..=12 {
        for draw in [1, 9] {
            for off in 0..16_u32 {
                let is_off = |head: usize| off >> head & 1 == 1;
                let mut model = AttentionOnly::trained();
                for (place, (layer, head)) in heads.into_iter().enumerate() {
                    if is_off(place) {
                        model = model.without(layer, head).unwrap();
                    }
                }
                let switches = [0, 1, 2, 3].map(|place| if is_off(place) { "off" } else { "on" });
                let drawing = drawn_in(
                    Size::Narrow,
                    "grown",
                    &[
                        ("period", &period),
                        ("letters", &draw),
                        ("head-0-0", &switches[0]),
                        ("head-0-1", &switches[1]),
                        ("head-1-0", &switches[2]),
                        ("head-1-1", &switches[3]),
                    ],
                );
                let rows = &drawing.table.rows;
                let read: Vec<usize> = rows.iter().map(|row| letter(&row.cells[0].to_string())).collect();
                assert_eq!(read.len(), 24);
                assert!((0..period).all(|i| !read[..i].contains(&read[i])));
                assert!((period..24).all(|i| read[i] == read[i - period]));

                let run = model.run(&read).unwrap();
                let mut right = 0;
                let mut sums = [0.0; 4];
                for (i, row) in rows.iter().enumerate() {
                    for (place, (layer, head)) in heads.into_iter().enumerate() {
                        let weights = &run.weights[layer][head]; // [T, T]
                        // One back; or one after each place that is a whole number of periods back.
                        let places: Vec<usize> = match layer {
                            0 => i.checked_sub(1).into_iter().collect(),
                            _ => (1..=i / period).rev().map(|times| i + 1 - times * period).collect(),
                        };
                        let expected: f64 = places.iter().map(|&j| weights[[i, j]]).sum();
                        let shown = row.cells[1 + place].value();
                        assert_eq!(shown, (!places.is_empty()).then_some(expected));
                        let counts = if layer == 0 { (1..period).contains(&i) } else { i >= period };
                        sums[place] += if counts { expected } else { 0.0 };
                    }
                    let predicted = row.cells[5].to_string();
                    assert_eq!((predicted != "none").then(|| letter(&predicted)), run.predictions[i]);
                    let next = read[(i + 1) % period];
                    assert_eq!(letter(&row.cells[6].to_string()), next);
                    assert_eq!(row.cells[7].to_string() == "yes", run.predictions[i] == Some(next));
                    right += usize::from(i >= period && run.predictions[i] == Some(next));
                }
                let fact = |name: &str| drawing.number(name);
                assert_eq!(fact("right"), right as f64);
                assert_eq!(fact("known"), (24 - period) as f64);
                assert_eq!(fact("share"), right as f64 / (24 - period) as f64);
                let names = ["one-back-0-0", "one-back-0-1", "followed-1-0", "followed-1-1"];
                for (place, name) in names.into_iter().enumerate() {
                    let count = if place < 2 { period - 1 } else { 24 - period };
                    assert!((fact(name) - sums[place] / count as f64).abs() < 1e-12, "{name}");
                }
                // What a reader should find: nothing without layer 1, little without the head that looks one back.
                if is_off(2) && is_off(3) {
                    assert!(right <= 3, "period {period}, letters {draw}, {switches:?}: {right}");
                } else if off == 0 {
                    assert!(
                        right + 1 >= 24 - period,
                        "period {period}, letters {draw}, {switches:?}: {right}"
                    );
                }
                // In the picture, a head that is off says so.
                let off_in_words = drawing.texts().iter().filter(|text| text.ends_with(": off")).count();
                assert_eq!(off_in_words, off.count_ones() as usize);
            }
        }
    }
}
