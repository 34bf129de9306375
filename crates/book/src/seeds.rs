//! 7.3: what came of the same training from each seed that was tried, as a table.

use attention::trained::Seed;

/// The table, as Markdown. Shares are percentages. Where a head is off, its output is set to 0 for the first number, and to its
/// mean for the second; the letters kept are those with head 1.0 off, and with head 1.1.
///
/// ```
/// use attention::trained::Seed;
///
/// let table = book::seeds::table(&Seed::tried());
/// assert_eq!(table.lines().count(), 2 + 14);
/// assert!(table.ends_with("| 14 | 250 | 99.9 | 0.88 | 0.96 | 17/16 | 100/100 | 57/57 | 55/56 | 14/13 |\n"));
/// ```
pub fn table(seeds: &[Seed]) -> String {
    let rows = seeds.iter().map(|Seed { seed, jump, metrics, ablations, .. }| {
        let jump = jump.map_or("none".to_owned(), |step| step.to_string());
        let right = 100.0 * metrics.accuracy;
        let (previous, induction) = (metrics.best_previous(), metrics.best_induction());
        let both = ablations.zero.iter().flatten().zip(ablations.mean.iter().flatten());
        let off: String =
            both.map(|(zero, mean)| format!(" {:.0}/{:.0} |", 100.0 * zero, 100.0 * mean)).collect();
        let letters: Vec<String> = ablations.kept.iter().map(|kept| kept.len().to_string()).collect();
        let letters = letters.join("/");
        format!("| {seed} | {jump} | {right:.1} | {previous:.2} | {induction:.2} |{off} {letters} |\n")
    });
    let names = "| seed | jump | right | back | ind. | −0.0 | −0.1 | −1.0 | −1.1 | left |\n";
    names.to_owned() + "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n" + &rows.collect::<String>()
}
