//! The command line.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use figures::{Control, Kind, Params, Scene, Size};

use crate::build::{build, configuration, find_root, write_figures};
use crate::expand::{expand, illustrate, scene};
use crate::fault::{Error, Fault, Result};
use crate::hint::said;

/// Builds the book: figures, numbers and listings into the chapters, the chapters into a website.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXAMPLES)]
pub struct Cli {
    /// Open the book once it is built.
    #[arg(long)]
    open: bool,

    /// The folder of the book [default: the nearest one upwards that has a book.toml].
    #[arg(long, global = true, value_name = "DIR")]
    root: Option<PathBuf>,

    /// A scene of your own, instead of the one that comes with the book.
    #[arg(long, global = true, value_name = "FILE")]
    scene: Option<PathBuf>,

    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  cargo run                                  build the book
  cargo run -- --open                        build it and look at it
  cargo run -- --scene my-sentence.toml      build it around another sentence
  cargo run -- figures slides/               write only the pictures, as SVG files
  cargo run -- list                          what there is to be shown and quoted

A scene is a file like crates/figures/src/scene.toml. A book that always has the same one can name it in
book.toml, as `scene` in [preprocessor.figures].";

/// What to do instead of building the book.
#[derive(Debug, Subcommand)]
enum Command {
    /// Write the figures' pictures into a folder, as SVG files.
    Figures {
        /// The folder; it is made if need be.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// List the figures with their controls, findings, rows and columns.
    List {
        /// Only these [default: all].
        #[arg(value_name = "FIGURE")]
        figures: Vec<String>,
    },
    /// Serve as a preprocessor of `mdbook build`: a book as JSON in, a book with figures and formulas out.
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Exit with 0 if this renderer is supported.
    Supports {
        /// Its name.
        renderer: String,
    },
}

impl Cli {
    /// Does what the command line asks for, and returns what there is to say about it.
    ///
    /// # Errors
    ///
    /// Why it could not be done.
    pub fn run(&self) -> Result<String> {
        match &self.command {
            None => self.build(),
            Some(_) if self.open => {
                Err(Error::Other("--open goes with a build, and not with another command".into()))
            }
            Some(Command::Figures { folder }) => {
                let count = write_figures(&self.scene()?, folder)?;
                Ok(format!("{count} figures written to {}\n", folder.display()))
            }
            Some(Command::List { figures }) => list(&self.scene()?, figures),
            Some(Command::Preprocess { question: None }) => self.preprocess(),
            // What we write is HTML.
            Some(Command::Preprocess { question: Some(Question::Supports { renderer }) }) => {
                if renderer == "html" { Ok(String::new()) } else { Err(Error::Unsupported) }
            }
        }
    }

    fn build(&self) -> Result<String> {
        let waiting = || eprintln!("Another build of this book is going on; waiting for it to end.");
        let root = self.root()?;
        let built = build(&root, self.scene.as_deref(), waiting)?;
        warn(&built.warnings);
        warn_of_stale_modules(&root);
        if self.open {
            open(&built.index)?;
        }
        Ok(format!(
            "{} chapters and {} figures, built in {:.1} s (figures drawn in {:.0} ms)\n{}\n",
            built.chapters,
            built.figures,
            built.total.as_secs_f64(),
            built.drawing.as_secs_f64() * 1000.0,
            built.index.display(),
        ))
    }

    /// mdBook's protocol for preprocessors, on the standard streams.
    fn preprocess(&self) -> Result<String> {
        let input = std::io::stdin();
        if input.is_terminal() {
            return Err(Error::Other(
                "this command is for `mdbook build`, which sends it the book; to build the book, leave it out"
                    .into(),
            ));
        }
        let other = |error| Error::Other(format!("preprocessing for mdBook: {error:#}"));
        let (context, mut book) = mdbook_preprocessor::parse_input(input.lock()).map_err(other)?;
        let scene = scene(self.scene.as_deref(), &context.root, &context.config)?;
        let expanded = expand(&mut book, &scene, &context.root, &context.config)?;
        warn(&expanded.warnings);
        illustrate(&mut book, &expanded.pictures);
        serde_json::to_string(&book).map_err(|error| other(error.into()))
    }

