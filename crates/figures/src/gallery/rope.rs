//! `rope`: query and key are turned by their positions; their score depends on how far apart they stand.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (rope, scene) = (figure("rope")?, Scene::default());
//! let drawing = rope.draw(&scene, &Params::new(), Size::Wide)?;
//! // No arrow changes its length.
//! for vector in ["query", "key"] {
//!     let length = |row: &str| drawing.table.cell(row, "length").unwrap().value().unwrap();
//!     assert!((length(vector) - length(&format!("{vector}, turned"))).abs() < 1e-12);
//! }
//!
//! // Moved together, both turn, and the score stays; the query moved alone has another.
//! let score = |control, position| -> figures::Result<String> {
//!     let moved = rope.draw(&scene, &params([(control, position)]), Size::Wide)?;
//!     assert_ne!(moved.table.rows[1], drawing.table.rows[1]);
//!     Ok(moved.fact("score")?.to_string())
//! };
//! assert_eq!(score("both", "40")?, drawing.fact("score")?.to_string());
//! assert_ne!(score("m", "5")?, drawing.fact("score")?.to_string());
//! # Ok::<(), figures::Error>(())
//! ```

use std::f64::consts::{PI, TAU};

use attention::{POSITION_BASE, Pairing, Rope, Scale, angular_frequency, attention, scores};
use ndarray::{Array2, array};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::{Labels, fit};
use crate::numbers::{count, fixed, is_rounding, rounding};
use crate::parts::weights::answering;
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "rope",
    title: "Queries and keys, turned by their positions",
    caption: "A query and a key, the token's two numbers in each of two pairs of features, turned by the angle that \
              belongs to the position: the first pair fast, the second a hundred times as slowly. Dashed is each as it \
              was; no arrow changes its length. Moved together, both turn alike, the angles between them stay, and so \
              does the score. Below, the score against the offset, how many places the query stands after the key; the \
              ring is where we are. Values are not turned.",
    controls,
    draw: draw::<Turned>,
};

/// The furthest position to choose; a scene has no more tokens.
const LAST: usize = Scene::MOST - 1;

