//! 7.3: the same training from other random numbers.

use crate::error::{Error, Result};
use crate::study::ablation::Ablations;
use crate::study::metrics::Metrics;

/// What came of a training by [`Recipe::INDUCTION`](crate::trained::Recipe::INDUCTION), from one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Seed {
    /// What first weights and sequences were drawn from.
    pub seed: u64,
    /// The [jump](crate::trained::TrainingLog::jump), if it came.
    pub jump: Option<usize>,
    /// The accuracy of a model with one layer, trained from the same seed for as many steps.
    pub one_layer: f64,
    /// What was measured in the end.
    pub metrics: Metrics,
    /// What was left with each head switched off.
    pub ablations: Ablations,
}

/// How many heads each layer has.
const HEADS: [usize; 2] = [2, 2];

/// The first of the symbols, as a letter.
const A: u8 = b'A';

impl Seed {
    /// All that were tried for the book, in the order of their seeds, good and bad. The model of the book,
    /// [`AttentionOnly::trained`](crate::AttentionOnly::trained), is that of seed 14.
    ///
    /// `cargo run --release -p train -- seeds` trains them and writes the file that this is read from.
    ///
    /// ```
    /// use attention::trained::Seed;
    ///
    /// let tried = Seed::tried();
    /// assert_eq!(tried.iter().map(|it| it.seed).collect::<Vec<_>>(), Vec::from_iter(1..=14));
    /// assert!(tried[13].metrics.accuracy > 0.99);
    /// ```
    pub fn tried() -> Vec<Self> {
        Self::parse(include_str!("model/seeds.csv")).expect("a test reads it")
    }

    /// These as lines of numbers with commas between them, below a line of names. `zero 0.1` is the accuracy with layer 0,
    /// head 1 set to 0, `mean 0.1` that with its output set to its mean; `kept 1.0` the letters that are still predicted
    /// with layer 1, head 0 set to 0. Where no jump came, nothing stands.
    ///
    /// ```
    /// use attention::trained::Seed;
    ///
    /// let csv = Seed::to_csv(&Seed::tried());
    /// assert!(csv.starts_with("seed,jump,one layer,loss first,"));
    /// assert_eq!(Seed::parse(&csv)?, Seed::tried());
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn to_csv(seeds: &[Self]) -> String {
        let mut csv = names();
        for Self { seed, jump, one_layer, metrics, ablations } in seeds {
            let jump = jump.map_or(String::new(), |step| step.to_string());
            csv += &format!("\n{seed},{jump},{one_layer:.4}");
            let Ablations { zero, mean, kept } = ablations;
            for number in metrics
                .numbers()
                .iter()
                .chain(zero.iter().chain(mean).flatten())
            {
                csv += &format!(",{number:.4}");
            }
            for symbols in kept {
                csv.push(',');
                csv.extend(
                    symbols.iter().map(|&symbol| {
                        char::from(A.wrapping_add(symbol as u8))
                    }),
                );
            }
        }
        csv + "\n"
    }

    /// What [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it has other columns, or a line in it is damaged.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::trained::Seed;
    ///
    /// let error = Seed::parse("seed,jump\n").unwrap_err();
    /// assert!(error.to_string().starts_with("csv: came with `seed,jump` in line 1"));
    /// ```
    pub fn parse(csv: &str) -> Result<Vec<Self>> {
        let fault = |line: usize, text: &str, needed: &str| Error::File {
            argument: "csv",
            came: format!("`{text}` in line {}", line + 1),
            needed: needed.to_owned(),
        };
        let mut lines = csv.lines().enumerate();
        let (_, head) = lines.next().unwrap_or_default();
        if head != names() {
            return Err(fault(0, head, "the columns of a table of seeds"));
        }
        let read = |(line, text): (usize, &str)| {
            row(text).ok_or_else(|| {
                fault(line, text, "what its column names in each place")
            })
        };
        lines.map(read).collect()
    }
}

/// The first line of the table.
fn names() -> String {
    let mut names = vec!["seed,jump,one layer".to_owned()];
    names.extend(Metrics::names(&HEADS));
    for how in ["zero", "mean"] {
        for (layer, &heads) in HEADS.iter().enumerate() {
            names
                .extend((0..heads).map(|head| format!("{how} {layer}.{head}")));
        }
    }
    names.extend((0..HEADS[1]).map(|head| format!("kept 1.{head}")));
    names.join(",")
}

/// What a line of the table says.
fn row(line: &str) -> Option<Seed> {
    let mut cells = line.split(',');
    let seed = cells.next()?.parse().ok()?;
    let jump = match cells.next()? {
        "" => None,
        step => Some(step.parse().ok()?),
    };
    let mut numbers = |count: usize| -> Option<Vec<f64>> {
        (0..count).map(|_| cells.next()?.parse().ok()).collect()
    };
    let one_layer = numbers(1)?[0];
    let metrics =
        Metrics::from_numbers(&numbers(Metrics::names(&HEADS).len())?, &HEADS);
    let mut by_head =
        || HEADS.iter().map(|&heads| numbers(heads)).collect::<Option<_>>();
    let (zero, mean) = (by_head()?, by_head()?);
    let letters = |cell: &str| {
        let symbol = |letter: u8| {
            letter.is_ascii_uppercase().then(|| usize::from(letter - A))
        };
        cell.bytes().map(symbol).collect::<Option<_>>()
    };
    let kept =
        (0..HEADS[1]).map(|_| letters(cells.next()?)).collect::<Option<_>>()?;
    let rest = cells.next();
    rest.is_none().then_some(Seed {
        seed,
        jump,
        one_layer,
        metrics,
        ablations: Ablations { zero, mean, kept },
    })
}
