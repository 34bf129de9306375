//! Chapters in, chapters out: every directive of ours replaced by what it asks for, and every formula set.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use attention::trained::Seed;
use figures::{Cell, Drawing, Figure, Params, Scene, Size};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::config::Config;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::chapter::{Chapter, Context, Formula};
use crate::directive::{Directive, Order, SceneFact, Settings, parameters};
use crate::fault::{Fault, Faults, Place, Result};
use crate::formula::Katex;
use crate::hint::said;
use crate::numbering::Numbering;
use crate::page::{self, Pictures};
use crate::premises::Premise;
use crate::settings::Settings as BookSettings;
use crate::{exercises, include, seeds};

/// What the expansion of a book made besides its chapters.
#[derive(Debug)]
pub struct Expanded {
    /// How many chapters there are.
    pub chapters: usize,
    /// The pictures of each figure that is shown; the chapters have but their places ([`page::illustrated`]).
    pub pictures: Vec<Pictures>,
    /// How long drawing took.
    pub drawing: Duration,
    /// The folder of the first chapter, from the book's first, with `/` on every system.
    pub first_folder: String,
    /// What the text says and the scene does not show, in the order of reading.
    pub warnings: Vec<Fault>,
    /// The links between the book's files, for [`crate::links`] to follow.
    pub links: Vec<SourceLink>,
}

/// A link as it stands in a chapter.
#[derive(Debug)]
pub struct SourceLink {
    /// Where it stands.
    pub place: Place,
    /// The page that its chapter becomes.
    pub page: String,
    /// Its address.
    pub to: String,
}

/// The scene that a book is built with: that of the file given, or else the one that `book.toml` names in
/// `[preprocessor.figures]`, or else our own.
///
/// # Errors
///
/// [`Error::Scene`](crate::fault::Error::Scene) if it cannot be read, and those of [`BookSettings::of`].
pub fn scene(given: Option<&Path>, root: &Path, config: &Config) -> Result<Scene> {
    let named = BookSettings::of(config)?.scene;
    match given.map(Path::to_owned).or(named.map(|name| root.join(name))) {
        Some(file) => Ok(Scene::load(&file)?),
        None => Ok(Scene::default()),
    }
}

/// Expands every directive and sets every formula of a book.
///
/// # Errors
///
/// [`Error::Faults`](crate::fault::Error::Faults) with everything that is wrong with the directives, includes and
/// formulas of all chapters; or what is wrong with KaTeX's settings.
pub fn expand(book: &mut Book, scene: &Scene, root: &Path, config: &Config) -> Result<Expanded> {
    let katex = BookSettings::of(config)?.katex.map(|settings| Katex::of(root, &settings)).transpose()?;
    for_each_chapter(&mut book.items, &mut |text| *text = files::plain(std::mem::take(text)));
    let chapters = read(book, &config.book.src, katex.is_some());
    let numbering = Numbering::of(&chapters, scene);
    let mut desk = Desk {
        scene,
        numbering: &numbering,
        katex: katex.as_ref(),
        source: root.join(&config.book.src),
        drawings: HashMap::new(),
        modules: HashMap::new(),
        drawing: Duration::ZERO,
        warnings: Vec::new(),
    };

    let mut faults = Vec::new();
    let mut texts = Vec::new();
    for chapter in &chapters {
        let (edits, mut wrong) = desk.directives(chapter);
        let (edits, unset) = desk.formulas(chapter, edits, &wrong);
        wrong.extend(unset);
        wrong.sort_by_key(|(at, _)| *at);
        faults.extend(wrong.into_iter().map(|(at, what)| Fault { place: Some(chapter.place(at)), what }));
        let mut text = splice(&chapter.text, 0..chapter.text.len(), &edits);
        if numbering.shown.iter().any(|shown| shown.page == chapter.page()) {
            text.push_str(&page::scene(scene));
        }
        texts.push(text);
    }
    if !faults.is_empty() {
        return Err(Faults(faults).into());
    }

    let mut pictures = Vec::new();
    for shown in &numbering.shown {
        let drawings = desk
            .draw(shown.figure, &shown.params)
            .map_err(|what| Faults(vec![Fault { place: None, what }]))?;
        let [wide, narrow] = [0, 1].map(|width: usize| drawings[width].svg.clone());
        pictures.push(Pictures { id: shown.figure.id, wide, narrow });
    }
    let mut texts = texts.into_iter();
    for_each_chapter(&mut book.items, &mut |text| *text = texts.next().unwrap_or_default());
    let links = chapters.iter().flat_map(|chapter| {
        let link = |link: &crate::chapter::Link| SourceLink {
            place: chapter.place(link.at),
            page: chapter.page(),
            to: link.to.clone(),
        };
        chapter.links.iter().map(link)
    });
    let first = chapters.first().map(Chapter::page).unwrap_or_default();
    Ok(Expanded {
        chapters: chapters.len(),
        pictures,
        drawing: desk.drawing,
        first_folder: first.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
        warnings: desk.warnings,
        links: links.collect(),
    })
}

