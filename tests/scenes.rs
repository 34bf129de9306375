//! Scenes that are not as they should be: each is refused with its place and a remedy, or drawn safely.

use attention::circuits::WordKind;
use figures::{Params, Scene, Size};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn scene(tokens: &[(&str, &str)]) -> String {
    let quoted = |word: &str| {
        let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("\"{word}\"")
    };
    let mut text =
        format!("query = {}\nwhy = \"It asks.\"\n", quoted(tokens.last().map_or("", |token| token.0)));
    for (word, vector) in tokens {
        text += &format!("\n[[token]]\ntext = {}\nvector = {vector}\n", quoted(word));
    }
    text
}

/// `count` tokens `t0`, `t1`, … around a circle.
fn many(count: usize) -> String {
    let tokens: Vec<_> = (0..count)
        .map(|place| {
            let angle = place as f64 / count as f64 * std::f64::consts::TAU;
            (format!("t{place}"), format!("[{:.3}, {:.3}]", angle.cos(), angle.sin()))
        })
        .collect();
    let tokens: Vec<_> = tokens.iter().map(|(word, vector)| (word.as_str(), vector.as_str())).collect();
    scene(&tokens)
}

fn refusal(text: &str) -> String {
    Scene::parse(text).expect_err("the scene is refused").to_string()
}

fn draws(text: &str) -> Vec<String> {
    let scene = Scene::parse(text).expect("the scene is good");
    let mut pictures = Vec::new();
    for figure in figures::all() {
        for size in Size::ALL {
            pictures.push(figure.draw(&scene, &Params::new(), size).expect("it can be drawn").svg);
        }
    }
    pictures
}

const TWO: [(&str, &str); 2] = [("Ada", "[2.0, 1.0]"), ("she", "[1.0, 0.5]")];

#[test]
fn no_toml() {
    assert_eq!(
        refusal("query = \"it\"\nwhy = \"\"\n[[token]\n"),
        "scene:3:9: unclosed array table, expected `]`"
    );
}

#[test]
fn a_missing_field() {
    let text = scene(&TWO).replace("vector = [2.0, 1.0]\n", "");
    assert_eq!(refusal(&text), "scene:4:1: missing field `vector`");
    assert_eq!(refusal("why = \"It asks.\"\n"), "scene:1:1: missing field `query`");
}

#[test]
fn an_extra_field() {
    let text = scene(&TWO).replace("vector = [2.0, 1.0]", "vector = [2.0, 1.0]\nvalue = [1.0]");
    assert_eq!(refusal(&text), "scene:7:1: unknown field `value`, expected one of `text`, `vector`, `kind`");
}

#[test]
fn too_few_and_too_many_tokens() {
    assert_eq!(refusal(&many(0)), "scene:2:17: tokens: came 0; needed are 2 to 64");
    assert_eq!(refusal(&many(1)), "scene:6:24: tokens: came 1; needed are 2 to 64");
    // Of 65, the place is the last one's: four lines each, after the first two.
    assert_eq!(refusal(&many(65)), "scene:261:8: tokens: came 65; needed are 2 to 64");
    draws(&many(2));
    draws(&many(64));
}

#[test]
fn a_vector_of_the_wrong_length() {
    for (vector, came) in [("[]", 0), ("[1.0]", 1), ("[1.0, 2.0, 3.0]", 3)] {
        let text = scene(&[("Ada", vector), TWO[1]]);
        assert_eq!(
            refusal(&text),
            format!("scene:6:10: token 1 (`Ada`): vector: came with {came} numbers; needed are 2")
        );
    }
}

#[test]
fn kinds_of_words() {
    let kind = |kind: &str| scene(&[("Ada", &format!("[2.0, 1.0]\nkind = {kind}")), TWO[1]]);
    for (name, known) in
        [("noun", WordKind::Noun), ("pronoun", WordKind::Pronoun), ("other", WordKind::Other)]
    {
        let scene = Scene::parse(&kind(&format!("\"{name}\""))).expect("the scene is good");
        assert_eq!((scene.tokens[0].kind, scene.tokens[1].kind), (known, WordKind::Other));
    }
    assert_eq!(
        refusal(&kind("\"verb\"")),
        "scene:7:8: token 1 (`Ada`): kind: came as `verb`; needed is `noun`, `pronoun` or `other`"
    );
    assert_eq!(refusal(&kind("1")), "scene:7:8: invalid type: integer `1`, expected a string");
}

