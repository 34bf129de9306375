//! 7.4: the Transformer block, a list of steps from state to state.

use ndarray::{Array2, ArrayRef2};

use crate::error::{Error, Result, need, shape};
use crate::heads::MultiHead;
use crate::mask::Mask;
use crate::mlp::Mlp;
use crate::norm::LayerNorm;

/// One step of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Keep x as it is, beside the path: here the residual branches off.
    Keep,
    /// LayerNorm, the one that goes with attention.
    FirstNorm,
    /// Attention: the only step in which tokens hear of each other.
    Attention,
    /// Add what was kept.
    Add,
    /// LayerNorm, the one that goes with the MLP.
    SecondNorm,
    /// The MLP, on each token alone.
    Mlp,
}

impl Step {
    /// The step in words, short enough for a box of a diagram.
    ///
    /// ```
    /// use attention::Step;
    /// assert_eq!(Step::Keep.name(), "keep x");
    /// assert_eq!(Step::SecondNorm.name(), Step::FirstNorm.name());
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Step::Keep => "keep x",
            Step::FirstNorm | Step::SecondNorm => "LayerNorm",
            Step::Attention => "attention",
            Step::Add => "add what was kept",
            Step::Mlp => "MLP",
        }
    }

    /// Whether a token's row, after this step, depends on other tokens' rows before it.
    ///
    /// ```
    /// use attention::{NormPlace, Step};
    ///
    /// let mixing = NormPlace::Pre.steps().into_iter().filter(|step| step.mixes_tokens());
    /// assert_eq!(mixing.collect::<Vec<_>>(), [Step::Attention]);
    /// ```
    pub fn mixes_tokens(self) -> bool {
        self == Step::Attention
    }
}

/// Where the norms of a block stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NormPlace {
    /// Before attention and before the MLP, beside the residual: pre-norm.
    Pre,
    /// After each addition, on the residual: post-norm.
    Post,
}

impl NormPlace {
    /// The steps of a block, in order. What a block computes is this list, and nothing else.
    ///
    /// - Pre: x + MHA(LN(x)), then x + MLP(LN(x)).
    /// - Post: LN(x + MHA(x)), then LN(x + MLP(x)).
    ///
    /// Source: post-norm Vaswani et al. 2017, "Attention Is All You Need", section 3.1; pre-norm Xiong
    /// et al. 2020, "On Layer Normalization in the Transformer Architecture", table 1.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{NormPlace, Step};
    ///
    /// // Pre-norm keeps x before it is normed: what is added later is the raw x.
    /// assert_eq!(NormPlace::Pre.steps()[..2], [Step::Keep, Step::FirstNorm]);
    /// // Post-norm ends with a norm: nothing passes around it.
    /// assert_eq!(NormPlace::Post.steps()[6..], [Step::Add, Step::SecondNorm]);
    /// ```
    #[rustfmt::skip]
    // ANCHOR: steps
    pub fn steps(self) -> [Step; 8] {
        use Step::*;
        match self {
            NormPlace::Pre => [
                Keep, FirstNorm, Attention, Add, // x + MHA(LN(x))
                Keep, SecondNorm, Mlp, Add,      // x + MLP(LN(x))
            ],
            NormPlace::Post => [
                Keep, Attention, Add, FirstNorm, // LN(x + MHA(x))
                Keep, Mlp, Add, SecondNorm,      // LN(x + MLP(x))
            ],
        }
    }
    // ANCHOR_END: steps
}

/// What there is between two steps.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The tokens on their way through the block. `[T, d]`
    pub x: Array2<f64>,
    /// The tokens as they were when the residual branched off, until it is added.
    /// `[T, d]`
    pub residual: Option<Array2<f64>>,
}

/// A Transformer block: attention and an MLP, each with a residual around it and a norm.
///
/// d features go in and d come out, so blocks can be put on top of each other: a [`Stack`].
///
/// [`Stack`]: crate::Stack
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.1 and figure 1 (the encoder; with
/// [`Mask::Causal`], a decoder without an encoder).
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Which list of steps it runs.
    pub norms: NormPlace,
    /// The norm that goes with attention.
    pub first_norm: LayerNorm,
    /// MHA: several heads, with biases.
    pub attention: MultiHead,
    /// The norm that goes with the MLP.
    pub second_norm: LayerNorm,
    /// Two layers, on each token alone.
    pub mlp: Mlp,
}