/// Puts the pictures into the chapters, for an mdBook whose pages we do not see.
pub fn illustrate(book: &mut Book, pictures: &[Pictures]) {
    for_each_chapter(&mut book.items, &mut |text| *text = page::illustrated(text, pictures));
}

/// The chapters of a book whose sources are in the folder `source`, seen from the book's.
fn read(book: &Book, source: &Path, has_formulas: bool) -> Vec<Chapter> {
    let chapters: Vec<Chapter> = book
        .chapters()
        .map(|chapter| {
            let path = chapter.path.as_deref().unwrap_or(Path::new(""));
            let file = source.join(chapter.source_path.as_deref().unwrap_or(path)).display().to_string();
            Chapter::read(file, path, &chapter.content, has_formulas)
        })
        .collect();
    let texts: Vec<_> = chapters.iter().map(|chapter| (chapter.page(), chapter.text.clone())).collect();
    let list = |page: &str| {
        let list = exercises::list(texts.iter().map(|(page, text)| (page.as_str(), text.as_str())), page);
        format!("\n{list}\n")
    };
    // First of all, for the questions have directives and formulas of their own.
    let gathered = |chapter: Chapter| {
        let lists: Vec<Edit> = chapter
            .directives
            .iter()
            .filter(|(directive, context)| {
                *context == Context::Alone && Order::read(directive) == Ok(Order::Exercises)
            })
            .map(|(directive, _)| (directive.range.clone(), list(&chapter.page())))
            .collect();
        if lists.is_empty() {
            return chapter;
        }
        let text = splice(&chapter.text, 0..chapter.text.len(), &lists);
        Chapter::read(chapter.file, &chapter.path, &text, has_formulas)
    };
    chapters.into_iter().map(gathered).collect()
}

/// Calls `change` with the text of each chapter in the order of reading, that of [`Book::chapters`]. mdBook's own
/// `for_each_chapter_mut` visits a chapter after those below it.
fn for_each_chapter(items: &mut [BookItem], change: &mut impl FnMut(&mut String)) {
    for item in items {
        if let BookItem::Chapter(chapter) = item {
            if !chapter.is_draft_chapter() {
                change(&mut chapter.content);
            }
            for_each_chapter(&mut chapter.sub_items, change);
        }
    }
}

/// What stands at some bytes of a text, and what is to stand there.
type Edit = (Range<usize>, String);

/// What is wrong at a byte of a text.
type Wrong = (usize, String);

/// The part of `text` in `range`, with the edits that lie in it, which are in the order of the text.
fn splice(text: &str, range: Range<usize>, edits: &[Edit]) -> String {
    let mut result = String::new();
    let mut from = range.start;
    for (place, replacement) in edits {
        if place.start >= from && place.end <= range.end {
            result.push_str(&text[from..place.start]);
            result.push_str(replacement);
            from = place.end;
        }
    }
    result + &text[from..range.end]
}

/// What is needed to expand a directive.
struct Desk<'a> {
    scene: &'a Scene,
    numbering: &'a Numbering,
    katex: Option<&'a Katex>,
    /// The folder of the book's sources.
    source: PathBuf,
    /// What has been drawn, wide and narrow, by figure and parameters as written: chapters quote the same figure often.
    drawings: HashMap<(&'static str, String), Rc<[Drawing; 2]>>,
    /// The addresses of the chapters' live modules.
    modules: HashMap<&'static str, String>,
    drawing: Duration,
    warnings: Vec<Fault>,
}