#[test]
fn a_sentence_without_a_pronoun_is_not_said_to_have_one() {
    let noun = ("Ada", "[2.0, 1.0]\nkind = \"noun\"");
    let pronoun = ("she", "[1.0, 0.5]\nkind = \"pronoun\"");
    // No kinds at all; no pronoun; no noun; a pronoun whose noun comes only after it.
    for tokens in [[TWO[0], TWO[1]], [noun, TWO[1]], [TWO[0], pronoun], [pronoun, noun]] {
        let scene = Scene::parse(&scene(&tokens)).unwrap();
        let arcs = figures::figure("arcs").unwrap().draw(&scene, &Params::new(), Size::Wide).unwrap();
        for name in ["pronoun", "pronoun-noun", "pronoun-noun-weight", "aim-mean"] {
            assert_eq!(arcs.fact(name).unwrap().to_string(), "none", "{name}");
        }
        let said = "no pronoun of this sentence has a noun before it";
        assert!(arcs.words().contains(said), "{}", arcs.words());
        assert_eq!(arcs.fact("pronoun-finds").unwrap().to_string(), said);
    }
    let scene = Scene::parse(&scene(&[noun, pronoun])).unwrap();
    let arcs = figures::figure("arcs").unwrap().draw(&scene, &Params::new(), Size::Wide).unwrap();
    assert_eq!(arcs.fact("pronoun-noun").unwrap().to_string(), "Ada");
}

/// What a page carries of a scene is the whole of it.
#[test]
fn scenes_come_back_from_a_page() {
    let kinds = [("Ada", "[2.0, 1.0]\nkind = \"noun\""), ("she", "[1.0, 0.5]\nkind = \"pronoun\"")];
    for scene in [Scene::default(), Scene::parse(&scene(&kinds)).expect("the scene is good")] {
        let carried = serde_json::to_string(&scene).expect("a scene is plain data");
        assert_eq!(live::read(&carried), Some(scene));
    }
}

#[test]
fn coordinates_that_are_no_places() {
    for (coordinate, shown) in
        [("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf"), ("1e308", "1e308"), ("100.1", "1.001e2")]
    {
        let text = scene(&[("Ada", &format!("[0.0, {coordinate}]")), TWO[1]]);
        assert_eq!(
            refusal(&text),
            format!(
                "scene:6:10: token 1 (`Ada`): vector: a coordinate is {shown}; needed are numbers from -100 to 100"
            )
        );
    }
    draws(&scene(&[("Ada", "[100.0, -100.0]"), ("she", "[-100.0, 100.0]")]));
    draws(&scene(&[("Ada", "[0.0, 0.0]"), ("she", "[0.0, 0.0]")]));
}

#[test]
fn tokens_without_text_or_with_too_much() {
    for text in ["", "  ", "\t"] {
        let refused = refusal(&scene(&[(text, "[1.0, 1.0]"), TWO[1]]));
        assert!(refused.starts_with("scene:5:8: token 1: its text is empty"), "{refused}");
    }
    let long = "x".repeat(300);
    assert_eq!(
        refusal(&scene(&[(&long, "[1.0, 1.0]"), TWO[1]])),
        "scene:5:8: token 1: its text has 300 characters; at most 16 can be shown"
    );
    draws(&scene(&[(&"W".repeat(16), "[1.0, 1.0]"), TWO[1]]));
    assert!(
        refusal(&scene(&[("a\nb", "[1.0, 1.0]"), TWO[1]]))
            .contains("a line break or another control character")
    );
}

