//! What is written: whole, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use candle_core::{DType, safetensors};

use attention::AttentionOnly;
use attention::study::Repeats;

use crate::model::Model;
use crate::train::{Trained, tensors};
use crate::{Error, Result};

/// The trained weights.
pub const WEIGHTS: &str = "weights.safetensors";
/// What was measured while they were trained.
pub const LOG: &str = "log.csv";
/// What candle makes of a few sequences: the library's tests compare themselves with it.
pub const LOGITS: &str = "logits.csv";

/// How many sequences these are.
const REFERENCES: usize = 4;
/// Of their positions, the last of each so many.
const REFERENCE_STEP: usize = 6;

/// A folder that can be written to.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder, if need be, and tries it, so that nobody trains in vain.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if there can be no such folder, or nothing can be written there.
    pub fn open(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).map_err(Error::file(path, "this folder cannot be made"))?;
        let folder = Self { path: path.to_owned() };
        // What is written here is gone again at once.
        let trial = folder.file(".trial");
        files::write(&trial, "")
            .and_then(|()| fs::remove_file(&trial))
            .map_err(Error::file(path, "nothing can be written here"))?;
        for name in [WEIGHTS, LOG, LOGITS] {
            let file = folder.file(name);
            if file.is_dir() {
                return Err(Error::Other(format!("{}: a folder is where a file is to be", file.display())));
            }
            files::target(&file).map_err(Error::file(&file, "this cannot be replaced"))?;
        }
        Ok(folder)
    }

    /// One of the files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes everything.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if something cannot be written; then what was there stays.
    pub fn write(&self, trained: &Trained) -> Result<()> {
        let cannot = "this cannot be written";
        let text = |name: &str, content: &[u8]| {
            let file = self.file(name);
            files::write(&file, content).map_err(Error::file(&file, cannot))
        };
        // candle writes files alone.
        let draft = self.file(".unfinished");
        let saved = safetensors::save(&trained.model.tensors()?, &draft);
        let weights = fs::read(&draft).map_err(Error::file(&draft, cannot));
        let _ = fs::remove_file(&draft);
        saved?;
        text(WEIGHTS, &weights?)?;
        text(LOG, trained.log.to_csv().as_bytes())?;
        text(LOGITS, references(&trained.model)?.as_bytes())
    }

    /// The model, as the book's library reads it in the file.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the file cannot be read, and [`Error::Library`] if the library refuses it.
    pub fn model(&self) -> Result<AttentionOnly> {
        let file = self.file(WEIGHTS);
        let bytes = fs::read(&file).map_err(Error::file(&file, "this cannot be read"))?;
        Ok(AttentionOnly::from_safetensors(&bytes)?)
    }
}

/// candle's logits, in f64, for some positions of the first sequences on which models are measured.
fn references(model: &Model) -> Result<String> {
    let (inputs, _) = tensors(&Repeats::evaluation()[..REFERENCES])?;
    let logits: Vec<Vec<f64>> = model.logits(&inputs, DType::F64)?.to_vec2()?; // [n T, alphabet]
    let mut csv = "sequence,position,a logit for each symbol\n".to_owned();
    for (row, logits) in logits.iter().enumerate() {
        let (sequence, position) = (row / Repeats::LENGTH, row % Repeats::LENGTH);
        if (position + 1) % REFERENCE_STEP == 0 {
            csv += &format!("{sequence},{position}");
            logits.iter().for_each(|logit| csv += &format!(",{logit:.9}"));
            csv.push('\n');
        }
    }
    Ok(csv)
}
