//! The bytes that `plain_cost` and `one_pass_cost` promise, measured on the functions themselves.
//!
//! An allocator of our own counts what each thread holds in arrays of `f64`. The matrix product's own
//! working space, which the promise leaves out, is told apart by its alignment: it asks for more than
//! the 8 bytes of an `f64`.

// An allocator cannot be written without. This one only counts, and lets the system's do the work.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use attention::random::Normals;
use attention::study::{one_pass_cost, plain_cost};
use attention::{Mask, attention, one_pass_attention};

thread_local! {
    /// Bytes held by this thread since counting began, and the most there ever were.
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
    /// An allocation of so many bytes is not counted.
    static LEFT_OUT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

impl Counting {
    fn count(layout: Layout, sign: i64) {
        if layout.align() == align_of::<f64>()
            && layout.size() != LEFT_OUT.get()
        {
            HELD.set(HELD.get() + sign * layout.size() as i64);
            MOST.set(MOST.get().max(HELD.get()));
        }
    }
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count(layout, 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::count(layout, -1);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that `run` held at once, allocations of `left_out` bytes aside.
fn most_bytes<T>(left_out: usize, run: impl FnOnce() -> T) -> u64 {
    LEFT_OUT.set(left_out);
    HELD.set(0);
    MOST.set(0);
    let result = run();
    let most = MOST.get() as u64;
    LEFT_OUT.set(0);
    drop(result);
    most
}

const SIZES: [(usize, usize); 7] =
    [(7, 2), (7, 64), (64, 5), (65, 2), (130, 7), (300, 16), (500, 64)];

#[test]
fn plain_attention_holds_what_its_cost_says() {
    for (tokens, d) in SIZES {
        let x = Normals::seeded(14).matrix(tokens, d);
        // In these sizes nothing but the output is T · d numbers large.
        let output = 8 * tokens * d;
        let most = most_bytes(output, || attention(&x, &x, &x).unwrap());
        assert_eq!(most, plain_cost(tokens, d).bytes, "T = {tokens}, d = {d}");
    }
}

#[test]
fn one_pass_holds_what_its_cost_says() {
    for (tokens, d) in SIZES {
        let x = Normals::seeded(14).matrix(tokens, d);
        // Here the output is there from the beginning to the end.
        let output = (8 * tokens * d) as u64;
        for mask in [Mask::None, Mask::Causal] {
            let most = most_bytes(0, || one_pass_attention(&x, &x, &x, &mask));
            let needed = one_pass_cost(tokens, d).bytes;
            assert_eq!(most - output, needed, "T = {tokens}, d = {d}");
        }
    }
}
