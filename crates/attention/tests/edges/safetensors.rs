//! Files with trained weights, good and broken, before our reader and before the format's own, the crate `safetensors`:
//! what that refuses, ours refuses, and what that accepts, ours reads, to the same numbers, as long as all are finite and of
//! type BF16.

use std::collections::BTreeMap;

use attention::{AttentionOnly, Error, Head};
use ndarray::Array2;
use safetensors::{Dtype, SafeTensors};

use crate::draw::Draw;

/// So many files of each kind.
const FILES: usize = 20;

/// A file in parts, each of which can be damaged.
struct File {
    /// For each tensor its name, as JSON writes it, and its fields.
    entries: Vec<(String, Fields)>,
    /// `__metadata__`, in JSON, as often as it is there.
    metadata: Vec<String>,
    /// White space before and after the head.
    around: [&'static str; 2],
    /// What is written in place of the head; an empty one is made of the entries.
    head: Vec<u8>,
    /// What is written in place of the head's length.
    length: Option<u64>,
    data: Vec<u8>,
}

/// The fields of an entry, with their values in JSON.
type Fields = Vec<(&'static str, String)>;

impl File {
    fn bytes(&self) -> Vec<u8> {
        let mut entries: Vec<String> = self
            .metadata
            .iter()
            .map(|it| format!(r#""__metadata__":{it}"#))
            .collect();
        for (name, fields) in &self.entries {
            let fields: Vec<String> = fields
                .iter()
                .map(|(field, value)| match *field {
                    "" => value.clone(),
                    field => format!(r#""{field}":{value}"#),
                })
                .collect();
            entries.push(format!(r#""{name}":{{{}}}"#, fields.join(",")));
        }
        let [before, after] = self.around;
        let mut head =
            format!("{before}{{{}}}{after}", entries.join(", ")).into_bytes();
        if !self.head.is_empty() {
            head.clone_from(&self.head);
        }
        let length = self.length.unwrap_or(head.len() as u64);
        [&length.to_le_bytes()[..], &head, &self.data].concat()
    }

    /// The head is written as it is, with an entry more.
    fn head_in_full(&mut self, entry: &str) {
        let all = self.bytes();
        let head = &all[8..all.len() - self.data.len()];
        let head = String::from_utf8(head.to_vec()).unwrap();
        let head = head.trim_end().strip_suffix('}').unwrap();
        let comma = if head.ends_with('{') { "" } else { "," };
        self.head = format!("{head}{comma}{entry}}}").into_bytes();
    }

    /// A field of the tensor of this number.
    fn field(&mut self, tensor: usize, field: &str) -> &mut String {
        let fields = &mut self.entries[tensor].1;
        let field = fields.iter_mut().find(|(name, _)| *name == field);
        &mut field.expect("a model's file has it").1
    }

    /// Where a tensor's numbers are.
    fn place(&mut self, tensor: usize) -> (usize, usize) {
        let place = self.field(tensor, "data_offsets");
        let place = place.trim_matches(['[', ']']).split_once(',').unwrap();
        (place.0.parse().unwrap(), place.1.parse().unwrap())
    }

    fn put(&mut self, tensor: usize, from: usize, to: usize) {
        *self.field(tensor, "data_offsets") = format!("[{from},{to}]");
    }
}

/// A model's file, as it should be: with any sizes, its tensors in any order, in the head and behind it.
fn model(draw: &mut Draw) -> File {
    let [alphabet, length, d] = [0; 3].map(|_| 1 + draw.below(3));
    let mut tensors = vec![
        ("embedding".to_owned(), alphabet, d),
        ("positions".to_owned(), length, d),
        ("unembedding".to_owned(), d, alphabet),
    ];
    for layer in 0..draw.below(3) {
        for head in 0..1 + draw.below(2) {
            let (d_k, d_v) = (1 + draw.below(2), draw.below(3)); // d_v may be 0
            let name = |it| format!("layers.{layer}.heads.{head}.{it}");
            tensors.push((name("query"), d, d_k));
            tensors.push((name("key"), d, d_k));
            tensors.push((name("value"), d, d_v));
            tensors.push((name("output"), d_v, d));
        }
    }
    draw.shuffle(&mut tensors);
    let (mut data, mut entries) = (Vec::new(), Vec::new());
    for (name, rows, columns) in tensors {
        let from = data.len();
        for _ in 0..rows * columns {
            // Any sixteen bits whose exponent is not that of ∞ and NaN.
            let number = draw.below(1 << 16) as u16;
            let finite = number & 0x7f80 != 0x7f80;
            let number = if finite { number } else { number & 0xbfff };
            data.extend(number.to_le_bytes());
        }
        let mut fields = vec![
            ("dtype", r#""BF16""#.to_owned()),
            ("shape", format!("[{rows},{columns}]")),
            ("data_offsets", format!("[{from},{}]", data.len())),
        ];
        draw.shuffle(&mut fields);
        entries.push((name, fields));
    }
    draw.shuffle(&mut entries);
    let metadata = vec![r#"{"format":"pt"}"#.to_owned()];
    let (head, length) = (vec![], None);
    File { entries, metadata, around: ["", "  "], head, length, data }
}

/// What a kind of damage, or of harmless change, is called, and how it is done.
type Kind = (&'static str, fn(&mut Draw, &mut File));

/// A tensor of the file, by its number.
fn any(draw: &mut Draw, file: &File) -> usize {
    draw.below(file.entries.len())
}

/// One that has numbers.
fn full(draw: &mut Draw, file: &mut File) -> usize {
    loop {
        let tensor = any(draw, file);
        let (from, to) = file.place(tensor);
        if from < to {
            return tensor;
        }
    }
}

/// A field of some tensor gets one of these values.
fn set(draw: &mut Draw, file: &mut File, field: &str, values: &[&str]) {
    let tensor = full(draw, file);
    *file.field(tensor, field) = draw.one_of(values).to_owned();
}

const HUGE: &str = "18446744073709551615";

const KINDS: &[Kind] = &[
    ("as it should be", |_, _| ()),
    ("no metadata", |_, file| file.metadata.clear()),
    ("metadata with names of fields", |_, file| {
        file.metadata = vec![
            r#"{"format":"pt","shape":"32x32","dtype":"F32","data_offsets":"[0,4]"}"#.into(),
        ];
    }),
    ("metadata of no text", |_, file| file.metadata = vec!["{}".into()]),
    ("metadata that is null", |_, file| file.metadata = vec!["null".into()]),
    ("metadata with a name twice", |_, file| {
        file.metadata = vec![r#"{"a":"b","a":"c"}"#.into()];
    }),
    ("metadata that is no texts", |draw, file| {
        let values = [
            r#"{"step":7}"#,
            r#"{"step":null}"#,
            r#"{"step":{"a":"b"}}"#,
            r#"{"step":["a"]}"#,
            r#"{"step":true}"#,
            "[]",
            "7",
            r#""pt""#,
            r#"{"dtype":"BF16","shape":[0,1],"data_offsets":[0,0]}"#,
        ];
        file.metadata = vec![draw.one_of(&values).into()];
    }),
    ("metadata twice", |draw, file| {
        let value = draw.one_of(&["{}", "null", r#"{"a":"b"}"#]).to_owned();
        file.metadata = vec!["{}".into(), value];
    }),
    ("white space around the head", |draw, file| {
        let spaces = ["", " ", "\t\r\n ", "\n\n\n\n\n\n\n"];
        file.around = [draw.one_of(&spaces), draw.one_of(&spaces)];
    }),
    ("no white space, but something else", |draw, file| {
        let others = ["\0", "\u{b}", "\u{a0}", "\u{feff}", "}", ",", "{}", "x"];
        file.around = match draw.below(2) {
            0 => [draw.one_of(&others), ""],
            _ => ["", draw.one_of(&others)],
        };
    }),
    ("a name written otherwise", |draw, file| {
        let tensor = any(draw, file);
        let name = &mut file.entries[tensor].0;
        let first = u32::from(name.as_bytes()[0]);
        *name = format!("\\u{first:04x}{}", &name[1..]);
    }),
    ("a name that is no text", |draw, file| {
        let tensor = any(draw, file);
        let name = ["\\ud800", "\\x", "\\u00", "\n", "\\udc00\\ud800"];
        file.entries[tensor].0 = draw.one_of(&name).into();
    }),
    ("a field more", |draw, file| {
        let values = ["7", "-1.5e3", "null", "[[],{\"a\":[]}]", "\"\"", "true"];
        let value = draw.one_of(&values).to_owned();
        let tensor = any(draw, file);
        file.entries[tensor].1.insert(draw.below(3), ("more", value));
    }),
    ("a field more that is no JSON", |draw, file| {
        let values =
            ["07", "+1", ".5", "1.", "[,]", "[1,]", "{a:1}", "nul", "'a'", ""];
        let value = draw.one_of(&values).to_owned();
        let tensor = any(draw, file);
        file.entries[tensor].1.push(("more", value));
    }),
    ("a field more, of lists in lists", |draw, file| {
        let deep = 116 + draw.below(20);
        let text = draw.one_of(&["", r#""[[[\\\"{{{[[[""#]);
        let value = format!("{}{text}{}", "[".repeat(deep), "]".repeat(deep));
        let tensor = any(draw, file);
        file.entries[tensor].1.insert(draw.below(3), ("more", value));
    }),
    ("a field less", |draw, file| {
        let tensor = any(draw, file);
        file.entries[tensor].1.pop();
    }),
    ("a field twice", |draw, file| {
        let tensor = any(draw, file);
        let field = draw.one_of(&file.entries[tensor].1);
        file.entries[tensor].1.push(field);
    }),
    ("a comma too many", |draw, file| {
        let tensor = any(draw, file);
        let place = draw.below(4);
        file.entries[tensor].1.insert(place, ("", String::new()));
    }),
    ("fewer than eight bytes", |draw, file| {
        // Cut below: see `written`.
        file.length = Some(draw.below(8) as u64);
        file.head = b"short".to_vec();
    }),
    ("a header of another length", |draw, file| {
        let head = file.bytes().len() - 8 - file.data.len();
        let length = match draw.below(4) {
            0 => draw.below(head) as u64,
            1 => (head + 1 + draw.below(9)) as u64,
            2 => 100_000_000 + draw.below(2) as u64,
            _ => u64::MAX - draw.below(9) as u64,
        };
        file.length = Some(length);
    }),
    ("a header that is no object", |draw, file| {
        let heads =
            ["[]", "null", "7", "\"a\"", " ", "{", "{}{}", "[{}]", "{\"a\"}"];
        file.head = draw.one_of(&heads).into();
    }),
    ("a header of nothing, before nothing", |draw, file| {
        file.head = draw.one_of(&["{}", " {}", "{} "]).into();
        file.data.truncate(draw.below(2));
    }),
    ("a header that is no UTF-8", |draw, file| {
        let all = file.bytes();
        file.head = all[8..all.len() - file.data.len()].to_vec();
        let place = draw.below(file.head.len());
        let byte = draw.one_of(&[0x80, 0xc0, 0xed, 0xfe, 0xff]);
        file.head[place] = byte;
    }),
    ("another byte in the head", |draw, file| {
        let all = file.bytes();
        file.head = all[8..all.len() - file.data.len()].to_vec();
        let place = draw.below(file.head.len());
        file.head[place] = draw.below(128) as u8;
    }),
    ("a byte less in the head", |draw, file| {
        let all = file.bytes();
        file.head = all[8..all.len() - file.data.len()].to_vec();
        file.head.remove(draw.below(file.head.len()));
    }),
    ("fewer numbers", |draw, file| {
        file.data.truncate(draw.below(file.data.len()));
    }),
    ("more numbers", |draw, file| {
        file.data.extend(vec![0; 1 + draw.below(9)]);
    }),
    ("numbers that are not finite", |draw, file| {
        let tensor = full(draw, file);
        let (from, _) = file.place(tensor);
        file.data[from + 1] |= 0x7f;
        file.data[from] |= 0x80;
    }),
    ("the place of another", |draw, file| {
        let (one, other) = (any(draw, file), any(draw, file));
        let (from, to) = file.place(other);
        file.put(one, from, to);
    }),
    ("a place further on", |draw, file| {
        let tensor = any(draw, file);
        let (from, to) = file.place(tensor);
        let by = 1 + draw.below(2);
        file.put(tensor, from + by, to + by);
    }),
    ("a place that begins further on", |draw, file| {
        let tensor = full(draw, file);
        let (from, to) = file.place(tensor);
        file.put(tensor, from + 1 + draw.below(2), to);
    }),
    ("a place that ends further on", |draw, file| {
        let tensor = any(draw, file);
        let (from, to) = file.place(tensor);
        file.put(tensor, from, to + 1 + draw.below(2));
    }),
    ("a place from its end to its beginning", |draw, file| {
        let tensor = any(draw, file);
        let (from, to) = file.place(tensor);
        file.put(tensor, to, from);
    }),
    ("a hole before all", |draw, file| {
        let by = 1 + draw.below(4);
        for tensor in 0..file.entries.len() {
            let (from, to) = file.place(tensor);
            file.put(tensor, from + by, to + by);
        }
        file.data.splice(0..0, vec![0; by]);
    }),
    ("a hole between two", |draw, file| {
        let tensor = any(draw, file);
        let (hole, _) = file.place(tensor);
        for tensor in 0..file.entries.len() {
            let (from, to) = file.place(tensor);
            if from >= hole {
                file.put(tensor, from + 2, to + 2);
            }
        }
        file.data.splice(hole..hole, [0; 2]);
    }),
    ("a place that is none", |draw, file| {
        let places = [
            "[0]",
            "[]",
            "[0,2,4]",
            "null",
            "0",
            "{}",
            "[-2,0]",
            "[0.0,2.0]",
            "[\"0\",\"2\"]",
            "[null,2]",
            "[0,18446744073709551616]",
            "[0,1e1]",
            "[-0,2]",
            "[0,18446744073709551615]",
            "[18446744073709551614,18446744073709551615]",
        ];
        set(draw, file, "data_offsets", &places);
    }),
    ("a shape for other numbers", |draw, file| {
        let shapes = ["[7,1]", "[1,7]", "[0,0]", "[0,3]", "[5,5]"];
        set(draw, file, "shape", &shapes);
    }),
    ("a shape of no numbers, for none", |draw, file| {
        let tensor = any(draw, file);
        file.put(tensor, 0, 0);
        *file.field(tensor, "shape") = "[3,0]".into();
    }),
    ("a shape that overflows", |draw, file| {
        let half = "9223372036854775808";
        let shapes = [
            format!("[{HUGE},{HUGE}]"),
            format!("[{half},2]"),
            format!("[2,{half}]"),
            format!("[{half},1]"),
            format!("[{half},4,0]"),
        ];
        let shape = draw.one_of(&shapes);
        set(draw, file, "shape", &[&shape]);
    }),
    ("a shape that is none", |draw, file| {
        let shapes = [
            "[-1,-2]",
            "[1.0,1]",
            "[1,1e0]",
            "null",
            "2",
            "{}",
            "[\"1\",1]",
            "[[1],1]",
            "[1 1]",
            "[18446744073709551616,0]",
            "[true,1]",
        ];
        set(draw, file, "shape", &shapes);
    }),
    ("a type that is none", |draw, file| {
        let types = [
            "\"bf16\"",
            "\"BF17\"",
            "\"\"",
            "null",
            "16",
            "[\"BF16\"]",
            "\" BF16\"",
        ];
        set(draw, file, "dtype", &types);
    }),
    ("a type of another size", |draw, file| {
        let types = ["\"F32\"", "\"U8\"", "\"F64\"", "\"F4\"", "\"C64\""];
        set(draw, file, "dtype", &types);
    }),
    ("an entry that is none", |draw, file| {
        let tensor = any(draw, file);
        let entries = [",", "}", "{", "7", "\"dtype\"", ":"];
        file.entries[tensor].1 = vec![("", draw.one_of(&entries).into())];
    }),
];

/// What a kind of file is called that the reference takes and ours does not, what ours says, and how it is made.
type Stricter = (&'static str, &'static str, fn(&mut File));

const STRICTER: &[Stricter] = &[
    ("a name twice", "twice, needed each name once", |file| {
        // Of two, the reference keeps the last.
        let (name, mut fields) = file.entries.pop().unwrap();
        file.entries.push((name.clone(), fields.clone()));
        for (field, value) in &mut fields {
            match *field {
                "data_offsets" => *value = "[0,0]".into(),
                "shape" => *value = "[0,9]".into(),
                _ => (),
            }
        }
        file.entries.insert(0, (name, fields));
    }),
    ("numbers of another type", "F16 numbers in", |file| {
        let last = file.entries.len() - 1;
        *file.field(last, "dtype") = r#""F16""#.into();
    }),
    ("another number of axes", "the shape [1, ", |file| {
        let last = file.entries.len() - 1;
        let shape = file.field(last, "shape");
        *shape = shape.replace('[', "[1,");
    }),
    ("an entry that is a list", "an unreadable header", |file| {
        // The reference's JSON parser takes a list of all fields for an object.
        let (name, fields) = file.entries.pop().unwrap();
        let value = |field| {
            let field = fields.iter().find(|(name, _)| *name == field);
            field.unwrap().1.clone()
        };
        let list = ["dtype", "shape", "data_offsets"].map(value).join(",");
        file.head_in_full(&format!(r#""{name}":[{list}]"#));
    }),
    (
        "more rows than an array can have",
        "bytes for [9223372036854775808, 0]",
        |file| {
            let fields = vec![
                ("dtype", r#""BF16""#.to_owned()),
                ("shape", "[9223372036854775808,0]".to_owned()),
                ("data_offsets", "[0,0]".to_owned()),
            ];
            file.entries.push(("more".into(), fields));
        },
    ),
];

/// The numbers of a tensor, and its shape.
type Matrix = (Vec<usize>, Vec<u64>);

/// What the format's own reader finds; `None` if it refuses.
fn reference(bytes: &[u8]) -> Option<BTreeMap<String, (Dtype, Matrix)>> {
    let tensors = SafeTensors::deserialize(bytes).ok()?;
    let numbers = |data: &[u8]| {
        let pairs = data.chunks_exact(2);
        pairs
            .map(|it| {
                let upper = u32::from(u16::from_le_bytes([it[0], it[1]]));
                f64::from(f32::from_bits(upper << 16)).to_bits()
            })
            .collect()
    };
    let tensors = tensors.iter().map(|(name, it)| {
        let matrix = (it.shape().to_vec(), numbers(it.data()));
        (name.to_owned(), (it.dtype(), matrix))
    });
    Some(tensors.collect())
}

/// The tensors of a model, by the names that they have in a file.
fn tensors(model: &AttentionOnly) -> BTreeMap<String, Matrix> {
    let mut all = vec![
        ("embedding".to_owned(), &model.embedding),
        ("positions".to_owned(), &model.positions),
        ("unembedding".to_owned(), &model.unembedding),
    ];
    for (l, layer) in model.layers.iter().enumerate() {
        for (h, head) in layer.heads.iter().enumerate() {
            let Head { projections: it, output, .. } = head;
            let name = |matrix| format!("layers.{l}.heads.{h}.{matrix}");
            all.push((name("query"), &it.query));
            all.push((name("key"), &it.key));
            all.push((name("value"), &it.value));
            all.push((name("output"), output));
        }
    }
    let matrix = |it: &Array2<f64>| {
        (it.shape().to_vec(), it.iter().map(|it| it.to_bits()).collect())
    };
    all.into_iter().map(|(name, it)| (name, matrix(it))).collect()
}

/// Whether the reader took the file, and it is only no model: a tensor is missing, or one too many, or of another shape.
fn no_model(error: &Error) -> bool {
    match error {
        Error::File { came, .. } => {
            came.starts_with("no tensor `") || came.starts_with("the tensor `")
        }
        Error::Shape { .. } | Error::TooSmall { .. } => true,
        _ => false,
    }
}

/// What became of the files of one kind.
#[derive(Default)]
struct Count {
    files: usize,
    accepted: usize,
}

fn compare(kind: &str, bytes: &[u8], count: &mut Count) {
    let shown = || String::from_utf8_lossy(bytes).into_owned();
    count.files += 1;
    let ours = AttentionOnly::from_safetensors(bytes);
    match (reference(bytes), ours) {
        (None, Err(error)) => assert!(
            matches!(error, Error::File { argument: "file", .. })
                && !no_model(&error),
            "{kind}: {error}, where the reference refuses {}",
            shown()
        ),
        (None, Ok(_)) => {
            panic!("{kind}: accepted, where the reference refuses {}", shown())
        }
        (Some(needed), Ok(model)) => {
            count.accepted += 1;
            let needed = needed.into_iter().map(|(name, (dtype, matrix))| {
                assert_eq!(dtype, Dtype::BF16);
                (name, matrix)
            });
            assert_eq!(tensors(&model), needed.collect(), "{kind}");
        }
        (Some(needed), Err(error)) => {
            count.accepted += 1;
            let ours = needed.values().all(|(dtype, (shape, numbers))| {
                let finite = |it: &u64| f64::from_bits(*it).is_finite();
                *dtype == Dtype::BF16
                    && shape.len() == 2
                    && numbers.iter().all(finite)
            });
            assert!(
                no_model(&error) == ours,
                "{kind}: {error}, where the reference accepts {}",
                shown()
            );
        }
    }
}

/// `cargo test -p attention --test edges -- --nocapture` prints how many files of each kind there were.
#[test]
fn the_verdict_is_that_of_the_formats_own_reader() {
    let mut draw = Draw::seeded(13);
    let mut all = Count::default();
    for (kind, change) in KINDS {
        let mut count = Count::default();
        for _ in 0..FILES {
            let mut file = model(&mut draw);
            change(&mut draw, &mut file);
            let mut bytes = file.bytes();
            if *kind == "fewer than eight bytes" {
                bytes.truncate(draw.below(8));
            }
            compare(kind, &bytes, &mut count);
        }
        let Count { files, accepted } = count;
        println!("{files} files, {accepted:2} accepted: {kind}");
        all.files += files;
        all.accepted += accepted;
    }
    println!("{} files, {} accepted by both", all.files, all.accepted);
    assert!(all.accepted > 100 && all.files - all.accepted > 400);
}

/// The book's own weights, cut short and with any byte changed.
#[test]
fn the_verdict_on_what_is_left_of_the_books_own_file_is_the_same() {
    let whole = include_bytes!("../../src/trained/model/weights.safetensors")
        .as_slice();
    let mut count = Count::default();
    compare("whole", whole, &mut count);
    assert_eq!(count.accepted, 1);
    let mut draw = Draw::seeded(14);
    for _ in 0..200 {
        let mut bytes = whole.to_vec();
        let place = draw.below(2500);
        bytes[place] = draw.below(256) as u8;
        compare("changed", &bytes, &mut count);
        bytes.truncate(draw.below(bytes.len()));
        compare("changed and cut", &bytes, &mut count);
    }
}

#[test]
fn what_is_stricter_than_the_reference_is_so_on_purpose() {
    let mut draw = Draw::seeded(15);
    for (kind, says, change) in STRICTER {
        for _ in 0..FILES {
            let mut file = model(&mut draw);
            change(&mut file);
            let bytes = file.bytes();
            assert!(reference(&bytes).is_some(), "{kind}");
            let error = AttentionOnly::from_safetensors(&bytes).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(says), "{kind}: {error}");
        }
    }
}

/// Places whose ends a sum would take round the end of `usize`. The reference is not asked: its own sum overflows.
#[test]
fn places_are_not_summed_up_beyond_what_a_number_can_hold() {
    let most = (1_u64 << 61) - 2;
    let mut entries = Vec::new();
    for tensor in 0..9 {
        let from = tensor * most;
        let shape = format!("[{},1]", most / 2);
        entries.push(format!(
            r#""{tensor}":{{"dtype":"BF16","shape":{shape},"data_offsets":[{from},{}]}}"#,
            from.wrapping_add(most)
        ));
        let head = format!("{{{}}}", entries.join(","));
        let length = (head.len() as u64).to_le_bytes();
        let bytes = [&length[..], head.as_bytes()].concat();
        let error = AttentionOnly::from_safetensors(&bytes).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
    }
}

/// The bug reports that led to this file.
#[test]
fn reported_files() {
    let mut draw = Draw::seeded(16);
    let tensor = |name: &str, place: &str| {
        let fields = vec![
            ("dtype", r#""BF16""#.to_owned()),
            ("shape", "[1,1]".to_owned()),
            ("data_offsets", place.to_owned()),
        ];
        (name.to_owned(), fields)
    };
    let mut smallest = model(&mut draw);
    smallest.data = vec![0x80, 0x3f, 0x40, 0xc0, 0x20, 0x3e];
    smallest.entries = vec![
        tensor("embedding", "[0,2]"),
        tensor("positions", "[2,4]"),
        tensor("unembedding", "[4,6]"),
    ];
    let says = |file: &File| {
        AttentionOnly::from_safetensors(&file.bytes())
            .map_or_else(|error| error.to_string(), |_| "accepted".into())
    };
    assert_eq!(says(&smallest), "accepted");

    smallest.metadata = vec![r#"{"format":"pt","shape":"32x32"}"#.into()];
    assert_eq!(says(&smallest), "accepted");

    smallest.put(1, 0, 2);
    assert_eq!(
        says(&smallest),
        "file: came with bytes 0 to 2 in `positions`, \
         needed 2, where the tensor before ends"
    );
    smallest.put(1, 2, 4);

    smallest.entries.push(tensor("positions", "[2,4]"));
    assert_eq!(
        says(&smallest),
        "file: came with bytes 2 to 4 in `positions`, \
         needed 4, where the tensor before ends"
    );
    smallest.entries[3] = tensor("positions", "[6,8]");
    smallest.data.extend([0; 2]);
    assert_eq!(
        says(&smallest),
        "file: came with the name `positions` twice, needed each name once"
    );
}
