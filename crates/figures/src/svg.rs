//! SVG as a plotters backend: plotters' marks become elements with what the book's pictures need.
//!
//! plotters draws its elements on anything that implements [`DrawingBackend`]; its own SVG backend knows no groups,
//! no classes and no dashes. Of a mark's style plotters passes on colour and thickness alone, so everything else is
//! set beforehand, as a [`Pen`]. Coordinates and thicknesses are whole numbers: see [`Canvas`](crate::canvas::Canvas),
//! which counts in tenths of a CSS pixel.

use std::convert::Infallible;
use std::fmt::{Display, Write as _};

use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    FontTransform,
};

use crate::colour::{Role, css};

/// What the marks that follow are drawn with, beside the colour and thickness of their style.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pen {
    /// What they stand for, unless their colour is the same in every theme.
    pub role: Option<Role>,
    /// Whether their lines are dashed.
    pub dashed: bool,
    /// The colour that text stands on, for those who check whether it can be read.
    pub on: Option<RGBColor>,
}

/// The elements of a picture, written as they are drawn.
pub struct Svg {
    /// What the marks that follow are drawn with.
    pub pen: Pen,
    size: (u32, u32),
    body: String,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Svg {
    /// No elements yet, in a picture of this width and height.
    pub fn new(size: (u32, u32)) -> Self {
        Svg { pen: Pen::default(), size, body: String::new() }
    }

    /// Begins a group with these attributes.
    pub fn open_group(&mut self, attributes: &[(&str, &str)]) {
        self.body.push_str("<g");
        for (name, value) in attributes {
            self.attribute(name, &escape(value));
        }
        self.body.push_str(">\n");
    }

    /// Ends the group begun last.
    pub fn close_group(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// The elements, a line for each.
    pub fn into_elements(self) -> String {
        self.body
    }

    fn attribute(&mut self, name: &str, value: &dyn Display) {
        // Writing into a string cannot fail.
        let _ = write!(self.body, " {name}=\"{value}\"");
    }

    /// Begins an element with what the pen says. `paint` is the attribute that has the colour: `fill` or `stroke`.
    fn open(&mut self, name: &str, paint: &str) {
        let Pen { role, dashed, on } = self.pen;
        self.body.push('<');
        self.body.push_str(name);
        if let Some(role) = role {
            let _ = write!(self.body, " class=\"{paint}-{}\"", role.name());
            // Apart from the mark's own opacity, for the page's colours need no thinning.
            if let (_, thin @ ..1.0) = role.fallback() {
                let _ = write!(self.body, " {paint}-opacity=\"{thin}\"");
            }
        }
        if dashed {
            self.attribute("stroke-dasharray", &"40 50");
        }
        if let Some(colour) = on {
            self.attribute("data-on", &css(colour));
        }
    }

    fn opacity(&mut self, colour: BackendColor) {
        if colour.alpha < 1.0 {
            self.attribute("opacity", &colour.alpha);
        }
    }

    /// The colour as an attribute's value. A role without one of its own has that of the text around the picture.
    fn paint(&self, BackendColor { rgb: (red, green, blue), .. }: BackendColor) -> String {
        match self.pen.role.map(Role::fallback) {
            Some((None, _)) => "currentColor".to_owned(),
            _ => format!("#{red:02X}{green:02X}{blue:02X}"),
        }
    }

    /// Writes `fill` and `stroke`: one of them the colour, the other none.
    fn fill_or_stroke(&mut self, colour: BackendColor, fill: bool) {
        let paint = self.paint(colour);
        let (inside, outline) = if fill { (paint.as_str(), "none") } else { ("none", paint.as_str()) };
        self.attribute("fill", &inside);
        self.attribute("stroke", &outline);
    }

    fn points(&mut self, places: impl IntoIterator<Item = BackendCoord>) {
        self.body.push_str(" points=\"");
        for (place, (x, y)) in places.into_iter().enumerate() {
            let gap = if place > 0 { " " } else { "" };
            let _ = write!(self.body, "{gap}{x},{y}");
        }
        self.body.push('"');
    }

    fn close(&mut self) -> Drawn {
        self.body.push_str("/>\n");
        Ok(())
    }
}

impl DrawingBackend for Svg {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.open("line", "stroke");
        self.opacity(style.color());
        self.attribute("stroke", &self.paint(style.color()));
        self.attribute("stroke-width", &style.stroke_width());
        for (name, value) in [("x1", from.0), ("y1", from.1), ("x2", to.0), ("y2", to.1)] {
            self.attribute(name, &value);
        }
        self.close()
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        corner: BackendCoord,
        opposite: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.open("rect", if fill { "fill" } else { "stroke" });
        let (width, height) = (opposite.0 - corner.0, opposite.1 - corner.1);
        for (name, value) in [("x", corner.0), ("y", corner.1), ("width", width), ("height", height)] {
            self.attribute(name, &value);
        }
        self.opacity(style.color());
        self.fill_or_stroke(style.color(), fill);
        self.close()
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.open("polyline", "stroke");
        self.attribute("fill", &"none");
        self.opacity(style.color());
        self.attribute("stroke", &self.paint(style.color()));
        self.attribute("stroke-width", &style.stroke_width());
        self.points(path);
        self.close()
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.open("polygon", "fill");
        self.opacity(style.color());
        self.attribute("fill", &self.paint(style.color()));
        self.points(corners);
        self.close()
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.open("circle", if fill { "fill" } else { "stroke" });
        self.attribute("cx", &centre.0);
        self.attribute("cy", &centre.1);
        self.attribute("r", &radius);
        self.opacity(style.color());
        self.fill_or_stroke(style.color(), fill);
        self.attribute("stroke-width", &style.stroke_width());
        self.close()
    }

    /// Anchored text, in the font of the picture: its width is nobody's to guess.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        self.open("text", "fill");
        let anchor = style.anchor();
        let down = match anchor.v_pos {
            VPos::Top => "0.76em",
            VPos::Center => "0.5ex",
            VPos::Bottom => "-0.5ex",
        };
        let across = match anchor.h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let turned = match style.transform() {
            FontTransform::None => None,
            FontTransform::Rotate90 => Some(90),
            FontTransform::Rotate180 => Some(180),
            FontTransform::Rotate270 => Some(270),
        };
        self.attribute("x", &x);
        self.attribute("y", &y);
        self.attribute("dy", &down);
        self.attribute("text-anchor", &across);
        self.attribute("font-size", &style.size());
        self.opacity(style.color());
        self.attribute("fill", &self.paint(style.color()));
        if let FontStyle::Bold = style.style() {
            self.attribute("font-weight", &"bold");
        }
        if let Some(degrees) = turned {
            let _ = write!(self.body, " transform=\"rotate({degrees}, {x}, {y})\"");
        }
        let _ = write!(self.body, ">\n{}\n</text>\n", escape(text).replace('\'', "&apos;"));
        Ok(())
    }
}

