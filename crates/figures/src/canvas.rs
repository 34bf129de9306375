//! The drawing surface: plotters' SVG backend, with what it lacks.
//!
//! plotters knows whole pixels, no groups, no classes, no title. So the canvas counts in tenths of a CSS
//! pixel and lets `viewBox` scale them; and it writes each mark through the backend, takes the one element
//! that comes out, and adds to it: a class that says what the mark stands for (the page's theme colours
//! it), and attributes such as dashes.

use std::fmt::Write as _;

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::prelude::{Color, RGBColor, ShapeStyle, TextStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform};

use crate::{Error, Result};

/// Pixels of plotters in one CSS pixel.
const FINE: f64 = 10.0;

/// The two widths every figure is drawn in, so that its text keeps its size on a phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// 680 CSS pixels, for the page of a book on a screen.
    Wide,
    /// 340 CSS pixels, for a phone.
    Narrow,
}

impl Size {
    /// Both sizes.
    pub const ALL: [Size; 2] = [Size::Wide, Size::Narrow];

    /// The width in CSS pixels.
    pub fn width(self) -> f64 {
        match self {
            Size::Wide => 680.0,
            Size::Narrow => 340.0,
        }
    }

    /// The size's name, in classes and calls.
    pub fn name(self) -> &'static str {
        match self {
            Size::Wide => "wide",
            Size::Narrow => "narrow",
        }
    }

    /// One value for the wide drawing, another for the narrow one.
    pub(crate) fn pick<T>(self, wide: T, narrow: T) -> T {
        match self {
            Size::Wide => wide,
            Size::Narrow => narrow,
        }
    }
}

/// What a mark stands for. Each role has one colour everywhere; the page's theme sets it by the class
/// `fill-NAME` or `stroke-NAME`, and a file on its own has the colour given here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A query.
    Query,
    /// A key.
    Key,
    /// A value.
    Value,
    /// An output.
    Output,
    /// A weight: how much of its attention a query gives to a key.
    Weight,
    /// Text.
    Ink,
    /// Text of less weight.
    Muted,
    /// Axes and outlines.
    Line,
    /// Lines to read numbers off.
    Grid,
    /// What goes wrong without the remedy that the text is about.
    Warn,
}

impl Role {
    /// Every role, in the order of the theme.
    pub const ALL: [Role; 10] = [
        Role::Query,
        Role::Key,
        Role::Value,
        Role::Output,
        Role::Weight,
        Role::Ink,
        Role::Muted,
        Role::Line,
        Role::Grid,
        Role::Warn,
    ];

    /// The role's name in classes and theme variables.
    pub fn name(self) -> &'static str {
        match self {
            Role::Query => "query",
            Role::Key => "key",
            Role::Value => "value",
            Role::Output => "output",
            Role::Weight => "weight",
            Role::Ink => "ink",
            Role::Muted => "muted",
            Role::Line => "line",
            Role::Grid => "grid",
            Role::Warn => "warn",
        }
    }

    /// The colour and opacity of a file on its own: after Okabe and Ito for what has a meaning of its own,
    /// the surrounding text's colour for everything else, so that it stands on light and dark alike.
    fn fallback(self) -> (Option<RGBColor>, f64) {
        match self {
            Role::Query => (Some(RGBColor(0x00, 0x72, 0xb2)), 1.0),
            Role::Key => (Some(RGBColor(0xd5, 0x5e, 0x00)), 1.0),
            Role::Value => (Some(RGBColor(0x00, 0x9e, 0x73)), 1.0),
            Role::Output => (Some(RGBColor(0xb8, 0x52, 0x8f)), 1.0),
            Role::Warn => (Some(RGBColor(0xa8, 0x74, 0x00)), 1.0),
            Role::Weight => (None, 0.6),
            Role::Ink => (None, 1.0),
            Role::Muted => (None, 0.8),
            Role::Line => (None, 0.6),
            Role::Grid => (None, 0.2),
        }
    }

    /// The colour that plotters is given; roles without one of their own get black, which
    /// [`Canvas::mark`] turns into `currentColor`.
    fn colour(self) -> RGBColor {
        self.fallback().0.unwrap_or(RGBColor(0, 0, 0))
    }
}

