//! What the page of a chapter gets for a directive: pieces of HTML and of TeX.
//!
//! mdBook takes HTML inside Markdown as it is, up to the first blank line. On the way there, KaTeX looks for
//! `$`, backticks and backslashes, and mdBook for `{{`; so none of these may be in it either. The script that
//! wakes the figures knows none of them by name: everything it needs is in the attributes here.

use std::fmt::Write as _;
use std::path::Path;

use figures::html::{self, escape};
use figures::{Cell, Control, Drawing, Figure, Kind, Params, Scene, Value};
use sha2::{Digest as _, Sha256};

use crate::fault::Place;

/// A figure as it is shown in the book.
#[derive(Debug)]
pub struct Shown {
    /// The figure.
    pub figure: &'static Figure,
    /// Its number, in the order of reading.
    pub number: usize,
    /// How its controls are set.
    pub params: Params,
    /// The page it is on.
    pub page: String,
    /// Where its directive stands.
    pub place: Place,
}

/// The pictures of a figure that is shown.
#[derive(Debug)]
pub struct Pictures {
    /// The figure's id.
    pub id: &'static str,
    /// For wide pages, and to take away.
    pub wide: String,
    /// For phones.
    pub narrow: String,
}

/// What opens the place of a picture: its figure's id, a space, and its width follow, and the words in it, which mdBook
/// puts into the index for searching.
const PLACE_OPENS: &str = "<svg data-picture=\"";
const PLACE_ENDS: &str = "</svg>";

fn place(id: &str, width: &str, svg: &str) -> String {
    let words: Vec<&str> = parts(svg).flat_map(|(_, text)| text.split_ascii_whitespace()).collect();
    format!("{PLACE_OPENS}{id} {width}\">{}{PLACE_ENDS}", hidden(&words.join(" ")))
}

/// A chapter's text with the pictures in their places, for Markdown to read.
pub fn illustrated(text: &str, pictures: &[Pictures]) -> String {
    with_pictures(text, pictures, hidden)
}

/// A page with the pictures in their places. They are two thirds of all pages, which mdBook would read and write three
/// times; here they come into the pages that it has made, written as it would have written them.
pub(crate) fn finished(page: &str, pictures: &[Pictures]) -> String {
    with_pictures(page, pictures, |svg| {
        let part = |(tag, text): (&str, &str)| {
            let tag = tag
                .replace("/>", " />")
                .replace(" viewBox=", " viewbox=")
                .replace('\'', "&#39;")
                .replace('\\', "&#92;");
            tag + &text.replace("&quot;", "\"").replace("&apos;", "'")
        };
        without_blank_lines(&parts(svg).map(part).collect::<String>())
    })
}

fn with_pictures(text: &str, pictures: &[Pictures], form: impl Fn(&str) -> String) -> String {
    let mut parts = text.split(PLACE_OPENS);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let picture = part.split_once(PLACE_ENDS).and_then(|(place, rest)| {
            let (id, width) = place.split('"').next()?.split_once(' ')?;
            let of = pictures.iter().find(|of| of.id == id)?;
            Some((form(if width == "wide" { &of.wide } else { &of.narrow }), rest))
        });
        match picture {
            Some((svg, rest)) => result.extend([&svg, rest]),
            None => result.extend([PLACE_OPENS, part]),
        }
    }
    result
}

/// The tags of a picture, each with the text behind it.
fn parts(svg: &str) -> impl Iterator<Item = (&str, &str)> {
    let starts = svg.match_indices('<').map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([svg.len()]);
    starts.zip(ends).map(|(start, end)| {
        let part = &svg[start..end];
        part.split_at(part.find('>').map_or(part.len(), |close| close + 1))
    })
}

