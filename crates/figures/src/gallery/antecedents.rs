//! `antecedents`: all heads of a trained model, asked in many sentences which noun a pronoun stands for.
//!
//! ```
//! use figures::{Params, Scene, Size, figure, params};
//!
//! let (antecedents, scene) = (figure("antecedents")?, Scene::default());
//! let draw = |params: &Params| antecedents.draw(&scene, params, Size::Wide);
//! let drawing = draw(&Params::new())?;
//! let number = |name| drawing.fact(name).unwrap().value().unwrap();
//! // The best head finds more than any rule about places, and more than the best of all heads finds by chance.
//! assert_eq!(drawing.fact("best")?.to_string(), "layer 2, head 4");
//! assert!(number("best-found") > number("last") && number("best-found") > number("first"));
//! assert!(number("best-found") > number("chance-best-95"));
//!
//! // But where only the meaning says which noun it is, that head is right in one sentence of each pair.
//! let schemas = draw(&params([("sentences", "schema-pairs")]))?;
//! assert_eq!(schemas.fact("pairs-found")?.to_string(), "0");
//! # Ok::<(), figures::Error>(())
//! ```

use crate::canvas::{Canvas, Place, Size, Stroke, Text};
use crate::chart::{Axis, Chart};
use crate::colour::Role;
use crate::control::{Control, Settings};
use crate::drawing::{Cell, Findings, Table};
use crate::figure::{Description, Figure, Steps, draw};
use crate::numbers::share;
use crate::parts::heatmap::frame;
use crate::survey::{ALL, Among, Chance, Head, SURVEY, Sentence, interval};
use crate::{Result, Scene};

pub const FIGURE: Figure = Figure {
    id: "antecedents",
    title: "Which heads find what a pronoun stands for",
    caption: "All 72 heads of all-MiniLM-L6-v2, asked about sentences with a pronoun. The number in a head's tile: in how \
              many of them the pronoun gives more to the noun that it stands for than to any other noun (or any other \
              word); the model's own tokens are left out. With them, the heads that find most, and the one that is \
              framed, each with its 95% interval. The solid line is the rule “the last noun before the pronoun”. The \
              dashed line is chance: if each noun were as likely to be meant, the best of 72 heads would find more than \
              that in one draw of twenty. Click a tile to choose a head.",
    controls,
    draw: draw::<Antecedents>,
};

/// The name of a head in addresses.
fn address(head: &Head) -> String {
    format!("l{}h{}", head.layer, head.head)
}

fn name(head: &Head) -> String {
    format!("layer {}, head {}", head.layer, head.head)
}

fn controls(_: &Scene) -> Vec<Control> {
    let survey = &*SURVEY;
    let groups = std::iter::once(ALL).chain(survey.groups());
    let first = survey.heads.iter().position(|head| address(head) == "l2h4").unwrap_or(0);
    vec![
        Control::choice("sentences", "Sentences", groups.map(|name| (name.replace(' ', "-"), name)), 0),
        Control::choice(
            "among",
            "Compared with",
            [("nouns", "the other nouns"), ("words", "all other words")],
            0,
        ),
        Control::choice("head", "Head", survey.heads.iter().map(|head| (address(head), name(head))), first),
    ]
}

/// How many heads are shown beside the tiles, without the chosen one.
const BEST: usize = 5;

/// The numbers of the figure: what each head finds in the sentences that were chosen.
struct Antecedents {
    among: Among,
    asked: Vec<&'static Sentence>,
    /// For each head.
    found: Vec<usize>,
    /// How many pairs there are; and for each head, in how many of them it finds both nouns.
    pairs: usize,
    pairs_found: Vec<usize>,
    /// What rules about places find: the last noun before the pronoun, and the first noun.
    last: usize,
    first: usize,
    chance: Option<Chance>,
    chance_of_pairs: Option<Chance>,
    /// Which head is read out.
    head: usize,
    /// The heads, from the one that finds most.
    ranking: Vec<usize>,
}

impl Steps for Antecedents {
    fn measure(_: &Scene, settings: &Settings) -> Result<Self> {
        let survey = &*SURVEY;
        let group = match settings.chosen("sentences") {
            0 => ALL,
            place => survey.groups()[place - 1],
        };
        let among = [Among::Nouns, Among::Words][settings.chosen("among")];
        let asked = survey.asked(group, among);
        let count = |is: &dyn Fn(&Sentence) -> bool| asked.iter().filter(|sentence| is(sentence)).count();
        let heads = 0..survey.heads.len();
        let found: Vec<usize> = heads.clone().map(|head| count(&|it| it.is_found(head, among))).collect();
        let paired: Vec<&Sentence> = asked.iter().copied().filter(|sentence| sentence.paired).collect();
        let both = |head: usize| {
            paired.chunks(2).filter(|pair| pair.iter().all(|it| it.is_found(head, among))).count()
        };
        let mut ranking: Vec<usize> = heads.clone().collect();
        ranking.sort_by_key(|&head| std::cmp::Reverse(found[head]));
        Ok(Antecedents {
            among,
            pairs: paired.len() / 2,
            pairs_found: heads.map(both).collect(),
            last: count(&Sentence::means_last),
            first: count(&Sentence::means_first),
            chance: survey.chance(group, among),
            chance_of_pairs: survey.chance_of_pairs(group).filter(|_| among == Among::Nouns),
            head: settings.chosen("head"),
            asked,
            found,
            ranking,
        })
    }