/// The opacity of what is there to be clicked or grasped, and not to be seen.
pub const HIT: f64 = 0.001;

/// A place on the canvas, in CSS pixels from the left and from the top.
pub type Place = [f64; 2];

/// How a piece of text stands.
#[derive(Clone, Copy)]
pub struct Text {
    pub role: Role,
    /// Size in CSS pixels.
    pub size: f64,
    pub across: HPos,
    pub down: VPos,
    pub bold: bool,
    /// Reading upwards, for the name of a vertical axis.
    pub upwards: bool,
}

impl Text {
    /// The size of a figure's text: the page's small text.
    pub const SIZE: f64 = 13.0;

    /// Text around a place.
    pub const CENTRE: Text = Text {
        role: Role::Ink,
        size: Text::SIZE,
        across: HPos::Center,
        down: VPos::Center,
        bold: false,
        upwards: false,
    };
    /// Text that begins at a place.
    pub const START: Text = Text { across: HPos::Left, ..Text::CENTRE };
    /// Text that ends at a place.
    pub const END: Text = Text { across: HPos::Right, ..Text::CENTRE };

    /// The same text in another role's colour.
    pub const fn role(self, role: Role) -> Text {
        Text { role, ..self }
    }

    /// The same text in bold.
    pub const fn bold(self) -> Text {
        Text { bold: true, ..self }
    }

