//! 7.4: sinusoids. Where a token stands, written as waves and added to what it says.

use ndarray::Array2;

use crate::error::{Result, need_even, need_room, need_room_squared};

/// The base of all wavelengths: the slowest pair of waves takes nearly 2π · 10000 positions.
pub const POSITION_BASE: f64 = 10_000.0;

/// How far pair number i turns from one position to the next, in radians: 1 / base^(2i / d), for i = 0
/// to d / 2 − 1.
///
/// A base that is not above 0 has turns that are ∞ or NaN, and so has d = 0.
///
/// # Example
///
/// ```
/// use attention::{POSITION_BASE, angular_frequency};
///
/// assert_eq!(angular_frequency(0, 8, POSITION_BASE), 1.0); // the fastest of d = 8 features
/// assert!((angular_frequency(2, 8, POSITION_BASE) - 0.01).abs() < 1e-12);
/// ```
pub fn angular_frequency(pair: usize, d: usize, base: f64) -> f64 {
    1.0 / libm::pow(base, 2.0 * pair as f64 / d as f64)
}

/// Positions as vectors, one row for each: sine and cosine alternate, each pair slower than the last.
///
/// PE(pos, 2i) = sin(pos / 10000^(2i / d)) and PE(pos, 2i + 1) = cos(pos / 10000^(2i / d)), where pos
/// counts from 0. They are added to the embeddings. → `[T, d]`
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
///
/// # Errors
///
/// [`Error::Number`](crate::Error::Number) if `d` is odd, for features come in pairs; or if there are
/// more numbers than a gibibyte holds.
///
/// # Example
///
/// ```
/// use attention::sinusoids;
/// use ndarray::array;
///
/// let waves = sinusoids(3, 4)?; // [T = 3, d = 4]
/// assert_eq!(waves.row(0), array![0.0, 1.0, 0.0, 1.0]);
/// // The second pair turns 10000^(2/4) = 100 times as slowly.
/// let (fast, slow) = (libm::sincos(2.0), libm::sincos(0.02));
/// assert_eq!(waves.row(2), array![fast.0, fast.1, slow.0, slow.1]);
/// # Ok::<(), attention::Error>(())
/// ```
// ANCHOR: sinusoids
pub fn sinusoids(tokens: usize, d: usize) -> Result<Array2<f64>> {
    let pairs = need_even("d", d)?;
    need_room("d", d, 1)?;
    need_room("tokens", tokens, d)?;
    let mut waves = Array2::zeros((tokens, d)); // [T, d]
    for position in 0..tokens {
        for pair in 0..pairs {
            let turn = angular_frequency(pair, d, POSITION_BASE);
            let (sin, cos) = libm::sincos(position as f64 * turn);
            waves[[position, 2 * pair]] = sin;
            waves[[position, 2 * pair + 1]] = cos;
        }
    }
    Ok(waves)
}
// ANCHOR_END: sinusoids

/// The matrix that leads from any position to the position `k` further: PE(pos + k) = PE(pos) R. `k` may
/// be negative. → `[d, d]`
///
/// It turns each pair of features by k times its angle per position, and does not know pos: it is the
/// same everywhere. For rows \[sin a, cos a\] and a turn by b it has the block \[\[cos b, −sin b\],
/// \[sin b, cos b\]\], and the product is \[sin(a + b), cos(a + b)\].
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5: "for any fixed offset k,
/// PE(pos+k) can be represented as a linear function of PE(pos)".
///
/// # Errors
///
/// As for [`sinusoids`].
///
/// # Example
///
/// ```
/// use attention::{position_shift, sinusoids};
///
/// let waves = sinusoids(10, 6)?; // [T = 10, d = 6]
/// let shifted = waves.dot(&position_shift(3, 6)?); // [T = 10, d = 6]
/// for position in 0..7 {
///     let difference = &shifted.row(position) - &waves.row(position + 3);
///     assert!(difference.iter().all(|e| e.abs() < 1e-12));
/// }
/// # Ok::<(), attention::Error>(())
/// ```
pub fn position_shift(k: i32, d: usize) -> Result<Array2<f64>> {
    let pairs = need_even("d", d)?;
    need_room_squared("d", d)?;
    let mut rotation = Array2::zeros((d, d)); // [d, d]
    for pair in 0..pairs {
        let turn = angular_frequency(pair, d, POSITION_BASE);
        let (sin, cos) = libm::sincos(f64::from(k) * turn);
        let (wave_sin, wave_cos) = (2 * pair, 2 * pair + 1);
        rotation[[wave_sin, wave_sin]] = cos;
        rotation[[wave_cos, wave_sin]] = sin;
        rotation[[wave_sin, wave_cos]] = -sin;
        rotation[[wave_cos, wave_cos]] = cos;
    }
    Ok(rotation)
}
