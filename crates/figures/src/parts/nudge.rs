//! One token is nudged: its controls, and how far each token moves, as bars above their names.

use crate::Scene;
use crate::canvas::{Canvas, HIT, Stroke, Text};
use crate::colour::Role;
use crate::control::Control;
use crate::labels::{Labels, in_a_row};
use crate::numbers::weight_in_brief;

/// Which token is nudged and, at first, by how much; and whether the mask is on.
pub fn nudge_controls(scene: &Scene, size: f64) -> Vec<Control> {
    // One in the middle, so that there are tokens before and after it.
    let middle = scene.tokens.len() / 2;
    vec![
        Control::token("token", "Nudge", scene, middle),
        Control::slider("size", "Size of the nudge", [0.1, 2.0], 0.1, size),
        Control::toggle("mask", "Causal mask", true),
    ]
}

/// A bar for each token's change, as high as `floor` from `ceiling` for the one that is `furthest`, with its number
/// where there is room.
pub fn bars(
    canvas: &mut Canvas,
    changes: &[f64],
    furthest: f64,
    [ceiling, floor]: [f64; 2],
    half: f64,
    x: &dyn Fn(usize) -> f64,
) {
    let ends = [x(0) - half, x(changes.len() - 1) + half];
    canvas.line([ends[0], floor], [ends[1], floor], Stroke::new(Role::Line, 1.0));
    let top = |place: usize| match furthest > 0.0 {
        true => floor - (floor - ceiling) * changes[place] / furthest,
        false => floor,
    };
    let mut numbers = Labels::within([0.0, ceiling - 24.0], [canvas.width(), floor]);
    canvas.group(&[], |canvas| {
        for (place, &change) in changes.iter().enumerate() {
            if change > 0.0 {
                canvas.bar([x(place) - half, top(place)], [x(place) + half, floor], Role::Output, 1.0);
            }
            let number = if change == 0.0 { "0".to_owned() } else { weight_in_brief(change) };
            // A number is not to stand on a higher bar beside its own.
            let room = Text::CENTRE.room(&number) / 2.0;
            let covers = |other: usize| {
                other != place && (x(other) - x(place)).abs() < room + half && top(other) < top(place) - 2.0
            };
            if !(0..changes.len()).any(covers) {
                numbers.centre(canvas, &number, [x(place), top(place) - 10.0], Text::CENTRE);
            }
        }
    });
}

/// The tokens at their places, to choose the nudged one by; an arrow points to it.
pub fn name_tokens(
    canvas: &mut Canvas,
    scene: &Scene,
    nudged: usize,
    y: f64,
    half: f64,
    x: &dyn Fn(usize) -> f64,
) {
    let tokens = scene.tokens.len();
    let mut names = Labels::within([0.0, y - 10.0], [canvas.width(), y + 10.0]);
    let others = (0..tokens).filter(|&place| place != nudged);
    let shown = in_a_row(&scene.texts(), x, canvas.width(), 1);
    canvas.group(&[], |canvas| {
        for place in std::iter::once(nudged).chain(others) {
            let how = if place == nudged { Text::CENTRE.bold() } else { Text::CENTRE };
            let (name, x) = &shown[place];
            names.centre(canvas, name, [*x, y], how);
        }
    });
    for place in 0..tokens {
        let choose = format!("token={}", place + 1);
        canvas.group(&[("data-set", &choose)], |canvas| {
            canvas.bar([x(place) - half, y - 12.0], [x(place) + half, y + 12.0], Role::Line, HIT);
        });
    }
    canvas.arrow([x(nudged), y + 42.0], [x(nudged), y + 15.0], Stroke::new(Role::Warn, 3.0));
    let right = nudged * 2 >= tokens;
    let (at, how) = if right { (x(nudged) - 12.0, Text::END) } else { (x(nudged) + 12.0, Text::START) };
    canvas.text("nudged", [at, y + 34.0], how.role(Role::Warn).bold());
}