/// The whole of a figure, with places for its pictures: for wide pages and for phones, controls, sentences, caption and numbers.
/// The numbers are part of the `figcaption`, since HTML wants nothing to follow it in a figure.
///
/// `module` is the address of its live module from the book's first folder, and `to_root` the way from its page up to
/// that.
pub fn figure(
    shown: &Shown,
    controls: &[Control],
    [wide, narrow]: &[Drawing; 2],
    module: &str,
    to_root: &str,
) -> String {
    let Figure { id, title, caption, .. } = shown.figure;
    let title = escape(title);
    let form = if controls.is_empty() { String::new() } else { form(id, controls, &shown.params) };
    format!(
        "<figure class=\"figure\" id=\"figure-{id}\" data-figure=\"{id}\" data-module=\"{to_root}{module}\" aria-labelledby=\"figure-{id}-caption\">\n\
         <div class=\"figure-picture\" role=\"group\" aria-label=\"{title}\" aria-describedby=\"figure-{id}-says\">\n\
         {}\n\
         {}\n\
         </div>\n\
         {form}\
         <p class=\"figure-says\" id=\"figure-{id}-says\" role=\"status\" aria-live=\"polite\">{}</p>\n\
         <figcaption>\n\
         <p class=\"figure-caption\" id=\"figure-{id}-caption\">\
         <a class=\"figure-number\" href=\"#figure-{id}\">Figure {}</a> {} \
         <a class=\"figure-download\" download=\"{id}.svg\" href=\"{to_root}figures/{id}.svg\" \
         title=\"Download this picture\">SVG</a></p>\n\
         <details class=\"figure-numbers\"><summary>Show the numbers</summary>\n\
         <div class=\"figure-data\">\n{}\n</div>\n\
         </details>\n\
         </figcaption>\n\
         </figure>",
        place(id, "wide", &wide.svg),
        place(id, "narrow", &narrow.svg),
        html::sentences(&wide.sentences),
        shown.number,
        with_code(caption),
        html::numbers(wide),
    )
}

