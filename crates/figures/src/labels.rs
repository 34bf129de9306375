//! Labels that stand beside what they name, and not on one another.

use std::borrow::Cow;

use plotters::style::text_anchor::{HPos, VPos};

use crate::canvas::{Canvas, Place, Text};
use crate::text;

/// The room that something takes up: left, top, right, bottom.
type Room = [f64; 4];

/// Places labels one by one, each where it covers no mark and no label placed before it, and crosses no line if
/// it can. Whoever matters most comes first; a label that fits nowhere is left out, since two on one place are
/// read by nobody.
pub struct Labels {
    bounds: Room,
    taken: Vec<Room>,
    lines: Vec<Room>,
}

impl Labels {
    /// Labels within the given corners of the canvas.
    pub fn within(corner: Place, opposite: Place) -> Self {
        Labels {
            bounds: [corner[0], corner[1], opposite[0], opposite[1]],
            taken: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Writes `text` at `at`, wherever that is, and keeps labels off it: for what has its place, such as an axis' name.
    pub fn write(&mut self, canvas: &mut Canvas, text: &str, at: Place, how: Text) {
        let (width, height) = (how.room(text), how.size * 1.2);
        let left = match how.across {
            HPos::Left => at[0],
            HPos::Center => at[0] - width / 2.0,
            HPos::Right => at[0] - width,
        };
        self.taken.push([left, at[1] - height / 2.0, left + width, at[1] + height / 2.0]);
        canvas.text(text, at, how);
    }

    /// Keeps labels off a mark.
    pub fn block(&mut self, centre: Place, radius: f64) {
        self.taken.push(around(centre, radius));
    }

    /// Keeps labels off a line, as far as there is room elsewhere.
    pub fn block_line(&mut self, from: Place, to: Place, radius: f64) {
        // A chain of small squares, near enough to one another that no label slips through.
        const PARTS: i32 = 24;
        for part in 0..=PARTS {
            let share = f64::from(part) / f64::from(PARTS);
            let at = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
            self.lines.push(around(at, radius));
        }
    }

    /// Writes `text` beside the mark at `centre`, if there is room; says whether there was.
    pub fn place(&mut self, canvas: &mut Canvas, text: &str, centre: Place, gap: f64, how: Text) -> bool {
        let (width, height) = (how.room(text), how.size * 1.2);
        let sides = [gap, 1.7 * gap].into_iter().flat_map(|gap| {
            let slant = gap * 0.7;
            let (above, below) = (-gap - height / 2.0, gap + height / 2.0);
            [
                (gap, 0.0, HPos::Left),
                (-gap, 0.0, HPos::Right),
                (0.0, above, HPos::Center),
                (0.0, below, HPos::Center),
                (slant, -slant - height / 3.0, HPos::Left),
                (-slant, -slant - height / 3.0, HPos::Right),
                (slant, slant + height / 3.0, HPos::Left),
                (-slant, slant + height / 3.0, HPos::Right),
            ]
        });
        let spots: Vec<(Place, HPos, Room)> = sides
            .map(|(right, down, across)| {
                let at = [centre[0] + right, centre[1] + down];
                let left = match across {
                    HPos::Left => at[0],
                    HPos::Center => at[0] - width / 2.0,
                    HPos::Right => at[0] - width,
                };
                (at, across, [left, at[1] - height / 2.0, left + width, at[1] + height / 2.0])
            })
            .collect();
        let clear = spots.iter().find(|(_, _, room)| self.fits(*room) && apart(*room, &self.lines));
        let Some(&(at, across, room)) = clear.or_else(|| spots.iter().find(|(_, _, room)| self.fits(*room)))
        else {
            return false;
        };
        self.taken.push(room);
        canvas.text(text, at, Text { across, down: VPos::Center, ..how });
        true
    }

    /// Writes `text` so that it ends at `at`, if there is room; says whether there was.
    pub fn end(&mut self, canvas: &mut Canvas, text: &str, at: Place, how: Text) -> bool {
        let (width, height) = (how.room(text), how.size * 1.2);
        let room = [at[0] - width, at[1] - height / 2.0, at[0], at[1] + height / 2.0];
        let fits = apart(room, &self.taken);
        if fits {
            self.taken.push(room);
            canvas.text(text, at, Text { across: HPos::Right, down: VPos::Center, ..how });
        }
        fits
    }

    /// Writes `text` around `at`, if there is room; says whether there was.
    pub fn centre(&mut self, canvas: &mut Canvas, text: &str, at: Place, how: Text) -> bool {
        let (width, height) = (how.room(text), how.size * 1.2);
        let room = [at[0] - width / 2.0, at[1] - height / 2.0, at[0] + width / 2.0, at[1] + height / 2.0];
        let fits = self.fits(room);
        if fits {
            self.taken.push(room);
            canvas.text(text, at, Text { across: HPos::Center, down: VPos::Center, ..how });
        }
        fits
    }

    fn fits(&self, room: Room) -> bool {
        let [left, top, right, bottom] = self.bounds;
        let inside = room[0] >= left && room[1] >= top && room[2] <= right && room[3] <= bottom;
        inside && apart(room, &self.taken)
    }
}

fn apart(room: Room, others: &[Room]) -> bool {
    let beside = |other: &Room| {
        room[2] <= other[0] || other[2] <= room[0] || room[3] <= other[1] || other[3] <= room[1]
    };
    others.iter().all(beside)
}

fn around([x, y]: Place, radius: f64) -> Room {
    [x - radius, y - radius, x + radius, y + radius]
}

/// Labels in so much room each, as [`text::fit`] shortens them.
pub fn fit<'a>(labels: &[&'a str], room: f64) -> Vec<Cow<'a, str>> {
    text::fit(labels, |_| room, |label| Text::CENTRE.room(label))
}

