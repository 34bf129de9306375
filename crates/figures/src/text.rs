//! How wide a piece of text is, where it may be cut, and which way it reads.
//!
//! Pictures are drawn before anybody knows the fonts they are shown in. So widths are bounds: what a character takes
//! at most, in bold, in the page's sans and in those that browsers fall back to (DejaVu and Noto were measured). The
//! crates that know Unicode whole are for reading scenes; here, where live modules are concerned, stands as much of
//! it as pictures need.

use std::borrow::Cow;

/// A width that `text` surely fits in, in em.
///
/// It is a bound for each script, not for each of its characters: the ligatures that are words (U+FDFA) and the widest
/// signs of cuneiform are wider than anything about them.
///
/// ```
/// use figures::text_width;
///
/// assert!(text_width("WORKMANSHIP") > text_width("workmanship"));
/// assert_eq!(text_width("cafe\u{301}"), text_width("cafe")); // the accent stands on the e
/// assert_eq!(text_width("👩\u{200d}👧"), text_width("👩")); // one family
/// ```
pub fn width(text: &str) -> f64 {
    let mut joined = false;
    let mut sum = 0.0;
    for character in text.chars() {
        // An emoji joined to another is drawn on it.
        sum += if joined && u32::from(character) >= 0x2190 { 0.0 } else { advance(character) };
        joined = character == '\u{200d}';
    }
    sum
}

/// The most that one character takes, in em.
fn advance(character: char) -> f64 {
    match character {
        'm' | 'M' | '@' | '%' => 1.0,
        'w' => 0.86,
        // As wide as digits.
        '−' => 0.62,
        'W' => 1.05,
        'A' | 'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'U' | '&' => 0.82,
        'A'..='H' | 'J'..='Z' => 0.74,
        ..='\u{7f}' => 0.62,
        _ => {
            let code = u32::from(character);
            let place = WIDTHS.partition_point(|&(end, _)| end < code);
            f64::from(WIDTHS.get(place).map_or(100, |&(_, width)| width)) / 100.0
        }
    }
}

/// What characters from the one after the range before, up to and including this one, take at most, in hundredths of an
/// em. 0 is for marks that stand on others.
#[rustfmt::skip]
const WIDTHS: &[(u32, u16)] = &[
    (0x00bf, 75), (0x00de, 85), (0x00ff, 70), (0x024f, 85), (0x02af, 75), (0x02ff, 62), (0x036f, 0), // Latin
    (0x03ab, 90), (0x03c0, 72), (0x03c9, 90), (0x03ff, 100), // Greek
    (0x040f, 110), (0x042f, 105), (0x0435, 75), (0x0436, 110), (0x043b, 72), (0x043d, 95), (0x0443, 72),
    (0x0444, 95), (0x0447, 72), (0x044b, 105), (0x044d, 72), (0x044e, 100), (0x045f, 110), (0x0482, 115),
    (0x0489, 0), (0x0529, 110), (0x058f, 105), // Cyrillic, Armenian
    (0x0590, 62), (0x05bd, 0), (0x05be, 62), (0x05bf, 0), (0x05c0, 62), (0x05c2, 0), (0x05c3, 62), (0x05c5, 0),
    (0x05c6, 62), (0x05c7, 0), (0x05ff, 68), // Hebrew
    (0x0605, 215), (0x060f, 130), (0x061a, 0), (0x064a, 70), (0x065f, 0), (0x066f, 75), (0x0670, 0), (0x06d5, 105),
    (0x06dc, 0), (0x06de, 150), (0x06e4, 0), (0x06e6, 70), (0x06e8, 0), (0x06e9, 90), (0x06ed, 0),
    (0x077f, 125), (0x08ff, 135), // Arabic, and what is written like it
    (0x0902, 0), (0x0903, 50), (0x0939, 85), (0x093a, 0), (0x093b, 50), (0x093c, 0), (0x0940, 60), (0x0948, 0),
    (0x094c, 60), (0x094d, 0), (0x0950, 95), (0x0957, 0), (0x0961, 85), (0x0963, 0), (0x097f, 105), // Devanagari
    (0x09ff, 120), (0x0a7f, 100), (0x0aff, 110), (0x0b7f, 130), (0x0bff, 225), (0x0c7f, 140), (0x0cff, 160),
    (0x0d7f, 215), (0x0dff, 180), // from Bengali to Sinhala
    (0x0e30, 90), (0x0e31, 0), (0x0e33, 90), (0x0e3a, 0), (0x0e46, 90), (0x0e4e, 0), (0x0e7f, 95), (0x0eff, 105), // Thai
    (0x0fff, 165), (0x109f, 200), (0x10ff, 95), (0x11ff, 100), (0x13ff, 130), (0x16ff, 130), (0x17ff, 150),
    (0x1aff, 140), (0x1c7f, 150), (0x1cff, 105), (0x1dbf, 100), (0x1dff, 0), (0x1eff, 98), (0x1fff, 115),
    (0x200b, 100), (0x200f, 0), (0x2013, 62), (0x2027, 100), (0x206f, 60), (0x20cf, 101), (0x20dc, 0), (0x20e4, 100),
    (0x20ff, 0), (0x218f, 110), (0x23ff, 130), (0x245f, 100), (0x24ff, 110), (0x27bf, 138), (0x28ff, 100),
    (0x2bff, 145), (0x2e39, 130), (0x2e3b, 290), (0x2e7f, 100), (0x3029, 105), (0x302f, 0), (0x3098, 110), (0x309a, 0),
    (0x33ff, 105), (0xa4cf, 100), (0xa95f, 140), (0xa97f, 100), (0xabff, 180), (0xd7ff, 100), (0xfaff, 100),
    (0xfb4f, 155), (0xfbff, 110), (0xfdf9, 235), (0xfdff, 725), (0xfe0f, 0), (0xfe1f, 100), (0xfe2f, 0),
    (0xffef, 105), (0xffff, 105), (0x11fff, 180), (0x12fff, 300), (0x16fff, 190), (0x1b2ff, 100), (0x1ebff, 150),
    (0x1ecff, 220), (0x1f1e5, 138), (0x1f1ff, 90), (0x1f3fa, 130), (0x1f3ff, 0), (0x1ffff, 130), (0x3ffff, 100),
    (0xfffff, 0),
];

