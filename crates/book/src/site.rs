//! The folder of the built book, and how a new book takes the place of the old one: whole, or not at all.
//!
//! A book is built in a folder beside its own, and then the two change names, in one step where the system has
//! one (Linux and macOS). Whoever looks at the book, at any moment and whatever is killed when, sees the old one
//! or the new one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use same_file::Handle;

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
        if book.is_symlink() && !book.exists() {
            let what =
                "there is a link here that leads nowhere; remove it, or set another build-dir in book.toml";
            return Err(Error::Other(format!("{}: {what}", book.display())));
        }
        // Through a link, to the folder that it means.
        let book = real(book);
        let (Some(parent), Some(name)) = (book.parent(), book.file_name()) else {
            return Err(Error::Other(format!(
                "{}: a book cannot be built here; see build-dir in book.toml",
                book.display()
            )));
        };
        let staging = parent.join(format!(".{}-staging", name.to_string_lossy()));
        let lock = lock(&staging, waiting)?;
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
        // The old one goes when `self` does.
        moved.map_err(Error::file(&self.book, "the new book cannot be put here"))
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

/// Nothing stays but the book, however a build ends. What cannot be removed now, the next build will.
impl Drop for Site {
    fn drop(&mut self) {
        if self.tidy().is_ok() {
            let _ = fs::remove_file(lock_file(&self.staging)).and_then(|()| fs::remove_dir(&self.staging));
        }
    }
}

fn lock_file(staging: &Path) -> PathBuf {
    staging.join("lock")
}

/// Makes the folder to build in, and keeps it from all others as long as the file returned is open.
fn lock(staging: &Path, waiting: impl FnOnce()) -> Result<File> {
    let path = lock_file(staging);
    let busy = "this file, which keeps two builds apart, cannot be locked";
    let mut waiting = Some(waiting);
    loop {
        fs::create_dir_all(staging)
            .map_err(Error::file(staging, "this folder, needed to build the book, cannot be made"))?;
        let file = match File::create(&path) {
            // Another build ended, and took the folder with it.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            other => other.map_err(Error::file(&path, busy))?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if let Some(waiting) = waiting.take() {
                    waiting();
                }
                file.lock().map_err(Error::file(&path, busy))?;
            }
            Err(TryLockError::Error(error)) => return Err(Error::file(&path, busy)(error)),
        }
        // Whoever had it took the file away: then this is a lock on nothing.
        let same = file
            .try_clone()
            .and_then(Handle::from_file)
            .and_then(|ours| Ok(ours == Handle::from_path(&path)?));
        if same.unwrap_or(false) {
            return Ok(file);
        }
    }
}

/// Makes sure that the folder of a book neither holds its sources, which the book would replace, nor is among them, where
/// mdBook would copy the old book into the new one.
///
/// # Errors
///
/// [`Error::Other`], which says what is wrong.
pub fn keep_apart(book: &Path, sources: &[&Path; 2]) -> Result<()> {
    let book = real(book);
    let [root, source] = sources.map(real);
    let refuse = |what: String| {
        Err(Error::Other(format!("{}: {what}; set another build-dir in book.toml", book.display())))
    };
    if root.starts_with(&book) || source.starts_with(&book) {
        return refuse(
            "the book's folder would replace this one, which is not empty and holds no book, but the sources of one".into(),
        );
    }
    if book.starts_with(&source) {
        return refuse(format!(
            "the book would be built among its own sources, in {}, and the next one would hold a copy of it",
            source.display()
        ));
    }
    Ok(())
}

/// A path without links and `..`, also where it leads to nothing yet.
fn real(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
        if let Ok(found) = fs::canonicalize(&real) {
            real = found;
        }
    }
    real
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
/// [`Error::File`] if the folder or a file in it cannot be written; and, before any is written, if one is no file.
pub fn write_files<'a>(folder: &Path, files: impl IntoIterator<Item = (String, &'a str)>) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::file(folder, "this folder cannot be made"))?;
    let files: Vec<_> = files.into_iter().map(|(name, content)| (folder.join(name), content)).collect();
    let cannot = "this file cannot be written";
    for (path, _) in &files {
        files::target(path).map_err(Error::file(path, cannot))?;
    }
    files
        .iter()
        .try_for_each(|(path, content)| files::write(path, content).map_err(Error::file(path, cannot)))
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
        let left: Vec<_> = fs::read_dir(root.path().join("out")).unwrap().collect();
        assert_eq!(left.len(), 1, "only the book stays: {left:?}");
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
        assert!(!staging.exists());
        // Killed after the exchange.
        book_in(&staging.join("new"), "older");
        drop(open(&book).unwrap());
        assert_eq!(page(&book), "old");
        assert!(!staging.exists());
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

    #[test]
    fn a_build_that_ends_early_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let book = root.path().join("book");
        let site = open(&book).unwrap();
        book_in(&site.draft(), "half of it");
        drop(site);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_book_and_its_sources_stay_apart() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("book/src")).unwrap();
        let apart = |book: &str, src: &str| keep_apart(&at(book), &[&at("book"), &at(src)]);
        for (book, src) in [
            ("book/src/out", "book/src"),
            ("book/new/../src/out", "book/src"),
            ("book/out", "book"),
            ("book", "book/src"),
            ("", "book/src"),
            ("book/src", "book/src"),
            ("text", "text"),
        ] {
            assert!(apart(book, src).is_err(), "{book} {src}");
        }
        for (book, src) in [
            ("book/out", "book/src"),
            ("out", "book/src"),
            ("book/src2", "book/src"),
            ("text/out", "book/src"),
        ] {
            assert!(apart(book, src).is_ok(), "{book} {src}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("book/src"), at("link")).unwrap();
            assert!(apart("link/out", "book/src").is_err());
            std::os::unix::fs::symlink("nothing", at("nowhere")).unwrap();
            assert!(open(&at("nowhere")).unwrap_err().to_string().contains("a link here that leads nowhere"));
            assert!(at("nowhere").is_symlink());
        }
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