/// The address of a chapter's live module, from the book's first folder. It changes with the module, so that no browser
/// shows a new page with an old one; one that is not there has its address all the same, and leaves its figures still.
///
/// `source` is the folder of the book's sources, whose `live` mdBook copies into the book.
pub fn module(source: &Path, chapter: &str) -> String {
    let address = format!("live/{chapter}.js");
    match std::fs::read(source.join(&address)) {
        Ok(content) => {
            let sum: String = Sha256::digest(content)[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{address}?{sum}")
        }
        Err(_) => address,
    }
}

/// The scene, for the figures of a page to be drawn again in: JSON, in which nothing is read as anything but that.
pub fn scene(scene: &Scene) -> String {
    // A scene is text and finite numbers, which JSON has a form for.
    let mut json = serde_json::to_string(scene).unwrap_or_default();
    // Only in a string can these stand, and there JSON has another name for each.
    for (mark, name) in
        [("<", "\\u003c"), ("$", "\\u0024"), ("`", "\\u0060"), ("{{", "{\\u007b"), ("\\\"", "\\u0022")]
    {
        json = json.replace(mark, name);
    }
    format!("\n\n<script type=\"application/json\" class=\"scene\">{json}</script>\n")
}

/// A link to a figure, from the page `from`.
pub fn link(shown: &Shown, from: &str) -> String {
    let Shown { figure, number, page, .. } = shown;
    let page = if page == from { String::new() } else { way(from, page) };
    format!("<a class=\"figure-ref\" href=\"{page}#figure-{}\">Figure {number}</a>", figure.id)
}

/// The list of all figures, each with its picture beside its name.
pub fn list(all: &[Shown], from: &str, to_root: &str) -> String {
    let mut list = String::from("<ul class=\"figure-list\">\n");
    for shown in all {
        let Figure { id, title, .. } = shown.figure;
        // The name says all that there is to be said of a picture so small.
        let _ = writeln!(
            list,
            "<li><img src=\"{to_root}figures/{id}.svg\" alt=\"\" loading=\"lazy\"> <span>{}: {}</span></li>",
            link(shown, from),
            escape(title)
        );
    }
    list.push_str("</ul>");
    list
}

/// A cell in running text; `first` if it is the first thing on its line.
pub fn in_text(cell: &Cell, first: bool) -> String {
    let html = html::cell(cell);
    match html.chars().next() {
        // A whole number and a full stop would begin a numbered list.
        Some(digit) if first && digit.is_ascii_digit() => format!("&#{};{}", u32::from(digit), &html[1..]),
        _ => html,
    }
}

/// A cell in a formula, as TeX.
///
/// # Errors
///
/// What is wrong, if the cell is a token or words with a character in them that Markdown, which reads what KaTeX
/// makes of the formula, would take for its own.
///
/// ```
/// use book::page::in_formula;
/// use figures::Cell;
///
/// assert_eq!(in_formula(&Cell::number(-0.5, 1))?, "-0.5");
/// assert_eq!(in_formula(&Cell::share(0.46))?, "46\\%");
/// assert_eq!(in_formula(&Cell::count(43_008))?, "43\\,008");
/// assert_eq!(in_formula(&Cell::token("R&D"))?, "\\text{R\\&D}");
/// assert!(in_formula(&Cell::token("*")).is_err());
/// # Ok::<(), String>(())
/// ```
pub fn in_formula(cell: &Cell) -> Result<String, String> {
    let text = cell.to_string();
    if cell.value().is_some() {
        // KaTeX takes a true minus sign, but knows no narrow space; and `%` begins a comment.
        return Ok(text.replace('\u{2212}', "-").replace('\u{202f}', "\\,").replace('%', "\\%"));
    }
    if let Some(active) = text.chars().find(|&character| "*_`~[]\\|$".contains(character)) {
        return Err(format!("`{text}` cannot stand in a formula, for its `{active}`; put it into the text"));
    }
    let mut tex = String::from("\\text{");
    for character in text.chars() {
        match character {
            '^' => tex.push_str("\\textasciicircum{}"),
            '{' | '}' | '%' | '#' | '&' => tex.extend(['\\', character]),
            _ => tex.push(character),
        }
    }
    tex.push('}');
    Ok(tex)
}

/// A picture, or its words, for a chapter: the same, with the few characters hidden that Markdown and directives would
/// read.
fn hidden(svg: &str) -> String {
    let mut hidden = String::with_capacity(svg.len());
    for character in svg.chars() {
        match character {
            '$' | '`' | '\\' | '{' | '}' => {
                let _ = write!(hidden, "&#{};", u32::from(character));
            }
            _ => hidden.push(character),
        }
    }
    without_blank_lines(&hidden)
}

/// A blank line would end the HTML that Markdown leaves as it is.
fn without_blank_lines(text: &str) -> String {
    text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// A caption, in which backticks set code apart.
fn with_code(caption: &str) -> String {
    let mut html = String::new();
    for (place, part) in caption.split('`').enumerate() {
        let (open, close) = if place % 2 == 1 { ("<code>", "</code>") } else { ("", "") };
        let _ = write!(html, "{open}{}{close}", escape(part));
    }
    html
}

/// The address of one page for a link on another, both given by their paths from the book's first folder.
///
/// ```
/// use book::page::way;
///
/// assert_eq!(way("part/a.html", "100% (b).html"), "../100%25%20%28b%29.html");
/// ```
pub fn way(from: &str, to: &str) -> String {
    "../".repeat(from.matches('/').count()) + &url(to)
}

/// A heading's text as that of a link: its brackets are none of the link's.
pub(crate) fn link_text(heading: &str) -> String {
    // Those of a directive or a formula are theirs to read.
    let plain = !heading.contains("{{") && !heading.contains('$') && !heading.contains('`');
    if plain { heading.replace('[', "\\[").replace(']', "\\]") } else { heading.to_owned() }
}

/// The page for printing, which is in the book's first folder, with chapters of other folders in it: mdBook sets their links
/// right, and here the addresses of live modules are.
pub(crate) fn printed(page: &str) -> String {
    with_addresses(page, &["data-module"], |address| address.trim_start_matches("../").to_owned())
}

/// The page of a chapter in `folder` as the book's first page, which is in the first folder: mdBook copies it as it is.
pub(crate) fn as_index(page: &str, folder: &str) -> String {
    let Some((before, rest)) = page.split_once("<main>").filter(|_| !folder.is_empty()) else {
        return page.to_owned();
    };
    let (main, after) = rest.split_once("</main>").unwrap_or((rest, ""));
    let main = with_addresses(main, &["href", "src", "data-module"], |address| {
        let scheme = address.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
        if address.is_empty() || address.starts_with(['/', '#']) || scheme {
            return address.to_owned();
        }
        let end = address.find(['?', '#']).unwrap_or(address.len());
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in address[..end].split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                part => parts.push(part),
            }
        }
        parts.join("/") + &address[end..]
    });
    format!("{before}<main>{main}</main>{after}")
}

/// HTML with the values of some attributes changed.
fn with_addresses(html: &str, attributes: &[&str], change: impl Fn(&str) -> String) -> String {
    attributes.iter().fold(html.to_owned(), |html, attribute| {
        let opens = format!(" {attribute}=\"");
        let mut parts = html.split(opens.as_str());
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (address, rest) = part.split_once('"').unwrap_or((part, ""));
            result += &format!("{opens}{}\"{rest}", change(address));
        }
        result
    })
}

/// A path as part of an address.
pub(crate) fn url(path: &str) -> String {
    let mut url = String::new();
    for character in path.chars() {
        if character.is_ascii() && !character.is_ascii_alphanumeric() && !"/-_.~".contains(character) {
            let _ = write!(url, "%{:02X}", u32::from(character));
        } else {
            url.push(character);
        }
    }
    url
}

