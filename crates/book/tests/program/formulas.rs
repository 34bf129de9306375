//! What is a formula, and what is left alone.

use crate::small::Small;

#[test]
fn code_stays_code() {
    Small::book(
        "# One\n\n    let a = \"$x_1$\";\n\n~~~text\n$x_2$ and $5\n~~~\n\n> ```text\n> $x_3$\n> ```\n\n``a ` $x_4$``\n\n\
         <pre>\n$x_5$\n</pre>\n\n![img $x_6$](x.png)\n\n<!-- $x_7 -->\n\n[a](1.md '$x_8$') <https://a.b/$x_9$>\n",
    )
    .file("src/x.png", "")
    .builds()
    .shows(
        "1.html",
        &[
            "let a = \"$x_1$\";",
            "$x_2$ and $5\n",
            "$x_3$\n",
            "<code>a ` $x_4$</code>",
            "<pre>\n$x_5$\n</pre>",
            "alt=\"img $x_6$\"",
            "title=\"$x_8$\"",
            "https://a.b/$x_9$</a>",
        ],
    );
}

#[test]
fn text_has_formulas_wherever_it_is() {
    let small = Small::book(
        "# On $x$\n\n| a |\n|---|\n| $x$ |\n\n- $x$\n\n> $$\n> x\n> - y\n> $$\n\na[^1] ` $x$ \\$5\n\n[^1]: $x$\n\n\
         $$\na\n- b\n= c\n$$\n\n[see $x$](1.md)\n",
    )
    .builds()
    .shows("1.html", &["<mi>c</mi>", "$5"]);
    let html = small.main("1.html");
    assert_eq!(html.matches("<math").count(), 8, "{html}");
    assert!(!html.contains("<mo>&gt;</mo>") && !html.contains("<li>b"), "{html}");
}

#[test]
fn a_price_is_refused_with_a_hint() {
    for (text, at) in [
        ("It costs $5 and you pay $6.", "src/1.md:3:10: this opens a formula"),
        ("From $5/month to $6/month.", "src/1.md:3:6: this opens a formula"),
        ("Set $HOME, then $PATH.", "src/1.md:3:5: this opens a formula"),
        ("$20,000-$30,000", "src/1.md:3:1: this opens a formula"),
        ("5 $ or 6 $", "src/1.md:3:3: this dollar sign has a space behind it"),
        ("<td>$x$</td>", "src/1.md:3:5: this looks like a formula, and none is set in a block of HTML"),
        ("a $x\n- b$", "src/1.md:3:3: this opens a formula that is not closed"),
    ] {
        let hint = if text.starts_with('<') { "as `&#36;`" } else { "is written `\\$`" };
        Small::book(&format!("# One\n\n{text}\n")).refuses(&[at, hint]);
    }
    Small::book("It costs \\$5 and you pay \\$6.\n")
        .builds()
        .shows("1.html", &["It costs $5 and you pay $6."]);
    // A book without formulas needs no escapes.
    Small::book("It costs $5 and you pay $6.\n")
        .file("book.toml", "[preprocessor.figures]\n")
        .builds()
        .shows("1.html", &["It costs $5 and you pay $6."]);
}
