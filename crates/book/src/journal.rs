//! What mdBook complains about: a tag that is not closed, a note that nobody refers to. It logs a warning and goes on, and
//! the book has a hole; here each warning stops the build.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use mdbook_driver::errors::Result as MdbookResult;
use tracing::field::Field;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::fault::{Error, Fault, Faults, Result};

/// Has mdBook do something, and takes its warnings for faults.
///
/// # Errors
///
/// [`Error::Other`] if mdBook gives up, [`Error::Faults`] if it warns.
pub fn heed<T>(work: impl FnOnce() -> MdbookResult<T>) -> Result<T> {
    let warnings = Warnings::default();
    let subscriber = tracing_subscriber::registry()
        .with(Targets::new().with_target("mdbook", Level::WARN))
        .with(warnings.clone());
    let result = tracing::subscriber::with_default(subscriber, work);
    let result = result.map_err(|error| Error::Other(format!("mdBook: {error:#}")))?;
    let faults = std::mem::take(&mut *warnings.0.lock().unwrap_or_else(PoisonError::into_inner));
    if faults.is_empty() { Ok(result) } else { Err(Faults(faults).into()) }
}

/// The warnings so far.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<Fault>>>);

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut what = String::from("mdBook: ");
        event.record(&mut |field: &Field, value: &dyn Debug| {
            if field.name() == "message" {
                what += format!("{value:?}").trim();
            }
        });
        let fault = Fault { place: None, what: what.replace('\n', " ") };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }
}