#[test]
fn tokens_with_any_script_or_sign() {
    for text in ["🐈", "קָטָן", "<script>", "&", "\"", "]]>", "-->", "${x}", "{{#value}}", "日本", "e\u{301}"]
    {
        for picture in draws(&scene(&[(text, "[1.0, 1.0]"), TWO[1]])) {
            assert!(!picture.contains("<script>"), "{picture}");
            // What a browser reads as the same document.
            let marks = scraper::Html::parse_fragment(&picture);
            assert_eq!(marks.errors, Vec::<String>::new());
        }
    }
}

/// What cannot be seen, or means nothing, or turns what stands beside it, is refused with its place and its name.
#[test]
fn characters_that_do_not_belong() {
    let unseen = "it cannot be seen";
    let turns = "it is not seen, and turns the direction of what stands beside it";
    let variants = "it is not seen, and belongs after a character that has variants";
    let flag = "it is not seen, and belongs into the emoji of a flag, which it ends or spells";
    let non_joiner = "it is not seen, and belongs between two letters of a script that joins its letters";
    let joiner =
        "it is not seen, and belongs between two emoji, or two letters of a script that joins its letters";
    let mark = "a combining mark needs a character to stand on";
    let space = "of the spaces only the ordinary one, U+0020, can stand in a token";
    let none = "it is no character, or none yet";
    for (text, place, name, wrong) in [
        // Alone, and within a word.
        ("\u{200b}", 1, "U+200B, ZERO WIDTH SPACE", unseen),
        ("ca\u{200b}t", 3, "U+200B, ZERO WIDTH SPACE", unseen),
        ("\u{ad}", 1, "U+00AD, SOFT HYPHEN", unseen),
        ("\u{3164}", 1, "U+3164, HANGUL FILLER", unseen),
        ("\u{ffa0}", 1, "U+FFA0, HALFWIDTH HANGUL FILLER", unseen),
        ("\u{115f}", 1, "U+115F, HANGUL CHOSEONG FILLER", unseen),
        ("\u{2800}", 1, "U+2800, BRAILLE PATTERN BLANK", unseen),
        ("a\u{34f}", 2, "U+034F, COMBINING GRAPHEME JOINER", unseen),
        ("cat\u{2060}", 4, "U+2060, WORD JOINER", unseen),
        ("\u{feff}cat", 1, "U+FEFF, ZERO WIDTH NO-BREAK SPACE (byte order mark)", unseen),
        ("cat\u{fffc}", 4, "U+FFFC, OBJECT REPLACEMENT CHARACTER", unseen),
        ("\u{1d173}", 1, "U+1D173, a formatting character", unseen),
        ("\u{1d159}", 1, "U+1D159, `\u{1d159}`", unseen),
        // Directions.
        ("\u{202e}cat", 1, "U+202E, RIGHT-TO-LEFT OVERRIDE", turns),
        ("cat\u{2066}", 4, "U+2066, LEFT-TO-RIGHT ISOLATE", turns),
        ("cat\u{2069}", 4, "U+2069, POP DIRECTIONAL ISOLATE", turns),
        ("\u{200f}", 1, "U+200F, RIGHT-TO-LEFT MARK", turns),
        ("\u{61c}", 1, "U+061C, ARABIC LETTER MARK", turns),
        // Joiners, where there is nothing for them to join.
        ("\u{200d}", 1, "U+200D, ZERO WIDTH JOINER", joiner),
        ("ca\u{200d}t", 3, "U+200D, ZERO WIDTH JOINER", joiner),
        ("👩\u{200d}", 2, "U+200D, ZERO WIDTH JOINER", joiner),
        ("क्\u{200d}", 3, "U+200D, ZERO WIDTH JOINER", joiner),
        ("ca\u{200c}t", 3, "U+200C, ZERO WIDTH NON-JOINER", non_joiner),
        ("می\u{200c}", 3, "U+200C, ZERO WIDTH NON-JOINER", non_joiner),
        ("👩\u{200c}👩", 2, "U+200C, ZERO WIDTH NON-JOINER", non_joiner),
        // Variants, and flags.
        ("\u{fe0f}", 1, "U+FE0F, VARIATION SELECTOR-16", variants),
        ("a\u{fe0f}", 2, "U+FE0F, VARIATION SELECTOR-16", variants),
        ("1\u{fe0f}", 2, "U+FE0F, VARIATION SELECTOR-16", variants),
        ("❤\u{fe0f}\u{fe0f}", 3, "U+FE0F, VARIATION SELECTOR-16", variants),
        ("a\u{e0100}", 2, "U+E0100, a variation selector", variants),
        ("cat\u{e0063}", 4, "U+E0063, a formatting character", flag),
        ("🏴\u{e0067}", 2, "U+E0067, a formatting character", flag),
        // Marks without a letter.
        ("\u{301}", 1, "U+0301, COMBINING ACUTE ACCENT", mark),
        ("\u{5b0}\u{5e9}", 1, "U+05B0, a combining mark", mark),
        ("a \u{301}", 3, "U+0301, COMBINING ACUTE ACCENT", mark),
        ("\u{20e3}", 1, "U+20E3, COMBINING ENCLOSING KEYCAP", mark),
        (
            "e\u{301}\u{302}\u{303}\u{308}\u{300}",
            6,
            "U+0300, COMBINING GRAVE ACCENT",
            "more marks stand on one character than can be shown",
        ),
        // Spaces. Two in a row would look like one.
        ("a\u{a0}b", 2, "U+00A0, NO-BREAK SPACE", space),
        ("a\u{3000}b", 2, "U+3000, IDEOGRAPHIC SPACE", space),
        ("a\u{2009}b", 2, "U+2009, THIN SPACE", space),
        ("a  b", 3, "U+0020, SPACE", "a second space in a row cannot be seen"),
        ("a\u{2028}b", 2, "U+2028, LINE SEPARATOR", "a line break cannot be shown"),
        // What XML does not allow, and what means nothing.
        ("a\u{fffe}", 2, "U+FFFE, a noncharacter", none),
        ("a\u{ffff}", 2, "U+FFFF, a noncharacter", none),
        ("\u{fdd0}", 1, "U+FDD0, a noncharacter", none),
        ("\u{1fffe}", 1, "U+1FFFE, a noncharacter", none),
        ("\u{378}", 1, "U+0378, an unassigned character", none),
        (
            "\u{e000}",
            1,
            "U+E000, a private character",
            "it means what each one likes, and has no picture of its own",
        ),
        ("a\u{7}b", 2, "U+0007, BELL", "a line break or another control character cannot be shown"),
        ("a\u{1b}b", 2, "U+001B, ESCAPE", "a line break or another control character cannot be shown"),
        ("a\u{85}b", 2, "U+0085, NEXT LINE", "a line break or another control character cannot be shown"),
    ] {
        // TOML wants the control characters written as escapes; others can stand as they are.
        let written: String = text
            .chars()
            .map(|c| if c.is_control() { format!("\\u{:04X}", u32::from(c)) } else { c.to_string() })
            .collect();
        let scene = |token: &str, why: &str, query: &str| {
            format!(
                "query = \"{query}\"\nwhy = \"{why}\"\n\n[[token]]\ntext = \"{token}\"\nvector = [1.0, 1.0]\n\n\
                 [[token]]\ntext = \"she\"\nvector = [1.0, 0.5]\n"
            )
        };
        let said = format!("its character {place} is {name}: {wrong}");
        assert_eq!(refusal(&scene(&written, "It asks.", "she")), format!("scene:5:8: token 1: {said}"));
        assert_eq!(refusal(&scene("Ada", "It asks.", &written)), format!("scene:1:9: query: {said}"));
        // A sentence may have other spaces; control characters are refused there as line breaks are.
        match text.chars().nth(place - 1).unwrap() {
            c if wrong == space => assert!(Scene::parse(&scene("Ada", &written, "she")).is_ok(), "{c:?}"),
            c if c.is_control() => assert!(refusal(&scene("Ada", &written, "she")).contains("on one line")),
            _ => assert_eq!(refusal(&scene("Ada", &written, "she")), format!("scene:2:7: `why`: {said}")),
        }
    }
    let many = format!("👩{}", "\u{200d}👩".repeat(6));
    assert!(
        refusal(&scene(&[(&many, "[1.0, 1.0]"), TWO[1]]))
            .contains("is read as one character and written with 13")
    );
}

