//! Words that need a certain scene: the build warns where the scene does not show what they say.

use crate::small::Small;

const TEXT: &str = "# One\n\nIt finds another.{{#premise finds-another}} And\nlooks back.{{#premise looks-back}} Most.{{#premise gets-most}}\n";

/// A scene of two tokens, of which `asks` asks.
fn scene(asks: &str, ada: &str, she: &str) -> String {
    format!(
        "query = \"{asks}\"\nwhy = \"So.\"\n[[token]]\ntext = \"Ada\"\nvector = {ada}\n[[token]]\ntext = \"she\"\nvector = {she}\n"
    )
}

#[test]
fn what_the_scene_shows_is_not_warned_of() {
    // Nor is anything shown in the text's place.
    Small::book(TEXT).builds().shows("1.html", &["It finds another. And\nlooks back. Most."]);
    let good = scene("she", "[3.0, 1.0]", "[1.0, 0.5]");
    Small::book(TEXT).file("my.toml", &good).argument("--scene").argument("my.toml").builds();
}

#[test]
fn what_the_scene_does_not_show_is_warned_of_by_its_place() {
    const FINDS: &str = "warning: src/1.md:3:18: the text says that the token that asks finds another one; in this scene \
                         “Ada” gives most, 0.99, to itself\n";
    const BACK: &str = "warning: src/1.md:4:12: the text says that the token that asks comes after the word it needs; in this \
                        scene “she” comes after “Ada”\n";
    const MOST: &str = "warning: src/1.md:4:41: the text says that the token that is found gets more than half of the \
                        attention; in this scene “Ada” gets 0.50\n";
    for (scene, warned) in [
        (scene("Ada", "[2.0, 0.0]", "[-1.0, 0.0]"), [FINDS, BACK].concat()),
        (scene("Ada", "[1.0, 0.0]", "[4.0, 0.0]"), BACK.to_owned()),
        (scene("she", "[1.0, 0.0]", "[0.0, 0.0]"), MOST.to_owned()),
    ] {
        let small = Small::book(TEXT).file("my.toml", &scene).argument("--scene").argument("my.toml");
        let (code, _, stderr) = small.run();
        assert_eq!((code, stderr), (Some(0), warned));
        small.shows("1.html", &["It finds another. And\nlooks back. Most."]);
    }
}

#[test]
fn a_premise_is_one_there_is() {
    Small::book("{{#premise finds-anther}} {{#premise}}").refuses(&[
        "src/1.md:1:1: `{{#premise finds-anther}}` does not say what is needed",
        "Did you mean `finds-another`?",
        "src/1.md:1:27: `{{#premise}}` does not say what is needed",
    ]);
    Small::book("$a {{#premise finds-another}}$").refuses(&["does not work in a formula"]);
}
