//! 7.4: the heads of a block, in which everything that is multiplied by a matrix gets a bias too.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, s};

use crate::attention::masked_attention;
use crate::error::{Error, Result, need_count, need_features, need_length};
use crate::heads::{Head, MultiHead, MultiHeadAttention, joined};
use crate::mask::Mask;
use crate::self_attention::Projections;

/// What one head adds to its queries, keys and values.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadBiases {
    /// b_Q: what every token asks for, whatever it is. `[d_k]`
    pub query: Array1<f64>,
    /// b_K. It adds the same to all scores of a query, which softmax does not
    /// notice: it has no effect at all. `[d_k]`
    pub key: Array1<f64>,
    /// b_V: what every token hands over, whatever it is. `[d_v]`
    pub value: Array1<f64>,
}

/// [`MultiHead`] with biases: x W_Q + b_Q, x W_K + b_K, x W_V + b_V, and \[head_1, …, head_h\] W_O + b_O.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2, has no biases; most models
/// since have (GPT-2, BERT). Of b_Q, b_K, b_V and b_O, d numbers each, b_K could be left out.
#[derive(Debug, Clone, PartialEq)]
pub struct BiasedHeads {
    /// The heads' matrices.
    pub heads: MultiHead,
    /// For each head its b_Q, b_K and b_V.
    pub biases: Vec<HeadBiases>,
    /// b_O, added once, when the heads have been put together. `[d]`
    pub output: Array1<f64>,
}

impl BiasedHeads {
    /// Heads, and biases for all of them in four vectors, to be cut as [`MultiHead::split`] cuts the
    /// columns of the matrices.
    ///
    /// `b_q` and `b_k` `[h d_k]`, `b_v` `[h d_v]`, `b_o` `[d]`
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no head; [`Error::Shape`] if a vector does not fit the heads.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{BiasedHeads, MultiHead};
    /// use ndarray::{Array2, array};
    ///
    /// let w = Array2::eye(2); // [d = 2, h d_k = 2 · 1], and three more like it
    /// let heads = MultiHead::split(&w, &w, &w, &w, 2)?;
    /// let b = array![3.0, 4.0]; // [h d_k = 2 · 1], and three more like it
    /// let it = BiasedHeads::split(heads, &b, &b, &b, &b)?;
    /// assert_eq!(it.biases[1].query, array![4.0]);
    /// assert_eq!(it.output, array![3.0, 4.0]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn split(
        heads: MultiHead,
        b_q: &ArrayRef1<f64>, // [h d_k]
        b_k: &ArrayRef1<f64>, // [h d_k]
        b_v: &ArrayRef1<f64>, // [h d_v]
        b_o: &ArrayRef1<f64>, // [d]
    ) -> Result<Self> {
        check_fused(&heads, b_q, b_k, b_v, b_o)?;
        let (mut k, mut v) = (0, 0);
        let mut cut = |head: &Head| {
            let (d_k, d_v) = widths(head);
            let biases = HeadBiases {
                query: b_q.slice(s![k..k + d_k]).to_owned(), // [d_k]
                key: b_k.slice(s![k..k + d_k]).to_owned(),   // [d_k]
                value: b_v.slice(s![v..v + d_v]).to_owned(), // [d_v]
            };
            (k, v) = (k + d_k, v + d_v);
            biases
        };
        let biases = heads.heads.iter().map(&mut cut).collect();
        Ok(Self { heads, biases, output: b_o.to_owned() })
    }

    /// As [`MultiHead::attend`], with the biases added on the way.
    ///
    /// `x` `[T, d]` → for each head weights `[T, T]` and output `[T, d_v]`; output `[T, d]`
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if there are not as many biases as heads, [`Error::Shape`] if one has another
    /// length than its head's columns, and as for [`MultiHead::attend`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{BiasedHeads, Mask, MultiHead};
    /// use ndarray::{Array2, array};
    ///
    /// // One head that attends evenly and hands over what is there.
    /// let (no, w) = (Array2::zeros((1, 1)), Array2::eye(1)); // [d = 1, d_k = 1]
    /// let heads = MultiHead::split(&no, &no, &w, &w, 1)?;
    /// let b = array![0.0]; // [1]
    /// let it = BiasedHeads::split(heads, &b, &b, &array![10.0], &array![100.0])?;
    /// let x = array![[2.0], [4.0]]; // [T = 2, d = 1]
    /// assert_eq!(it.attend(&x, &Mask::Causal)?.output, array![[112.0], [113.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn attend(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<MultiHeadAttention> {
        self.check(x)?;
        let each = self.heads.heads.iter().zip(&self.biases);
        let attended = each.map(|(head, bias)| {
            let (queries, keys, values) = bias.project(&head.projections, x)?;
            masked_attention(&queries, &keys, &values, mask)
        });
        let heads = attended.collect::<Result<Vec<_>>>()?; // h times [T, d_v]
        let outputs = heads.iter().map(|head| &head.output);
        let side_by_side = joined(Axis(1), outputs); // [T, h d_v]
        let output = side_by_side.dot(&self.heads.w_o()) + &self.output; // [T, d]
        Ok(MultiHeadAttention { heads, output })
    }

    /// How many numbers there are to learn: 4 d² + 4 d, if each head is d / h wide.
    ///
    /// ```
    /// use attention::{BiasedHeads, MultiHead};
    /// use ndarray::{Array1, Array2};
    ///
    /// let (w, b) = (Array2::zeros((8, 8)), Array1::zeros(8));
    /// let heads = MultiHead::split(&w, &w, &w, &w, 2)?;
    /// assert_eq!(BiasedHeads::split(heads, &b, &b, &b, &b)?.parameters(), 4 * 64 + 4 * 8);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parameters(&self) -> usize {
        let numbers = |bias: &HeadBiases| {
            bias.query.len() + bias.key.len() + bias.value.len()
        };
        let biases: usize = self.biases.iter().map(numbers).sum();
        self.heads.parameters() + biases + self.output.len()
    }

    pub(crate) fn check(&self, x: &ArrayRef2<f64>) -> Result<()> {
        need_count(
            "biases",
            self.biases.len(),
            self.heads.heads.len(),
            "head",
        )?;
        self.heads.heads.iter().try_for_each(|head| head.check(x))?;
        need_features("output", &self.output, "x", x)
    }
}