/// Joiners, selectors and tags are taken where they belong.
#[test]
fn characters_that_join() {
    for text in [
        "👩\u{200d}👩\u{200d}👧", // a family
        "🏳\u{fe0f}\u{200d}🌈",
        "👩🏽\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏽",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}", // the flag of Scotland
        "1\u{fe0f}\u{20e3}",
        "❤\u{fe0f}",
        "می\u{200c}خواهم", // Persian: I want
        "क्\u{200d}ष",      // Hindi, joined by wish
        "葛\u{e0100}",     // an ideograph in one of its forms
        "שּׁ",               // shin with two points
        "¿qué?",
        "a b",
        "\u{fffd}", // what a broken byte is shown as: teachers of byte-level tokens need it
    ] {
        draws(&scene(&[(text, "[1.0, 1.0]"), TWO[1]]));
    }
}

/// A reader sees one é, however it is written: so do tokens, their query, and the count of their characters.
#[test]
fn composed_and_decomposed_are_one() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    let text = |query: &str| {
        scene(&[(composed, "[1.0, 1.0]"), (decomposed, "[0.0, 1.0]"), TWO[1]]).replacen(
            "query = \"she\"",
            &format!("query = \"{query}\""),
            1,
        )
    };
    for (query, place) in [(composed, 0), (decomposed, 0), ("cafe\u{301} (2)", 1), ("caf\u{e9} (2)", 1)] {
        let scene = Scene::parse(&text(query)).unwrap();
        let labels: Vec<_> = scene.tokens.iter().map(|token| token.label.as_str()).collect();
        assert_eq!(labels, ["caf\u{e9}", "caf\u{e9} (2)", "she"]);
        assert_eq!(scene.query_place(), place);
    }
    // What only chooses between two forms of a character makes no other token.
    let hearts = scene(&[("❤", "[1.0, 1.0]"), ("❤\u{fe0f}", "[0.0, 1.0]"), TWO[1]]);
    assert_eq!(Scene::parse(&hearts).unwrap().tokens[1].label, "❤\u{fe0f} (2)");
    // Sixteen as a reader counts them are taken, and seventeen are not.
    for one in ["e\u{301}", "\u{1112}\u{1161}\u{11ab}", "👩\u{200d}👧", "क्षि", "🇨🇭"] {
        draws(&scene(&[(&one.repeat(16), "[1.0, 1.0]"), TWO[1]]));
        let refused = refusal(&scene(&[(&one.repeat(17), "[1.0, 1.0]"), TWO[1]]));
        assert!(refused.contains("its text has 17 characters; at most 16 can be shown"), "{refused}");
    }
}

