//! Learned numbers: drawn, rounded, and carried to files and to the book's library.

use attention::Mask;
use attention::random::Normals;
use candle_core::{DType, Device, Result, Tensor, Var};
use ndarray::Array2;

/// A matrix to be learned: every number from N(0, `variance`). → `[rows, columns]`
///
/// # Errors
///
/// Those of candle.
pub fn normal(normals: &mut Normals, variance: f64, rows: usize, columns: usize) -> Result<Var> {
    let numbers = normals.take(rows * columns);
    let numbers: Vec<f32> = numbers.map(|number| (number * variance.sqrt()) as f32).collect();
    Var::from_vec(numbers, (rows, columns), &Device::Cpu)
}

/// Rounds weights to multiples of `grid` that bfloat16 can hold, as it can all multiples of 1/32 below 8.
///
/// # Errors
///
/// Those of candle.
pub fn round<'a>(weights: impl IntoIterator<Item = &'a Var>, grid: f64) -> Result<()> {
    for weight in weights {
        let rounded = ((weight.as_tensor() / grid)?.round()? * grid)?;
        weight.set(&rounded.to_dtype(DType::BF16)?.to_dtype(DType::F32)?)?;
    }
    Ok(())
}

/// A safetensors file with these weights, by their names, as bfloat16.
///
/// # Errors
///
/// Those of candle.
pub fn to_safetensors(weights: &[(String, &Var)]) -> Result<Vec<u8>> {
    let halved = weights.iter().map(|(name, weight)| Ok((name, weight.to_dtype(DType::BF16)?)));
    Ok(safetensors::serialize(halved.collect::<Result<Vec<_>>>()?, None)?)
}

/// A matrix, as the book's library has it.
///
/// # Errors
///
/// Those of candle.
pub fn matrix(tensor: &Tensor) -> Result<Array2<f64>> {
    let shape = tensor.dims2()?;
    let numbers = tensor.to_dtype(DType::F64)?.flatten_all()?.to_vec1()?;
    Ok(Array2::from_shape_vec(shape, numbers).expect("candle's shape fits its numbers"))
}

/// What is added to scores: −∞ where a query would look ahead. `[T, T]`
///
/// # Errors
///
/// Those of candle.
pub fn causal(t: usize, dtype: DType) -> Result<Tensor> {
    let allows = |query, key| Mask::Causal.allows(query, key);
    let numbers: Vec<f32> =
        (0..t * t).map(|place| if allows(place / t, place % t) { 0.0 } else { f32::NEG_INFINITY }).collect();
    Tensor::from_vec(numbers, (t, t), &Device::Cpu)?.to_dtype(dtype)
}
