//! Each figure: snapshots of its table and its pictures, and what must hold for all of them.

use figures::{Cell, FIGURES, Params, Scene, Size, figure};

#[test]
fn tables() {
    for figure in FIGURES {
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
    for figure in FIGURES {
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
    for figure in FIGURES {
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
    for (place, figure) in FIGURES.iter().enumerate() {
        assert!(fit(figure.id), "{}", figure.id);
        assert!(FIGURES[..place].iter().all(|other| other.id != figure.id), "{} twice", figure.id);
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
    for figure in FIGURES {
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

/// `it` gives more than half of its attention to `cat`.
#[test]
fn the_running_example_holds() {
    let drawing = figure("threads").unwrap().draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
    assert!(drawing.table.cell("cat", "weight").unwrap().value().unwrap() > 0.5);
    assert_eq!(drawing.fact("top").unwrap().to_string(), "cat");
}
