//! `rope`: query and key are turned by their positions; their score depends on how far apart they stand.

use std::f64::consts::{PI, TAU};

use attention::{POSITION_BASE, Pairing, Rope, Scale, angular_frequency, attention, scores};
use ndarray::{Array2, ArrayRef1, array};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Kind, Settings};
use crate::drawing::{Cell, Fact, Row, Table};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::labels::{Labels, fit};
use crate::numbers::rounding;
use crate::parts::weights::answering;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "rope",
    title: "Queries and keys, turned by their positions",
    caption: "A query and a key, the token's two numbers in each of two pairs of features, turned by the angle that \
              belongs to the position: the first pair fast, the second a hundred times as slowly. Dashed is each as it \
              was; no arrow changes its length. Moved together, both turn alike, the angles between them stay, and so \
              does the score. Below, the score against the offset, how many places the query stands after the key; the ring is \
              where we are. Values are not turned.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// The furthest position to choose; a scene has no more tokens.
const LAST: usize = Scene::MOST - 1;

fn controls(scene: &Scene) -> Vec<Control> {
    let key = key_place(scene);
    let slider = |name, label, default: usize| Control {
        name,
        label,
        kind: Kind::Slider { min: 0.0, max: LAST as f64, step: 1.0, default: default as f64 },
    };
    vec![
        slider("m", "Position of the query, m", scene.query_place()),
        slider("n", "Position of the key, n", key),
        slider("both", "Move both by", 0),
    ]
}

/// The key's token: the one that the query token gives most weight to.
fn key_place(scene: &Scene) -> usize {
    let vectors = scene.vectors(); // [T, 2]
    // A scene has tokens, of two features each: nothing here can be refused.
    attention(&vectors, &vectors, &vectors).map_or(0, |found| answering(scene, &found.weights))
}

/// Features of the query and the key: the size of a head in the block above.
const FEATURES: usize = 4;

/// How far both are moved together, in every step up to it, to see whether the score changes.
const SHIFTS: usize = 100;

