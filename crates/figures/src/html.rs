//! A drawing's numbers and words as HTML, the same for the page that is built and the figure that is live.

use std::fmt::Write as _;

use crate::text::isolated;
use crate::{Cell, Drawing, Fact, Table};

/// Text as HTML that nothing on its way into a page reads as anything but text: every ASCII character other
/// than letters, digits and spaces becomes an entity. HTML needs that for five characters; Markdown,
/// TeX's `$`, and mdBook's `{{` make it all of them.
///
/// ```
/// use figures::html::escape;
///
/// assert_eq!(escape("tired"), "tired");
/// assert_eq!(escape("<b>*$5*"), "&#60;b&#62;&#42;&#36;5&#42;");
/// assert_eq!(escape("naïve 😀"), "naïve 😀");
/// ```
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() && !character.is_ascii_alphanumeric() && character != ' ' {
            let _ = write!(html, "&#{};", u32::from(character));
        } else {
            html.push(character);
        }
    }
    html
}

/// A cell. A token is set apart from the words around it, by its look and in its direction of reading.
///
/// ```
/// use figures::{Cell, html};
///
/// assert_eq!(html::cell(&Cell::number(-0.5, 1)), "−0.5");
/// assert_eq!(html::cell(&Cell::token("it's")), "<code class=\"token\"><bdi>it&#39;s</bdi></code>");
/// ```
pub fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Token(text) => format!("<code class=\"token\"><bdi>{}</bdi></code>", escape(text)),
        Cell::Words(words) => escape(&isolated(words)),
        // Digits and the signs around them, none of which means anything to HTML.
        Cell::Number { .. } | Cell::Share(_) | Cell::Count(_) => cell.to_string(),
    }
}

/// A table, a line for each row. Cells that hold numbers have the class `number`.
///
/// ```
/// use figures::{Cell, Row, Table, html};
///
/// let table = Table {
///     corner: "token".into(),
///     columns: vec!["weight".into()],
///     rows: vec![Row { name: "cat".into(), cells: vec![Cell::number(0.5, 2)] }],
/// };
/// assert!(html::table(&table).contains("<th scope=\"row\">cat</th><td class=\"number\">0.50</td>"));
/// ```
pub fn table(table: &Table) -> String {
    let mut html = format!("<table>\n<thead><tr><th scope=\"col\">{}</th>", escape(&table.corner));
    for column in &table.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(&isolated(column)));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escape(&isolated(&row.name)));
        for value in &row.cells {
            let class = if value.value().is_some() { " class=\"number\"" } else { "" };
            let _ = write!(html, "<td{class}>{}</td>", cell(value));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>");
    html
}

/// The findings as a list of names and values.
pub fn facts(facts: &[Fact]) -> String {
    let mut html = String::from("<dl class=\"figure-facts\">\n");
    for fact in facts {
        let name = escape(&fact.name.replace('-', " "));
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", cell(&fact.cell));
    }
    html.push_str("</dl>");
    html
}

/// Everything behind "show the numbers": the table, in a frame that scrolls when it is wide, and the findings.
pub fn numbers(drawing: &Drawing) -> String {
    let mut html = format!("<div class=\"table-wrapper\">\n{}\n</div>", table(&drawing.table));
    if !drawing.facts.is_empty() {
        html.push('\n');
        html.push_str(&facts(&drawing.facts));
    }
    html
}

/// The sentences that say what is to be seen, as running text.
pub fn sentences(sentences: &[String]) -> String {
    escape(&isolated(&sentences.join(" ")))
}
