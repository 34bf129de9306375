//! ONNX's own tests of its operators, run on the library's pieces.
//!
//! ONNX's operators have more than the book teaches: heads that share keys, a cap on scores, keys kept from
//! before, padding, windows. Each is a few lines here, around scores, mask, softmax and weighted sum.

use attention::{
    LayerNorm, Mask, Pairing, Scale, attention_with, gelu, gelu_tanh,
    mean_and_variance, one_pass_attention, scores, softmax, softmax_rows,
};
use ndarray::{
    Array, Array2, Array3, Array4, ArrayD, Axis, Ix3, Ix4, concatenate, s,
};

use crate::cases::{Case, Outputs, check};

/// ONNX computes in float32.
const TOLERANCE: f64 = 1e-5;

#[test]
fn attention() {
    check("onnx-attention.json", 57, TOLERANCE, run_attention);
}

#[test]
fn layer_normalization() {
    check(
        "onnx-layer-normalization.json",
        12,
        TOLERANCE,
        run_layer_normalization,
    );
}

#[test]
fn rotary_embedding() {
    check("onnx-rotary-embedding.json", 7, TOLERANCE, run_rotary_embedding);
}

#[test]
fn gelus() {
    check("onnx-gelu.json", 4, TOLERANCE, |case| {
        let gelu = if case.word("approximate") == Some("tanh") {
            gelu_tanh
        } else {
            gelu
        };
        Ok(vec![("Y", case.input("X").values.mapv(gelu))])
    });
}

#[test]
fn softmaxes() {
    check("onnx-softmax.json", 7, TOLERANCE, |case| {
        let mut y = case.input("X").values.clone();
        let axis = axis(case, y.ndim());
        for mut lane in y.lanes_mut(Axis(axis)) {
            let weights = softmax(&lane);
            lane.assign(&weights);
        }
        Ok(vec![("Y", y)])
    });
}

/// An axis that may be counted from the end, and is the last if nothing is said.
fn axis(case: &Case, dimensions: usize) -> usize {
    let axis = case.number("axis").unwrap_or(-1.0) as isize;
    axis.rem_euclid(dimensions as isize) as usize
}

/// The operator Attention, for each sentence of the batch and each head.
fn run_attention(case: &Case) -> Outputs {
    // [batch, heads, tokens, features of a head]
    let q = heads_apart(case, "Q", "q_num_heads");
    let k =
        after_past(case, "past_key", heads_apart(case, "K", "kv_num_heads"));
    let v =
        after_past(case, "past_value", heads_apart(case, "V", "kv_num_heads"));
    let (batch, q_heads, t_q, _) = q.dim();
    let (_, kv_heads, t_k, d_v) = v.dim();

    let mut y = Array4::zeros((batch, q_heads, t_q, d_v));
    let mut one_pass = y.clone();
    let mut seen = Array4::zeros((batch, q_heads, t_q, t_k));
    let plain =
        case.number("scale").is_none() && case.number("softcap").is_none();
    for b in 0..batch {
        for h in 0..q_heads {
            let shared = h / (q_heads / kv_heads);
            let queries = q.slice(s![b, h, .., ..]);
            let keys = k.slice(s![b, shared, .., ..]);
            let values = v.slice(s![b, shared, .., ..]);

            let scaled = match case.number("scale") {
                Some(scale) => scores(&queries, &keys, Scale::Off)? * scale,
                None => scores(&queries, &keys, Scale::ByRootDk)?,
            }; // [T_q, T_k]
            let capped = match case.number("softcap") {
                Some(cap) => scaled.mapv(|score| cap * libm::tanh(score / cap)),
                None => scaled.clone(),
            };
            let Visible { added, allowed } =
                Visible::of(case, b, h, (t_q, t_k));
            let mut masked = match &added {
                Some(added) => &capped + added,
                None => capped.clone(),
            };
            let mask = Mask::Allowed(allowed);
            mask.apply(&mut masked)?;
            let weights = softmax_rows(&masked);
            y.slice_mut(s![b, h, .., ..]).assign(&weights.dot(&values));
            let step = [scaled, capped, masked, weights];
            let mode =
                case.number("qk_matmul_output_mode").unwrap_or(0.0) as usize;
            seen.slice_mut(s![b, h, .., ..]).assign(&step[mode]);

            // What needs no more than the book has, goes through the library's own functions too.
            if plain && added.is_none() {
                let whole = attention_with(
                    &queries,
                    &keys,
                    &values,
                    &mask,
                    Scale::ByRootDk,
                )?;
                assert_eq!(whole.weights, step[3], "{}", case.name);
                let output =
                    one_pass_attention(&queries, &keys, &values, &mask)?;
                one_pass.slice_mut(s![b, h, .., ..]).assign(&output);
            } else {
                one_pass.slice_mut(s![b, h, .., ..]).assign(&y.slice(s![
                    b,
                    h,
                    ..,
                    ..
                ]));
            }
        }
    }

    let mut outputs = vec![
        ("Y", as_it_came(case, "Q", y)),
        ("Y", as_it_came(case, "Q", one_pass)),
    ];
    if case.has("past_key") {
        outputs.extend([
            ("present_key", k.into_dyn()),
            ("present_value", v.into_dyn()),
        ]);
    }
    if case.has("qk_matmul_output") {
        outputs.push(("qk_matmul_output", seen.into_dyn()));
    }
    Ok(outputs)
}

