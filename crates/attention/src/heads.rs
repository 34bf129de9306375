//! 7.3: many heads. Each looks in its own way, and their outputs are added up.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, concatenate, s};

use crate::attention::{Attention, attention_with};
use crate::biases::HeadBiases;
use crate::error::{
    Error, Result, need, need_divisor, need_features, need_length, shape,
};
use crate::mask::Mask;
use crate::rope::Rope;
use crate::scores::Scale;
use crate::self_attention::Projections;

/// One head: what it projects to, and what it makes of what it brings back.
///
/// d_k and d_v are the head's own. Mostly they are d / h for h heads, and nothing here needs that.
// ANCHOR: Head
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// W_Q `[d, d_k]`, W_K `[d, d_k]` and W_V `[d, d_v]`.
    pub projections: Projections,
    /// b_Q, b_K and b_V, if it has some: heads of a block do (7.4).
    pub biases: Option<HeadBiases>,
    /// How its queries and keys are turned, if they are (7.4).
    pub rope: Option<Rope>,
    /// This head's rows of W_O: from its values back to d features.
    /// `[d_v, d]`
    pub output: Array2<f64>,
}
// ANCHOR_END: Head

impl Head {
    /// A head without biases, whose queries and keys are not turned.
    ///
    /// ```
    /// use attention::{Head, Projections};
    /// use ndarray::array;
    ///
    /// let head = Head::new(Projections::identity(1), array![[1.0]]); // [d_v = 1, d = 1]
    /// assert_eq!(head.biases, None);
    /// ```
    pub fn new(projections: Projections, output: Array2<f64>) -> Self {
        Self { projections, biases: None, rope: None, output }
    }

    /// Queries, keys and values: x W_Q + b_Q, x W_K + b_K and x W_V + b_V; queries and keys turned by their
    /// positions, from 0 on, if the head has a [`Rope`].
    ///
    /// `x` `[T, d]` → `[T, d_k]`, `[T, d_k]`, `[T, d_v]`
    ///
    /// # Errors
    ///
    /// As for [`Projections::project`], and [`Error::Shape`] if a bias has another length than its
    /// matrix has columns; [`Error::Number`] if queries and keys are to be turned, and d_k is odd.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Head, HeadBiases, Projections};
    /// use ndarray::{Array2, array};
    ///
    /// let (query, key, value) = (array![10.0, 0.0], array![0.0, 20.0], array![30.0, 30.0]);
    /// let biases = Some(HeadBiases { query, key, value }); // [d_k = 2], [d_k = 2], [d_v = 2]
    /// let head = Head { biases, ..Head::new(Projections::identity(2), Array2::eye(2)) };
    /// let x = array![[1.0, 2.0]]; // [T = 1, d = 2]
    /// let (queries, keys, values) = head.project(&x)?;
    /// assert_eq!(queries, array![[11.0, 2.0]]);
    /// assert_eq!(keys, array![[1.0, 22.0]]);
    /// assert_eq!(values, array![[31.0, 32.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn project(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
    ) -> Result<(Array2<f64>, Array2<f64>, Array2<f64>)> {
        let (mut queries, mut keys, mut values) =
            self.projections.project(x)?;
        if let Some(biases) = &self.biases {
            biases.check(&self.projections)?;
            queries += &biases.query; // [T, d_k] + [d_k], row by row
            keys += &biases.key; // [T, d_k]
            values += &biases.value; // [T, d_v]
        }
        if let Some(rope) = &self.rope {
            queries = rope.rotate_rows(&queries)?; // [T, d_k]
            keys = rope.rotate_rows(&keys)?; // [T, d_k]
        }
        Ok((queries, keys, values))
    }

    /// What this head sees and brings back: not yet times its rows of W_O.
    ///
    /// `x` `[T, d]` → weights `[T, T]`, output `[T, d_v]`
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the head's `output` is not `[d_v, d]`, and as for
    /// [`project`](Self::project) and [`attention_with`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Head, Mask, Projections};
    /// use ndarray::{Array2, array};
    ///
    /// let projections = Projections {
    ///     query: Array2::zeros((2, 1)), // [d = 2, d_k = 1], asks for nothing
    ///     key: Array2::zeros((2, 1)),   // [d = 2, d_k = 1]
    ///     value: array![[0.0], [1.0]],  // [d = 2, d_v = 1], hands over the second feature
    /// };
    /// let head = Head::new(projections, array![[10.0, 0.0]]); // [d_v = 1, d = 2]
    /// let x = array![[1.0, 2.0], [1.0, 4.0]]; // [T = 2, d = 2]
    /// assert_eq!(head.attend(&x, &Mask::Causal)?.output, array![[2.0], [3.0]]);
    /// assert_eq!(head.parameters(), 2 + 2 + 2 + 2);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn attend(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Attention> {
        self.check(x)?;
        let (queries, keys, values) = self.project(x)?;
        attention_with(&queries, &keys, &values, mask, Scale::ByRootDk)
    }

    /// How many numbers there are to learn in its four matrices, and in its biases.
    pub fn parameters(&self) -> usize {
        let Projections { query, key, value } = &self.projections;
        let biases = self.biases.as_ref().map_or(0, HeadBiases::parameters);
        query.len() + key.len() + value.len() + biases + self.output.len()
    }

    /// `Ok` if this head's rows of W_O lead from its values back to the features of `x`.
    pub(crate) fn check(&self, x: &ArrayRef2<f64>) -> Result<()> {
        let (d, d_v) = (x.ncols(), self.projections.value.ncols());
        need(self.output.dim() == (d_v, d), "output", &self.output, || {
            let value = shape(&self.projections.value);
            format!("[{d_v}, {d}] to match value {value} and x {}", shape(x))
        })
    }
}

