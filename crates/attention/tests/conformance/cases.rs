//! Cases that others computed: how their files read, and how a result is held against them.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use ndarray::{Array1, Array2, ArrayD, Ix1, Ix2};
use serde::Deserialize;

/// What a runner made of a case: its outputs by their names. A name may come twice, where the library has two
/// ways to the same.
pub type Outputs = Result<Vec<(&'static str, ArrayD<f64>)>, Box<dyn Error>>;

/// One case: what goes in, and what has to come out.
pub struct Case {
    /// The name that its authors gave it.
    pub name: String,
    attributes: BTreeMap<String, serde_json::Value>,
    inputs: BTreeMap<String, Tensor>,
    outputs: BTreeMap<String, Tensor>,
}

/// An array of any shape.
#[derive(Clone)]
pub struct Tensor {
    /// Whether its entries were true and false. They read as 1 and 0.
    pub boolean: bool,
    /// Its entries.
    pub values: ArrayD<f64>,
}

impl Case {
    /// Whether it has such an input or output.
    pub fn has(&self, name: &str) -> bool {
        self.inputs.contains_key(name) || self.outputs.contains_key(name)
    }

    /// An input.
    ///
    /// # Panics
    ///
    /// If there is none. So do [`vector`](Self::vector) and [`matrix`](Self::matrix), and if it is none.
    pub fn input(&self, name: &str) -> &Tensor {
        self.inputs
            .get(name)
            .unwrap_or_else(|| panic!("{} has an input {name}", self.name))
    }

    /// An input with one dimension.
    pub fn vector(&self, name: &str) -> Array1<f64> {
        let values = self.input(name).values.clone();
        values
            .into_dimensionality::<Ix1>()
            .unwrap_or_else(|_| panic!("{}: {name} is a vector", self.name))
    }

    /// An input with two dimensions.
    pub fn matrix(&self, name: &str) -> Array2<f64> {
        let values = self.input(name).values.clone();
        values
            .into_dimensionality::<Ix2>()
            .unwrap_or_else(|_| panic!("{}: {name} is a matrix", self.name))
    }

    /// An attribute that is a number, if it is there.
    pub fn number(&self, attribute: &str) -> Option<f64> {
        self.attributes.get(attribute).and_then(serde_json::Value::as_f64)
    }

    /// A switch, which is off if it is not there.
    pub fn is_on(&self, attribute: &str) -> bool {
        let value = self.attributes.get(attribute);
        value.is_some_and(|value| {
            value.as_bool().unwrap_or_else(|| value.as_i64() == Some(1))
        })
    }

    /// An attribute that is a word, if it is there.
    pub fn word(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).and_then(serde_json::Value::as_str)
    }
}

/// Runs every case of a file, prints how many came out right and the largest error, and fails if one did not,
/// or if there are not as many as there should be.
///
/// An error is relative where the number is above 1, and absolute where it is below.
#[track_caller]
pub fn check(
    file: &str,
    cases: usize,
    tolerance: f64,
    run: impl Fn(&Case) -> Outputs,
) {
    let all = read(file);
    let mut largest: f64 = 0.0;
    let mut faults = Vec::new();
    for case in &all {
        match run(case)
            .map_err(|error| error.to_string())
            .and_then(|came| case.error(&came))
        {
            Ok(error) if error <= tolerance => largest = largest.max(error),
            Ok(error) => {
                faults.push(format!("{}: off by {error:.1e}", case.name))
            }
            Err(fault) => faults.push(format!("{}: {fault}", case.name)),
        }
    }
    // Not by println!, which a test that passes swallows.
    let passed = all.len() - faults.len();
    let report = format!(
        "{file}: {passed} of {} cases, largest error {largest:.1e}\n",
        all.len()
    );
    let _ = std::io::stdout().write_all(report.as_bytes());
    assert!(
        faults.is_empty(),
        "{file}: {} of {cases}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert_eq!(
        all.len(),
        cases,
        "{file} has another number of cases than it had"
    );
}

impl Case {
    /// The largest error of all outputs, each of which has to have been computed.
    fn error(
        &self,
        came: &[(&'static str, ArrayD<f64>)],
    ) -> Result<f64, String> {
        let mut largest: f64 = 0.0;
        for name in self.outputs.keys() {
            if !came.iter().any(|(made, _)| made == name) {
                return Err(format!("{name} was not computed"));
            }
        }
        for (name, came) in came {
            let needed = &self
                .outputs
                .get(*name)
                .ok_or(format!("no {name} is known"))?
                .values;
            if came.shape() != needed.shape() {
                return Err(format!(
                    "{name} came as {:?}, needed {:?}",
                    came.shape(),
                    needed.shape()
                ));
            }
            for (&came, &needed) in came.iter().zip(needed) {
                if came == needed {
                    continue; // infinities too
                }
                let error = (came - needed).abs() / needed.abs().max(1.0);
                largest = largest.max(if error.is_nan() {
                    f64::INFINITY
                } else {
                    error
                });
            }
        }
        Ok(largest)
    }
}

/// A file as it stands: each tensor once, for several cases share it.
#[derive(Deserialize)]
struct Stored {
    tensors: Vec<StoredTensor>,
    cases: Vec<StoredCase>,
}

#[derive(Deserialize)]
struct StoredTensor {
    dtype: String,
    shape: Vec<usize>,
    data: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Number(f64),
    Boolean(bool),
    /// `inf`, `-inf` or `nan`, for which JSON has no numbers.
    Word(String),
}

#[derive(Deserialize)]
struct StoredCase {
    name: String,
    attributes: BTreeMap<String, serde_json::Value>,
    inputs: BTreeMap<String, usize>,
    outputs: BTreeMap<String, usize>,
}

fn read(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/conformance")
        .join(file);
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let Stored { tensors, cases } = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tensors: Vec<Tensor> =
        tensors.iter().map(StoredTensor::tensor).collect();
    let named = |stored: BTreeMap<String, usize>| -> BTreeMap<String, Tensor> {
        stored
            .into_iter()
            .map(|(name, tensor)| (name, tensors[tensor].clone()))
            .collect()
    };
    let case = |StoredCase { name, attributes, inputs, outputs }| Case {
        name,
        attributes,
        inputs: named(inputs),
        outputs: named(outputs),
    };
    cases.into_iter().map(case).collect()
}

impl StoredTensor {
    fn tensor(&self) -> Tensor {
        let number = |entry: &Entry| match entry {
            // As many digits as tell a float32 from its neighbours.
            Entry::Number(number) if self.dtype == "f32" => {
                f64::from(*number as f32)
            }
            Entry::Number(number) => *number,
            Entry::Boolean(true) => 1.0,
            Entry::Boolean(false) => 0.0,
            Entry::Word(word) => word.parse().expect("a word for a number"),
        };
        let data = self.data.iter().map(number).collect();
        let values = ArrayD::from_shape_vec(self.shape.clone(), data)
            .expect("as many entries as places");
        Tensor { boolean: self.dtype == "bool", values }
    }
}
