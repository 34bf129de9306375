//! What PyTorch computes in float64, computed by the library.

use attention::gradient::attention_backward;
use attention::{
    Block, Head, LayerNorm, Mask, Mlp, MultiHead, NormPlace, POSITION_BASE,
    Pairing, Projections, Rope, Scale, State, Step, attention_with, gelu,
    gelu_tanh, one_pass_attention, sinusoids,
};
use ndarray::{Array1, Array2, Axis, concatenate, s, stack};

use crate::cases::{Case, Outputs, check};

#[test]
fn pytorch_agrees() {
    check("pytorch.json", 20, 1e-12, |case| {
        match case.word("op").expect("an operation") {
            "scaled_dot_product_attention" => run_attention(case),
            "multi_head_attention" => run_multi_head(case),
            "transformer_block" => run_block(case),
            "layer_norm" => {
                let y = norm(case, "gamma", "beta").apply(&case.matrix("x"))?;
                Ok(vec![("y", y.into_dyn())])
            }
            "gelu" => {
                let gelu = if case.word("approximate") == Some("tanh") {
                    gelu_tanh
                } else {
                    gelu
                };
                Ok(vec![("y", case.vector("x").mapv(gelu).into_dyn())])
            }
            "sinusoidal_positions" => {
                assert_eq!(case.number("base"), Some(POSITION_BASE));
                let size = |name| case.number(name).expect("a size") as usize;
                Ok(vec![("y", sinusoids(size("t"), size("d"))?.into_dyn())])
            }
            "rope" => {
                let pairing = match case.word("pairing") {
                    Some("interleaved") => Pairing::Neighbours,
                    _ => Pairing::Halves,
                };
                let rope = Rope {
                    pairing,
                    base: case.number("base").expect("a base"),
                };
                let y = rope.rotate(
                    &case.matrix("x"),
                    &case.vector("positions").to_vec(),
                )?;
                Ok(vec![("y", y.into_dyn())])
            }
            unknown => Err(format!("nothing is known of {unknown}").into()),
        }
    });
}

fn mask(case: &Case) -> Mask {
    if case.is_on("is_causal") { Mask::Causal } else { Mask::None }
}

fn run_attention(case: &Case) -> Outputs {
    let (q, k, v, mask) =
        (case.matrix("q"), case.matrix("k"), case.matrix("v"), mask(case));
    let it = attention_with(&q, &k, &v, &mask, Scale::ByRootDk)?;
    let one_pass = one_pass_attention(&q, &k, &v, &mask)?;
    let mut outputs = vec![("y", one_pass.into_dyn())];
    if case.has("grad_y") {
        let back = attention_backward(&q, &k, &v, &it, &case.matrix("grad_y"))?;
        outputs.extend([
            ("grad_q", back.queries.into_dyn()),
            ("grad_k", back.keys.into_dyn()),
            ("grad_v", back.values.into_dyn()),
        ]);
    }
    outputs.extend([
        ("y", it.output.into_dyn()),
        ("weights", it.weights.into_dyn()),
    ]);
    Ok(outputs)
}

fn run_multi_head(case: &Case) -> Outputs {
    let (x, mask) = (case.matrix("x"), mask(case));
    let biased = heads(case, "")?;
    let folded = folded(&biased);
    let it = biased.attend(&x, &mask)?;
    // The heads of 7.3 have no biases. A feature that is always 1 makes them part of the matrices.
    let with_one = concatenate![Axis(1), x, Array2::ones((x.nrows(), 1))]; // [T, d + 1]
    let plain = folded.attend(&with_one, &mask)?;
    let y = plain.output.slice(s![.., ..x.ncols()]).to_owned()
        + biased.bias.as_ref().unwrap(); // [T, d]

    let mut outputs = vec![("y", it.output.into_dyn()), ("y", y.into_dyn())];
    for heads in [it.heads, plain.heads] {
        let weights: Vec<_> =
            heads.iter().map(|head| head.weights.view()).collect();
        outputs.push(("weights", stack(Axis(0), &weights)?.into_dyn()));
    }
    Ok(outputs)
}