/// The parts of a text that a reader takes for one character each. They never end within an extended grapheme cluster of
/// Unicode; some hold two, where letters are stacked.
pub fn clusters(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    // Whether what follows belongs to what came; and how many halves of a flag came.
    let (mut holds, mut flags) = (false, 0);
    for (at, character) in text.char_indices() {
        let extends = extends(character);
        let is_flag = ('\u{1f1e6}'..='\u{1f1ff}').contains(&character);
        if !(extends || holds || is_flag && flags % 2 == 1) {
            starts.push(at);
        }
        flags = if is_flag { flags + 1 } else { 0 };
        holds = self::holds(character) || extends && holds;
    }
    if starts.first().is_some_and(|&first| first > 0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

/// Whether a character belongs to the one before it.
fn extends(character: char) -> bool {
    let code = u32::from(character);
    let place = EXTENDING.partition_point(|range| range >> 8 <= code);
    let near = place.checked_sub(1).map(|place| EXTENDING[place]);
    near.is_some_and(|range| code - (range >> 8) <= range & 0xff) || (0xe0000..0xe1000).contains(&code)
}

/// The texts as they can be shown in so much room each: as they are, or cut between two characters, with dots where
/// something is left out. Texts that differ stay different: of those whose beginnings are alike, the ends are kept too,
/// and where that does not help, they are numbered by their places. `measure` is the width of a text.
pub fn fit<'a>(
    texts: &[&'a str],
    room: impl Fn(usize) -> f64,
    measure: impl Fn(&str) -> f64,
) -> Vec<Cow<'a, str>> {
    let fits = |place: usize, text: &str| measure(text) <= room(place);
    // The beginning, as long as it can be, with so many characters of the end, and with what stands behind all.
    let cut = |place: usize, tail: usize, behind: &str| -> String {
        let text = texts[place];
        let parts = clusters(text);
        let end: String = parts[parts.len().saturating_sub(tail)..].concat();
        let within = |head: &usize| fits(place, &format!("{}…{end}{behind}", parts[..*head].concat()));
        let head = (0..parts.len().saturating_sub(tail)).rev().find(within).unwrap_or(0);
        format!("{}…{end}{behind}", parts[..head].concat().trim_end())
    };
    let mut shown: Vec<Cow<'a, str>> = (0..texts.len())
        .map(|it| if fits(it, texts[it]) { Cow::Borrowed(texts[it]) } else { Cow::Owned(cut(it, 0, "")) })
        .collect();
    for (place, &text) in texts.iter().enumerate() {
        // Those that it could be taken for, as far as it is shown.
        let Some(head) = shown[place].strip_suffix('…').filter(|_| !fits(place, text)) else { continue };
        let rivals: Vec<&str> =
            texts.iter().copied().filter(|&rival| rival != text && rival.starts_with(head)).collect();
        if rivals.is_empty() {
            continue;
        }
        let parts = clusters(text);
        let taken = |it: &String| (0..texts.len()).any(|other| texts[other] != text && shown[other] == *it);
        let told = (1..parts.len())
            .filter(|tail| {
                let end = parts[parts.len() - tail..].concat();
                !rivals.iter().any(|rival| rival.ends_with(&end))
            })
            .map(|tail| cut(place, tail, ""))
            .find(|it| fits(place, it) && !it.starts_with('…') && !taken(it));
        shown[place] = Cow::Owned(told.unwrap_or_else(|| cut(place, 0, &(place + 1).to_string())));
    }
    shown
}

/// Whether a text has letters that are read from right to left.
fn turns(text: &str) -> bool {
    let from_right = |c| {
        matches!(
            c,
            '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}'
                | '\u{1e800}'..='\u{1efff}'
        )
    };
    text.chars().any(from_right)
}

/// A text that leaves the direction of what stands beside it alone: what is read from right to left is isolated, if it
/// is quoted within the text, each quotation, and else the whole. Any other text stays as it is.
///
/// Without this, “0.5 to “שלום”, 0.3 to “cat”” would show the 0.3 on the wrong side of the word before it.
pub fn isolated(text: &str) -> Cow<'_, str> {
    if !turns(text) || text.contains(FIRST_STRONG_ISOLATE) {
        return Cow::Borrowed(text);
    }
    if !text.contains('“') {
        return Cow::Owned(format!("{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}"));
    }
    let mut whole = String::with_capacity(text.len() + 12);
    let mut outside = false;
    let mut rest = text;
    while let Some((before, (quoted, after))) =
        rest.split_once('“').and_then(|(before, quote)| Some((before, quote.split_once('”')?)))
    {
        outside |= turns(before);
        whole.extend([before, "“", &*isolated(quoted), "”"]);
        rest = after;
    }
    whole.push_str(rest);
    match outside || turns(rest) {
        true => Cow::Owned(format!("{FIRST_STRONG_ISOLATE}{whole}{POP_ISOLATE}")),
        false => Cow::Owned(whole),
    }
}

