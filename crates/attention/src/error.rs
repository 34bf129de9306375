//! What can go wrong: always an argument, what came, and what was needed.

use ndarray::{ArrayRef1, ArrayRef2};

/// A call that cannot be answered, and which argument is to blame.
///
/// ```
/// use attention::{Error, Scale, scores};
/// use ndarray::Array2;
///
/// let queries = Array2::zeros((5, 2));
/// let keys = Array2::zeros((7, 3));
/// let error = scores(&queries, &keys, Scale::ByRootDk).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "keys: came as [7, 3], needed [T_k, 2] to match queries [5, 2]"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An array has the wrong shape.
    #[error("{argument}: came as {came}, needed {needed}")]
    Shape {
        /// The argument's name in the signature.
        argument: &'static str,
        /// Its shape, as `[rows, columns]`, or as `[length]`.
        came: String,
        /// The shape it should have, and what it has to match.
        needed: String,
    },

    /// A list has nothing in it.
    #[error("{argument}: came empty, needed at least one")]
    Empty {
        /// The argument's name in the signature.
        argument: &'static str,
    },

    /// A count is too small.
    #[error("{argument}: came as {came}, needed at least {needed}")]
    TooSmall {
        /// The argument's name in the signature.
        argument: &'static str,
        /// The count that came.
        came: usize,
        /// The smallest count that has an answer.
        needed: usize,
    },

    /// A number is not among those that have an answer.
    #[error("{argument}: came as {came}, needed {needed}")]
    Number {
        /// The argument's name in the signature.
        argument: &'static str,
        /// The number that came.
        came: usize,
        /// Which numbers have an answer.
        needed: String,
    },

    /// A file is damaged, or was made for something else.
    #[error("{argument}: came with {came}, needed {needed}")]
    File {
        /// The argument's name in the signature.
        argument: &'static str,
        /// What is found in it, and where.
        came: String,
        /// What should be there.
        needed: String,
    },
}

/// What a function of this crate returns when it can be called wrongly.
pub type Result<T> = std::result::Result<T, Error>;

/// A shape in the book's notation: `[7, 2]`.
pub(crate) fn shape<A>(array: &ArrayRef2<A>) -> String {
    format!("[{}, {}]", array.nrows(), array.ncols())
}

/// `Ok` if `fits`; otherwise the error that names the argument, its shape, and what was needed.
pub(crate) fn need<A>(
    fits: bool,
    argument: &'static str,
    array: &ArrayRef2<A>,
    needed: impl FnOnce() -> String,
) -> Result<()> {
    if fits {
        return Ok(());
    }
    Err(Error::Shape { argument, came: shape(array), needed: needed() })
}

/// `Ok` if a count is at least 1.
pub(crate) fn need_one(argument: &'static str, came: usize) -> Result<()> {
    if came >= 1 {
        return Ok(());
    }
    Err(Error::TooSmall { argument, came, needed: 1 })
}

/// `Ok` if a number is not above the largest that has an answer.
pub(crate) fn need_at_most(
    argument: &'static str,
    came: usize,
    largest: usize,
) -> Result<()> {
    if came <= largest {
        return Ok(());
    }
    let needed = format!("at most {largest}");
    Err(Error::Number { argument, came, needed })
}

/// An array has at most so many numbers: a gibibyte of them.
const ROOM: usize = 1 << 27;

/// `Ok` if an array has room for so many, each with `each` numbers.
pub(crate) fn need_room(
    argument: &'static str,
    came: usize,
    each: usize,
) -> Result<()> {
    need_at_most(argument, came, ROOM / each.max(1))
}

/// `Ok` if an array has room for so many rows, and as many columns.
pub(crate) fn need_room_squared(
    argument: &'static str,
    came: usize,
) -> Result<()> {
    need_at_most(argument, came, ROOM.isqrt())
}

/// How often `came` goes into `whole`, if it does so without rest.
pub(crate) fn need_divisor(
    argument: &'static str,
    came: usize,
    whole: usize,
) -> Result<usize> {
    need_one(argument, came)?;
    if whole.is_multiple_of(came) {
        return Ok(whole / came);
    }
    let needed = format!("a divisor of {whole}");
    Err(Error::Number { argument, came, needed })
}

/// `Ok` if a vector has one number for each of so many things.
pub(crate) fn need_length(
    argument: &'static str,
    vector: &ArrayRef1<f64>,
    length: usize,
    things: &str,
) -> Result<()> {
    if vector.len() == length {
        return Ok(());
    }
    let came = format!("[{}]", vector.len());
    let needed = format!("[{length}] for {things}");
    Err(Error::Shape { argument, came, needed })
}

/// `Ok` if a vector has one number for each column of a matrix.
pub(crate) fn need_features(
    argument: &'static str,
    vector: &ArrayRef1<f64>,
    name: &str,
    matrix: &ArrayRef2<f64>,
) -> Result<()> {
    let columns = format!("the columns of {name} {}", shape(matrix));
    need_length(argument, vector, matrix.ncols(), &columns)
}

/// `Ok` if there is one for each of so many things.
pub(crate) fn need_count(
    argument: &'static str,
    came: usize,
    needed: usize,
    thing: &str,
) -> Result<()> {
    if came == needed {
        return Ok(());
    }
    let needed = format!("{needed}, one for each {thing}");
    Err(Error::Number { argument, came, needed })
}

/// Half of a number, if it is even.
pub(crate) fn need_even(argument: &'static str, came: usize) -> Result<usize> {
    if came.is_multiple_of(2) {
        return Ok(came / 2);
    }
    let needed = "an even number".into();
    Err(Error::Number { argument, came, needed })
}

/// `Ok` if there is something of that number, counted from 0, among `count`.
pub(crate) fn need_below(
    argument: &'static str,
    came: usize,
    count: usize,
) -> Result<()> {
    if came < count {
        return Ok(());
    }
    let needed = format!("less than {count}");
    Err(Error::Number { argument, came, needed })
}

/// `Ok` if there is a sequence, of at most `length` symbols, and each is in the alphabet.
pub(crate) fn need_symbols(
    sequence: &[usize],
    alphabet: usize,
    length: usize,
) -> Result<()> {
    if sequence.is_empty() {
        return Err(Error::Empty { argument: "sequence" });
    }
    need_at_most("sequence.len()", sequence.len(), length)?;
    let largest = alphabet - 1;
    sequence.iter().try_for_each(|&symbol| {
        need_at_most("symbol in sequence", symbol, largest)
    })
}
