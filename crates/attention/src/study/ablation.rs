//! 7.3: what becomes of a model when one of its heads is switched off, in two ways.

use ndarray::{Array1, Axis};

use crate::attention_only::AttentionOnly;
use crate::error::{Error, Result, need_below, need_length};
use crate::mask::Mask;
use crate::next_token::shift;
use crate::study::metrics::Metrics;
use crate::study::repeats::Repeat;

/// The mean of what a head adds: one vector, over all T positions of all these sequences. → `[d]`
///
/// # Errors
///
/// [`Error::Empty`] if there is no sequence; [`Error::Number`] if there is no such layer, or no such head in it, both
/// counted from 0; and as for [`AttentionOnly::run`].
///
/// # Example
///
/// ```
/// use attention::AttentionOnly;
/// use attention::study::{Repeats, mean_output};
///
/// let mean = mean_output(&AttentionOnly::trained(), 0, 1, &Repeats::evaluation())?;
/// assert_eq!(mean.len(), 32); // d
/// # Ok::<(), attention::Error>(())
/// ```
pub fn mean_output(
    model: &AttentionOnly,
    layer: usize,
    head: usize,
    repeats: &[Repeat],
) -> Result<Array1<f64>> {
    need_below("layer", layer, model.layers.len())?;
    need_below("head", head, model.layers[layer].heads.len())?;
    if repeats.is_empty() {
        return Err(Error::Empty { argument: "repeats" });
    }
    let mut sum = Array1::zeros(model.embedding.ncols()); // [d]
    let mut positions = 0;
    for repeat in repeats {
        let (inputs, _) = shift(&repeat.symbols); // [T]
        let mut x = model.embed(inputs)?; // [T, d]
        for below in &model.layers[..layer] {
            x += &below.attend(&x, &Mask::Causal)?.output; // [T, d]
        }
        let added = model.layers[layer].contributions(&x, &Mask::Causal)?;
        sum += &added[head].sum_axis(Axis(0)); // [T, d] → [d]
        positions += inputs.len();
    }
    Ok(sum / positions as f64)
}

/// The same model with one head's output set to its [mean](mean_output) over these sequences: mean-ablation. It still
/// looks, but what it finds makes no difference. (Where a model without b_O has none, it gets one: that is where a vector stands
/// that is added at every position.)
///
/// [`AttentionOnly::without`] sets it to 0: zero-ablation. That takes away what the head always adds too, and may put
/// what comes after it among numbers that it has never met.
///
/// # Errors
///
/// As for [`mean_output`]; [`Error::Shape`] if the layer has a b_O of another length than d.
///
/// # Example
///
/// ```
/// use attention::AttentionOnly;
/// use attention::study::{Metrics, Repeats, mean_ablated};
///
/// let (grown, texts) = (AttentionOnly::trained(), Repeats::evaluation());
/// let accuracy = |model| Ok::<f64, attention::Error>(Metrics::of(&model, &texts)?.accuracy);
/// // The first layer's previous-token head is needed, whichever way it is switched off; the other is not.
/// assert!(accuracy(grown.without(0, 0)?)? < 0.3);
/// assert!(accuracy(mean_ablated(&grown, 0, 0, &texts)?)? < 0.3);
/// assert!(accuracy(mean_ablated(&grown, 0, 1, &texts)?)? > 0.9);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn mean_ablated(
    model: &AttentionOnly,
    layer: usize,
    head: usize,
    repeats: &[Repeat],
) -> Result<AttentionOnly> {
    let mean = mean_output(model, layer, head, repeats)?; // [d]
    let mut ablated = model.without(layer, head)?;
    let bias = &mut ablated.layers[layer].bias;
    *bias = Some(match bias.take() {
        Some(bias) => {
            need_length("bias", &bias, mean.len(), "the features")?;
            bias + &mean
        }
        None => mean,
    });
    Ok(ablated)
}

/// What a model can still do with one of its heads switched off.
#[derive(Debug, Clone, PartialEq)]
pub struct Ablations {
    /// The [accuracy](Metrics::accuracy) with a head's output set to 0: `zero[layer][head]`.
    pub zero: Vec<Vec<f64>>,
    /// The same, with the head's output set to its mean over the same sequences: `mean[layer][head]`.
    pub mean: Vec<Vec<f64>>,
    /// The symbols that are still predicted, in more than nine of ten places where they are to be, with a head of the last
    /// layer set to 0: `kept[head]`.
    pub kept: Vec<Vec<usize>>,
}

impl Ablations {
    /// Switches off each head of a model by itself, in both ways.
    ///
    /// # Errors
    ///
    /// As for [`Metrics::of`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::AttentionOnly;
    /// use attention::study::{Ablations, Repeats};
    ///
    /// let it = Ablations::of(&AttentionOnly::trained(), &Repeats::evaluation())?;
    /// assert!(it.zero[0][0] < 0.2 && it.zero[0][1] > 0.9);
    /// assert_eq!((it.kept[0].len(), it.kept[1].len()), (14, 13)); // of 26 letters
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn of(model: &AttentionOnly, repeats: &[Repeat]) -> Result<Self> {
        let accuracies =
            |ablated: &dyn Fn(usize, usize) -> Result<AttentionOnly>| {
                let of_head = |layer, head| {
                    Ok(Metrics::of(&ablated(layer, head)?, repeats)?.accuracy)
                };
                let of_layer = |layer: usize| {
                    (0..model.layers[layer].heads.len())
                        .map(|head| of_head(layer, head))
                        .collect()
                };
                (0..model.layers.len()).map(of_layer).collect::<Result<_>>()
            };
        let zero = accuracies(&|layer, head| model.without(layer, head))?;
        let mean = accuracies(&|layer, head| {
            mean_ablated(model, layer, head, repeats)
        })?;
        let last = model.layers.len().saturating_sub(1);
        let heads = model.layers.last().map_or(0, |layer| layer.heads.len());
        let kept = (0..heads)
            .map(|head| predicted(&model.without(last, head)?, repeats));
        Ok(Self { zero, mean, kept: kept.collect::<Result<_>>()? })
    }
}

/// The symbols that a model predicts in more than nine of ten places where they come after the first period.
fn predicted(model: &AttentionOnly, repeats: &[Repeat]) -> Result<Vec<usize>> {
    let alphabet = model.unembedding.ncols();
    let (mut right, mut all) = (vec![0; alphabet], vec![0; alphabet]);
    for repeat in repeats {
        let (inputs, targets) = shift(&repeat.symbols); // [T], [T]
        let run = model.run(inputs)?;
        for i in repeat.repeated() {
            all[targets[i]] += 1;
            right[targets[i]] +=
                usize::from(run.predictions[i] == Some(targets[i]));
        }
    }
    Ok((0..alphabet)
        .filter(|&symbol| 10 * right[symbol] > 9 * all[symbol])
        .collect())
}
