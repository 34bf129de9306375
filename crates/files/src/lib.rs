//! Text files read in one way, whatever wrote them; and files written whole or not at all.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text in a file, as [`plain`] has it.
///
/// # Errors
///
/// That of the system; [`ErrorKind::InvalidData`] if the file is no UTF-8, and then it says what it is, if that is plain.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("a.md");
/// std::fs::write(&file, "\u{feff}one\r\ntwo\r\n")?;
/// assert_eq!(files::text(&file)?, "one\ntwo\n");
/// std::fs::write(&file, [0xff, 0xfe, b'a', 0])?;
/// assert_eq!(files::text(&file).unwrap_err().to_string(), "it is UTF-16; save it as UTF-8");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn text(file: &Path) -> io::Result<String> {
    let invalid = |what: String| io::Error::new(ErrorKind::InvalidData, what);
    let bytes = fs::read(file)?;
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes[..] {
        return Err(invalid("it is UTF-16; save it as UTF-8".into()));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        invalid(format!("it is no UTF-8, from line {line} on"))
    })?;
    Ok(plain(text))
}

/// A text as this project writes its own: without a byte order mark, each line ended by a line feed alone.
///
/// ```
/// assert_eq!(files::plain("\u{feff}a\r\nb\rc\n".into()), "a\nb\nc\n");
/// ```
pub fn plain(mut text: String) -> String {
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Writes a file: whole, or not at all. Whoever looks sees the old one or the new one. A link stays a link, and the file that
/// it means is written.
///
/// # Errors
///
/// That of the system; [`ErrorKind::InvalidInput`] if something is there already that is no file (a folder, a device, a link
/// to nothing), [`ErrorKind::PermissionDenied`] if it is a file that may only be read.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("a.svg");
/// files::write(&file, "<svg/>")?;
/// assert_eq!(std::fs::read_to_string(&file)?, "<svg/>");
/// assert!(files::write(folder.path(), "").unwrap_err().to_string().contains("not a file"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let (target, old) = target(path)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unfinished-");
    // A temporary file is its maker's alone; this one is to be read by whoever may read files here.
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666))
    };
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content.as_ref())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old)?;
    }
    file.persist(&target).map(drop).map_err(|error| error.error)
}

/// The file that a path means, through links, and who may do what with it, if it is there.
///
/// # Errors
///
/// As for [`write()`].
pub fn target(path: &Path) -> io::Result<(PathBuf, Option<fs::Permissions>)> {
    let refuse = |kind, what: &str| Err(io::Error::new(kind, what));
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((path.to_owned(), None)),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let Ok(target) = fs::canonicalize(path) else {
        return refuse(ErrorKind::InvalidInput, "there is a link here that leads nowhere");
    };
    let found = fs::metadata(&target)?;
    if !found.is_file() {
        return refuse(ErrorKind::InvalidInput, "what is here already is not a file");
    }
    if found.permissions().readonly() {
        return refuse(ErrorKind::PermissionDenied, "the file that is here already may only be read");
    }
    Ok((target, Some(found.permissions())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through_and_nothing_else_than_a_file_is_replaced() {
        use std::os::unix::fs::{FileTypeExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("link", at("link to a link")).unwrap();
        write(&at("link to a link"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "new");
        assert!(at("link").is_symlink() && at("link to a link").is_symlink());

        symlink("nothing", at("nowhere")).unwrap();
        symlink("/dev/null", at("device")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for name in ["nowhere", "device", "folder"] {
            assert_eq!(write(&at(name), "new").unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        }
        assert!(at("nowhere").is_symlink() && !at("nothing").exists());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert_eq!(write(Path::new("/dev/null"), "").unwrap_err().kind(), ErrorKind::InvalidInput);

        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o444)).unwrap();
        assert_eq!(write(&at("link"), "newer").unwrap_err().kind(), ErrorKind::PermissionDenied);
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "new");
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o640)).unwrap();
        write(&at("file"), "newer").unwrap();
        assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6, "nothing unfinished stays");
    }

    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt as _;
}
