//! Random numbers that are the same on every machine, and weights before training, which are drawn from
//! them.

pub(crate) mod normals;
pub(crate) mod xavier;

pub use normals::Normals;
pub use xavier::xavier;
