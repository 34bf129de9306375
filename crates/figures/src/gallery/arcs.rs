//! `arcs`: three heads built by hand over the sentence. An arc is as thick as the weight.
//!
//! ```
//! use figures::{Scene, Size, figure, params};
//!
//! let (arcs, scene) = (figure("arcs")?, Scene::default());
//! let drawn = |pairs| arcs.draw(&scene, &params(pairs), Size::Wide);
//!
//! // Each head looks where it was built to: “it” at its noun, each token at the one before it.
//! assert_eq!(drawn([("head", "pronoun"), ("token", "5")])?.fact("top")?.to_string(), "cat");
//! assert_eq!(drawn([("head", "previous"), ("token", "5")])?.fact("top")?.to_string(), "because");
//!
//! // An arc for each weight that can be seen; with the mask, none that looks ahead.
//! let masked = drawn([("head", "neighbourhood"), ("mask", "on")])?;
//! let open = drawn([("head", "neighbourhood"), ("mask", "off")])?;
//! assert!(open.svg.matches("<polyline").count() > masked.svg.matches("<polyline").count());
//! assert_eq!(masked.table.cell("The", "cat")?.to_string(), "masked");
//! # Ok::<(), figures::Error>(())
//! ```

use attention::circuits::{
    WordKind, neighbourhood_head, previous_token_head, pronoun_head, sentence_features,
};
use attention::{Head, Mask, attention};
use ndarray::Array2;

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::{Labels, in_a_row};
use crate::numbers::{fixed, weight_in_brief};
use crate::parts::weights::{largest, mean, weights_table};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "arcs",
    title: "Three heads, three patterns",
    caption: "Each arc starts at the token that asks and ends, with its arrowhead, at the one it looks at. It is as thick \
              as the weight; a token that looks at itself has a ring. Above the words run the arcs that look back, below \
              them those that look ahead. The strong arcs are those of the chosen token, and its weights stand under \
              the words; the faint ones are those of the others. Very small weights have no arc. Every weight comes from \
              W_Q and W_K built by hand.",
    controls,
    draw: draw::<Arcs>,
};

/// A head built by hand.
struct BuiltHead {
    value: &'static str,
    name: &'static str,
    build: fn() -> Head,
}

/// The heads, in the order of the chapter.
const HEADS: [BuiltHead; 3] = [
    BuiltHead { value: "previous", name: "previous token", build: previous_token_head },
    BuiltHead { value: "neighbourhood", name: "neighbourhood", build: neighbourhood_head },
    BuiltHead { value: "pronoun", name: "pronoun", build: pronoun_head },
];

/// How far a neighbourhood reaches, for what is said of the second head.
const NEAR: usize = 2;

fn controls(scene: &Scene) -> Vec<Control> {
    let all = ("all".to_owned(), "all tokens");
    let each = scene.labels().into_iter().enumerate().map(|(place, label)| ((place + 1).to_string(), label));
    vec![
        Control::choice("head", "Head", HEADS.iter().map(|it| (it.value, it.name)), HEADS.len() - 1),
        Control::choice("token", "Query", std::iter::once(all).chain(each), scene.query_place() + 1),
        Control::toggle("mask", "Causal mask", true),
    ]
}

/// The numbers of the figure: the heads' weights, and where the reader looks.
struct Arcs {
    /// Which of the heads is shown.
    shown: usize,
    /// The token whose arcs are strong; none if all of them are.
    token: Option<usize>,
    mask: Mask,
    /// Of each head. `[T, T]`
    weights: [Array2<f64>; 3],
    /// Each pronoun with the noun that it stands for, for its head: the last one before it.
    pronouns: Vec<(usize, usize)>,
    /// Which key the query token gives most to when the vectors in the plane decide, as in 7.1.
    top_by_vectors: usize,
}