/// `[batch, heads, tokens, features]`, from that or from `[batch, tokens, heads · features]`.
fn heads_apart(case: &Case, input: &str, heads: &str) -> Array4<f64> {
    let values = case.input(input).values.clone();
    if values.ndim() == 4 {
        return values.into_dimensionality::<Ix4>().expect("four dimensions");
    }
    let heads = case.number(heads).expect("a number of heads") as usize;
    let values = values.into_dimensionality::<Ix3>().expect("three dimensions");
    let (batch, tokens, features) = values.dim();
    let apart =
        values.into_shape_with_order((batch, tokens, heads, features / heads));
    apart
        .expect("as many heads as divide the features")
        .permuted_axes([0, 2, 1, 3])
}

/// The other way round, where heads came side by side in this input.
fn as_it_came(case: &Case, input: &str, y: Array4<f64>) -> ArrayD<f64> {
    if case.input(input).values.ndim() == 4 {
        return y.into_dyn();
    }
    let (batch, heads, tokens, features) = y.dim();
    let by_token = y.permuted_axes([0, 2, 1, 3]);
    let entries: Vec<f64> = by_token.iter().copied().collect();
    Array3::from_shape_vec((batch, tokens, heads * features), entries)
        .expect("the same entries")
        .into_dyn()
}

/// What is kept from before, and the new behind it.
fn after_past(case: &Case, past: &str, new: Array4<f64>) -> Array4<f64> {
    if !case.has(past) {
        return new;
    }
    let past = case
        .input(past)
        .values
        .view()
        .into_dimensionality::<Ix4>()
        .expect("four dimensions");
    concatenate![Axis(2), past, new]
}

/// Whom each query of one head may see: what is added to its scores, and where it may look at all.
struct Visible {
    added: Option<Array2<f64>>,
    allowed: Array2<bool>,
}

impl Visible {
    fn of(
        case: &Case,
        batch: usize,
        head: usize,
        (t_q, t_k): (usize, usize),
    ) -> Self {
        let length = case
            .has("nonpad_kv_seqlen")
            .then(|| case.vector("nonpad_kv_seqlen")[batch] as isize);
        // Where query 0 stands among the keys.
        let first = match length {
            Some(length) => length - t_q as isize,
            None if case.has("past_key") => {
                case.input("past_key").values.shape()[2] as isize
            }
            None => 0,
        };
        // Window sizes below 0 are none.
        let window = |side| {
            case.number(side)
                .filter(|&size| size >= 0.0)
                .map(|size| size as isize)
        };
        let (left, right) =
            (window("left_window_size"), window("right_window_size"));
        let in_sight = |query: usize, key: usize| {
            let (position, key) = (first + query as isize, key as isize);
            length.is_none_or(|length| key < length)
                && !(case.is_on("is_causal") && key > position)
                && left.is_none_or(|left| key >= position - left)
                && right.is_none_or(|right| key <= position + right)
        };
        let mut allowed = Array2::from_shape_fn((t_q, t_k), |(query, key)| {
            in_sight(query, key)
        });
        if !case.has("attn_mask") {
            return Self { added: None, allowed };
        }

        // Of the dimensions [batch, heads, T_q, T_k], a mask may lack the first, or have 1 for all.
        let mask = case.input("attn_mask");
        let columns = mask.values.shape()[mask.values.ndim() - 1];
        let rows = mask
            .values
            .broadcast(mask_shape(case, t_q, columns))
            .expect("a mask for all");
        let rows = rows.into_dimensionality::<Ix4>().expect("four dimensions");
        let rows = rows.slice(s![batch, head, .., ..]);
        // Keys beyond its end are masked.
        allowed.slice_mut(s![.., columns..]).fill(false);
        let mut added = Array2::zeros((t_q, t_k));
        if mask.boolean {
            for ((query, key), &may) in rows.indexed_iter() {
                allowed[[query, key]] &= may == 1.0;
            }
            return Self { added: None, allowed };
        }
        added.slice_mut(s![.., ..columns]).assign(&rows);
        Self { added: Some(added), allowed }
    }
}

