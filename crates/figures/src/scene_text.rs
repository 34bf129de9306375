//! The words of a scene, before they get near a page: each character is one that a reader sees, in a place where it
//! belongs. Whoever is refused is named, for what cannot be seen cannot be found by looking.
//!
//! - Refused everywhere: control characters, those that turn the direction of what follows, those that show nothing,
//!   those that mean nothing (unassigned, private), and so all that XML does not allow.
//! - In a token the only space is the ordinary one, between two other characters; in a sentence any space is, once.
//! - A combining mark needs a character to stand on, and shares it with [`MOST_MARKS`] others at most.
//! - A joiner (U+200D) stands between two emoji, or between two letters of a script that joins its letters, and a
//!   non-joiner (U+200C) between two such letters; neither is ever an end.
//! - A variation selector stands after a character that has variants: an emoji, an ideograph, a Mongolian letter.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// Which spaces a text may have.
#[derive(Clone, Copy, PartialEq)]
pub enum Spaces {
    /// The ordinary one: a token.
    Ordinary,
    /// Any: a sentence, in which French, for one, has unbreakable ones.
    Any,
}

/// The most marks on one character that do not run into the line above.
const MOST_MARKS: usize = 4;

/// The most code points that what is read as one character is written with. The longest emoji have ten.
const LONGEST_CLUSTER: usize = 12;

/// The text as it is to be shown: without spaces around it, and composed, for of two ways to write an é a reader sees
/// one. Or what is wrong with it.
pub fn read(text: &str, spaces: Spaces) -> Result<String, String> {
    let text = text.trim();
    let characters: Vec<char> = text.chars().collect();
    let mut marks = 0;
    for (place, &character) in characters.iter().enumerate() {
        marks = if is_mark(character) { marks + 1 } else { 0 };
        let wrong = fault(&characters, place, spaces).or_else(|| {
            (marks > MOST_MARKS).then_some("more marks stand on one character than can be shown")
        });
        if let Some(wrong) = wrong {
            return Err(format!("character {} is {}: {wrong}", place + 1, name(character)));
        }
    }
    let composed: String = text.nfc().collect();
    match composed.graphemes(true).find(|cluster| cluster.chars().count() > LONGEST_CLUSTER) {
        Some(cluster) => Err(format!(
            "`{cluster}` is read as one character and written with {}; at most {LONGEST_CLUSTER} are",
            cluster.chars().count()
        )),
        None => Ok(composed),
    }
}

/// How many characters a reader counts: extended grapheme clusters.
pub fn count(text: &str) -> usize {
    text.graphemes(true).count()
}

/// What a reader goes by when telling two tokens apart: the text without what only chooses between forms.
pub fn seen(text: &str) -> String {
    let chooses = |c: &char| matches!(c, '\u{200c}' | '\u{200d}') || is_selector(*c);
    text.chars().filter(|c| !chooses(c)).collect()
}

/// What is wrong with the character at `place`.
fn fault(text: &[char], place: usize, spaces: Spaces) -> Option<&'static str> {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate, Unassigned,
    };
    let character = text[place];
    let before = place.checked_sub(1).map(|place| text[place]);
    let after = text.get(place + 1).copied();
    let between =
        |one: fn(char) -> bool, other: fn(char) -> bool| before.is_some_and(one) && after.is_some_and(other);
    match character {
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            return Some("it is not seen, and turns the direction of what stands beside it");
        }
        '\u{200c}' => {
            let wrong = "it is not seen, and belongs between two letters of a script that joins its letters";
            return (!between(is_joined, is_joined)).then_some(wrong);
        }
        '\u{200d}' => {
            let joins = between(is_joined, is_joined) || between(is_emoji, is_emoji);
            let wrong = "it is not seen, and belongs between two emoji, or two letters of a script that joins its letters";
            return (!joins).then_some(wrong);
        }
        '\u{e0020}'..='\u{e007f}' => {
            return (!in_flag(text, place))
                .then_some("it is not seen, and belongs into the emoji of a flag, which it ends or spells");
        }
        _ if is_selector(character) => {
            let chooses = before.is_some_and(|before| has_variants(before, character, after));
            return (!chooses).then_some("it is not seen, and belongs after a character that has variants");
        }
        _ if is_blank(character) => return Some("it cannot be seen"),
        _ => {}
    }
    match character.general_category() {
        Control => Some("a line break or another control character cannot be shown"),
        LineSeparator | ParagraphSeparator => Some("a line break cannot be shown"),
        SpaceSeparator if before.is_some_and(is_space) => Some("a second space in a row cannot be seen"),
        SpaceSeparator if character != ' ' && spaces == Spaces::Ordinary => {
            Some("of the spaces only the ordinary one, U+0020, can stand in a token")
        }
        // Signs of Arabic and other scripts that can be seen, and count as formatting as they reach around numbers.
        Format if !is_sign(character) => Some("it cannot be seen"),
        PrivateUse => Some("it means what each one likes, and has no picture of its own"),
        Unassigned | Surrogate => Some("it is no character, or none yet"),
        _ if character.general_category_group() == GeneralCategoryGroup::Mark => {
            let stands = before.is_some_and(|before| !is_space(before));
            (!stands).then_some("a combining mark needs a character to stand on")
        }
        _ => None,
    }
}

