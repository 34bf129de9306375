//! 7.3: what was measured while the model was trained.

use crate::error::{Error, Result};
use crate::study::metrics::Metrics;

/// What was measured while a model was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingLog {
    /// After how many steps, and what.
    pub rows: Vec<(usize, Metrics)>,
}

impl TrainingLog {
    /// How [`AttentionOnly::trained`](crate::AttentionOnly::trained) came to be. Its last row is of the rounded weights.
    ///
    /// ```
    /// use attention::trained::TrainingLog;
    ///
    /// let log = TrainingLog::two_layers();
    /// let (step, first) = &log.rows[0];
    /// assert_eq!(*step, 0);
    /// assert!(first.accuracy < 0.1); // it knows nothing
    /// assert!(log.rows.last().unwrap().1.accuracy > 0.99);
    /// ```
    pub fn two_layers() -> Self {
        Self::parse(include_str!("model/log.csv")).expect("a test reads it")
    }

    /// How a model with one layer fares, trained in the same way, but for longer: it never learns this.
    ///
    /// ```
    /// use attention::trained::TrainingLog;
    ///
    /// let log = TrainingLog::one_layer();
    /// assert!(log.rows.iter().all(|(_, growth)| growth.accuracy < 0.5));
    /// ```
    pub fn one_layer() -> Self {
        Self::parse(include_str!("model/log-one-layer.csv"))
            .expect("a test reads it")
    }

    /// The first step after which the accuracy is above one half, if there is one.
    ///
    /// ```
    /// use attention::trained::TrainingLog;
    ///
    /// assert!(TrainingLog::two_layers().jump().is_some());
    /// assert_eq!(TrainingLog::one_layer().jump(), None);
    /// ```
    pub fn jump(&self) -> Option<usize> {
        let above = |(_, growth): &&(usize, Metrics)| growth.accuracy > 0.5;
        self.rows.iter().find(above).map(|(step, _)| *step)
    }

    /// The log as lines of numbers with commas between them, below a line of names. Scores are called
    /// `previous 0.1` for layer 0, head 1, and so on.
    ///
    /// ```
    /// use attention::trained::TrainingLog;
    ///
    /// let log = TrainingLog::two_layers();
    /// assert!(log.to_csv().starts_with("step,loss first,loss repeated,accuracy,previous 0.0,"));
    /// assert_eq!(TrainingLog::parse(&log.to_csv())?, log);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn to_csv(&self) -> String {
        let heads: Vec<usize> =
            self.rows.first().map_or(Vec::new(), |(_, growth)| {
                growth.previous.iter().map(Vec::len).collect()
            });
        let mut csv = header(&heads);
        for (step, growth) in &self.rows {
            csv += &format!("\n{step}");
            for number in growth.numbers() {
                csv += &format!(",{number:.4}");
            }
        }
        csv + "\n"
    }

    /// The log in what [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it has other columns, or a line in it is damaged.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::trained::TrainingLog;
    ///
    /// let error = TrainingLog::parse("step,loss\n").unwrap_err();
    /// assert!(error.to_string().starts_with("csv: came with `step,loss` in line 1"));
    /// ```
    pub fn parse(csv: &str) -> Result<Self> {
        let fault = |line: usize, text: &str, needed: &str| Error::File {
            argument: "csv",
            came: format!("`{text}` in line {}", line + 1),
            needed: needed.to_owned(),
        };
        // Some editors put a byte order mark before a text.
        let csv = csv.strip_prefix('\u{feff}').unwrap_or(csv);
        let mut lines = csv.lines().enumerate();
        let (_, names) = lines.next().unwrap_or_default();
        let heads = heads_in(names);
        if names != header(&heads) {
            return Err(fault(0, names, "the columns of a log"));
        }
        let row = |(line, text): (usize, &str)| {
            let row = row(text, &heads);
            row.ok_or_else(|| fault(line, text, "a number in each column"))
        };
        Ok(Self { rows: lines.map(row).collect::<Result<_>>()? })
    }
}

/// The first line of a log, if each layer has so many heads.
fn header(heads: &[usize]) -> String {
    format!("step,{}", Metrics::names(heads).join(","))
}

/// How many heads each layer has, if this is the first line of a log.
fn heads_in(header: &str) -> Vec<usize> {
    let of_layer = |layer| {
        let name = format!(",previous {layer}.");
        header.matches(&name).count()
    };
    (0..).map(of_layer).take_while(|&heads| heads > 0).collect()
}

/// What a line of a log says.
fn row(line: &str, heads: &[usize]) -> Option<(usize, Metrics)> {
    let (step, numbers) = line.split_once(',')?;
    let numbers = numbers.split(',').map(|number| number.parse().ok());
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    if numbers.len() != Metrics::names(heads).len() {
        return None;
    }
    Some((step.parse().ok()?, Metrics::from_numbers(&numbers, heads)))
}