/// Several heads, side by side, over the same tokens.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
// ANCHOR: MultiHead
#[derive(Debug, Clone, PartialEq)]
pub struct MultiHead {
    /// The heads. Their d is the same; their d_k and d_v need not be.
    pub heads: Vec<Head>,
    /// b_O, if there is one, added once, when the heads have been put
    /// together: in a block (7.4). `[d]`
    pub bias: Option<Array1<f64>>,
}
// ANCHOR_END: MultiHead

/// What several heads return: where each of them looked, and what all of them made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiHeadAttention {
    /// For each head its weights `[T, T]` and its output `[T, d_v]`.
    pub heads: Vec<Attention>,
    /// The heads' outputs side by side, times W_O. `[T, d]`
    pub output: Array2<f64>,
}

impl MultiHead {
    /// These heads, and no b_O.
    ///
    /// ```
    /// use attention::{Head, MultiHead, Projections};
    /// use ndarray::array;
    ///
    /// let head = Head::new(Projections::identity(1), array![[1.0]]); // [d_v = 1, d = 1]
    /// let two = MultiHead::new(vec![head; 2]);
    /// assert_eq!((two.heads.len(), two.bias), (2, None));
    /// ```
    pub fn new(heads: Vec<Head>) -> Self {
        Self { heads, bias: None }
    }

