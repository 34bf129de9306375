//! Each way back against central differences: nudge one number, and see what the loss does.

use attention::gradient::{
    Gradient, attention_backward, gelu_derivative, softmax_backward,
    softmax_jacobian,
};
use attention::random::Normals;
use attention::{
    Block, Head, HeadBiases, LayerNorm, Mask, Mlp, MultiHead, NormPlace,
    Pairing, Projections, Rope, Scale, Stack, attention_with, gelu, softmax,
};
use ndarray::{Array1, Array2, ArrayRef2, ArrayViewMut2, Axis};
use proptest::prelude::*;

use crate::{assert_close, cases, matrix, row};

/// Differences over one step and over two, weighted 8 to −1, leave an error of step⁴ times the fifth
/// derivative; rounding leaves 1e-16 / step.
const STEP: f64 = 3e-4;

/// All arrays of numbers that are learned, one after another.
trait Arrays: Clone {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>>;
}

/// A vector as a matrix with one row.
fn one_row(vector: &mut Array1<f64>) -> ArrayViewMut2<'_, f64> {
    vector.view_mut().insert_axis(Axis(0))
}

impl Arrays for Array2<f64> {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>> {
        vec![self.view_mut()]
    }
}

impl Arrays for LayerNorm {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>> {
        vec![one_row(&mut self.gamma), one_row(&mut self.beta)]
    }
}

impl Arrays for Mlp {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>> {
        let Mlp { w_in, b_in, w_out, b_out } = self;
        vec![w_in.view_mut(), one_row(b_in), w_out.view_mut(), one_row(b_out)]
    }
}

impl Arrays for MultiHead {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>> {
        let mut arrays: Vec<_> = self.bias.iter_mut().map(one_row).collect();
        let mut vectors = Vec::new();
        for Head { projections, biases, output, .. } in &mut self.heads {
            let Projections { query, key, value } = projections;
            arrays.extend(
                [query, key, value, output].map(|matrix| matrix.view_mut()),
            );
            if let Some(HeadBiases { query, key, value }) = biases {
                vectors.extend([query, key, value].map(one_row));
            }
        }
        arrays.extend(vectors);
        arrays
    }
}

impl Arrays for Block {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>> {
        let mut arrays = self.first_norm.arrays();
        arrays.extend(self.attention.arrays());
        arrays.extend(self.second_norm.arrays());
        arrays.extend(self.mlp.arrays());
        arrays
    }
}

impl Arrays for Stack {
    fn arrays(&mut self) -> Vec<ArrayViewMut2<'_, f64>> {
        let mut arrays: Vec<_> =
            self.blocks.iter_mut().flat_map(Block::arrays).collect();
        arrays.extend(self.last_norm.iter_mut().flat_map(LayerNorm::arrays));
        arrays
    }
}

/// How the loss answers to each number of `of`, by differences, and how far that is from `came`: in all,
/// relative to the number where that is above 1.
fn distance<Of: Arrays>(
    of: &Of,
    came: &mut Of,
    loss: impl Fn(&Of) -> f64,
) -> f64 {
    let mut nudged = of.clone();
    let mut distance: f64 = 0.0;
    for (n, came) in came.arrays().iter().enumerate() {
        for (place, came) in came.indexed_iter() {
            let was = nudged.arrays()[n][place];
            let mut at = |steps: f64| {
                nudged.arrays()[n][place] = was + steps * STEP;
                loss(&nudged)
            };
            let (near, far) = (at(1.0) - at(-1.0), at(2.0) - at(-2.0));
            let slope = (8.0 * near - far) / (12.0 * STEP);
            nudged.arrays()[n][place] = was;
            let apart = (slope - came).abs() / slope.abs().max(1.0);
            distance = distance.max(apart);
        }
    }
    distance
}