    /// A width that `text` surely fits in. It is a guess (the page's font is not known here): good for
    /// keeping labels apart, not for placing one thing after another.
    pub fn room(&self, text: &str) -> f64 {
        text.chars().count() as f64 * self.size * 0.62 + 2.0
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Stroke {
    pub role: Role,
    /// Width in CSS pixels.
    pub width: f64,
    pub dashed: bool,
}

impl Stroke {
    /// A whole line.
    pub const fn new(role: Role, width: f64) -> Stroke {
        Stroke { role, width, dashed: false }
    }

    /// The same line, dashed.
    pub const fn dashed(self) -> Stroke {
        Stroke { dashed: true, ..self }
    }
}

/// A picture in the making.
pub struct Canvas {
    pub size: Size,
    /// In CSS pixels.
    pub height: f64,
    body: String,
    fault: Option<Error>,
}

impl Canvas {
    /// An empty canvas of a figure's width and the given height in CSS pixels.
    pub fn new(size: Size, height: f64) -> Self {
        Canvas { size, height, body: String::new(), fault: None }
    }

    /// The width in CSS pixels.
    pub fn width(&self) -> f64 {
        self.size.width()
    }

    fn extent(&self) -> (u32, u32) {
        (fine(self.width()) as u32, fine(self.height) as u32)
    }

    /// Draws one mark through plotters and returns the element that comes out; empty if it has no place.
    fn element(
        &mut self,
        what: &str,
        places: &[Place],
        draw: impl FnOnce(&mut SVGBackend, &[(i32, i32)]),
    ) -> String {
        // plotters would draw what is not finite as if it were a point: refuse it instead.
        if let Some(value) = places.iter().flatten().copied().find(|value| !value.is_finite()) {
            let what = format!("the place of a {what} mark");
            self.fault.get_or_insert(Error::NotFinite { what, value });
            return String::new();
        }
        let places: Vec<_> = places.iter().map(|&[x, y]| (fine(x), fine(y))).collect();
        let mut document = String::new();
        {
            let mut backend = SVGBackend::with_string(&mut document, self.extent());
            draw(&mut backend, &places);
            // Writing into a string cannot fail.
            let _ = backend.present();
        }
        // The document's first line opens it and its last closes it; the element is what stands between.
        document
            .split_once('\n')
            .and_then(|(_, rest)| rest.trim_end().strip_suffix("</svg>"))
            .unwrap_or_default()
            .replace(" opacity=\"1\"", "")
            .replace(" \"", "\"")
    }

    /// Draws one mark in the colour of a role: adds `class` and `attributes` to its element.
    fn mark(
        &mut self,
        role: Role,
        class: &str,
        attributes: &str,
        places: &[Place],
        draw: impl FnOnce(&mut SVGBackend, &[(i32, i32)]),
    ) {
        let element = self.element(role.name(), places, draw);
        let element = match role.fallback().0 {
            Some(_) => element,
            None => element.replace("\"#000000\"", "\"currentColor\""),
        };
        let Some((name, rest)) = element.split_once(' ') else { return };
        let _ = write!(self.body, "{name} class=\"{class}-{}\"", role.name());
        // Apart from the mark's own opacity, for the page's colours need no thinning.
        if let (_, thin @ ..1.0) = role.fallback() {
            let _ = write!(self.body, " {class}-opacity=\"{thin}\"");
        }
        let _ = write!(self.body, "{attributes} {rest}");
    }

    /// A straight line.
    pub fn line(&mut self, from: Place, to: Place, stroke: Stroke) {
        let style = stroke_style(stroke);
        self.mark(stroke.role, "stroke", dashes(stroke), &[from, to], |backend, places| {
            let _ = backend.draw_line(places[0], places[1], &style);
        });
    }

    /// A line through several places.
    pub fn path(&mut self, places: &[Place], stroke: Stroke) {
        let style = stroke_style(stroke);
        self.mark(stroke.role, "stroke", dashes(stroke), places, |backend, places| {
            let _ = backend.draw_path(places.iter().copied(), &style);
        });
    }

    /// A filled disc.
    pub fn disc(&mut self, centre: Place, radius: f64, role: Role, opacity: f64) {
        let style = fill_style(role, opacity);
        self.mark(role, "fill", "", &[centre], |backend, places| {
            let _ = backend.draw_circle(places[0], fine(radius) as u32, &style, true);
        });
    }

    /// A circle that is not filled.
    pub fn ring(&mut self, centre: Place, radius: f64, stroke: Stroke) {
        let style = stroke_style(stroke);
        self.mark(stroke.role, "stroke", dashes(stroke), &[centre], |backend, places| {
            let _ = backend.draw_circle(places[0], fine(radius) as u32, &style, false);
        });
    }

    /// A filled rectangle between two corners.
    pub fn bar(&mut self, corner: Place, opposite: Place, role: Role, opacity: f64) {
        let style = fill_style(role, opacity);
        let least = [corner[0].min(opposite[0]), corner[1].min(opposite[1])];
        let most = [corner[0].max(opposite[0]), corner[1].max(opposite[1])];
        self.mark(role, "fill", "", &[least, most], |backend, places| {
            let _ = backend.draw_rect(places[0], places[1], &style, true);
        });
    }

    /// A tile of a heatmap: the brighter, the larger the weight. It has the same colour in every theme, and so has
    /// its text.
    pub fn tile(&mut self, corner: Place, opposite: Place, weight: f64, text: &str) {
        self.coloured_tile(corner, opposite, ramp(&WEIGHTS, weight), weight >= 0.5, text);
    }

    /// A tile of a heatmap of numbers that can be negative, as shares of the largest size, from -1 to 1: pale at 0, and
    /// the stronger its colour, the further from it, brown above and violet below. It has the same colour in every
    /// theme, and so has its text.
    pub fn signed_tile(&mut self, corner: Place, opposite: Place, share: f64, text: &str) {
        let steps = if share < 0.0 { &BELOW_ZERO } else { &ABOVE_ZERO };
        self.coloured_tile(corner, opposite, ramp(steps, share.abs()), share.abs() < 0.7, text);
    }

    fn coloured_tile(
        &mut self,
        corner: Place,
        opposite: Place,
        colour: RGBColor,
        dark_text: bool,
        text: &str,
    ) {
        let element = self.element("tile", &[corner, opposite], |backend, places| {
            let _ = backend.draw_rect(places[0], places[1], &colour.filled(), true);
        });
        self.body.push_str(&element);
        if text.is_empty() {
            return;
        }
        let ink = if dark_text { RGBColor(0, 0, 0) } else { RGBColor(0xff, 0xff, 0xff) };
        let middle = [(corner[0] + opposite[0]) / 2.0, (corner[1] + opposite[1]) / 2.0];
        let style = text_style(Text::CENTRE, &ink);
        let element = self.element("tile's text", &[middle], |backend, places| {
            let _ = backend.draw_text(text, &style, places[0]);
        });
        // What it stands on, for those who check whether it can be read.
        let on = format!("<text data-on=\"{}\" ", css(colour));
        self.body.push_str(&element.replacen("<text ", &on, 1));
    }

    /// The scale of signed tiles: its colours, and below them its ends and the 0 in its middle.
    pub fn signed_scale(&mut self, [x, y]: Place, width: f64, [least, most]: [&str; 2]) {
        // An odd number, so that the one in the middle is 0.
        const PARTS: i32 = 41;
        let part = width / f64::from(PARTS);
        for step in 0..PARTS {
            let from = x + part * f64::from(step);
            let share = f64::from(2 * step) / f64::from(PARTS - 1) - 1.0;
            self.signed_tile([from, y], [(from + part + 1.0).min(x + width), y + 10.0], share, "");
        }
        self.text(least, [x, y + 22.0], Text::START.role(Role::Muted));
        self.text("0", [x + width / 2.0, y + 22.0], Text::CENTRE.role(Role::Muted));
        self.text(most, [x + width, y + 22.0], Text::END.role(Role::Muted));
    }

    /// The place of a tile that is masked: no tile, but slanted lines, which no weight looks like.
    pub fn masked_tile(&mut self, corner: Place, opposite: Place) {
        let [width, height] = [opposite[0] - corner[0], opposite[1] - corner[1]];
        let stroke = Stroke::new(Role::Line, 1.0);
        let shares: &[f64] = if width < 14.0 { &[1.0] } else { &[0.25, 0.5, 0.75, 1.0] };
        for &share in shares {
            self.line(
                [corner[0], corner[1] + height * share],
                [corner[0] + width * share, corner[1]],
                stroke,
            );
            if share < 1.0 {
                let from = [corner[0] + width * share, opposite[1]];
                self.line(from, [opposite[0], corner[1] + height * share], stroke);
            }
        }
    }

    /// A five-pointed star that is not filled: the output's sign in every figure.
    pub fn star(&mut self, centre: Place, radius: f64, stroke: Stroke) {
        // Ten corners around the centre, every second one drawn in, and the first again to close the line.
        let corners: Vec<Place> = (0..=10)
            .map(|corner| {
                let reach = if corner % 2 == 0 { radius } else { radius * 0.45 };
                let angle = std::f64::consts::PI * (f64::from(corner % 10) / 5.0 - 0.5);
                [centre[0] + reach * libm::cos(angle), centre[1] + reach * libm::sin(angle)]
            })
            .collect();
        self.path(&corners, stroke);
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, from: Place, to: Place, stroke: Stroke) {
        self.line(from, to, stroke);
        self.arrow_head(from, to, stroke);
    }

    /// The head of an arrow that comes from `from` and ends at `to`.
    pub fn arrow_head(&mut self, from: Place, to: Place, stroke: Stroke) {
        let angle = libm::atan2(to[1] - from[1], to[0] - from[0]);
        let reach = 4.0 + 1.5 * stroke.width;
        let barb =
            |turn: f64| [to[0] - reach * libm::cos(angle + turn), to[1] - reach * libm::sin(angle + turn)];
        self.path(&[barb(0.5), to, barb(-0.5)], stroke);
    }

    /// An arc around `centre` from the angle `from`, on by `turn`, both counted from the right, upwards. On its way it may
    /// change its radius, so that one that goes around more than once does not run over itself.
    pub fn arc(&mut self, centre: Place, from: f64, turn: f64, radius: [f64; 2], stroke: Stroke) {
        let places: Vec<Place> = (0..=48)
            .map(|part| {
                let share = f64::from(part) / 48.0;
                let (sin, cos) = libm::sincos(from + turn * share);
                let reach = radius[0] + (radius[1] - radius[0]) * share;
                [centre[0] + reach * cos, centre[1] - reach * sin]
            })
            .collect();
        self.path(&places, stroke);
    }

    /// Text at a place. Empty text draws nothing.
    pub fn text(&mut self, text: &str, at: Place, how: Text) {
        if text.is_empty() {
            return;
        }
        let colour = how.role.colour();
        let style = text_style(how, &colour);
        self.mark(how.role, "fill", "", &[at], |backend, places| {
            let _ = backend.draw_text(text, &style, places[0]);
        });
    }

    /// What `draw` draws, in a group with these attributes.
    pub fn group(&mut self, attributes: &[(&str, &str)], draw: impl FnOnce(&mut Canvas)) {
        self.body.push_str("<g");
        for (name, value) in attributes {
            let _ = write!(self.body, " {name}=\"{}\"", escape(value));
        }
        self.body.push_str(">\n");
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// The finished picture: title and description for those who do not see it, then the marks.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if anything was to be drawn at a place that is none.
    pub fn finish(self, title: &str, description: &str) -> Result<String> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let (width, height) = self.extent();
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" width=\"{}\" height=\"{}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\">\n<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
            self.size.name(),
            self.width(),
            self.height,
            escape(title),
            escape(description),
            self.body.replace(" font-family=\"sans-serif\"", ""),
        ))
    }
}