/// The controls, hidden and out of use until the script wakes them.
fn form(id: &str, controls: &[Control], params: &Params) -> String {
    let mut form = String::from(
        "<form class=\"figure-controls\" autocomplete=\"off\" novalidate hidden><fieldset disabled>\n",
    );
    for control in controls {
        // What cannot be read was refused before.
        let written = params.get(control.name).and_then(|written| control.parse(written).ok());
        let value = written.unwrap_or_else(|| control.default());
        form.push_str(&field(id, control, &value));
        form.push('\n');
    }
    form.push_str("<button type=\"reset\">Reset</button>\n</fieldset></form>\n");
    form
}

/// A control, standing at `value`, to which a reset of the form brings it back.
fn field(id: &str, control: &Control, value: &Value) -> String {
    let name = control.name;
    let label = escape(control.label);
    let written = escape(&value.to_string());
    let id = format!("figure-{id}-{name}");
    let frame = |kind: &str, inside: String| {
        format!("<div class=\"control\" data-control=\"{name}\" data-kind=\"{kind}\">{inside}</div>")
    };
    match &control.kind {
        Kind::Toggle { .. } => {
            let checked = if *value == Value::Switch(true) { " checked" } else { "" };
            frame(
                "toggle",
                format!(
                    "<input type=\"checkbox\" id=\"{id}\" name=\"{name}\"{checked}> <label for=\"{id}\">{label}</label>"
                ),
            )
        }
        Kind::Choice { options, .. } => {
            let mut select =
                format!("<label for=\"{id}\">{label}</label> <select id=\"{id}\" name=\"{name}\">");
            for preset in options {
                select.push_str(&option(&preset.value, &preset.label, preset.value == value.to_string()));
            }
            frame("choice", select + "</select>")
        }
        Kind::Slider { min, max, step, .. } => frame(
            "slider",
            format!(
                "<label for=\"{id}\">{label}</label> \
                 <input type=\"range\" id=\"{id}\" name=\"{name}\" min=\"{min}\" max=\"{max}\" step=\"{step}\" \
                 value=\"{written}\"> <output for=\"{id}\">{written}</output>"
            ),
        ),
        Kind::Point { x, y, step, presets, .. } => {
            let at = if let Value::Point(point) = value { *point } else { [x[0], y[0]] };
            let mut field = format!(
                "<fieldset class=\"control\" data-control=\"{name}\" data-kind=\"point\"><legend>{label}</legend>"
            );
            if !presets.is_empty() {
                let chosen = presets.iter().find(|preset| control.parse(&preset.value).as_ref() == Ok(value));
                let _ = write!(
                    field,
                    "<label for=\"{id}-place\">place</label> <select id=\"{id}-place\" data-part=\"preset\">{}",
                    option("", "a point of your own", chosen.is_none())
                );
                for preset in presets {
                    let selected = chosen.is_some_and(|chosen| std::ptr::eq(chosen, preset));
                    field.push_str(&option(&preset.value, &preset.label, selected));
                }
                field.push_str("</select> ");
            }
            for (part, [min, max], value) in [("x", x, at[0]), ("y", y, at[1])] {
                let _ = write!(
                    field,
                    "<label for=\"{id}-{part}\">{part}</label> \
                     <input type=\"number\" id=\"{id}-{part}\" name=\"{name}\" data-part=\"{part}\" \
                     min=\"{min}\" max=\"{max}\" step=\"{step}\" value=\"{value}\"> "
                );
            }
            field.trim_end().to_owned() + "</fieldset>"
        }
    }
}

fn option(value: &str, label: &str, selected: bool) -> String {
    let selected = if selected { " selected" } else { "" };
    format!("<option value=\"{}\"{selected}>{}</option>", escape(value), escape(label))
}

#[cfg(test)]
mod tests {
    use figures::Preset;

    use super::*;

    fn preset(value: &str, label: &str) -> Preset {
        Preset { value: value.into(), label: label.into() }
    }

