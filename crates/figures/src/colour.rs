//! What colours mean: a role for each mark, and scales for numbers.

use plotters::style::RGBColor;

/// What a mark stands for. Each role has one colour everywhere; the page's theme sets it by the class
/// `fill-NAME` or `stroke-NAME`, and a file on its own has the colour given here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A query.
    Query,
    /// A key.
    Key,
    /// A value.
    Value,
    /// An output.
    Output,
    /// A weight: how much of its attention a query gives to a key.
    Weight,
    /// Text.
    Ink,
    /// Text of less weight.
    Muted,
    /// Axes and outlines.
    Line,
    /// Lines to read numbers off.
    Grid,
    /// What goes wrong without the remedy that the text is about.
    Warn,
}

impl Role {
    /// Every role, in the order of the theme.
    pub const ALL: [Role; 10] = [
        Role::Query,
        Role::Key,
        Role::Value,
        Role::Output,
        Role::Weight,
        Role::Ink,
        Role::Muted,
        Role::Line,
        Role::Grid,
        Role::Warn,
    ];

    /// The role's name in classes and theme variables.
    pub fn name(self) -> &'static str {
        match self {
            Role::Query => "query",
            Role::Key => "key",
            Role::Value => "value",
            Role::Output => "output",
            Role::Weight => "weight",
            Role::Ink => "ink",
            Role::Muted => "muted",
            Role::Line => "line",
            Role::Grid => "grid",
            Role::Warn => "warn",
        }
    }

    /// The colour and opacity of a file on its own: after Okabe and Ito for what has a meaning of its own; the
    /// surrounding text's colour, `None`, for everything else, so that it stands on light and dark alike.
    pub(crate) fn fallback(self) -> (Option<RGBColor>, f64) {
        match self {
            Role::Query => (Some(RGBColor(0x00, 0x72, 0xb2)), 1.0),
            Role::Key => (Some(RGBColor(0xd5, 0x5e, 0x00)), 1.0),
            Role::Value => (Some(RGBColor(0x00, 0x9e, 0x73)), 1.0),
            Role::Output => (Some(RGBColor(0xb8, 0x52, 0x8f)), 1.0),
            Role::Warn => (Some(RGBColor(0xa8, 0x74, 0x00)), 1.0),
            Role::Weight => (None, 0.6),
            Role::Ink => (None, 1.0),
            Role::Muted => (None, 0.8),
            Role::Line => (None, 0.6),
            Role::Grid => (None, 0.2),
        }
    }
}

/// The colours of a scale from 0 to 1, in equal steps; between them it is even.
pub(crate) type Ramp = [[f64; 3]; 5];

/// Of weights: one hue, its lightness even to the eye (steps of equal size in OKLab).
pub(crate) const WEIGHTS: Ramp =
    [[42.0, 32.0, 5.0], [91.0, 72.0, 7.0], [145.0, 116.0, 21.0], [202.0, 163.0, 36.0], [255.0, 216.0, 75.0]];

/// Of numbers above 0: from grey to brown, which colour-blind eyes tell from the violet of those below; neither
/// hue means anything else here. Both ends are equally dark, in steps of equal size in OKLab.
pub(crate) const ABOVE_ZERO: Ramp = [
    [226.0, 226.0, 223.0],
    [204.0, 182.0, 168.0],
    [181.0, 139.0, 115.0],
    [156.0, 97.0, 62.0],
    [129.0, 54.0, 0.0],
];

/// Of numbers below 0: from the same grey to violet.
pub(crate) const BELOW_ZERO: Ramp = [
    [226.0, 226.0, 223.0],
    [188.0, 182.0, 212.0],
    [152.0, 139.0, 199.0],
    [119.0, 96.0, 183.0],
    [89.0, 46.0, 166.0],
];

/// The colour of a heatmap's tile, as CSS writes it: the same in every theme, and the brighter, the larger the weight.
///
/// ```
/// assert_eq!(figures::tile_colour(0.0), "#2a2005");
/// assert_eq!(figures::tile_colour(1.0), "#ffd84b");
/// ```
pub fn tile_colour(weight: f64) -> String {
    css(ramp(&WEIGHTS, weight))
}

/// A colour as CSS writes it.
pub(crate) fn css(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of a share from 0 to 1 on a scale.
pub(crate) fn ramp(steps: &Ramp, share: f64) -> RGBColor {
    // Rounded first, so that the colour is the same wherever the last bits differ.
    let at = (share.clamp(0.0, 1.0) * 4e6).round() / 1e6;
    let step = (at as usize).min(steps.len() - 2);
    let share = at - step as f64;
    let [red, green, blue] = [0, 1, 2]
        .map(|part| (steps[step][part] * (1.0 - share) + steps[step + 1][part] * share).round() as u8);
    RGBColor(red, green, blue)
}
