//! Which head looks where.

use ndarray::{Array2, ArrayRef2};

/// A place that a head may look at, seen from the token that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The token before.
    Previous,
    /// The token after.
    Next,
    /// The first token of all.
    First,
    /// The token itself.
    Itself,
    /// The neighbourhood: up to two places away on either side, itself included.
    Local,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Previous, Self::Next, Self::First, Self::Itself, Self::Local];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Previous => "previous",
            Role::Next => "next",
            Role::First => "first",
            Role::Itself => "self",
            Role::Local => "local",
        }
    }

    /// What a head of this role does, in words.
    pub fn what(self) -> &'static str {
        match self {
            Role::Previous => "the token before",
            Role::Next => "the token after",
            Role::First => "the first token",
            Role::Itself => "the token itself",
            Role::Local => "up to two places away, no one place getting more than half",
        }
    }

    /// Whether key j is what query i looks for.
    fn is_at(self, i: usize, j: usize) -> bool {
        match self {
            Role::Previous => j + 1 == i,
            Role::Next => j == i + 1,
            Role::First => j == 0 && i > 0,
            Role::Itself => i == j,
            Role::Local => i.abs_diff(j) <= 2,
        }
    }

    /// How well a head fits: the weight that goes where the role looks, as a mean over the tokens that have such a
    /// place. `weights` `[T, T]` → 0 to 1
    ///
    /// A head that looks at one place alone, next to the token or at it, is not local however near that place is:
    /// it has 0.
    ///
    /// ```
    /// use ndarray::array;
    /// use minilm::Role;
    ///
    /// let weights = array![[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [0.0, 0.7, 0.3]]; // [T = 3, T = 3]
    /// assert_eq!(Role::Previous.fit(&weights), 0.8); // 0.9 and 0.7; the first token has none before it
    /// assert_eq!(Role::First.fit(&weights), 0.45); // 0.9 and 0
    /// assert_eq!(Role::Local.fit(&weights), 0.0);
    /// ```
    pub fn fit(self, weights: &ArrayRef2<f64>) -> f64 {
        let one_place = [Role::Previous, Role::Next, Role::Itself];
        if self == Role::Local && one_place.iter().any(|role| role.fit(weights) > 0.5) {
            return 0.0;
        }
        let shares: Vec<f64> = (0..weights.nrows())
            .filter(|&i| (0..weights.ncols()).any(|j| self.is_at(i, j)))
            .map(|i| (0..weights.ncols()).filter(|&j| self.is_at(i, j)).map(|j| weights[[i, j]]).sum())
            .collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    }
}

/// The head that fits a role best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// The role.
    pub role: Role,
    /// Its layer, counted from 0.
    pub layer: usize,
    /// Its place in the layer, counted from 0.
    pub head: usize,
    /// How well it fits: [`Role::fit`].
    pub fit: f64,
}

/// For each role the head that fits it best, the first of equals. `weights[layer][head]` `[T, T]`
pub fn best(weights: &[Vec<Array2<f64>>]) -> Vec<Best> {
    let best_for = |role: Role| {
        let mut best: Option<Best> = None;
        for (layer, heads) in weights.iter().enumerate() {
            for (head, weights) in heads.iter().enumerate() {
                let fit = role.fit(weights);
                if best.is_none_or(|best| fit > best.fit) {
                    best = Some(Best { role, layer, head, fit });
                }
            }
        }
        best
    };
    Role::ALL.into_iter().filter_map(best_for).collect()
}