const FIRST_STRONG_ISOLATE: char = '\u{2068}';
const POP_ISOLATE: char = '\u{2069}';

/// Whether what follows a character belongs to it: joiners, what makes two consonants one, signs around numbers, and the
/// first parts of Korean syllables.
fn holds(character: char) -> bool {
    const SIGNS: &str = "\u{94d}\u{9cd}\u{acd}\u{b4d}\u{c4d}\u{d4d}\u{d4e}\u{1039}\u{17d2}\u{1a60}\u{1b44}\u{1bab}\
        \u{a9c0}\u{aaf6}\u{10a3f}\u{110bd}\u{110cd}\u{11133}\u{111c2}\u{111c3}\u{113d0}\u{113d1}\u{1193e}\u{1193f}\
        \u{11941}\u{11a47}\u{11a84}\u{11a85}\u{11a86}\u{11a87}\u{11a88}\u{11a89}\u{11a99}\u{11d46}\u{11f02}\u{11f42}\
        \u{200d}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}";
    matches!(character, '\u{600}'..='\u{605}' | '\u{1100}'..='\u{115f}' | '\u{a960}'..='\u{a97c}')
        || SIGNS.contains(character)
}

/// The characters that belong to the one before them, in ranges: the first of each, times 256, and how many more there
/// are. A few that stand between such are in them too.
#[rustfmt::skip]
const EXTENDING: &[u32] = &[
    0x00300_6f, 0x00483_06, 0x00591_36, 0x00610_0a, 0x0064b_14, 0x00670_00, 0x006d6_17, 0x00711_00, 0x00730_1a,
    0x007a6_0a, 0x007eb_08, 0x007fd_00, 0x00816_17, 0x00859_02, 0x00897_08, 0x008ca_39, 0x0093a_1d, 0x00962_01,
    0x00981_02, 0x009bc_11, 0x009d7_00, 0x009e2_01, 0x009fe_05, 0x00a3c_06, 0x00a47_06, 0x00a51_00, 0x00a70_01,
    0x00a75_00, 0x00a81_02, 0x00abc_11, 0x00ae2_01, 0x00afa_09, 0x00b3c_11, 0x00b55_02, 0x00b62_01, 0x00b82_00,
    0x00bbe_04, 0x00bc6_07, 0x00bd7_00, 0x00c00_04, 0x00c3c_11, 0x00c55_01, 0x00c62_01, 0x00c81_02, 0x00cbc_11,
    0x00cd5_01, 0x00ce2_01, 0x00cf3_00, 0x00d00_03, 0x00d3b_12, 0x00d57_00, 0x00d62_01, 0x00d81_02, 0x00dca_00,
    0x00dcf_10, 0x00df2_01, 0x00e31_09, 0x00e47_07, 0x00eb1_0b, 0x00ec8_06, 0x00f18_01, 0x00f35_04, 0x00f3e_01,
    0x00f71_16, 0x00f8d_2f, 0x00fc6_00, 0x0102d_11, 0x01056_03, 0x0105e_02, 0x01071_03, 0x01082_04, 0x0108d_00,
    0x0109d_00, 0x01160_9f, 0x0135d_02, 0x01712_03, 0x01732_02, 0x01752_01, 0x01772_01, 0x017b4_1f, 0x017dd_00,
    0x0180b_04, 0x01885_01, 0x018a9_00, 0x01920_0b, 0x01930_0b, 0x01a17_04, 0x01a55_2a, 0x01ab0_3b, 0x01b00_04,
    0x01b34_10, 0x01b6b_08, 0x01b80_02, 0x01ba1_0c, 0x01be6_0d, 0x01c24_13, 0x01cd0_18, 0x01ced_00, 0x01cf4_05,
    0x01dc0_3f, 0x0200c_01, 0x020d0_20, 0x02cef_02, 0x02d7f_00, 0x02de0_1f, 0x0302a_05, 0x03099_01, 0x0a66f_0e,
    0x0a69e_01, 0x0a6f0_01, 0x0a802_00, 0x0a806_00, 0x0a80b_00, 0x0a823_04, 0x0a82c_00, 0x0a880_01, 0x0a8b4_11,
    0x0a8e0_11, 0x0a8ff_00, 0x0a926_07, 0x0a947_0c, 0x0a980_03, 0x0a9b3_0d, 0x0a9e5_00, 0x0aa29_0d, 0x0aa43_00,
    0x0aa4c_01, 0x0aa7c_00, 0x0aab0_08, 0x0aabe_03, 0x0aaeb_04, 0x0aaf5_01, 0x0abe3_0a, 0x0d7b0_4b, 0x0fb1e_00,
    0x0fe00_0f, 0x0fe20_0f, 0x0ff9e_01, 0x101fd_00, 0x102e0_00, 0x10376_04, 0x10a01_05, 0x10a0c_03, 0x10a38_02,
    0x10a3f_00, 0x10ae5_01, 0x10d24_03, 0x10d69_04, 0x10eab_01, 0x10efa_05, 0x10f46_0a, 0x10f82_03, 0x11000_02,
    0x11038_0e, 0x11070_04, 0x1107f_03, 0x110b0_0a, 0x110c2_00, 0x11100_02, 0x11127_0d, 0x11145_01, 0x11173_00,
    0x11180_02, 0x111b3_0d, 0x111c9_06, 0x1122c_0b, 0x1123e_03, 0x112df_0b, 0x11300_03, 0x1133b_12, 0x11357_00,
    0x11362_0a, 0x11370_04, 0x113b8_1a, 0x113e1_01, 0x11435_11, 0x1145e_00, 0x114b0_13, 0x115af_11, 0x115dc_01,
    0x11630_10, 0x116ab_0c, 0x1171d_0e, 0x1182c_0e, 0x11930_13, 0x119d1_0f, 0x119e4_00, 0x11a01_09, 0x11a33_0b,
    0x11a47_00, 0x11a51_0a, 0x11a8a_0f, 0x11b60_07, 0x11c2f_10, 0x11c92_24, 0x11d31_05, 0x11d3a_0d, 0x11d8a_0d,
    0x11ef3_03, 0x11f00_03, 0x11f34_06, 0x11f3e_04, 0x11f5a_00, 0x13440_00, 0x13447_0e, 0x1611e_11, 0x16af0_04,
    0x16b30_06, 0x16d63_00, 0x16d67_03, 0x16f4f_38, 0x16f8f_03, 0x16fe4_00, 0x16ff0_01, 0x1bc9d_01, 0x1cf00_46,
    0x1d165_04, 0x1d16d_05, 0x1d17b_10, 0x1d1aa_03, 0x1d242_02, 0x1da00_36, 0x1da3b_31, 0x1da75_00, 0x1da84_00,
    0x1da9b_14, 0x1e000_2a, 0x1e08f_00, 0x1e130_06, 0x1e2ae_00, 0x1e2ec_03, 0x1e4ec_03, 0x1e5ee_01, 0x1e6e3_03,
    0x1e6ee_01, 0x1e6f5_00, 0x1e8d0_06, 0x1e944_06, 0x1f3fb_04,
];

