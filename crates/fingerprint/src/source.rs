//! Rust's files as what the compiler makes of them: a module tree of tokens, with the files it includes.

use std::path::{Path, PathBuf};
use std::{fs, io};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::named;

/// Appends the code of a file to `code`, and that of all modules and included files below it.
pub fn read(file: &Path, code: &mut Vec<u8>) -> io::Result<()> {
    let tokens: TokenStream = text(file)?.parse().map_err(|error| named(file, error))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    // The modules of `lib.rs` and `mod.rs` lie beside them, those of `name.rs` in the folder `name`.
    let below = match file.file_stem() {
        Some(stem) if stem != "lib" && stem != "mod" => folder.join(stem),
        _ => folder.to_owned(),
    };
    Reader { file, code }.tokens(tokens, &below)
}

/// A file's text, with line ends as the compiler takes them.
fn text(file: &Path) -> io::Result<String> {
    Ok(fs::read_to_string(file).map_err(|error| named(file, error))?.replace("\r\n", "\n"))
}

struct Reader<'a> {
    file: &'a Path,
    code: &'a mut Vec<u8>,
}

impl Reader<'_> {
    /// `below` is the folder of the modules that are declared here.
    fn tokens(&mut self, tokens: TokenStream, below: &Path) -> io::Result<()> {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &trees[..];
        while let Some(tree) = rest.first() {
            if let Some((length, attribute)) = attribute(rest) {
                let uncounted = match attribute.to_string().as_str() {
                    "cfg (test)" | "cfg(test)" => item(&rest[length..]),
                    said if said.starts_with("path") => {
                        return Err(named(self.file, "modules with a `path` are not looked up"));
                    }
                    said => (said == "doc" || said.starts_with("doc ")).then_some(0),
                };
                if let Some(more) = uncounted {
                    rest = &rest[length + more..];
                    continue;
                }
            }
            match rest {
                [TokenTree::Ident(word), TokenTree::Ident(name), end, ..] if word == "mod" => {
                    let inner = below.join(name.to_string());
                    match end {
                        TokenTree::Group(group) => {
                            self.word(&format!("mod {name}"));
                            self.tokens(group.stream(), &inner)?;
                            self.word("end");
                            rest = &rest[3..];
                            continue;
                        }
                        _ => self.module(&inner)?,
                    }
                }
                [TokenTree::Ident(word), TokenTree::Punct(mark), TokenTree::Group(group), ..]
                    if mark.as_char() == '!' && word.to_string().starts_with("include") =>
                {
                    self.included(&word.to_string(), &group.stream().to_string())?;
                }
                _ => {}
            }
            self.tree(tree, rest.len() == 1, below)?;
            rest = &rest[1..];
        }
        Ok(())
    }

    fn tree(&mut self, tree: &TokenTree, last: bool, below: &Path) -> io::Result<()> {
        match tree {
            TokenTree::Group(group) => {
                let (start, end) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                self.word(start);
                self.tokens(group.stream(), below)?;
                self.word(end);
            }
            // Formatting adds and removes commas at an end.
            TokenTree::Punct(mark) if mark.as_char() == ',' && last => {}
            TokenTree::Punct(mark) => {
                self.code.extend(mark.as_char().to_string().as_bytes());
                if mark.spacing() == Spacing::Alone {
                    self.code.push(0);
                }
            }
            TokenTree::Ident(name) => self.word(&name.to_string()),
            TokenTree::Literal(value) => self.word(&value.to_string()),
        }
        Ok(())
    }

    fn word(&mut self, word: &str) {
        self.code.extend(word.as_bytes());
        self.code.push(0);
    }

    /// The module of a file, declared as `mod name;`: `path` is where it lies, without an ending.
    fn module(&mut self, path: &Path) -> io::Result<()> {
        let beside = path.with_extension("rs");
        let file: PathBuf = if beside.exists() { beside } else { path.join("mod.rs") };
        read(&file, self.code)
    }

    /// The file of `include_str!("name")` and the like.
    fn included(&mut self, word: &str, argument: &str) -> io::Result<()> {
        let name = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let name = name.filter(|name| !name.contains(['"', '\\'])).ok_or_else(|| {
            named(self.file, format!("{word}!({argument}): only a plain name is looked up"))
        })?;
        let file = self.file.with_file_name(name);
        self.word(word);
        match word {
            "include_bytes" => self.code.extend(fs::read(&file).map_err(|error| named(&file, error))?),
            _ => self.code.extend(text(&file)?.as_bytes()),
        }
        self.code.push(0);
        Ok(())
    }
}

/// The attribute that the tokens begin with: how many tokens it is, and what stands in its brackets.
fn attribute(tokens: &[TokenTree]) -> Option<(usize, TokenStream)> {
    let is = |tree: &TokenTree, sign| matches!(tree, TokenTree::Punct(mark) if mark.as_char() == sign);
    match tokens {
        [hash, TokenTree::Group(group), ..] if is(hash, '#') => Some((2, group.stream())),
        [hash, inner, TokenTree::Group(group), ..] if is(hash, '#') && is(inner, '!') => {
            Some((3, group.stream()))
        }
        _ => None,
    }
}

/// How many tokens the item has that the tokens begin with, its attributes among them. `None` where it cannot be told
/// by its first word; it counts then, test or not.
fn item(tokens: &[TokenTree]) -> Option<usize> {
    let mut start = 0;
    while let Some((length, _)) = attribute(&tokens[start..]) {
        start += length;
    }
    let word = tokens[start..].iter().find_map(|tree| match tree {
        TokenTree::Ident(word) if word != "pub" => Some(word.to_string()),
        _ => None,
    })?;
    let braces_end_it = match word.as_str() {
        "mod" | "fn" | "impl" | "struct" | "enum" | "trait" => true,
        "use" | "type" | "static" => false,
        _ => return None,
    };
    let ends = |tree: &TokenTree| match tree {
        TokenTree::Punct(mark) => mark.as_char() == ';',
        TokenTree::Group(group) => braces_end_it && group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let length = tokens[start..].iter().position(ends)? + 1;
    Some(start + length)
}
