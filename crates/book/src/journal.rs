//! What mdBook and KaTeX complain about. They log a warning and go on, and the book has a hole; here each
//! warning stops the build.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};

use tracing::dispatcher::{Dispatch, set_global_default};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A warning or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// What was said.
    pub message: String,
    /// The formula it was said about: KaTeX works on each in a span that carries it.
    pub formula: Option<String>,
}

/// Runs `work` and returns what was complained about meanwhile, in any thread. One at a time: threads of KaTeX's
/// serve whoever comes.
///
/// It needs the process's global subscriber of `tracing`; if another one is set, that one gets the complaints.
pub fn listen<T>(work: impl FnOnce() -> T) -> (T, Vec<Complaint>) {
    static ONE: Mutex<()> = Mutex::new(());
    static SET: Once = Once::new();
    let _one = lock(&ONE);
    SET.call_once(|| drop(set_global_default(Dispatch::new(JOURNAL.clone()))));
    lock(&JOURNAL.complaints).clear();
    let result = work();
    (result, std::mem::take(&mut *lock(&JOURNAL.complaints)))
}

static JOURNAL: LazyLock<Arc<Journal>> = LazyLock::new(Arc::default);

thread_local! {
    /// The spans that this thread is in, the innermost last.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

#[derive(Default)]
struct Journal {
    complaints: Mutex<Vec<Complaint>>,
    /// The formulas of the spans that are open.
    formulas: Mutex<HashMap<u64, String>>,
    spans: AtomicU64,
}

impl Subscriber for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let known = metadata.target().starts_with("mdbook");
        known
            && if metadata.is_span() {
                metadata.fields().field("item").is_some()
            } else {
                *metadata.level() <= Level::WARN
            }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        // The spans with the formulas.
        Some(LevelFilter::INFO)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.spans.fetch_add(1, Ordering::Relaxed) + 1;
        let mut item = Text::new("item");
        span.record(&mut item);
        lock(&self.formulas).insert(id, item.text);
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Text::new("message");
        event.record(&mut message);
        let span = ENTERED.with_borrow(|entered| entered.last().copied());
        let formula = span.and_then(|id| lock(&self.formulas).get(&id).cloned());
        lock(&self.complaints).push(Complaint { message: message.text, formula });
    }

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.retain(|&id| id != span.into_u64()));
    }

    fn try_close(&self, span: Id) -> bool {
        lock(&self.formulas).remove(&span.into_u64()).is_some()
    }
}

/// Picks one field of an event or span as text.
struct Text {
    field: &'static str,
    text: String,
}

impl Text {
    fn new(field: &'static str) -> Self {
        Text { field, text: String::new() }
    }
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == self.field {
            self.text = value.to_owned();
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == self.field {
            self.text = format!("{value:?}");
        }
    }
}

/// The lock of a mutex, whatever happened to the one who had it before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
