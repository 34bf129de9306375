//! 7.3: trained weights, as files carry them.

use std::collections::BTreeMap;

use miniserde::de::{Map, Visitor};
use miniserde::{Deserialize, json, make_place};
use ndarray::Array2;

use crate::error::{Error, Result};

/// The matrices in a safetensors file, by their names.
pub(crate) type Tensors = BTreeMap<String, Array2<f64>>;

/// A longer header is none: so many bytes are the limit of the format's own reader.
const LONGEST_HEAD: usize = 100_000_000;

/// How deep lists and objects may be nested in a header: as deep as the format's own reader follows them.
const DEEPEST: usize = 127;

/// Reads a safetensors file whose tensors all are matrices of bfloat16 numbers.
///
/// Such a file is the length of its header, in eight bytes, then the header, in JSON, which says of each
/// tensor its type, its shape and where its numbers are in the rest of the file; then this rest. All
/// numbers are little-endian. The tensors fill the rest: each begins where the one before it ends.
///
/// Source: the description of the format at <https://github.com/huggingface/safetensors>, and what its
/// reader refuses. A name that comes twice is refused here, as the description has it.
///
/// # Errors
///
/// [`Error::File`] if the file is damaged, or has a tensor of another kind.
pub(crate) fn read(file: &[u8]) -> Result<Tensors> {
    let (length, rest) = file
        .split_first_chunk()
        .ok_or_else(|| fault("fewer than 8 bytes", "the length of a header"))?;
    let length = u64::from_le_bytes(*length);
    let length = usize::try_from(length)
        .ok()
        .filter(|&length| length <= LONGEST_HEAD)
        .ok_or_else(|| {
            let needed = format!("at most {LONGEST_HEAD}");
            fault(&format!("a header of {length} bytes"), &needed)
        })?;
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or_else(|| fault("a header beyond its end", "a whole header"))?;
    let Header(mut entries) = std::str::from_utf8(header)
        .ok()
        .filter(|header| depth(header) <= DEEPEST)
        .and_then(|header| json::from_str(header).ok())
        .ok_or_else(|| fault("an unreadable header", HEADER))?;
    // In the order of their numbers, whatever the order of their names.
    entries.sort_by_key(|(_, entry)| entry.data_offsets);
    let mut tensors = Tensors::new();
    let mut end = 0; // of the tensor before
    for (name, entry) in entries {
        let matrix = entry.matrix(&mut end, data).map_err(|it| {
            fault(&format!("{} in `{name}`", it.came), &it.needed)
        })?;
        if tensors.insert(name.clone(), matrix).is_some() {
            let came = format!("the name `{name}` twice");
            return Err(fault(&came, "each name once"));
        }
    }
    match data.len() - end {
        0 => Ok(tensors),
        more => {
            let came = format!("{more} bytes after its last tensor");
            Err(fault(&came, "none that belong to nothing"))
        }
    }
}

fn fault(came: &str, needed: &str) -> Error {
    Error::File {
        argument: "file",
        came: came.to_owned(),
        needed: needed.to_owned(),
    }
}

/// What a header has to be.
const HEADER: &str =
    "one in JSON, with dtype, shape and data_offsets for each tensor";

/// The entries of a header that are about tensors, by their names, in the order in which they stand.
///
/// A map would not do: of a name that comes twice it keeps the last, and does not tell.
struct Header(Vec<(String, Entry)>);

/// What a header says of a tensor.
#[derive(Default)]
struct Entry {
    dtype: Option<String>,
    shape: Option<Vec<usize>>,
    data_offsets: Option<(usize, usize)>,
}

/// What came, and what was needed.
struct Fault {
    came: String,
    needed: String,
}