/// A token as a query or key: its two numbers in each pair of features. `[1, 4]`
fn doubled(scene: &Scene, place: usize) -> Array2<f64> {
    let [x, y] = scene.tokens[place].vector;
    array![[x, y, x, y]]
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let [m, n, both] = ["m", "n", "both"].map(|name| settings.number(name).round());
    let (asks, answers) = (scene.query_place(), key_place(scene));
    let (query, key) = (doubled(scene, asks), doubled(scene, answers)); // [1, d_k]
    let rope = Rope::new(Pairing::Neighbours);
    let score = |query: &Array2<f64>, key: &Array2<f64>| -> Result<f64> {
        Ok(scores(query, key, Scale::ByRootDk)?[[0, 0]])
    };
    let turned_score = |m: f64, n: f64| score(&rope.rotate(&query, &[m])?, &rope.rotate(&key, &[n])?);

    let turned_query = rope.rotate(&query, &[m + both])?; // [1, d_k]
    let turned_key = rope.rotate(&key, &[n + both])?; // [1, d_k]
    let found = score(&turned_query, &turned_key)?;
    let not_turned = score(&query, &key)?;
    let mut change: f64 = 0.0;
    for shift in 0..=SHIFTS {
        let shift = shift as f64;
        change = change.max((turned_score(m + shift, n + shift)? - turned_score(m, n)?).abs());
    }

    let length = |row: &ArrayRef1<f64>| libm::sqrt(row.dot(row));
    let row = |name: &str, position: Option<f64>, vector: &Array2<f64>| Row {
        name: name.into(),
        cells: [position.map_or(Cell::words("not turned"), |position| Cell::number(position, 0))]
            .into_iter()
            .chain(vector.iter().map(|&c| Cell::number(c, 2)))
            .chain([Cell::number(length(&vector.row(0)), 2)])
            .collect(),
    };
    let table = Table {
        corner: "vector".into(),
        columns: ["position", "feature 1", "feature 2", "feature 3", "feature 4", "length"]
            .map(String::from)
            .to_vec(),
        rows: vec![
            row("query", None, &query),
            row("query, turned", Some(m + both), &turned_query),
            row("key", None, &key),
            row("key, turned", Some(n + both), &turned_key),
        ],
    };
    let turn = |pair: usize| angular_frequency(pair, FEATURES, POSITION_BASE);
    let number = |name, value, digits| Fact { name, cell: Cell::number(value, digits) };
    let offset = m - n;
    let facts = vec![
        Fact { name: "query", cell: Cell::token(&scene.tokens[asks].label) },
        Fact { name: "key", cell: Cell::token(&scene.tokens[answers].label) },
        number("m", m + both, 0),
        number("n", n + both, 0),
        number("both", both, 0),
        number("offset", offset, 0),
        number("score-not-turned", not_turned, 2),
        number("score", found, 2),
        number("score-before-the-move", turned_score(m, n)?, 2),
        number("score-query-alone", turned_score(m + both + 1.0, n + both)?, 2),
        Fact { name: "change", cell: rounding(change) },
        Fact { name: "shifts", cell: Cell::count(SHIFTS as u64) },
        number("query-length", length(&query.row(0)), 2),
        number("query-length-turned", length(&turned_query.row(0)), 2),
        number("key-length", length(&key.row(0)), 2),
        number("key-length-turned", length(&turned_key.row(0)), 2),
        number("turn-fast", turn(0), 2),
        number("turn-slow", turn(1), 2),
        Fact { name: "features", cell: Cell::count(FEATURES as u64) },
    ];
    let sentences = vec![
        format!(
            "The query “{}” at position {} and the key “{}” at position {}, an offset of {}: their score is {}; not \
             turned it is {}.",
            scene.tokens[asks].label,
            Cell::number(m + both, 0),
            scene.tokens[answers].label,
            Cell::number(n + both, 0),
            Cell::number(offset, 0),
            Cell::number(found, 2),
            Cell::number(not_turned, 2)
        ),
        format!(
            "Moved together by up to {} positions, their score changes by {}.",
            Cell::count(SHIFTS as u64),
            match rounding(change) {
                words @ Cell::Words(_) => words.to_string(),
                number => format!("up to {number}"),
            }
        ),
    ];

    // The planes of the two pairs.
    let side: f64 = size.pick(206.0, 166.0);
    let planes_top = 38.0;
    let numbers_at = size.pick([2.0 * side + 40.0, 54.0], [2.0, planes_top + side + 26.0]);
    let chart_top = size.pick(planes_top + side + 50.0, numbers_at[1] + 5.0 * 22.0 + 40.0);
    let mut canvas = Canvas::new(size, chart_top + 172.0);
    let longest = [&query, &key].map(|vector| libm::hypot(vector[[0, 0]], vector[[0, 1]])).into_iter();
    let reach = longest.fold(0.0, f64::max) * 1.25;
    for pair in 0..2 {
        let left = (side + size.pick(14.0, 6.0)) * pair as f64;
        let of = |vector: &Array2<f64>| [vector[[0, 2 * pair]], vector[[0, 2 * pair + 1]]];
        let centre = [left + side / 2.0, planes_top + side / 2.0];
        let angle = format!("{} rad a position", Cell::number(turn(pair), 2 * pair));
        canvas.text(&format!("pair i = {pair}"), [left + 2.0, 10.0], Text::START.bold());
        canvas.text(&angle, [left + 2.0, 28.0], Text::START.role(Role::Muted));
        let arrows = [(&query, &turned_query), (&key, &turned_key)].map(|(was, is)| [of(was), of(is)]);
        plane(&mut canvas, centre, side / 2.0, if reach > 0.0 { reach } else { 1.0 }, arrows);
    }

    let room = canvas.width() - 4.0 - numbers_at[0] - Text::START.room("query “” at 120");
    let names = fit(&[scene.label(asks), scene.label(answers)], room);
    let lines = [
        (format!("query “{}” at", names[0]), Cell::number(m + both, 0)),
        (format!("key “{}” at", names[1]), Cell::number(n + both, 0)),
        ("offset".to_owned(), Cell::number(offset, 0)),
        ("score, not turned".to_owned(), Cell::number(not_turned, 2)),
        ("score".to_owned(), Cell::number(found, 2)),
    ];
    let roles = [Role::Query, Role::Key, Role::Ink, Role::Muted, Role::Ink];
    canvas.group(&[], |canvas| {
        for (line, ((name, value), role)) in lines.iter().zip(roles).enumerate() {
            let y = numbers_at[1] + 22.0 * line as f64;
            let bold = |text: Text| if name == "score" { text.bold() } else { text };
            canvas.text(name, [numbers_at[0], y], bold(Text::START.role(role)));
            canvas.text(&value.to_string(), [canvas.width() - 4.0, y], bold(Text::END.role(role)));
        }
    });

    // The score against the offset, and where we are.
    let offsets: Vec<f64> =
        (-4 * LAST as i32..=4 * LAST as i32).map(|quarter| f64::from(quarter) / 4.0).collect();
    let queries = query.broadcast((offsets.len(), FEATURES)).unwrap_or_else(|| query.view()).to_owned();
    let along = scores(&rope.rotate(&queries, &offsets)?, &rope.rotate(&key, &[0.0])?, Scale::ByRootDk)?; // [offsets, 1]
    let (least, most) =
        along.iter().fold((0.0_f64, 0.0_f64), |(least, most), &y| (least.min(y), most.max(y)));
    let margin = if most > least { 0.08 * (most - least) } else { 1.0 };
    let chart = Chart {
        x: Axis::linear(-(LAST as f64)..LAST as f64, 62.0..canvas.width() - 14.0),
        y: Axis::linear(least - margin..most + margin, chart_top + 130.0..chart_top),
    };
    canvas.group(&[], |canvas| {
        chart.left(canvas, &[0.0], 0, "score");
        // The ends, unless they are too close to 0 for another number.
        for end in [least, most].into_iter().filter(|end| end.abs() > 0.15 * (most - least)) {
            chart.left(canvas, &[end], usize::from(end.abs() < 99.5), "");
        }
        chart.bottom(canvas, &[-60.0, -30.0, 0.0, 30.0, 60.0], 0, "offset m − n");
        let points = offsets.iter().copied().zip(along.iter().copied());
        chart.curve(canvas, points, Stroke::new(Role::Ink, 1.6));
        canvas.ring(chart.at(offset, found), 7.0, Stroke::new(Role::Output, 2.6));
    });
    Ok(Sketch { canvas, table, facts, sentences })
}

