//! Each figure: snapshots of its table and its pictures, and what must hold for all of them.

use attention::circuits::{
    WordKind, induction_circuit, neighbourhood_head, previous_token_head, pronoun_head, sentence_features,
};
use attention::random::Normals;
use attention::study::{
    DEPTH_RUNS, DEPTH_SEED, HeadCost, Metrics, Repeats, gradient_sizes, head_cost, induction_score,
    multi_head_cost, previous_token_score,
};
use attention::trained::TrainingLog;
use attention::{AttentionOnly, Block, Head, Mask, MultiHead, NormPlace, Projections, Step, shift};
use figures::{Cell, Kind, Params, Scene, Size, figure};
use ndarray::Array2;

/// The texts of a picture, in the order in which they are drawn.
fn texts(svg: &str) -> Vec<String> {
    let inside = |part: &str| {
        let text = part.split_once('>').unwrap().1.split_once("</text>").unwrap().0;
        text.trim().to_owned()
    };
    svg.split("<text ").skip(1).map(inside).collect()
}

#[test]
fn tables() {
    for figure in figures::all() {
        let drawing = figure.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
        let mut text = format!("{} | {}\n", drawing.table.corner, drawing.table.columns.join(" | "));
        for row in &drawing.table.rows {
            let cells: Vec<_> = row.cells.iter().map(Cell::to_string).collect();
            text += &format!("{} | {}\n", row.name, cells.join(" | "));
        }
        text += "\n";
        for fact in &drawing.facts {
            text += &format!("{}: {}\n", fact.name, fact.cell);
        }
        text += &format!("\n{}\n", drawing.sentences.join("\n"));
        insta::assert_snapshot!(format!("{}-table", figure.id), text);
    }
}

#[test]
fn pictures() {
    for figure in figures::all() {
        for size in Size::ALL {
            let drawing = figure.draw(&Scene::default(), &Params::new(), size).unwrap();
            insta::assert_snapshot!(format!("{}-{}", figure.id, size.name()), drawing.svg);
        }
    }
}

/// Matrix products take the fastest instructions that the machine has, and their last bits differ with them. So the
/// snapshots are compared a second time where there are none of these: on a processor of 2008, in an emulator.
///
/// ```console
/// $ export WITHOUT_AVX=1 CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu Nehalem"
/// $ cargo test -p checks -p attention --test figures --test conformance
/// ```
#[cfg(target_arch = "x86_64")]
#[test]
fn without_avx_there_is_none() {
    let has_any = is_x86_feature_detected!("avx") || is_x86_feature_detected!("fma");
    println!("AVX or FMA: {}", if has_any { "yes" } else { "no" });
    assert!(!(has_any && std::env::var_os("WITHOUT_AVX").is_some()), "this machine has AVX or FMA");
}

/// The picture in the README, on white, for it cannot follow the reader's theme there.
#[test]
fn the_readmes_picture() {
    let drawing = figure("threads").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    let on_white = drawing.svg.replacen("<svg ", "<svg style=\"background: white\" ", 1);
    insta::assert_binary_snapshot!("readme.svg", on_white.into_bytes());
}

/// Both widths show the same numbers and say the same.
#[test]
fn the_sizes_differ_in_the_picture_alone() {
    for figure in figures::all() {
        let [wide, narrow] =
            Size::ALL.map(|size| figure.draw(&Scene::default(), &Params::new(), size).unwrap());
        assert_eq!(wide.table, narrow.table);
        assert_eq!(wide.facts, narrow.facts);
        assert_eq!(wide.sentences, narrow.sentences);
    }
}

#[test]
fn names_are_unique_and_fit_for_addresses() {
    let fit = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    for (place, figure) in figures::all().enumerate() {
        assert!(fit(figure.id), "{}", figure.id);
        assert!(figures::all().take(place).all(|other| other.id != figure.id), "{} twice", figure.id);
        let controls = figure.controls(&Scene::default());
        for (place, control) in controls.iter().enumerate() {
            assert!(fit(control.name), "{}: {}", figure.id, control.name);
            assert!(controls[..place].iter().all(|other| other.name != control.name), "{}", figure.id);
        }
    }
}

/// Each control's default is a value of it, and its written form reads back as the same.
#[test]
fn defaults_are_possible_and_read_back() {
    for figure in figures::all() {
        for control in figure.controls(&Scene::default()) {
            let default = control.default();
            assert_eq!(control.parse(&default.to_string()), Ok(default), "{}: {}", figure.id, control.name);
        }
    }
}

