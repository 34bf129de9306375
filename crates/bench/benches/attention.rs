//! Time and memory of attention: with its T × T matrix, in one pass, and in one pass with the causal mask.
//!
//! ```console
//! $ cargo bench -p bench
//! $ cargo bench -p bench -- one_pass                # only what has this in its name
//! $ python3 crates/bench/compare.py                 # beside NumPy and PyTorch, if you have them
//! ```
//!
//! `max alloc` is the most memory held at once, in allocations and bytes: the output and the matrix product's own
//! working space are in it, queries, keys and values are not. All of it runs in one thread.

use attention::random::Normals;
use attention::{Mask, attention, one_pass_attention};
use divan::{AllocProfiler, Bencher};
use std::array::from_fn;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Tokens and features. The first is the book's sentence, the second is the same in a head of usual size.
const SIZES: [(usize, usize); 7] = [(7, 2), (7, 64), (64, 64), (256, 64), (1024, 64), (4096, 64), (8192, 64)];

#[divan::bench(args = SIZES, max_time = 4)]
fn plain(bencher: Bencher, (tokens, d): (usize, usize)) {
    let mut normals = Normals::seeded(72);
    let [queries, keys, values] = from_fn(|_| normals.matrix(tokens, d)); // [T, d] each
    bencher.bench_local(|| attention(&queries, &keys, &values));
}

#[divan::bench(args = SIZES, max_time = 4)]
fn one_pass(bencher: Bencher, size: (usize, usize)) {
    bench_one_pass(bencher, size, &Mask::None);
}

#[divan::bench(args = SIZES, max_time = 4)]
fn one_pass_causal(bencher: Bencher, size: (usize, usize)) {
    bench_one_pass(bencher, size, &Mask::Causal);
}

fn bench_one_pass(bencher: Bencher, (tokens, d): (usize, usize), mask: &Mask) {
    let mut normals = Normals::seeded(72);
    let [queries, keys, values] = from_fn(|_| normals.matrix(tokens, d)); // [T, d] each
    bencher.bench_local(|| one_pass_attention(&queries, &keys, &values, mask));
}