/// CSS pixels as whole pixels of plotters. Rounded to a millionth first, so that what lies halfway goes the same way
/// on every machine, though their last bits differ.
fn fine(pixels: f64) -> i32 {
    ((pixels * FINE * 1e6).round() / 1e6).round() as i32
}

fn fill_style(role: Role, opacity: f64) -> ShapeStyle {
    role.colour().mix(opacity).filled()
}

fn stroke_style(stroke: Stroke) -> ShapeStyle {
    stroke.role.colour().stroke_width(fine(stroke.width).max(1) as u32)
}

/// The colours of a scale from 0 to 1, in equal steps; between them it is even.
type Ramp = [[f64; 3]; 5];

/// Of weights: one hue, its lightness even to the eye (steps of equal size in OKLab).
const WEIGHTS: Ramp =
    [[42.0, 32.0, 5.0], [91.0, 72.0, 7.0], [145.0, 116.0, 21.0], [202.0, 163.0, 36.0], [255.0, 216.0, 75.0]];

/// Of numbers above 0: from grey to brown, which colour-blind eyes tell from the violet of those below; neither
/// hue means anything else here. Both ends are equally dark, in steps of equal size in OKLab.
const ABOVE_ZERO: Ramp = [
    [226.0, 226.0, 223.0],
    [204.0, 182.0, 168.0],
    [181.0, 139.0, 115.0],
    [156.0, 97.0, 62.0],
    [129.0, 54.0, 0.0],
];

