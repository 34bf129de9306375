//! `arcs`: three heads built by hand over the sentence. An arc is as thick as the weight.

use attention::circuits::{
    WordKind, neighbourhood_head, previous_token_head, pronoun_head, sentence_features,
};
use attention::{Head, Mask};
use ndarray::{Array2, ArrayRef1};

use crate::canvas::{Canvas, HIT, Place, Size, Stroke, Text};
use crate::colour::Role;
use crate::control::{Control, Kind, Preset, Settings};
use crate::drawing::{Cell, Fact};
use crate::figure::{Figure, Sketch, at_each_size};
use crate::labels::Labels;
use crate::numbers::weight_in_brief;
use crate::parts::weights::{largest, weights_table};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "arcs",
    title: "Three heads, three patterns",
    caption: "Each arc starts at the token that asks and ends, with its arrowhead, at the one it looks at. It is as thick \
              as the weight; a token that looks at itself has a ring. Above the words run the arcs that look back, below \
              them those that look ahead. The strong arcs are those of the chosen token, and its weights stand under \
              the words; the faint ones are those of the others. Very small weights have no arc. Every weight comes from \
              W_Q and W_K built by hand.",
    controls,
    draw: |scene, settings, sizes| at_each_size(draw, scene, settings, sizes),
};

/// A head built by hand.
struct BuiltHead {
    value: &'static str,
    name: &'static str,
    build: fn() -> Head,
}

/// The heads, in the order of the chapter.
const HEADS: [BuiltHead; 3] = [
    BuiltHead { value: "previous", name: "previous token", build: previous_token_head },
    BuiltHead { value: "neighbourhood", name: "neighbourhood", build: neighbourhood_head },
    BuiltHead { value: "pronoun", name: "pronoun", build: pronoun_head },
];

/// How far a neighbourhood reaches, for what is said of the second head.
const NEAR: usize = 2;

fn controls(scene: &Scene) -> Vec<Control> {
    let heads = HEADS.map(|head| Preset { value: head.value.into(), label: head.name.into() });
    let mut token = Control::token("token", "Query", scene, scene.query_place() + 1);
    if let Kind::Choice { options, .. } = &mut token.kind {
        options.insert(0, Preset { value: "all".into(), label: "all tokens".into() });
    }
    vec![
        Control {
            name: "head",
            label: "Head",
            kind: Kind::Choice { options: heads.to_vec(), default: HEADS.len() - 1 },
        },
        token,
        Control { name: "mask", label: "Causal mask", kind: Kind::Toggle { default: true } },
    ]
}

