//! What is written: whole, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A folder to which files of certain names can be written.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder, if need be, and tries it, so that nobody trains in vain: these files are to be written.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if there can be no such folder, or nothing can be written there; [`Error::Other`] if a folder is where
    /// a file is to be.
    pub fn open(path: &Path, names: &[&str]) -> Result<Self> {
        fs::create_dir_all(path).map_err(Error::file(path, "this folder cannot be made"))?;
        let folder = Self { path: path.to_owned() };
        // What is written here is gone again at once.
        let trial = folder.file(".trial");
        files::write(&trial, "")
            .and_then(|()| fs::remove_file(&trial))
            .map_err(Error::file(path, "nothing can be written here"))?;
        for name in names {
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

    /// Writes one of the files.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be written; then what was there stays.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let file = self.file(name);
        files::write(&file, content).map_err(Error::file(&file, "this cannot be written"))
    }

    /// Reads one of the files.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        let file = self.file(name);
        fs::read(&file).map_err(Error::file(&file, "this cannot be read"))
    }
}
