//! The middle of some numbers, and how far they spread around it.

use crate::error::{Result, need_one};

/// The numbers that a quarter, a half and three quarters of some numbers lie below. Half of them lie
/// between [`lower`](Self::lower) and [`upper`](Self::upper).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quartiles {
    /// A quarter lies below.
    pub lower: f64,
    /// A half lies below.
    pub median: f64,
    /// Three quarters lie below.
    pub upper: f64,
}

impl Quartiles {
    /// The quartiles of these numbers, in any order. Between two neighbours they are interpolated: of n
    /// numbers in their order, counted from 0, the lower quartile stands at the place (n − 1) / 4, and so
    /// on. (Hyndman and Fan 1996 count nine ways to do so; this is their seventh.)
    ///
    /// # Errors
    ///
    /// [`Error::TooSmall`](crate::Error::TooSmall) if there are none.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::Quartiles;
    ///
    /// let it = Quartiles::of(&[8.0, 1.0, 2.0, 4.0])?;
    /// assert_eq!((it.lower, it.median, it.upper), (1.75, 3.0, 5.0));
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn of(numbers: &[f64]) -> Result<Self> {
        need_one("numbers.len()", numbers.len())?;
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (sorted.len() - 1) as f64;
            let below = place as usize;
            let above = (below + 1).min(sorted.len() - 1);
            let part = place - below as f64;
            sorted[below] * (1.0 - part) + sorted[above] * part
        };
        Ok(Self { lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }

    /// The standard error of the median: how far it is likely to be from that of endlessly many numbers, if
    /// these are the quartiles of `count` independent ones. It is 0.93 (upper − lower) / √count, which holds
    /// for normal numbers: their quartiles are 1.349 σ apart, and the error of their median is σ √(π / 2) /
    /// √count.
    ///
    /// # Example
    ///
    /// ```
    /// use attention::study::Quartiles;
    ///
    /// let it = Quartiles { lower: 1.0, median: 2.0, upper: 3.0 };
    /// assert!((it.error(100) - 0.186).abs() < 0.001);
    /// ```
    pub fn error(&self, count: usize) -> f64 {
        const NORMAL: f64 = 0.929; // √(π / 2) / 1.349
        NORMAL * (self.upper - self.lower) / libm::sqrt(count as f64)
    }
}