fn draw(scene: &Scene, settings: &Settings, size: Size) -> Result<Sketch> {
    let masked = settings.is_on("mask");
    let mask = if masked { Mask::Causal } else { Mask::None };
    let which = settings.chosen("head");
    // The first option is all of them.
    let token = settings.chosen("token").checked_sub(1);
    let everybody = token.is_none();
    let chosen = token.unwrap_or(scene.query_place());
    let tokens = scene.tokens.len();
    let label = |place: usize| &scene.tokens[place].label;
    let hidden = |i: usize, j: usize| !mask.allows(i, j);

    // The three heads over the sentence: of a word they know its kind and its position.
    let kinds: Vec<WordKind> = scene.tokens.iter().map(|token| token.kind).collect();
    let features = sentence_features(&kinds); // [T, 6]
    let attend = |head: usize| -> Result<Array2<f64>> {
        Ok((HEADS[head].build)().projections.attend(&features, &mask)?.weights) // [T, T]
    };
    let [previous, neighbourhood, pronoun] = [attend(0)?, attend(1)?, attend(2)?]; // [T, T] each
    let weights = [&previous, &neighbourhood, &pronoun][which];

    // What each head is to look at, and how much of its attention goes there.
    let mean = |parts: Vec<f64>| parts.iter().sum::<f64>() / parts.len().max(1) as f64;
    let before = mean((1..tokens).map(|i| previous[[i, i - 1]]).collect());
    let near_one =
        |i: usize| (0..tokens).filter(|j| i.abs_diff(*j) <= NEAR).map(|j| neighbourhood[[i, j]]).sum();
    let near = mean((0..tokens).map(near_one).collect());
    // The noun that a pronoun stands for, for this head: the last one before it.
    let noun_before = |i: usize| (0..i).rev().find(|&j| kinds[j] == WordKind::Noun);
    let found: Vec<(usize, usize)> = (0..tokens)
        .filter(|&i| kinds[i] == WordKind::Pronoun)
        .filter_map(|i| noun_before(i).map(|noun| (i, noun)))
        .collect();
    let to_noun = mean(found.iter().map(|&pair| pronoun[pair]).collect());
    // The pronoun that is spoken of: the query token, if it is one, or else the first that has a noun before it.
    let pair = found.iter().find(|(i, _)| *i == scene.query_place()).or(found.first()).copied();

    let labels: Vec<&str> = scene.tokens.iter().map(|token| token.label.as_str()).collect();
    let table = weights_table(&labels, weights, &hidden);
    let top = largest(weights.row(chosen).iter().copied());
    let fact = |name, cell| Fact { name, cell };
    let or_none = |cell: Option<Cell>| cell.unwrap_or(Cell::words("none"));
    let facts = vec![
        fact("head", Cell::words(HEADS[which].name)),
        fact("token", Cell::token(label(chosen))),
        fact("top", Cell::token(label(top))),
        fact("top-weight", Cell::number(weights[[chosen, top]], 2)),
        fact(
            "aim-mean",
            [Cell::number(before, 3), Cell::number(near, 2), or_none(pair.map(|_| Cell::number(to_noun, 2)))]
                [which]
                .clone(),
        ),
        fact("previous-mean", Cell::number(before, 3)),
        fact("near", Cell::count(NEAR as u64)),
        fact("neighbourhood-near", Cell::number(near, 2)),
        fact("pronoun", or_none(pair.map(|(i, _)| Cell::token(label(i))))),
        fact("pronoun-noun", or_none(pair.map(|(_, noun)| Cell::token(label(noun))))),
        fact("pronoun-noun-weight", or_none(pair.map(|pair| Cell::number(pronoun[pair], 2)))),
        // A whole clause, for a sentence need not have a pronoun.
        fact(
            "pronoun-finds",
            Cell::words(pair.map_or(
                "no pronoun of this sentence has a noun before it".to_owned(),
                |(i, noun)| {
                    let weight = Cell::number(pronoun[[i, noun]], 2);
                    format!("in that of “{}” it gives {weight} to “{}”", label(i), label(noun))
                },
            )),
        ),
        fact("tokens", Cell::count(tokens as u64)),
    ];

    let mut sentences = vec![
        match which {
            0 => format!(
                "The previous token head: each token gives the one before it {} of its attention on average.",
                Cell::number(before, 3)
            ),
            1 => format!(
                "The neighbourhood head: each token gives itself and those up to {NEAR} places away {} of its attention \
                 on average.",
                Cell::number(near, 2)
            ),
            _ => match pair {
                Some((i, noun)) => format!(
                    "The pronoun head: “{}” gives {} to “{}”, the last noun before it; a word that is no pronoun looks \
                     at all alike.",
                    label(i),
                    Cell::number(pronoun[[i, noun]], 2),
                    label(noun)
                ),
                None => "The pronoun head: no pronoun of this sentence has a noun before it; a word that is no pronoun \
                         looks at all alike."
                    .to_owned(),
            },
        },
        // Unless it has been said already.
        match pair {
            Some((i, _)) if which == 2 && i == chosen => String::new(),
            _ => whom(scene, chosen, &weights.row(chosen), top, &|j| hidden(chosen, j)),
        },
        if masked { "The causal mask is on: nobody looks ahead." } else { "The causal mask is off." }.to_owned(),
    ];

    sentences.retain(|sentence| !sentence.is_empty());
    let canvas = picture(scene, size, weights, &hidden, (!everybody).then_some(chosen), masked);
    Ok(Sketch { canvas, table, facts, sentences })
}

/// Whom the chosen token looks at, in words.
fn whom(
    scene: &Scene,
    chosen: usize,
    weights: &ArrayRef1<f64>,
    top: usize,
    hidden: &dyn Fn(usize) -> bool,
) -> String {
    let label = |place: usize| &scene.tokens[place].label;
    let seen: Vec<f64> = (0..weights.len()).filter(|&j| !hidden(j)).map(|j| weights[j]).collect();
    let most = Cell::number(weights[top], 2);
    if seen.len() == 1 {
        return format!("“{}” has only itself to look at.", label(chosen));
    }
    if seen.iter().all(|weight| (weight - weights[top]).abs() < 1e-9) {
        return format!(
            "“{}” gives {most} to each of the {} tokens it may look at.",
            label(chosen),
            seen.len()
        );
    }
    let itself = if top == chosen { ", itself" } else { "" };
    format!("“{}” gives most, {most}, to “{}”{itself}.", label(chosen), label(top))
}

/// The thickness of an arc that has all of the weight.
const THICKEST: f64 = 10.0;

/// An arc of less weight than this is not drawn.
const SEEN: f64 = 0.01;

/// In a sentence of more tokens than this, the arcs of those that are not chosen are drawn only if they are heavy; there
/// would be thousands.
const MANY: usize = 16;

/// What is heavy then.
const HEAVY: f64 = 0.1;