/// One pair of features: query and key, as they were and as they are turned, and the angle between them.
fn plane(canvas: &mut Canvas, centre: Place, radius: f64, reach: f64, [query, key]: [[[f64; 2]; 2]; 2]) {
    let at = |[x, y]: [f64; 2]| -> Place { [centre[0] + x / reach * radius, centre[1] - y / reach * radius] };
    let grid = Stroke::new(Role::Grid, 1.0);
    canvas.line([centre[0] - radius, centre[1]], [centre[0] + radius, centre[1]], grid);
    canvas.line([centre[0], centre[1] - radius], [centre[0], centre[1] + radius], grid);
    let mut labels =
        Labels::within([centre[0] - radius, centre[1] - radius], [centre[0] + radius, centre[1] + radius]);
    canvas.group(&[], |canvas| {
        // From the turned key to the turned query, the short way.
        let angle = |[x, y]: [f64; 2]| libm::atan2(y, x);
        let length = |[x, y]: [f64; 2]| libm::hypot(x, y);
        let between = angle(query[1]) - angle(key[1]);
        let between = between - TAU * ((between + PI) / TAU).floor();
        canvas.arc(centre, angle(key[1]), between, [radius * 0.2; 2], Stroke::new(Role::Output, 2.6));
        // The longer one first, for the other may lie on it.
        let mut arrows = [(query, Role::Query), (key, Role::Key)];
        arrows.sort_by(|(one, _), (other, _)| length(other[1]).total_cmp(&length(one[1])));
        for ([was, is], role) in arrows {
            canvas.line(centre, at(was), Stroke::new(role, 1.4).dashed());
            if is == [0.0, 0.0] {
                canvas.disc(centre, 4.0, role, 1.0);
            } else {
                canvas.arrow(centre, at(is), Stroke::new(role, 2.8));
            }
            labels.block_line(centre, at(is), 3.0);
            labels.block_line(centre, at(was), 2.0);
        }
        for ([_, is], role, name) in [(query, Role::Query, "query"), (key, Role::Key, "key")] {
            labels.place(canvas, name, at(is), 8.0, Text::CENTRE.role(role).bold());
        }
    });
}