    /// The heads in four fused matrices: head number i has columns i d_k to (i + 1) d_k of W_Q and W_K,
    /// columns i d_v to (i + 1) d_v of W_V, and the same rows of W_O.
    ///
    /// `w_q` and `w_k` `[d, h d_k]`, `w_v` `[d, h d_v]`, `w_o` `[h d_v, d]`, for h `heads`
    ///
    /// A formula has a matrix for each head, and a program one for all. They hold the same numbers.
    ///
    /// # Errors
    ///
    /// [`Error::TooSmall`] if `heads` is 0, [`Error::Number`] if it does not divide the columns of `w_q`
    /// or of `w_v`, and [`Error::Shape`] if the matrices do not fit each other,
    /// or `w_q` has no columns.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::MultiHead;
    /// use ndarray::array;
    ///
    /// let w_q = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; // [d = 3, h d_k = 2 · 1]
    /// let w_k = -&w_q; // [d = 3, h d_k = 2 · 1]
    /// let w_v = array![
    ///     [1.0, 2.0, 7.0, 8.0],
    ///     [3.0, 4.0, 7.0, 8.0],
    ///     [5.0, 6.0, 7.0, 8.0],
    /// ]; // [d = 3, h d_v = 2 · 2]
    /// let w_o = w_v.t().to_owned(); // [h d_v = 2 · 2, d = 3]
    /// let it = MultiHead::split(&w_q, &w_k, &w_v, &w_o, 2)?;
    ///
    /// let second = &it.heads[1];
    /// assert_eq!(second.projections.query, array![[2.0], [4.0], [6.0]]);
    /// assert_eq!(second.projections.value, array![[7.0, 8.0], [7.0, 8.0], [7.0, 8.0]]);
    /// assert_eq!(second.output, array![[7.0, 7.0, 7.0], [8.0, 8.0, 8.0]]);
    ///
    /// let three = MultiHead::split(&w_q, &w_k, &w_v, &w_o, 3).unwrap_err();
    /// assert_eq!(three.to_string(), "heads: came as 3, needed a divisor of 2");
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: split
    pub fn split(
        w_q: &ArrayRef2<f64>, // [d, h d_k]
        w_k: &ArrayRef2<f64>, // [d, h d_k]
        w_v: &ArrayRef2<f64>, // [d, h d_v]
        w_o: &ArrayRef2<f64>, // [h d_v, d]
        heads: usize,
    ) -> Result<Self> {
        check_fused(w_q, w_k, w_v, w_o)?;
        let d_k = need_divisor("heads", heads, w_q.ncols())?;
        let d_v = need_divisor("heads", heads, w_v.ncols())?;
        let head = |i: usize| {
            let k = i * d_k..(i + 1) * d_k;
            let v = i * d_v..(i + 1) * d_v;
            let projections = Projections {
                query: w_q.slice(s![.., k.clone()]).to_owned(), // [d, d_k]
                key: w_k.slice(s![.., k]).to_owned(),           // [d, d_k]
                value: w_v.slice(s![.., v.clone()]).to_owned(), // [d, d_v]
            };
            let output = w_o.slice(s![v, ..]).to_owned(); // [d_v, d]
            Head::new(projections, output)
        };
        Ok(Self::new((0..heads).map(head).collect()))
    }
    // ANCHOR_END: split

