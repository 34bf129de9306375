use attention::random::Normals;
use attention::study::{HeadCost, head_cost, multi_head_cost};
use attention::{
    Head, Mask, MultiHead, MultiHeadAttention, Projections, Scale,
    attention_with,
};
use ndarray::{Array2, ArrayRef2, Axis, array, concatenate, s};
use proptest::prelude::*;

use crate::{assert_close, assert_same_bits, cases, order, permuted};

/// No size is tied to another: h d_v is not d.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    tokens: usize,
    d: usize,
    heads: usize,
    d_k: usize,
    d_v: usize,
}

/// The four fused matrices, in the order of `split`.
type Fused = [Array2<f64>; 4];

impl Sizes {
    fn all() -> impl Iterator<Item = Self> {
        (1..=4).flat_map(|heads| {
            (0..6 * 4 * 3).map(move |n| {
                let (d, d_k, d_v) = (n % 6 + 1, n / 6 % 4 + 1, n / 24 + 1);
                Sizes { tokens: n % 7 + 1, d, heads, d_k, d_v }
            })
        })
    }

    /// Tokens, and matrices that keep scores ordinary.
    fn draw(self, seed: u64) -> (Array2<f64>, Fused) {
        let Sizes { tokens, d, heads, d_k, d_v } = self;
        let mut normals = Normals::seeded(seed);
        let root = (d as f64).sqrt();
        let x = normals.matrix(tokens, d);
        let w_q = normals.matrix(d, heads * d_k) / root;
        let w_k = normals.matrix(d, heads * d_k) / root;
        let w_v = normals.matrix(d, heads * d_v) / root;
        let w_o = normals.matrix(heads * d_v, d);
        (x, [w_q, w_k, w_v, w_o])
    }

    /// Multi-head attention in plain loops over the fused matrices: for each head, query, key and
    /// feature. Returns the weights of each head, and the output.
    fn loops(
        self,
        x: &Array2<f64>,
        [w_q, w_k, w_v, w_o]: &Fused,
        causal: bool,
    ) -> (Vec<Array2<f64>>, Array2<f64>) {
        let Sizes { tokens, d, heads, d_k, d_v } = self;
        let feature = |token: usize, w: &Array2<f64>, column: usize| -> f64 {
            (0..d).map(|f| x[[token, f]] * w[[f, column]]).sum()
        };
        let mut all_weights = Vec::new();
        let mut output = Array2::zeros((tokens, d));
        for head in 0..heads {
            let mut weights = Array2::zeros((tokens, tokens));
            for i in 0..tokens {
                let seen = if causal { i + 1 } else { tokens };
                for j in 0..seen {
                    let mut score = 0.0;
                    for c in head * d_k..(head + 1) * d_k {
                        score += feature(i, w_q, c) * feature(j, w_k, c);
                    }
                    weights[[i, j]] = (score / (d_k as f64).sqrt()).exp();
                }
                let sum: f64 = weights.row(i).sum();
                weights.row_mut(i).mapv_inplace(|weight| weight / sum);
                for c in head * d_v..(head + 1) * d_v {
                    let brought: f64 = (0..seen)
                        .map(|j| weights[[i, j]] * feature(j, w_v, c))
                        .sum();
                    for f in 0..d {
                        output[[i, f]] += brought * w_o[[c, f]];
                    }
                }
            }
            all_weights.push(weights);
        }
        (all_weights, output)
    }
}

fn split([w_q, w_k, w_v, w_o]: &Fused, heads: usize) -> MultiHead {
    MultiHead::split(w_q, w_k, w_v, w_o, heads).unwrap()
}

