use attention::Mask;
use attention::circuits::{
    WordKind, neighbourhood_head, previous_token_head, pronoun_head, sentence_features,
};

use crate::drawn;

/// The weights of `arcs` are those of the library's heads over the sentence, whose kinds of words are written here again.
#[test]
fn arcs_shows_the_heads_of_the_library() {
    use WordKind::{Noun, Other, Pronoun};
    let features = sentence_features(&[Other, Noun, Other, Other, Pronoun, Other, Other]); // [T = 7, d = 6]
    let heads = [
        ("previous", previous_token_head()),
        ("neighbourhood", neighbourhood_head()),
        ("pronoun", pronoun_head()),
    ];
    for (name, head) in heads {
        for (switch, mask) in [("on", Mask::Causal), ("off", Mask::None)] {
            let weights = head.projections.attend(&features, &mask).unwrap().weights; // [T, T]
            for token in ["all", "1", "5", "7"] {
                let drawing = drawn("arcs", &[("head", &name), ("mask", &switch), ("token", &token)]);
                for (i, row) in drawing.table.rows.iter().enumerate() {
                    for j in 0..7 {
                        let shown = row.cells[j].value();
                        assert_eq!(shown, mask.allows(i, j).then_some(weights[[i, j]]), "{name}: {i} to {j}");
                        assert!(shown.unwrap_or(0.0) <= 1.0);
                    }
                    assert!((row.cells[7].value().unwrap() - 1.0).abs() < 1e-12);
                }
                let place = token.parse::<usize>().unwrap_or(5) - 1;
                let most = weights.row(place).iter().copied().fold(0.0, f64::max);
                assert_eq!(drawing.number("top-weight"), most);
            }
        }
    }
}

/// What is said of each head holds: where it looks, and how much of its attention goes there.
#[test]
fn the_heads_of_arcs_look_where_they_should() {
    let drawing = drawn("arcs", &[]);
    // The token before is 8 ahead of its neighbours: of one for the second token, of two for the later ones.
    let alone = |neighbours: f64| 1.0 / (1.0 + neighbours * (-8f64).exp());
    let mean = (alone(1.0) + 5.0 * alone(2.0)) / 6.0;
    assert!((drawing.number("previous-mean") - mean).abs() < 1e-6);
    // A bell of which the mask leaves half: e^(−distance² / 4), and 2 is near.
    let bell = |distance: usize| (-((distance * distance) as f64) / 4.0).exp();
    let sum = |to: usize| (0..=to).map(bell).sum::<f64>();
    let mean = (0..7).map(|i: usize| sum(i.min(2)) / sum(i)).sum::<f64>() / 7.0;
    assert!((drawing.number("neighbourhood-near") - mean).abs() < 1e-12);
    let said = ["pronoun", "pronoun-noun", "pronoun-finds"].map(|finding| drawing.text(finding));
    assert_eq!(said, ["it", "cat", "in that of “it” it gives 1.00 to “cat”"]);
    assert!(drawing.number("pronoun-noun-weight") > 0.99);
}