fn is_space(character: char) -> bool {
    character.general_category() == GeneralCategory::SpaceSeparator
}

fn is_mark(character: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark};
    matches!(character.general_category(), NonspacingMark | EnclosingMark) && !is_selector(character)
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}')
}

/// Blank, though it counts as a letter, a sign or a mark.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{fffc}'
            | '\u{13441}'
            | '\u{13442}'
            | '\u{16fe4}'
            | '\u{1d159}'
    )
}

fn is_sign(character: char) -> bool {
    matches!(
        character,
        '\u{600}'
            ..='\u{605}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'
                | '\u{891}'
                | '\u{8e2}'
                | '\u{110bd}'
                | '\u{110cd}'
    )
}

/// A letter, or a mark on one, of a script whose letters take their form from those beside them: from Arabic to the
/// scripts of India and further east, and their extensions.
fn is_joined(character: char) -> bool {
    let script = matches!(
        character,
        '\u{600}'..='\u{10ff}'
            | '\u{1700}'..='\u{1aff}'
            | '\u{1b00}'..='\u{1c4f}'
            | '\u{a800}'..='\u{abff}'
            | '\u{10a00}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    );
    let group = character.general_category_group();
    script && matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
}

/// A part of an emoji that is joined of several.
fn is_emoji(character: char) -> bool {
    character == '\u{fe0f}' || (!character.is_ascii() && character.is_emoji_char())
}

fn has_variants(base: char, selector: char, after: Option<char>) -> bool {
    match selector {
        // Digits are emoji only as keys of a telephone.
        '\u{fe0e}' | '\u{fe0f}' => base.is_emoji_char() && (!base.is_ascii() || after == Some('\u{20e3}')),
        '\u{180b}'..='\u{180f}' => matches!(base, '\u{1820}'..='\u{18aa}'),
        _ => matches!(base, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
    }
}

/// Whether the tags at `place` spell a flag: they follow a black flag, and end as flags do.
fn in_flag(text: &[char], place: usize) -> bool {
    let is_tag = |character: &&char| ('\u{e0020}'..='\u{e007f}').contains(*character);
    let before = text[..place].iter().rev().take_while(is_tag).count();
    let last = text[place..].iter().take_while(is_tag).last();
    let flag = (place - before).checked_sub(1).map(|place| text[place]);
    flag == Some('\u{1f3f4}') && last == Some(&'\u{e007f}')
}

/// How the messages call a character: by its number, and by its name or what it is.
fn name(character: char) -> String {
    let number = u32::from(character);
    let known = NAMES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name);
    let what = known.unwrap_or_else(|| match character.general_category() {
        _ if is_selector(character) => "a variation selector",
        _ if number & 0xfffe == 0xfffe || matches!(number, 0xfdd0..=0xfdef) => "a noncharacter",
        GeneralCategory::Control => "a control character",
        GeneralCategory::Format => "a formatting character",
        GeneralCategory::SpaceSeparator => "a space",
        GeneralCategory::PrivateUse => "a private character",
        GeneralCategory::Unassigned => "an unassigned character",
        _ if is_mark(character) => "a combining mark",
        _ => "",
    });
    match what {
        "" => format!("U+{number:04X}, `{character}`"),
        _ => format!("U+{number:04X}, {what}"),
    }
}

/// The names of those who get into texts unseen, as Unicode has them.
const NAMES: [(u32, &str); 69] = [
    (0x00, "NULL"),
    (0x07, "BELL"),
    (0x08, "BACKSPACE"),
    (0x09, "TAB"),
    (0x0a, "LINE FEED"),
    (0x0b, "VERTICAL TAB"),
    (0x0c, "FORM FEED"),
    (0x0d, "CARRIAGE RETURN"),
    (0x1b, "ESCAPE"),
    (0x20, "SPACE"),
    (0x7f, "DELETE"),
    (0x85, "NEXT LINE"),
    (0xa0, "NO-BREAK SPACE"),
    (0xad, "SOFT HYPHEN"),
    (0x300, "COMBINING GRAVE ACCENT"),
    (0x301, "COMBINING ACUTE ACCENT"),
    (0x302, "COMBINING CIRCUMFLEX ACCENT"),
    (0x303, "COMBINING TILDE"),
    (0x308, "COMBINING DIAERESIS"),
    (0x327, "COMBINING CEDILLA"),
    (0x34f, "COMBINING GRAPHEME JOINER"),
    (0x61c, "ARABIC LETTER MARK"),
    (0x115f, "HANGUL CHOSEONG FILLER"),
    (0x1160, "HANGUL JUNGSEONG FILLER"),
    (0x1680, "OGHAM SPACE MARK"),
    (0x17b4, "KHMER VOWEL INHERENT AQ"),
    (0x17b5, "KHMER VOWEL INHERENT AA"),
    (0x180e, "MONGOLIAN VOWEL SEPARATOR"),
    (0x2002, "EN SPACE"),
    (0x2003, "EM SPACE"),
    (0x2007, "FIGURE SPACE"),
    (0x2009, "THIN SPACE"),
    (0x200a, "HAIR SPACE"),
    (0x200b, "ZERO WIDTH SPACE"),
    (0x200c, "ZERO WIDTH NON-JOINER"),
    (0x200d, "ZERO WIDTH JOINER"),
    (0x200e, "LEFT-TO-RIGHT MARK"),
    (0x200f, "RIGHT-TO-LEFT MARK"),
    (0x2028, "LINE SEPARATOR"),
    (0x2029, "PARAGRAPH SEPARATOR"),
    (0x202a, "LEFT-TO-RIGHT EMBEDDING"),
    (0x202b, "RIGHT-TO-LEFT EMBEDDING"),
    (0x202c, "POP DIRECTIONAL FORMATTING"),
    (0x202d, "LEFT-TO-RIGHT OVERRIDE"),
    (0x202e, "RIGHT-TO-LEFT OVERRIDE"),
    (0x202f, "NARROW NO-BREAK SPACE"),
    (0x205f, "MEDIUM MATHEMATICAL SPACE"),
    (0x2060, "WORD JOINER"),
    (0x2061, "FUNCTION APPLICATION"),
    (0x2062, "INVISIBLE TIMES"),
    (0x2063, "INVISIBLE SEPARATOR"),
    (0x2064, "INVISIBLE PLUS"),
    (0x2066, "LEFT-TO-RIGHT ISOLATE"),
    (0x2067, "RIGHT-TO-LEFT ISOLATE"),
    (0x2068, "FIRST STRONG ISOLATE"),
    (0x2069, "POP DIRECTIONAL ISOLATE"),
    (0x20e3, "COMBINING ENCLOSING KEYCAP"),
    (0x2800, "BRAILLE PATTERN BLANK"),
    (0x3000, "IDEOGRAPHIC SPACE"),
    (0x3164, "HANGUL FILLER"),
    (0xfe0e, "VARIATION SELECTOR-15"),
    (0xfe0f, "VARIATION SELECTOR-16"),
    (0xfeff, "ZERO WIDTH NO-BREAK SPACE (byte order mark)"),
    (0xffa0, "HALFWIDTH HANGUL FILLER"),
    (0xfff9, "INTERLINEAR ANNOTATION ANCHOR"),
    (0xfffc, "OBJECT REPLACEMENT CHARACTER"),
    (0xe0001, "LANGUAGE TAG"),
    (0xe0020, "TAG SPACE"),
    (0xe007f, "CANCEL TAG"),
];