#[test]
fn two_tokens_at_one_place_are_both_named() {
    let text = scene(&[("Ada", "[1.0, 1.0]"), ("Bob", "[1.0, 1.0]"), ("she", "[0.5, -0.5]")]);
    let scene = Scene::parse(&text).unwrap();
    let threads = figures::figure("threads").unwrap().draw(&scene, &Params::new(), Size::Wide).unwrap();
    let weight = |token: &str| threads.table.cell(token, "weight").unwrap().value().unwrap();
    assert_eq!(weight("Ada"), weight("Bob"));
    for name in ["Ada", "Bob"] {
        assert!(
            threads.svg.matches(&format!("{name}\n</text>")).count() >= 2,
            "beside its dot, and in the list"
        );
    }
}

/// The texts of a picture, as they are seen.
fn texts(svg: &str) -> Vec<String> {
    let marks = scraper::Html::parse_fragment(svg);
    let text = scraper::Selector::parse("text").unwrap();
    marks.select(&text).map(|text| text.text().collect::<String>().trim().to_owned()).collect()
}

/// A label that is too long says that it was cut, and is not to be taken for another.
#[test]
fn long_tokens_are_cut_visibly_and_stay_apart() {
    let pairs = [
        ["international", "internationally"],
        ["WORKMANSHIP", "WORKMANSHIPS"],
        ["достопримечатель", "достопримечател"],
        ["क्षत्रियक्षत्रियक्ष", "क्षत्रियक्षत्रियक्षय"],
        ["日本語日本語日本語日本語日本語", "日本語日本語日本語日本語日本人"],
    ];
    for pair in pairs {
        let text = scene(&[
            (pair[0], "[1.0, 1.0]"),
            (pair[1], "[-1.0, 1.0]"),
            ("a", "[1.0, 0.2]"),
            ("b", "[0.3, 1.0]"),
            ("c", "[0.5, 1.0]"),
            ("she", "[0.5, -0.5]"),
        ]);
        let scene = Scene::parse(&text).unwrap();
        let mut cut = 0;
        for figure in figures::all().filter(|figure| !NO_TOKENS.contains(&figure.id)) {
            for size in Size::ALL {
                let own = texts(&figure.draw(&Scene::default(), &Params::new(), size).unwrap().svg);
                let shown = texts(&figure.draw(&scene, &Params::new(), size).unwrap().svg);
                for text in shown.iter().filter(|text| !own.contains(text)) {
                    // A beginning of a token is the token, or ends in dots.
                    let begins = |token: &&str| text.chars().count() > 1 && token.starts_with(text.as_str());
                    let (is_cut, is_whole) = (pair.iter().any(begins), pair.contains(&text.as_str()));
                    assert!(is_whole || !is_cut, "{}: `{text}` is cut without a sign", figure.id);
                }
                let dots: Vec<&String> = shown.iter().filter(|text| text.ends_with('…')).collect();
                let ambiguous = |dots: &&&String| {
                    let start = dots.trim_end_matches('…');
                    pair.iter().filter(|token| token.starts_with(start)).count() > 1
                };
                assert_eq!(dots.iter().find(ambiguous), None, "{}: it could be either", figure.id);
                cut += shown.iter().filter(|text| text.contains('…')).count();
            }
        }
        assert!(cut >= 8, "{pair:?}: {cut}");
    }
}

