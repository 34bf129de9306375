//! Every figure at its edges: scenes with the smallest and the largest vectors and numbers of tokens, and each control at
//! its ends. No panic, which would end a live page, and nothing in a picture, a table or a sentence that is not a number.

use attention::random::Normals;
use figures::{Cell, Control, Figure, Kind, Params, Scene, Size};

/// A scene in the form of a file.
fn scene(tokens: &[(String, [f64; 2])]) -> Scene {
    let mut text = format!("query = \"{}\"\nwhy = \"It asks.\"\n", tokens[tokens.len() - 1].0);
    for (place, (word, [x, y])) in tokens.iter().enumerate() {
        let kind = ["noun", "other", "pronoun"][place % 3];
        text += &format!("\n[[token]]\ntext = \"{word}\"\nvector = [{x:e}, {y:e}]\nkind = \"{kind}\"\n");
    }
    Scene::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The vector of the token at a place.
type Vectors<'a> = &'a dyn Fn(usize) -> [f64; 2];

/// Scenes of so many tokens, whose vectors are made of their places.
fn scenes(count: usize) -> Vec<(&'static str, Scene)> {
    let sign = |place: usize| if place.is_multiple_of(2) { 1.0 } else { -1.0 };
    let vectors: [(&str, Vectors); 8] = [
        ("all 0", &|_| [0.0, 0.0]),
        ("all the same", &|_| [1.0, -0.5]),
        ("all the largest", &|_| [100.0, 100.0]),
        ("all the least", &|_| [1e-300, -1e-300]),
        ("the largest, this way and that", &|place| [100.0 * sign(place), -100.0 * sign(place)]),
        ("the least number there is", &|place| [5e-324 * sign(place), 0.0]),
        ("the largest beside the least", &|place| if place == 0 { [100.0, -100.0] } else { [1e-300, -0.0] }),
        ("all on a line", &|place| [0.01 * place as f64, 0.0]),
    ];
    let word = |place: usize, same: bool| if same { "it".to_owned() } else { format!("t{place}") };
    vectors
        .into_iter()
        .enumerate()
        .map(|(number, (name, vector))| {
            // Tokens that are all alike, in one case of two.
            let tokens = (0..count).map(|place| (word(place, number % 2 == 1), vector(place)));
            (name, scene(&tokens.collect::<Vec<_>>()))
        })
        .collect()
}

/// The values at which a control stands at its ends.
fn ends(control: &Control) -> Vec<String> {
    match &control.kind {
        Kind::Toggle { .. } => vec!["on".into(), "off".into()],
        Kind::Choice { options, .. } => {
            let last = options.len() - 1;
            let mut places = vec![0, last / 2, last];
            places.dedup();
            places.into_iter().map(|place| options[place].value.clone()).collect()
        }
        Kind::Slider { min, max, .. } => vec![min.to_string(), max.to_string()],
        Kind::Point { x, y, presets, .. } => {
            let mut ends: Vec<String> = presets.iter().take(2).map(|it| it.value.clone()).collect();
            ends.extend([x[0], x[1], 0.0].iter().zip([y[1], y[0], 0.0]).map(|(x, y)| format!("{x},{y}")));
            ends
        }
    }
}

/// The settings with one control at an end, and some in which all are.
fn settings(figure: &Figure, scene: &Scene, draws: usize, chance: &mut Normals) -> Vec<Params> {
    let controls: Vec<(&str, Vec<String>)> =
        figure.controls(scene).iter().map(|control| (control.name, ends(control))).collect();
    let mut settings = vec![Params::new()];
    for (name, ends) in &controls {
        settings.extend(ends.iter().map(|end| Params::from([(name.to_string(), end.clone())])));
    }
    for _ in 0..draws {
        let all = controls.iter().map(|(name, ends)| {
            let drawn = chance.next().unwrap().abs() * 1e6;
            (name.to_string(), ends[drawn as usize % ends.len()].clone())
        });
        settings.push(all.collect());
    }
    settings
}

fn assert_drawn(figure: &Figure, scene: &Scene, params: &Params, size: Size, name: &str) {
    let case = || format!("{} {params:?}, {} tokens, {name}", figure.id, scene.tokens.len());
    let drawing = match figure.draw(scene, params, size) {
        Ok(drawing) => drawing,
        Err(error) => panic!("{}: {error}", case()),
    };
    for part in [&drawing.svg, &drawing.words()] {
        // What is said of masks is no number that went wrong.
        let part = part.replace("−∞", "");
        let nonsense = ["NaN", "nan,", ">inf", "\"inf", " inf ", "-inf", "∞", "−inf"];
        let found = nonsense.into_iter().find(|word| part.contains(word));
        assert!(found.is_none(), "{}: {found:?} in {part}", case());
    }
    for row in &drawing.table.rows {
        for cell in &row.cells {
            if let Cell::Number { value, .. } = cell {
                assert!(value.is_finite(), "{}: {value} in the table", case());
            }
        }
    }
}

/// All figures of every so many scenes, with each control at its ends.
fn all_are_drawn(count: usize, draws: usize, every: usize) -> usize {
    let mut chance = Normals::seeded(17);
    let mut drawings = 0;
    for (name, scene) in scenes(count).into_iter().step_by(every) {
        for figure in figures::all() {
            for (number, params) in settings(figure, &scene, draws, &mut chance).iter().enumerate() {
                let size = Size::ALL[number % Size::ALL.len()];
                assert_drawn(figure, &scene, params, size, name);
                drawings += 1;
            }
        }
    }
    println!("{drawings} drawings of {count} tokens");
    drawings
}

#[test]
fn two_tokens() {
    assert!(all_are_drawn(2, 6, 1) > 1000);
}

#[test]
fn seven_tokens() {
    assert!(all_are_drawn(7, 3, 1) > 1000);
}

/// The most there may be. A drawing of them takes its time, so every second scene has to do: those with the largest vectors
/// are among them.
#[test]
fn sixty_four_tokens() {
    assert!(all_are_drawn(64, 0, 2) > 500);
}

/// What a page hands to its live figures, damaged: refused, or drawn.
#[test]
fn live_figures_refuse_what_they_cannot_draw() {
    let scene = Scene::default();
    let written =
        ["", "-", ",", "NaN", "inf", "-inf", "1e999", "NaN,NaN", "1e308,-1e308", "on,off", "\u{0}", "0x1"];
    let mut refused = 0;
    for figure in figures::all() {
        for control in figure.controls(&scene) {
            for value in written {
                let parameters = serde_json::json!({ control.name: value }).to_string();
                for size in ["wide", "narrow"] {
                    refused += usize::from(live::draw(&scene, figure.id, &parameters, size).is_err());
                }
            }
        }
        for parameters in ["", "{", "[]", "null", "7", "{\"a\":7}", "{\"a\":null}", "{\"\":\"\"}"] {
            assert!(live::draw(&scene, figure.id, parameters, "wide").is_err(), "{} {parameters}", figure.id);
        }
    }
    assert!(refused > 500, "{refused}");
    assert!(live::draw(&scene, "", "{}", "wide").is_err());
    assert!(live::draw(&scene, "threads", "{}", "").is_err());
}

/// A page carries a scene that was checked; one that somebody changed is refused, and ends nothing.
#[test]
fn live_figures_refuse_a_page_with_another_scene() {
    let token = r#"{"text":"a","label":"a","vector":[1.0,2.0],"kind":"noun"}"#;
    let page = |tokens: &[&str], query: &str| {
        format!(r#"{{"tokens":[{}],"why":"","query":{query}}}"#, tokens.join(","))
    };
    assert!(live::read(&page(&[token, token], "1")).is_some());
    let far = token.replace("1.0", "1e300");
    let many = vec![token; 65];
    let refused = [
        page(&[], "0"),
        page(&[token], "0"),
        page(&many, "0"),
        page(&[token, token], "2"),
        page(&[token, token], "-1"),
        page(&[token, &far], "0"),
        page(&[token, &token.replace("1.0,", "")], "0"),
        page(&[token, &token.replace("noun", "verb")], "0"),
        page(&[token, "7"], "0"),
        "".into(),
        "{}".into(),
    ];
    for json in refused {
        assert!(live::read(&json).is_none(), "{json}");
    }
}