impl Steps for Arcs {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        let mask = if settings.is_on("mask") { Mask::Causal } else { Mask::None };
        // Of a word the heads know its kind and its position.
        let kinds: Vec<WordKind> = scene.tokens.iter().map(|token| token.kind).collect();
        let features = sentence_features(&kinds); // [T, 6]
        let attend = |head: &BuiltHead| -> Result<Array2<f64>> {
            Ok((head.build)().projections.attend(&features, &mask)?.weights) // [T, T]
        };
        let [previous, neighbourhood, pronoun] = &HEADS;
        let noun_before = |i: usize| (0..i).rev().find(|&j| kinds[j] == WordKind::Noun);
        let pronouns = (0..kinds.len()).filter(|&i| kinds[i] == WordKind::Pronoun);
        let vectors = scene.vectors(); // [T, 2]
        let by_vectors = attention(&vectors, &vectors, &vectors)?.weights; // [T, T]
        Ok(Arcs {
            shown: settings.chosen("head"),
            // The first option is all of them.
            token: settings.chosen("token").checked_sub(1),
            weights: [attend(previous)?, attend(neighbourhood)?, attend(pronoun)?],
            pronouns: pronouns.filter_map(|i| noun_before(i).map(|noun| (i, noun))).collect(),
            top_by_vectors: largest(by_vectors.row(scene.query_place()).iter().copied()),
            mask,
        })
    }

    fn describe(&self, scene: &Scene) -> Description {
        let table = weights_table(&scene.labels(), self.shown_weights(), &|i, j| self.hides(i, j));
        let asks = self.asks(scene);
        let mask = match self.mask {
            Mask::None => "The causal mask is off.",
            _ => "The causal mask is on: nobody looks ahead.",
        };
        // Of the pronoun it has been said already.
        let said = self.shown == PRONOUN && self.pronoun(scene).is_some_and(|(i, _)| i == asks);
        let whom = (!said).then(|| self.whom(scene, asks));
        let sentences = [Some(self.pattern(scene)), whom, Some(mask.to_owned())];
        Description {
            table,
            findings: self.findings(scene),
            sentences: sentences.into_iter().flatten().collect(),
        }
    }

    fn picture(&self, scene: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, 306.0);
        canvas.text("above the words: looking back", [2.0, 12.0], Text::START.role(Role::Muted));
        let below = match self.mask {
            Mask::None => "below them: looking ahead",
            _ => "below them: looking ahead, masked",
        };
        canvas.text(below, [2.0, canvas.height - 10.0], Text::START.role(Role::Muted));
        let row = Row::of(scene.tokens.len(), size);
        self.arcs(&mut canvas, &row);
        self.names(&mut canvas, scene, &row);
        let half = (row.step / 2.0).min(30.0);
        for place in 0..row.tokens {
            let (choose, x) = (format!("token={}", place + 1), row.x(place));
            canvas.group(&[("data-set", &choose)], |canvas| {
                canvas.bar([x - half, UPPER], [x + half, LOWER], Role::Line, HIT);
            });
        }
        canvas
    }
}

/// The place of the third head.
const PRONOUN: usize = 2;

impl Arcs {
    fn shown_weights(&self) -> &Array2<f64> {
        &self.weights[self.shown]
    }

    fn hides(&self, i: usize, j: usize) -> bool {
        !self.mask.allows(i, j)
    }

    /// The token that is spoken of.
    fn asks(&self, scene: &Scene) -> usize {
        self.token.unwrap_or(scene.query_place())
    }

    /// The key that gets most from a token.
    fn top(&self, asks: usize) -> usize {
        largest(self.shown_weights().row(asks).iter().copied())
    }

    /// The pronoun that is spoken of, and its noun: the query token, if it is one, or else the first that has a noun
    /// before it.
    fn pronoun(&self, scene: &Scene) -> Option<(usize, usize)> {
        let query = self.pronouns.iter().find(|(i, _)| *i == scene.query_place());
        query.or(self.pronouns.first()).copied()
    }

    /// How much of its attention goes, on average, where each head is to look: to the token before, to those that are
    /// near, and to a pronoun's noun.
    fn aims(&self) -> [f64; 3] {
        let [previous, neighbourhood, pronoun] = &self.weights;
        let tokens = previous.nrows();
        let before: Vec<f64> = (1..tokens).map(|i| previous[[i, i - 1]]).collect();
        let near_to = |i: usize| (0..tokens).filter(move |j| i.abs_diff(*j) <= NEAR);
        let near: Vec<f64> =
            (0..tokens).map(|i| near_to(i).map(|j| neighbourhood[[i, j]]).sum::<f64>()).collect();
        let to_noun: Vec<f64> = self.pronouns.iter().map(|&pair| pronoun[pair]).collect();
        [before, near, to_noun].map(|weights| mean(&weights))
    }

