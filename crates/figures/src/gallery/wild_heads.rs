//! `wild-heads`: four heads of a trained model over one sentence.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (wild, scene) = (figure("wild-heads")?, Scene::default());
//! let drawn = |head| wild.draw(&scene, &params([("head", head), ("token", "6")]), Size::Wide);
//!
//! // “it” gives most to “cat” in both of the last two heads …
//! let (pronoun, everybody) = (drawn("l3h1")?, drawn("l5h11")?);
//! assert_eq!((pronoun.fact("top")?.to_string(), everybody.fact("top")?.to_string()), ("cat".into(), "cat".into()));
//!
//! // … but only in the first of them is that about “it”: in the other every row gives much to “cat”.
//! let least = |drawing: &figures::Drawing| {
//!     let column = drawing.table.rows.iter().map(|row| drawing.table.cell(&row.name, "cat").unwrap().value().unwrap());
//!     column.fold(1.0, f64::min)
//! };
//! assert!(least(&pronoun) < 0.05 && least(&everybody) > 0.2);
//! # Ok::<(), figures::Error>(())
//! ```

use ndarray::Array2;

use crate::canvas::{Canvas, Size};
use crate::control::{Control, Settings};
use crate::drawing::Findings;
use crate::figure::{Description, Figure, Steps, draw};
use crate::minilm::{LAYER_0_HEAD_2, LAYER_1_HEAD_8, LAYER_3_HEAD_1, LAYER_5_HEAD_11, Millionths, TOKENS};
use crate::numbers::fixed;
use crate::parts::heatmap;
use crate::parts::weights::{largest, mean, weights_table};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "wild-heads",
    title: "Four heads of a trained model",
    caption: "Weights that nobody built: four heads of all-MiniLM-L6-v2, a trained model, over the sentence “The cat sat \
              because it was tired”. Each row is a query, the token that asks; each column is a key, the token that is \
              looked at; the brighter a tile, the more of its attention the row's token gives to the column's. Each row \
              sums to 1; the sums of the columns stand below. The row that is read out is framed, and in it the key that \
              gets most. The model has no causal mask: its tokens look ahead too. It adds two of its own, `[CLS]` and \
              `[SEP]`, and many rows give much of their weight to `[CLS]`. Compare the column of `cat` in the last two \
              heads.",
    controls,
    draw: draw::<WildHeads>,
};

/// A head of the model: its place, what it is known for, and its weights.
struct WildHead {
    value: &'static str,
    layer: usize,
    head: usize,
    known_for: &'static str,
    weights: &'static Millionths,
}

/// The heads that are shown, in the order of their layers.
static HEADS: [WildHead; 4] = [
    WildHead { value: "l0h2", layer: 0, head: 2, known_for: "the token before", weights: &LAYER_0_HEAD_2 },
    WildHead { value: "l1h8", layer: 1, head: 8, known_for: "the next word", weights: &LAYER_1_HEAD_8 },
    WildHead { value: "l3h1", layer: 3, head: 1, known_for: "from it to cat", weights: &LAYER_3_HEAD_1 },
    WildHead { value: "l5h11", layer: 5, head: 11, known_for: "everybody to cat", weights: &LAYER_5_HEAD_11 },
];

impl WildHead {
    fn name(&self) -> String {
        format!("layer {}, head {}", self.layer, self.head)
    }

    /// Its weights, queries in rows. `[9, 9]`
    fn weights(&self) -> Array2<f64> {
        Array2::from_shape_fn((TOKENS.len(), TOKENS.len()), |(i, j)| f64::from(self.weights[i][j]) / 1e6)
    }
}

/// The place of a word among the model's tokens.
fn place(word: &str) -> usize {
    TOKENS
        .iter()
        .position(|token| *token == word)
        .expect("the model has a token for each word of the sentence")
}

fn controls(_: &Scene) -> Vec<Control> {
    let heads = HEADS.iter().map(|it| (it.value, format!("{}: {}", it.name(), it.known_for)));
    let tokens = TOKENS.iter().enumerate().map(|(place, token)| ((place + 1).to_string(), *token));
    vec![
        Control::choice("head", "Head", heads, 2),
        Control::choice("token", "Query (row)", tokens, place("it")),
    ]
}

/// The numbers of the figure: the heads' weights, and where the reader looks.
struct WildHeads {
    /// Which of the heads is shown.
    shown: usize,
    token: usize,
    /// Of each head. `[9, 9]`
    weights: [Array2<f64>; 4],
}

