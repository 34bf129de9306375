//! 7.3: trained weights, as files carry them.

use std::collections::BTreeMap;

use miniserde::{Deserialize, json};
use ndarray::Array2;

use crate::error::{Error, Result};

/// The matrices in a safetensors file, by their names.
pub(crate) type Tensors = BTreeMap<String, Array2<f64>>;

/// What a file's head says of a tensor. Its other entries, `__metadata__`, have none of this.
#[derive(Deserialize)]
struct Entry {
    dtype: Option<String>,
    shape: Option<Vec<usize>>,
    data_offsets: Option<Vec<usize>>,
}

/// Reads a safetensors file whose tensors all are matrices of bfloat16 numbers.
///
/// Such a file is the length of its head, in eight bytes, then the head, in JSON, which says of each
/// tensor its type, its shape and where its numbers are in the rest of the file; then this rest. All
/// numbers are little-endian.
///
/// Source: the description of the format at <https://github.com/huggingface/safetensors>.
///
/// # Errors
///
/// [`Error::File`] if the file is damaged, or has a tensor of another kind.
pub(crate) fn read(file: &[u8]) -> Result<Tensors> {
    let fault = |came: &str, needed: &str| Error::File {
        argument: "file",
        came: came.to_owned(),
        needed: needed.to_owned(),
    };
    let (length, rest) = file
        .split_first_chunk()
        .ok_or_else(|| fault("fewer than 8 bytes", "the length of a head"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok();
    let (head, data) = length
        .and_then(|length| rest.split_at_checked(length))
        .ok_or_else(|| fault("a head beyond its end", "a whole head"))?;
    let entries: BTreeMap<String, Entry> = std::str::from_utf8(head)
        .ok()
        .and_then(|head| json::from_str(head).ok())
        .ok_or_else(|| fault("an unreadable head", "one in JSON"))?;
    entries
        .into_iter()
        .filter(|(name, _)| name != "__metadata__")
        .map(|(name, entry)| match entry.matrix(data) {
            Ok(matrix) => Ok((name, matrix)),
            Err((came, needed)) => {
                Err(fault(&format!("{came} in `{name}`"), needed))
            }
        })
        .collect()
}

/// What came, and what was needed.
type Fault = (&'static str, &'static str);

impl Entry {
    /// The entry's numbers as a matrix; or else what came, and what was needed.
    fn matrix(&self, data: &[u8]) -> std::result::Result<Array2<f64>, Fault> {
        if self.dtype.as_deref() != Some("BF16") {
            return Err(("another type", "numbers of type BF16"));
        }
        let Some(&[rows, columns]) = self.shape.as_deref() else {
            return Err(("another number of axes", "two"));
        };
        let Some(&[start, end]) = self.data_offsets.as_deref() else {
            return Err(("no place", "data_offsets"));
        };
        let bytes = data.get(start..end);
        let bytes = bytes.ok_or(("numbers beyond its end", "a whole file"))?;
        let (pairs, odd) = bytes.as_chunks();
        let numbers: Vec<f64> = pairs.iter().map(|&it| bfloat16(it)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(("a number that is not finite", "finite numbers"));
        }
        Array2::from_shape_vec((rows, columns), numbers)
            .ok()
            .filter(|_| odd.is_empty())
            .ok_or(("another shape than numbers", "as many as its shape has"))
    }
}

/// A bfloat16 number is the upper half of an f32.
fn bfloat16(bytes: [u8; 2]) -> f64 {
    let upper = u32::from(u16::from_le_bytes(bytes));
    f64::from(f32::from_bits(upper << 16))
}
