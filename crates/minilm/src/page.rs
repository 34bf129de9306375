//! The page: who looks where in each head, as a map and as arcs, and the heads that fit a role best.
//!
//! The pictures of the book have two widths and a hundred marks; here there are dozens of small ones with
//! thousands. So they are drawn here, by hand and in few bytes, in the book's colours.

use std::fmt::Write as _;

use figures::html::escape;
use figures::tile_colour;
use ndarray::Array2;

use crate::roles::{Best, Role, best};

/// As many tokens as a page shows. With more, a tile of a map would be smaller than a pixel.
pub const MAX_TOKENS: usize = 64;

/// A weight below this has no tile of its own, for it would not be told from the ground.
const SEEN: f64 = 0.01;

/// A weight below this has no arc.
const HEAVY: f64 = 0.1;

/// Pixels from token to token in a picture; how it is shown is up to the page.
const STEP: f64 = 20.0;

/// A page with every head's weights over the tokens of `sentence`. `weights[layer][head]` `[T, T]`
///
/// It is one file: nothing is loaded from elsewhere, and nothing runs.
pub fn page(sentence: &str, tokens: &[String], weights: &[Vec<Array2<f64>>]) -> String {
    let best = best(weights);
    let heads: usize = weights.iter().map(Vec::len).sum();
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{heads} heads over “{0}”</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n<main>\n\
         <h1>{heads} heads over “{0}”</h1>\n\
         <p>Each map has a row for each token that asks, and a column for each that is looked at: the brighter a tile, \
         the more of its attention the row’s token gives to the column’s. Each row sums to 1. In the arcs below it the \
         tokens stand from left to right; arcs above the line look back, arcs below it look ahead, a ring looks at its \
         own token, and weights under {HEAVY} have none. Choose a head to see it large.</p>\n{1}\n",
        escape(sentence),
        scale(),
    );
    let _ = writeln!(html, "<h2>The heads that fit a role best</h2>\n<div class=\"roles\">");
    for it in &best {
        let _ = write!(
            html,
            "<figure class=\"large\" style=\"{}\"><figcaption><b>{}</b> {:.3}<br>\
             <a href=\"#l{3}h{4}\">layer {3}, head {4}</a>: {5}</figcaption>\n{6}{7}</figure>\n",
            room(tokens),
            it.role.name(),
            it.fit,
            it.layer,
            it.head,
            it.role.what(),
            again("map", it.layer, it.head, tokens),
            again("arcs", it.layer, it.head, tokens),
        );
    }
    html += "</div>\n<p class=\"note\">A number is the mean weight that the role’s place gets, over all tokens that have \
             such a place. That a head fits a role best does not say that it has learned the role.</p>\n";
    for (layer, heads) in weights.iter().enumerate() {
        let _ = write!(html, "<h2>Layer {layer}</h2>\n<div class=\"heads\">\n");
        for (head, weights) in heads.iter().enumerate() {
            html += &figure(layer, head, tokens, weights, &best);
        }
        html += "</div>\n";
    }
    let _ = write!(html, "</main>\n{}</body>\n</html>\n", names(tokens));
    html
}

/// One head of the overview, which is large once it is chosen.
fn figure(layer: usize, head: usize, tokens: &[String], weights: &Array2<f64>, best: &[Best]) -> String {
    let roles: String = best
        .iter()
        .filter(|it| (it.layer, it.head) == (layer, head))
        .map(|it| format!(" <b>{}</b> {:.2}", it.role.name(), it.fit))
        .collect();
    format!(
        "<figure id=\"l{layer}h{head}\" style=\"{}\"><figcaption><a href=\"#l{layer}h{head}\">head {head}</a>{roles}\
         </figcaption>\n{}{}<p class=\"numbers\">{}</p></figure>\n",
        room(tokens),
        map(layer, head, tokens, weights),
        arcs(layer, head, tokens, weights),
        fits(weights),
    )
}

/// How well a head fits each role.
fn fits(weights: &Array2<f64>) -> String {
    let fit = |role: Role| format!("{} {:.3}", role.name(), role.fit(weights));
    Role::ALL.map(fit).join(", ")
}