/// Text with what means something to XML written otherwise.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use plotters::coord::Shift;
    use plotters::drawing::DrawingArea;
    use plotters::element::{PathElement, Rectangle};
    use plotters::style::Color;

    use super::*;

    /// plotters' own drawing areas take the backend too, and what the pen says is on each mark.
    #[test]
    fn a_drawing_area_draws_on_it() {
        let svg = Rc::new(RefCell::new(Svg::new((100, 100))));
        let area: DrawingArea<Svg, Shift> = (&svg).into();
        let blue = RGBColor(0, 0, 255);
        svg.borrow_mut().open_group(&[("data-set", "a<b")]);
        svg.borrow_mut().pen = Pen { role: Some(Role::Query), dashed: true, on: None };
        area.draw(&PathElement::new([(1, 2), (3, 4), (5, 6)], Color::stroke_width(&blue, 7))).unwrap();
        svg.borrow_mut().pen = Pen { role: Some(Role::Grid), ..Pen::default() };
        area.draw(&Rectangle::new([(1, 2), (5, 8)], blue.mix(0.5).filled())).unwrap();
        svg.borrow_mut().close_group();
        drop(area);
        let svg = Rc::into_inner(svg).unwrap().into_inner();
        assert_eq!(
            svg.into_elements(),
            "<g data-set=\"a&lt;b\">\n\
             <polyline class=\"stroke-query\" stroke-dasharray=\"40 50\" fill=\"none\" stroke=\"#0000FF\" \
             stroke-width=\"7\" points=\"1,2 3,4 5,6\"/>\n\
             <rect class=\"fill-grid\" fill-opacity=\"0.2\" x=\"1\" y=\"2\" width=\"4\" height=\"6\" opacity=\"0.5\" \
             fill=\"currentColor\" stroke=\"none\"/>\n\
             </g>\n"
        );
    }
}
