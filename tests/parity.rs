//! Writes what the figures are natively, for a spread of parameters: one JSON object a line. The browser checks hold
//! the live modules against it, byte for byte (`tests/browser/parity.test.mjs`).

use figures::{Control, Kind, Scene, Size, Value};

/// The most combinations of settings that are tried of one figure.
const MOST: usize = 120;

/// Values of a control, from end to end of its range.
fn values(control: &Control) -> Vec<String> {
    match &control.kind {
        Kind::Toggle { .. } => vec!["on".into(), "off".into()],
        Kind::Choice { options, .. } => options.iter().map(|option| option.value.clone()).collect(),
        Kind::Slider { min, max, step, .. } => {
            let steps = ((max - min) / step).round() as usize;
            let mut values: Vec<f64> =
                (0..=steps).step_by(steps.div_ceil(9)).map(|k| min + k as f64 * step).collect();
            values.push(*max);
            // As a browser writes them: rounded to the step's digits.
            values.into_iter().map(|value| format!("{}", (value * 1e6).round() / 1e6)).collect()
        }
        Kind::Point { x, y, presets, .. } => {
            let grid = |[least, most]: [f64; 2], k: i32| least + (most - least) * f64::from(k) / 6.0;
            let places = (0..7).flat_map(|i| (0..7).map(move |j| (i, j)));
            let spread = places.map(|(i, j)| Value::Point([grid(*x, i), grid(*y, j)]).to_string());
            presets.iter().map(|preset| preset.value.clone()).chain(spread).collect()
        }
    }
}

fn main() {
    let scene = Scene::default();
    println!(
        "{}",
        serde_json::json!({ "scene": serde_json::to_string(&scene).expect("a scene is plain data") })
    );
    for figure in figures::all() {
        let mut settings = vec![serde_json::Map::new()];
        for control in figure.controls(&scene) {
            let values = values(&control);
            let so_far = settings.clone();
            for value in &values {
                for setting in &so_far {
                    let mut setting = setting.clone();
                    setting.insert(control.name.into(), value.as_str().into());
                    settings.push(setting);
                }
            }
        }
        // Every so many of them, the first (all defaults) among them.
        let stride = settings.len().div_ceil(MOST).max(1);
        for setting in settings.into_iter().step_by(stride) {
            let parameters = serde_json::Value::from(setting).to_string();
            for size in Size::ALL {
                let drawn = live::draw(&scene, figure.id, &parameters, size.name())
                    .unwrap_or_else(|message| panic!("{}, {parameters}: {message}", figure.id));
                let case = serde_json::json!({
                    "chapter": figure.chapter(), "figure": figure.id, "parameters": parameters, "size": size.name(), "drawn": drawn,
                });
                println!("{case}");
            }
        }
    }
}
