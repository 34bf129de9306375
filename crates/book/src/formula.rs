//! Formulas: TeX in, and MathML, or what is wrong with it, out. KaTeX reads them.

use std::collections::HashMap;
use std::path::Path;

use katex::{Opts, render_with_opts};
use mdbook_katex::cfg::KatexConfig;

use crate::fault::{Error, Result};
use crate::maths::settle;

/// KaTeX with a book's macros and settings. What comes out is MathML, and needs no stylesheet.
#[derive(Debug)]
pub struct Katex {
    inline: Opts,
    display: Opts,
}

impl Katex {
    /// KaTeX as the book at `root` has it.
    ///
    /// # Errors
    ///
    /// [`Error::Other`] if a macro has no meaning, [`Error::File`] if the macros cannot be read.
    pub fn of(root: &Path, settings: &KatexConfig) -> Result<Self> {
        let macros = match &settings.macros {
            Some(file) => macros(&root.join(file))?,
            None => HashMap::new(),
        };
        let (inline, display) = settings.build_opts_from_macros(macros);
        Ok(Katex { inline, display })
    }

    /// Sets a formula, displayed or in a line.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn set(&self, tex: &str, display: bool) -> Result<String, String> {
        let options = if display { &self.display } else { &self.inline };
        match render_with_opts(tex, options) {
            // A line of its own could end the paragraph.
            Ok(html) => Ok(settle(&html.replace('\n', " "))),
            Err(error) => Err(format!(
                "KaTeX cannot read the formula `{}`: {}",
                tex.trim(),
                reason(&error.to_string().replace('\n', " "))
            )),
        }
    }
}

/// Macros as a file has them, one a line, `\name:meaning`; other lines are remarks.
fn macros(file: &Path) -> Result<HashMap<String, String>> {
    let text = files::text(file).map_err(Error::file(file, "KaTeX's macros cannot be read"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with('\\'));
    lines
        .map(|(number, line)| match line.split_once(':') {
            Some((name, meaning)) => Ok((name.to_owned(), meaning.to_owned())),
            None => Err(Error::Other(format!(
                "{}:{}:1: `{line}` has no meaning; a macro is written `\\name:meaning`",
                file.display(),
                number + 1
            ))),
        })
        .collect()
}

/// The reason in a message of KaTeX's, which wraps it in the debugging form of an error, and repeats the formula.
fn reason(message: &str) -> String {
    let reason = message.rsplit_once("KaTeX parse error: ").map_or(message, |(_, reason)| reason);
    let end = [" at position ", " at end of input"].iter().filter_map(|mark| reason.find(mark)).min();
    reason[..end.unwrap_or(reason.len())].replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_in_a_message_of_katex() {
        let message = r#"JsError(String("ParseError: KaTeX parse error: Undefined control sequence: \\bad at position 1: \\b")"#;
        assert_eq!(reason(message), r"Undefined control sequence: \bad");
        assert_eq!(reason("something else"), "something else");
    }

    #[test]
    fn a_formula_in_a_line_and_one_on_show() {
        let settings = KatexConfig { output: "mathml".into(), ..KatexConfig::default() };
        let katex = Katex::of(Path::new(""), &settings).unwrap();
        let set = |display| katex.set("x", display).unwrap();
        assert!(set(false).starts_with("<span class=\"katex\"><math"), "{}", set(false));
        assert!(set(true).contains("display=\"block\""), "{}", set(true));
        assert!(katex.set("\\bad", false).unwrap_err().ends_with("Undefined control sequence: \\bad"));
    }
}