    fn findings(&self, scene: &Scene) -> Findings {
        let asks = self.asks(scene);
        let top = self.top(asks);
        let [before, near, to_noun] = self.aims();
        let pair = self.pronoun(scene);
        let or_none = |cell: Option<Cell>| cell.unwrap_or(Cell::words("none"));
        let aims =
            [Cell::number(before, 3), Cell::number(near, 2), or_none(pair.map(|_| Cell::number(to_noun, 2)))];
        // A whole clause, for a sentence need not have a pronoun.
        let finds = match pair {
            None => "no pronoun of this sentence has a noun before it".to_owned(),
            Some((i, noun)) => {
                let weight = fixed(self.weights[PRONOUN][[i, noun]], 2);
                let (asks, finds) = (scene.label(i), scene.label(noun));
                let found = match self.top_by_vectors {
                    top if top == i => "itself".to_owned(),
                    top => format!("“{}”", scene.label(top)),
                };
                let differs = match i == scene.query_place() && noun != self.top_by_vectors {
                    true => format!(
                        " (in 7.1 it found {found}: there the vectors decided, which this head does not see)"
                    ),
                    false => String::new(),
                };
                format!("in that of “{asks}” it gives {weight} to “{finds}”{differs}")
            }
        };
        Findings::new()
            .words("head", HEADS[self.shown].name)
            .token("token", scene.label(asks))
            .token("top", scene.label(top))
            .number("top-weight", self.shown_weights()[[asks, top]], 2)
            .cell("aim-mean", aims[self.shown].clone())
            .number("previous-mean", before, 3)
            .count("near", NEAR)
            .number("neighbourhood-near", near, 2)
            .cell("pronoun", or_none(pair.map(|(i, _)| Cell::token(scene.label(i)))))
            .cell("pronoun-noun", or_none(pair.map(|(_, noun)| Cell::token(scene.label(noun)))))
            .cell("pronoun-noun-weight", or_none(pair.map(|at| Cell::number(self.weights[PRONOUN][at], 2))))
            .words("pronoun-finds", finds)
            .count("tokens", scene.tokens.len())
    }

    /// What is to be seen in the head.
    fn pattern(&self, scene: &Scene) -> String {
        let [before, near, _] = self.aims();
        match (self.shown, self.pronoun(scene)) {
            (0, _) => format!(
                "The previous token head: each token gives the one before it {} of its attention on average.",
                fixed(before, 3)
            ),
            (1, _) => format!(
                "The neighbourhood head: each token gives itself and those up to {NEAR} places away {} of its attention \
                 on average.",
                fixed(near, 2)
            ),
            (_, Some((i, noun))) => format!(
                "The pronoun head: “{}” gives {} to “{}”, the last noun before it; a word that is no pronoun looks at \
                 all alike.",
                scene.label(i),
                fixed(self.weights[PRONOUN][[i, noun]], 2),
                scene.label(noun)
            ),
            (_, None) => "The pronoun head: no pronoun of this sentence has a noun before it; a word that is no pronoun \
                          looks at all alike."
                .to_owned(),
        }
    }

    /// Whom a token looks at, in words.
    fn whom(&self, scene: &Scene, asks: usize) -> String {
        let weights = self.shown_weights().row(asks);
        let top = self.top(asks);
        let seen: Vec<f64> =
            (0..weights.len()).filter(|&j| !self.hides(asks, j)).map(|j| weights[j]).collect();
        let (who, most) = (scene.label(asks), fixed(weights[top], 2));
        if seen.len() == 1 {
            return format!("“{who}” has only itself to look at.");
        }
        if seen.iter().all(|weight| (weight - weights[top]).abs() < 1e-9) {
            return format!("“{who}” gives {most} to each of the {} tokens it may look at.", seen.len());
        }
        let itself = if top == asks { ", itself" } else { "" };
        format!("“{who}” gives most, {most}, to “{}”{itself}.", scene.label(top))
    }
}

/// The thickness of an arc that has all of the weight.
const THICKEST: f64 = 10.0;

/// An arc of less weight than this is not drawn.
const SEEN: f64 = 0.01;

/// In a sentence of more tokens than this, the arcs of those that are not chosen are drawn only if they are heavy; there
/// would be thousands.
const MANY: usize = 16;

/// What is heavy then.
const HEAVY: f64 = 0.1;

/// Arcs stand on the upper line and hang from the lower one; the words are between, and the weights below them.
const UPPER: f64 = 158.0;
const WORDS: f64 = 178.0;
const NUMBERS: f64 = 197.0;
const LOWER: f64 = 216.0;

/// The places of the tokens, side by side.
struct Row {
    tokens: usize,
    start: f64,
    step: f64,
}

impl Row {
    fn of(tokens: usize, size: Size) -> Self {
        let (start, end) = (size.pick(52.0, 26.0), size.width() - size.pick(52.0, 26.0));
        Row { tokens, start, step: (end - start) / (tokens - 1) as f64 }
    }

    fn x(&self, place: usize) -> f64 {
        self.start + self.step * place as f64
    }

