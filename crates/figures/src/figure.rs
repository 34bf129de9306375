//! A figure: its entry in the registry, and the three steps that it is made in.

use crate::canvas::{Canvas, Size};
use crate::control::{Control, Kind, Params, Preset, Settings};
use crate::drawing::{Drawing, Fact, Findings, Table};
use crate::gallery::CHAPTERS;
use crate::{Chapter, Error, Result, Scene, text};

/// A figure: what it is called, what a reader may change, and what draws it.
#[derive(Debug)]
pub struct Figure {
    /// Its name in `{{#figure id}}`, in addresses and in file names.
    pub id: &'static str,
    /// Its title, for lists and for those who do not see it.
    pub title: &'static str,
    /// Its caption: what the marks mean, and what to look for.
    pub caption: &'static str,
    /// What a reader may change.
    pub(crate) controls: fn(&Scene) -> Vec<Control>,
    /// What draws it: [`draw`] with the figure's three steps.
    pub(crate) draw: fn(&Scene, &Settings, &[Size]) -> Result<Drawn>,
}

/// The three steps of a figure: numbers first, then words, then marks. A figure's type holds its numbers.
pub(crate) trait Steps: Sized {
    /// The numbers, from the library, for the reader's settings. They are computed once, whatever the number of
    /// pictures.
    fn measure(scene: &Scene, settings: &Settings) -> Result<Self>;

    /// What is to be said of them: the table, the findings, and the sentences.
    fn describe(&self, scene: &Scene) -> Description;

    /// The picture in one of the two widths: marks at places.
    fn picture(&self, scene: &Scene, size: Size) -> Canvas;
}

/// What a figure says of its numbers.
pub(crate) struct Description {
    pub table: Table,
    pub findings: Findings,
    pub sentences: Vec<String>,
}

/// A figure, drawn: what it says, and its picture in each size asked for.
pub(crate) struct Drawn {
    description: Description,
    pictures: Vec<Canvas>,
}

/// Takes the three steps of a figure: measures once, describes once, and makes a picture of each size.
pub(crate) fn draw<F: Steps>(scene: &Scene, settings: &Settings, sizes: &[Size]) -> Result<Drawn> {
    let measured = F::measure(scene, settings)?;
    Ok(Drawn {
        description: measured.describe(scene),
        pictures: sizes.iter().map(|&size| measured.picture(scene, size)).collect(),
    })
}

impl Figure {
    /// The name of its chapter, and so of the live module that it is in.
    pub fn chapter(&self) -> &'static str {
        let holds = |chapter: &&Chapter| chapter.figures.iter().any(|figure| figure.id == self.id);
        CHAPTERS.iter().find(holds).map_or("", |chapter| chapter.name)
    }

    /// What a reader may change about the figure, in this scene.
    pub fn controls(&self, scene: &Scene) -> Vec<Control> {
        let mut controls = (self.controls)(scene);
        for control in &mut controls {
            if let Kind::Choice { options: named, .. } | Kind::Point { presets: named, .. } =
                &mut control.kind
            {
                for Preset { label, .. } in named {
                    *label = text::isolated(label).into_owned();
                }
            }
        }
        controls
    }

    /// Whether the figure can be drawn with these parameters.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] or [`Error::Parameter`] if a parameter is not one of the figure's, or its value
    /// not possible.
    pub fn check(&self, scene: &Scene, params: &Params) -> Result<()> {
        Settings::new(&self.controls(scene), params).map(|_| ())
    }

    /// Draws the figure. Parameters left out have their control's default.
    ///
    /// # Errors
    ///
    /// As for [`Figure::check`]; [`Error::NotFinite`] if a number is too large to be drawn.
    pub fn draw(&self, scene: &Scene, params: &Params, size: Size) -> Result<Drawing> {
        self.draw_sizes(scene, params, [size]).map(|[drawing]| drawing)
    }

    /// Draws the figure in several sizes. Its numbers are computed once: the drawings differ in the picture alone.
    ///
    /// # Errors
    ///
    /// As for [`Figure::draw`].
    ///
    /// ```
    /// use figures::{Params, Scene, Size, figure};
    ///
    /// let [wide, narrow] = figure("threads")?.draw_sizes(&Scene::default(), &Params::new(), Size::ALL)?;
    /// assert_eq!(wide.table, narrow.table);
    /// assert!(wide.svg.contains("width=\"680\"") && narrow.svg.contains("width=\"340\""));
    /// # Ok::<(), figures::Error>(())
    /// ```
    pub fn draw_sizes<const N: usize>(
        &self,
        scene: &Scene,
        params: &Params,
        sizes: [Size; N],
    ) -> Result<[Drawing; N]> {
        let settings = Settings::new(&self.controls(scene), params)?;
        let Drawn { description, pictures } = (self.draw)(scene, &settings, &sizes)?;
        let Description { table, findings: Findings(facts), sentences } = description;
        self.check_numbers(&table, &facts)?;
        let mut drawings = Vec::with_capacity(N);
        for canvas in pictures {
            let svg = canvas.finish(self.title, &sentences.join(" "))?;
            let (table, facts, sentences) = (table.clone(), facts.clone(), sentences.clone());
            drawings.push(Drawing { svg, table, facts, sentences });
        }
        Ok(drawings.try_into().unwrap_or_else(|_| panic!("{}: not a picture for each size", self.id)))
    }

    /// That each row has a cell for each column, and each number is finite.
    fn check_numbers(&self, table: &Table, facts: &[Fact]) -> Result<()> {
        for row in &table.rows {
            assert_eq!(row.cells.len(), table.columns.len(), "{}: row `{}`", self.id, row.name);
            for (cell, column) in row.cells.iter().zip(&table.columns) {
                check_finite(cell.value(), || format!("{}, row `{}`, column `{column}`", self.id, row.name))?;
            }
        }
        for fact in facts {
            check_finite(fact.cell.value(), || format!("{}, finding `{}`", self.id, fact.name))?;
        }
        Ok(())
    }
}

fn check_finite(value: Option<f64>, what: impl FnOnce() -> String) -> Result<()> {
    match value {
        Some(value) if !value.is_finite() => Err(Error::NotFinite { what: what(), value }),
        _ => Ok(()),
    }
}
