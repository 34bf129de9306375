//! What a reader may change about a figure: controls, and the values they take.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Error, Result, Scene};

/// The parameters of a figure, by name, each in its written form: see [`Control::parse`]. What is left out has its
/// control's default.
pub type Params = BTreeMap<String, String>;

/// Parameters from names and written values.
///
/// ```
/// assert_eq!(figures::params([("mask", "on")])["mask"], "on");
/// ```
pub fn params<const N: usize>(pairs: [(&str, &str); N]) -> Params {
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Something a reader may change about a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    /// Its name in addresses, directives and code.
    pub name: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// What it can be set to, and where it stands at first.
    pub kind: Kind,
}

/// The kinds of control, each with its range and default.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// On or off.
    Toggle {
        /// Where it stands at first.
        default: bool,
    },
    /// One of several named values.
    Choice {
        /// The values.
        options: Vec<Preset>,
        /// The place among `options` of the first choice.
        default: usize,
    },
    /// A number between two ends.
    Slider {
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
        /// The distance between neighbouring values.
        step: f64,
        /// The value at first.
        default: f64,
    },
    /// A point that can be dragged in the picture.
    Point {
        /// The least and the greatest first coordinate.
        x: [f64; 2],
        /// The least and the greatest second coordinate.
        y: [f64; 2],
        /// How far one press of an arrow key moves it.
        step: f64,
        /// Where it is at first.
        default: [f64; 2],
        /// Places of note, to be chosen by name.
        presets: Vec<Preset>,
    },
}

/// A value with a name for the reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// The value, as it is written in addresses and directives.
    pub value: String,
    /// What the reader sees.
    pub label: String,
}

impl<V: Into<String>, L: Into<String>> From<(V, L)> for Preset {
    /// A value and its label.
    fn from((value, label): (V, L)) -> Self {
        Preset { value: value.into(), label: label.into() }
    }
}

/// The value of one control.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of a toggle.
    Switch(bool),
    /// Of a choice.
    Choice(String),
    /// Of a slider.
    Number(f64),
    /// Of a draggable point.
    Point([f64; 2]),
}

/// The written form: `on`, `off`, a choice's value, a number, or `x,y`. [`Control::parse`] reads it back.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Switch(on) => f.write_str(if *on { "on" } else { "off" }),
            Value::Choice(value) => f.write_str(value),
            Value::Number(number) => write!(f, "{number}"),
            Value::Point([x, y]) => write!(f, "{x},{y}"),
        }
    }
}

impl Control {
    /// A toggle.
    ///
    /// ```
    /// use figures::{Control, Value};
    ///
    /// assert_eq!(Control::toggle("mask", "Causal mask", true).default(), Value::Switch(true));
    /// ```
    pub fn toggle(name: &'static str, label: &'static str, default: bool) -> Self {
        Control { name, label, kind: Kind::Toggle { default } }
    }

    /// A choice among `options`, each a value and its label; `default` is the place of the first choice.
    ///
    /// ```
    /// use figures::{Control, Value};
    ///
    /// let place = Control::choice("norm", "LayerNorm", [("pre", "before"), ("post", "after")], 1);
    /// assert_eq!(place.default(), Value::Choice("post".into()));
    /// ```
    pub fn choice<V: Into<String>, L: Into<String>>(
        name: &'static str,
        label: &'static str,
        options: impl IntoIterator<Item = (V, L)>,
        default: usize,
    ) -> Self {
        let options = options.into_iter().map(Preset::from).collect();
        Control { name, label, kind: Kind::Choice { options, default } }
    }

    /// A choice of one of the scene's tokens, by its number from 1; `default` is a place from 0.
    ///
    /// ```
    /// use figures::{Control, Scene, Value};
    ///
    /// let control = Control::token("row", "Query (row)", &Scene::default(), 5);
    /// assert_eq!(control.default(), Value::Choice("6".into()));
    /// ```
    pub fn token(name: &'static str, label: &'static str, scene: &Scene, default: usize) -> Self {
        let numbered = scene.tokens.iter().enumerate();
        Control::choice(
            name,
            label,
            numbered.map(|(place, it)| ((place + 1).to_string(), &it.label)),
            default,
        )
    }

    /// A slider from `range[0]` to `range[1]`.
    ///
    /// ```
    /// use figures::{Control, Value};
    ///
    /// let size = Control::slider("size", "Size of the nudge", [0.1, 2.0], 0.1, 0.5);
    /// assert_eq!(size.default(), Value::Number(0.5));
    /// ```
    pub fn slider(
        name: &'static str,
        label: &'static str,
        [min, max]: [f64; 2],
        step: f64,
        default: f64,
    ) -> Self {
        Control { name, label, kind: Kind::Slider { min, max, step, default } }
    }

    /// A point that can be dragged as far as `reach` from the origin, both ways; an arrow key moves it by a thirtieth
    /// of that. `presets` are places of note, each with its name.
    ///
    /// ```
    /// use figures::{Control, Value};
    ///
    /// let query = Control::point("query", "Query", 3.0, [2.0, 1.0], [([0.0, 0.0], "the origin")]);
    /// assert_eq!(query.default(), Value::Point([2.0, 1.0]));
    /// ```
    pub fn point<L: Into<String>>(
        name: &'static str,
        label: &'static str,
        reach: f64,
        default: [f64; 2],
        presets: impl IntoIterator<Item = ([f64; 2], L)>,
    ) -> Self {
        let written = |(place, label): ([f64; 2], L)| Preset::from((Value::Point(place).to_string(), label));
        let presets = presets.into_iter().map(written).collect();
        let range = [-reach, reach];
        Control {
            name,
            label,
            kind: Kind::Point { x: range, y: range, step: reach / 30.0, default, presets },
        }
    }