/// The same heads over tokens with one feature more, which is 1: each bias is one more row of its matrix.
fn folded(biased: &MultiHead) -> MultiHead {
    let with_row = |matrix: &Array2<f64>, bias: &Array1<f64>| {
        concatenate![Axis(0), *matrix, bias.view().insert_axis(Axis(0))] // [d + 1, d_k]
    };
    let fold = |head: &Head| {
        let bias = head.biases.as_ref().unwrap();
        let projections = Projections {
            query: with_row(&head.projections.query, &bias.query),
            key: with_row(&head.projections.key, &bias.key),
            value: with_row(&head.projections.value, &bias.value),
        };
        // Nothing is added to the feature that is 1.
        let output = concatenate![
            Axis(1),
            head.output,
            Array2::zeros((head.output.nrows(), 1))
        ]; // [d_v, d + 1]
        Head::new(projections, output)
    };
    MultiHead::new(biased.heads.iter().map(fold).collect())
}

/// Heads from PyTorch's matrices, which are transposed, and of which one holds W_Q, W_K and W_V.
fn heads(case: &Case, prefix: &str) -> attention::Result<MultiHead> {
    let matrix =
        |name: &str| case.matrix(&format!("{prefix}{name}")).reversed_axes();
    let vector = |name: &str| case.vector(&format!("{prefix}{name}"));
    let (w, b) = (matrix("in_proj_weight"), vector("in_proj_bias")); // [d, 3 d], [3 d]
    let d = w.nrows();
    let w = [0, 1, 2].map(|third| w.slice(s![.., third * d..(third + 1) * d]));
    let b = [0, 1, 2].map(|third| b.slice(s![third * d..(third + 1) * d]));
    let heads = case.number("num_heads").expect("a number of heads") as usize;
    let heads = MultiHead::split(
        &w[0],
        &w[1],
        &w[2],
        &matrix("out_proj_weight"),
        heads,
    )?;
    heads.with_biases(&b[0], &b[1], &b[2], &vector("out_proj_bias"))
}

fn norm(case: &Case, gamma: &str, beta: &str) -> LayerNorm {
    let epsilon = case.number("eps").expect("an epsilon");
    LayerNorm { gamma: case.vector(gamma), beta: case.vector(beta), epsilon }
}

fn run_block(case: &Case) -> Outputs {
    let norms = if case.word("norm") == Some("pre") {
        NormPlace::Pre
    } else {
        NormPlace::Post
    };
    let mlp = Mlp {
        w_in: case.matrix("linear1_weight").reversed_axes(),
        b_in: case.vector("linear1_bias"),
        w_out: case.matrix("linear2_weight").reversed_axes(),
        b_out: case.vector("linear2_bias"),
    };
    let block = Block {
        norms,
        first_norm: norm(case, "norm1_weight", "norm1_bias"),
        attention: heads(case, "self_attn_")?,
        second_norm: norm(case, "norm2_weight", "norm2_bias"),
        mlp,
    };
    let x = case.matrix("x");
    if case.word("activation") == Some("gelu") {
        return Ok(vec![("y", block.forward(&x, &mask(case))?.into_dyn())]);
    }
    // The same steps, with the MLP of the 2017 paper, which has max(0, x).
    let mut state = State { x, residual: None };
    for step in norms.steps() {
        state = match step {
            Step::Mlp => State { x: with_relu(&block.mlp, &state.x), ..state },
            step => block.run_step(step, state, &mask(case))?,
        };
    }
    Ok(vec![("y", state.x.into_dyn())])
}

fn with_relu(
    Mlp { w_in, b_in, w_out, b_out }: &Mlp,
    x: &Array2<f64>,
) -> Array2<f64> {
    let wide = x.dot(w_in) + b_in; // [T, d_ff]
    wide.mapv(|feature| feature.max(0.0)).dot(w_out) + b_out // [T, d]
}