    fn root(&self) -> Result<PathBuf> {
        if let Some(root) = &self.root {
            return Ok(root.clone());
        }
        let here = std::env::current_dir()
            .map_err(Error::file(Path::new("."), "the current folder cannot be found"))?;
        find_root(&here).map(Path::to_owned).ok_or_else(|| {
            Error::Other(format!(
                "there is no book.toml in {} or above it; run this in the book's folder, or name that with --root",
                here.display()
            ))
        })
    }

    /// The scene for a command that can do without a book.
    fn scene(&self) -> Result<Scene> {
        match self.root() {
            Ok(root) => scene(self.scene.as_deref(), &root, &configuration(&root)?),
            Err(_) => Ok(self.scene.as_deref().map(Scene::load).transpose()?.unwrap_or_default()),
        }
    }
}

/// Says what a text says and its scene does not show.
fn warn(warnings: &[Fault]) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// Says so if the live modules are older than the figures that the program has drawn.
fn warn_of_stale_modules(root: &Path) {
    let folder = fingerprint::folder(root);
    let chapters = figures::CHAPTERS.iter().map(|chapter| chapter.name);
    let stale = fingerprint::stale(env!("FIGURES_FINGERPRINT"), &folder, chapters);
    // A book that has no modules at all is one without live figures.
    if !stale.is_empty() && folder.exists() {
        eprintln!(
            "warning: live modules older than the figures ({}): `{}` builds them anew",
            stale.join(", "),
            fingerprint::COMMAND
        );
    }
}

/// Everything an author can show or quote of some figures, or of all.
fn list(scene: &Scene, names: &[String]) -> Result<String> {
    let found = |name: &String| figures::figure(name).map_err(|error| Error::Other(said(&error)));
    let mut figures: Vec<_> = names.iter().map(found).collect::<Result<_>>()?;
    if figures.is_empty() {
        figures = figures::all().collect();
    }
    let mut text = String::new();
    for figure in figures {
        let drawing = figure
            .draw(scene, &Params::new(), Size::Wide)
            .map_err(|source| Error::Figure { id: figure.id, source })?;
        let controls: Vec<_> = figure.controls(scene).iter().map(describe).collect();
        let findings: Vec<_> =
            drawing.facts.iter().map(|fact| format!("{} = {}", fact.name, fact.cell)).collect();
        let rows: Vec<_> = drawing.table.rows.iter().map(|row| quoted(&row.name)).collect();
        let columns: Vec<_> = drawing.table.columns.iter().map(|column| quoted(column)).collect();
        text += &format!("{}: {}\n", figure.id, figure.title);
        for (heading, entries) in
            [("controls", controls), ("findings", findings), ("rows", rows), ("columns", columns)]
        {
            if !entries.is_empty() {
                text += &format!("  {heading:<10}{}\n", entries.join("; "));
            }
        }
        text.push('\n');
    }
    text += "In a chapter: {{#figure ID}}, {{#ref ID}}, {{#value ID FINDING}}, {{#value ID ROW COLUMN}}; after any of\n\
             figure and value, CONTROL=VALUE.\n";
    Ok(text)
}

/// A control as an author sets it.
fn describe(control: &Control) -> String {
    let values = match &control.kind {
        Kind::Toggle { .. } => "on or off".to_owned(),
        Kind::Choice { options, .. } => {
            options.iter().map(|option| option.value.as_str()).collect::<Vec<_>>().join(", ")
        }
        Kind::Slider { min, max, .. } => format!("{min} to {max}"),
        Kind::Point { x, y, .. } => {
            format!("x,y: x from {} to {}, y from {} to {}", x[0], x[1], y[0], y[1])
        }
    };
    format!("{}={} ({values})", control.name, control.default())
}

/// A name as a directive takes it.
fn quoted(name: &str) -> String {
    shlex::try_quote(name).map_or_else(|_| name.to_owned(), |name| name.into_owned())
}

/// Shows a page with the program that the system has for it.
fn open(page: &Path) -> Result<()> {
    open::that(page).map_err(|_| {
        let tried = open::commands(page);
        let tried: Vec<_> =
            tried.iter().map(|command| format!("`{}`", command.get_program().display())).collect();
        Error::Other(format!(
            "the book is built, but no program opened it (tried {}); open it yourself: {}",
            tried.join(", "),
            page.display()
        ))
    })
}