/// The same for a layer and its input, for the loss Σ gradient · y.
fn layer_distance<Layer: Arrays>(
    layer: &Layer,
    x: &Array2<f64>,
    gradient: &Array2<f64>,
    mut back: Gradient<Layer>,
    forward: impl Fn(&Layer, &Array2<f64>) -> Array2<f64>,
) -> f64 {
    let loss = |y: Array2<f64>| (y * gradient).sum();
    let for_layer =
        distance(layer, &mut back.layer, |layer| loss(forward(layer, x)));
    let for_x = distance(x, &mut back.x, |x| loss(forward(layer, x)));
    for_layer.max(for_x)
}

/// Every number random, those that start as 0 or 1 too.
fn shaken<Layer: Arrays>(mut layer: Layer, normals: &mut Normals) -> Layer {
    for mut array in layer.arrays() {
        array += &(normals.matrix(array.nrows(), array.ncols()) * 0.3);
    }
    layer
}

fn masks(seed: u64, tokens: usize) -> Mask {
    match seed % 3 {
        0 => Mask::None,
        1 => Mask::Causal,
        // The first token may attend to no one.
        _ => Mask::Allowed(Array2::from_shape_fn(
            (tokens, tokens),
            |(query, key)| query > 0 && (query + key) % 3 != 1,
        )),
    }
}

const WIDTHS: [(usize, usize); 4] = [(4, 2), (3, 1), (3, 3), (4, 4)];

#[test]
fn a_hundred_random_blocks_agree_with_differences() {
    let mut largest: f64 = 0.0;
    for norms in [NormPlace::Pre, NormPlace::Post] {
        for seed in 0..50_u64 {
            let mut normals = Normals::seeded(seed);
            let (d, heads) = WIDTHS[seed as usize % 4];
            let tokens = 1 + seed as usize % 5;
            let mask = masks(seed, tokens);
            let block = Block::xavier(norms, d, heads, &mut normals).unwrap();
            let block = shaken(block, &mut normals);
            let x = normals.matrix(tokens, d);
            let gradient = normals.matrix(tokens, d);
            let back = block.backward(&x, &mask, &gradient).unwrap();
            assert_eq!(back.layer.norms, norms);
            let it = layer_distance(&block, &x, &gradient, back, |block, x| {
                block.forward(x, &mask).unwrap()
            });
            largest = largest.max(it);
        }
    }
    println!("100 blocks, largest difference {largest:.1e}");
    assert!(largest < 1e-7);
}

#[test]
fn stacks_agree_with_differences() {
    let mut largest: f64 = 0.0;
    for norms in [NormPlace::Pre, NormPlace::Post] {
        for seed in 0..10 {
            let mut normals = Normals::seeded(seed);
            let mask = masks(seed, 4);
            let depth = 1 + seed as usize % 3;
            let stack =
                Stack::xavier(norms, depth, 4, 2, &mut normals).unwrap();
            let stack = shaken(stack, &mut normals);
            let x = normals.matrix(4, 4);
            let gradient = normals.matrix(4, 4);
            let back = stack.backward(&x, &mask, &gradient).unwrap();
            let it = layer_distance(&stack, &x, &gradient, back, |stack, x| {
                stack.forward(x, &mask).unwrap()
            });
            largest = largest.max(it);
        }
    }
    println!("20 stacks, largest difference {largest:.1e}");
    assert!(largest < 1e-7);
}