#[cfg(all(test, feature = "toml"))]
mod tests {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    /// No cluster of Unicode is cut, whatever stands beside whatever.
    #[test]
    fn clusters_are_whole() {
        let check = |text: &str| {
            let allowed: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
            let mut at = 0;
            for part in clusters(text) {
                assert!(allowed.contains(&at), "{text:?} is cut at {at}");
                at += part.len();
            }
            assert_eq!(at, text.len(), "{text:?}");
        };
        for code in 0x20..0xe1000 {
            let Some(character) = char::from_u32(code) else { continue };
            // Of ideographs and their like there are many, and none joins another.
            let like_others = matches!(code, 0x3400..0xa4d0 | 0xac80..0xd780 | 0x12000..0x16a00 | 0x17000..0x1bc00 | 0x20000..);
            if character.general_category() != GeneralCategory::Unassigned && !(like_others && code % 97 > 0)
            {
                check(&format!(
                    "a{character}क{character}ष{character}{character}ᄀ{character}각{character}🇨{character}👩{character}👩b"
                ));
            }
        }
        for text in ["", "👩\u{200d}👩\u{200d}👧🇨🇭🇨", "e\u{301}\u{302}x", "क्\u{200d}षत्रिय", "가각ᄀᄀ"]
        {
            check(text);
        }
    }

