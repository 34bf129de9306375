//! `roles`: who asks and who is found, in a plane that was learned.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (roles, scene) = (figure("roles")?, Scene::default());
//! let learned = roles.draw(&scene, &Params::new(), Size::Wide)?;
//! // The pronoun asks, and finds its noun, though its own key stands elsewhere than its query.
//! assert_eq!(learned.fact("asks")?.to_string(), "it");
//! assert_eq!(learned.fact("top")?.to_string(), "cat");
//! assert!(learned.fact("apart")?.value() > Some(1.0));
//!
//! // With another pronoun the same nouns are there, and the other one is found.
//! let other = roles.draw(&scene, &params([("sentence", "cat-queen-she")]), Size::Wide)?;
//! assert_eq!(other.fact("top")?.to_string(), "queen");
//!
//! // Where vectors were placed by hand, query and key are one.
//! let placed = roles.draw(&scene, &params([("vectors", "placed")]), Size::Wide)?;
//! assert_eq!(placed.fact("apart")?.value(), Some(0.0));
//! # Ok::<(), figures::Error>(())
//! ```

use attention::study::{NOUNS, PRONOUNS, Sentence, WORDS, token};
use attention::trained::Recipe;
use attention::{Mask, Scale, Transformer, attention_with, scores, softmax};
use ndarray::{Array1, Array2, s};

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::labels::{Labels, fit};
use crate::numbers::{fixed, weight_in_brief};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "roles",
    title: "Queries and keys in a plane that was learned",
    caption: "A network has learned these places from sentences alone. Each word's key is a dot; a square is the query of the \
              word that asks, and its own key stands somewhere else. Threads run to the keys it may see, as thick as its weights. \
              Small rings are the keys of nouns that are not in the sentence: each class lies to its own side, and \
              lines show where the three pronouns' queries point.",
    controls,
    draw: draw::<Roles>,
};

/// The sentences that can be chosen: names and texts.
const SENTENCES: [(&str, &str); 6] = [
    ("cat", "The cat sat because it slept"),
    ("cat-queen-it", "The cat sat near the queen because it slept"),
    ("cat-queen-she", "The cat sat near the queen because she played"),
    ("king-cat-it", "The king sat near the cat because it slept"),
    ("king-cat-he", "The king sat near the cat because he slept"),
    ("girl-horse", "The girl ran near the horse today because it played"),
];

/// Who may ask: the word's place in the sentence, counted from its end, or its beginning.
const ASKING: [(&str, &str); 4] = [
    ("pronoun", "the pronoun"),
    ("because", "because"),
    ("action", "what was done"),
    ("noun", "the first noun"),
];

fn controls(_: &Scene) -> Vec<Control> {
    vec![
        Control::choice("sentence", "Sentence", SENTENCES, 0),
        Control::choice("asks", "Who asks", ASKING, 0),
        Control::choice("vectors", "Vectors", [("learned", "learned"), ("placed", "placed by hand")], 0),
    ]
}

/// The thickness of a thread that has all of the weight.
const THICKEST: f64 = 16.0;

