//! The drawing surface: plotters' marks on a backend of ours, [`Svg`].
//!
//! plotters knows whole pixels only. So the canvas counts in tenths of a CSS pixel, and `viewBox` scales them.

use std::borrow::Borrow;

use plotters::element::{self, Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle, TextStyle,
};
use plotters_backend::{BackendCoord, DrawingBackend};

use crate::colour::{ABOVE_ZERO, BELOW_ZERO, Role, WEIGHTS, ramp};
use crate::svg::{Pen, Svg, escape};
use crate::{Error, Result, text};

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

    /// The same text, in bold if it is `chosen`.
    pub const fn bold_if(self, chosen: bool) -> Text {
        Text { bold: self.bold || chosen, ..self }
    }

    /// A width that `text` surely fits in, in CSS pixels: good for keeping labels apart, not for placing one thing after
    /// another.
    pub fn room(&self, text: &str) -> f64 {
        text::width(text) * self.size + 2.0
    }

    fn style(self, colour: &RGBColor) -> TextStyle<'_> {
        let font = FontDesc::new(FontFamily::SansSerif, self.size * FINE, FontStyle::Normal)
            .style(if self.bold { FontStyle::Bold } else { FontStyle::Normal })
            .transform(if self.upwards { FontTransform::Rotate270 } else { FontTransform::None });
        TextStyle::from(font).color(colour).pos(Pos::new(self.across, self.down))
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

    fn pen(self) -> Pen {
        Pen { dashed: self.dashed, ..in_role(self.role) }
    }

    fn style(self) -> ShapeStyle {
        colour(self.role).stroke_width(fine(self.width).max(1) as u32)
    }
}

/// A picture in the making.
pub struct Canvas {
    pub size: Size,
    /// In CSS pixels.
    pub height: f64,
    svg: Svg,
    fault: Option<Error>,
}

impl Canvas {
    /// An empty canvas of a figure's width and the given height in CSS pixels.
    pub fn new(size: Size, height: f64) -> Self {
        let svg = Svg::new((fine(size.width()) as u32, fine(height) as u32));
        Canvas { size, height, svg, fault: None }
    }

    /// The width in CSS pixels.
    pub fn width(&self) -> f64 {
        self.size.width()
    }

    /// Places as plotters counts them. `None` if one of them is not finite: plotters would draw it as if it were a
    /// point, so the mark is left out, and [`Canvas::finish`] says why.
    fn places<const N: usize>(&mut self, what: &str, places: [Place; N]) -> Option<[BackendCoord; N]> {
        self.check(what, &places).then(|| places.map(|[x, y]| (fine(x), fine(y))))
    }

    fn check(&mut self, what: &str, places: &[Place]) -> bool {
        let infinite = places.iter().flatten().copied().find(|value| !value.is_finite());
        if let Some(value) = infinite {
            let what = format!("the place of a {what} mark");
            self.fault.get_or_insert(Error::NotFinite { what, value });
        }
        infinite.is_none()
    }

    /// Draws one of plotters' marks.
    fn draw<'m, M>(&mut self, pen: Pen, mark: &'m M)
    where
        M: Drawable<Svg>,
        &'m M: PointCollection<'m, BackendCoord>,
    {
        self.svg.pen = pen;
        let places = mark.point_iter().into_iter().map(|place| *place.borrow());
        let size = (self.width() as u32, self.height as u32);
        // Writing into a string cannot fail.
        let _ = mark.draw(places, &mut self.svg, size);
    }

    /// A straight line.
    pub fn line(&mut self, from: Place, to: Place, stroke: Stroke) {
        if let Some([from, to]) = self.places(stroke.role.name(), [from, to]) {
            self.svg.pen = stroke.pen();
            let _ = self.svg.draw_line(from, to, &stroke.style());
        }
    }

    /// A line through several places.
    pub fn path(&mut self, places: &[Place], stroke: Stroke) {
        if self.check(stroke.role.name(), places) {
            let places: Vec<_> = places.iter().map(|&[x, y]| (fine(x), fine(y))).collect();
            self.draw(stroke.pen(), &PathElement::new(places, stroke.style()));
        }
    }

    /// A filled area with these corners.
    pub fn area(&mut self, corners: &[Place], role: Role, opacity: f64) {
        if self.check(role.name(), corners) {
            let corners: Vec<_> = corners.iter().map(|&[x, y]| (fine(x), fine(y))).collect();
            self.draw(in_role(role), &Polygon::new(corners, fill_style(role, opacity)));
        }
    }

    /// A filled disc.
    pub fn disc(&mut self, centre: Place, radius: f64, role: Role, opacity: f64) {
        if let Some([centre]) = self.places(role.name(), [centre]) {
            self.draw(in_role(role), &Circle::new(centre, fine(radius), fill_style(role, opacity)));
        }
    }

    /// A circle that is not filled.
    pub fn ring(&mut self, centre: Place, radius: f64, stroke: Stroke) {
        if let Some([centre]) = self.places(stroke.role.name(), [centre]) {
            self.draw(stroke.pen(), &Circle::new(centre, fine(radius), stroke.style()));
        }
    }

    /// A filled rectangle between two corners.
    pub fn bar(&mut self, corner: Place, opposite: Place, role: Role, opacity: f64) {
        if let Some(corners) = self.places(role.name(), [corner, opposite]) {
            self.draw(in_role(role), &Rectangle::new(corners, fill_style(role, opacity)));
        }
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
        if let Some(corners) = self.places("tile", [corner, opposite]) {
            self.draw(Pen::default(), &Rectangle::new(corners, colour.filled()));
        }
        let middle = [(corner[0] + opposite[0]) / 2.0, (corner[1] + opposite[1]) / 2.0];
        let ink = if dark_text { RGBColor(0, 0, 0) } else { RGBColor(0xff, 0xff, 0xff) };
        // What it stands on, for those who check whether it can be read.
        self.write(text, middle, Text::CENTRE, &ink, Pen { on: Some(colour), ..Pen::default() });
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
        self.write(text, at, how, &colour(how.role), in_role(how.role));
    }

    fn write(&mut self, text: &str, at: Place, how: Text, colour: &RGBColor, pen: Pen) {
        if text.is_empty() {
            return;
        }
        if let Some([at]) = self.places("text", [at]) {
            self.draw(pen, &element::Text::new(text::isolated(text), at, how.style(colour)));
        }
    }

    /// What `draw` draws, in a group with these attributes.
    pub fn group(&mut self, attributes: &[(&str, &str)], draw: impl FnOnce(&mut Canvas)) {
        self.svg.open_group(attributes);
        draw(self);
        self.svg.close_group();
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
        let (width, height) = self.svg.get_size();
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" width=\"{}\" height=\"{}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\">\n<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
            self.size.name(),
            self.width(),
            self.height,
            escape(title),
            escape(&text::isolated(description)),
            self.svg.into_elements(),
        ))
    }
}

/// CSS pixels as whole pixels of plotters. Rounded to a millionth first, so that what lies halfway goes the same way
/// on every machine, though their last bits differ.
fn fine(pixels: f64) -> i32 {
    ((pixels * FINE * 1e6).round() / 1e6).round() as i32
}

/// The colour that plotters is given. Roles without one of their own have the surrounding text's: see [`Svg`].
fn colour(role: Role) -> RGBColor {
    role.fallback().0.unwrap_or(RGBColor(0, 0, 0))
}

fn in_role(role: Role) -> Pen {
    Pen { role: Some(role), ..Pen::default() }
}

fn fill_style(role: Role, opacity: f64) -> ShapeStyle {
    colour(role).mix(opacity).filled()
}