    /// Where nothing is joined, there are as many as a reader counts.
    #[test]
    fn clusters_are_not_too_large() {
        for text in [
            "international",
            "μεγαλούπολη",
            "достопримечательность",
            "שָׁלוֹם",
            "مرحبا بالعالم",
            "日本語の文",
            "😀🏴👩🏽🇨🇭❤\u{fe0f}",
            "tiếng Việt",
        ] {
            assert_eq!(clusters(text), text.graphemes(true).collect::<Vec<_>>());
        }
    }

    #[test]
    fn texts_are_cut_visibly_and_stay_apart() {
        let fit = |texts: &[&str], room: f64| -> Vec<String> {
            super::fit(texts, |_| room, |text| clusters(text).len() as f64)
                .into_iter()
                .map(String::from)
                .collect()
        };
        assert_eq!(fit(&["cat", "international"], 13.0), ["cat", "international"]);
        assert_eq!(fit(&["cat", "international"], 8.0), ["cat", "interna…"]);
        // What is alike at the beginning keeps its end.
        assert_eq!(fit(&["international", "internationally"], 8.0), ["intern…l", "intern…y"]);
        assert_eq!(fit(&["international", "international (2)"], 8.0), ["intern…l", "intern…)"]);
        // What is alike at both ends is numbered by its place.
        assert_eq!(fit(&["abcdefxghijkl", "a", "abcdefyghijkl"], 5.0), ["abc…1", "a", "abc…3"]);
        assert_eq!(fit(&["aaaaaaaaxaaaaaaa", "aaaaaaaayaaaaaaa"], 4.0), ["aa…1", "aa…2"]);
        // The same text twice is the same label twice.
        assert_eq!(fit(&["international", "international"], 8.0), ["interna…", "interna…"]);
        assert_eq!(fit(&["क्षत्रियक्षत्रिय"], 4.0), ["क्षत्रिय…"]);
        for length in 1..20 {
            for shown in fit(
                &["international", "internationally", "👩\u{200d}👧".repeat(16).as_str()],
                f64::from(length),
            ) {
                assert!(clusters(&shown).len() <= length.max(2) as usize, "{shown} in {length}");
            }
        }
    }

    #[test]
    fn directions_stay_inside() {
        assert_eq!(isolated("0.5 to “cat”"), "0.5 to “cat”");
        assert_eq!(isolated("שלום (2)"), "\u{2068}שלום (2)\u{2069}");
        assert_eq!(
            isolated("0.5 to “שלום”, 0.3 to “cat”, 0.1 to “مرحبا”."),
            "0.5 to “\u{2068}שלום\u{2069}”, 0.3 to “cat”, 0.1 to “\u{2068}مرحبا\u{2069}”."
        );
    }
}
