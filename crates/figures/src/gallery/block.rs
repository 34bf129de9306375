//! `block`: the tokens on their way through a Transformer block, drawn from the list of steps that the code runs.

use attention::random::Normals;
use attention::study::block_parameters;
use attention::{Mask, NormPlace, Stack, Step, mean_and_variance};
use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::labels::fit;
use crate::parts::untrained::{FEATURES, HEADS, embedded, reach, untrained};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "block",
    title: "A Transformer block, step by step",
    caption: "The steps of a block from top to bottom, with the residual branching off and coming back. The thick arrow \
              is where we stand, and the thick line beside it what is kept meanwhile; the tiles are the tokens there, a row for each with its mean and spread (standard \
              deviation): brown above 0, violet below. Going in, a token's first two features are its vector of the earlier figures, the \
              other six are random; the matrices are random too, as before training.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

fn controls(_: &Scene) -> Vec<Control> {
    let option = |value: &str, label: &str| Preset { value: value.into(), label: label.into() };
    vec![
        Control {
            name: "norm",
            label: "Norms",
            kind: Kind::Choice {
                options: vec![
                    option("pre", "before attention and MLP (pre-norm)"),
                    option("post", "after the additions (post-norm)"),
                ],
                default: 0,
            },
        },
        Control {
            name: "step",
            label: "After step",
            kind: Kind::Slider {
                min: 0.0,
                max: NormPlace::Pre.steps().len() as f64,
                step: 1.0,
                default: 2.0,
            },
        },
        Control { name: "mask", label: "Causal mask", kind: Kind::Toggle { default: true } },
    ]
}

/// More rows than this are not read any more.
const MOST_ROWS: usize = 12;

