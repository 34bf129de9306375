//! `threads`: a query among the keys. A thread is as thick as the weight; the star is the output.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (threads, scene) = (figure("threads")?, Scene::default());
//! let drawing = threads.draw(&scene, &Params::new(), Size::Wide)?;
//! assert_eq!(drawing.fact("top")?.to_string(), "cat"); // “it” asks, and “cat” has the thickest thread
//!
//! // The star is the mean of the values, each counted with its weight: it never leaves their outline.
//! let corner = threads.draw(&scene, &params([("query", "3,3")]), Size::Wide)?;
//! for (output, column) in [("output-1", "feature 1"), ("output-2", "feature 2")] {
//!     let (mut mean, mut most) = (0.0, f64::NEG_INFINITY);
//!     for row in &corner.table.rows {
//!         let value = |column| Ok::<_, figures::Error>(corner.table.cell(&row.name, column)?.value().unwrap());
//!         mean += value("weight")? * value(column)?;
//!         most = value(column)?.max(most);
//!     }
//!     let output = corner.fact(output)?.value().unwrap();
//!     assert!((output - mean).abs() < 1e-12 && output <= most);
//! }
//!
//! // From the origin every score is 0, and each token gets the same.
//! let origin = threads.draw(&scene, &params([("query", "0,0")]), Size::Wide)?;
//! assert_eq!(origin.fact("top-weight")?, origin.fact("second-weight")?);
//! # Ok::<(), figures::Error>(())
//! ```

use attention::{Mask, Scale, attention_with, scores};
use ndarray::{Array1, Array2, array};

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings, Value};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::{Labels, fit};
use crate::numbers::{fixed, weight_in_brief};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "threads",
    title: "A query among the keys",
    caption: "Each dot is a token's vector, its key (the fill) and its value (the rim) in one. A thread runs from the \
              query to each key, as thick as the weight that the query gives to it; a key right under the query has \
              a ring instead. The star is the output: the mean of the values, each counted with its weight. It never \
              leaves the dashed outline of the values.",
    controls,
    draw: draw::<Threads>,
};