/// The numbers of the figure: one word's query among the keys of a sentence.
struct Roles {
    learned: bool,
    words: Vec<String>,
    /// Which of them asks.
    asks: usize,
    query: Place,
    keys: Vec<Place>,     // [T]
    scores: Array1<f64>,  // [T], of those that it may see
    weights: Array1<f64>, // [T]
    /// The keys of all nouns, by class, where they were learned.
    nouns: Vec<(usize, &'static str, Place)>,
    /// The pronouns' queries.
    pronouns: Vec<Place>,
    /// For each class the smallest cosine between its pronoun's query and one of its nouns' keys, and the largest with
    /// another noun's.
    cosines: [[f64; 2]; 3],
    /// The word that the network guesses after the pronoun, and its probability, if the pronoun asks.
    guess: Option<(String, f64)>,
    held_out: bool,
    /// How many numbers the network has learned.
    parameters: usize,
}

impl Steps for Roles {
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self> {
        if settings.chosen("vectors") == 1 {
            return Self::placed(scene);
        }
        let sentence = Sentence::parse(SENTENCES[settings.chosen("sentence")].1)?;
        let tokens = sentence.before();
        let asks = match settings.chosen("asks") {
            0 => sentence.pronoun,
            1 => sentence.pronoun - 1,
            2 => sentence.nouns[0] + 1,
            _ => sentence.nouns[0],
        };
        let model = Transformer::roles();
        let block = &model.stack.blocks[0];
        let head = &block.attention.heads[0];
        // Without positions, a word has the same query and key wherever it stands.
        let normed = block.first_norm.apply(&model.embedding)?; // [words, d]
        let (queries, keys, _) = head.project(&normed)?; // [words, 2], [words, 2]
        let place = |of: &Array2<f64>, word: usize| [of[[word, 0]], of[[word, 1]]];
        let of_word = |word: &str| token(word).unwrap_or_default();
        let class = |c: usize| NOUNS[c].iter().map(move |noun| (c, *noun));
        let nouns = (0..3).flat_map(class).map(|(c, noun)| (c, noun, place(&keys, of_word(noun))));
        let nouns: Vec<_> = nouns.collect();
        let pronouns: Vec<Place> = PRONOUNS.iter().map(|it| place(&queries, of_word(it))).collect();
        let run = model.run(tokens)?;
        let seen = scores(
            &queries.select(ndarray::Axis(0), &[tokens[asks]]), // [1, 2]
            &keys.select(ndarray::Axis(0), &tokens[..=asks]),   // [asks + 1, 2]
            Scale::ByRootDk,
        )?;
        let row = run.logits.row(sentence.answer - 1); // [words]
        let chances = softmax(&row); // [words]
        let chance = |a: &usize, b: &usize| chances[*a].total_cmp(&chances[*b]);
        let guess = (0..WORDS.len()).max_by(chance).unwrap_or_default();
        Ok(Self {
            learned: true,
            words: tokens.iter().map(|&token| WORDS[token].to_owned()).collect(),
            asks,
            query: place(&queries, tokens[asks]),
            keys: tokens.iter().map(|&token| place(&keys, token)).collect(),
            scores: seen.row(0).to_owned(),
            weights: run.weights[0][0].slice(s![asks, ..=asks]).to_owned(),
            cosines: cosines(&pronouns, &nouns),
            nouns,
            pronouns,
            guess: (asks == sentence.pronoun).then(|| (WORDS[guess].to_owned(), chances[guess])),
            held_out: sentence.is_held_out(),
            parameters: model.parameters() - model.stack.blocks[0].second_norm.parameters() - normed.ncols(),
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns = ["key 1", "key 2", "score", "weight"];
        let mut table = Table::new("key", columns);
        for (name, j) in self.names().into_iter().zip(0..self.weights.len()) {
            let [x, y] = self.keys[j];
            let cells = [
                Cell::number(x, 2),
                Cell::number(y, 2),
                Cell::number(self.scores[j], 2),
                Cell::number(self.weights[j], 3),
            ];
            table = table.row(name, cells);
        }
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let side: f64 = size.pick(400.0, 330.0);
        let list_height = 58.0 + 24.0 * self.weights.len() as f64;
        let height = size.pick(side.max(list_height) + 16.0, side + 20.0 + list_height);
        let mut canvas = Canvas::new(size, height);
        let left = size.pick(4.0, 5.0);
        self.plane(&mut canvas, [left, 6.0], side);
        self.list(&mut canvas, size.pick([left + side + 26.0, 20.0], [left, side + 34.0]));
        canvas
    }
}

/// For each class the smallest cosine between its pronoun's query and the key of one of its nouns, and the largest with the
/// key of another noun.
fn cosines(pronouns: &[Place], nouns: &[(usize, &str, Place)]) -> [[f64; 2]; 3] {
    std::array::from_fn(|class| {
        let of = |own: bool| nouns.iter().filter(move |(c, ..)| (*c == class) == own);
        let cosine = |(.., key): &(usize, &str, Place)| cosine(pronouns[class], *key);
        [of(true).map(cosine).fold(1.0, f64::min), of(false).map(cosine).fold(-1.0, f64::max)]
    })
}

fn cosine(a: Place, b: Place) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) / (libm::hypot(a[0], a[1]) * libm::hypot(b[0], b[1]))
}

impl Roles {
    /// The vectors of the first figure: query, key and value in one, placed by hand.
    fn placed(scene: &Scene) -> Result<Self> {
        let vectors = scene.vectors(); // [T, 2]
        let asks = scene.query_place();
        let queries = vectors.slice(s![asks..=asks, ..]).to_owned(); // [1, 2]
        let found = attention_with(&queries, &vectors, &vectors, &Mask::None, Scale::ByRootDk)?;
        Ok(Self {
            learned: false,
            words: scene.labels().iter().map(|label| (*label).to_owned()).collect(),
            asks,
            query: scene.query().vector,
            keys: scene.tokens.iter().map(|token| token.vector).collect(),
            scores: scores(&queries, &vectors, Scale::ByRootDk)?.row(0).to_owned(),
            weights: found.weights.row(0).to_owned(),
            nouns: vec![],
            pronouns: vec![],
            cosines: [[1.0; 2]; 3],
            guess: None,
            held_out: false,
            parameters: 0,
        })
    }