/// The name of an axis has its place, and a token's label another.
#[test]
fn labels_keep_off_the_names_of_axes() {
    let default = include_str!("../crates/figures/src/scene.toml");
    for vector in ["[1.9, -0.15]", "[2.2, -0.2]", "[0.2, 2.9]", "[2.6, -0.1]", "[0.4, 2.7]"] {
        let scene = Scene::parse(&default.replace("[1.7, -0.6]", vector)).unwrap();
        for size in Size::ALL {
            let svg = figures::figure("threads").unwrap().draw(&scene, &Params::new(), size).unwrap().svg;
            // Of each text its place, the side of it that it stands on, and itself.
            let marks = scraper::Html::parse_fragment(&svg);
            let select = scraper::Selector::parse("text").unwrap();
            let rooms: Vec<(String, [f64; 4])> = marks
                .select(&select)
                .map(|text| {
                    let number = |name| text.attr(name).unwrap().parse::<f64>().unwrap() / 10.0;
                    let written = text.text().collect::<String>().trim().to_owned();
                    let width = figures::text_width(&written) * 13.0;
                    let left = match text.attr("text-anchor") {
                        Some("end") => number("x") - width,
                        Some("middle") => number("x") - width / 2.0,
                        _ => number("x"),
                    };
                    (written, [left, number("y") - 6.0, left + width, number("y") + 6.0])
                })
                .collect();
            for (axis, one) in rooms.iter().filter(|(text, _)| text.starts_with("feature ")) {
                for (text, other) in rooms.iter().filter(|(text, _)| text != axis) {
                    let apart =
                        one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
                    assert!(apart, "tired at {vector}: `{text}` lies on `{axis}`");
                }
            }
        }
    }
}