fn difference(a: &ArrayRef2<f64>, b: &ArrayRef2<f64>) -> f64 {
    assert_eq!(a.dim(), b.dim());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn many_heads_are_a_loop_over_heads_and_the_sum_of_what_each_adds() {
    let (mut weights, mut output, mut sum, mut count) = (0.0, 0.0, 0.0, 0);
    for (seed, sizes) in Sizes::all().enumerate() {
        let (x, fused) = sizes.draw(seed as u64);
        let heads = split(&fused, sizes.heads);
        for (mask, causal) in [(Mask::None, false), (Mask::Causal, true)] {
            let (loop_weights, loop_output) = sizes.loops(&x, &fused, causal);
            let it = heads.attend(&x, &mask).unwrap();
            assert_eq!(it.heads.len(), sizes.heads);
            for (head, needed) in it.heads.iter().zip(&loop_weights) {
                assert_eq!(head.output.dim(), (sizes.tokens, sizes.d_v));
                weights = f64::max(weights, difference(&head.weights, needed));
            }
            output = f64::max(output, difference(&it.output, &loop_output));
            let each = heads.contributions(&x, &mask).unwrap();
            assert_eq!(each.len(), sizes.heads);
            let total = each
                .iter()
                .fold(Array2::zeros(x.raw_dim()), |sum, one| sum + one);
            sum = f64::max(sum, difference(&it.output, &total));
            count += 1;
        }
    }
    println!(
        "{count} cases, largest differences: weights to a loop {weights:.1e}, \
         output to a loop {output:.1e}, output to the sum of heads {sum:.1e}"
    );
    assert!(weights < 1e-13 && output < 1e-12 && sum < 1e-12);
}

fn seeded() -> impl Strategy<Value = (Sizes, u64)> {
    (2_usize..=6, 1_usize..=6, 1_usize..=4, 1_usize..=4, 1_usize..=3)
        .prop_map(|(tokens, d, heads, d_k, d_v)| Sizes {
            tokens,
            d,
            heads,
            d_k,
            d_v,
        })
        .prop_flat_map(|sizes| (Just(sizes), any::<u64>()))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn split_loses_nothing_and_counts_everything((sizes, seed) in seeded()) {
        let (_, fused) = sizes.draw(seed);
        let heads = split(&fused, sizes.heads);
        let beside = |pick: fn(&Projections) -> &Array2<f64>| {
            let views: Vec<_> =
                heads.heads.iter().map(|head| pick(&head.projections).view()).collect();
            concatenate(Axis(1), &views).unwrap()
        };
        prop_assert_eq!(&beside(|it| &it.query), &fused[0]);
        prop_assert_eq!(&beside(|it| &it.key), &fused[1]);
        prop_assert_eq!(&beside(|it| &it.value), &fused[2]);
        prop_assert_eq!(&heads.w_o(), &fused[3]);
        let numbers: usize = fused.iter().map(|matrix| matrix.len()).sum();
        prop_assert_eq!(heads.parameters(), numbers);
    }

    #[test]
    fn the_order_of_heads_does_not_matter((sizes, seed) in seeded(), by in 0_usize..4) {
        let (x, fused) = sizes.draw(seed);
        let mut heads = split(&fused, sizes.heads);
        let was = heads.attend(&x, &Mask::Causal).unwrap();
        heads.heads.rotate_left(by % sizes.heads);
        let is = heads.attend(&x, &Mask::Causal).unwrap();
        assert_close(&is.output, &was.output, 1e-11);
    }

    #[test]
    fn permuted_tokens_give_permuted_outputs(
        ((sizes, seed), order) in seeded().prop_flat_map(|it| (Just(it), order(it.0.tokens))),
    ) {
        let (x, fused) = sizes.draw(seed);
        let heads = split(&fused, sizes.heads);
        let attend = |x: &Array2<f64>| heads.attend(x, &Mask::None).unwrap();
        let (was, is) = (attend(&x), attend(&permuted(&x, &order)));
        assert_close(&is.output, &permuted(&was.output, &order), 1e-11);
        for (was, is) in was.heads.iter().zip(&is.heads) {
            let both = was.weights.select(Axis(0), &order).select(Axis(1), &order);
            assert_close(&is.weights, &both, 1e-12);
        }
    }

    #[test]
    fn no_head_sees_the_future((sizes, seed) in seeded(), changed in 1_usize..6) {
        let changed = changed.min(sizes.tokens - 1);
        let (x, fused) = sizes.draw(seed);
        let heads = split(&fused, sizes.heads);
        let mut nudged = x.clone();
        nudged.row_mut(changed).mapv_inplace(|number| number + 1.0);
        let earlier = |x: &Array2<f64>| {
            let output = heads.attend(x, &Mask::Causal).unwrap().output;
            output.slice(s![..changed, ..]).to_owned()
        };
        assert_same_bits(&earlier(&nudged), &earlier(&x));
    }
}

#[test]
fn heads_may_differ_in_width() {
    let mut normals = Normals::seeded(21);
    let mut head = |d_k, d_v| Head {
        projections: Projections {
            query: normals.matrix(5, d_k),
            key: normals.matrix(5, d_k),
            value: normals.matrix(5, d_v),
        },
        biases: None,
        rope: None,
        output: normals.matrix(d_v, 5),
    };
    let heads = MultiHead::new(vec![head(1, 4), head(3, 2)]);
    assert_eq!(heads.w_o().dim(), (6, 5));
    assert_eq!(heads.parameters(), 5 * (2 + 8) + 5 * (6 + 4));
    let x = normals.matrix(7, 5);
    let it = heads.attend(&x, &Mask::Causal).unwrap();
    let each = heads.contributions(&x, &Mask::Causal).unwrap();
    assert_close(&it.output, &(&each[0] + &each[1]), 1e-12);
}

#[test]
fn the_counts_are_those_of_a_twin_that_counts() {
    for (tokens, d, d_head) in [(1, 1, 1), (7, 8, 2), (5, 3, 4), (9, 6, 1)] {
        let mut multiplications = 0;
        let mut product = |rows: usize, terms: usize, columns: usize| {
            for _ in 0..rows {
                for _ in 0..columns {
                    for _ in 0..terms {
                        multiplications += 1;
                    }
                }
            }
        };
        for _query_key_value in 0..3 {
            product(tokens, d, d_head);
        }
        product(tokens, d_head, tokens); // scores
        product(tokens, tokens, d_head); // weighted mean
        product(tokens, d_head, d); // W_O
        let wide = Array2::zeros((d, d_head));
        let head = Head {
            projections: Projections {
                query: wide.clone(),
                key: wide.clone(),
                value: wide.clone(),
            },
            biases: None,
            rope: None,
            output: wide.reversed_axes(),
        };
        let needed = HeadCost {
            parameters: head.parameters() as u64,
            multiplications,
            exponentials: (tokens * tokens) as u64,
        };
        assert_eq!(head_cost(tokens, d, d_head), needed);
    }
}

#[test]
fn more_heads_cost_the_same_but_for_the_exponentials() {
    let one = multi_head_cost(7, 64, 1).unwrap();
    assert_eq!(one.parameters, 4 * 64 * 64);
    assert_eq!(one.multiplications, 4 * 7 * 64 * 64 + 2 * 7 * 7 * 64);
    for heads in [1, 2, 4, 8] {
        let it = multi_head_cost(7, 64, heads).unwrap();
        println!("T = 7, d = 64, h = {heads}: {it:?}");
        let needed = HeadCost { exponentials: heads as u64 * 49, ..one };
        assert_eq!(it, needed);
        let square = Array2::zeros((64, 64));
        let fused = [square.clone(), square.clone(), square.clone(), square];
        let parameters = split(&fused, heads).parameters();
        assert_eq!(it.parameters, parameters as u64);
    }
}

// "Break it": each wrong way, with numbers that can be checked by hand.

/// Two heads that attend evenly: the one takes the first feature, the other the second.
fn even() -> MultiHead {
    let nothing = Array2::zeros((2, 2));
    let eye = Array2::eye(2);
    split(&[nothing.clone(), nothing, eye.clone(), eye], 2)
}

/// The heads' outputs one below the other, read off as if they stood side by side.
fn merged_without_transpose(it: &MultiHeadAttention) -> Array2<f64> {
    let outputs: Vec<_> =
        it.heads.iter().map(|head| head.output.view()).collect();
    let stacked = concatenate(Axis(0), &outputs).unwrap(); // [h T, d_v]
    let (rows, d_v) = stacked.dim();
    let h = it.heads.len();
    stacked.into_shape_with_order((rows / h, h * d_v)).unwrap() // [T, h d_v]
}

#[test]
fn a_forgotten_transpose_mixes_tokens_and_looks_ahead() {
    let x = array![[2.0, 30.0], [4.0, 50.0]];
    let it = even().attend(&x, &Mask::Causal).unwrap();
    assert_eq!(it.output, array![[2.0, 30.0], [3.0, 40.0]]);
    // The first token now holds the second one's mean, in spite of the mask.
    let wrong = merged_without_transpose(&it);
    assert_eq!(wrong, array![[2.0, 3.0], [30.0, 40.0]]);

    let x = array![[2.0, 30.0], [400.0, 50.0]];
    let it = even().attend(&x, &Mask::Causal).unwrap();
    assert_eq!(it.output.row(0), array![2.0, 30.0]);
    assert_eq!(merged_without_transpose(&it).row(0), array![2.0, 201.0]);
}

#[test]
fn a_forgotten_transpose_is_wrong_but_with_one_head_or_one_token() {
    for (seed, sizes) in Sizes::all().enumerate() {
        let (x, fused) = sizes.draw(seed as u64);
        let heads = split(&fused, sizes.heads);
        let it = heads.attend(&x, &Mask::Causal).unwrap();
        let wrong = merged_without_transpose(&it).dot(&heads.w_o());
        let same = difference(&wrong, &it.output) < 1e-12;
        assert_eq!(same, sizes.heads == 1 || sizes.tokens == 1, "{sizes:?}");
    }
}

#[test]
fn a_slice_of_the_raw_vector_sees_only_its_own_features() {
    // All that tells the tokens apart is in the second feature: √(ln 3)² is ln 3.
    let root = libm::sqrt(libm::log(3.0));
    let x = array![[0.0, 0.0], [0.0, root]];
    let slice = x.slice(s![.., ..1]); // [T = 2, d / h = 1]
    let sliced =
        attention_with(&slice, &slice, &slice, &Mask::None, Scale::ByRootDk);
    assert_eq!(sliced.unwrap().weights, array![[0.5, 0.5], [0.5, 0.5]]);

    // Projected from both features, the same head reads it.
    let second = array![[0.0], [1.0]]; // [d = 2, d_k = 1]
    let projected = Projections {
        query: second.clone(),
        key: second.clone(),
        value: second,
    };
    let it = projected.attend(&x, &Mask::None).unwrap();
    assert_close(&it.weights, &array![[0.5, 0.5], [0.25, 0.75]], 1e-15);
}

#[test]
fn divided_by_the_models_width_attention_is_too_even() {
    // d = 4, and four heads of d_k = 1 that all read the first feature. Its score is ln 9.
    let x = array![[libm::sqrt(libm::log(9.0)), 0.0, 0.0, 0.0], [0.0; 4]];
    let mut first = Array2::zeros((4, 4));
    first.row_mut(0).fill(1.0);
    let heads =
        split(&[first.clone(), first.clone(), Array2::eye(4), first], 4);
    let right = heads.attend(&x, &Mask::None).unwrap();
    for head in &right.heads {
        assert_close(&head.weights, &array![[0.9, 0.1], [0.5, 0.5]], 1e-15);
    }
    // By √4, it is ln 3.
    let (queries, keys, values) =
        heads.heads[0].projections.project(&x).unwrap();
    let by_model = queries / 2.0;
    let wrong =
        attention_with(&by_model, &keys, &values, &Mask::None, Scale::Off)
            .unwrap();
    assert_close(&wrong.weights, &array![[0.75, 0.25], [0.5, 0.5]], 1e-15);
}