fn controls(scene: &Scene) -> Vec<Control> {
    let slider =
        |name, label, default: usize| Control::slider(name, label, [0.0, LAST as f64], 1.0, default as f64);
    vec![
        slider("m", "Position of the query, m", scene.query_place()),
        slider("n", "Position of the key, n", key_place(scene)),
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

/// The numbers of the figure: a query and a key, turned, and their score.
struct Turned {
    query: Arrow,
    key: Arrow,
    /// By how many positions both were moved.
    both: f64,
    score: f64,
    score_not_turned: f64,
    /// Before both were moved.
    score_unmoved: f64,
    /// If the query alone goes on by one position.
    score_query_alone: f64,
    /// By how much the score changes at most, however far both are moved.
    change: f64,
    /// Offsets, each with the score that it leads to.
    along: Vec<(f64, f64)>,
}

/// A query or key.
struct Arrow {
    token: usize,
    position: f64,
    was: Array2<f64>, // [1, d_k]
    is: Array2<f64>,  // [1, d_k]
}

impl Arrow {
    /// A token's vector, its two numbers in each pair of features, turned by its position.
    fn of(scene: &Scene, token: usize, position: f64) -> Result<Self> {
        let [x, y] = scene.tokens[token].vector;
        let was = array![[x, y, x, y]]; // [1, d_k]
        Ok(Arrow { token, position, is: rope().rotate(&was, &[position])?, was })
    }

    /// One pair of features, as it was and as it is.
    fn pair(&self, pair: usize) -> [[f64; 2]; 2] {
        [&self.was, &self.is].map(|vector| [vector[[0, 2 * pair]], vector[[0, 2 * pair + 1]]])
    }
}

fn rope() -> Rope {
    Rope::new(Pairing::Neighbours)
}

/// The score of a query and a key. `query`, `key` `[1, d_k]`
fn score(query: &Array2<f64>, key: &Array2<f64>) -> Result<f64> {
    Ok(scores(query, key, Scale::ByRootDk)?[[0, 0]])
}

/// The score of a query and a key at offsets of up to [`LAST`], in quarters.
fn scores_along(query: &Array2<f64>, key: &Array2<f64>) -> Result<Vec<(f64, f64)>> {
    let quarters = 4 * LAST as i32;
    let offsets: Vec<f64> = (-quarters..=quarters).map(|quarter| f64::from(quarter) / 4.0).collect();
    let queries = Array2::from_shape_fn((offsets.len(), FEATURES), |(_, feature)| query[[0, feature]]);
    let (queries, key) = (rope().rotate(&queries, &offsets)?, rope().rotate(key, &[0.0])?);
    let along = scores(&queries, &key, Scale::ByRootDk)?; // [offsets, 1]
    Ok(offsets.into_iter().zip(along).collect())
}

impl Steps for Turned {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let [m, n, both] = ["m", "n", "both"].map(|name| settings.number(name).round());
        let query = Arrow::of(scene, scene.query_place(), m + both)?;
        let key = Arrow::of(scene, key_place(scene), n + both)?;
        let turned_score =
            |m: f64, n: f64| score(&rope().rotate(&query.was, &[m])?, &rope().rotate(&key.was, &[n])?);
        let score_unmoved = turned_score(m, n)?;
        let mut change: f64 = 0.0;
        for shift in 0..=SHIFTS {
            let shift = shift as f64;
            change = change.max((turned_score(m + shift, n + shift)? - score_unmoved).abs());
        }
        Ok(Turned {
            both,
            score: score(&query.is, &key.is)?,
            score_not_turned: score(&query.was, &key.was)?,
            score_unmoved,
            score_query_alone: turned_score(m + both + 1.0, n + both)?,
            change,
            along: scores_along(&query.was, &key.was)?,
            query,
            key,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let row = |position: Cell, vector: &Array2<f64>| -> Vec<Cell> {
            let features = vector.iter().map(|&feature| Cell::number(feature, 2));
            [position].into_iter().chain(features).chain([Cell::number(length(vector), 2)]).collect()
        };
        let was = |arrow: &Arrow| row(Cell::words("not turned"), &arrow.was);
        let is = |arrow: &Arrow| row(Cell::number(arrow.position, 0), &arrow.is);
        let columns = ["position", "feature 1", "feature 2", "feature 3", "feature 4", "length"];
        let table = Table::new("vector", columns)
            .row("query", was(&self.query))
            .row("query, turned", is(&self.query))
            .row("key", was(&self.key))
            .row("key, turned", is(&self.key));
        Description { table, findings: self.findings(scene), sentences: self.sentences(scene) }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let side: f64 = size.pick(206.0, 166.0);
        let planes_top = 38.0;
        let numbers_at = size.pick([2.0 * side + 40.0, 54.0], [2.0, planes_top + side + 26.0]);
        let chart_top = size.pick(planes_top + side + 50.0, numbers_at[1] + 5.0 * 22.0 + 40.0);
        let mut canvas = Canvas::new(size, chart_top + 172.0);
        self.planes(&mut canvas, planes_top, side);
        canvas.group(&[], |canvas| self.numbers(canvas, scene, numbers_at));
        canvas.group(&[], |canvas| self.chart(canvas, chart_top));
        canvas
    }
}

impl Turned {
    /// How many places the query stands after the key.
    fn offset(&self) -> f64 {
        self.query.position - self.key.position
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let Turned { query, key, .. } = self;
        Findings::new()
            .token("query", scene.label(query.token))
            .token("key", scene.label(key.token))
            .number("m", query.position, 0)
            .number("n", key.position, 0)
            .number("both", self.both, 0)
            .number("offset", self.offset(), 0)
            .number("score-not-turned", self.score_not_turned, 2)
            .number("score", self.score, 2)
            .number("score-before-the-move", self.score_unmoved, 2)
            .number("score-query-alone", self.score_query_alone, 2)
            .cell("change", rounding(self.change))
            .count("shifts", SHIFTS)
            .number("query-length", length(&query.was), 2)
            .number("query-length-turned", length(&query.is), 2)
            .number("key-length", length(&key.was), 2)
            .number("key-length-turned", length(&key.is), 2)
            .number("turn-fast", turn(0), 2)
            .number("turn-slow", turn(1), 2)
            .count("features", FEATURES)
    }

    fn sentences(&self, scene: &Scene) -> Vec<String> {
        let [query, key] = [&self.query, &self.key]
            .map(|arrow| format!("“{}” at position {}", scene.label(arrow.token), fixed(arrow.position, 0)));
        let offset = fixed(self.offset(), 0);
        let [score, not_turned] = [self.score, self.score_not_turned].map(|score| fixed(score, 2));
        let (shifts, change) = (count(SHIFTS as u64), rounding(self.change));
        let up_to = if is_rounding(self.change) { "" } else { "up to " };
        vec![
            format!(
                "The query {query} and the key {key}, an offset of {offset}: their score is {score}; not turned it is \
                 {not_turned}."
            ),
            format!("Moved together by up to {shifts} positions, their score changes by {up_to}{change}."),
        ]
    }

    /// The planes of the two pairs, side by side.
    fn planes(&self, canvas: &mut Canvas, top: f64, side: f64) {
        let Turned { query, key, .. } = self;
        let lengths = [query, key].map(|arrow| libm::hypot(arrow.was[[0, 0]], arrow.was[[0, 1]]));
        let reach = lengths.into_iter().fold(0.0, f64::max) * 1.25;
        for pair in 0..2 {
            let left = (side + canvas.size.pick(14.0, 6.0)) * pair as f64;
            let centre = [left + side / 2.0, top + side / 2.0];
            let angle = format!("{} rad a position", fixed(turn(pair), 2 * pair));
            canvas.text(&format!("pair i = {pair}"), [left + 2.0, 10.0], Text::START.bold());
            canvas.text(&angle, [left + 2.0, 28.0], Text::START.role(Role::Muted));
            let arrows = [query.pair(pair), key.pair(pair)];
            plane(canvas, centre, side / 2.0, if reach > 0.0 { reach } else { 1.0 }, arrows);
        }
    }

    /// Positions and scores, a line for each.
    fn numbers(&self, canvas: &mut Canvas, scene: &Scene, [left, top]: Place) {
        let Turned { query, key, .. } = self;
        let room = canvas.width() - 4.0 - left - Text::START.room("query “” at 120");
        let names = fit(&[scene.label(query.token), scene.label(key.token)], room);
        let lines = [
            (format!("query “{}” at", names[0]), fixed(query.position, 0), Text::START.role(Role::Query)),
            (format!("key “{}” at", names[1]), fixed(key.position, 0), Text::START.role(Role::Key)),
            ("offset".to_owned(), fixed(self.offset(), 0), Text::START),
            ("score, not turned".to_owned(), fixed(self.score_not_turned, 2), Text::START.role(Role::Muted)),
            ("score".to_owned(), fixed(self.score, 2), Text::START.bold()),
        ];
        let mut y = top;
        for (name, value, how) in lines {
            canvas.text(&name, [left, y], how);
            canvas.text(&value, [canvas.width() - 4.0, y], Text { across: Text::END.across, ..how });
            y += 22.0;
        }
    }

    /// The score against the offset, and where we are.
    fn chart(&self, canvas: &mut Canvas, top: f64) {
        let all = self.along.iter().map(|(_, score)| *score);
        let (least, most) = all.fold((0.0_f64, 0.0_f64), |(least, most), y| (least.min(y), most.max(y)));
        let margin = if most > least { 0.08 * (most - least) } else { 1.0 };
        let chart = Chart {
            x: Axis::linear(-(LAST as f64)..LAST as f64, 62.0..canvas.width() - 14.0),
            y: Axis::linear(least - margin..most + margin, top + 130.0..top),
        };
        chart.left(canvas, &[0.0], 0, "score");
        // The ends, unless they are too close to 0 for another number.
        for end in [least, most].into_iter().filter(|end| end.abs() > 0.15 * (most - least)) {
            chart.left(canvas, &[end], usize::from(end.abs() < 99.5), "");
        }
        chart.bottom(canvas, &[-60.0, -30.0, 0.0, 30.0, 60.0], 0, "offset m − n");
        chart.curve(canvas, self.along.iter().copied(), Stroke::new(Role::Ink, 1.6));
        canvas.ring(chart.at(self.offset(), self.score), 7.0, Stroke::new(Role::Output, 2.6));
    }
}

/// The angle of a pair of features, in radians a position.
fn turn(pair: usize) -> f64 {
    angular_frequency(pair, FEATURES, POSITION_BASE)
}

/// `vector` `[1, d_k]`
fn length(vector: &Array2<f64>) -> f64 {
    libm::sqrt(vector.row(0).dot(&vector.row(0)))
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
