//! `threads`: a query among the keys. A thread is as thick as the weight; the star is the output.

use attention::{Scale, attention_scaled, scores};
use ndarray::{Array2, array};

use super::{Figure, Sketch, weight_in_brief};
use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings, Value};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::labels::Labels;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "threads",
    title: "A query among the keys",
    caption: "Each dot is a token's vector, its key (the fill) and its value (the rim) in one. A thread runs from the \
              query to each key, as thick as the weight that the query gives to it; a key right under the query has \
              a ring instead. The star is the output: the mean of the values, each counted with its weight. It never \
              leaves the dashed outline of the values.",
    controls,
    draw,
};

fn controls(scene: &Scene) -> Vec<Control> {
    let reach = reach(scene);
    let presets = scene
        .tokens
        .iter()
        .map(|token| Preset { value: Value::Point(token.vector).to_string(), label: token.label.clone() });
    let origin = Preset { value: "0,0".into(), label: "the origin".into() };
    vec![
        Control {
            name: "query",
            label: "Query",
            kind: Kind::Point {
                x: [-reach, reach],
                y: [-reach, reach],
                step: reach / 30.0,
                default: scene.query().vector,
                presets: presets.chain([origin]).collect(),
            },
        },
        Control { name: "scaled", label: "Divide scores by √d_k", kind: Kind::Toggle { default: true } },
    ]
}

/// How far the picture reaches from the origin: past every token, to a round number.
fn reach(scene: &Scene) -> f64 {
    let furthest =
        scene.tokens.iter().flat_map(|token| token.vector).fold(0.0, |far: f64, c| far.max(c.abs()));
    [0.3, 1.5, 3.0, 6.0, 15.0, 30.0, 60.0].into_iter().find(|&reach| furthest * 1.2 <= reach).unwrap_or(150.0)
}

/// More rows than this beside the picture are not read any more.
const MOST_ROWS: usize = 12;

/// The thickness of a thread that has all of the weight.
const THICKEST: f64 = 16.0;

/// The thickness of a thread that has next to nothing.
const THINNEST: f64 = 0.5;

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let query = settings.point("query");
    let scale = if settings.is_on("scaled") { Scale::ByRootDk } else { Scale::Off };

    // One vector plays two parts here: it is the token's key and its value.
    let vectors = scene.vectors(); // [T, 2]
    let queries = array![query]; // [1, 2]
    let found = attention_scaled(&queries, &vectors, &vectors, scale)?;
    let dots = scores(&queries, &vectors, Scale::Off)?; // [1, T]
    let scores = scores(&queries, &vectors, scale)?; // [1, T]
    let weights = found.weights.row(0); // [T]
    let output = [found.output[[0, 0]], found.output[[0, 1]]];

    // Tokens from the largest weight to the smallest; of two equal ones the earlier comes first.
    let mut ranking: Vec<usize> = (0..scene.tokens.len()).collect();
    ranking.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let top = ranking[0];
    let asks = scene.tokens.iter().find(|token| token.vector == query);

    // Relative to the largest, as softmax computes them, so that no score is too large.
    let exponentials = scores.row(0).mapv(|score| libm::exp(score - scores[[0, top]])); // [T]

    let fact = |name, cell| Fact { name, cell };
    let table = Table {
        corner: "key".into(),
        columns: ["feature 1", "feature 2", "dot product", "score", "exponential", "weight"]
            .map(String::from)
            .to_vec(),
        rows: (0..scene.tokens.len())
            .map(|j| Row {
                name: scene.tokens[j].label.clone(),
                cells: vec![
                    Cell::number(vectors[[j, 0]], 1),
                    Cell::number(vectors[[j, 1]], 1),
                    Cell::number(dots[[0, j]], 2),
                    Cell::number(scores[[0, j]], 2),
                    Cell::number(exponentials[j], 3),
                    Cell::number(weights[j], 3),
                ],
            })
            .collect(),
    };
    let label = |j: usize| Cell::token(&scene.tokens[j].label);
    let (second, last) = (ranking[1], ranking[ranking.len() - 1]);
    let length = |vector: Place| libm::hypot(vector[0], vector[1]);
    let key = |j: usize| scene.tokens[j].vector;
    // Of the zero vector there is no direction: it is said to be at a right angle to all others.
    let cosine = |j: usize| {
        let lengths = length(query) * length(key(j));
        if lengths > 0.0 { dots[[0, j]] / lengths } else { 0.0 }
    };
    // The same query, so many times as long.
    let top_share_at = |times: f64| -> Result<Cell> {
        let weights = attention_scaled(&(&queries * times), &vectors, &vectors, scale)?.weights; // [1, T]
        Ok(Cell::share(weights[[0, top]]))
    };
    let facts = vec![
        fact("query", asks.map_or(Cell::words("a point of your own"), |token| Cell::token(&token.label))),
        fact("query-1", Cell::number(query[0], 2)),
        fact("query-2", Cell::number(query[1], 2)),
        fact("query-length", Cell::number(length(query), 2)),
        fact("top", label(top)),
        fact("top-1", Cell::number(vectors[[top, 0]], 1)),
        fact("top-2", Cell::number(vectors[[top, 1]], 1)),
        fact("top-length", Cell::number(length(key(top)), 2)),
        fact("top-cosine", Cell::number(cosine(top), 2)),
        fact("top-dot", Cell::number(dots[[0, top]], 2)),
        fact("top-score", Cell::number(scores[[0, top]], 2)),
        fact("top-weight", Cell::number(weights[top], 2)),
        fact("top-share", Cell::share(weights[top])),
        fact("second", label(second)),
        fact("second-length", Cell::number(length(key(second)), 2)),
        fact("second-cosine", Cell::number(cosine(second), 2)),
        fact("second-dot", Cell::number(dots[[0, second]], 2)),
        fact("second-score", Cell::number(scores[[0, second]], 2)),
        fact("second-exponential", Cell::number(exponentials[second], 3)),
        fact("second-weight", Cell::number(weights[second], 2)),
        fact("last", label(last)),
        fact("last-score", Cell::number(scores[[0, last]], 2)),
        fact("last-weight", Cell::number(weights[last], 3)),
        fact("exponentials", Cell::number(exponentials.sum(), 3)),
        fact("sum", Cell::number(weights.sum(), 2)),
        fact("top-share-no-length", top_share_at(0.0)?),
        fact("top-share-half-length", top_share_at(0.5)?),
        fact("top-share-double-length", top_share_at(2.0)?),
        fact("output-1", Cell::number(output[0], 2)),
        fact("output-2", Cell::number(output[1], 2)),
    ];

    let share = |j: usize| format!("{} to “{}”", Cell::number(weights[j], 2), scene.tokens[j].label);
    let who = match asks {
        Some(token) => format!("“{}” asks", token.label),
        None => format!("A query at ({}, {}) asks", Cell::number(query[0], 2), Cell::number(query[1], 2)),
    };
    let whom = if query == [0.0, 0.0] {
        format!(
            ": at the origin every score is 0, and each token gets the same weight, {}.",
            Cell::number(weights[0], 2)
        )
    } else {
        let most = ranking.iter().take(3).map(|&j| share(j)).collect::<Vec<_>>();
        format!(
            " and gives its weight to all the tokens: {}{}.",
            most.join(", "),
            if most.len() < ranking.len() { ", the rest to the others" } else { "" }
        )
    };
    let sentences = vec![
        who + &whom,
        format!(
            "The output, the star, stands at ({}, {}).",
            Cell::number(output[0], 2),
            Cell::number(output[1], 2)
        ),
        match scale {
            Scale::ByRootDk => "Scores are divided by √d_k, here √2.".into(),
            Scale::Off => "Scores are not divided by √d_k.".to_owned(),
        },
    ];

    let canvas =
        picture(scene, size, query, &vectors, &weights.to_vec(), &scores.row(0).to_vec(), &ranking, output);
    Ok(Sketch { canvas, table, facts, sentences })
}