/// Of numbers below 0: from the same grey to violet.
const BELOW_ZERO: Ramp = [
    [226.0, 226.0, 223.0],
    [188.0, 182.0, 212.0],
    [152.0, 139.0, 199.0],
    [119.0, 96.0, 183.0],
    [89.0, 46.0, 166.0],
];

/// The colour of a heatmap's tile, as CSS writes it: the same in every theme, and the brighter, the larger the weight.
///
/// ```
/// assert_eq!(figures::tile_colour(0.0), "#2a2005");
/// assert_eq!(figures::tile_colour(1.0), "#ffd84b");
/// ```
pub fn tile_colour(weight: f64) -> String {
    css(ramp(&WEIGHTS, weight))
}

fn css(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of a share from 0 to 1 on a scale.
fn ramp(steps: &Ramp, share: f64) -> RGBColor {
    // Rounded first, so that the colour is the same wherever the last bits differ.
    let at = (share.clamp(0.0, 1.0) * 4e6).round() / 1e6;
    let step = (at as usize).min(steps.len() - 2);
    let share = at - step as f64;
    let [red, green, blue] = [0, 1, 2]
        .map(|part| (steps[step][part] * (1.0 - share) + steps[step + 1][part] * share).round() as u8);
    RGBColor(red, green, blue)
}

fn text_style(how: Text, colour: &RGBColor) -> TextStyle<'_> {
    // plotters divides the size by 1.24, the ratio of a line's height to its font's.
    let font = FontDesc::new(FontFamily::SansSerif, how.size * FINE * 1.24, FontStyle::Normal)
        .style(if how.bold { FontStyle::Bold } else { FontStyle::Normal })
        .transform(if how.upwards { FontTransform::Rotate270 } else { FontTransform::None });
    TextStyle::from(font).color(colour).pos(Pos::new(how.across, how.down))
}

fn dashes(stroke: Stroke) -> &'static str {
    if stroke.dashed { " stroke-dasharray=\"40 50\"" } else { "" }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