/// What is read from right to left turns nothing around it, wherever it is said.
#[test]
fn a_tokens_direction_is_its_own() {
    let text = scene(&[
        ("שלום", "[2.0, 1.0]\nkind = \"noun\""),
        ("مرحبا!", "[0.0, 1.0]"),
        ("she", "[1.0, 0.5]\nkind = \"pronoun\""),
    ]);
    let scene = Scene::parse(&text).unwrap();
    let mut said = 0;
    let mut check = |what: &str, figure: &str| {
        for token in ["שלום", "مرحبا"] {
            for (at, _) in what.match_indices(token) {
                let before = what[..at].trim_end_matches("<bdi>");
                let isolated = before.ends_with('\u{2068}') || before.len() < at;
                // Within an isolate of its own, there may be a mark or a count after it.
                assert!(isolated, "{figure}: {token} turns what stands beside it in {what}");
                said += 1;
            }
        }
    };
    for figure in figures::all() {
        for control in figure.controls(&scene) {
            if let figures::Kind::Choice { options, .. } = control.kind {
                options.iter().for_each(|option| check(&option.label, figure.id));
            }
        }
        for size in Size::ALL {
            let drawing = figure.draw(&scene, &Params::new(), size).unwrap();
            check(&drawing.svg, figure.id);
            check(&figures::html::numbers(&drawing), figure.id);
            check(&figures::html::sentences(&drawing.sentences), figure.id);
        }
    }
    assert!(said > 150, "{said}");
    // Where nothing is turned, nothing is added.
    for figure in figures::all() {
        let drawing = figure.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap();
        assert!(!drawing.svg.contains('\u{2068}'), "{}", figure.id);
    }
}

#[test]
fn tokens_of_one_text_are_told_apart() {
    let text = scene(&[("the", "[1.0, 1.0]"), ("the", "[0.0, 1.0]"), ("she", "[0.5, -0.5]")]);
    let scene = Scene::parse(&text).unwrap();
    let labels: Vec<_> = scene.tokens.iter().map(|token| token.label.as_str()).collect();
    assert_eq!(labels, ["the", "the (2)", "she"]);
    let text = scene_with_clash();
    assert!(refusal(&text).contains("two tokens would both be called `the (2)`"));
}

fn scene_with_clash() -> String {
    scene(&[("the", "[1.0, 1.0]"), ("the", "[0.0, 1.0]"), ("the (2)", "[0.5, -0.5]")])
}

#[test]
fn a_query_that_is_no_token() {
    let text = scene(&TWO).replace("query = \"she\"", "query = \"he\"");
    assert_eq!(refusal(&text), "scene:1:9: query: no token is called `he`; there is `Ada`, `she`");
}

#[test]
fn a_reason_that_is_none() {
    for why in ["", "two\\nlines", &"long ".repeat(100)] {
        let text = scene(&TWO).replace("It asks.", why);
        assert_eq!(
            refusal(&text),
            "scene:2:7: `why` needs one sentence, on one line, of at most 400 characters"
        );
    }
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Scene::load(folder.path()).unwrap_err().to_string();
    assert_eq!(
        refused,
        format!(
            "{}: is a folder; needed is a scene file such as crates/figures/src/scene.toml",
            folder.path().display()
        )
    );
    let missing = folder.path().join("missing.toml");
    let refused = Scene::load(&missing).unwrap_err().to_string();
    assert!(refused.starts_with(&format!("{}: cannot be read", missing.display())), "{refused}");
    let binary = folder.path().join("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    let refused = Scene::load(&binary).unwrap_err().to_string();
    assert!(refused.contains("cannot be read as text"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Whatever bytes come, reading them ends in a scene or in an error.
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Scene::parse(&String::from_utf8_lossy(&bytes));
    }

}

proptest! {
    // Each case draws every figure twice.
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever vectors come within the limits, every figure can be drawn.
    #[test]
    fn any_good_scene_can_be_drawn(
        vectors in proptest::collection::vec((-100.0..=100.0, -100.0..=100.0), 2..12),
    ) {
        let tokens: Vec<_> = vectors
            .iter()
            .enumerate()
            .map(|(place, (x, y)): (usize, &(f64, f64))| (format!("t{place}"), format!("[{x:?}, {y:?}]")))
            .collect();
        let tokens: Vec<_> = tokens.iter().map(|(word, vector)| (word.as_str(), vector.as_str())).collect();
        draws(&scene(&tokens));
    }
}

/// Characters from where scenes are written in, and from where they are not.
fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        4 => proptest::char::range('!', '~'),
        2 => proptest::char::range('\u{a0}', '\u{24f}'),
        2 => proptest::char::range('\u{370}', '\u{52f}'),
        3 => proptest::char::range('\u{590}', '\u{6ff}'),
        3 => proptest::char::range('\u{900}', '\u{dff}'),
        1 => proptest::char::range('\u{e00}', '\u{1fff}'),
        2 => proptest::char::range('\u{3041}', '\u{30ff}'),
        2 => proptest::char::range('\u{4e00}', '\u{9fff}'),
        2 => proptest::char::range('\u{1f300}', '\u{1faff}'),
        1 => proptest::char::range('\u{300}', '\u{36f}'),
        1 => proptest::char::range('\u{2000}', '\u{206f}'),
        1 => proptest::sample::select(vec!['\u{200d}', '\u{fe0f}', '\u{200c}', '\u{1f3fd}', '\u{94d}', '\u{fffe}', '\u{20e3}']),
        1 => any::<char>(),
    ]
}

