//! 7.2: what predicting the next token takes in, and what it is to find.

/// Inputs and targets for predicting the next token: position i of the inputs predicts position i of
/// the targets, which is token i + 1.
///
/// T tokens give T − 1 pairs: the last token has no successor, and nothing precedes the first. Fewer
/// than two tokens give none.
///
/// # Example
///
/// ```
/// use attention::shift;
///
/// let (inputs, targets) = shift(&["The", "cat", "sat"]); // T = 3
/// assert_eq!(inputs, ["The", "cat"]);
/// assert_eq!(targets, ["cat", "sat"]);
/// ```
pub fn shift<Token>(tokens: &[Token]) -> (&[Token], &[Token]) {
    let pairs = tokens.len().saturating_sub(1);
    let inputs = &tokens[..pairs]; // all but the last
    let targets = &tokens[tokens.len() - pairs..]; // all but the first
    (inputs, targets)
}
