//! The figures, live: the functions that drew the book's pictures, for the browser to call again.
//!
//! The script in the page knows no figure by name. It hands over a figure's id and its parameters, and gets back
//! the picture, the sentences and the numbers, made by the same code as those in the page.

use figures::{Error, Figure, Params, Scene, Size, Token, html};
use miniserde::{Deserialize, Serialize, json};
use wasm_bindgen::prelude::*;

/// The figures of the chapter that this module is built for (`crates/live-build` names it); without a name, it is
/// for all chapters.
const OWN: Option<&[Figure]> = match option_env!("LIVE_CHAPTER") {
    Some(name) => Some(figures_of(name)),
    None => None,
};

/// The figures of a chapter. Found while compiling, so that no other chapter's get into the module.
const fn figures_of(chapter: &str) -> &'static [Figure] {
    let mut place = 0;
    while !equal(figures::CHAPTERS[place].name.as_bytes(), chapter.as_bytes()) {
        place += 1;
    }
    figures::CHAPTERS[place].figures
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

/// A figure of this module.
fn figure(id: &str) -> Result<&'static Figure, String> {
    match OWN {
        Some(own) => own
            .iter()
            .find(|figure| figure.id == id)
            .ok_or_else(|| format!("there is no figure `{id}` in this module")),
        None => figures::figure(id).map_err(text),
    }
}

/// A scene as the page carries it.
#[derive(Deserialize)]
struct PageScene {
    tokens: Vec<PageToken>,
    why: String,
    query: usize,
}

#[derive(Deserialize)]
struct PageToken {
    text: String,
    label: String,
    vector: Vec<f64>,
    kind: String,
}

/// A drawing as the page takes it.
#[derive(Serialize)]
struct Drawn {
    svg: String,
    says: String,
    numbers: String,
}

#[derive(Serialize)]
struct ListedFigure {
    id: String,
    title: String,
    controls: Vec<ListedControl>,
}

#[derive(Serialize)]
struct ListedControl {
    name: String,
    label: String,
    default: String,
}

/// The figures of one scene.
#[wasm_bindgen]
pub struct Live {
    scene: Scene,
}

#[wasm_bindgen]
impl Live {
    /// The figures of the scene that the page carries, written in JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with the scene.
    #[wasm_bindgen(constructor)]
    pub fn new(scene: &str) -> Result<Live, JsError> {
        read(scene).map(|scene| Live { scene }).ok_or_else(|| JsError::new("the page's scene is damaged"))
    }

    /// Draws a figure: `parameters` is a JSON object of strings, each in its control's written form, and `size`
    /// is `wide` or `narrow`. Returns a JSON object of `svg`, `says` and `numbers`, the last two as HTML.
    ///
    /// # Errors
    ///
    /// What is wrong with the figure's name, a parameter or the size.
    pub fn draw(&self, id: &str, parameters: &str, size: &str) -> Result<String, JsError> {
        draw(&self.scene, id, parameters, size).map_err(|message| JsError::new(&message))
    }

    /// The figures and their controls: a JSON array of objects with `id`, `title` and `controls`, each control
    /// with `name`, `label` and `default`, the last in its written form.
    pub fn figures(&self) -> String {
        list(&self.scene)
    }
}

/// A scene from the JSON that the page carries; `None` if it is damaged.
pub fn read(json: &str) -> Option<Scene> {
    let scene: PageScene = json::from_str(json).ok()?;
    let token = |PageToken { text, label, vector, kind }| match vector[..] {
        [x, y] => Some(Token { text, label, vector: [x, y], kind: Token::kind_named(&kind)? }),
        _ => None,
    };
    let tokens = scene.tokens.into_iter().map(token).collect::<Option<Vec<_>>>()?;
    Scene::of(tokens, scene.why, scene.query)
}

/// [`Live::figures`], without the browser.
pub fn list(scene: &Scene) -> String {
    let own: Vec<_> = match OWN {
        Some(own) => own.iter().collect(),
        None => figures::all().collect(),
    };
    let figures = own.into_iter().map(|figure| {
        let controls = figure.controls(scene).into_iter().map(|control| ListedControl {
            name: control.name.to_owned(),
            label: control.label.to_owned(),
            default: control.default().to_string(),
        });
        ListedFigure {
            id: figure.id.to_owned(),
            title: figure.title.to_owned(),
            controls: controls.collect(),
        }
    });
    json::to_string(&figures.collect::<Vec<_>>())
}

/// [`Live::draw`], without the browser.
///
/// ```
/// use figures::Scene;
///
/// let scene = Scene::default();
/// let drawn = live::draw(&scene, "threads", r#"{"query": "0,0"}"#, "narrow").unwrap();
/// assert!(drawn.contains("at the origin every score is 0"));
///
/// let refused = live::draw(&scene, "threads", r#"{"query": "0"}"#, "narrow").unwrap_err();
/// assert!(refused.starts_with("query: `0` is not possible"));
/// ```
///
/// # Errors
///
/// As for [`Live::draw`].
pub fn draw(scene: &Scene, id: &str, parameters: &str, size: &str) -> Result<String, String> {
    let figure = figure(id)?;
    let size = Size::ALL
        .into_iter()
        .find(|candidate| candidate.name() == size)
        .ok_or_else(|| format!("there is no size `{size}`; there is `wide`, `narrow`"))?;
    let params: Params = json::from_str(parameters)
        .map_err(|_| format!("the parameters `{parameters}` are no JSON object of strings"))?;
    let drawing = figure.draw(scene, &params, size).map_err(text)?;
    Ok(json::to_string(&Drawn {
        says: html::sentences(&drawing.sentences),
        numbers: html::numbers(&drawing),
        svg: drawing.svg,
    }))
}

fn text(error: Error) -> String {
    error.to_string()
}
