//! The folder of the built book, and how a new book takes the place of the old one: whole, or not at all.
//!
//! A book is built in a folder beside its own, and then the two change names, in one step where the system has
//! one (Linux and macOS). Whoever looks at the book, at any moment and whatever is killed when, sees the old one
//! or the new one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::fault::{Error, Result};

/// mdBook writes this line into `.nojekyll` in every book: by it we know what may be replaced.
const MDBOOKS_OWN: &str = "This file makes sure that Github Pages doesn't process mdBook's output.";

/// The folder of a book, for as long as one builds it: nobody else can meanwhile.
#[derive(Debug)]
pub struct Site {
    book: PathBuf,
    staging: PathBuf,
    _lock: File,
}

impl Site {
    /// Prepares to build the book in folder `book`: waits until no other build is going on (after a call of
    /// `waiting`), and tidies up after one that was killed.
    ///
    /// # Errors
    ///
    /// [`Error::Other`] if `book` is a file, or a folder with anything but a book in it; [`Error::File`] if the
    /// folders cannot be made.
    pub fn open(book: &Path, waiting: impl FnOnce()) -> Result<Self> {
        // Through a link, to the folder that it means.
        let book = fs::canonicalize(book).unwrap_or_else(|_| book.to_owned());
        let (Some(parent), Some(name)) = (book.parent(), book.file_name()) else {
            return Err(Error::Other(format!(
                "{}: a book cannot be built here; see build-dir in book.toml",
                book.display()
            )));
        };
        let staging = parent.join(format!(".{}-staging", name.to_string_lossy()));
        fs::create_dir_all(&staging)
            .map_err(Error::file(&staging, "this folder, needed to build the book, cannot be made"))?;

        let lock_file = staging.join("lock");
        let busy = "this file, which keeps two builds apart, cannot be locked";
        let lock = File::create(&lock_file).map_err(Error::file(&lock_file, busy))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting();
                lock.lock().map_err(Error::file(&lock_file, busy))?;
            }
            Err(TryLockError::Error(error)) => return Err(Error::file(&lock_file, busy)(error)),
        }

        let site = Site { book, staging, _lock: lock };
        site.tidy().map_err(Error::file(
            &site.staging,
            "what an interrupted build left there cannot be tidied up",
        ))?;
        site.check()?;
        Ok(site)
    }

    /// The folder of the book.
    pub fn book(&self) -> &Path {
        &self.book
    }

    /// The folder to build the new book in.
    pub fn draft(&self) -> PathBuf {
        self.staging.join("new")
    }

    /// Puts the new book in the place of the old one.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be put there; then the old one is where it was.
    pub fn publish(self) -> Result<()> {
        let moved = match exchange(&self.draft(), &self.book) {
            Err(error) if error.kind() == ErrorKind::NotFound => fs::rename(self.draft(), &self.book),
            Err(error) if cannot_exchange(&error) => self.replace(),
            other => other,
        };
        moved.map_err(Error::file(&self.book, "the new book cannot be put here"))?;
        // The book is there; whatever is left of the old one will be tidied up by the next build.
        let _ = self.tidy();
        Ok(())
    }

    /// The exchange in two steps. Between them there is no book; should we be killed there, the next build brings
    /// the old one back first.
    fn replace(&self) -> io::Result<()> {
        fs::rename(&self.book, self.old())?;
        fs::rename(self.draft(), &self.book).inspect_err(|_| {
            let _ = fs::rename(self.old(), &self.book);
        })
    }

    fn old(&self) -> PathBuf {
        self.staging.join("old")
    }

    fn tidy(&self) -> io::Result<()> {
        if self.old().exists() && !self.book.exists() {
            fs::rename(self.old(), &self.book)?;
        }
        for folder in [self.draft(), self.old()] {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Only a book is replaced by a book: `build-dir` may be mistyped.
    fn check(&self) -> Result<()> {
        let refuse = |what: &str| {
            let book = self.book.display();
            Err(Error::Other(format!("{book}: {what}; move it away, or set another build-dir in book.toml")))
        };
        match fs::read_dir(&self.book) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                refuse("the book's folder would go here, but this is a file")
            }
            Err(error) => Err(Error::file(&self.book, "the book's folder cannot be read")(error)),
            Ok(mut entries) => {
                // With several renderers each has a folder of its own.
                let is_book = ["", "html"].iter().any(|folder| {
                    let mark = fs::read_to_string(self.book.join(folder).join(".nojekyll"));
                    mark.is_ok_and(|mark| mark.starts_with(MDBOOKS_OWN))
                });
                if is_book || entries.next().is_none() {
                    Ok(())
                } else {
                    refuse("the book's folder would replace this one, which is not empty and holds no book")
                }
            }
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, other: &Path) -> io::Result<()> {
    Err(if other.exists() { ErrorKind::Unsupported } else { ErrorKind::NotFound }.into())
}

/// Whether a file system has no exchange in one step.
fn cannot_exchange(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

/// Writes files into `folder`, each of them whole or not at all.
///
/// # Errors
///
/// [`Error::File`] if the folder or a file in it cannot be written.
pub fn write_files<'a>(folder: &Path, files: impl IntoIterator<Item = (String, &'a str)>) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::file(folder, "this folder cannot be made"))?;
    for (name, content) in files {
        let path = folder.join(name);
        let write = || {
            let mut file = tempfile::Builder::new().prefix(".unfinished-").tempfile_in(folder)?;
            io::Write::write_all(&mut file, content.as_bytes())?;
            // A temporary file is private; this one is to be read by everybody.
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
            }
            file.persist(&path).map_err(|error| error.error)
        };
        write().map_err(Error::file(&path, "this file cannot be written"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with the mark of a book and one page.
    fn book_in(folder: &Path, page: &str) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(".nojekyll"), MDBOOKS_OWN).unwrap();
        fs::write(folder.join("index.html"), page).unwrap();
    }

    fn page(folder: &Path) -> String {
        fs::read_to_string(folder.join("index.html")).unwrap()
    }

    fn open(book: &Path) -> Result<Site> {
        Site::open(book, || panic!("nobody else builds here"))
    }

    #[test]
    fn the_first_book_and_the_second() {
        let root = tempfile::tempdir().unwrap();
        let book = root.path().join("out/book");
        for text in ["first", "second"] {
            let site = open(&book).unwrap();
            book_in(&site.draft(), text);
            site.publish().unwrap();
            assert_eq!(page(&book), text);
        }
        let left: Vec<_> = fs::read_dir(root.path().join("out/.book-staging")).unwrap().collect();
        assert_eq!(left.len(), 1, "only the lock stays: {left:?}");
    }

    #[test]
    fn without_an_exchange_in_one_step() {
        let root = tempfile::tempdir().unwrap();
        let book = root.path().join("book");
        book_in(&book, "old");
        let site = open(&book).unwrap();
        book_in(&site.draft(), "new");
        site.replace().unwrap();
        assert_eq!((page(&book), page(&site.old())), ("new".into(), "old".into()));
    }

    #[test]
    fn a_killed_build_leaves_nothing_and_takes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let (book, staging) = (root.path().join("book"), root.path().join(".book-staging"));
        // Killed between the two steps, where there are two.
        book_in(&staging.join("old"), "old");
        book_in(&staging.join("new"), "new");
        drop(open(&book).unwrap());
        assert_eq!(page(&book), "old");
        assert!(!staging.join("new").exists() && !staging.join("old").exists());
        // Killed after the exchange.
        book_in(&staging.join("new"), "older");
        drop(open(&book).unwrap());
        assert_eq!(page(&book), "old");
        assert!(!staging.join("new").exists());
    }

    #[test]
    fn only_a_book_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("empty")).unwrap();
        assert!(open(&at("empty")).is_ok());

        fs::create_dir(at("thesis")).unwrap();
        fs::write(at("thesis").join("index.html"), "three years of work").unwrap();
        let fault = open(&at("thesis")).unwrap_err().to_string();
        assert!(fault.contains("thesis: ") && fault.contains("holds no book"), "{fault}");

        fs::write(at("file"), "").unwrap();
        let fault = open(&at("file")).unwrap_err().to_string();
        assert!(fault.contains("this is a file"), "{fault}");

        let fault = open(&at("file").join("book")).unwrap_err().to_string();
        assert!(fault.contains("cannot be made"), "{fault}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let root = tempfile::tempdir().unwrap();
        let (link, place) = (root.path().join("book"), root.path().join("elsewhere/book"));
        book_in(&place, "old");
        std::os::unix::fs::symlink(&place, &link).unwrap();
        let site = open(&link).unwrap();
        book_in(&site.draft(), "new");
        site.publish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(page(&place), "new");
    }

    #[test]
    fn two_builds_wait_for_each_other() {
        let root = tempfile::tempdir().unwrap();
        let book = root.path().join("book");
        let first = open(&book).unwrap();
        let (send, waits) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Site::open(&book, || send.send(()).unwrap()).map(drop));
            waits.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
            assert!(!second.is_finished());
            book_in(&first.draft(), "first");
            first.publish().unwrap();
            second.join().unwrap().unwrap();
        });
        assert_eq!(page(&book), "first");
    }

    #[test]
    fn files_are_written_whole() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        write_files(&folder, [("x.svg".to_owned(), "<svg/>")]).unwrap();
        assert_eq!(fs::read_to_string(folder.join("x.svg")).unwrap(), "<svg/>");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
