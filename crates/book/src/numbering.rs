//! The figures' numbers: which figures a book shows, where, and as which in the order of reading.

use figures::Scene;

use crate::chapter::{Chapter, Context};
use crate::directive::{Order, parameters};
use crate::page::Shown;

/// Which figures are shown in the book, and where: known before any chapter is expanded, since one may refer to
/// a figure further on.
pub(crate) struct Numbering {
    /// The figures that are shown, in the order of reading.
    pub shown: Vec<Shown>,
}

impl Numbering {
    /// Counts the figures. What is wrong with a directive is said when it is expanded, and not here.
    pub fn of(chapters: &[Chapter], scene: &Scene) -> Self {
        let mut numbering = Numbering { shown: Vec::new() };
        for chapter in chapters {
            for (directive, context) in &chapter.directives {
                let (Context::Alone, Ok(Order::Figure(id, settings))) = (context, Order::read(directive))
                else {
                    continue;
                };
                let Ok(figure) = figures::figure(&id) else { continue };
                if numbering.find(&id).is_none() {
                    numbering.shown.push(Shown {
                        figure,
                        number: numbering.shown.len() + 1,
                        params: parameters(figure, scene, &settings).unwrap_or_default(),
                        page: chapter.page(),
                        place: chapter.place(directive.range.start),
                    });
                }
            }
        }
        numbering
    }

    /// The figure of this name, if it is shown.
    pub fn find(&self, id: &str) -> Option<&Shown> {
        self.shown.iter().find(|shown| shown.figure.id == id)
    }
}
