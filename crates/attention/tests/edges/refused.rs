//! What used to panic, and is refused with a reason.

use attention::gradient::attention_backward;
use attention::random::Normals;
use attention::study::{Metrics, Repeat, depth_study, saturation_study};
use attention::{
    Attention, AttentionOnly, Block, Mask, MultiHead, NormPlace, Stack, State,
    Step,
};
use ndarray::Array2;

fn zeros(rows: usize, columns: usize) -> Array2<f64> {
    Array2::zeros((rows, columns))
}

#[track_caller]
fn assert_says<T>(it: attention::Result<T>, needed: &str) {
    let error = it.err().expect("it is refused");
    assert_eq!(error.to_string(), needed);
}

#[test]
fn heads_of_which_there_are_none() {
    let none = "heads: came empty, needed at least one";
    let (x, mask) = (zeros(7, 4), Mask::Causal);
    let heads = MultiHead::new(vec![]);
    assert_says(heads.attend(&x, &mask), none);
    assert_says(heads.backward(&x, &mask, &x), none);
    let mut normals = Normals::seeded(1);
    let block = Block::xavier(NormPlace::Pre, 4, 2, &mut normals).unwrap();
    let block = Block { attention: heads, ..block };
    assert_says(block.forward(&x, &mask), none);
    assert_says(block.backward(&x, &mask, &x), none);
    let stack = Stack { blocks: vec![block], last_norm: None };
    assert_says(stack.forward(&x, &mask), none);
}

/// No columns can be divided among any number of heads, however large.
#[test]
fn heads_without_columns() {
    let split = |heads| {
        let (no, w_o) = (zeros(3, 0), zeros(0, 3));
        MultiHead::split(&no, &no, &no, &w_o, heads)
    };
    let needed = "w_q: came as [3, 0], needed [3, h d_k] with d_k at least 1";
    assert_says(split(1), needed);
    assert_says(split(usize::MAX), needed);
}

#[test]
fn what_was_kept_and_does_not_fit() {
    let mut normals = Normals::seeded(1);
    let block = Block::xavier(NormPlace::Pre, 4, 2, &mut normals).unwrap();
    let add = |rows, columns| {
        let residual = Some(zeros(rows, columns));
        let state = State { x: zeros(7, 4), residual };
        block.run_step(Step::Add, state, &Mask::None)
    };
    assert!(add(7, 4).is_ok());
    assert_says(
        add(7, 3),
        "state.residual: came as [7, 3], needed [7, 4], the shape of state.x",
    );
    // It would be added to every row.
    assert_says(
        add(1, 4),
        "state.residual: came as [1, 4], needed [7, 4], the shape of state.x",
    );
}

#[test]
fn attention_of_others() {
    let backward = |weights: [usize; 2], output: [usize; 2]| {
        let it = Attention {
            weights: Array2::zeros(weights),
            output: Array2::zeros(output),
        };
        let (queries, keys) = (zeros(2, 3), zeros(5, 3));
        let gradient = Array2::zeros(output);
        attention_backward(&queries, &keys, &zeros(5, 4), &it, &gradient)
    };
    assert!(backward([2, 5], [2, 4]).is_ok());
    assert_says(
        backward([5, 2], [2, 4]),
        "attention.weights: came as [5, 2], \
         needed [2, 5] for queries [2, 3] and keys [5, 3]",
    );
    assert_says(
        backward([2, 5], [2, 3]),
        "attention.output: came as [2, 3], \
         needed [2, 4] for queries [2, 3] and values [5, 4]",
    );
}

#[test]
fn a_sequence_that_ends_before_its_period_or_leaves_the_alphabet() {
    let model = AttentionOnly::trained();
    let of = |symbols: &[usize], period| {
        let symbols = symbols.to_vec();
        Metrics::of(&model, &[Repeat { symbols, period }])
    };
    assert!(of(&[5, 2, 5], 2).is_ok());
    assert_says(
        of(&[5, 2, 5], 3),
        "repeat.period: came as 3, needed at most 2",
    );
    assert_says(
        of(&[5, 2, 26], 2),
        "symbol in repeat: came as 26, needed less than 26",
    );
}

#[test]
fn studies_that_no_memory_holds() {
    assert_says(
        saturation_study(&[1024], 1 << 20, 1, 0),
        "keys: came as 1048576, needed at most 131072",
    );
    assert_says(
        saturation_study(&[1024], 64, 1 << 30, 0),
        "trials: came as 1073741824, needed at most 67108864",
    );
    let depth = usize::MAX;
    let message = format!("depth: came as {depth}, needed at most 2685");
    assert_says(depth_study(&[depth], 1, 0), &message);
}

/// The last of them would have the first's seed.
#[test]
fn seeds_go_round_the_end() {
    assert!(depth_study(&[1], 2, u64::MAX).is_ok());
}
