//! `next-token`: position i sees the tokens up to and including i, and its output predicts token i + 1.

use attention::{Mask, shift};

use crate::canvas::{Canvas, HIT, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "next-token",
    title: "Each position predicts the next token",
    caption: "A model that writes: each position takes in its own token and those before it (what the causal mask \
              allows), and its output is used to predict the token that comes next. The targets are the inputs, \
              shifted by one; the last position predicts what is not written yet.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

fn controls(scene: &Scene) -> Vec<Control> {
    // The one before the query token: what it predicts is the query token.
    vec![Control::token("position", "Position", scene, scene.query_place().saturating_sub(1))]
}

/// More columns than this do not fit beside one another.
const MOST_COLUMNS: usize = 8;

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let position = settings.chosen("position");
    let labels: Vec<&str> = scene.tokens.iter().map(|token| token.label.as_str()).collect();
    let (inputs, targets) = shift(&labels);
    let target = |place: usize| targets.get(place).copied();
    let sees = |place: usize, other: usize| Mask::Causal.allows(place, other);
    let seen = |place: usize| (0..labels.len()).filter(|&other| sees(place, other)).count();

    let not_yet = || Cell::words("not written yet");
    let table = Table {
        corner: "position".into(),
        columns: ["input", "tokens it sees", "predicts"].map(String::from).to_vec(),
        rows: labels
            .iter()
            .enumerate()
            .map(|(place, label)| Row {
                name: (place + 1).to_string(),
                cells: vec![
                    Cell::token(*label),
                    Cell::count(seen(place) as u64),
                    target(place).map_or_else(not_yet, Cell::token),
                ],
            })
            .collect(),
    };
    let facts = vec![
        Fact { name: "position", cell: Cell::count(position as u64 + 1) },
        Fact { name: "input", cell: Cell::token(labels[position]) },
        Fact { name: "sees", cell: Cell::count(seen(position) as u64) },
        Fact { name: "target", cell: target(position).map_or_else(not_yet, Cell::token) },
        Fact { name: "examples", cell: Cell::count(inputs.len() as u64) },
    ];
    let sentences = vec![
        format!(
            "Position {} takes in “{}”, sees {}, and predicts {}.",
            position + 1,
            labels[position],
            match seen(position) {
                1 => "only its own token".to_owned(),
                count => format!("{count} tokens, its own among them"),
            },
            target(position).map_or("what is not written yet".to_owned(), |next| format!("“{next}”"))
        ),
        format!("One sentence of {} tokens gives {} examples to learn from.", labels.len(), inputs.len()),
    ];

    // In a long sentence, the columns around the position.
    let columns = labels.len().min(size.pick(MOST_COLUMNS, 4));
    let first = position.saturating_sub(columns - 2).min(labels.len() - columns);
    let mut canvas = Canvas::new(size, 214.0);
    let left = size.pick(92.0, 66.0);
    let step = (size.width() - left) / columns as f64;
    let x = |place: usize| left + step * ((place - first) as f64 + 0.5);
    let (targets_at, positions_at, inputs_at) = (22.0, 100.0, 180.0);
    for (name, y) in [("target", targets_at), ("position", positions_at), ("input", inputs_at)] {
        canvas.text(name, [2.0, y], Text::START.role(Role::Muted));
    }
    for (place, input) in labels.iter().enumerate().skip(first).take(columns) {
        let chosen = place == position;
        let choose = format!("position={}", place + 1);
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([x(place) - step / 2.0, 4.0], [x(place) + step / 2.0, 200.0], Role::Line, HIT);
            let stroke = if chosen { Stroke::new(Role::Output, 2.6) } else { Stroke::new(Role::Line, 1.2) };
            // What is predicted above, what comes in below; the position's own number between.
            canvas.arrow([x(place), positions_at - 17.0], [x(place), targets_at + 14.0], stroke);
            canvas.ring([x(place), positions_at], 14.0, stroke);
            canvas.text(
                &(place + 1).to_string(),
                [x(place), positions_at],
                if chosen { Text::CENTRE.bold() } else { Text::CENTRE },
            );
            let how = if chosen { Text::CENTRE.role(Role::Output).bold() } else { Text::CENTRE };
            let label: String = target(place).unwrap_or("?").chars().take(10).collect();
            canvas.text(&label, [x(place), targets_at], how);
            let label: String = input.chars().take(10).collect();
            canvas.text(
                &label,
                [x(place), inputs_at],
                if sees(position, place) { Text::CENTRE.bold() } else { Text::CENTRE },
            );
        });
    }
    // Who is seen from the chosen position.
    for place in (first..first + columns).filter(|&place| sees(position, place)) {
        let stroke = Stroke::new(Role::Weight, 2.0);
        let from = [x(place), inputs_at - 12.0];
        let far = x(position) - x(place);
        let reach = 16.0 / libm::hypot(far, inputs_at - 12.0 - positions_at);
        let to = [x(position) - far * reach, positions_at + (inputs_at - 12.0 - positions_at) * reach];
        canvas.arrow(from, to, stroke);
    }
    if first > 0 || first + columns < labels.len() {
        let note = format!("positions {} to {} of {}", first + 1, first + columns, labels.len());
        canvas.text(&note, [left, 204.0], Text::START.role(Role::Muted));
    }
    Ok(Sketch { canvas, table, facts, sentences })
}