    #[test]
    fn every_kind_of_control_stands_where_it_is_set() {
        let toggle = Control { name: "mask", label: "Mask & co", kind: Kind::Toggle { default: false } };
        let html = field("f", &toggle, &Value::Switch(true));
        assert!(html.contains("id=\"figure-f-mask\" name=\"mask\" checked>"), "{html}");
        assert!(html.contains("Mask &#38; co"), "{html}");
        assert!(!field("f", &toggle, &toggle.default()).contains("checked>"));

        let options = vec![preset("1", "head 1"), preset("2", "head 2")];
        let choice = Control { name: "head", label: "Head", kind: Kind::Choice { options, default: 1 } };
        let html = field("f", &choice, &choice.default());
        assert!(html.contains("<option value=\"1\">head 1</option><option value=\"2\" selected>"), "{html}");

        let kind = Kind::Slider { min: 0.5, max: 1.5, step: 0.1, default: 0.8 };
        let slider = Control { name: "gain", label: "Gain", kind };
        let html = field("f", &slider, &slider.default());
        assert!(html.contains("min=\"0.5\" max=\"1.5\" step=\"0.1\" value=\"0&#46;8\""), "{html}");

        let presets = vec![preset("1,2", "cat"), preset("0,0", "origin")];
        let kind = Kind::Point { x: [-3.0, 3.0], y: [-4.0, 4.0], step: 0.1, default: [1.0, 2.0], presets };
        let point = Control { name: "query", label: "Query", kind };
        let html = field("f", &point, &point.default());
        assert!(html.contains("<option value=\"\">a point of your own</option>"), "{html}");
        assert!(html.contains("<option value=\"1&#44;2\" selected>cat</option>"), "{html}");
        assert!(html.contains("data-part=\"y\" min=\"-4\" max=\"4\" step=\"0.1\" value=\"2\""), "{html}");
        let html = field("f", &point, &Value::Point([0.25, 0.0]));
        assert!(html.contains("<option value=\"\" selected>") && html.contains("value=\"0.25\""), "{html}");
    }

    #[test]
    fn a_number_that_begins_a_line_begins_no_list() {
        assert_eq!(in_text(&Cell::count(1), true), "&#49;");
        assert_eq!(in_text(&Cell::count(12), false), "12");
        assert_eq!(in_text(&Cell::number(-1.0, 0), true), "−1");
    }

    #[test]
    fn pictures_hide_what_others_would_read() {
        assert_eq!(
            hidden("<svg>\n\n<text>$a`\\{{</text></svg>\n"),
            "<svg>\n<text>&#36;a&#96;&#92;&#123;&#123;</text></svg>"
        );
    }

    #[test]
    fn pictures_come_into_their_places() {
        let wide = "<svg viewBox=\"0\">\n\n<text a=\"it's\">$5 &lt; it&apos;s &quot;{{x&quot;</text></svg>\n";
        let pictures = [Pictures { id: "f", wide: wide.into(), narrow: "<svg/>".into() }];
        let text = format!("a{}\n{}b", place("f", "wide", wide), place("f", "narrow", "<svg/>"));
        assert!(text.contains("\"f wide\">&#36;5 &lt; it&apos;s &quot;&#123;&#123;x&quot;</svg>"), "{text}");
        assert_eq!(
            illustrated(&text, &pictures),
            "a<svg viewBox=\"0\">\n<text a=\"it's\">&#36;5 &lt; it&apos;s &quot;&#123;&#123;x&quot;</text></svg>\n<svg/>b"
        );
        assert_eq!(
            finished(&text, &pictures),
            "a<svg viewbox=\"0\">\n<text a=\"it&#39;s\">$5 &lt; it's \"{{x\"</text></svg>\n<svg />b"
        );
        for other in [&place("g", "wide", ""), PLACE_OPENS, "<svg data-picture=\"f\"></svg>", ""] {
            assert_eq!(finished(other, &pictures), *other);
        }
    }

    #[test]
    fn captions_set_code_apart() {
        assert_eq!(with_code("see `a<b` here"), "see <code>a&#60;b</code> here");
    }

    #[test]
    fn a_page_elsewhere_keeps_its_addresses() {
        let page = "<figure data-module=\"../../live/a.js\"><figure data-module=\"live/b.js\"> ../ ";
        assert_eq!(
            printed(page),
            "<figure data-module=\"live/a.js\"><figure data-module=\"live/b.js\"> ../ "
        );

        let page = |inside: &str| format!("<a href=\"x\"><main>{inside}</main><a href=\"../y\">");
        for (address, expected) in [
            ("../live/a.js?1", "b/live/a.js?1"),
            ("../../c.html#d", "c.html#d"),
            ("./e.png", "b/f/e.png"),
            ("#g", "#g"),
            ("https://h.i/j", "https://h.i/j"),
        ] {
            for attribute in ["href", "src", "data-module"] {
                let tag = |address: &str| page(&format!("<i {attribute}=\"{address}\">"));
                assert_eq!(as_index(&tag(address), "b/f"), tag(expected));
                assert_eq!(as_index(&tag(address), ""), tag(address));
            }
        }
    }

    #[test]
    fn addresses_are_addresses() {
        assert_eq!(url("a b/ü$.html"), "a%20b/ü%24.html");
    }
}