    /// Where the control stands before anybody touches it.
    pub fn default(&self) -> Value {
        match &self.kind {
            Kind::Toggle { default } => Value::Switch(*default),
            Kind::Choice { options, default } => Value::Choice(options[*default].value.clone()),
            Kind::Slider { default, .. } => Value::Number(*default),
            Kind::Point { default, .. } => Value::Point(*default),
        }
    }

    /// Reads a value from its written form.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if the text is not a value of this control, or outside its range.
    ///
    /// ```
    /// use figures::{Control, Value};
    ///
    /// let gain = Control::slider("gain", "Gain of a step", [0.5, 1.5], 0.1, 0.8);
    /// assert_eq!(gain.parse("1.2")?, Value::Number(1.2));
    /// assert_eq!(
    ///     gain.parse("2").unwrap_err().to_string(),
    ///     "gain: `2` is not possible; needed is a number from 0.5 to 1.5"
    /// );
    /// # Ok::<(), figures::Error>(())
    /// ```
    pub fn parse(&self, text: &str) -> Result<Value> {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let value = match &self.kind {
            Kind::Toggle { .. } => match text {
                "on" => Some(Value::Switch(true)),
                "off" => Some(Value::Switch(false)),
                _ => None,
            },
            Kind::Choice { .. } => Some(Value::Choice(text.to_owned())),
            Kind::Slider { .. } => number(text).map(Value::Number),
            Kind::Point { .. } => {
                text.split_once(',').and_then(|(x, y)| Some(Value::Point([number(x)?, number(y)?])))
            }
        };
        value.filter(|value| self.allows(value)).ok_or_else(|| self.refusal(text))
    }

    /// Whether `value`, of this control's kind, is within its range.
    fn allows(&self, value: &Value) -> bool {
        let within = |number: f64, [least, greatest]: [f64; 2]| (least..=greatest).contains(&number);
        match (&self.kind, value) {
            (Kind::Choice { options, .. }, Value::Choice(value)) => {
                options.iter().any(|option| option.value == *value)
            }
            (Kind::Slider { min, max, .. }, Value::Number(number)) => within(*number, [*min, *max]),
            (Kind::Point { x, y, .. }, Value::Point(point)) => within(point[0], *x) && within(point[1], *y),
            _ => true,
        }
    }

    fn refusal(&self, value: &str) -> Error {
        let needed = match &self.kind {
            Kind::Toggle { .. } => "`on` or `off`".to_owned(),
            Kind::Choice { options, .. } => {
                let values: Vec<_> = options.iter().map(|o| format!("`{}`", o.value)).collect();
                format!("one of {}", values.join(", "))
            }
            Kind::Slider { min, max, .. } => format!("a number from {min} to {max}"),
            Kind::Point { x, y, .. } => format!(
                "two numbers `x,y`, the first from {} to {}, the second from {} to {}",
                x[0], x[1], y[0], y[1]
            ),
        };
        Error::Parameter { control: self.name.to_owned(), value: value.to_owned(), needed }
    }
}

/// Every control's value: the one given, or else its default.
///
/// Figures read their parameters from here. Names are the figure's own, so a missing one is a fault in the
/// figure's source and panics.
pub(crate) struct Settings(Vec<Setting>);

/// A control's name, its value, and, of a choice, the place of that value among the options.
type Setting = (&'static str, Value, Option<usize>);

impl Settings {
    /// Reads `params` as what `controls` take, and fills in the defaults.
    pub fn new(controls: &[Control], params: &Params) -> Result<Self> {
        for name in params.keys() {
            if !controls.iter().any(|control| control.name == name) {
                return Err(Error::unknown("parameter", name, controls.iter().map(|control| control.name)));
            }
        }
        let setting = |control: &Control| {
            let written = params.get(control.name).map(|written| control.parse(written));
            let value = written.unwrap_or_else(|| Ok(control.default()))?;
            let place = match (&control.kind, &value) {
                (Kind::Choice { options, .. }, Value::Choice(value)) => {
                    options.iter().position(|option| option.value == *value)
                }
                _ => None,
            };
            Ok((control.name, value, place))
        };
        Ok(Settings(controls.iter().map(setting).collect::<Result<_>>()?))
    }

    fn setting(&self, name: &str) -> &Setting {
        let found = self.0.iter().find(|(candidate, ..)| *candidate == name);
        found.unwrap_or_else(|| panic!("no control is called `{name}`"))
    }

    fn value(&self, name: &str) -> &Value {
        &self.setting(name).1
    }

    /// Whether a toggle is on.
    pub fn is_on(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Switch(on) => *on,
            _ => panic!("`{name}` is no toggle"),
        }
    }

    /// The place, from 0, of what was chosen among a choice's options.
    pub fn chosen(&self, name: &str) -> usize {
        match self.setting(name) {
            (_, _, Some(place)) => *place,
            _ => panic!("`{name}` is no choice"),
        }
    }

    /// The value of a slider.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => *number,
            _ => panic!("`{name}` is no slider"),
        }
    }

    /// Where a draggable point is.
    pub fn point(&self, name: &str) -> [f64; 2] {
        match self.value(name) {
            Value::Point(point) => *point,
            _ => panic!("`{name}` is no point"),
        }
    }
}
