//! The edges: damaged files, numbers at the ends of `f64`, shapes with nothing in them, counts beyond any memory.

mod draw;
mod fuzz;
mod layers;
mod range;
mod refused;
mod safetensors;
mod sources;