/// What the steps have made of x, as a formula. At each place where x is kept it is called x anew.
fn formula(steps: &[Step]) -> String {
    steps.iter().fold("x".to_owned(), |x, step| match step {
        Step::Keep => "x".to_owned(),
        Step::FirstNorm | Step::SecondNorm => format!("LN({x})"),
        Step::Attention => format!("MHA({x})"),
        Step::Mlp => format!("MLP({x})"),
        Step::Add => format!("x + {x}"),
    })
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let norms = if settings.choice("norm") == "post" { NormPlace::Post } else { NormPlace::Pre };
    let mask = if settings.is_on("mask") { Mask::Causal } else { Mask::None };
    let block = untrained(norms)?;
    let steps = norms.steps();
    let at = (settings.number("step").round() as usize).min(steps.len());

    // Run the block and keep what there is between its steps: one state more than there are steps.
    let states = block.trace(&embedded(scene), &mask)?;
    let shown = &states[at].x; // [T, d]
    let tokens = scene.tokens.len();
    let moments: Vec<(f64, f64)> = shown
        .rows()
        .into_iter()
        .map(|token| {
            let (mean, variance) = mean_and_variance(&token);
            (mean, libm::sqrt(variance))
        })
        .collect();
    let changed = match at {
        0 => 0,
        _ => shown.iter().zip(&states[at - 1].x).filter(|(after, before)| after != before).count(),
    };
    let step = at.checked_sub(1).map(|last| steps[last]);
    let ends_with_norm =
        Stack::xavier(norms, 1, FEATURES, HEADS, &mut Normals::seeded(0))?.last_norm.is_some();

    let table = Table {
        corner: "token".into(),
        columns: ["mean", "spread"]
            .map(String::from)
            .into_iter()
            .chain((1..=FEATURES).map(|feature| format!("feature {feature}")))
            .collect(),
        rows: (0..tokens)
            .map(|place| Row {
                name: scene.tokens[place].label.clone(),
                cells: [moments[place].0, moments[place].1]
                    .into_iter()
                    .chain(shown.row(place).iter().copied())
                    .map(|number| Cell::number(number, 2))
                    .collect(),
            })
            .collect(),
    };

    let mixing: Vec<&str> = steps.into_iter().filter(|step| step.mixes_tokens()).map(Step::name).collect();
    let reads = match (step, &mask) {
        (Some(step), Mask::Causal) if step.mixes_tokens() => "its own row and those before it",
        (Some(step), _) if step.mixes_tokens() => "the rows of all tokens",
        _ => "its own row alone",
    };
    let name = step.map_or("the tokens as they come in", Step::name);
    let count = |name, value: usize| Fact { name, cell: Cell::count(value as u64) };
    let number = |name, value| Fact { name, cell: Cell::number(value, 2) };
    let words = |name, words: &str| Fact { name, cell: Cell::words(words) };
    let least = |part: fn(&(f64, f64)) -> f64| moments.iter().map(part).fold(f64::INFINITY, f64::min);
    let most = |part: fn(&(f64, f64)) -> f64| moments.iter().map(part).fold(f64::NEG_INFINITY, f64::max);
    let query = scene.query_place();
    let facts = vec![
        count("step", at),
        words("step-name", name),
        words("formula", &formula(&steps[..at])),
        count("steps", steps.len()),
        words("shape", &format!("[{tokens}, {FEATURES}]")),
        count("tokens", tokens),
        count("features", FEATURES),
        count("heads", HEADS),
        count("head-features", FEATURES / HEADS),
        count("mlp-features", block.mlp.w_in.ncols()),
        count("numbers", shown.len()),
        count("changed", changed),
        words("reads", reads),
        words("mixing", &mixing.join(", ")),
        number("least-mean", least(|moments| moments.0)),
        number("most-mean", most(|moments| moments.0)),
        number("least-spread", least(|moments| moments.1)),
        number("most-spread", most(|moments| moments.1)),
        Fact { name: "query", cell: Cell::token(&scene.query().label) },
        number("query-mean", moments[query].0),
        number("query-spread", moments[query].1),
        words("after-the-stack", if ends_with_norm { "a last norm" } else { "nothing" }),
        count("parameters", block.parameters()),
        count("parameters-64", block_parameters(64)),
        count("parameters-768", block_parameters(768)),
    ];

    let between = |name: &str, least: f64, most: f64| {
        let [least, most] = [least, most].map(|number| Cell::number(number, 2).to_string());
        if least == most { format!("{name} {least}") } else { format!("{name}s from {least} to {most}") }
    };
    let sentences = vec![
        match step {
            None => format!("The tokens as they come in, x: {tokens} rows of {FEATURES} features."),
            Some(step) => format!(
                "After step {at} of {}, {}: {}, {tokens} rows of {FEATURES} features.",
                steps.len(),
                step.name(),
                formula(&steps[..at])
            ),
        },
        format!(
            "The rows have {} and {}.",
            between("mean", least(|moments| moments.0), most(|moments| moments.0)),
            between("spread", least(|moments| moments.1), most(|moments| moments.1))
        ),
        match step {
            None => "No step has run yet.".to_owned(),
            Some(Step::Keep) => "No number changes: a copy is kept beside the path.".to_owned(),
            Some(_) => {
                format!("{changed} of {} numbers have changed; each row was made from {reads}.", shown.len())
            }
        },
    ];

    // The scale is one for all steps, so that they can be compared.
    let largest = states.iter().flat_map(|state| state.x.iter()).fold(0.0, |most: f64, c| most.max(c.abs()));
    let rows = tokens.min(MOST_ROWS);
    let diagram_height = TOP + PITCH * (steps.len() + 2) as f64 + 24.0;
    let rise = size.pick(((diagram_height - 150.0) / rows as f64).clamp(24.0, 34.0), 24.0);
    let panel_height = 148.0 + rise * rows as f64 + if rows < tokens { 20.0 } else { 0.0 };
    let (corner, height) = match size {
        Size::Wide => ([258.0, 0.0], diagram_height.max(panel_height)),
        Size::Narrow => ([0.0, diagram_height + 16.0], diagram_height + 16.0 + panel_height),
    };
    let mut canvas = Canvas::new(size, height);
    diagram(&mut canvas, &steps, at, states[at].residual.is_some(), ends_with_norm);
    canvas.group(&[], |canvas| {
        let [left, top] = corner;
        let title = match step {
            None => "before the first step".to_owned(),
            Some(step) => format!("after step {at}: {}", step.name()),
        };
        canvas.text(&title, [left, top + 12.0], Text::START.bold());
        canvas.text(&formula(&steps[..at]), [left, top + 34.0], Text::START);
        let shape = format!("shape [{tokens}, {FEATURES}]");
        canvas.text(&shape, [canvas.width() - 4.0, top + 34.0], Text::END.role(Role::Muted));
        let below = heatmap(canvas, [left, top + 62.0], rise, scene, shown, &moments, reach(largest));
        let changes = format!("changed by this step: {changed} of {} numbers", shown.len());
        canvas.text(if at == 0 { "" } else { &changes }, [left, below], Text::START.role(Role::Muted));
    });
    Ok(Sketch { canvas, table, facts, sentences })
}