/// What a map says to those who do not see it: whom each token looks at most.
fn in_words(tokens: &[String], weights: &Array2<f64>) -> String {
    let most = |row: ndarray::ArrayView1<f64>| {
        let better = |best: (usize, f64), (place, &weight): (usize, &f64)| {
            if weight > best.1 { (place, weight) } else { best }
        };
        row.iter().enumerate().fold((0, 0.0), better)
    };
    let lines = weights.rows().into_iter().zip(tokens).map(|(row, token)| {
        let (place, weight) = most(row);
        format!("{token} to {} {weight:.2}", tokens[place])
    });
    escape(&lines.collect::<Vec<_>>().join(", "))
}

fn map(layer: usize, head: usize, tokens: &[String], weights: &Array2<f64>) -> String {
    let side = STEP * tokens.len() as f64;
    let mut svg = format!(
        "<svg class=\"map\" viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"Layer {layer}, head {head}: {}\">\
         <use href=\"#map-names\" class=\"names\"/><g id=\"map-l{layer}h{head}\"><path fill=\"{}\" d=\"M0 0h{side}v{side}h-{side}z\"/>",
        in_words(tokens, weights),
        tile_colour(0.0),
    );
    for ((i, j), &weight) in weights.indexed_iter().filter(|(_, weight)| **weight >= SEEN) {
        let (x, y) = (STEP * j as f64, STEP * i as f64);
        let _ = write!(svg, "<path fill=\"{}\" d=\"M{x} {y}h20v20h-20z\"/>", tile_colour(weight));
    }
    svg + "</g></svg>\n"
}

/// How high the arcs stand that reach from end to end, as a share of the picture's width.
const HIGH: f64 = 0.3;

/// How high those stand that reach to a neighbour.
const LOW: f64 = 12.0;

/// How thick an arc is that has all of the weight, as a share of the picture's width.
const THICK: f64 = 0.022;

/// Half of the room between the arcs that look back and those that look ahead.
const APART: f64 = 4.0;

fn arcs(layer: usize, head: usize, tokens: &[String], weights: &Array2<f64>) -> String {
    let mut svg = format!(
        "<svg class=\"arcs\" viewBox=\"{}\" aria-hidden=\"true\"><g id=\"arcs-l{layer}h{head}\">",
        arcs_box(tokens)
    );
    let x = |token: usize| STEP * (token as f64 + 0.5);
    let side = STEP * tokens.len() as f64;
    let steps = tokens.len().saturating_sub(1).max(1) as f64; // from end to end
    for ((i, j), &weight) in weights.indexed_iter().filter(|(_, weight)| **weight >= HEAVY) {
        // Against the clock: over the top on the way back, and below on the way ahead.
        let line = if j > i { APART } else { -APART };
        let width = weight * (side * THICK).min(LOW);
        if i == j {
            let _ = write!(
                svg,
                "<circle cx=\"{}\" cy=\"{}\" r=\"5\" stroke-width=\"{width:.1}\"/>",
                x(i),
                line - 6.0
            );
            continue;
        }
        let across = STEP * i.abs_diff(j) as f64 / 2.0;
        let up = LOW + (side * HIGH - LOW) * i.abs_diff(j) as f64 / steps;
        let _ = write!(
            svg,
            "<path d=\"M{} {line}A{across} {up:.0} 0 0 0 {} {line}\" stroke-width=\"{width:.1}\"/>",
            x(i),
            x(j)
        );
    }
    svg + "</g></svg>\n"
}

fn arcs_box(tokens: &[String]) -> String {
    let side = STEP * tokens.len() as f64;
    let high = side * HIGH + APART + 2.0;
    format!("0 -{high:.0} {side} {:.0}", 2.0 * high)
}

/// A picture that is on the page already, shown a second time.
fn again(kind: &str, layer: usize, head: usize, tokens: &[String]) -> String {
    let side = STEP * tokens.len() as f64;
    if kind == "map" {
        return format!(
            "<svg class=\"map\" viewBox=\"0 0 {side} {side}\" aria-hidden=\"true\"><use href=\"#map-names\" class=\"names\"/>\
             <use href=\"#map-l{layer}h{head}\"/></svg>\n"
        );
    }
    format!(
        "<svg class=\"arcs\" viewBox=\"{}\" aria-hidden=\"true\"><use href=\"#arcs-l{layer}h{head}\"/></svg>\n",
        arcs_box(tokens)
    )
}

