//! What is printed as an equation of numbers has to hold for the numbers that are printed.

use std::iter::Peekable;
use std::slice::Iter;

use scraper::{ElementRef, Html};

use crate::{all, pages};

/// A part of a formula, in the order in which it is read.
#[derive(Debug, Clone)]
enum Part {
    /// A number, as it is printed.
    Number(String),
    /// A root, a fraction, an exponent, worked out.
    Value(f64),
    /// + − ⋅ / ^ and brackets.
    Sign(char),
    /// A function of what follows.
    Function(fn(f64) -> f64),
    /// = or ≈
    Relation(char),
    /// Where one statement ends, and another begins.
    Stop,
    /// Anything that is no number: a letter, a vector, a matrix.
    Unknown,
}

impl Part {
    fn is(&self, wanted: char) -> bool {
        matches!(self, Part::Sign(sign) if *sign == wanted)
    }
}

/// The parts of an element of MathML and of all below it.
fn parts(element: ElementRef, out: &mut Vec<Part>) {
    let children: Vec<_> = element.child_elements().collect();
    let text = element.text().collect::<String>();
    let width = || element.attr("width")?.strip_suffix("em")?.parse::<f64>().ok();
    match (element.value().name(), &children[..]) {
        ("math" | "mrow" | "mstyle" | "mpadded", _) => children.iter().for_each(|&child| parts(child, out)),
        ("mn", _) => {
            let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            out.push(Part::Number(digits.replace('−', "-")));
        }
        ("mspace", _) if width().is_some_and(|em| em >= 1.0) => out.push(Part::Stop),
        ("mspace", _) => out.push(Part::Sign(' ')),
        ("mtext", _) => out.push(Part::Stop),
        ("mi" | "mo", _) => out.extend(match text.as_str() {
            "\u{2061}" => None, // the application of a function
            "e" => Some(Part::Value(std::f64::consts::E)),
            "π" => Some(Part::Value(std::f64::consts::PI)),
            "ln" => Some(Part::Function(f64::ln)),
            "exp" => Some(Part::Function(f64::exp)),
            "tanh" => Some(Part::Function(f64::tanh)),
            "=" => Some(Part::Relation('=')),
            "≈" => Some(Part::Relation('≈')),
            "<" | ">" | "≤" | "≥" | "∈" | "→" | ";" | "," => Some(Part::Stop),
            "+" => Some(Part::Sign('+')),
            "−" | "-" => Some(Part::Sign('-')),
            "⋅" | "·" | "×" => Some(Part::Sign('*')),
            "/" => Some(Part::Sign('/')),
            "(" => Some(Part::Sign('(')),
            ")" => Some(Part::Sign(')')),
            "." => Some(Part::Stop), // a full stop after a displayed formula
            _ => Some(Part::Unknown),
        }),
        ("msup", &[base, exponent]) => {
            parts(base, out); // perhaps no more than the bracket that closes
            out.extend([Part::Sign('^'), worked_out(below(exponent))]);
        }
        ("mfrac", &[over, under]) => {
            let ratio = value(&below(over)).zip(value(&below(under))).map(|(over, under)| over / under);
            out.push(ratio.map_or(Part::Unknown, Part::Value));
        }
        ("msqrt", _) => {
            let mut radicand = Vec::new();
            children.iter().for_each(|&child| parts(child, &mut radicand));
            out.push(value(&radicand).map_or(Part::Unknown, |value| Part::Value(value.sqrt())));
        }
        _ => out.push(Part::Unknown),
    }
}

fn below(element: ElementRef) -> Vec<Part> {
    let mut below = Vec::new();
    parts(element, &mut below);
    below
}

fn worked_out(parts: Vec<Part>) -> Part {
    value(&parts).map_or(Part::Unknown, Part::Value)
}

/// What the parts come to, if all of them are numbers.
fn value(parts: &[Part]) -> Option<f64> {
    // 2 359 296 is one number, with narrow spaces; and of 768² KaTeX makes 76 and 8².
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match (&mut joined[..], part) {
            ([.., Part::Number(before), Part::Sign(' ')], Part::Number(after)) if after.len() == 3 => {
                before.push_str(after);
                joined.pop();
            }
            ([.., Part::Number(before)], Part::Number(after)) => before.push_str(after),
            _ => joined.push(part.clone()),
        }
    }
    joined.retain(|part| !part.is(' '));
    let mut rest = joined.iter().peekable();
    let value = sum(&mut rest)?;
    rest.peek().is_none().then_some(value)
}