    fn describe(&self, _: &Scene) -> Description {
        let columns = ["found", "share", "at least", "at most", "weight", "from others", "found by others"];
        let table = Table::new(format!("head (of {} sentences)", self.count()), columns).rows(
            SURVEY.heads.iter().zip(&self.found).map(|(head, &found)| {
                let [low, high] = interval(found, self.count());
                let cells = [
                    Cell::count(found as u64),
                    Cell::share(self.share(found)),
                    Cell::share(low),
                    Cell::share(high),
                    Cell::number(head.weight, 2),
                    Cell::number(head.others_weight, 2),
                    Cell::share(head.others_find),
                ];
                (name(head), cells)
            }),
        );
        Description { table, findings: self.findings(), sentences: self.sentences() }
    }

    fn picture(&self, _: &Scene, size: Size) -> Canvas {
        let mut canvas = Canvas::new(size, size.pick(244.0, 478.0));
        self.tiles(&mut canvas, [30.0, 44.0], size.pick(25.0, 25.5));
        let (left, top) = size.pick((352.0, 62.0), (4.0, 304.0));
        self.best(&mut canvas, [left, top]);
        canvas
    }
}

impl Antecedents {
    fn count(&self) -> usize {
        self.asked.len()
    }

    fn share(&self, found: usize) -> f64 {
        found as f64 / self.count() as f64
    }

    fn findings(&self) -> Findings {
        let [best, second, third] = [0, 1, 2].map(|place| self.ranking[place]);
        let heads = &SURVEY.heads;
        let chosen = &heads[self.head];
        let found = self.found[self.head];
        let [low, high] = interval(found, self.count());
        let findings = Findings::new()
            .count("heads", heads.len())
            .count("sentences", self.count())
            .words("head", name(chosen))
            .count("found", found)
            .share("share", self.share(found))
            .share("low", low)
            .share("high", high)
            .number("weight", chosen.weight, 2)
            .number("others-weight", chosen.others_weight, 2)
            .share("others-find", chosen.others_find)
            .words("best", name(&heads[best]))
            .count("best-found", self.found[best])
            .words("second", name(&heads[second]))
            .count("second-found", self.found[second])
            .words("third", name(&heads[third]))
            .count("third-found", self.found[third])
            .count("last", self.last)
            .count("first", self.first)
            .count("pairs", self.pairs)
            .count("pairs-found", self.pairs_found[self.head])
            .count("pairs-best", self.pairs_found.iter().copied().max().unwrap_or(0));
        let findings = match self.chance {
            None => findings,
            Some(chance) => findings
                .number("chance", chance.one, 0)
                .count("chance-best", chance.best)
                .count("chance-best-95", chance.best_95)
                .count("above-chance", self.found.iter().filter(|&&found| found > chance.best_95).count()),
        };
        match self.chance_of_pairs {
            None => findings,
            Some(chance) => findings.count("pairs-chance-best", chance.best),
        }
    }

    fn sentences(&self) -> Vec<String> {
        let found = self.found[self.head];
        let [low, high] = interval(found, self.count());
        let among = match self.among {
            Among::Nouns => "among the nouns",
            Among::Words => "among all words",
        };
        let mut sentences = vec![format!(
            "{}: {among}, the one that is meant gets most in {found} of {} sentences, {} (95% interval: {} to {}).",
            capital(&name(&SURVEY.heads[self.head])),
            self.count(),
            share(self.share(found)),
            share(low),
            share(high)
        )];
        sentences.push(match self.chance {
            None => "With one noun there is none to choose; compare it with all other words.".to_owned(),
            Some(chance) => format!(
                "The last noun before the pronoun is right in {}; by chance, the best of {} heads would find {}, and \
                 seldom more than {}.",
                self.last,
                self.found.len(),
                chance.best,
                chance.best_95
            ),
        });
        if self.pairs > 0 {
            sentences.push(format!(
                "Of {} pairs it finds the noun in both sentences of {}; no head manages more than {}.",
                self.pairs,
                self.pairs_found[self.head],
                self.pairs_found.iter().max().unwrap_or(&0)
            ));
        }
        sentences
    }