    /// The words, the second of two equal ones with its number.
    fn names(&self) -> Vec<String> {
        let name = |(j, word): (usize, &String)| match self.words[..j].iter().filter(|it| *it == word).count()
        {
            0 => word.clone(),
            before => format!("{word} ({})", before + 1),
        };
        self.words.iter().enumerate().map(name).collect()
    }

    /// The keys that it may see, from the largest weight to the smallest.
    fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.weights.len()).collect();
        ranking.sort_by(|&a, &b| self.weights[b].total_cmp(&self.weights[a]));
        ranking
    }

    fn findings(&self) -> Findings {
        let ranking = self.ranking();
        let (top, own) = (ranking[0], self.keys[self.asks]);
        let findings = Findings::new()
            .token("asks", &self.words[self.asks])
            .number("query-1", self.query[0], 2)
            .number("query-2", self.query[1], 2)
            .number("own-key-1", own[0], 2)
            .number("own-key-2", own[1], 2)
            .number("apart", libm::hypot(self.query[0] - own[0], self.query[1] - own[1]), 2)
            .token("top", &self.words[top])
            .number("top-score", self.scores[top], 2)
            .number("top-weight", self.weights[top], 2)
            .share("top-share", self.weights[top])
            .number("own-weight", self.weights.get(self.asks).copied().unwrap_or(0.0), 2)
            .number("cosine-it", self.cosines[0][0], 2)
            .number("cosine-she", self.cosines[1][0], 2)
            .number("cosine-he", self.cosines[2][0], 2)
            .number("cosine-others", self.cosines.iter().fold(-1.0, |most: f64, it| most.max(it[1])), 2)
            .count("parameters", self.parameters)
            .count("steps", Recipe::READING.steps)
            .count("batch", Recipe::READING.batch)
            .number("rate", Recipe::READING.rate, 3)
            .count("warm-up", Recipe::READING.warm_up);
        match &self.guess {
            Some((word, share)) => findings.token("guess", word).number("guess-chance", *share, 3),
            None => findings,
        }
    }

    fn sentences(&self) -> Vec<String> {
        let point = |[x, y]: Place| format!("({}, {})", fixed(x, 2), fixed(y, 2));
        let asks = &self.words[self.asks];
        let ranking = self.ranking();
        let names = self.names();
        let most: Vec<_> = ranking.iter().take(3).collect();
        let share = |&&j: &&usize| format!("{} to “{}”", fixed(self.weights[j], 2), names[j]);
        let most = most.iter().map(share).collect::<Vec<_>>().join(", ");
        let own = self.keys[self.asks];
        let mut sentences = vec![format!("“{asks}” asks and gives most of its weight: {most}.")];
        if self.learned {
            sentences.push(format!("Its query is {}, its own key {}.", point(self.query), point(own)));
        } else {
            sentences.push(format!("Placed by hand, its query and its key are one: {}.", point(own)));
        }
        if let Some((word, share)) = &self.guess {
            sentences
                .push(format!("The guess after it is “{word}”, with a probability of {}.", fixed(*share, 3)));
        }
        if self.held_out {
            sentences.push("Training never had these two nouns in one sentence.".into());
        }
        sentences
    }

    /// How far the picture reaches from the origin.
    fn reach(&self) -> f64 {
        let others = self.nouns.iter().map(|(.., key)| key).chain(&self.pronouns);
        let all = self.keys.iter().chain(others).chain([&self.query]).flatten();
        let furthest = all.fold(0.0, |far: f64, c| far.max(c.abs()));
        [0.3, 1.5, 3.0, 4.0, 6.0, 15.0, 30.0, 60.0]
            .into_iter()
            .find(|&it| furthest * 1.1 <= it)
            .unwrap_or(150.0)
    }

    /// The plane, in a square of width `side`.
    fn plane(&self, canvas: &mut Canvas, [left, top]: Place, side: f64) {
        let reach = self.reach();
        let plane = Chart {
            x: Axis::linear(-reach..reach, left..left + side),
            y: Axis::linear(-reach..reach, side + top..top),
        };
        let at = |[x, y]: Place| plane.at(x, y);
        let grid = Stroke::new(Role::Grid, 1.0);
        canvas.line(plane.at(-reach, 0.0), plane.at(reach, 0.0), grid);
        canvas.line(plane.at(0.0, -reach), plane.at(0.0, reach), grid);
        let origin = at([0.0, 0.0]);
        let mut labels = Labels::within([0.0, 0.0], [left + side, side + 12.0]);
        let muted = |text: Text| text.role(Role::Muted);
        labels.write(canvas, "feature 1", [left + side, origin[1] + 12.0], muted(Text::END));
        labels.write(canvas, "feature 2", [origin[0] + 6.0, 12.0], muted(Text::START));

        for &pronoun in &self.pronouns {
            canvas.arrow(origin, at(pronoun), Stroke::new(Role::Query, 1.2).dashed());
        }
        let from = at(self.query);
        canvas.group(&[], |canvas| {
            for &j in self.ranking().iter().rev() {
                let width = (self.weights[j] * THICKEST).max(0.5);
                canvas.line(from, at(self.keys[j]), Stroke::new(Role::Weight, width));
            }
        });
        for (.., key) in &self.nouns {
            canvas.ring(at(*key), 3.5, Stroke::new(Role::Key, 1.2));
        }
        for (j, &key) in self.keys.iter().enumerate() {
            let visible = j < self.weights.len();
            canvas.disc(at(key), 5.5, Role::Key, if visible { 1.0 } else { 0.4 });
        }
        canvas.bar([from[0] - 6.0, from[1] - 6.0], [from[0] + 6.0, from[1] + 6.0], Role::Query, 1.0);
        self.labels(canvas, labels, &at);
    }

    /// The names of what stands in the plane, on no mark and no thick thread.
    fn labels(&self, canvas: &mut Canvas, mut labels: Labels, at: &dyn Fn(Place) -> Place) {
        let from = at(self.query);
        let spots: Vec<Place> = self.keys.iter().map(|&key| at(key)).collect();
        labels.block(from, 9.0);
        spots.iter().for_each(|&spot| labels.block(spot, 6.0));
        self.nouns.iter().for_each(|(.., key)| labels.block(at(*key), 4.0));
        for (j, &weight) in self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.05) {
            labels.block_line(from, spots[j], weight * THICKEST / 2.0 + 1.0);
        }
        let asks = &self.words[self.asks];
        let query = Text::CENTRE.role(Role::Query).bold();
        labels.place(canvas, &format!("{asks}: query"), from, 14.0, query);
        let names = self.names();
        let top = self.ranking()[0];
        // The nouns and whoever asks first, as long as there is room.
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_by_key(|&j| (j != top && j != self.asks, j >= self.weights.len()));
        for j in order {
            let name = match j == self.asks && self.learned {
                true => format!("{}: key", names[j]),
                false => names[j].clone(),
            };
            let how = if j == top { Text::CENTRE.bold() } else { Text::CENTRE };
            labels.place(canvas, &name, spots[j], 12.0, how);
        }
        for (pronoun, word) in self.pronouns.iter().zip(PRONOUNS) {
            if word != asks {
                let how = Text::CENTRE.role(Role::Query);
                labels.place(canvas, &format!("{word} asks"), at(*pronoun), 10.0, how);
            }
        }
        for (_, noun, key) in
            self.nouns.iter().filter(|(_, noun, _)| !self.words.iter().any(|word| word == noun))
        {
            labels.place(canvas, noun, at(*key), 9.0, Text::CENTRE.role(Role::Muted));
        }
    }

    /// The weights as bars, in the order of the sentence, and the guess below.
    fn list(&self, canvas: &mut Canvas, [left, top]: Place) {
        let right = canvas.width() - 4.0;
        let (score_end, bar_start, bar_end) = (left + 112.0, left + 124.0, right - 38.0);
        canvas.text("key", [left, top], Text::START.role(Role::Muted));
        canvas.text("score", [score_end, top], Text::END.role(Role::Muted));
        canvas.text("weight", [bar_start, top], Text::START.role(Role::Muted));
        let names = self.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let names = fit(&names, score_end - left - 40.0);
        let (most, mut y) = (self.ranking()[0], top + 24.0);
        canvas.group(&[], |canvas| {
            for (j, &weight) in self.weights.iter().enumerate() {
                let how = Text::START.bold_if(j == most);
                canvas.text(&names[j], [left, y], how);
                canvas.text(&fixed(self.scores[j], 2), [score_end, y], Text::END.bold_if(j == most));
                let bar = [bar_start + (bar_end - bar_start) * weight, y + 7.0];
                canvas.bar([bar_start, y - 7.0], bar, Role::Weight, 1.0);
                canvas.text(&weight_in_brief(weight), [right, y], Text::END.bold_if(j == most));
                y += 24.0;
            }
        });
        if let Some((word, share)) = &self.guess {
            canvas.text("next:", [left, y + 10.0], Text::START.role(Role::Muted));
            canvas.text(word, [left + 38.0, y + 10.0], Text::START.role(Role::Output).bold());
            canvas.text(&fixed(*share, 3), [right, y + 10.0], Text::END.role(Role::Output).bold());
        }
    }
}
