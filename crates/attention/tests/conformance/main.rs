//! What others computed, computed by the library. README.md, beside this file, says where their results are from.

mod cases;
mod onnx;
mod pytorch;