impl Desk<'_> {
    /// Expands the directives of a chapter.
    fn directives(&mut self, chapter: &Chapter) -> (Vec<Edit>, Vec<Wrong>) {
        let (mut edits, mut wrong) = (Vec::new(), Vec::new());
        for (directive, context) in &chapter.directives {
            match self.expand(chapter, directive, *context) {
                Ok(Some(text)) => edits.push((directive.range.clone(), text)),
                Ok(None) => {}
                Err(what) => wrong.push((directive.range.start, what)),
            }
        }
        (edits, wrong)
    }

    /// Sets the formulas of a chapter, given the edits for its directives and what is wrong with those: returns the edits
    /// for all of it. In several threads, for KaTeX takes most of a build's time.
    fn formulas(&self, chapter: &Chapter, edits: Vec<Edit>, wrong: &[Wrong]) -> (Vec<Edit>, Vec<Wrong>) {
        let Some(katex) = self.katex else { return (edits, Vec::new()) };
        let is_whole = |formula: &&Formula| !wrong.iter().any(|(at, _)| formula.range.contains(at));
        let whole: Vec<_> = chapter.formulas.iter().filter(is_whole).collect();
        let set: Vec<_> = whole
            .into_par_iter()
            .map(|formula| {
                let tex =
                    without_quotes(splice(&chapter.text, formula.inside.clone(), &edits), formula.quotes);
                (formula, katex.set(&tex, formula.display))
            })
            .collect();

        let mut wrong: Vec<_> = chapter.dollars.iter().map(|(at, what)| (*at, (*what).to_owned())).collect();
        let mut all = edits;
        all.retain(|(range, _)| !set.iter().any(|(formula, _)| formula.range.contains(&range.start)));
        for (formula, set) in set {
            match set {
                Ok(mut html) => {
                    let after = &chapter.text[formula.range.end..];
                    // A browser would break the line between a formula and the comma behind it.
                    if !formula.display && after.starts_with(['.', ',', ';', ':', ')', '?', '!', '-', '’'])
                    {
                        html.insert(html.rfind("</span>").unwrap_or(html.len()), '\u{2060}');
                    }
                    all.push((formula.range.clone(), html));
                }
                Err(what) => wrong.push((formula.inside.start, what)),
            }
        }
        all.sort_by_key(|(range, _)| range.start);
        (all, wrong)
    }

    /// What a directive is replaced by: nothing if it stays.
    fn expand(
        &mut self,
        chapter: &Chapter,
        directive: &Directive,
        context: Context,
    ) -> Result<Option<String>, String> {
        match context {
            Context::Comment => return Ok(None),
            // Code may well have such braces of its own, and no backslash could be put before them.
            Context::Code if !(directive.closed && directive.marked && directive.is_known()) => {
                return Ok(None);
            }
            _ => {}
        }
        let word = &directive.word;
        let text = match (Order::read(directive)?, context) {
            (
                Order::Include(_) | Order::Playground(_) | Order::Title | Order::Ref(_) | Order::Premise(_),
                Context::Formula,
            ) => {
                return Err(format!("`{{{{#{word}}}}}` does not work in a formula"));
            }
            (Order::Include(target), _) => {
                include::text(&self.folder(chapter), &target, self.including(context))?
            }
            (Order::Playground(target), _) => {
                include::check(&self.folder(chapter), &target, self.including(context))?;
                return Ok(None);
            }
            (Order::Title, _) => return Ok(None),
            (_, Context::Code) => {
                return Err(format!(
                    "`{{{{#{word}}}}}` does not work in code; if the text itself is meant, put a backslash before it"
                ));
            }
            // A blank line on either side, so that the text around it stays Markdown.
            (Order::Figure(id, settings), Context::Alone) => {
                format!("\n{}\n", self.figure(&id, &settings, chapter, directive)?)
            }
            (Order::Figures, Context::Alone) => {
                format!("\n{}\n", page::list(&self.numbering.shown, &chapter.page(), &chapter.to_root()))
            }
            (Order::Seeds, Context::Alone) => format!("\n{}\n", seeds::table(&Seed::tried())),
            (Order::Figure(..) | Order::Figures | Order::Exercises | Order::Seeds, _) => {
                return Err(format!("`{{{{#{word}}}}}` stands alone on its line, without a space before it"));
            }
            (Order::Ref(id), _) => self.link(&id, chapter)?,
            (Order::Premise(premise), _) => {
                let place = Some(chapter.place(directive.range.start));
                let warning = self.warning(premise)?;
                self.warnings.extend(warning.map(|what| Fault { place, what }));
                String::new()
            }
            (Order::Value { figure, name, column, settings }, _) => {
                let cell = self.value(&figure, &name, column.as_deref(), &settings)?;
                written(&cell, chapter, directive, context)?
            }
            (Order::Scene(fact), _) => written(&scene_fact(self.scene, fact), chapter, directive, context)?,
        };
        Ok(Some(text))
    }

    /// The folder of a chapter's file.
    fn folder(&self, chapter: &Chapter) -> PathBuf {
        self.source.join(&chapter.path).parent().unwrap_or(&self.source).to_owned()
    }

    fn including(&self, context: Context) -> include::Place {
        include::Place { in_code: context == Context::Code, has_formulas: self.katex.is_some() }
    }

    fn figure(
        &mut self,
        id: &str,
        settings: &Settings,
        chapter: &Chapter,
        directive: &Directive,
    ) -> Result<String, String> {
        let figure = find(id)?;
        parameters(figure, self.scene, settings)?;
        let numbering = self.numbering;
        let shown = numbering.find(id).ok_or_else(|| format!("the figure `{id}` was not counted"))?;
        if shown.place != chapter.place(directive.range.start) {
            return Err(format!(
                "the figure `{id}` is shown already, at {}; refer to it with {{{{#ref {id}}}}}",
                shown.place
            ));
        }
        let drawings = self.draw(figure, &shown.params)?;
        let name = figure.chapter();
        let module = self.modules.entry(name).or_insert_with(|| page::module(&self.source, name));
        Ok(page::figure(shown, &figure.controls(self.scene), &drawings, module, &chapter.to_root()))
    }

    fn link(&self, id: &str, chapter: &Chapter) -> Result<String, String> {
        find(id)?;
        match self.numbering.find(id) {
            Some(shown) => Ok(page::link(shown, &chapter.page())),
            None => Err(format!(
                "the figure `{id}` is shown nowhere in the book; show it with {{{{#figure {id}}}}}, alone on its line"
            )),
        }
    }

    fn value(
        &mut self,
        id: &str,
        name: &str,
        column: Option<&str>,
        settings: &Settings,
    ) -> Result<Cell, String> {
        let figure = find(id).map_err(|what| {
            // The figure stands first; another word may be one.
            let words = [Some(name), column];
            match words.into_iter().flatten().find(|word| figures::figure(word).is_ok()) {
                Some(figure) => format!("{what} The figure stands first: {{{{#value {figure} …}}}}"),
                None => what,
            }
        })?;
        let mut params = self.numbering.find(id).map(|shown| shown.params.clone()).unwrap_or_default();
        params.extend(parameters(figure, self.scene, settings)?);
        let drawings = self.draw(figure, &params)?;
        let drawing = &drawings[0]; // both have the same numbers
        let cell = match column {
            Some(column) => drawing.table.cell(name, column),
            None => drawing.fact(name),
        };
        cell.cloned().map_err(|error| {
            let row = column.is_none() && drawing.table.rows.iter().any(|row| row.name == name);
            let swapped = column.is_some_and(|column| drawing.table.cell(column, name).is_ok());
            let hint = match (row, swapped) {
                (true, _) => ". It is a row: name a column too",
                (_, true) => ". The row stands before the column",
                _ => "",
            };
            format!("{id}: {}{hint}", said(&error))
        })
    }

    /// What there is to warn of if the scene does not show what the text says.
    fn warning(&mut self, premise: &Premise) -> Result<Option<String>, String> {
        // With the controls at their defaults: the text is about the scene.
        let drawings = self.draw(find(premise.figure)?, &Params::new())?;
        premise.warning(self.scene, &drawings[0]).map_err(|error| said(&error))
    }

    /// The figure's drawings, wide and narrow, kept for the next who asks for the same.
    fn draw(&mut self, figure: &'static Figure, params: &Params) -> Result<Rc<[Drawing; 2]>, String> {
        let written: Vec<_> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let key = (figure.id, written.join(" "));
        if let Some(drawings) = self.drawings.get(&key) {
            return Ok(drawings.clone());
        }
        let start = Instant::now();
        let drawings = figure
            .draw_sizes(self.scene, params, Size::ALL)
            .map_err(|error| format!("{}: {error}", figure.id))?;
        self.drawing += start.elapsed();
        Ok(self.drawings.entry(key).or_insert(Rc::new(drawings)).clone())
    }
}