fn controls(scene: &Scene) -> Vec<Control> {
    let tokens = scene.tokens.iter().map(|token| (token.vector, token.label.as_str()));
    let places = tokens.chain([([0.0, 0.0], "the origin")]);
    vec![
        Control::point("query", "Query", reach(scene), scene.query().vector, places),
        Control::toggle("scaled", "Divide scores by √d_k", true),
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

/// The numbers of the figure: one query's attention to the keys.
struct Threads {
    query: Place,
    scale: Scale,
    dots: Array1<f64>,    // [T]
    scores: Array1<f64>,  // [T]
    weights: Array1<f64>, // [T]
    output: Place,
    /// Relative to the largest, as softmax computes them, so that no score is too large.
    exponentials: Array1<f64>, // [T]
    /// Tokens from the largest weight to the smallest; of two equal ones the earlier comes first.
    ranking: Vec<usize>,
    /// The largest weight if the same query had no length, half its length, and twice its length.
    top_at_lengths: [f64; 3],
}

impl Steps for Threads {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let query = settings.point("query");
        let scale = if settings.is_on("scaled") { Scale::ByRootDk } else { Scale::Off };

        // One vector plays two parts here: it is the token's key and its value.
        let vectors = scene.vectors(); // [T, 2]
        let queries = array![query]; // [1, 2]
        let found = attention_with(&queries, &vectors, &vectors, &Mask::None, scale)?;
        let row = |numbers: Array2<f64>| numbers.row(0).to_owned();
        let scaled = row(scores(&queries, &vectors, scale)?); // [T]
        let weights = row(found.weights); // [T]

        let mut ranking: Vec<usize> = (0..scene.tokens.len()).collect();
        ranking.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        let top = ranking[0];
        let top_at = |times: f64| -> Result<f64> {
            let longer = &queries * times; // [1, 2]
            Ok(attention_with(&longer, &vectors, &vectors, &Mask::None, scale)?.weights[[0, top]])
        };
        Ok(Threads {
            query,
            scale,
            dots: row(scores(&queries, &vectors, Scale::Off)?),
            exponentials: scaled.mapv(|score| libm::exp(score - scaled[top])),
            scores: scaled,
            weights,
            output: [found.output[[0, 0]], found.output[[0, 1]]],
            ranking,
            top_at_lengths: [top_at(0.0)?, top_at(0.5)?, top_at(2.0)?],
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let columns = ["feature 1", "feature 2", "dot product", "score", "exponential", "weight"];
        let table = Table::new("key", columns).rows(scene.tokens.iter().enumerate().map(|(j, token)| {
            let cells = [
                Cell::number(token.vector[0], 1),
                Cell::number(token.vector[1], 1),
                Cell::number(self.dots[j], 2),
                Cell::number(self.scores[j], 2),
                Cell::number(self.exponentials[j], 3),
                Cell::number(self.weights[j], 3),
            ];
            (&token.label, cells)
        }));
        Description { table, findings: self.findings(scene), sentences: self.sentences(scene) }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let side: f64 = size.pick(400.0, 330.0);
        let rows = self.weights.len().min(MOST_ROWS);
        let list_height = 34.0 + 24.0 * (rows + usize::from(rows < self.weights.len())) as f64;
        let height = size.pick(side.max(list_height) + 16.0, side + 20.0 + list_height);
        let mut canvas = Canvas::new(size, height);
        let left = size.pick(4.0, 5.0);

        self.plane(&mut canvas, scene, [left, 6.0], side);
        self.list(&mut canvas, scene, size.pick([left + side + 26.0, 20.0], [left, side + 34.0]));
        canvas
    }
}

impl Threads {
    /// The token that asks, if the query stands where one does.
    fn asks<'a>(&self, scene: &'a Scene) -> Option<&'a str> {
        let token = scene.tokens.iter().find(|token| token.vector == self.query);
        token.map(|token| token.label.as_str())
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let ranking = &self.ranking;
        let (top, second, last) = (ranking[0], ranking[1], ranking[ranking.len() - 1]);
        let key = |j: usize| scene.tokens[j].vector;
        // Of the zero vector there is no direction: it is said to be at a right angle to all others.
        let cosine = |j: usize| {
            let lengths = length(self.query) * length(key(j));
            if lengths > 0.0 { self.dots[j] / lengths } else { 0.0 }
        };
        let asks = self.asks(scene).map_or(Cell::words("a point of your own"), Cell::token);
        let [none, half, double] = self.top_at_lengths;
        Findings::new()
            .cell("query", asks)
            .number("query-1", self.query[0], 2)
            .number("query-2", self.query[1], 2)
            .number("query-length", length(self.query), 2)
            .token("top", scene.label(top))
            .number("top-1", key(top)[0], 1)
            .number("top-2", key(top)[1], 1)
            .number("top-length", length(key(top)), 2)
            .number("top-cosine", cosine(top), 2)
            .number("top-dot", self.dots[top], 2)
            .number("top-score", self.scores[top], 2)
            .number("top-weight", self.weights[top], 2)
            .share("top-share", self.weights[top])
            .token("second", scene.label(second))
            .number("second-length", length(key(second)), 2)
            .number("second-cosine", cosine(second), 2)
            .number("second-dot", self.dots[second], 2)
            .number("second-score", self.scores[second], 2)
            .number("second-exponential", self.exponentials[second], 3)
            .number("second-weight", self.weights[second], 2)
            .token("last", scene.label(last))
            .number("last-score", self.scores[last], 2)
            .number("last-weight", self.weights[last], 3)
            .number("exponentials", self.exponentials.sum(), 3)
            .number("sum", self.weights.sum(), 2)
            .share("top-share-no-length", none)
            .share("top-share-half-length", half)
            .share("top-share-double-length", double)
            .number("output-1", self.output[0], 2)
            .number("output-2", self.output[1], 2)
    }

    fn sentences(&self, scene: &Scene) -> Vec<String> {
        let point = |[x, y]: Place| format!("({}, {})", fixed(x, 2), fixed(y, 2));
        let who = match self.asks(scene) {
            Some(label) => format!("“{label}” asks"),
            None => format!("A query at {} asks", point(self.query)),
        };
        let share = |&j: &usize| format!("{} to “{}”", fixed(self.weights[j], 2), scene.label(j));
        let whom = if self.query == [0.0, 0.0] {
            let each = fixed(self.weights[0], 2);
            format!(": at the origin every score is 0, and each token gets the same weight, {each}.")
        } else {
            let most: Vec<_> = self.ranking.iter().take(3).map(share).collect();
            let rest = if most.len() < self.ranking.len() { ", the rest to the others" } else { "" };
            format!(" and gives its weight to all the tokens: {}{rest}.", most.join(", "))
        };
        let scale = match self.scale {
            Scale::ByRootDk => "Scores are divided by √d_k, here √2.",
            Scale::Off => "Scores are not divided by √d_k.",
        };
        vec![who + &whom, format!("The output, the star, stands at {}.", point(self.output)), scale.into()]
    }

    /// The plane, in a square of width `side`: keys, query, output, and the threads between them.
    fn plane(&self, canvas: &mut Canvas, scene: &Scene, [left, top]: Place, side: f64) {
        let reach = reach(scene);
        let plane = Chart {
            x: Axis::linear(-reach..reach, left..left + side),
            y: Axis::linear(-reach..reach, side + top..top),
        };
        // Two features, and the origin where they cross.
        let origin = plane.at(0.0, 0.0);
        let grid = Stroke::new(Role::Grid, 1.0);
        canvas.line(plane.at(-reach, 0.0), plane.at(reach, 0.0), grid);
        canvas.line(plane.at(0.0, -reach), plane.at(0.0, reach), grid);
        let mut labels = Labels::within([0.0, 0.0], [left + side, side + 12.0]);
        let muted = |text: Text| text.role(Role::Muted);
        labels.write(canvas, "feature 1", [left + side, origin[1] + 12.0], muted(Text::END));
        labels.write(canvas, "feature 2", [origin[0] + 6.0, 12.0], muted(Text::START));

        // What the values span.
        let spots: Vec<Place> = scene.tokens.iter().map(|it| plane.at(it.vector[0], it.vector[1])).collect();
        let mut outline = hull(&spots);
        outline.push(outline[0]);
        canvas.path(&outline, Stroke::new(Role::Value, 1.4).dashed());

        let from = plane.at(self.query[0], self.query[1]);
        let star = plane.at(self.output[0], self.output[1]);
        canvas.group(&[], |canvas| self.threads(canvas, from, &spots));
        for (token, &spot) in scene.tokens.iter().zip(&spots) {
            key_and_value(canvas, spot, token.vector);
        }
        let frame = format!("{left} {top} {side} {side} {} {reach} {reach} {}", -reach, -reach);
        canvas.group(&[("data-drag", "query"), ("data-frame", &frame)], |canvas| {
            canvas.disc(from, 22.0, Role::Query, HIT);
            canvas.disc(from, 7.0, Role::Query, 1.0);
        });
        canvas.star(star, 11.0, Stroke::new(Role::Output, 2.4));

        for sides in outline.windows(2) {
            labels.block_line(sides[0], sides[1], 2.0);
        }
        canvas.group(&[], |canvas| self.names(canvas, scene, labels, &spots, from, star));
    }

    /// Threads from the query to the keys, the thinnest first.
    fn threads(&self, canvas: &mut Canvas, from: Place, spots: &[Place]) {
        for &j in self.ranking.iter().rev() {
            // Every token gets a little: the thinnest thread can still be seen.
            let width = (self.weights[j] * THICKEST).max(THINNEST);
            let thread = Stroke::new(Role::Weight, width);
            if is_under(from, spots[j]) {
                // The key lies under the query: the thread becomes a ring around both.
                canvas.ring(spots[j], 11.0 + width / 2.0, thread);
            } else {
                canvas.line(from, spots[j], thread);
            }
        }
    }

    /// The names of query, output and keys, on no mark and no thread.
    fn names(
        &self,
        canvas: &mut Canvas,
        scene: &Scene,
        mut labels: Labels,
        spots: &[Place],
        from: Place,
        star: Place,
    ) {
        for &spot in spots {
            labels.block(spot, 7.0);
        }
        for &j in self.ranking.iter().filter(|&&j| self.weights[j] * THICKEST >= 0.5) {
            labels.block_line(from, spots[j], self.weights[j] * THICKEST / 2.0 + 1.0);
        }
        labels.block(from, 14.0);
        labels.block(star, 11.0);
        labels.place(canvas, "query", from, 18.0, Text::CENTRE.role(Role::Query).bold());
        labels.place(canvas, "output", star, 14.0, Text::CENTRE.role(Role::Output).bold());
        let names = fit(&scene.labels(), 0.3 * canvas.width().min(400.0));
        for &j in &self.ranking {
            let how = if j == self.ranking[0] { Text::CENTRE.bold() } else { Text::CENTRE };
            let gap = if is_under(from, spots[j]) { 20.0 } else { 13.0 };
            labels.place(canvas, &names[j], spots[j], gap, how);
        }
    }

    /// The weights as bars, in the order of the sentence.
    fn list(&self, canvas: &mut Canvas, scene: &Scene, [left, top]: Place) {
        let Threads { weights, scores, ranking, .. } = self;
        let right = canvas.width() - 4.0;
        let (score_end, bar_start, bar_end) = (left + 112.0, left + 124.0, right - 38.0);
        canvas.text("key", [left, top], Text::START.role(Role::Muted));
        canvas.text("score", [score_end, top], Text::END.role(Role::Muted));
        canvas.text("weight", [bar_start, top], Text::START.role(Role::Muted));
        let mut shown: Vec<usize> = ranking.iter().copied().take(MOST_ROWS).collect();
        shown.sort_unstable();
        let longest = shown.iter().map(|&j| Text::END.room(&fixed(scores[j], 2))).fold(0.0, f64::max);
        let labels = fit(&scene.labels(), score_end - left - longest - 4.0);
        let mut y = top + 24.0;
        canvas.group(&[], |canvas| {
            for j in shown {
                let how = if j == ranking[0] { Text::START.bold() } else { Text::START };
                canvas.text(&labels[j], [left, y], how);
                canvas.text(&fixed(scores[j], 2), [score_end, y], Text { across: Text::END.across, ..how });
                canvas.bar(
                    [bar_start, y - 7.0],
                    [bar_start + (bar_end - bar_start) * weights[j], y + 7.0],
                    Role::Weight,
                    1.0,
                );
                canvas.text(
                    &weight_in_brief(weights[j]),
                    [right, y],
                    Text { across: Text::END.across, ..how },
                );
                y += 24.0;
            }
        });
        if ranking.len() > MOST_ROWS {
            let rest: f64 = ranking[MOST_ROWS..].iter().map(|&j| weights[j]).sum();
            let name = format!("{} others", ranking.len() - MOST_ROWS);
            canvas.text(&name, [left, y], Text::START.role(Role::Muted));
            canvas.text(&fixed(rest, 2), [right, y], Text::END.role(Role::Muted));
        }
    }
}

fn length([x, y]: Place) -> f64 {
    libm::hypot(x, y)
}

/// Whether a key lies so near to the query that it is under its dot.
fn is_under(query: Place, key: Place) -> bool {
    length([query[0] - key[0], query[1] - key[1]]) < 10.0
}

/// A token's key and value: one dot, two parts, to choose the query by.
fn key_and_value(canvas: &mut Canvas, spot: Place, vector: [f64; 2]) {
    let choose = format!("query={}", Value::Point(vector));
    canvas.group(&[("data-set", &choose)], |canvas| {
        canvas.disc(spot, 14.0, Role::Key, HIT);
        canvas.disc(spot, 6.0, Role::Key, 1.0);
        canvas.ring(spot, 6.0, Stroke::new(Role::Value, 2.5));
    });
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