    /// The same heads with biases, for all of them in four vectors, to be cut as [`split`](Self::split)
    /// cuts the columns of the matrices: x W_Q + b_Q, x W_K + b_K, x W_V + b_V, and
    /// \[head_1, …, head_h\] W_O + b_O.
    ///
    /// `b_q` and `b_k` `[h d_k]`, `b_v` `[h d_v]`, `b_o` `[d]`
    ///
    /// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2, has no biases; most models
    /// since have (GPT-2, BERT). Of b_Q, b_K, b_V and b_O, d numbers each, b_K could be left out.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no head; [`Error::Shape`] if a vector does not fit the heads.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, MultiHead};
    /// use ndarray::{Array2, array};
    ///
    /// // Two heads that attend evenly, and hand over a feature each.
    /// let (no, w) = (Array2::zeros((2, 2)), Array2::eye(2)); // [d = 2, h d_k = 2 · 1]
    /// let (b, b_v, b_o) = (array![3.0, 4.0], array![10.0, 20.0], array![100.0, 200.0]);
    /// let heads = MultiHead::split(&no, &no, &w, &w, 2)?.with_biases(&b, &b, &b_v, &b_o)?;
    /// assert_eq!(heads.heads[1].biases.as_ref().unwrap().query, array![4.0]);
    ///
    /// let x = array![[2.0, 0.0]]; // [T = 1, d = 2]
    /// assert_eq!(heads.attend(&x, &Mask::None)?.output, array![[112.0, 220.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn with_biases(
        mut self,
        b_q: &ArrayRef1<f64>, // [h d_k]
        b_k: &ArrayRef1<f64>, // [h d_k]
        b_v: &ArrayRef1<f64>, // [h d_v]
        b_o: &ArrayRef1<f64>, // [d]
    ) -> Result<Self> {
        self.check_biases(b_q, b_k, b_v, b_o)?;
        let (mut k, mut v) = (0, 0);
        for head in &mut self.heads {
            let (d_k, d_v) = widths(head);
            head.biases = Some(HeadBiases {
                query: b_q.slice(s![k..k + d_k]).to_owned(), // [d_k]
                key: b_k.slice(s![k..k + d_k]).to_owned(),   // [d_k]
                value: b_v.slice(s![v..v + d_v]).to_owned(), // [d_v]
            });
            (k, v) = (k + d_k, v + d_v);
        }
        self.bias = Some(b_o.to_owned()); // [d]
        Ok(self)
    }

    /// `Ok` if the four vectors have one number for each column of all heads' matrices.
    fn check_biases(
        &self,
        b_q: &ArrayRef1<f64>,
        b_k: &ArrayRef1<f64>,
        b_v: &ArrayRef1<f64>,
        b_o: &ArrayRef1<f64>,
    ) -> Result<()> {
        let Some(first) = self.heads.first() else {
            return Err(Error::Empty { argument: "heads" });
        };
        let (k, v) = self
            .heads
            .iter()
            .map(widths)
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        need_length("b_q", b_q, k, "the columns of all heads' W_Q")?;
        need_length("b_k", b_k, k, "the columns of all heads' W_K")?;
        need_length("b_v", b_v, v, "the columns of all heads' W_V")?;
        need_length("b_o", b_o, first.output.ncols(), "the columns of W_O")
    }

    /// Every head attends by itself; what they bring back is put side by side and multiplied by W_O.
    ///
    /// [head_1, …, head_h] W_O with head_i = softmax(mask(x W_Q (x W_K)ᵀ / √d_k)) x W_V, where each head
    /// has its own W_Q, W_K and W_V, and d_k is the head's, not the model's.
    ///
    /// `x` `[T, d]` → for each head weights `[T, T]` and output `[T, d_v]`; output `[T, d]`
    ///
    /// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there is no head, [`Error::Shape`] if `bias` is not `[d]`, and as for
    /// [`Head::attend`].
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, MultiHead};
    /// use ndarray::{Array2, array};
    ///
    /// // No head asks for anything, so each takes plain means: of the first feature the one, of the
    /// // second the other. W_O swaps them.
    /// let nothing = Array2::zeros((2, 2)); // [d = 2, h d_k = 2 · 1]
    /// let w_o = array![[0.0, 1.0], [1.0, 0.0]]; // [h d_v = 2 · 1, d = 2]
    /// let it = MultiHead::split(&nothing, &nothing, &Array2::eye(2), &w_o, 2)?;
    ///
    /// let x = array![[2.0, 30.0], [4.0, 50.0]]; // [T = 2, d = 2]
    /// let it = it.attend(&x, &Mask::Causal)?;
    /// assert_eq!(it.heads[0].output, array![[2.0], [3.0]]);
    /// assert_eq!(it.heads[1].output, array![[30.0], [40.0]]);
    /// assert_eq!(it.output, array![[30.0, 2.0], [40.0, 3.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: attend
    pub fn attend(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<MultiHeadAttention> {
        // Each head by itself: its own queries, keys, values and weights.
        let heads = self.attend_each(x, mask)?; // h times [T, d_v]
        // Put what they bring back side by side.
        let outputs = heads.iter().map(|head| &head.output);
        let side_by_side = joined(Axis(1), outputs); // [T, h d_v]
        // Mix.
        let mut output = side_by_side.dot(&self.w_o()); // [T, d]
        if let Some(bias) = &self.bias {
            output += bias; // [T, d] + [d], row by row
        }
        Ok(MultiHeadAttention { heads, output })
    }
    // ANCHOR_END: attend

    /// W_O: the heads' rows of it, one below the other. `[h d_v, d]`
    ///
    /// # Panics
    ///
    /// If there is no head, or if the heads differ in d.
    pub fn w_o(&self) -> Array2<f64> {
        let rows = self.heads.iter().map(|head| &head.output);
        joined(Axis(0), rows) // [h d_v, d]
    }

    /// What each head adds to the output: its own output times its own rows of W_O.
    ///
    /// `x` `[T, d]` → for each head `[T, d]`
    ///
    /// Their sum, with b_O if there is one, is the output of [`attend`](Self::attend): a row times a column is a sum of products,
    /// and each product belongs to one head.
    ///
    /// Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", "Attention heads
    /// are independent and additive".
    ///
    /// # Errors
    ///
    /// As for [`attend`](Self::attend).
    ///
    /// # Example
    ///
    /// ```
    /// use attention::{Mask, MultiHead};
    /// use ndarray::{Array2, array};
    ///
    /// let nothing = Array2::zeros((2, 2)); // [d = 2, h d_k = 2 · 1]
    /// let w_o = array![[1.0, 10.0], [2.0, 20.0]]; // [h d_v = 2 · 1, d = 2]
    /// let heads = MultiHead::split(&nothing, &nothing, &Array2::eye(2), &w_o, 2)?;
    ///
    /// let x = array![[3.0, 4.0]]; // [T = 1, d = 2]
    /// let each = heads.contributions(&x, &Mask::Causal)?;
    /// assert_eq!(each[0], array![[3.0, 30.0]]);
    /// assert_eq!(each[1], array![[8.0, 80.0]]);
    /// assert_eq!(heads.attend(&x, &Mask::Causal)?.output, array![[11.0, 110.0]]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    // ANCHOR: contributions
    pub fn contributions(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Vec<Array2<f64>>> {
        let attended = self.attend_each(x, mask)?; // h times [T, d_v]
        let pairs = attended.iter().zip(&self.heads);
        Ok(pairs.map(|(it, head)| it.output.dot(&head.output)).collect())
    }
    // ANCHOR_END: contributions

    /// How many numbers there are to learn, in all heads.
    ///
    /// ```
    /// use attention::MultiHead;
    /// use ndarray::Array2;
    ///
    /// // d = 8 and 2 heads with d_k = 3, d_v = 2: 8 · 6 + 8 · 6 + 8 · 4 + 4 · 8.
    /// let (wide, narrow) = (Array2::zeros((8, 6)), Array2::zeros((8, 4)));
    /// let it = MultiHead::split(&wide, &wide, &narrow, &narrow.t().to_owned(), 2)?;
    /// assert_eq!(it.parameters(), 160);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parameters(&self) -> usize {
        let heads: usize = self.heads.iter().map(Head::parameters).sum();
        heads + self.bias.as_ref().map_or(0, |bias| bias.len())
    }

    /// What each head sees and brings back.
    fn attend_each(
        &self,
        x: &ArrayRef2<f64>, // [T, d]
        mask: &Mask,
    ) -> Result<Vec<Attention>> {
        self.check(x)?;
        // h times [T, d_v]
        self.heads.iter().map(|head| head.attend(x, mask)).collect()
    }

    /// `Ok` if there is a head, and if b_O has a number for each feature of `x`.
    pub(crate) fn check(&self, x: &ArrayRef2<f64>) -> Result<()> {
        if self.heads.is_empty() {
            return Err(Error::Empty { argument: "heads" });
        }
        let bias = self.bias.as_ref();
        bias.map_or(Ok(()), |bias| need_features("bias", bias, "x", x))
    }
}