/// How long the longest token is, which stands beside a large map, and how wide a chosen map is for all to be read.
fn room(tokens: &[String]) -> String {
    let longest = tokens.iter().map(|token| token.chars().count()).max().unwrap_or(0).min(16);
    format!("--longest:{longest};--side:{}px", (13 * tokens.len()).max(300))
}

/// The tokens, as all large maps have them: at the rows, and upwards at the columns.
fn names(tokens: &[String]) -> String {
    // A map is shown as wide as 300 pixels, and a name is 12 of these high, or as high as a row.
    let size = (12.0 / 300.0 * STEP * tokens.len() as f64).min(STEP * 0.9);
    let mut svg = format!(
        "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><g id=\"map-names\" font-size=\"{size:.1}\">"
    );
    for (place, token) in tokens.iter().enumerate() {
        let middle = STEP * (place as f64 + 0.5);
        let text: String = token.chars().take(16).collect();
        let text = escape(&text);
        let _ = write!(
            svg,
            "<text x=\"{0:.1}\" y=\"{middle}\" text-anchor=\"end\" dominant-baseline=\"central\">{text}</text>\
             <text transform=\"translate({middle} {0:.1})rotate(-90)\" dominant-baseline=\"central\">{text}</text>",
            -0.4 * size,
        );
    }
    svg + "</g></svg>\n"
}

/// The scale of the tiles, from 0 to 1.
fn scale() -> String {
    let mut svg = String::from(
        "<p class=\"scale\">weight 0 <svg viewBox=\"0 0 40 2\" width=\"160\" height=\"10\" aria-hidden=\"true\">",
    );
    for step in 0..40 {
        let colour = tile_colour(f64::from(step) / 39.0);
        let _ = write!(svg, "<path fill=\"{colour}\" d=\"M{step} 0h1.1v2h-1.1z\"/>");
    }
    svg + "</svg> 1</p>"
}

const CSS: &str = "\
:root { color-scheme: light dark; --ground: #fdfcfa; --ink: #1d1b16; --muted: #635e54; --arc: #866500; --link: #0b5c8f; }
@media (prefers-color-scheme: dark) {
    :root { --ground: #161923; --ink: #e6e4de; --muted: #a9a69d; --arc: #e0b53c; --link: #7cc0ea; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 20px 16px 60px; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 1.8em 0 0.6em; }
p { max-width: 46em; }
a { color: var(--link); }
.note, .numbers, figcaption { color: var(--muted); font-size: 0.86rem; }
figcaption b { color: var(--ink); }
.scale { display: flex; align-items: center; gap: 0.6em; }
.heads { display: grid; grid-template-columns: repeat(6, 1fr); gap: 18px 16px; }
.roles { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 26px 24px; }
figure { margin: 0; min-width: 0; --names: calc(var(--longest) * 7.5px + 10px); }
svg.map, svg.arcs { display: block; width: 100%; overflow: visible; }
svg.map { margin-bottom: 4px; }
.arcs { fill: none; stroke: var(--arc); }
.names { fill: var(--ink); display: none; }
.numbers { display: none; margin: 6px 0 0; }
:is(figure:target, .large) > svg { width: min(300px, 100% - var(--names)); margin-inline-start: var(--names); }
:is(figure:target, .large) > svg.map { margin-top: var(--names); }
:is(figure:target, .large) .names { display: inline; }
figure:target > svg { width: min(var(--side), 100% - var(--names)); }
figure:target { grid-column: 1 / -1; border-block: 1px solid var(--muted); padding-block: 10px; scroll-margin-top: 10px; }
figure:target .numbers { display: block; }
@media (max-width: 800px) { .heads { grid-template-columns: repeat(4, 1fr); } }
@media (max-width: 480px) { .heads { grid-template-columns: repeat(3, 1fr); gap: 14px 10px; } }
@media print { figure { break-inside: avoid; } }
";
