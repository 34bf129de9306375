use attention::random::Normals;
use attention::study::{
    Cost, block_multiplications, one_pass_cost, plain_cost,
};
use attention::{Block, Mask, NormPlace, attention, one_pass_attention};
use ndarray::Array2;

use crate::assert_close;

/// Does the arithmetic, and counts. The bytes are measured in `tests/memory.rs`.
#[derive(Default)]
struct Counter {
    multiplications: u64,
    exponentials: u64,
}

impl Counter {
    fn times(&mut self, a: f64, b: f64) -> f64 {
        self.multiplications += 1;
        a * b
    }

    fn exp(&mut self, x: f64) -> f64 {
        self.exponentials += 1;
        x.exp()
    }

    /// A B, or A B + `onto`.
    fn product(
        &mut self,
        a: &Array2<f64>,
        b: &Array2<f64>,
        onto: Option<Array2<f64>>,
    ) -> Array2<f64> {
        let mut c = onto.unwrap_or(Array2::zeros((a.nrows(), b.ncols())));
        for i in 0..a.nrows() {
            for j in 0..b.ncols() {
                for k in 0..a.ncols() {
                    c[[i, j]] += self.times(a[[i, k]], b[[k, j]]);
                }
            }
        }
        c
    }

    fn plain(&mut self, x: &Array2<f64>) -> Array2<f64> {
        let mut weights = self.product(x, &x.t().to_owned(), None);
        weights /= (x.ncols() as f64).sqrt();
        for mut row in weights.rows_mut() {
            let largest = row.iter().copied().fold(f64::MIN, f64::max);
            row.mapv_inplace(|score| self.exp(score - largest));
            let sum = row.sum();
            row /= sum;
        }
        self.product(&weights, x, None)
    }

    fn one_pass(&mut self, x: &Array2<f64>) -> Array2<f64> {
        let rows = |from: usize| {
            let to = x.nrows().min(from + 64);
            x.slice_axis(ndarray::Axis(0), (from..to).into()).to_owned()
        };
        let mut output = Array2::zeros((0, x.ncols()));
        for first_query in (0..x.nrows()).step_by(64) {
            let queries = rows(first_query);
            let mut largest = vec![f64::NEG_INFINITY; queries.nrows()];
            let mut sums = vec![0.0; queries.nrows()];
            let mut weighted = Array2::zeros(queries.raw_dim());
            for first_key in (0..x.nrows()).step_by(64) {
                let keys = rows(first_key);
                let mut scores =
                    self.product(&queries, &keys.t().to_owned(), None);
                scores /= (x.ncols() as f64).sqrt();
                for i in 0..queries.nrows() {
                    let before = largest[i];
                    largest[i] =
                        scores.row(i).iter().copied().fold(before, f64::max);
                    let rescale = self.exp(before - largest[i]);
                    sums[i] = self.times(sums[i], rescale);
                    for sum in weighted.row_mut(i) {
                        *sum = self.times(*sum, rescale);
                    }
                    for score in scores.row_mut(i) {
                        *score = self.exp(*score - largest[i]);
                        sums[i] += *score;
                    }
                }
                weighted = self.product(&scores, &keys, Some(weighted));
            }
            for (mut row, sum) in weighted.rows_mut().into_iter().zip(sums) {
                row /= sum;
            }
            output.append(ndarray::Axis(0), weighted.view()).unwrap();
        }
        output
    }

    #[track_caller]
    fn assert_counted(&self, cost: Cost) {
        assert_eq!(
            (self.multiplications, self.exponentials),
            (cost.multiplications, cost.exponentials)
        );
    }
}

/// 64 is a block.
const SIZES: [(usize, usize); 10] = [
    (1, 1),
    (7, 2),
    (7, 64),
    (63, 3),
    (64, 5),
    (65, 1),
    (128, 2),
    (130, 7),
    (200, 16),
    (300, 4),
];

#[test]
fn the_counts_are_those_of_a_twin_that_counts() {
    for (tokens, d) in SIZES {
        let x = Normals::seeded(13).matrix(tokens, d);

        let mut counter = Counter::default();
        let twin = counter.plain(&x);
        counter.assert_counted(plain_cost(tokens, d));
        assert_close(&attention(&x, &x, &x).unwrap().output, &twin, 1e-12);

        let mut counter = Counter::default();
        let twin = counter.one_pass(&x);
        counter.assert_counted(one_pass_cost(tokens, d));
        let came = one_pass_attention(&x, &x, &x, &Mask::None).unwrap();
        assert_close(&came, &twin, 1e-12);
    }
}

#[test]
fn twice_the_tokens_are_four_times_the_work_but_not_the_memory() {
    let doubled =
        |cost: fn(usize, usize) -> Cost| (cost(4096, 64), cost(8192, 64));
    let (half, whole) = doubled(plain_cost);
    assert_eq!(whole.multiplications, 4 * half.multiplications);
    assert_eq!(whole.exponentials, 4 * half.exponentials);
    assert!((whole.bytes as f64 / half.bytes as f64 - 4.0).abs() < 0.001);
    let (half, whole) = doubled(one_pass_cost);
    assert_eq!(whole.multiplications, 4 * half.multiplications);
    assert_eq!(whole.exponentials, 4 * half.exponentials);
    assert_eq!(whole.bytes, half.bytes);
}

#[test]
fn nothing_costs_nothing() {
    let nothing = Cost { multiplications: 0, exponentials: 0, bytes: 0 };
    assert_eq!(plain_cost(0, 8), nothing);
    assert_eq!(one_pass_cost(0, 8), nothing);
}

#[test]
fn each_number_in_a_blocks_matrices_is_used_once_for_each_token() {
    for (d, heads) in [(8, 2), (12, 3), (64, 4)] {
        let mut normals = Normals::seeded(13);
        let block =
            Block::xavier(NormPlace::Pre, d, heads, &mut normals).unwrap();
        let mut numbers = block.mlp.w_in.len() + block.mlp.w_out.len();
        for head in &block.attention.heads {
            let it = &head.projections;
            numbers += it.query.len() + it.key.len() + it.value.len();
            numbers += head.output.len();
        }
        for tokens in [0, 1, 7] {
            let needed = (tokens * numbers) as u64;
            assert_eq!(block_multiplications(tokens, d), needed);
        }
    }
}