fn picture(
    scene: &Scene,
    size: Size,
    weights: &Array2<f64>,
    hidden: &dyn Fn(usize, usize) -> bool,
    chosen: Option<usize>,
    masked: bool,
) -> Canvas {
    let tokens = scene.tokens.len();
    let mut canvas = Canvas::new(size, 306.0);
    let (start, end) = (size.pick(52.0, 26.0), size.width() - size.pick(52.0, 26.0));
    let step = (end - start) / (tokens - 1) as f64;
    let x = |place: usize| start + step * place as f64;
    // Arcs stand on the upper line and hang from the lower one; the words are between.
    let (upper, words, numbers, lower) = (158.0, 178.0, 197.0, 216.0);
    let aside = (step / 6.0).min(4.0);
    // In a long sentence, thinner, so that neighbours can be told apart.
    let thickest = THICKEST.min(step);

    canvas.text("above the words: looking back", [2.0, 12.0], Text::START.role(Role::Muted));
    let below = if masked { "below them: looking ahead, masked" } else { "below them: looking ahead" };
    canvas.text(below, [2.0, canvas.height - 10.0], Text::START.role(Role::Muted));

    let arc = |canvas: &mut Canvas, i: usize, j: usize, role: Role| {
        let width = (weights[[i, j]] * thickest).max(0.5);
        let stroke = Stroke::new(role, width);
        let (line, up) = if j > i { (lower, 1.0) } else { (upper, -1.0) };
        if i == j {
            canvas.ring([x(i), line + up * 11.0], 8.0_f64.min(step), stroke);
            return;
        }
        // Leaves on the side that it goes to, and arrives on the other, so that coming and going are told apart.
        let towards = if j > i { aside } else { -aside };
        let (from, to) = (x(i) + towards, x(j) - towards);
        let share = (i.abs_diff(j) as f64) / (tokens - 1) as f64;
        let height = (24.0 + 90.0 * share).min(if j > i { 62.0 } else { 120.0 });
        let parts = if share > 0.5 { 48 } else { 24 };
        let half: Vec<Place> = (0..=parts)
            .map(|part| {
                let angle = std::f64::consts::PI * f64::from(part) / f64::from(parts);
                let across = (from + to) / 2.0 + (from - to) / 2.0 * libm::cos(angle);
                [across, line + up * (6.0 + height * libm::sin(angle))]
            })
            .collect();
        canvas.path(&half, stroke);
        let tip = [to, line + up * 2.0];
        canvas.arrow_head([to, line + up * 9.0], tip, Stroke::new(role, 1.5 + width / 3.0));
    };
    let pairs = || (0..tokens).flat_map(|i| (0..tokens).map(move |j| (i, j)));
    let drawn = |i: usize, j: usize, least: f64| !hidden(i, j) && weights[[i, j]] >= least;
    let least = if tokens > MANY { HEAVY } else { SEEN };
    // The others first, so that the chosen token's arcs lie on top of them.
    canvas.group(&[], |canvas| {
        for (i, j) in pairs().filter(|&(i, j)| Some(i) != chosen && drawn(i, j, least)) {
            arc(canvas, i, j, if chosen.is_none() { Role::Weight } else { Role::Grid });
        }
    });
    canvas.group(&[], |canvas| {
        for j in (0..tokens).filter(|&j| chosen.is_some_and(|i| drawn(i, j, SEEN))) {
            arc(canvas, chosen.unwrap_or(0), j, Role::Weight);
        }
    });

    let given = |j: usize| chosen.map_or(0.0, |i| weights[[i, j]]);
    let mut ranking: Vec<usize> = (0..tokens).collect();
    // Rounded, so that of two that are alike but for the last bits the earlier comes first on every machine.
    let rank = |place: usize| (given(place) * 1e9).round();
    ranking.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
    let mut names = Labels::within([0.0, words - 9.0], [size.width(), words + 9.0]);
    let mut shares = Labels::within([0.0, numbers - 9.0], [size.width(), numbers + 9.0]);
    canvas.group(&[], |canvas| {
        for place in chosen.into_iter().chain(ranking.iter().copied().filter(|&place| Some(place) != chosen))
        {
            let how = match chosen {
                Some(asks) if asks == place => Text::CENTRE.role(Role::Query).bold(),
                _ => Text::CENTRE,
            };
            let text: String = scene.tokens[place].text.chars().take(10).collect();
            let half = how.room(&text) / 2.0;
            let at =
                x(place).clamp(half.min(size.width() / 2.0), (size.width() - half).max(size.width() / 2.0));
            names.centre(canvas, &text, [at, words], how);
        }
    });
    canvas.group(&[], |canvas| {
        let Some(asks) = chosen else { return };
        for &place in ranking.iter().filter(|&&place| !hidden(asks, place)) {
            let number = weight_in_brief(weights[[asks, place]]);
            shares.centre(canvas, &number, [x(place), numbers], Text::CENTRE.role(Role::Muted));
        }
        // Once for all that are masked, in their middle.
        let masked: Vec<f64> = (0..tokens).filter(|&place| hidden(asks, place)).map(x).collect();
        if let (Some(first), Some(last)) = (masked.first(), masked.last()) {
            let middle = [(first + last) / 2.0, numbers];
            shares.centre(canvas, "masked", middle, Text::CENTRE.role(Role::Muted));
        }
    });
    let half = (step / 2.0).min(30.0);
    for place in 0..tokens {
        let choose = format!("token={}", place + 1);
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([x(place) - half, upper], [x(place) + half, lower], Role::Line, HIT);
        });
    }
    canvas
}