fn sum(rest: &mut Peekable<Iter<Part>>) -> Option<f64> {
    let mut sum = product(rest)?;
    while let Some(Part::Sign(sign @ ('+' | '-'))) = rest.peek() {
        rest.next();
        let term = product(rest)?;
        sum += if *sign == '+' { term } else { -term };
    }
    Some(sum)
}

fn product(rest: &mut Peekable<Iter<Part>>) -> Option<f64> {
    let mut product = power(rest)?;
    loop {
        match rest.peek() {
            Some(Part::Sign('*')) => {
                rest.next();
                product *= power(rest)?;
            }
            Some(Part::Sign('/')) => {
                rest.next();
                product /= power(rest)?;
            }
            // 2 (3 + 4), 6 √2
            Some(Part::Sign('(') | Part::Value(_) | Part::Function(_)) => product *= power(rest)?,
            _ => return Some(product),
        }
    }
}

fn power(rest: &mut Peekable<Iter<Part>>) -> Option<f64> {
    let base = match rest.next()? {
        Part::Sign('-') => return power(rest).map(|value| -value),
        Part::Sign('(') => {
            let inner = sum(rest)?;
            rest.next_if(|part| part.is(')'))?;
            inner
        }
        Part::Function(function) => function(power(rest)?),
        Part::Number(digits) => digits.parse().ok()?,
        Part::Value(value) => *value,
        _ => return None,
    };
    match rest.next_if(|part| part.is('^')) {
        None => Some(base),
        Some(_) => match rest.next()? {
            Part::Value(exponent) => Some(base.powf(*exponent)),
            _ => None,
        },
    }
}

/// One side of an equation: what it comes to, and to how many decimals if it is one printed number.
#[derive(Debug, Clone, Copy)]
struct Side {
    value: f64,
    decimals: Option<usize>,
}

impl Side {
    fn of(parts: &[Part]) -> Option<Self> {
        let value = value(parts)?;
        let printed: Vec<_> = parts.iter().filter(|part| !matches!(part, Part::Sign(' ' | '-'))).collect();
        let decimals = match printed[..] {
            [Part::Number(digits)] => Some(digits.split_once('.').map_or(0, |(_, decimals)| decimals.len())),
            _ => None,
        };
        Some(Side { value, decimals })
    }

    /// How far the other side may be off: half a unit of the last decimal, and no more than bits without one.
    fn tolerance(self) -> f64 {
        let rounded = match self.decimals {
            Some(decimals @ 1..) => 0.5 * 0.1_f64.powi(decimals as i32),
            _ => 0.0,
        };
        rounded + 1e-9 * self.value.abs().max(1.0)
    }
}

/// Equations of numbers in a formula: what each says, and whether it holds for what is printed. What is printed with ≈
/// has to hold nearly.
fn equations(math: ElementRef) -> Vec<(String, bool)> {
    let mut line = below(math);
    // The lines of an aligned formula are read one after another; one that begins with = goes on.
    for row in math.descendent_elements().filter(|element| element.value().name() == "mtr") {
        let cells: Vec<_> =
            row.child_elements().flat_map(|cell| cell.child_elements()).flat_map(below).collect();
        let goes_on = matches!(cells.iter().find(|part| !part.is(' ')), Some(Part::Relation(_)));
        if !goes_on {
            line.push(Part::Stop);
        }
        line.extend(cells);
    }
    let mut found = Vec::new();
    let (mut before, mut relation, mut side): (Option<Side>, char, Vec<Part>) = (None, '=', Vec::new());
    let mut depth = 0;
    for part in line.into_iter().chain([Part::Stop]) {
        match part {
            Part::Sign('(') => depth += 1,
            Part::Sign(')') => depth -= 1,
            _ => {}
        }
        match part {
            Part::Relation(_) | Part::Stop if depth <= 0 => {
                let now = Side::of(&side);
                if let Some((left, right)) = before.zip(now) {
                    let off = (left.value - right.value).abs();
                    let printed = left.tolerance().max(right.tolerance());
                    let nearly = 0.05 * left.value.abs().max(right.value.abs());
                    let holds = off <= if relation == '=' { printed } else { printed + nearly };
                    found.push((format!("{} {relation} {}", left.value, right.value), holds));
                }
                side.clear();
                (before, relation) = match part {
                    Part::Relation(relation) => (now, relation),
                    _ => (None, '='),
                };
            }
            part => side.push(part),
        }
    }
    found
}