#[allow(clippy::too_many_arguments)]
fn picture(
    scene: &Scene,
    size: Size,
    query: Place,
    vectors: &Array2<f64>,
    weights: &[f64],
    scores: &[f64],
    ranking: &[usize],
    output: Place,
) -> Canvas {
    let side: f64 = size.pick(400.0, 330.0);
    let rows = weights.len().min(MOST_ROWS);
    let list_height = 34.0 + 24.0 * (rows + usize::from(rows < weights.len())) as f64;
    let height = size.pick(side.max(list_height) + 16.0, side + 20.0 + list_height);
    let mut canvas = Canvas::new(size, height);
    let left = size.pick(4.0, 5.0);
    let reach = reach(scene);
    let plane = Chart {
        x: Axis::linear(-reach..reach, left..left + side),
        y: Axis::linear(-reach..reach, side + 6.0..6.0),
    };

    // The plane: two features, and the origin where they cross.
    let origin = plane.at(0.0, 0.0);
    let grid = Stroke::new(Role::Grid, 1.0);
    canvas.line(plane.at(-reach, 0.0), plane.at(reach, 0.0), grid);
    canvas.line(plane.at(0.0, -reach), plane.at(0.0, reach), grid);
    canvas.text("feature 1", [left + side, origin[1] + 12.0], Text::END.role(Role::Muted));
    canvas.text("feature 2", [origin[0] + 6.0, 12.0], Text::START.role(Role::Muted));

    // What the values span.
    let spots: Vec<Place> = vectors.rows().into_iter().map(|v| plane.at(v[0], v[1])).collect();
    let mut outline = hull(&spots);
    outline.push(outline[0]);
    canvas.path(&outline, Stroke::new(Role::Value, 1.4).dashed());

    // Threads from the query to the keys.
    let from = plane.at(query[0], query[1]);
    canvas.group(&[], |canvas| {
        for &j in ranking.iter().rev() {
            // Every token gets a little: the thinnest thread can still be seen.
            let width = (weights[j] * THICKEST).max(THINNEST);
            let thread = Stroke::new(Role::Weight, width);
            let distance = libm::hypot(from[0] - spots[j][0], from[1] - spots[j][1]);
            if distance < 10.0 {
                // The key lies under the query: the thread becomes a ring around both.
                canvas.ring(spots[j], 11.0 + width / 2.0, thread);
            } else {
                canvas.line(from, spots[j], thread);
            }
        }
    });

    // Keys and values: one dot, two parts.
    for (token, &spot) in scene.tokens.iter().zip(&spots) {
        let choose = format!("query={}", Value::Point(token.vector));
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.disc(spot, 14.0, Role::Key, HIT);
            canvas.disc(spot, 6.0, Role::Key, 1.0);
            canvas.ring(spot, 6.0, Stroke::new(Role::Value, 2.5));
        });
    }
    let star = plane.at(output[0], output[1]);
    let frame = format!("{left} {} {side} {side} {} {reach} {reach} {}", 6.0, -reach, -reach);
    canvas.group(&[("data-drag", "query"), ("data-frame", &frame)], |canvas| {
        canvas.disc(from, 22.0, Role::Query, HIT);
        canvas.disc(from, 7.0, Role::Query, 1.0);
    });
    canvas.star(star, 11.0, Stroke::new(Role::Output, 2.4));

    let mut labels = Labels::within([0.0, 0.0], [left + side, side + 12.0]);
    for &spot in &spots {
        labels.block(spot, 7.0);
    }
    for sides in outline.windows(2) {
        labels.block_line(sides[0], sides[1], 2.0);
    }
    for &j in ranking.iter().filter(|&&j| weights[j] * THICKEST >= 0.5) {
        labels.block_line(from, spots[j], weights[j] * THICKEST / 2.0 + 1.0);
    }
    labels.block(from, 14.0);
    labels.block(star, 11.0);
    canvas.group(&[], |canvas| {
        labels.place(canvas, "query", from, 18.0, Text::CENTRE.role(Role::Query).bold());
        labels.place(canvas, "output", star, 14.0, Text::CENTRE.role(Role::Output).bold());
        for &j in ranking {
            let how = if j == ranking[0] { Text::CENTRE.bold() } else { Text::CENTRE };
            let under_query = libm::hypot(from[0] - spots[j][0], from[1] - spots[j][1]) < 10.0;
            let gap = if under_query { 20.0 } else { 13.0 };
            labels.place(canvas, &scene.tokens[j].label, spots[j], gap, how);
        }
    });

    let corner = size.pick([left + side + 26.0, 20.0], [left, side + 34.0]);
    list(&mut canvas, corner, scene, weights, scores, ranking);
    canvas
}