    /// The arc from the token that asks to the one that it looks at, or a ring if that is itself.
    fn arc(&self, canvas: &mut Canvas, i: usize, j: usize, weight: f64, role: Role) {
        // In a long sentence, thinner, so that neighbours can be told apart.
        let width = (weight * THICKEST.min(self.step)).max(0.5);
        let stroke = Stroke::new(role, width);
        let (line, up) = if j > i { (LOWER, 1.0) } else { (UPPER, -1.0) };
        if i == j {
            canvas.ring([self.x(i), line + up * 11.0], 8.0_f64.min(self.step), stroke);
            return;
        }
        // Leaves on the side that it goes to, and arrives on the other, so that coming and going are told apart.
        let aside = (self.step / 6.0).min(4.0);
        let towards = if j > i { aside } else { -aside };
        let (from, to) = (self.x(i) + towards, self.x(j) - towards);
        let share = (i.abs_diff(j) as f64) / (self.tokens - 1) as f64;
        let height = (24.0 + 90.0 * share).min(if j > i { 62.0 } else { 120.0 });
        let parts = if share > 0.5 { 48 } else { 24 };
        let half: Vec<Place> = (0..=parts)
            .map(|part| {
                let angle = std::f64::consts::PI * f64::from(part) / f64::from(parts);
                let across = (from + to) / 2.0 + (from - to) / 2.0 * libm::cos(angle);
                [across, line + up * (6.0 + height * libm::sin(angle))]
            })
            .collect();
        canvas.path(&half, stroke);
        let tip = [to, line + up * 2.0];
        canvas.arrow_head([to, line + up * 9.0], tip, Stroke::new(role, 1.5 + width / 3.0));
    }
}

impl Arcs {
    /// The arcs: those of the others first, so that the chosen token's lie on top of them.
    fn arcs(&self, canvas: &mut Canvas, row: &Row) {
        let weights = self.shown_weights();
        let drawn = |i: usize, j: usize, least: f64| !self.hides(i, j) && weights[[i, j]] >= least;
        let least = if row.tokens > MANY { HEAVY } else { SEEN };
        let pairs = (0..row.tokens).flat_map(|i| (0..row.tokens).map(move |j| (i, j)));
        let role = if self.token.is_none() { Role::Weight } else { Role::Grid };
        canvas.group(&[], |canvas| {
            for (i, j) in pairs.filter(|&(i, j)| Some(i) != self.token && drawn(i, j, least)) {
                row.arc(canvas, i, j, weights[[i, j]], role);
            }
        });
        canvas.group(&[], |canvas| {
            let Some(asks) = self.token else { return };
            for j in (0..row.tokens).filter(|&j| drawn(asks, j, SEEN)) {
                row.arc(canvas, asks, j, weights[[asks, j]], Role::Weight);
            }
        });
    }

    /// The words, and under them the chosen token's weights: those that matter most first.
    fn names(&self, canvas: &mut Canvas, scene: &Scene, row: &Row) {
        let width = canvas.width();
        let given = |j: usize| self.token.map_or(0.0, |i| self.shown_weights()[[i, j]]);
        // Rounded, so that of two that are alike but for the last bits the earlier comes first on every machine.
        let rank = |place: usize| (given(place) * 1e9).round();
        let mut ranking: Vec<usize> = (0..row.tokens).collect();
        ranking.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));

        let shown = in_a_row(&scene.texts(), &|place| row.x(place), width, 1);
        let mut names = Labels::within([0.0, WORDS - 9.0], [width, WORDS + 9.0]);
        let others = ranking.iter().copied().filter(|&place| Some(place) != self.token);
        canvas.group(&[], |canvas| {
            for place in self.token.into_iter().chain(others) {
                let asks = Some(place) == self.token;
                let how = if asks { Text::CENTRE.role(Role::Query).bold() } else { Text::CENTRE };
                let (text, x) = &shown[place];
                names.centre(canvas, text, [*x, WORDS], how);
            }
        });
        let mut shares = Labels::within([0.0, NUMBERS - 9.0], [width, NUMBERS + 9.0]);
        let how = Text::CENTRE.role(Role::Muted);
        canvas.group(&[], |canvas| {
            let Some(asks) = self.token else { return };
            for &place in ranking.iter().filter(|&&place| !self.hides(asks, place)) {
                shares.centre(canvas, &weight_in_brief(given(place)), [row.x(place), NUMBERS], how);
            }
            // Once for all that are masked, in their middle.
            let masked: Vec<f64> =
                (0..row.tokens).filter(|&place| self.hides(asks, place)).map(|place| row.x(place)).collect();
            if let (Some(first), Some(last)) = (masked.first(), masked.last()) {
                shares.centre(canvas, "masked", [(first + last) / 2.0, NUMBERS], how);
            }
        });
    }
}