impl Steps for WildHeads {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        Ok(WildHeads {
            shown: settings.chosen("head"),
            token: settings.chosen("token"),
            weights: HEADS.each_ref().map(WildHead::weights),
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let (weights, patterns) = (self.shown_weights(), Patterns::of(&self.weights));
        let (token, top) = (self.token, self.top());
        let name = HEADS[self.shown].name();
        let findings = Findings::new()
            .words("head", &name)
            .token("token", TOKENS[token])
            .token("top", TOKENS[top])
            .number("top-weight", weights[[token, top]], 2)
            .count("tokens", TOKENS.len());
        let most = format!(
            "L{}: “{}” gives most, {}, to “{}”.",
            &name[1..],
            TOKENS[token],
            fixed(weights[[token, top]], 2),
            TOKENS[top]
        );
        Description {
            table: weights_table(&TOKENS, weights, &|_, _| false),
            findings: patterns.findings(findings),
            sentences: vec![most, patterns.sentence(self.shown)],
        }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let choose = |i: usize, _: usize| format!("token={}", i + 1);
        let read_out = (self.token, self.top());
        heatmap::picture(size, &TOKENS, self.shown_weights(), &|_, _| false, read_out, &choose)
    }
}

impl WildHeads {
    fn shown_weights(&self) -> &Array2<f64> {
        &self.weights[self.shown]
    }

    /// The key that gets most from the chosen token.
    fn top(&self) -> usize {
        top(self.shown_weights(), self.token)
    }
}

/// The key that gets most of a row.
fn top(weights: &Array2<f64>, row: usize) -> usize {
    largest(weights.row(row).iter().copied())
}

/// What each head is known for, measured.
struct Patterns<'a> {
    /// What the first head gives to the token before, of those that have one.
    before: Vec<f64>,
    /// What the second gives to the word after, of the words that have one; the model's own tokens are none.
    after: Vec<f64>,
    pronoun: &'a Array2<f64>,   // [9, 9]
    everybody: &'a Array2<f64>, // [9, 9]
}

impl<'a> Patterns<'a> {
    fn of([previous, next, pronoun, everybody]: &'a [Array2<f64>; 4]) -> Self {
        let last = TOKENS.len() - 1;
        Patterns {
            before: (1..=last).map(|i| previous[[i, i - 1]]).collect(),
            after: (1..last - 1).map(|i| next[[i, i + 1]]).collect(),
            pronoun,
            everybody,
        }
    }

    fn findings(&self, findings: Findings) -> Findings {
        let Patterns { before, after, pronoun, everybody } = self;
        let [the, cat, it] = ["the", "cat", "it"].map(place);
        let (to_cat, all_to_cat) = (cats(pronoun), cats(everybody));
        findings
            .number("previous-mean", mean(before), 3)
            .number("previous-least", least(before), 4)
            .number("next-mean", mean(after), 2)
            .number("next-least", least(after), 2)
            .count("next-words", after.len())
            .number("it-cat", pronoun[[it, cat]], 2)
            .number("the-cat", pronoun[[the, cat]], 2)
            .number("pronoun-mean", mean(&to_cat), 2)
            .count("pronoun-rows", mostly_cat(pronoun).len())
            .number("everybody-it-cat", everybody[[it, cat]], 2)
            .number("everybody-mean", mean(&all_to_cat), 2)
            .number("everybody-least", least(&all_to_cat), 2)
            .token("everybody-least-token", TOKENS[largest(all_to_cat.iter().map(|weight| -weight))])
            .count("everybody-rows", mostly_cat(everybody).len())
    }

    /// What is to be seen in a head.
    fn sentence(&self, head: usize) -> String {
        let Patterns { before, after, pronoun, everybody } = self;
        let (to_cat, all_to_cat) = (cats(pronoun), cats(everybody));
        match head {
            0 => format!(
                "Each token after the first gives at least {} to the token before it.",
                fixed(least(before), 4)
            ),
            1 => format!(
                "The {} words that have a word after them give it {} on average, and at least {}.",
                after.len(),
                fixed(mean(after), 2),
                fixed(least(after), 2)
            ),
            2 => format!(
                "Only “{}” give most to “cat”; on average over all rows it gets {}.",
                mostly_cat(pronoun).join("” and “"),
                fixed(mean(&to_cat), 2)
            ),
            _ => format!(
                "Every row gives “cat” at least {}, and {} on average: that “it” gives it {} says nothing about \
                 pronouns.",
                fixed(least(&all_to_cat), 2),
                fixed(mean(&all_to_cat), 2),
                fixed(everybody[[place("it"), place("cat")]], 2)
            ),
        }
    }
}

/// What each row gives to “cat”.
fn cats(weights: &Array2<f64>) -> Vec<f64> {
    weights.column(place("cat")).to_vec()
}

/// The tokens that give most to “cat”.
fn mostly_cat(weights: &Array2<f64>) -> Vec<&'static str> {
    (0..TOKENS.len()).filter(|&i| top(weights, i) == place("cat")).map(|i| TOKENS[i]).collect()
}

fn least(weights: &[f64]) -> f64 {
    weights.iter().copied().fold(1.0, f64::min)
}