/// Labels side by side, each around its place `x`, and where that is. A long one takes the room that a short one
/// beside it leaves, and no more; at the ends they move in from the sides of a picture so many pixels wide. Of
/// `lines` that they stand on in turn, only those on the same one are in each other's way.
pub fn in_a_row<'a>(
    labels: &[&'a str],
    x: &dyn Fn(usize) -> f64,
    width: f64,
    lines: usize,
) -> Vec<(Cow<'a, str>, f64)> {
    let measure = |label: &str| Text::CENTRE.room(label);
    let inside = |x: f64, room: f64| x.min(width - room / 2.0).max(room / 2.0);
    let beside = |place: usize| {
        let before = place.checked_sub(lines);
        before.into_iter().chain(Some(place + lines).filter(|&after| after < labels.len()))
    };
    // Where they are so many that none has room, those that matter are still to be read; the others give way.
    let share = |place: usize| {
        let near = beside(place).map(|other| (x(other) - x(place)).abs() - 2.0);
        near.fold(width, f64::min).max(LEAST)
    };
    let modest = |place: usize| measure(labels[place]).min(share(place));
    let room = |place: usize| {
        let left = |other: usize| {
            let its = modest(other);
            let far = (x(place) - inside(x(other), its)).abs();
            let wall = if other > place { x(place) } else { width - x(place) };
            // Around its place, or, where that leaves the picture, from its side on.
            let around = 2.0 * far - its - 4.0;
            if around <= 2.0 * wall { around } else { wall + far - its / 2.0 - 2.0 }
        };
        beside(place).map(left).fold(width, f64::min).max(share(place).min(measure(labels[place])))
    };
    let shown = text::fit(labels, room, measure);
    let at = |(place, label): (usize, Cow<'a, str>)| {
        let at = inside(x(place), measure(&label));
        (label, at)
    };
    shown.into_iter().enumerate().map(at).collect()
}

/// The least room that a label is cut to: three letters and dots.
const LEAST: f64 = 40.0;