    /// A tile for each head: a row for each layer.
    fn tiles(&self, canvas: &mut Canvas, [left, top]: Place, side: f64) {
        let rise = 26.0;
        let corner = |layer: usize, head: usize| [left + side * head as f64, top + rise * layer as f64];
        let across = SURVEY.heads.iter().map(|head| head.head + 1).max().unwrap_or(0);
        canvas.text("layer", [0.0, top - 30.0], Text::START.role(Role::Muted));
        canvas.text("head", [left + side * across as f64, top - 30.0], Text::END.role(Role::Muted));
        for (place, head) in SURVEY.heads.iter().enumerate() {
            let ([x, y], [right, low]) =
                (corner(head.layer, head.head), corner(head.layer + 1, head.head + 1));
            if head.head == 0 {
                let at = [left - 8.0, y + rise / 2.0];
                canvas.text(&head.layer.to_string(), at, Text::END.role(Role::Muted));
            }
            if head.layer == 0 {
                canvas.text(
                    &head.head.to_string(),
                    [x + side / 2.0, top - 12.0],
                    Text::CENTRE.role(Role::Muted),
                );
            }
            let found = self.found[place];
            canvas.group(&[("data-set", &format!("head={}", address(head)))], |canvas| {
                let opposite = [right - 1.0, low - 1.0];
                canvas.tile([x + 1.0, y + 1.0], opposite, self.share(found), &found.to_string());
            });
        }
        let chosen = &SURVEY.heads[self.head];
        let (from, to) = (corner(chosen.layer, chosen.head), corner(chosen.layer + 1, chosen.head + 1));
        frame(canvas, from, to, Stroke::new(Role::Query, 2.4));
        let layers = SURVEY.heads.iter().map(|head| head.layer + 1).max().unwrap_or(0);
        let [x, y] = [left, top + rise * layers as f64 + 14.0];
        let part = 150.0 / 36.0;
        for step in 0..36 {
            let from = x + part * f64::from(step);
            canvas.tile(
                [from, y],
                [(from + part + 0.4).min(x + 150.0), y + 10.0],
                f64::from(step) / 35.0,
                "",
            );
        }
        canvas.text("none", [x, y + 22.0], Text::START.role(Role::Muted));
        canvas.text(&format!("all {}", self.count()), [x + 150.0, y + 22.0], Text::END.role(Role::Muted));
    }

    /// The heads that find most, and the chosen one, with their intervals, beside a rule and chance.
    fn best(&self, canvas: &mut Canvas, [left, top]: Place) {
        let rise = 24.0;
        let mut shown: Vec<usize> = self.ranking.iter().copied().take(BEST).collect();
        if !shown.contains(&self.head) {
            shown.push(self.head);
        }
        let floor = top + rise * (BEST + 1) as f64;
        let right = canvas.width() - 4.0;
        let chart = Chart {
            x: Axis::linear(0.0..1.0, left + 134.0..right - 34.0),
            y: Axis::linear(0.0..1.0, floor..top - 14.0),
        };
        for tick in [0.0, 0.5, 1.0] {
            chart.bottom_tick(canvas, tick, &share(tick));
        }
        canvas.line(chart.at(0.0, 0.0), chart.at(1.0, 0.0), Stroke::new(Role::Line, 1.0));
        let mut rules = vec![("the last noun", self.share(self.last), Stroke::new(Role::Muted, 1.6))];
        if let Some(chance) = self.chance {
            rules.push(("best by chance", self.share(chance.best_95), Stroke::new(Role::Warn, 2.0).dashed()));
        }
        // Each line has its name on its left, at the upper end: the one further right is the higher, so that no line runs
        // through a name.
        rules.sort_by(|one, two| one.1.total_cmp(&two.1));
        for ((name, share, stroke), rise) in rules.into_iter().zip([22.0, 40.0]) {
            let x = chart.x.at(share);
            canvas.line([x, floor], [x, top - rise], stroke);
            canvas.text(name, [x - 6.0, top - rise + 2.0], Text::END.role(stroke.role));
        }
        for (row, &head) in shown.iter().enumerate() {
            let y = top + rise * (row as f64 + 0.2);
            let how = if head == self.head { Text::END.bold() } else { Text::END };
            canvas.text(&name(&SURVEY.heads[head]), [left + 122.0, y], how);
            let [low, high] = interval(self.found[head], self.count()).map(|end| chart.x.at(end));
            canvas.line([low, y], [high, y], Stroke::new(Role::Ink, 1.6));
            canvas.disc([chart.x.at(self.share(self.found[head])), y], 4.5, Role::Ink, 1.0);
            canvas.text(&self.found[head].to_string(), [right, y], how);
        }
    }
}

/// The same with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