/// The weights as bars, in the order of the sentence.
fn list(
    canvas: &mut Canvas,
    [left, top]: Place,
    scene: &Scene,
    weights: &[f64],
    scores: &[f64],
    ranking: &[usize],
) {
    let right = canvas.width() - 4.0;
    let (score_end, bar_start, bar_end) = (left + 112.0, left + 124.0, right - 38.0);
    canvas.text("key", [left, top], Text::START.role(Role::Muted));
    canvas.text("score", [score_end, top], Text::END.role(Role::Muted));
    canvas.text("weight", [bar_start, top], Text::START.role(Role::Muted));
    let mut shown: Vec<usize> = ranking.iter().copied().take(MOST_ROWS).collect();
    shown.sort_unstable();
    let mut y = top + 24.0;
    canvas.group(&[], |canvas| {
        for j in shown {
            let how = if j == ranking[0] { Text::START.bold() } else { Text::START };
            let label: String = scene.tokens[j].label.chars().take(8).collect();
            canvas.text(&label, [left, y], how);
            canvas.text(
                &Cell::number(scores[j], 2).to_string(),
                [score_end, y],
                Text { across: Text::END.across, ..how },
            );
            canvas.bar(
                [bar_start, y - 7.0],
                [bar_start + (bar_end - bar_start) * weights[j], y + 7.0],
                Role::Weight,
                1.0,
            );
            canvas.text(&weight_in_brief(weights[j]), [right, y], Text { across: Text::END.across, ..how });
            y += 24.0;
        }
    });
    if ranking.len() > MOST_ROWS {
        let rest: f64 = ranking[MOST_ROWS..].iter().map(|&j| weights[j]).sum();
        let name = format!("{} others", ranking.len() - MOST_ROWS);
        canvas.text(&name, [left, y], Text::START.role(Role::Muted));
        canvas.text(&Cell::number(rest, 2).to_string(), [right, y], Text::END.role(Role::Muted));
    }
}

/// The corners of the smallest convex outline around `places` (Andrew's monotone chain).
fn hull(places: &[Place]) -> Vec<Place> {
    let mut sorted = places.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |o: Place, a: Place, b: Place| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let half = |places: &mut dyn Iterator<Item = &Place>| {
        let mut chain: Vec<Place> = Vec::new();
        for &place in places {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], place) <= 0.0 {
                chain.pop();
            }
            chain.push(place);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut sorted.iter());
    outline.extend(half(&mut sorted.iter().rev()));
    if outline.is_empty() { vec![places[0]] } else { outline }
}
