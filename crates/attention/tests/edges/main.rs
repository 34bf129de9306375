//! The edges: damaged files, numbers at the ends of `f64`, shapes with nothing in them, counts beyond any memory.

mod draw;
mod safetensors;