/// Where the diagram's first row stands, and how far its rows are apart.
const TOP: f64 = 12.0;
const PITCH: f64 = 40.0;

/// The steps from top to bottom, as the list has them.
fn diagram(canvas: &mut Canvas, steps: &[Step], at: usize, kept: bool, ends_with_norm: bool) {
    // The path's middle, half of a box's width and height, and where the residual runs down.
    const MIDDLE: f64 = 162.0;
    const HALF: [f64; 2] = [58.0, 13.0];
    const RAIL: f64 = 232.0;
    let y = |row: usize| TOP + PITCH * row as f64;
    let after = steps.len() + 1;
    // How far a row reaches up and down from its middle.
    let height = |row: usize| match row.checked_sub(1).and_then(|place| steps.get(place)) {
        Some(Step::Keep) => 4.0,
        Some(Step::Add) => 11.0,
        Some(_) => HALF[1],
        None => 10.0,
    };
    let frame = |canvas: &mut Canvas, y: f64, stroke: Stroke| {
        let [left, right, top, bottom] = [MIDDLE - HALF[0], MIDDLE + HALF[0], y - HALF[1], y + HALF[1]];
        canvas.path(&[[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], stroke);
    };
    let (thin, thick) = (Stroke::new(Role::Line, 1.4), Stroke::new(Role::Ink, 3.6));

    // The path; behind the step where we stand it is thick.
    canvas.group(&[], |canvas| {
        for row in 0..after {
            let from = [MIDDLE, y(row) + height(row) + 1.0];
            let to = [MIDDLE, y(row + 1) - height(row + 1) - 2.0];
            canvas.arrow(from, to, if row == at { thick } else { thin });
        }
    });
    // The residual: from where it is kept to where it is added.
    canvas.group(&[], |canvas| {
        let mut branch = 0;
        for (place, step) in steps.iter().enumerate() {
            let row = place + 1;
            match step {
                Step::Keep => branch = row,
                Step::Add => {
                    let carries = kept && (branch..row).contains(&at);
                    let stroke = if carries { thick } else { thin };
                    canvas.path(&[[MIDDLE, y(branch)], [RAIL, y(branch)], [RAIL, y(row)]], stroke);
                    canvas.arrow([RAIL, y(row)], [MIDDLE + height(row) + 3.0, y(row)], stroke);
                    let beside = [RAIL + 12.0, (y(branch) + y(row)) / 2.0];
                    canvas.text("residual", beside, Text { upwards: true, ..Text::CENTRE.role(Role::Muted) });
                }
                _ => {}
            }
        }
    });
    for row in 0..=steps.len() {
        let choose = format!("step={row}");
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([0.0, y(row) - 17.0], [MIDDLE + HALF[0], y(row) + 17.0], Role::Line, HIT);
            let bold = |text: Text| if row == at { text.bold() } else { text };
            let stroke = if row == at { Stroke::new(Role::Ink, 2.6) } else { thin };
            let Some(&step) = row.checked_sub(1).and_then(|place| steps.get(place)) else {
                canvas.text("x", [MIDDLE, y(row)], bold(Text::CENTRE));
                return;
            };
            let name = format!("{row} {}", step.name());
            match step {
                Step::Keep => {
                    canvas.disc([MIDDLE, y(row)], height(row), Role::Ink, 1.0);
                    canvas.text(&name, [MIDDLE - 18.0, y(row)], Text::END);
                }
                Step::Add => {
                    let arm = height(row) - 5.0;
                    canvas.ring([MIDDLE, y(row)], height(row), stroke);
                    canvas.line([MIDDLE - arm, y(row)], [MIDDLE + arm, y(row)], stroke);
                    canvas.line([MIDDLE, y(row) - arm], [MIDDLE, y(row) + arm], stroke);
                    canvas.text(&name, [MIDDLE - 18.0, y(row)], Text::END);
                }
                _ => {
                    frame(canvas, y(row), stroke);
                    canvas.text(&name, [MIDDLE, y(row)], bold(Text::CENTRE));
                }
            }
            if step.mixes_tokens() {
                canvas.text("mixes tokens", [MIDDLE - HALF[0] - 10.0, y(row)], Text::END.role(Role::Muted));
            }
        });
    }
    canvas.text("to the next block", [MIDDLE, y(after)], Text::CENTRE);
    canvas.group(&[], |canvas| {
        if ends_with_norm {
            canvas.text(
                "after the last:",
                [MIDDLE - HALF[0] - 10.0, y(after + 1)],
                Text::END.role(Role::Muted),
            );
            frame(canvas, y(after + 1), thin.dashed());
            canvas.text("LayerNorm", [MIDDLE, y(after + 1)], Text::CENTRE);
        } else {
            canvas.text("after the last: no norm", [MIDDLE, y(after + 1)], Text::CENTRE.role(Role::Muted));
        }
    });
}

