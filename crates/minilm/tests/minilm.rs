//! The model itself, held against what PyTorch makes of it.
//!
//! These need its files, and are left out unless asked for:
//! `MINILM=DIR cargo test --release -p minilm -- --include-ignored`.

use std::path::PathBuf;
use std::time::Instant;

use minilm::{MAX_TOKENS, Model, Role, SENTENCES, Sentence, Survey, best, questions};
use ndarray::{Array1, Array2, Axis, s};
use serde::Deserialize;

/// What is asked for. The known results have nine digits, so about 1e-9 is to be expected.
const TOLERANCE: f64 = 1e-5;

#[derive(Deserialize)]
struct Known {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    tokens: Vec<String>,
    ids: Vec<u32>,
    attention_l0h2: Stored,
    attention_l1h8: Stored,
    attention_l3h1: Stored,
    attention_l5h11: Stored,
    last_hidden_row_mean: Stored,
    last_hidden_first8: Stored,
    mean_pooled_normalized_first8: Stored,
}

#[derive(Deserialize)]
struct Stored {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Stored {
    /// The largest difference to what came, which has to have as many numbers.
    #[track_caller]
    fn difference(&self, came: impl IntoIterator<Item = f64>) -> f64 {
        let came: Vec<f64> = came.into_iter().collect();
        assert_eq!(came.len(), self.shape.iter().product::<usize>());
        assert_eq!(came.len(), self.data.len());
        came.iter().zip(&self.data).map(|(came, needed)| (came - needed).abs()).fold(0.0, f64::max)
    }
}

fn model() -> Model {
    let folder = std::env::var_os("MINILM").expect("the variable MINILM names the model's folder");
    Model::load(&PathBuf::from(folder)).unwrap_or_else(|fault| panic!("{fault}"))
}

fn cases() -> Vec<Case> {
    let known: Known = serde_json::from_str(include_str!("minilm.json")).expect("known results");
    known.cases
}

#[test]
#[ignore = "needs the model in the folder that MINILM names"]
fn tokens_heads_and_states_are_those_of_pytorch() {
    let model = model();
    let cases = cases();
    assert_eq!(cases.len(), 2);
    for case in cases {
        let sentence = model.tokens(&case.text, MAX_TOKENS).unwrap();
        assert_eq!(sentence, Sentence { tokens: case.tokens, ids: case.ids });
        let start = Instant::now();
        let run = model.run(&sentence).unwrap();
        let took = start.elapsed();
        assert_eq!((run.weights.len(), run.weights[0].len()), (6, 12));

        let head = |layer: usize, head: usize| -> Array2<f64> { run.weights[layer][head].clone() };
        let first8 = run.states.slice(s![.., ..8]);
        let means: Array1<f64> = run.states.mean_axis(Axis(1)).unwrap();
        let differences = [
            ("layer 0, head 2", case.attention_l0h2.difference(head(0, 2))),
            ("layer 1, head 8", case.attention_l1h8.difference(head(1, 8))),
            ("layer 3, head 1", case.attention_l3h1.difference(head(3, 1))),
            ("layer 5, head 11", case.attention_l5h11.difference(head(5, 11))),
            ("states", case.last_hidden_first8.difference(first8.iter().copied())),
            ("means of states", case.last_hidden_row_mean.difference(means)),
            ("embedding", case.mean_pooled_normalized_first8.difference(run.embedding().slice_move(s![..8]))),
        ];
        println!("“{}”, {} tokens in {took:.0?}:", case.text, sentence.tokens.len());
        for (what, difference) in differences {
            println!("  {what}: largest difference {difference:.1e}");
            assert!(difference <= TOLERANCE, "{what}: off by {difference:.1e}");
        }
    }
}

#[test]
#[ignore = "needs the model in the folder that MINILM names"]
fn the_heads_that_the_book_names_fit_their_roles_best() {
    let model = model();
    for case in cases() {
        let run = model.run(&model.tokens(&case.text, MAX_TOKENS).unwrap()).unwrap();
        let best = best(&run.weights);
        let place = |role: Role| {
            let it = best.iter().find(|it| it.role == role).unwrap();
            (it.layer, it.head)
        };
        assert_eq!(place(Role::Previous), (0, 2));
        assert_eq!(place(Role::Next), (1, 8));
    }
}

/// The figure's numbers are what the model gives; crates/figures/src/minilm/README.md has the command that writes them.
#[test]
#[ignore = "needs the model in the folder that MINILM names"]
fn what_the_book_says_of_antecedents_is_what_the_model_gives() {
    let survey = Survey::of(&model(), questions(SENTENCES).unwrap()).unwrap();
    let written = [
        include_str!("../../figures/src/minilm/sentences.csv"),
        include_str!("../../figures/src/minilm/heads.csv"),
        include_str!("../../figures/src/minilm/chance.csv"),
    ];
    println!("{}", survey.summary(10));
    for ((name, text), written) in survey.files().into_iter().zip(written) {
        for (came, stands) in text.lines().zip(written.lines()) {
            assert_eq!(came, stands, "{name}");
        }
        assert_eq!(text.lines().count(), written.lines().count(), "{name}");
    }
}
