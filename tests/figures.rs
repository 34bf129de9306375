//! Each figure: snapshots of its table and its pictures, and what must hold for all of them.

use figures::{Cell, Params, Scene, Size, figure};

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

/// What captions say in words is what the code does.
#[test]
fn captions_agree_with_the_code() {
    for (id, finding, number, words) in [
        ("saturation", "keys", "7", "seven random keys"),
        ("saturation", "trials", "100", "over 100 random draws"),
        ("cost", "features", "64", "with 64 features"),
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

/// `it` gives more than half of its attention to `cat`.
#[test]
fn the_running_example_holds() {
    let drawing = figure("threads").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    assert!(drawing.table.cell("cat", "weight").unwrap().value().unwrap() > 0.5);
    assert_eq!(drawing.fact("top").unwrap().to_string(), "cat");
}