impl Entry {
    /// The entry's numbers as a matrix, if they begin at `end`, which is moved to where they end.
    fn matrix(
        &self,
        end: &mut usize,
        data: &[u8],
    ) -> std::result::Result<Array2<f64>, Fault> {
        let fault = |came: String, needed: &str| {
            let needed = needed.to_owned();
            Err(Fault { came, needed })
        };
        let Some((from, to)) = self.data_offsets else {
            return fault("no data_offsets".to_owned(), "two");
        };
        let place = format!("bytes {from} to {to}");
        if from != *end {
            let needed = format!("{end}, where the tensor before ends");
            return fault(place, &needed);
        }
        let Some(bytes) = data.get(from..to) else {
            let needed = format!("a part of the {} there are", data.len());
            return fault(place, &needed);
        };
        *end = to;
        match self.dtype.as_deref() {
            Some("BF16") => (),
            Some(other) => return fault(format!("{other} numbers"), "BF16"),
            None => return fault("no dtype".to_owned(), "BF16"),
        }
        let Some(shape) = &self.shape else {
            return fault("no shape".to_owned(), "one");
        };
        let &[rows, columns] = &shape[..] else {
            let lengths: Vec<String> =
                shape.iter().map(usize::to_string).collect();
            let came = format!("the shape [{}]", lengths.join(", "));
            return fault(came, "two axes");
        };
        let (pairs, odd) = bytes.as_chunks();
        let numbers: Vec<f64> = pairs.iter().map(|&it| bfloat16(it)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            let came = "a number that is not finite".to_owned();
            return fault(came, "finite numbers");
        }
        let bytes = bytes.len();
        match Array2::from_shape_vec((rows, columns), numbers) {
            Ok(matrix) if odd.is_empty() => Ok(matrix),
            _ => fault(
                format!("{bytes} bytes for [{rows}, {columns}]"),
                "2 for each number of its shape",
            ),
        }
    }
}

/// A bfloat16 number is the upper half of an f32.
fn bfloat16(bytes: [u8; 2]) -> f64 {
    let upper = u32::from(u16::from_le_bytes(bytes));
    f64::from(f32::from_bits(upper << 16))
}

// How a header is read out of JSON.

/// How deep lists and objects are nested.
fn depth(json: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                most = depth.max(most);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => (),
        }
    }
    most
}

make_place!(Place);

/// `__metadata__`: names and texts, which say nothing of the numbers; or null.
type Metadata = Option<BTreeMap<String, String>>;

struct Heads<'a> {
    metadata: Option<Metadata>,
    entries: Vec<(String, Option<Entry>)>,
    out: &'a mut Option<Header>,
}

impl Deserialize for Header {
    fn begin(out: &mut Option<Self>) -> &mut dyn Visitor {
        Place::new(out)
    }
}

impl Visitor for Place<Header> {
    fn map(&mut self) -> miniserde::Result<Box<dyn Map + '_>> {
        let out = &mut self.out;
        Ok(Box::new(Heads { metadata: None, entries: vec![], out }))
    }
}

impl Map for Heads<'_> {
    fn key(&mut self, name: &str) -> miniserde::Result<&mut dyn Visitor> {
        if name == "__metadata__" {
            return once(&mut self.metadata);
        }
        let place = self.entries.len();
        self.entries.push((name.to_owned(), None));
        once(&mut self.entries[place].1)
    }

    fn finish(&mut self) -> miniserde::Result<()> {
        let entries = self.entries.drain(..);
        let entries = entries.filter_map(|(name, it)| Some((name, it?)));
        *self.out = Some(Header(entries.collect()));
        Ok(())
    }
}

struct Fields<'a> {
    entry: Entry,
    out: &'a mut Option<Entry>,
}

impl Deserialize for Entry {
    fn begin(out: &mut Option<Self>) -> &mut dyn Visitor {
        Place::new(out)
    }
}

impl Visitor for Place<Entry> {
    fn map(&mut self) -> miniserde::Result<Box<dyn Map + '_>> {
        let entry: Entry = Default::default();
        Ok(Box::new(Fields { entry, out: &mut self.out }))
    }
}

impl Map for Fields<'_> {
    fn key(&mut self, name: &str) -> miniserde::Result<&mut dyn Visitor> {
        match name {
            "dtype" => once(&mut self.entry.dtype),
            "shape" => once(&mut self.entry.shape),
            "data_offsets" => once(&mut self.entry.data_offsets),
            _ => Ok(<dyn Visitor>::ignore()),
        }
    }

    fn finish(&mut self) -> miniserde::Result<()> {
        *self.out = Some(std::mem::take(&mut self.entry));
        Ok(())
    }
}

/// The place for a value, if there is none in it yet.
fn once<T: Deserialize>(
    place: &mut Option<T>,
) -> miniserde::Result<&mut dyn Visitor> {
    match place {
        None => Ok(T::begin(place)),
        Some(_) => Err(miniserde::Error),
    }
}
