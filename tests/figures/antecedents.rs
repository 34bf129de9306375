use std::fmt::Display;

use figures::{Kind, Scene, Size, figure};

use crate::{drawn, drawn_in};

/// What the text says of the trained model's pronoun heads.
#[test]
fn antecedents_are_as_the_text_says() {
    type Settings<'a> = &'a [(&'a str, &'a dyn Display)];
    let text = |settings: Settings, name: &str| drawn("antecedents", settings).text(name);
    let number = |settings: Settings, name: &str| drawn("antecedents", settings).number(name);
    assert_eq!(text(&[], "best"), "layer 2, head 4");
    let drawing = drawn("antecedents", &[]);
    assert_eq!(drawing.fact("head").unwrap(), drawing.fact("best").unwrap());
    let (found, chance) = (|head: &str| number(&[("head", &head)], "found"), number(&[], "chance-best-95"));
    assert!(found("l2h4") > found("l3h1") && found("l3h1") > chance && found("l5h11") <= chance);
    assert!(number(&[], "low") * number(&[], "sentences") > chance.max(number(&[], "first")));
    assert_eq!(text(&[("among", &"words")], "best"), "layer 3, head 1");
    // Everybody looks there: nearly as much, and not at all as much.
    let times = |head: &str| {
        let drawing = drawn("antecedents", &[("head", &head)]);
        drawing.number("weight") / drawing.number("others-weight")
    };
    assert!(times("l5h11") < 1.5 && times("l3h1") > 2.0 && times("l2h4") > 8.0);
    // Gender and number, but not meaning.
    let pairs = |group: &str, name: &str| number(&[("sentences", &group)], name);
    for group in ["he-or-she", "one-or-many"] {
        assert!(pairs(group, "pairs-found") >= pairs(group, "pairs") - 1.0);
        assert!(pairs(group, "pairs-found") >= pairs(group, "pairs-chance-best"));
    }
    assert_eq!(pairs("schema-pairs", "pairs-found"), 0.0);
    assert!(pairs("schema-pairs", "pairs-best") <= pairs("schema-pairs", "pairs-chance-best"));
}

/// In each group, heads find what is counted in the tables; with one noun there is nothing to choose.
#[test]
fn groups_of_sentences_add_up() {
    let controls = figure("antecedents").unwrap().controls(&Scene::default());
    let Kind::Choice { options, .. } = &controls[0].kind else { panic!("a choice") };
    for among in ["nouns", "words"] {
        let counts = |group: &str| -> Vec<f64> {
            let settings: [(&str, &dyn Display); 2] = [("sentences", &group), ("among", &among)];
            let drawing = drawn_in(Size::Narrow, "antecedents", &settings);
            let found = drawing.table.rows.iter().map(|row| row.cells[0].value().unwrap());
            found.chain(["sentences", "last"].map(|finding| drawing.number(finding))).collect()
        };
        let mut sum = vec![0.0; 74];
        for group in &options[1..] {
            if (among, group.value.as_str()) == ("nouns", "one-noun") {
                assert!(counts("one-noun").iter().all(|&count| count == 6.0));
                continue;
            }
            for (sum, count) in sum.iter_mut().zip(counts(&group.value)) {
                *sum += count;
            }
        }
        assert_eq!(sum, counts("all"), "{among}");
    }
}
