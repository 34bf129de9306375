//! Scenes that are not as they should be: each is refused with its place and a remedy, or drawn safely.

use attention::circuits::WordKind;
use figures::{Params, Scene, Size};
use proptest::prelude::*;

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