#[test]
fn what_no_control_takes_is_refused() {
    let threads = figure("threads").unwrap();
    let draw = |name: &str, written: &str| {
        let params = Params::from([(name.to_owned(), written.to_owned())]);
        threads.draw(&Scene::default(), &params, Size::Wide).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(draw("speed", "1"), Err("there is no parameter `speed`; there is `query`, `scaled`".into()));
    assert_eq!(draw("scaled", "1"), Err("scaled: `1` is not possible; needed is `on` or `off`".into()));
    for written in ["NaN,0", "0,inf", "3.1,0", "1", "1,2,3", "", ","] {
        assert_eq!(
            draw("query", written),
            Err(format!(
                "query: `{written}` is not possible; needed is two numbers `x,y`, the first from -3 to 3, the second \
                 from -3 to 3"
            ))
        );
    }
    let unknown = figure("thread").map(|_| ()).unwrap_err().to_string();
    assert!(unknown.starts_with("there is no figure `thread`; there is `paths`, `threads`, "), "{unknown}");
}

/// The weights that `threads` shows are those that softmax gives, computed here from the formula.
#[test]
fn threads_shows_the_weights_of_the_formula() {
    let scene = Scene::default();
    let drawing = figure("threads").unwrap().draw(&scene, &Params::new(), Size::Wide).unwrap();
    let [x, y] = scene.query().vector;
    let exponentials: Vec<f64> = scene
        .tokens
        .iter()
        .map(|token| ((x * token.vector[0] + y * token.vector[1]) / 2f64.sqrt()).exp())
        .collect();
    let sum: f64 = exponentials.iter().sum();
    for (token, exponential) in scene.tokens.iter().zip(&exponentials) {
        let shown = drawing.table.cell(&token.label, "weight").unwrap().value().unwrap();
        assert!((shown - exponential / sum).abs() < 1e-12);
    }
}

/// In the matrices, rows are queries and columns are keys: each cell is what softmax gives to that row's query, each
/// row sums to 1, no weight exceeds 1, and what lies above the diagonal is masked or not as the switch says.
#[test]
fn matrices_show_queries_in_rows() {
    let scene = Scene::default();
    for (id, masked) in [("matrix", false), ("mask", true), ("matrix", true), ("mask", false)] {
        let params = Params::from([("mask".to_owned(), if masked { "on" } else { "off" }.to_owned())]);
        let table = figure(id).unwrap().draw(&scene, &params, Size::Wide).unwrap().table;
        for (i, query) in scene.tokens.iter().enumerate() {
            let exponential = |key: &figures::Token| {
                let dot = query.vector[0] * key.vector[0] + query.vector[1] * key.vector[1];
                (dot / 2f64.sqrt()).exp()
            };
            let allowed = |j: usize| j <= i || !masked;
            let whole: f64 = (0..7).filter(|&j| allowed(j)).map(|j| exponential(&scene.tokens[j])).sum();
            let mut sum = 0.0;
            for (j, key) in scene.tokens.iter().enumerate() {
                let cell = table.cell(&query.label, &key.label).unwrap();
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

/// The shapes in `heads` fit one another and the library; what it counts is what the library counts, and for 64 / h
/// features a head what is known.
#[test]
fn heads_has_the_shapes_and_costs_of_the_library() {
    let draw = |heads: usize, width: &str| {
        let params = [("heads", heads.to_string()), ("width", width.to_owned())];
        let params = Params::from(params.map(|(name, value)| (name.to_owned(), value)));
        figure("heads").unwrap().draw(&Scene::default(), &params, Size::Wide).unwrap()
    };
    for heads in [1, 2, 4, 8] {
        for (width, d_head) in [("divided", 64 / heads), ("8", 8), ("16", 16), ("32", 32)] {
            let drawing = draw(heads, width);
            let fact = |name: &str| drawing.fact(name).unwrap().to_string();
            let times =
                |count: usize, shape: String| if count == 1 { shape } else { format!("{count} × {shape}") };
            let all = heads * d_head;
            assert_eq!(fact("shape-input"), "[7, 64]");
            assert_eq!(fact("shape-projection"), format!("3 × [64, {all}]"));
            assert_eq!(fact("shape-projected"), format!("3 × [7, {all}]"));
            assert_eq!(fact("shape-split"), format!("{} × [7, {d_head}]", 3 * heads));
            assert_eq!(fact("shape-weights"), times(heads, "[7, 7]".into()));
            assert_eq!(fact("shape-head-output"), times(heads, format!("[7, {d_head}]")));
            assert_eq!(fact("shape-side-by-side"), format!("[7, {all}]"));
            assert_eq!(fact("shape-w-o"), format!("[{all}, 64]"));
            assert_eq!(fact("shape-output"), "[7, 64]");

            // What is to be learned, counted on heads of these shapes.
            let (down, up) = (ndarray::Array2::zeros((64, d_head)), ndarray::Array2::zeros((d_head, 64)));
            let projections = Projections { query: down.clone(), key: down.clone(), value: down };
            let built = MultiHead::new(vec![Head::new(projections, up); heads]);
            let number = |name: &str| drawing.fact(name).unwrap().value().unwrap() as u64;
            let counted = HeadCost {
                parameters: number("parameters"),
                multiplications: number("multiplications"),
                exponentials: number("exponentials"),
            };
            assert_eq!(counted.parameters, built.parameters() as u64);
            let one = head_cost(7, 64, d_head);
            assert_eq!(counted.multiplications, heads as u64 * one.multiplications);
            assert_eq!(counted.exponentials, heads as u64 * one.exponentials);
            for (column, number) in [
                ("d_head", d_head as u64),
                ("h · d_head", all as u64),
                ("parameters", counted.parameters),
                ("multiplications", counted.multiplications),
                ("exponentials", counted.exponentials),
            ] {
                let cell = drawing.table.cell(&heads.to_string(), column).unwrap();
                assert_eq!(cell.value(), Some(number as f64));
            }
            if width == "divided" {
                assert_eq!(multi_head_cost(7, 64, heads).unwrap(), counted);
                let known = HeadCost {
                    parameters: 16_384,
                    multiplications: 120_960,
                    exponentials: 49 * heads as u64,
                };
                assert_eq!(counted, known);
            }
        }
    }
}

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
                let params = [("head", name), ("mask", switch), ("token", token)];
                let params = Params::from(params.map(|(name, value)| (name.to_owned(), value.to_owned())));
                let drawing = figure("arcs").unwrap().draw(&Scene::default(), &params, Size::Wide).unwrap();
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
                assert_eq!(drawing.fact("top-weight").unwrap().value(), Some(most));
            }
        }
    }
}

/// What is said of each head holds: where it looks, and how much of its attention goes there.
#[test]
fn the_heads_of_arcs_look_where_they_should() {
    let drawing = figure("arcs").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    let fact = |name: &str| drawing.fact(name).unwrap().value().unwrap();
    // The token before is 8 ahead of its neighbours: of one for the second token, of two for the later ones.
    let alone = |neighbours: f64| 1.0 / (1.0 + neighbours * (-8f64).exp());
    let mean = (alone(1.0) + 5.0 * alone(2.0)) / 6.0;
    assert!((fact("previous-mean") - mean).abs() < 1e-6);
    // A bell of which the mask leaves half: e^(−distance² / 4), and 2 is near.
    let bell = |distance: usize| (-((distance * distance) as f64) / 4.0).exp();
    let sum = |to: usize| (0..=to).map(bell).sum::<f64>();
    let mean = (0..7).map(|i: usize| sum(i.min(2)) / sum(i)).sum::<f64>() / 7.0;
    assert!((fact("neighbourhood-near") - mean).abs() < 1e-12);
    let said =
        ["pronoun", "pronoun-noun", "pronoun-finds"].map(|name| drawing.fact(name).unwrap().to_string());
    assert_eq!(said, ["it", "cat", "in that of “it” it gives 1.00 to “cat”"]);
    assert!(fact("pronoun-noun-weight") > 0.99);
}

/// What `induction` shows is what the library's circuit does with the letters in the table, which are different and come
/// twice; and what is said of the heads holds for every repeat and every draw.
#[test]
fn induction_shows_the_circuit_of_the_library() {
    let letter = |text: &str| usize::from(text.bytes().next().unwrap() - b'A');
    for period in 3..=8 {
        for draw in 1..=9 {
            for (first, second) in [(true, true), (false, true), (true, false), (false, false)] {
                let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
                let params = Params::from([
                    ("period".to_owned(), period.to_string()),
                    ("letters".to_owned(), draw.to_string()),
                    ("first".to_owned(), switch(first)),
                    ("second".to_owned(), switch(second)),
                ]);
                let drawing =
                    figure("induction").unwrap().draw(&Scene::default(), &params, Size::Wide).unwrap();
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
                assert_eq!(drawing.fact("right").unwrap().value(), Some(right as f64));
                if first && second {
                    assert_eq!(right, period);
                    assert!(drawing.fact("stripe").unwrap().value().unwrap() > 0.999);
                } else if second {
                    // Always wrong, and not as often as by chance.
                    assert_eq!(right, 0);
                } else {
                    // Nothing speaks for any letter.
                    assert_eq!(right, 0);
                }
                let shares = ["both", "without-first"].map(|name| drawing.fact(name).unwrap().to_string());
                assert_eq!(shares, ["100%", "0%"]);
            }
        }
    }
}

/// The heads of the trained model are those of the full file, in which each row sums to 1 and no weight exceeds 1; and
/// what is said of them holds there.
#[test]
fn wild_heads_are_those_of_the_model() {
    let full: serde_json::Value =
        serde_json::from_str(include_str!("../crates/wild/tests/minilm.json")).unwrap();
    let case = &full["cases"][0];
    assert_eq!(case["text"].as_str().unwrap(), Scene::default().sentence());
    let tokens: Vec<&str> = case["tokens"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
    let weights = |head: &str| -> Vec<Vec<f64>> {
        let data = case[format!("attention_{head}")]["data"].as_array().unwrap();
        let row = |row: &[serde_json::Value]| row.iter().map(|weight| weight.as_f64().unwrap()).collect();
        data.chunks(tokens.len()).map(row).collect()
    };
    let figure = figure("wild-heads").unwrap();
    let heads = ["l0h2", "l1h8", "l3h1", "l5h11"];
    for head in heads {
        let params = Params::from([("head".to_owned(), head.to_owned())]);
        let drawing = figure.draw(&Scene::default(), &params, Size::Wide).unwrap();
        for (query, row) in tokens.iter().zip(weights(head)) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-8 && row.iter().all(|weight| *weight <= 1.0));
            for (key, weight) in tokens.iter().zip(row) {
                let shown = drawing.table.cell(query, key).unwrap().value().unwrap();
                assert!((shown - weight).abs() < 6e-7 && shown <= 1.0, "{head}: {query} to {key}");
            }
            let sum = drawing.table.cell(query, "sum").unwrap().value().unwrap();
            assert!((sum - 1.0).abs() < 3e-6, "{head}: {query}");
        }
    }

    let place = |word: &str| tokens.iter().position(|token| *token == word).unwrap();
    let [previous, next, pronoun, everybody] = heads.map(weights);
    let [the, cat, it] = ["the", "cat", "it"].map(place);
    let drawing = figure.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    let fact = |name: &str| drawing.fact(name).unwrap().value().unwrap();
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

/// What the text says of the trained model's pronoun heads.
#[test]
fn antecedents_are_as_the_text_says() {
    let figure = figure("antecedents").unwrap();
    let fact = |settings: &[(&str, &str)], name: &str| {
        let params = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let drawing = figure.draw(&Scene::default(), &params, Size::Wide).unwrap();
        drawing.fact(name).unwrap().clone()
    };
    let number = |settings: &[(&str, &str)], name: &str| fact(settings, name).value().unwrap();
    assert_eq!(fact(&[], "best").to_string(), "layer 2, head 4");
    assert_eq!(fact(&[], "head"), fact(&[], "best"));
    let (found, chance) = (|head| number(&[("head", head)], "found"), number(&[], "chance-best-95"));
    assert!(found("l2h4") > found("l3h1") && found("l3h1") > chance && found("l5h11") <= chance);
    assert!(number(&[], "low") * number(&[], "sentences") > chance.max(number(&[], "first")));
    assert_eq!(fact(&[("among", "words")], "best").to_string(), "layer 3, head 1");
    // Everybody looks there: nearly as much, and not at all as much.
    let times = |head| number(&[("head", head)], "weight") / number(&[("head", head)], "others-weight");
    assert!(times("l5h11") < 1.5 && times("l3h1") > 2.0 && times("l2h4") > 8.0);
    // Gender and number, but not meaning.
    let pairs = |group: &str, name: &str| number(&[("sentences", group)], name);
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
    let figure = figure("antecedents").unwrap();
    let controls = figure.controls(&Scene::default());
    let Kind::Choice { options, .. } = &controls[0].kind else { panic!("a choice") };
    for among in ["nouns", "words"] {
        let counts = |group: &str| -> Vec<f64> {
            let params =
                [("sentences", group), ("among", among)].map(|(name, value)| (name.into(), value.into()));
            let drawing = figure.draw(&Scene::default(), &params.into(), Size::Narrow).unwrap();
            let found = drawing.table.rows.iter().map(|row| row.cells[0].value().unwrap());
            let sentences = drawing.fact("sentences").unwrap().value().unwrap();
            let last = drawing.fact("last").unwrap().value().unwrap();
            found.chain([sentences, last]).collect()
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

/// What captions say in words is what the code does.
#[test]
fn captions_agree_with_the_code() {
    for (id, finding, number, words) in [
        ("saturation", "keys", "7", "seven random keys"),
        ("saturation", "trials", "100", "over 100 random draws"),
        ("cost", "features", "64", "with 64 features"),
        ("norms", "runs", "10", "means over 10 random stacks"),
        ("sinusoid", "pairs", "8", "eight pairs of features"),
        ("rope", "turn-slow", "0.01", "a hundred times as slowly"),
        ("cost", "block", "64", "64 tokens on, where one block is full"),
    ] {
        let figure = figure(id).unwrap();
        let drawing = figure.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
        assert_eq!(drawing.fact(finding).unwrap().to_string(), number, "{id}");
        assert!(figure.caption.contains(words), "{id}: {}", figure.caption);
    }
}

/// With the mask, a nudge moves no earlier output at all; without it, it does.
#[test]
fn nothing_leaks_through_the_mask() {
    let leak = figure("leak").unwrap();
    for token in 2..=7 {
        let params = Params::from([("token".to_owned(), token.to_string())]);
        let table = leak.draw(&Scene::default(), &params, Size::Wide).unwrap().table;
        for row in &table.rows[..token - 1] {
            assert_eq!(row.cells[0].to_string(), "0");
            assert!(row.cells[1].value().is_some_and(|moved| moved > 0.0), "{token}: {}", row.name);
        }
    }
}

/// The diagram of a block has the steps that run, in their order, and one residual for each that is kept.
#[test]
fn the_diagram_shows_the_steps_that_run() {
    for (norm, place) in [("pre", NormPlace::Pre), ("post", NormPlace::Post)] {
        let params = Params::from([("norm".to_owned(), norm.to_owned())]);
        let svg = figure("block").unwrap().draw(&Scene::default(), &params, Size::Wide).unwrap().svg;
        let texts = texts(&svg);
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
        let params = [("norm", norm.to_owned()), ("step", step.to_string())];
        let params = params.map(|(name, value)| (name.to_owned(), value)).into();
        let drawing = figure("block").unwrap().draw(&scene, &params, Size::Wide).unwrap();
        let number = |cell: &Cell| cell.value().unwrap();
        let rows = &drawing.table.rows;
        let x = Array2::from_shape_fn((7, 8), |(t, feature)| number(&rows[t].cells[feature + 2]));
        let moments: Vec<_> = rows.iter().map(|row| [number(&row.cells[0]), number(&row.cells[1])]).collect();
        (x, moments, drawing.fact("formula").unwrap().to_string())
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
    let drawing = figure("block").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    for (finding, d, heads) in [("parameters", 8, 2), ("parameters-64", 64, 4), ("parameters-768", 768, 12)] {
        let block = Block::xavier(NormPlace::Pre, d, heads, &mut Normals::seeded(1)).unwrap();
        assert_eq!(drawing.fact(finding).unwrap().value(), Some(block.parameters() as f64));
        assert_eq!(block.parameters(), 12 * d * d + 13 * d);
    }
}

/// A nudge to one token moves its own row alone in LayerNorm and in the MLP, and in attention, and so in the whole
/// block, the rows of all that may look at it: each of them, and no other, exactly.
#[test]
fn attention_mixes_tokens_and_nothing_else_does() {
    let mixing = figure("mixing").unwrap();
    for (mask, token) in [("on", 1), ("on", 4), ("on", 7), ("off", 1), ("off", 4), ("off", 7)] {
        let params = [("mask", mask.to_owned()), ("token", token.to_string())];
        let params = params.map(|(name, value)| (name.to_owned(), value)).into();
        let table = mixing.draw(&Scene::default(), &params, Size::Wide).unwrap().table;
        assert_eq!(table.columns, ["LayerNorm alone", "attention alone", "MLP alone", "the whole block"]);
        for (place, row) in table.rows.iter().enumerate() {
            let moves: Vec<_> =
                row.cells.iter().map(|cell| cell.value().is_some_and(|by| by > 0.0)).collect();
            let own = place + 1 == token;
            let looks = mask == "off" || place + 1 >= token;
            assert_eq!(moves, [own, looks, own, looks], "mask {mask}, nudged {token}, row {}", row.name);
        }
    }
}

/// Attention alone does not see the order: each token's output is found again at its new place. Positions make it see
/// the order, and so does a causal mask: there an exchange of two neighbours moves these two and no other, for the
/// others see the same tokens as before.
#[test]
fn order_counts_with_positions_or_with_a_mask() {
    let order = figure("order").unwrap();
    let moves = |new_order: &str, column: &str| -> Vec<bool> {
        let params = Params::from([("order".to_owned(), new_order.to_owned())]);
        let table = order.draw(&Scene::default(), &params, Size::Wide).unwrap().table;
        let moved = |row: &figures::Row| table.cell(&row.name, column).unwrap().value().unwrap();
        table.rows.iter().map(|row| moved(row) > 1e-9).collect()
    };
    for new_order in ["reversed", "exchanged", "shifted"] {
        assert_eq!(moves(new_order, "differs"), [false; 7], "{new_order}");
        assert_eq!(moves(new_order, "differs, positions"), [true; 7], "{new_order}");
    }
    let (no, yes) = (false, true);
    assert_eq!(moves("exchanged", "differs, mask"), [no, no, no, yes, yes, no, no]);
    assert_eq!(moves("exchanged", "differs, both"), [no, no, no, yes, yes, yes, yes]);
    assert_eq!(moves("reversed", "differs, mask"), [yes; 7]);
    assert_eq!(moves("shifted", "differs, mask"), [yes; 7]);
}

/// The waves are those of the formula, sine and cosine in turn, and the rotation that the dials show leads from any
/// position to the one k further.
#[test]
fn sinusoids_follow_the_formula() {
    let sinusoid = figure("sinusoid").unwrap();
    let drawing = sinusoid.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    let turn = |pair: usize| 10_000f64.powf(-(2.0 * pair as f64) / 16.0);
    let wave = |position: usize, name: &str, pair: usize| {
        let cell = drawing.table.cell(&position.to_string(), &format!("{name} {pair}")).unwrap();
        cell.value().unwrap()
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
    assert_eq!(drawing.fact("difference").unwrap().to_string(), "less than 10⁻⁹");
    let longest = std::f64::consts::TAU / turn(7);
    assert_eq!(drawing.fact("longest").unwrap().value(), Some(longest.round()));
}

/// What `rope` shows follows from the formula: both arrows turn by their position, keep their length, and the score
/// depends on the offset alone, not on where the two stand.
#[test]
fn rope_shows_that_the_offset_is_what_counts() {
    let scene = Scene::default();
    let shown = |m: usize, n: usize, both: usize| {
        let params = [("m", m), ("n", n), ("both", both)];
        let params = params.map(|(name, value)| (name.to_owned(), value.to_string())).into();
        figure("rope").unwrap().draw(&scene, &params, Size::Wide).unwrap()
    };
    let number = |drawing: &figures::Drawing, name: &str| drawing.fact(name).unwrap().value().unwrap();
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
        assert!((number(&drawing, "score") - score / 2.0).abs() < 1e-9, "{m} {n} {both}");
        assert!((number(&drawing, "score") - number(&drawing, "score-before-the-move")).abs() < 1e-9);
        assert_eq!(drawing.fact("change").unwrap().to_string(), "less than 10⁻⁹");
        for vector in ["query", "key"] {
            let length = |row: &str| drawing.table.cell(row, "length").unwrap().value().unwrap();
            assert!((length(vector) - length(&format!("{vector}, turned"))).abs() < 1e-12);
        }
        let turned = |feature: &str| drawing.table.cell("query, turned", feature).unwrap().value().unwrap();
        let (sin, cos) = ((m + both) as f64).sin_cos();
        assert!((turned("feature 1") - (query[0] * cos - query[1] * sin)).abs() < 1e-9);
        assert!((turned("feature 2") - (query[0] * sin + query[1] * cos)).abs() < 1e-9);
    }
    // Where only the query moves, the score does not stay.
    let drawing = shown(4, 1, 0);
    assert!((number(&drawing, "score") - number(&drawing, "score-query-alone")).abs() > 0.1);
    assert_eq!(number(&drawing, "score-not-turned"), number(&shown(9, 9, 0), "score"));
}

/// What `norms` quotes is what a stack of that depth gives, and its slopes are those that the theory has: the last
/// block's gradient falls as the root of the depth with pre-norm, and does not depend on it with post-norm.
#[test]
fn norms_shows_the_gradients_that_are_measured() {
    let norms = figure("norms").unwrap();
    let drawing = norms.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    let number = |name: &str| drawing.fact(name).unwrap().value().unwrap();
    for (place, name) in [(NormPlace::Pre, "pre"), (NormPlace::Post, "post")] {
        let runs = (0..DEPTH_RUNS as u64).map(|run| gradient_sizes(place, 6, DEPTH_SEED + run).unwrap()[5]);
        let mean = runs.sum::<f64>() / DEPTH_RUNS as f64;
        assert!((number(&format!("{name}-6")) - mean).abs() < 1e-5, "{name}: {mean}");
        for depth in [6, 12, 24, 48] {
            let row = drawing.table.cell(&format!("last of {depth}"), &format!("{name}-norm")).unwrap();
            assert_eq!(row.value(), Some(number(&format!("{name}-{depth}"))));
        }
    }
    // Between the shallowest and the deepest, by hand.
    let rise = |name: &str| {
        let last = |depth: &str| drawing.table.cell(depth, name).unwrap().value().unwrap();
        (last("last of 48") / last("last of 4")).ln() / 12f64.ln()
    };
    for (name, finding, slope) in [("pre-norm", "pre-slope", -0.5), ("post-norm", "post-slope", 0.0)] {
        assert!((number(finding) - slope).abs() < 0.06, "{name}");
        assert!((number(finding) - rise(name)).abs() < 0.03, "{name}");
    }
}

/// What `growth` shows is what the log says, each number in its column and at its step, and what is said of the jump
/// holds: before it, less than half of the predictions are right, and from it on, more.
#[test]
fn growth_shows_the_log() {
    let (log, alone) = (TrainingLog::two_layers(), TrainingLog::one_layer());
    let measured = |row: usize| {
        let (it, one) = (&log.rows[row].1, &alone.rows[row].1);
        let best = |scores: &[f64]| scores[0].max(scores[1]);
        [
            it.loss_first,
            it.loss_repeated,
            it.accuracy,
            best(&it.previous[0]),
            best(&it.induction[1]),
            one.loss_repeated,
            one.accuracy,
        ]
    };
    let facts = [
        "first",
        "repeated",
        "accuracy",
        "previous",
        "induction",
        "one-layer-repeated",
        "one-layer-accuracy",
    ];
    for (row, (step, _)) in log.rows.iter().enumerate() {
        assert_eq!((*step, alone.rows[row].0), (25 * row, 25 * row));
        let params = Params::from([("step".to_owned(), step.to_string())]);
        let drawing = figure("growth").unwrap().draw(&Scene::default(), &params, Size::Wide).unwrap();
        let number = |name: &str| drawing.fact(name).unwrap().value().unwrap();
        assert_eq!(number("step"), *step as f64);
        assert_eq!(drawing.table.rows.len(), log.rows.len());
        assert_eq!(drawing.table.rows[row].name, step.to_string());
        for (place, expected) in measured(row).into_iter().enumerate() {
            assert_eq!(drawing.table.rows[row].cells[place].value(), Some(expected), "{step}");
            assert_eq!(number(facts[place]), expected, "{step}: {}", facts[place]);
        }
        let jump = log.jump().unwrap();
        assert_eq!(number("jump"), jump as f64);
        assert_eq!(number("before-jump") + 25.0, number("jump"));
        assert_eq!(number("after-jump") - 25.0, number("jump"));
        assert_eq!(measured(row)[2] > 0.5, *step >= jump, "{step}");
        // Whatever the step, these are of the whole log.
        let losses = [("start", 0), ("before", jump / 25 - 1), ("jump", jump / 25), ("after", jump / 25 + 1)];
        for (when, row) in losses.into_iter().chain([("end", log.rows.len() - 1)]) {
            for (place, what) in ["first", "repeated", "accuracy"].into_iter().enumerate() {
                assert_eq!(number(&format!("{what}-{when}")), measured(row)[place], "{what}-{when}");
            }
        }
        let highest = number("first-highest-step") as usize / 25;
        assert_eq!(number("first-highest"), measured(highest)[0]);
        assert!(measured(row)[0] <= measured(highest)[0]);
        assert!((number("guessing") - 26f64.ln()).abs() < 1e-12);
        assert!(alone.rows.iter().all(|(_, it)| it.accuracy <= number("one-layer-most")));
        assert_eq!(number("one-layer-end"), alone.rows.last().unwrap().1.accuracy);
        assert_eq!(number("one-layer-steps"), 3000.0);
        assert_eq!(number("parameters"), 10_624.0);
    }
}

/// What `grown` says of many sequences is what the model, and the circuit built by hand, do with them: measured here
/// again, for the figure only quotes it.
#[test]
fn grown_quotes_what_is_measured() {
    let drawing = figure("grown").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    let near = |name: &str, measured: f64| {
        let quoted = drawing.fact(name).unwrap().value().unwrap();
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
                let mut params = Params::from([
                    ("period".to_owned(), period.to_string()),
                    ("letters".to_owned(), draw.to_string()),
                ]);
                let mut model = AttentionOnly::trained();
                for (place, (layer, head)) in heads.into_iter().enumerate() {
                    let switch = if is_off(place) { "off" } else { "on" };
                    params.insert(format!("head-{layer}-{head}"), switch.to_owned());
                    if is_off(place) {
                        model = model.without(layer, head).unwrap();
                    }
                }
                let drawing =
                    figure("grown").unwrap().draw(&Scene::default(), &params, Size::Narrow).unwrap();
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
                let fact = |name: &str| drawing.fact(name).unwrap().value().unwrap();
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
                    assert!(right <= 3, "{params:?}: {right}");
                } else if off == 0 {
                    assert!(right + 1 >= 24 - period, "{params:?}: {right}");
                }
                // In the picture, a head that is off says so.
                let off_in_words = texts(&drawing.svg).iter().filter(|text| text.ends_with(": off")).count();
                assert_eq!(off_in_words, off.count_ones() as usize);
            }
        }
    }
}

/// `it` gives more than half of its attention to `cat`.
#[test]
fn the_running_example_holds() {
    let drawing = figure("threads").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    assert!(drawing.table.cell("cat", "weight").unwrap().value().unwrap() > 0.5);
    assert_eq!(drawing.fact("top").unwrap().to_string(), "cat");
}

/// A figure's findings have names of their own, whatever the reader has set.
#[test]
fn findings_are_named_once() {
    for figure in figures::all() {
        let controls = figure.controls(&Scene::default());
        let mut settings = vec![Params::new()];
        for control in &controls {
            let values = match &control.kind {
                Kind::Toggle { .. } => vec!["on".to_owned(), "off".to_owned()],
                Kind::Choice { options, .. } => options.iter().map(|option| option.value.clone()).collect(),
                Kind::Slider { min, max, .. } => vec![min.to_string(), max.to_string()],
                Kind::Point { .. } => vec!["0,0".to_owned()],
            };
            settings.extend(values.iter().map(|value| figures::params([(control.name, value.as_str())])));
        }
        for params in settings {
            let facts = figure.draw(&Scene::default(), &params, Size::Wide).unwrap().facts;
            for (place, fact) in facts.iter().enumerate() {
                assert!(
                    facts[..place].iter().all(|other| other.name != fact.name),
                    "{}: the finding `{}` twice, at {params:?}",
                    figure.id,
                    fact.name
                );
            }
        }
    }
}

/// What two figures share is in `parts/`: no figure's file takes anything from another's.
#[test]
fn figures_take_nothing_from_one_another() {
    let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/figures/src/gallery");
    for file in std::fs::read_dir(gallery).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.contains("use ")) {
            assert!(
                !line.contains("super::") && !line.contains("crate::gallery"),
                "{}: `{line}`",
                path.display()
            );
        }
    }
}