fn mask_shape(case: &Case, t_q: usize, columns: usize) -> [usize; 4] {
    let q = case.input("Q").values.shape();
    let heads = case.number("q_num_heads").map_or(q[1], |heads| heads as usize);
    [q[0], heads, t_q, columns]
}

/// The operator LayerNormalization: all dimensions from an axis on are a token's features.
fn run_layer_normalization(case: &Case) -> Outputs {
    let x = &case.input("X").values;
    let axis = axis(case, x.ndim());
    let features: usize = x.shape()[axis..].iter().product();
    let tokens = x.len() / features;
    let flat =
        |name: &str| Array::from_iter(case.input(name).values.iter().copied());
    let norm = LayerNorm {
        gamma: flat("Scale"),
        beta: flat("B"),
        epsilon: case
            .number("epsilon")
            .unwrap_or(attention::LAYER_NORM_EPSILON),
    };
    let rows = x.to_shape((tokens, features))?;
    let y = norm.apply(&rows)?.into_shape_with_order(x.shape())?;

    let mut one_each = x.shape().to_vec();
    one_each[axis..].fill(1);
    let statistics: Vec<(f64, f64)> =
        rows.rows().into_iter().map(|row| mean_and_variance(&row)).collect();
    let mean = statistics.iter().map(|(mean, _)| *mean).collect();
    let inverse = statistics
        .iter()
        .map(|(_, variance)| 1.0 / libm::sqrt(variance + norm.epsilon))
        .collect();
    Ok(vec![
        ("Y", y.into_dyn()),
        ("Mean", ArrayD::from_shape_vec(one_each.clone(), mean)?),
        ("InvStdDev", ArrayD::from_shape_vec(one_each, inverse)?),
    ])
}

/// The operator RotaryEmbedding, which is given cosines and sines, and positions that choose among them.
fn run_rotary_embedding(case: &Case) -> Outputs {
    let x = heads_apart(case, "X", "num_heads");
    let (batch, heads, _, d) = x.dim();
    let turning = case.number("rotary_embedding_dim").map_or(d, |d| d as usize);
    let pairing = if case.is_on("interleaved") {
        Pairing::Neighbours
    } else {
        Pairing::Halves
    };

    let mut y = x.clone(); // what is not turned stays
    for b in 0..batch {
        let rows = |name: &str| -> Array2<f64> {
            let cache = &case.input(name).values;
            if !case.has("position_ids") {
                return cache
                    .view()
                    .into_dimensionality::<Ix3>()
                    .unwrap()
                    .index_axis(Axis(0), b)
                    .to_owned();
            }
            let positions = case.matrix("position_ids");
            let chosen: Vec<usize> = positions
                .row(b)
                .iter()
                .map(|&position| position as usize)
                .collect();
            case.matrix(name).select(Axis(0), &chosen)
        }; // [T, pairs]
        let (cosines, sines) = (rows("cos_cache"), rows("sin_cache"));
        for h in 0..heads {
            let turned = pairing.turn(
                &x.slice(s![b, h, .., ..turning]),
                &cosines,
                &sines,
            )?;
            y.slice_mut(s![b, h, .., ..turning]).assign(&turned);
        }
    }
    Ok(vec![("Y", as_it_came(case, "X", y))])
}
