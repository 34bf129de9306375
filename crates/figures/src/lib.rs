//! The pictures of the book.
//!
//! A figure is made from a [`Scene`] and its parameters in three steps: its numbers are measured, they are described,
//! and they are pictured, which gives a [`Drawing`]; and it is one entry in [`CHAPTERS`]. Everything else about it follows
//! from these: the picture in the page, the file to download, the table behind it, the sentences that say what is to be
//! seen, the controls, the tests.
//!
//! ```
//! use figures::{Params, Scene, Size, figure};
//!
//! let scene = Scene::default();
//! let threads = figure("threads").expect("listed in the registry");
//! let drawing = threads.draw(&scene, &Params::new(), Size::Wide)?;
//! assert!(drawing.svg.starts_with("<svg"));
//! assert_eq!(drawing.table.cell("cat", "weight")?.value(), drawing.fact("top-weight")?.value());
//! # Ok::<(), figures::Error>(())
//! ```

mod canvas;
mod chart;
mod colour;
mod control;
mod drawing;
mod error;
mod figure;
mod gallery;
pub mod html;
mod labels;
mod minilm;
mod numbers;
mod parts;
mod scene;
#[cfg(feature = "toml")]
mod scene_file;
#[cfg(feature = "toml")]
mod scene_text;
mod survey;
mod svg;
mod text;

pub use canvas::Size;
pub use colour::{Role, tile_colour};
pub use control::{Control, Kind, Params, Preset, Value, params};
pub use drawing::{Cell, Drawing, Fact, Row, Table};
pub use error::{Error, Result};
pub use figure::Figure;
pub use gallery::{CHAPTERS, Chapter, all, figure};
pub use scene::{Scene, SceneError, Token};
pub use text::width as text_width;
