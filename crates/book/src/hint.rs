//! Names nearly right.

use std::iter;

/// ` Did you mean …?` with the one of the `known` names that `name` is nearest to; nothing if it is near to none.
///
/// ```
/// use book::hint::did_you_mean;
///
/// assert_eq!(did_you_mean("thread", ["threads", "matrix"]), ". Did you mean `threads`?");
/// assert_eq!(did_you_mean("Top_Share", ["top", "top-share"]), ". Did you mean `top-share`?");
/// assert_eq!(did_you_mean("colour", ["threads", "matrix"]), "");
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], " ");
    let wanted = plain(name);
    let distance = |known: &&str| {
        let known = plain(known);
        (strsim::osa_distance(&wanted, &known), !known.starts_with(&wanted))
    };
    // A third of a name may be wrong; or what is there is its beginning.
    let near = |known: &&str| {
        let known = plain(known);
        let length = wanted.chars().count().max(known.chars().count());
        let begins = wanted.chars().count() > 2 && known.starts_with(&wanted);
        begins || strsim::osa_distance(&wanted, &known) <= (length / 3).max(1).min(length.saturating_sub(1))
    };
    let nearest = known.into_iter().filter(near).min_by_key(distance);
    nearest.map_or_else(String::new, |nearest| format!(". Did you mean `{nearest}`?"))
}

/// What is wrong in a figure, with the name that was perhaps meant.
///
/// ```
/// let error = figures::figure("matrx").unwrap_err();
/// assert!(book::hint::said(&error).ends_with(". Did you mean `matrix`?"));
/// ```
pub fn said(error: &figures::Error) -> String {
    let (name, known) = match error {
        figures::Error::Unknown { name, known, .. } => (name, known),
        figures::Error::Parameter { value, needed, .. } => (value, needed),
        _ => return error.to_string(),
    };
    // Both list what there is between backticks.
    let mut parts = known.split('`');
    let known = iter::from_fn(|| parts.nth(1));
    format!("{error}{}", did_you_mean(name, known))
}
