//! What a text says in words about the scene, and what only some scenes show. Where the scene is another one, the numbers of
//! a text follow; its words do not. A sentence that needs a certain scene names what it needs, and the build warns if the
//! scene does not have it.
//!
//! | `{{#premise NAME}}` | the text says that |
//! |---|---|
//! | `finds-another` | the token that asks finds another one, and not itself |
//! | `looks-back` | the word it needs stands before it |
//! | `gets-most` | the token that it finds gets more than half of its attention |
//! | `unsymmetric` | the token that asks and the one it finds do not give each other the same |
//! | `three-tokens` | there are tokens beside the two that matter most |

use figures::{Drawing, Scene};

/// What a text may need of a scene.
#[derive(Debug)]
pub struct Premise {
    /// Its name in a directive.
    pub name: &'static str,
    /// The figure whose findings decide.
    pub figure: &'static str,
    /// What the text says, after “the text says that”.
    says: &'static str,
    /// What is so instead, after “in this scene”; nothing if the scene shows what the text says.
    instead: fn(&Scene, &Drawing) -> figures::Result<Option<String>>,
}

/// All there are.
pub const PREMISES: &[Premise] = &[
    Premise {
        name: "finds-another",
        figure: "threads",
        says: "the token that asks finds another one",
        instead: |scene, threads| {
            let (asks, weight) = (&scene.query().label, threads.fact("top-weight")?);
            let itself = threads.fact("top")?.to_string() == *asks;
            Ok(itself.then(|| format!("“{asks}” gives most, {weight}, to itself")))
        },
    },
    Premise {
        name: "looks-back",
        figure: "paths",
        says: "the token that asks comes after the word it needs",
        instead: |scene, paths| {
            let (asks, answers) = (&scene.query().label, paths.fact("answers")?.to_string());
            let back = scene.tokens[..scene.query_place()].iter().any(|token| token.label == answers);
            Ok((!back).then(|| format!("“{answers}” comes after “{asks}”")))
        },
    },
    Premise {
        name: "gets-most",
        figure: "threads",
        says: "the token that is found gets more than half of the attention",
        instead: |_, threads| {
            let (top, weight) = (threads.fact("top")?, threads.fact("top-weight")?);
            let most = weight.value().is_some_and(|weight| weight > 0.5);
            Ok((!most).then(|| format!("“{top}” gets {weight}")))
        },
    },
    Premise {
        name: "unsymmetric",
        figure: "matrix",
        says: "the token that asks and the one it finds do not give each other the same",
        instead: |_, matrix| {
            let [asks, top, weight, back] =
                ["row", "top", "top-weight", "back"].map(|name| matrix.fact(name).map(ToString::to_string));
            let (asks, top, weight) = (asks?, top?, weight?);
            Ok(match asks == top {
                true => Some(format!("“{asks}” gives most, {weight}, to itself")),
                false => (weight == back?).then(|| format!("“{asks}” and “{top}” give each other {weight}")),
            })
        },
    },
    Premise {
        name: "three-tokens",
        figure: "threads",
        says: "there are tokens beside the two that matter most",
        instead: |scene, _| Ok((scene.tokens.len() < 3).then(|| "there are two tokens".to_owned())),
    },
];

/// A premise is found by its name.
impl PartialEq for Premise {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Premise {}

impl Premise {
    /// What there is to warn of, if the scene, of which `drawing` is the premise's figure, does not show what the text says.
    ///
    /// # Errors
    ///
    /// If the figure has no such findings.
    ///
    /// ```
    /// use book::premises::PREMISES;
    /// use figures::{Params, Scene, Size, figure};
    ///
    /// // The book's own sentence shows all that the book says.
    /// let scene = Scene::default();
    /// for premise in PREMISES {
    ///     let drawing = figure(premise.figure)?.draw(&scene, &Params::new(), Size::Wide)?;
    ///     assert_eq!(premise.warning(&scene, &drawing)?, None, "{}", premise.name);
    /// }
    /// # Ok::<(), figures::Error>(())
    /// ```
    pub fn warning(&self, scene: &Scene, drawing: &Drawing) -> figures::Result<Option<String>> {
        let instead = (self.instead)(scene, drawing)?;
        Ok(instead.map(|instead| format!("the text says that {}; in this scene {instead}", self.says)))
    }
}
