//! What a reader may change about a figure: controls, and the values they take.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Error, Result};

/// The parameters of a figure, by name, each in its written form: see [`Control::parse`]. What is left out has its
/// control's default.
pub type Params = BTreeMap<String, String>;

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
    /// use figures::{Control, Kind, Value};
    ///
    /// let gain = Control {
    ///     name: "gain",
    ///     label: "Gain of a step",
    ///     kind: Kind::Slider { min: 0.5, max: 1.5, step: 0.1, default: 0.8 },
    /// };
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
#[derive(Debug, Clone)]
pub(crate) struct Settings(Vec<(&'static str, Value)>);

impl Settings {
    /// Reads `params` as what `controls` take, and fills in the defaults.
    pub fn new(controls: &[Control], params: &Params) -> Result<Self> {
        for name in params.keys() {
            if !controls.iter().any(|control| control.name == name) {
                return Err(Error::unknown("parameter", name, controls.iter().map(|control| control.name)));
            }
        }
        let value = |control: &Control| {
            let written = params.get(control.name).map(|written| control.parse(written));
            Ok((control.name, written.unwrap_or_else(|| Ok(control.default()))?))
        };
        Ok(Settings(controls.iter().map(value).collect::<Result<_>>()?))
    }

    fn value(&self, name: &str) -> &Value {
        let found = self.0.iter().find(|(candidate, _)| *candidate == name);
        &found.unwrap_or_else(|| panic!("no control is called `{name}`")).1
    }

    /// Whether a toggle is on.
    pub fn is_on(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Switch(on) => *on,
            _ => panic!("`{name}` is no toggle"),
        }
    }

    /// The value of a choice.
    pub fn choice(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Choice(value) => value,
            _ => panic!("`{name}` is no choice"),
        }
    }

    /// The place, from 0, of a token that was chosen by its number, from 1.
    pub fn place(&self, name: &str) -> usize {
        self.choice(name).parse::<usize>().unwrap_or(1) - 1
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