#[test]
fn each_layer_by_itself_agrees_with_differences() {
    let (mut norm, mut mlp, mut heads): (f64, f64, f64) = (0.0, 0.0, 0.0);
    let mut ropes = 0;
    for seed in 0..100_u64 {
        let mut normals = Normals::seeded(seed);
        let (d, h) = WIDTHS[seed as usize % 4];
        let tokens = 1 + seed as usize % 5;
        let x = normals.matrix(tokens, d);
        let gradient = normals.matrix(tokens, d);
        let mask = masks(seed, tokens);

        let it = shaken(LayerNorm::new(d), &mut normals);
        let back = it.backward(&x, &gradient).unwrap();
        let forward = |it: &LayerNorm, x: &Array2<f64>| it.apply(x).unwrap();
        norm = norm.max(layer_distance(&it, &x, &gradient, back, forward));

        let it = shaken(Mlp::xavier(d, &mut normals), &mut normals);
        let back = it.backward(&x, &gradient).unwrap();
        let forward = |it: &Mlp, x: &Array2<f64>| it.apply(x).unwrap();
        mlp = mlp.max(layer_distance(&it, &x, &gradient, back, forward));

        let it = MultiHead::xavier(d, h, &mut normals).unwrap();
        let mut it = shaken(it, &mut normals);
        let turned = (d / h).is_multiple_of(2) && seed % 3 != 0;
        for head in &mut it.heads {
            head.rope = turned.then(|| Rope::new(Pairing::Neighbours));
        }
        ropes += usize::from(turned);
        let back = it.backward(&x, &mask, &gradient).unwrap();
        let it = layer_distance(&it, &x, &gradient, back, |it, x| {
            it.attend(x, &mask).unwrap().output
        });
        heads = heads.max(it);
    }
    println!("norm {norm:.1e}, MLP {mlp:.1e}, heads {heads:.1e}");
    assert!(norm < 1e-9 && mlp < 1e-9 && heads < 1e-9);
    assert!(ropes > 10, "{ropes} of 100 with turned queries and keys");
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn softmax_goes_back_as_its_jacobian_says(scores in row(-4.0..4.0), seed: u64) {
        let weights = softmax(&scores);
        let gradient: Array1<f64> = Normals::seeded(seed).take(weights.len()).collect();
        let came = softmax_backward(&weights, &gradient);
        let needed = gradient.dot(&softmax_jacobian(&weights));
        prop_assert!((came - needed).iter().all(|e| e.abs() < 1e-14));
    }

    #[test]
    fn attention_goes_back_as_differences_say(
        queries in matrix(3, 2), keys in matrix(4, 2), values in matrix(4, 3),
        gradient in matrix(3, 3), causal: bool,
    ) {
        let mask = if causal { Mask::Causal } else { Mask::None };
        let attend = |q: &ArrayRef2<f64>, k: &ArrayRef2<f64>, v: &ArrayRef2<f64>| {
            attention_with(q, k, v, &mask, Scale::ByRootDk).unwrap()
        };
        let it = attend(&queries, &keys, &values);
        let mut back = attention_backward(&queries, &keys, &values, &it, &gradient).unwrap();
        let loss = |q: &ArrayRef2<f64>, k: &ArrayRef2<f64>, v: &ArrayRef2<f64>| {
            (attend(q, k, v).output * &gradient).sum()
        };
        prop_assert!(distance(&queries, &mut back.queries, |q| loss(q, &keys, &values)) < 1e-7);
        prop_assert!(distance(&keys, &mut back.keys, |k| loss(&queries, k, &values)) < 1e-7);
        prop_assert!(distance(&values, &mut back.values, |v| loss(&queries, &keys, v)) < 1e-7);
    }

    #[test]
    fn gelu_is_as_steep_as_it_rises(x in -8.0..8.0) {
        let slope = (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
        prop_assert!((gelu_derivative(x) - slope).abs() < 1e-9, "{x}");
    }
}

#[test]
fn the_residual_carries_the_gradient_past_a_block_that_does_nothing() {
    let mut normals = Normals::seeded(8);
    let mut block = Block::xavier(NormPlace::Pre, 6, 2, &mut normals).unwrap();
    block.mlp.w_out.fill(0.0);
    for head in &mut block.attention.heads {
        head.output.fill(0.0);
    }
    let (x, gradient) = (normals.matrix(4, 6), normals.matrix(4, 6));
    let back = block.backward(&x, &Mask::Causal, &gradient).unwrap();
    assert_close(&back.x, &gradient, 0.0);
    // What could be learned is felt all the same.
    assert!(back.layer.mlp.w_out.iter().all(|&slope| slope != 0.0));
}
