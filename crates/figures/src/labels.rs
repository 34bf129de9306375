//! Labels that stand beside what they name, and not on one another.

use plotters::style::text_anchor::{HPos, VPos};

use crate::canvas::{Canvas, Place, Text};

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

/// A label cut to the room of `most` characters; dots, which take that of two, say that it was cut.
pub fn cut(label: &str, most: usize) -> String {
    if label.chars().count() <= most {
        return label.to_owned();
    }
    label.chars().take(most.saturating_sub(2)).chain(['…']).collect()
}