/// d_k and d_v of a head.
fn widths(head: &Head) -> (usize, usize) {
    (head.projections.query.ncols(), head.projections.value.ncols())
}

/// Matrices that fit, joined along an axis: 0 is one below the other, 1 is side by side.
fn joined<'a>(
    axis: Axis,
    matrices: impl Iterator<Item = &'a Array2<f64>>,
) -> Array2<f64> {
    let views: Vec<_> = matrices.map(|matrix| matrix.view()).collect();
    concatenate(axis, &views).expect("shapes are checked")
}

/// `Ok` if the four matrices fit each other.
fn check_fused(
    w_q: &ArrayRef2<f64>,
    w_k: &ArrayRef2<f64>,
    w_v: &ArrayRef2<f64>,
    w_o: &ArrayRef2<f64>,
) -> Result<()> {
    let (d, columns) = w_q.dim();
    need(columns >= 1, "w_q", w_q, || {
        format!("[{d}, h d_k] with d_k at least 1")
    })?;
    need(w_k.dim() == w_q.dim(), "w_k", w_k, || {
        format!("[{d}, {columns}] to match w_q {}", shape(w_q))
    })?;
    need(w_v.nrows() == d, "w_v", w_v, || {
        format!("[{d}, h d_v] to match w_q {}", shape(w_q))
    })?;
    let rows = w_v.ncols();
    need(w_o.dim() == (rows, d), "w_o", w_o, || {
        format!("[{rows}, {d}] to match w_v {}", shape(w_v))
    })
}
