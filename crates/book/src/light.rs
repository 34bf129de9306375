//! Styles and scripts without what only those read who write them: a sixth of what a page loads besides its figures.

use std::path::Path;

/// Whether [`lighter`] is for this file of the book. What others have minified stays as it is, licence and all.
pub fn is_heavy(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let minified =
        name.contains(".min.") || ["highlight", "searchindex"].iter().any(|it| name.starts_with(it));
    let is_module = file.parent().is_some_and(|folder| folder.ends_with("live"));
    file.extension().is_some_and(|ending| ending == "css" || ending == "js") && !minified && !is_module
}

/// A style or a script without indentation, blank lines, and the comments that begin a line. What is quoted between
/// backticks stays as it is; and so does all of a text in which they come in no pairs.
///
/// ```
/// use book::light::lighter;
///
/// assert_eq!(lighter("/* why\n   so */\n.a {\n    b: c; /* d */\n}\n"), ".a {\nb: c; /* d */\n}\n");
/// assert_eq!(lighter("// why\nf(`a\n  // b\n`);\n  /** c */ g();\n"), "f(`a\n  // b\n`);\ng();\n");
/// assert_eq!(lighter("/*! A licence */\n  a"), "/*! A licence */\na\n");
/// assert_eq!(lighter("  '`'"), "  '`'");
/// ```
pub fn lighter(text: &str) -> String {
    let (mut lighter, mut in_comment, mut in_quote) = (String::with_capacity(text.len()), false, false);
    for line in text.lines() {
        let mut code = if in_quote { line } else { line.trim() };
        while !in_quote && (in_comment || code.starts_with("/*") && !code.starts_with("/*!")) {
            let end = code.find("*/");
            in_comment = end.is_none();
            code = end.map_or("", |end| code[end + 2..].trim());
            if in_comment {
                break;
            }
        }
        if !in_quote && (code.is_empty() || code.starts_with("//")) {
            continue;
        }
        in_quote ^= code.matches('`').count() % 2 == 1;
        lighter.extend([code, "\n"]);
    }
    if in_quote { text.to_owned() } else { lighter }
}