/// The figure of that name.
fn find(id: &str) -> Result<&'static Figure, String> {
    figures::figure(id).map_err(|error| said(&error))
}

/// TeX without the `>` that quotes have before each line.
fn without_quotes(tex: String, quotes: usize) -> String {
    if quotes == 0 {
        return tex;
    }
    let bare = |line: &str| {
        (0..quotes).fold(line.to_owned(), |line, _| {
            line.trim_start().strip_prefix('>').map(str::to_owned).unwrap_or(line)
        })
    };
    let (first, rest) = tex.split_once('\n').unwrap_or((&tex, ""));
    rest.split('\n').fold(first.to_owned(), |tex, line| tex + "\n" + &bare(line))
}

/// A cell as it is written in that place.
fn written(
    cell: &Cell,
    chapter: &Chapter,
    directive: &Directive,
    context: Context,
) -> Result<String, String> {
    if context == Context::Formula {
        return page::in_formula(cell);
    }
    let line = chapter.text[..directive.range.start].rsplit('\n').next().unwrap_or_default();
    Ok(page::in_text(cell, line.trim().is_empty()))
}

fn scene_fact(scene: &Scene, fact: SceneFact) -> Cell {
    match fact {
        SceneFact::Sentence => Cell::words(scene.sentence()),
        SceneFact::Query => Cell::token(&scene.query().label),
        SceneFact::Tokens => Cell::count(scene.tokens.len() as u64),
        SceneFact::Why => Cell::words(&scene.why),
    }
}
