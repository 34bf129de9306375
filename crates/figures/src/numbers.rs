//! Numbers as they are written, in tables, sentences and pictures: the one place where they are rounded.

use crate::drawing::Cell;

/// `value` with so many `digits` after the point, with a true minus sign and no negative zero.
///
/// It is rounded to twelve significant digits first: machines differ in the last bits, and of two that differ so, one
/// may lie just below the middle between two roundings, and the other just above.
pub fn fixed(value: f64, digits: usize) -> String {
    let value: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().all(|b| b == b'0' || b == b'.') => size.to_owned(),
        Some(size) => format!("\u{2212}{size}"),
        None => text,
    }
}

/// A share of the whole in per cent.
pub fn share(value: f64) -> String {
    format!("{}%", fixed(value * 100.0, 0))
}

/// A whole number, its thousands set apart.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        // A thin, non-breaking space before each group of three, in numbers of five digits and more.
        if place > 0 && digits.len() > 4 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A weight, or how far something moves, on a picture, in two digits. What is not exactly 0 is not to look so.
pub fn weight_in_brief(weight: f64) -> String {
    if weight < 0.005 { "<.01".to_owned() } else { fixed(weight, 2) }
}

/// The room that a weight in two digits takes up.
pub const WIDTH_OF_NUMBER: f64 = 29.0;

/// A weight as it is written in a tile of this width: in a small one without the leading 0, and only if it is large.
pub fn in_tile(weight: f64, side: f64) -> String {
    match fixed(weight, 2) {
        _ if side >= WIDTH_OF_NUMBER + 4.0 => weight_in_brief(weight),
        _ if weight < 0.1 => String::new(),
        number => number.strip_prefix('0').map_or("1.0".to_owned(), String::from),
    }
}

/// The sum of a column under a tile of this width.
pub fn sum_in_brief(sum: f64, side: f64) -> String {
    match side >= WIDTH_OF_NUMBER + 4.0 {
        true if sum >= 0.005 => fixed(sum, 2),
        true => "<.01".to_owned(),
        false if sum >= 0.05 => fixed(sum, 1),
        false => "<.1".to_owned(),
    }
}

/// How far something has moved. That it has not moved at all is not to look like a small number.
pub fn distance(change: f64) -> Cell {
    if change == 0.0 { Cell::words("0") } else { Cell::number(change, 4) }
}

/// How far something has moved, for a sentence.
pub fn exactly(change: f64) -> Cell {
    if change == 0.0 { Cell::words("exactly 0") } else { Cell::number(change, 4) }
}

/// A difference that may be there only because of rounding. How large it then is depends on the machine.
pub fn rounding(difference: f64) -> Cell {
    if is_rounding(difference) { Cell::words("less than 10⁻⁹") } else { Cell::number(difference, 3) }
}

/// Whether a difference may be there only because of rounding.
pub fn is_rounding(difference: f64) -> bool {
    difference < ROUNDING
}

/// What differs by less than this does so because sums were rounded in another order.
const ROUNDING: f64 = 1e-9;

/// A large number in a few words: `8.6 billion`.
pub fn large(number: u64) -> String {
    let words = [(1_000_000_000_000, "trillion"), (1_000_000_000, "billion"), (1_000_000, "million")];
    match words.into_iter().find(|(size, _)| number >= *size) {
        Some((size, word)) => short(number as f64 / size as f64, word),
        None => count(number),
    }
}

/// A number of bytes in the unit that suits it.
pub fn memory(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => short(bytes as f64 / size as f64, unit),
        None => format!("{bytes} bytes"),
    }
}

/// A power of ten as such.
pub fn power(number: u64) -> String {
    let raised = |digit: char| {
        digit
            .to_digit(10)
            .map_or(digit, |digit| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize])
    };
    format!("10{}", number.ilog10().to_string().chars().map(raised).collect::<String>())
}

/// A number with its unit, with one digit after the point where it is small.
fn short(number: f64, unit: &str) -> String {
    let digits = usize::from(number < 10.0 && number.fract() != 0.0);
    format!("{} {unit}", fixed(number, digits))
}

/// A number of either sign in a column: a long one has a digit less after the point.
pub fn in_column(number: f64) -> String {
    fixed(number, if number.abs() < 9.995 { 2 } else { 1 })
}

/// A number of either sign in a tile. Of a long one, the colour has to do.
pub fn in_signed_tile(number: f64) -> String {
    if number.abs() < 99.5 { fixed(number, usize::from(number.abs() < 9.95)) } else { String::new() }
}

/// An angle in degrees, the smaller the finer.
pub fn angle(degrees: f64) -> String {
    format!("{}°", fixed(degrees, if degrees < 1.0 { 2 } else { usize::from(degrees < 10.0) }))
}