/// The tokens' features as tiles, a row of height `rise` for each token, with its mean and spread; and their scale.
/// Gives back where a line of text fits in between.
fn heatmap(
    canvas: &mut Canvas,
    [left, top]: Place,
    rise: f64,
    scene: &Scene,
    x: &Array2<f64>,
    moments: &[(f64, f64)],
    reach: f64,
) -> f64 {
    let (tokens, features) = x.dim();
    let rows = tokens.min(MOST_ROWS);
    let (start, right) = (left + 66.0, canvas.width() - 2.0);
    let end = right - 90.0;
    let side = (end - start) / features as f64;
    let (mean_at, spread_at) = (end + 42.0, right);

    canvas.text("feature", [start - 6.0, top], Text::END.role(Role::Muted));
    for feature in 0..features {
        let at = [start + side * (feature as f64 + 0.5), top];
        canvas.text(&(feature + 1).to_string(), at, Text::CENTRE.role(Role::Muted));
    }
    canvas.text("mean", [mean_at, top], Text::END.role(Role::Muted));
    canvas.text("spread", [spread_at, top], Text::END.role(Role::Muted));
    let first = top + 12.0;
    let labels = fit(&scene.labels()[..rows], start - left - 6.0);
    for row in 0..rows {
        let (y, middle) = (first + rise * row as f64, first + rise * (row as f64 + 0.5));
        canvas.text(&labels[row], [start - 6.0, middle], Text::END);
        for feature in 0..features {
            let number = x[[row, feature]];
            let from = start + side * feature as f64;
            // In a narrow picture, and of a long number, the colour has to do.
            let written = Cell::number(number, usize::from(number.abs() < 9.95)).to_string();
            let fits = canvas.size == Size::Wide && number.abs() < 99.5;
            canvas.signed_tile(
                [from + 0.5, y + 0.5],
                [from + side - 0.5, y + rise - 0.5],
                number / reach,
                if fits { &written } else { "" },
            );
        }
        let brief = |number: f64| Cell::number(number, if number.abs() < 9.995 { 2 } else { 1 }).to_string();
        canvas.text(&brief(moments[row].0), [mean_at, middle], Text::END);
        canvas.text(&brief(moments[row].1), [spread_at, middle], Text::END);
    }
    let below = first + rise * rows as f64 + 16.0;
    let mut scale_at = below + 18.0;
    if rows < tokens {
        let rest = format!("tokens 1 to {rows} of {tokens}; all are in the table");
        canvas.text(&rest, [left, below + 20.0], Text::START.role(Role::Muted));
        scale_at += 20.0;
    }
    let ends = [-reach, reach].map(|end| Cell::number(end, 0).to_string());
    canvas.signed_scale([start, scale_at], 150.0, [&ends[0], &ends[1]]);
    below
}