impl HeadBiases {
    /// Queries, keys and values of one head, each with its bias: x W_Q + b_Q, x W_K + b_K, x W_V + b_V.
    ///
    /// `x` `[T, d]` → `[T, d_k]`, `[T, d_k]`, `[T, d_v]`
    ///
    /// # Errors
    ///
    /// As for [`Projections::project`], and [`Error::Shape`] if a bias has another length than its
    /// matrix has columns.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{HeadBiases, Projections};
    /// use ndarray::array;
    ///
    /// let (query, key, value) = (array![10.0, 0.0], array![0.0, 20.0], array![30.0, 30.0]);
    /// let bias = HeadBiases { query, key, value }; // [d_k = 2], [d_k = 2], [d_v = 2]
    /// let x = array![[1.0, 2.0]]; // [T = 1, d = 2]
    /// let (queries, keys, values) = bias.project(&Projections::identity(2), &x)?;
    /// assert_eq!(queries, array![[11.0, 2.0]]);
    /// assert_eq!(keys, array![[1.0, 22.0]]);
    /// assert_eq!(values, array![[31.0, 32.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn project(
        &self,
        projections: &Projections,
        x: &ArrayRef2<f64>, // [T, d]
    ) -> Result<(Array2<f64>, Array2<f64>, Array2<f64>)> {
        self.check(projections)?;
        let (queries, keys, values) = projections.project(x)?;
        // Each row gets the same: [T, d_k] + [d_k].
        Ok((queries + &self.query, keys + &self.key, values + &self.value))
    }

    fn check(&self, of: &Projections) -> Result<()> {
        need_features("biases.query", &self.query, "query", &of.query)?;
        need_features("biases.key", &self.key, "key", &of.key)?;
        need_features("biases.value", &self.value, "value", &of.value)
    }
}

/// d_k and d_v of a head.
fn widths(head: &Head) -> (usize, usize) {
    (head.projections.query.ncols(), head.projections.value.ncols())
}

/// `Ok` if the four vectors have one number for each column of all heads' matrices.
fn check_fused(
    heads: &MultiHead,
    b_q: &ArrayRef1<f64>,
    b_k: &ArrayRef1<f64>,
    b_v: &ArrayRef1<f64>,
    b_o: &ArrayRef1<f64>,
) -> Result<()> {
    let Some(first) = heads.heads.first() else {
        return Err(Error::Empty { argument: "heads" });
    };
    let (mut k, mut v) = (0, 0);
    for head in &heads.heads {
        let (d_k, d_v) = widths(head);
        (k, v) = (k + d_k, v + d_v);
    }
    need_length("b_q", b_q, k, "the columns of all heads' W_Q")?;
    need_length("b_k", b_k, k, "the columns of all heads' W_K")?;
    need_length("b_v", b_v, v, "the columns of all heads' W_V")?;
    need_length("b_o", b_o, first.output.ncols(), "the columns of W_O")
}
