//! MathML as KaTeX leaves it, made fit for the page.
//!
//! KaTeX writes each formula with its TeX source in an `<annotation>`, which Markdown then reads as text: an
//! underscore in one formula pairs with one in the next and swallows what lies between. It also names alphabets by
//! an attribute that browsers ignore, and writes spaces and norms as characters that they set wrongly.

/// Rewrites every `<math>` in a text; everything else is returned as it came.
///
/// ```
/// # use book::maths::settle;
/// let katex = r#"<math><semantics><mrow><mi mathvariant="double-struck">R</mi></mrow><annotation encoding="application/x-tex">\R</annotation></semantics></math>"#;
/// assert_eq!(settle(katex), "<math><mrow><mi>ℝ</mi></mrow></math>");
/// ```
pub fn settle(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(start) = rest.find("<math") {
        let Some(length) = rest[start..].find("</math>") else { break };
        let end = start + length + "</math>".len();
        out.push_str(&rest[..start]);
        formula(&rest[start..end], &mut out);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Elements whose second and later children are indices or limits.
const SCRIPTS: [&str; 6] = ["msub", "msup", "msubsup", "munder", "mover", "munderover"];

fn formula(math: &str, out: &mut String) {
    // The open elements, each with the number of children begun in it.
    let mut path: Vec<(&str, usize)> = Vec::new();
    let mut rest = math;
    while let Some(open) = rest.find('<') {
        escape(&rest[..open], out);
        let close = rest[open..].find('>').map_or(rest.len(), |i| open + i + 1);
        let tag = &rest[open..close];
        rest = &rest[close..];

        if let Some(name) = tag.strip_prefix("</") {
            if name != "semantics>" {
                match path.pop() {
                    Some(("mo", _)) => out.push_str("<mspace width=\"0.222em\"></mspace></mrow>"),
                    Some((name, _)) => out.push_str(&format!("</{name}>")),
                    None => {}
                }
            }
            continue;
        }
        let name = tag[1..].split([' ', '>', '/']).next().unwrap_or("");
        match name {
            "semantics" => continue,
            "annotation" => {
                rest = rest.split_once("</annotation>").map_or("", |(_, after)| after);
                continue;
            }
            _ => {}
        }
        if let Some(parent) = path.last_mut() {
            parent.1 += 1;
        }
        let is_token = matches!(name, "mi" | "mn" | "mo" | "mtext");
        match rest.split_once("</") {
            Some((text, after)) if is_token && !text.contains('<') => {
                let script = path.iter().any(|&(name, child)| child > 1 && SCRIPTS.contains(&name));
                rest = after.split_once('>').map_or("", |(_, after)| after);
                token(name, tag, text, script, rest, out);
            }
            // \overset, \bmod and their like: a token that holds elements, which browsers set as running text.
            _ if is_token && tag.contains("lspace=\"0.22em\"") => {
                out.push_str("<mrow><mspace width=\"0.222em\"></mspace>");
                path.push(("mo", 0));
            }
            _ if is_token => {
                out.push_str("<mrow>");
                path.push(("mrow", 0));
            }
            _ => {
                out.push_str(tag);
                if !tag.ends_with("/>") {
                    path.push((name, 0));
                }
            }
        }
    }
    escape(rest, out);
}

/// Writes one token element; `script` if it stands in an index, `next` is what follows it.
fn token(name: &str, tag: &str, text: &str, script: bool, next: &str, out: &mut String) {
    if name == "mtext"
        && let Some(width) = space(text)
    {
        out.push_str(&format!("<mspace width=\"{width}em\"></mspace>"));
        return;
    }
    let (mut tag, variant) = take_attribute(tag, "mathvariant");
    let variant = variant.as_deref().unwrap_or("");
    let mut text: String = text.chars().map(|c| letter(c, variant)).collect();

    // A lone upright letter is the one case in which browsers obey the attribute.
    let lone = text.chars().count() == 1 && text.chars().all(|c| c.is_alphabetic() || c == '∇');
    if variant == "normal" && name == "mi" && lone {
        tag.insert_str(3, " mathvariant=\"normal\"");
    }
    if name == "mo" {
        let fence =
            matches!(text.as_str(), "∥" | "∣") && (tag.contains("stretchy=") || tag.contains("fence="));
        if fence {
            // KaTeX writes these fences with the characters of the relations "parallel" and "divides".
            text = if text == "∥" { "‖" } else { "|" }.to_owned();
        }
        if text == "\u{2061}" {
            // "sin x" wants a space that "sin(x)" does not.
            if !["<mo", "<mrow><mo", "</"].iter().any(|bracket| next.starts_with(bracket)) {
                tag.insert_str(3, " rspace=\"0.167em\"");
            }
        } else if (fence || script) && !tag.contains("lspace=") {
            // TeX sets signs close in an index: i=1, not i = 1.
            tag.insert_str(3, " lspace=\"0em\" rspace=\"0em\"");
        }
    }
    out.push_str(&tag);
    escape(&text, out);
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn take_attribute(tag: &str, name: &str) -> (String, Option<String>) {
    let start = format!(" {name}=\"");
    let Some(at) = tag.find(&start) else { return (tag.to_owned(), None) };
    let from = at + start.len();
    let Some(length) = tag[from..].find('"') else { return (tag.to_owned(), None) };
    (format!("{}{}", &tag[..at], &tag[from + length + 1..]), Some(tag[from..from + length].to_owned()))
}

/// The width of a text that is nothing but spaces, in em; KaTeX marks a negative one with an invisible separator.
fn space(text: &str) -> Option<f64> {
    let mut width = 0.0;
    let mut sign = 1.0;
    for c in text.chars() {
        match c {
            '\u{200a}' => width += 1.0 / 18.0,
            '\u{2009}' => width += 3.0 / 18.0,
            '\u{2005}' => width += 4.0 / 18.0,
            '\u{a0}' | ' ' => width += 4.5 / 18.0,
            '\u{2003}' => width += 1.0,
            '\u{2063}' => sign = -1.0,
            _ => return None,
        }
    }
    (!text.is_empty()).then(|| sign * (width * 1000.0_f64).round() / 1000.0)
}

/// The letter of an alphabet: Unicode has them all, a few of them out of order.
fn letter(c: char, variant: &str) -> char {
    let (upper, lower, digit) = match variant {
        "bold" => (0x1D400, 0x1D41A, Some(0x1D7CE)),
        "script" => (0x1D49C, 0x1D4B6, None),
        "double-struck" => (0x1D538, 0x1D552, Some(0x1D7D8)),
        _ => return c,
    };
    let out_of_order = match (variant, c) {
        ("script", 'B') => Some('ℬ'),
        ("script", 'E') => Some('ℰ'),
        ("script", 'F') => Some('ℱ'),
        ("script", 'H') => Some('ℋ'),
        ("script", 'I') => Some('ℐ'),
        ("script", 'L') => Some('ℒ'),
        ("script", 'M') => Some('ℳ'),
        ("script", 'R') => Some('ℛ'),
        ("double-struck", 'C') => Some('ℂ'),
        ("double-struck", 'H') => Some('ℍ'),
        ("double-struck", 'N') => Some('ℕ'),
        ("double-struck", 'P') => Some('ℙ'),
        ("double-struck", 'Q') => Some('ℚ'),
        ("double-struck", 'R') => Some('ℝ'),
        ("double-struck", 'Z') => Some('ℤ'),
        _ => None,
    };
    let in_order = match c {
        'A'..='Z' => Some(upper + (c as u32 - 'A' as u32)),
        'a'..='z' => Some(lower + (c as u32 - 'a' as u32)),
        '0'..='9' => digit.map(|d: u32| d + (c as u32 - '0' as u32)),
        _ => None,
    };
    out_of_order.or(in_order.and_then(char::from_u32)).unwrap_or(c)
}

/// Text that Markdown must leave alone: two tildes would strike out what stands between them.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '~' | '*' | '_' | '`' | '[' | ']' | '\\' | '|' | '"' | '\'' | '^' | '$' => {
                out.push_str(&format!("&#{};", c as u32))
            }
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::settle;

    fn one(body: &str) -> String {
        settle(&format!("<math><semantics><mrow>{body}</mrow><annotation encoding=\"application/x-tex\">a_b</annotation></semantics></math>"))
            .replace("<math><mrow>", "")
            .replace("</mrow></math>", "")
    }

    #[test]
    fn source_goes_and_the_text_around_stays() {
        let page =
            "a_b <span><math><semantics><mi>x</mi><annotation>x_1</annotation></semantics></math></span> *c*";
        assert_eq!(settle(page), "a_b <span><math><mi>x</mi></math></span> *c*");
        assert_eq!(settle("no formula, <maths"), "no formula, <maths");
    }

    #[test]
    fn alphabets() {
        assert_eq!(one("<mi mathvariant=\"double-struck\">R</mi>"), "<mi>ℝ</mi>");
        assert_eq!(one("<mi mathvariant=\"bold\">x</mi>"), "<mi>𝐱</mi>");
        assert_eq!(one("<mn mathvariant=\"bold\">1</mn>"), "<mn>𝟏</mn>");
        assert_eq!(one("<mi mathvariant=\"script\">O</mi>"), "<mi>𝒪</mi>");
        assert_eq!(one("<mi mathvariant=\"normal\">d</mi>"), "<mi mathvariant=\"normal\">d</mi>");
        assert_eq!(one("<mi mathvariant=\"normal\">softmax</mi>"), "<mi>softmax</mi>");
    }

    #[test]
    fn fences_spaces_and_signs() {
        assert_eq!(
            one("<mo stretchy=\"false\">∥</mo>"),
            "<mo lspace=\"0em\" rspace=\"0em\" stretchy=\"false\">‖</mo>"
        );
        assert_eq!(one("<mo>∣</mo>"), "<mo>∣</mo>", "a relation keeps its space");
        assert_eq!(one("<mtext>\u{2009}\u{2063}</mtext>"), "<mspace width=\"-0.167em\"></mspace>");
        assert_eq!(
            one("<mi><mover><mo>=</mo><mi>a</mi></mover></mi>"),
            "<mrow><mover><mo>=</mo><mi>a</mi></mover></mrow>"
        );
        assert_eq!(one("<mo>~</mo>"), "<mo>&#126;</mo>");
        let index = one("<msub><mi>s</mi><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow></msub><mo>=</mo>");
        assert_eq!(
            index,
            "<msub><mi>s</mi><mrow><mi>i</mi><mo lspace=\"0em\" rspace=\"0em\">=</mo><mn>1</mn></mrow></msub><mo>=</mo>"
        );
        assert_eq!(
            one("<mi>sin</mi><mo>\u{2061}</mo><mi>x</mi>"),
            "<mi>sin</mi><mo rspace=\"0.167em\">\u{2061}</mo><mi>x</mi>"
        );
        assert_eq!(one("<mi>sin</mi><mo>\u{2061}</mo><mo>(</mo>"), "<mi>sin</mi><mo>\u{2061}</mo><mo>(</mo>");
    }
}
