use attention::circuits::induction_circuit;

use crate::drawn;

/// What `induction` shows is what the library's circuit does with the letters in the table, which are different and come
/// twice; and what is said of the heads holds for every repeat and every draw.
#[test]
fn induction_shows_the_circuit_of_the_library() {
    let letter = |text: &str| usize::from(text.bytes().next().unwrap() - b'A');
    for period in 3..=8 {
        for draw in 1..=9 {
            for (first, second) in [(true, true), (false, true), (true, false), (false, false)] {
                let [first_switch, second_switch] = [first, second].map(|on| if on { "on" } else { "off" });
                let drawing = drawn(
                    "induction",
                    &[
                        ("period", &period),
                        ("letters", &draw),
                        ("first", &first_switch),
                        ("second", &second_switch),
                    ],
                );
                let table = &drawing.table;
                let read: Vec<usize> =
                    table.rows.iter().map(|row| letter(&row.cells[0].to_string())).collect();
                assert_eq!(read.len(), 2 * period);
                assert_eq!(read[..period], read[period..]);
                assert!((0..period).all(|i| !read[..i].contains(&read[i])));

                let mut circuit = induction_circuit(26, read.len()).unwrap();
                for (layer, on) in [first, second].into_iter().enumerate() {
                    if !on {
                        circuit = circuit.without(layer, 0).unwrap();
                    }
                }
                let run = circuit.run(&read).unwrap();
                let [first_weights, second_weights] = [0, 1].map(|layer| &run.weights[layer][0]);
                let mut right = 0;
                for (i, row) in table.rows.iter().enumerate() {
                    let cells = &row.cells;
                    let back = |offset: usize| i.checked_sub(offset);
                    assert_eq!(cells[1].value(), back(1).map(|j| first_weights[[i, j]]));
                    assert_eq!(cells[2].value(), back(period - 1).map(|j| second_weights[[i, j]]));
                    let predicted = cells[3].to_string();
                    assert_eq!((predicted != "none").then(|| letter(&predicted)), run.predictions[i]);
                    // After the last letter the first would come again.
                    let next = read[(i + 1) % period];
                    assert_eq!(letter(&cells[4].to_string()), next);
                    assert_eq!(cells[5].to_string() == "yes", run.predictions[i] == Some(next));
                    right += usize::from(i >= period && run.predictions[i] == Some(next));
                }
                assert_eq!(drawing.number("right"), right as f64);
                if first && second {
                    assert_eq!(right, period);
                    assert!(drawing.number("stripe") > 0.999);
                } else if second {
                    // Always wrong, and not as often as by chance.
                    assert_eq!(right, 0);
                } else {
                    // Nothing speaks for any letter.
                    assert_eq!(right, 0);
                }
                let shares = ["both", "without-first"].map(|name| drawing.text(name));
                assert_eq!(shares, ["100%", "0%"]);
            }
        }
    }
}