/// Scenes from random Unicode are built, every picture being XML as others read it, or refused with a place. In the
/// suite some hundreds; `SCENES=10000` tries as many.
#[test]
fn random_unicode_is_built_or_refused() {
    let cases: usize = std::env::var("SCENES").map_or(300, |cases| cases.parse().expect("a number"));
    let word = proptest::collection::vec(character(), 1..5).prop_map(String::from_iter);
    let plain = proptest::collection::vec(proptest::char::range('A', 'z'), 1..17).prop_map(String::from_iter);
    // Of random words few are good: most tokens of a scene are words that are.
    let good = proptest::sample::select(vec![
        "cat",
        "WORKMANSHIP",
        "שלום",
        "القطة",
        "क्षत्रिय",
        "疲れていた",
        "👩\u{200d}👧",
        "the",
    ]);
    let token = prop_oneof![2 => word, 2 => plain, 5 => good.prop_map(String::from)];
    let scenes = proptest::collection::vec((token, -3.0..3.0, -3.0..3.0), 2..7);
    let mut runner = TestRunner::deterministic();
    let own =
        |figure: &figures::Figure| figure.draw(&Scene::default(), &Params::new(), Size::Wide).unwrap().svg;
    let (mut built, mut refused) = (0, 0);
    for _ in 0..cases {
        let tokens: Vec<(String, f64, f64)> = scenes.new_tree(&mut runner).unwrap().current();
        let tokens: Vec<_> =
            tokens.into_iter().map(|(text, x, y)| (text, format!("[{x:.2}, {y:.2}]"))).collect();
        let tokens: Vec<_> = tokens.iter().map(|(text, vector)| (text.as_str(), vector.as_str())).collect();
        let written = scene(&tokens);
        match Scene::parse(&written) {
            Err(error) => {
                let (line, column) =
                    error.place.strip_prefix("scene:").and_then(|at| at.split_once(':')).unwrap();
                assert!(
                    line.parse::<usize>().unwrap() > 0 && column.parse::<usize>().unwrap() > 0,
                    "{error}"
                );
                refused += 1;
            }
            Ok(scene) => {
                // Those whose picture is the same in every scene are drawn once.
                for figure in figures::all().filter(|figure| built == 0 || !NO_TOKENS.contains(&figure.id)) {
                    let drawn = figure.draw_sizes(&scene, &Params::new(), Size::ALL);
                    for drawing in drawn.unwrap_or_else(|error| panic!("{}: {error}\n{written}", figure.id)) {
                        let read = roxmltree::Document::parse(&drawing.svg);
                        assert!(read.is_ok(), "{}: {read:?}\n{written}", figure.id);
                        assert!(
                            built > 0
                                || !NO_TOKENS.contains(&figure.id)
                                || drawing.svg == own(figure)
                                || drawing.svg.contains("\"narrow\"")
                        );
                    }
                }
                built += 1;
            }
        }
    }
    println!("{built} scenes built, {refused} refused");
    assert!(built * 8 > cases && refused * 8 > cases, "{built} built, {refused} refused");
}

/// Figures that show no token.
const NO_TOKENS: [&str; 9] =
    ["spread", "saturation", "cost", "wild-heads", "induction", "growth", "grown", "norms", "sinusoid"];
