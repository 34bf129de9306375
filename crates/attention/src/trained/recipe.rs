//! What a training was told: the numbers that it ran with, and that the book quotes.

/// How a model is trained: with AdamW, on `batch` sequences a step, at a rate that rises over the first steps and then stays,
/// or sinks along half a cosine. In the end, weights are rounded.
///
/// `crates/train` trains by it.
///
/// Source: AdamW is that of Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization", algorithm 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// How many steps are taken, if nobody says otherwise.
    pub steps: usize,
    /// Sequences in a step.
    pub batch: usize,
    /// The learning rate, once the warm-up is over.
    pub rate: f64,
    /// Over so many steps the learning rate rises to that, in a straight line.
    pub warm_up: usize,
    /// What share of the learning rate is left at the last step; 1 if it stays.
    pub last: f64,
    /// How much of the mean gradient stays from one step to the next.
    pub beta1: f64,
    /// The same for the mean of the gradient's square.
    pub beta2: f64,
    /// Weight decay: at each step a weight loses this times the learning rate of itself.
    pub weight_decay: f64,
    /// What weights are multiples of in the end. They need few digits then, and a file with them compresses well.
    pub grid: f64,
}

impl Recipe {
    /// By this [`AttentionOnly::trained`](crate::AttentionOnly::trained) was trained.
    ///
    /// With a third of the rate, the jump comes after two to three times as many steps. One multiple of the grid is a tenth
    /// of a typical weight.
    pub const INDUCTION: Self = Self {
        steps: 750,
        batch: 32,
        rate: 8e-3,
        warm_up: 50,
        last: 1.0,
        beta1: 0.9,
        beta2: 0.98,
        weight_decay: 0.01,
        grid: 1.0 / 32.0,
    };

    /// By this the networks were trained that read the small language.
    // ANCHOR: reading
    pub const READING: Self = Self {
        steps: 1500,
        batch: 64,
        last: 0.1,
        weight_decay: 0.1,
        ..Self::INDUCTION
    };
    // ANCHOR_END: reading

    /// The learning rate of a step, counted from 0.
    ///
    /// ```
    /// use attention::trained::Recipe;
    ///
    /// let it = Recipe { rate: 0.5, warm_up: 4, ..Recipe::INDUCTION };
    /// assert_eq!([0, 1, 2, 3, 4, 5].map(|step| it.rate_at(step)), [0.125, 0.25, 0.375, 0.5, 0.5, 0.5]);
    /// ```
    pub fn rate_at(&self, step: usize) -> f64 {
        let risen = ((step as f64 + 1.0) / self.warm_up as f64).min(1.0);
        let turn = std::f64::consts::PI * step as f64 / self.steps as f64;
        let left =
            self.last + (1.0 - self.last) * (1.0 + libm::cos(turn)) / 2.0;
        self.rate * risen * left
    }
}
