//! Scenes as files: TOML, read with every mistake named by its line and column.
//!
//! The live module has no need of this: its scene comes with the page, checked already.

use std::io::ErrorKind;
use std::path::Path;

use attention::circuits::WordKind;
use serde::Deserialize;
use toml::Spanned;

use crate::scene::{Scene, SceneError, Token};
use crate::scene_text::{self, Spaces};

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    query: Spanned<String>,
    why: Spanned<String>,
    #[serde(default)]
    token: Vec<FileToken>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileToken {
    text: Spanned<String>,
    vector: Spanned<Vec<f64>>,
    kind: Option<Spanned<String>>,
}

impl Scene {
    /// Reads a scene from TOML.
    ///
    /// # Errors
    ///
    /// A [`SceneError`] with line and column if the text is no TOML, lacks a field or has one too many, or
    /// if a token, its vector or their number is outside the limits above.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        Self::parse_named(text.to_owned(), "scene")
    }

    /// Reads a scene from a TOML file.
    ///
    /// # Errors
    ///
    /// A [`SceneError`] if the file cannot be read, and as for [`Scene::parse`], with the file's name.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        // Said apart, since reading a folder fails with a message that does not name the mistake.
        if path.is_dir() {
            let what = "is a folder; needed is a scene file such as crates/figures/src/scene.toml";
            return Err(SceneError { place: name, what: what.into() });
        }
        files::text(path)
            .map_err(|error| {
                let what = match error.kind() {
                    ErrorKind::NotFound => "cannot be read: there is no such file".into(),
                    ErrorKind::InvalidData => format!("cannot be read as text: {error}"),
                    _ => format!("cannot be read: {error}"),
                };
                SceneError { place: name.clone(), what }
            })
            .and_then(|text| Self::parse_named(text, &name))
    }

    fn parse_named(text: String, name: &str) -> Result<Self, SceneError> {
        let text = &files::plain(text);
        let fault = |at: usize, what: String| {
            let before = &text[..at.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            SceneError { place: format!("{name}:{line}:{column}"), what }
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            fault(at, error.message().trim().replace('\n', "; "))
        })?;

        let count = file.token.len();
        if !(Self::FEWEST..=Self::MOST).contains(&count) {
            // The excess token, or the end of the file where more were needed.
            let at = file.token.get(Self::MOST).map_or(text.trim_end().len(), |t| t.text.span().start);
            let (fewest, most) = (Self::FEWEST, Self::MOST);
            return Err(fault(at, format!("tokens: came {count}; needed are {fewest} to {most}")));
        }
        let why = check_why(file.why.get_ref()).map_err(|what| fault(file.why.span().start, what))?;

        let mut tokens: Vec<Token> = Vec::with_capacity(count);
        for (place, token) in file.token.iter().enumerate() {
            let text = check_text(token.text.get_ref())
                .map_err(|what| fault(token.text.span().start, format!("token {}: {what}", place + 1)))?;
            let vector = check_vector(token.vector.get_ref()).map_err(|what| {
                fault(token.vector.span().start, format!("token {} (`{text}`): {what}", place + 1))
            })?;
            let kind = token.kind.as_ref().map_or(Ok(WordKind::Other), |kind| {
                check_kind(kind.get_ref()).map_err(|what| {
                    fault(kind.span().start, format!("token {} (`{text}`): {what}", place + 1))
                })
            })?;
            let seen = scene_text::seen(&text);
            let earlier = tokens.iter().filter(|other| scene_text::seen(&other.text) == seen).count();
            let label = if earlier == 0 { text.clone() } else { format!("{text} ({})", earlier + 1) };
            tokens.push(Token { text, label, vector, kind });
        }
        // Labels name rows: a token that is itself written `the (2)` must not answer for another.
        for (place, token) in tokens.iter().enumerate() {
            if tokens[..place].iter().any(|other| other.label == token.label) {
                let what = format!("token {}: two tokens would both be called `{}`", place + 1, token.label);
                return Err(fault(file.token[place].text.span().start, what));
            }
        }
        let at = file.query.span().start;
        let name = scene_text::read(file.query.get_ref(), Spaces::Ordinary)
            .map_err(|what| fault(at, format!("query: its {what}")))?;
        let query = tokens.iter().position(|token| token.label == name).ok_or_else(|| {
            let labels: Vec<_> = tokens.iter().map(|token| format!("`{}`", token.label)).collect();
            fault(at, format!("query: no token is called `{name}`; there is {}", labels.join(", ")))
        })?;
        Ok(Scene { tokens, why, query })
    }
}

/// The book's own sentence.
impl Default for Scene {
    fn default() -> Self {
        match Self::parse_named(include_str!("scene.toml").into(), "crates/figures/src/scene.toml") {
            Ok(scene) => scene,
            Err(error) => panic!("the scene that comes with the book is damaged: {error}"),
        }
    }
}

fn check_why(why: &str) -> Result<String, String> {
    let most = Scene::LONGEST_WHY;
    let needed = || format!("`why` needs one sentence, on one line, of at most {most} characters");
    if why.trim().is_empty() || why.contains(char::is_control) {
        return Err(needed());
    }
    let why = scene_text::read(why, Spaces::Any).map_err(|what| format!("`why`: its {what}"))?;
    if scene_text::count(&why) > most { Err(needed()) } else { Ok(why) }
}

fn check_text(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("its text is empty; needed is at least one visible character".into());
    }
    let text = scene_text::read(text, Spaces::Ordinary).map_err(|what| format!("its {what}"))?;
    match scene_text::count(&text) {
        length if length > Scene::LONGEST_TOKEN => {
            Err(format!("its text has {length} characters; at most {} can be shown", Scene::LONGEST_TOKEN))
        }
        _ => Ok(text),
    }
}

fn check_vector(vector: &[f64]) -> Result<[f64; 2], String> {
    let largest = Scene::LARGEST_COORDINATE;
    match *vector {
        [x, y] => match [x, y].into_iter().find(|c| c.is_nan() || c.abs() > largest) {
            Some(outside) => Err(format!(
                "vector: a coordinate is {outside:e}; needed are numbers from -{largest} to {largest}"
            )),
            None => Ok([x, y]),
        },
        _ => Err(format!("vector: came with {} numbers; needed are 2", vector.len())),
    }
}

fn check_kind(kind: &str) -> Result<WordKind, String> {
    Token::kind_named(kind)
        .ok_or_else(|| format!("kind: came as `{kind}`; needed is `noun`, `pronoun` or `other`"))
}