impl Block {
    /// The tokens after the last step. `x` `[T, d]` → `[T, d]`
    ///
    /// # Errors
    ///
    /// As for [`MultiHead::attend`], [`LayerNorm::apply`] and [`Mlp::apply`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Block, Mask, NormPlace};
    /// use attention::random::Normals;
    /// use ndarray::Axis;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let block = Block::xavier(NormPlace::Post, 8, 2, &mut normals)?; // d = 8, h = 2
    /// let y = block.forward(&normals.matrix(5, 8), &Mask::Causal)?; // [T = 5, d = 8]
    /// // Post-norm: each token comes out with mean 0.
    /// assert!(y.mean_axis(Axis(1)).unwrap().iter().all(|mean| mean.abs() < 1e-12));
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: forward
    pub fn forward(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Array2<f64>> {
        let mut state = State { x: x.to_owned(), residual: None };
        for step in self.norms.steps() {
            state = self.run_step(step, state, mask)?;
        }
        Ok(state.x) // [T, d]
    }
    // ANCHOR_END: forward

    /// As [`forward`](Self::forward), with everything on the way: the state before the first step, and
    /// the state after each. One more than there are steps.
    ///
    /// # Errors
    ///
    /// As for [`forward`](Self::forward).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Block, Mask, NormPlace, Step};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let block = Block::xavier(NormPlace::Pre, 8, 2, &mut normals)?; // d = 8, h = 2
    /// let x = normals.matrix(5, 8); // [T = 5, d = 8]
    /// let states = block.trace(&x, &Mask::Causal)?;
    ///
    /// // Step number i leads from state i to state i + 1. After "keep" and the norm, x is still there.
    /// assert_eq!((states.len(), NormPlace::Pre.steps()[1]), (9, Step::FirstNorm));
    /// assert_ne!(states[2].x, x);
    /// assert_eq!(states[2].residual, Some(x));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn trace(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Vec<State>> {
        let mut states = vec![State { x: x.to_owned(), residual: None }];
        for step in self.norms.steps() {
            let before = states[states.len() - 1].clone();
            states.push(self.run_step(step, before, mask)?);
        }
        Ok(states)
    }

    /// Where its heads look: each head's attention weights. `x` `[T, d]` → for each head `[T, T]`
    ///
    /// # Errors
    ///
    /// As for [`forward`](Self::forward).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::random::Normals;
    /// use attention::{Block, Mask, NormPlace};
    ///
    /// let mut normals = Normals::seeded(4);
    /// let block = Block::xavier(NormPlace::Pre, 8, 2, &mut normals)?; // d = 8, h = 2
    /// let x = normals.matrix(5, 8); // [T = 5, d = 8]
    /// let weights = block.weights(&x, &Mask::Causal)?; // h times [T, T]
    /// assert_eq!((weights.len(), weights[1].dim()), (2, (5, 5)));
    ///
    /// // In a pre-norm block, heads look at what the first norm has made.
    /// let normed = block.first_norm.apply(&x)?; // [T, d]
    /// let heads = block.attention.attend(&normed, &Mask::Causal)?.heads;
    /// assert_eq!(weights[1], heads[1].weights);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn weights(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Vec<Array2<f64>>> {
        let mut state = State { x: x.to_owned(), residual: None };
        let steps = self.norms.steps().into_iter();
        for step in steps.take_while(|step| *step != Step::Attention) {
            state = self.run_step(step, state, mask)?;
        }
        let heads = self.attention.attend(&state.x, mask)?.heads;
        Ok(heads.into_iter().map(|head| head.weights).collect()) // h times [T, T]
    }

    /// One step, from the state before it to the state after it.
    ///
    /// With another list of steps than [`NormPlace::steps`], it is another block.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is nothing kept that could be added, [`Error::Shape`] if it has another
    /// shape than `x`, and as for [`forward`](Self::forward).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Block, Mask, NormPlace, State, Step};
    /// use attention::random::Normals;
    ///
    /// let mut normals = Normals::seeded(4);
    /// let block = Block::xavier(NormPlace::Pre, 8, 2, &mut normals)?; // d = 8, h = 2
    /// let x = normals.matrix(5, 8); // [T = 5, d = 8]
    /// let state = State { x: x.clone(), residual: None };
    /// let state = block.run_step(Step::Keep, state, &Mask::None)?;
    /// let state = block.run_step(Step::Add, state, &Mask::None)?;
    /// assert_eq!(state, State { x: x * 2.0, residual: None });
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: run_step
    pub fn run_step(
        &self,
        step: Step,
        State { x, residual }: State,
        mask: &Mask,
    ) -> Result<State> {
        Ok(match step {
            Step::Keep => State { residual: Some(x.clone()), x },
            Step::FirstNorm => {
                State { x: self.first_norm.apply(&x)?, residual }
            }
            Step::Attention => {
                State { x: self.attention.attend(&x, mask)?.output, residual }
            }
            Step::Add => State { x: added(x, residual)?, residual: None },
            Step::SecondNorm => {
                State { x: self.second_norm.apply(&x)?, residual }
            }
            Step::Mlp => State { x: self.mlp.apply(&x)?, residual },
        })
    }
    // ANCHOR_END: run_step

    /// How many numbers there are to learn. [`block_parameters`](crate::study::block_parameters) says it by formula.
    ///
    /// ```
    /// use attention::{Block, NormPlace};
    /// use attention::random::Normals;
    /// use attention::study::block_parameters;
    ///
    /// let block = Block::xavier(NormPlace::Pre, 8, 2, &mut Normals::seeded(4))?; // d = 8, h = 2
    /// assert_eq!(block.parameters(), 12 * 64 + 13 * 8);
    /// assert_eq!(block.parameters(), block_parameters(8));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parameters(&self) -> usize {
        self.first_norm.parameters()
            + self.attention.parameters()
            + self.second_norm.parameters()
            + self.mlp.parameters()
    }
}

/// With what was kept, which has to be there, and to fit.
fn added(
    x: Array2<f64>, // [T, d]
    residual: Option<Array2<f64>>,
) -> Result<Array2<f64>> {
    let kept = residual.ok_or(Error::Empty { argument: "state.residual" })?;
    need(kept.dim() == x.dim(), "state.residual", &kept, || {
        format!("{}, the shape of state.x", shape(&x))
    })?;
    Ok(x + kept) // [T, d]
}