/// The equations of a page that do not hold, and how many there are in all.
pub fn faults(name: &str, page: &Html) -> (Vec<String>, usize) {
    let found: Vec<_> = all(page, "math").into_iter().flat_map(equations).collect();
    let wrong = found.iter().filter(|(_, holds)| !holds);
    (wrong.map(|(equation, _)| format!("{name}: {equation}")).collect(), found.len())
}

#[test]
fn every_equation_of_numbers_holds_for_the_numbers_printed() {
    let (mut wrong, mut found) = (Vec::new(), 0);
    for (name, page) in pages().filter(|(name, _)| *name != "print.html") {
        let (faults, count) = faults(name, &page);
        wrong.extend(faults);
        found += count;
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(found >= 10, "only {found} equations were found");
}

#[test]
fn an_equation_that_does_not_hold_is_found() {
    let holds = |math: &str| {
        let page = Html::parse_fragment(&format!("<math>{math}</math>"));
        let math = all(&page, "math")[0];
        equations(math).into_iter().map(|(_, holds)| holds).collect::<Vec<_>>()
    };
    let power = "<msup><mi>e</mi><mrow><mn>2.09</mn><mo>−</mo><mn>3.31</mn></mrow></msup>";
    assert_eq!(holds(&format!("{power}<mo>=</mo><mn>0.295</mn>")), [true]);
    assert_eq!(holds(&format!("{power}<mo>=</mo><mn>0.296</mn>")), [false]);
    assert_eq!(holds(&format!("{power}<mo>≈</mo><mn>0.296</mn>")), [true]);
    assert_eq!(holds(&format!("{power}<mo>≈</mo><mn>0.4</mn>")), [false]);
    let half = "<mfrac><mn>1</mn><mrow><mn>1</mn><mo>+</mo><mn>1</mn></mrow></mfrac>";
    let root = "<msqrt><mn>0.25</mn></msqrt>";
    assert_eq!(holds(&format!("{half}<mo>=</mo>{root}<mo>=</mo><mn>0.4</mn>")), [true, false]);
    let square = "<msup><mo>)</mo><mn>2</mn></msup>";
    let sum = format!("<mn>2</mn><mo>⋅</mo><mo>(</mo><mn>1</mn><mo>−</mo><mn>3</mn>{square}");
    assert_eq!(holds(&format!("<mi>x</mi><mo>=</mo>{sum}<mo>=</mo><mn>8</mn>")), [true]);
    assert_eq!(holds(&format!("{sum}<mo>=</mo><mn>9</mn>")), [false]);
    let long = "<mn>2</mn><mspace width=\"0.1667em\"></mspace><mn>592</mn>";
    assert_eq!(holds(&format!("<mn>3</mn><mo>⋅</mo><mn>864</mn><mo>=</mo>{long}")), [true]);
    let split = "<mn>1</mn><msup><mn>2</mn><mn>2</mn></msup>";
    assert_eq!(holds(&format!("{split}<mo>=</mo><mn>144</mn>")), [true]);
    assert_eq!(holds("<mn>7</mn><mo>/</mo><mn>2</mn><mo>=</mo><mn>4</mn>"), [false]);
    let row = |cells: &str| format!("<mtr><mtd>{cells}</mtd></mtr>");
    let matrix = format!("<mtable>{}</mtable>", row("<mn>1</mn>"));
    assert_eq!(
        holds(&format!("<mi>M</mi><mo>=</mo>{matrix}<mo>,</mo><mn>1</mn><mo>=</mo><mn>2</mn>")),
        [false]
    );
    let lines = row("<mn>2</mn><mo>+</mo><mn>2</mn>") + &row("<mo>=</mo><mn>5</mn>");
    assert_eq!(holds(&format!("<mtable>{lines}</mtable>")), [false]);
}
