//! Opening: who waits for whom, and how far a word's influence has to travel.
//!
//! Both are counted on the graph itself: which operation reads what. Nothing here is a formula for
//! the result.

use std::ops::Range;

/// One operation, which makes one token's output: a recurrent step, or one token's look-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The inputs it reads: a run of neighbours, such as `0..7` for a whole sentence.
    pub inputs: Range<usize>,
    /// The operations whose results it reads. They all come earlier in the list.
    pub operations: Vec<usize>,
}

/// Which operation reads what, in one layer over a sentence: a directed graph without cycles.
///
/// # How we count
///
/// - There is one input for each token, and one operation for each token. Inputs are given and cost
///   nothing.
/// - Every operation counts as one, however much it reads. (A look-up's weighted mean over T values is
///   more work than a recurrent step, but none of it waits for another token's output.) Operations
///   that wait for one another are one thing, the steps of a path another: a chain of 7 tokens makes
///   7 operations, and 6 steps lead from its first token to its last.
/// - A step of a path leads from one token's place to another's: from a token's input into another
///   token's operation, or from one operation into the next. What a token's own operation reads of
///   its own input has not moved, and takes no step.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", table 1: sequential operations O(n) and
/// O(1), maximum path length O(n) and O(1) for recurrence and self-attention.
///
/// ```
/// use attention::study::Dependencies;
///
/// let chain = Dependencies::recurrent(7);
/// assert_eq!((chain.sequential_operations(), chain.longest_path()), (7, 6));
/// let look_ups = Dependencies::attention(7);
/// assert_eq!((look_ups.sequential_operations(), look_ups.longest_path()), (1, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependencies {
    tokens: usize,
    operations: Vec<Operation>,
}

impl Dependencies {
    /// A recurrent network: step t reads its input, and the state that step t − 1 left.
    ///
    /// # Panics
    ///
    /// If there is no memory for so many operations.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::Dependencies;
    ///
    /// let chain = Dependencies::recurrent(3);
    /// assert_eq!(chain.operations()[0].operations, []);
    /// assert_eq!(chain.operations()[2].operations, [1]);
    /// assert_eq!(chain.operations()[2].inputs, 2..3);
    /// ```
    pub fn recurrent(tokens: usize) -> Self {
        let step = |t: usize| {
            let before = t.checked_sub(1); // the first step has none
            Operation {
                inputs: t..t + 1,
                operations: before.into_iter().collect(),
            }
        };
        Self { tokens, operations: (0..tokens).map(step).collect() }
    }

    /// Self-attention: each token's look-up reads every input, its own among them, and nobody's
    /// result.
    ///
    /// # Panics
    ///
    /// If there is no memory for so many operations.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::Dependencies;
    ///
    /// let look_ups = Dependencies::attention(3);
    /// assert_eq!(look_ups.operations()[2].operations, []);
    /// assert_eq!(look_ups.operations()[2].inputs, 0..3);
    /// ```
    pub fn attention(tokens: usize) -> Self {
        let look_up = |_| Operation { inputs: 0..tokens, operations: vec![] };
        Self { tokens, operations: (0..tokens).map(look_up).collect() }
    }

    /// How many tokens, and so how many inputs, there are.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// The operations, one for each token, in its order.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// How many operations have to wait for one another, however many machines there are: the
    /// depth of the graph. 0 without tokens.
    ///
    /// ```
    /// use attention::study::Dependencies;
    /// assert_eq!(Dependencies::recurrent(100).sequential_operations(), 100);
    /// assert_eq!(Dependencies::attention(100).sequential_operations(), 1);
    /// ```
    pub fn sequential_operations(&self) -> usize {
        let mut done_at: Vec<usize> = Vec::new();
        for operation in &self.operations {
            // It starts when the last result that it reads is there.
            let start = operation
                .operations
                .iter()
                .map(|&earlier| done_at[earlier])
                .max();
            done_at.push(start.unwrap_or(0) + 1);
        }
        done_at.into_iter().max().unwrap_or(0)
    }

    /// The fewest steps from one token's input to each token's output, 0 to its own: `None` where
    /// the output cannot see the input at all.
    ///
    /// ```
    /// use attention::study::Dependencies;
    ///
    /// // The second of four words is read in its own place, and carried to the two that follow.
    /// let chain = Dependencies::recurrent(4);
    /// assert_eq!(chain.distances(1), [None, Some(0), Some(1), Some(2)]);
    /// ```
    pub fn distances(&self, input: usize) -> Vec<Option<usize>> {
        let mut distances: Vec<Option<usize>> = Vec::new();
        for (place, operation) in self.operations.iter().enumerate() {
            let reads = operation.inputs.contains(&input);
            let direct = reads.then_some(usize::from(place != input));
            let through = operation
                .operations
                .iter()
                .filter_map(|&earlier| distances[earlier]);
            let shortest =
                through.map(|distance| distance + 1).chain(direct).min();
            distances.push(shortest);
        }
        distances
    }

    /// The distance between the two tokens that are furthest apart: the largest of
    /// [`distances`](Self::distances) over all inputs and all outputs that see them. 0 with one
    /// token, or none.
    ///
    /// It looks at every pair, so it takes a time that grows with the square of the tokens.
    ///
    /// ```
    /// use attention::study::Dependencies;
    /// assert_eq!(Dependencies::recurrent(100).longest_path(), 99);
    /// assert_eq!(Dependencies::attention(100).longest_path(), 1);
    /// ```
    pub fn longest_path(&self) -> usize {
        let furthest =
            |input| self.distances(input).into_iter().flatten().max();
        (0..self.tokens).filter_map(furthest).max().unwrap_or(0)
    }
}
