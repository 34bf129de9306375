//! `wild-heads`: four heads of a trained model over the book's own sentence.

use ndarray::Array2;

use crate::canvas::Size;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::minilm::{LAYER_0_HEAD_2, LAYER_1_HEAD_8, LAYER_3_HEAD_1, LAYER_5_HEAD_11, Millionths, TOKENS};
use crate::parts::heatmap::picture;
use crate::parts::weights::{largest, weights_table};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "wild-heads",
    title: "Four heads of a trained model",
    caption: "Weights that nobody built: four heads of all-MiniLM-L6-v2, a trained model, over the book's own sentence. \
              Each row is a query, the token that asks; each column is a key, the token that is looked at; the brighter \
              a tile, the more of its attention the row's token gives to the column's. Each row sums to 1; the sums of \
              the columns stand below. The row that is read out is framed, and in it the key that gets most. The model \
              has no causal mask: its tokens look ahead too. It adds two of its own, `[CLS]` and `[SEP]`, and many a \
              row gives much to `[CLS]`. Compare the column of `cat` in the last two heads.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
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
    /// Its weights, queries in rows. `[9, 9]`
    fn weights(&self) -> Array2<f64> {
        Array2::from_shape_fn((TOKENS.len(), TOKENS.len()), |(i, j)| f64::from(self.weights[i][j]) / 1e6)
    }
}

/// The place of a word among the model's tokens; of `[CLS]` if it is not there.
fn place(word: &str) -> usize {
    TOKENS.iter().position(|token| *token == word).unwrap_or(0)
}

fn controls(_: &Scene) -> Vec<Control> {
    let heads = HEADS.iter().map(|it| Preset {
        value: it.value.into(),
        label: format!("layer {}, head {}: {}", it.layer, it.head, it.known_for),
    });
    let tokens = TOKENS
        .iter()
        .enumerate()
        .map(|(place, token)| Preset { value: (place + 1).to_string(), label: (*token).into() });
    vec![
        Control { name: "head", label: "Head", kind: Kind::Choice { options: heads.collect(), default: 2 } },
        Control {
            name: "token",
            label: "Query (row)",
            kind: Kind::Choice { options: tokens.collect(), default: place("it") },
        },
    ]
}

fn draw(_: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let chosen = settings.choice("head");
    let which = HEADS.iter().position(|head| head.value == chosen).unwrap_or(0);
    let token = settings.chosen("token");
    let [previous, next, pronoun, everybody] = [0, 1, 2, 3].map(|head| HEADS[head].weights()); // [9, 9] each
    let weights = [&previous, &next, &pronoun, &everybody][which];
    let hidden = |_, _| false;
    let table = weights_table(&TOKENS, weights, &hidden);

    let [the, cat, it] = ["the", "cat", "it"].map(place);
    let top = |weights: &Array2<f64>, row: usize| largest(weights.row(row).iter().copied());
    let last = TOKENS.len() - 1;
    // Those that have a token before them; and the words, without the model's own tokens, that have a word after them.
    let before: Vec<f64> = (1..=last).map(|i| previous[[i, i - 1]]).collect();
    let after: Vec<f64> = (1..last - 1).map(|i| next[[i, i + 1]]).collect();
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let least = |numbers: &[f64]| numbers.iter().copied().fold(1.0, f64::min);
    let column = |weights: &Array2<f64>| weights.column(cat).to_vec();
    let (to_cat, all_to_cat) = (column(&pronoun), column(&everybody));
    let least_row = largest(all_to_cat.iter().map(|weight| -weight));
    let mostly_cat = |weights: &Array2<f64>| -> Vec<&str> {
        (0..=last).filter(|&i| top(weights, i) == cat).map(|i| TOKENS[i]).collect()
    };

    let fact = |name, cell| Fact { name, cell };
    let number = |name, value, digits| Fact { name, cell: Cell::number(value, digits) };
    let count = |name, value: usize| Fact { name, cell: Cell::count(value as u64) };
    let facts = vec![
        fact("head", Cell::words(format!("layer {}, head {}", HEADS[which].layer, HEADS[which].head))),
        fact("token", Cell::token(TOKENS[token])),
        fact("top", Cell::token(TOKENS[top(weights, token)])),
        number("top-weight", weights[[token, top(weights, token)]], 2),
        count("tokens", TOKENS.len()),
        number("previous-mean", mean(&before), 3),
        number("previous-least", least(&before), 4),
        number("next-mean", mean(&after), 2),
        number("next-least", least(&after), 2),
        count("next-words", after.len()),
        number("it-cat", pronoun[[it, cat]], 2),
        number("the-cat", pronoun[[the, cat]], 2),
        number("pronoun-mean", mean(&to_cat), 2),
        count("pronoun-rows", mostly_cat(&pronoun).len()),
        number("everybody-it-cat", everybody[[it, cat]], 2),
        number("everybody-mean", mean(&all_to_cat), 2),
        number("everybody-least", least(&all_to_cat), 2),
        fact("everybody-least-token", Cell::token(TOKENS[least_row])),
        count("everybody-rows", mostly_cat(&everybody).len()),
    ];
    let cell = Cell::number;
    let pattern = match which {
        0 => format!(
            "Each token after the first gives at least {} to the token before it.",
            cell(least(&before), 4)
        ),
        1 => format!(
            "The {} words that have a word after them give it {} on average, and at least {}.",
            after.len(),
            cell(mean(&after), 2),
            cell(least(&after), 2)
        ),
        2 => format!(
            "Only “{}” give most to “cat”; on average over all rows it gets {}.",
            mostly_cat(&pronoun).join("” and “"),
            cell(mean(&to_cat), 2)
        ),
        _ => format!(
            "Every row gives “cat” at least {}, and {} on average: that “it” gives it {} says nothing about pronouns.",
            cell(least(&all_to_cat), 2),
            cell(mean(&all_to_cat), 2),
            cell(everybody[[it, cat]], 2)
        ),
    };
    let sentences = vec![
        format!(
            "Layer {}, head {}: “{}” gives most, {}, to “{}”.",
            HEADS[which].layer,
            HEADS[which].head,
            TOKENS[token],
            cell(weights[[token, top(weights, token)]], 2),
            TOKENS[top(weights, token)]
        ),
        pattern,
    ];
    let choose = |i: usize, _: usize| format!("token={}", i + 1);
    let canvas = picture(size, &TOKENS, weights, &hidden, (token, top(weights, token)), &choose);
    Ok(Sketch { canvas, table, facts, sentences })
}
