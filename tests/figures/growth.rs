use attention::trained::{Recipe, TrainingLog};

use crate::drawn;

/// What `growth` shows is what the log says, each number in its column and at its step, and what is said of the jump
/// holds: before it, less than half of the predictions are right, and from it on, more.
#[test]
fn growth_shows_the_log() {
    let (log, alone) = (TrainingLog::two_layers(), TrainingLog::one_layer());
    let measured = |row: usize| {
        let (it, one) = (&log.rows[row].1, &alone.rows[row].1);
        let best = |scores: &[f64]| scores[0].max(scores[1]);
        [
            it.loss_first,
            it.loss_repeated,
            it.accuracy,
            best(&it.previous[0]),
            best(&it.induction[1]),
            one.loss_repeated,
            one.accuracy,
        ]
    };
    let facts = [
        "first",
        "repeated",
        "accuracy",
        "previous",
        "induction",
        "one-layer-repeated",
        "one-layer-accuracy",
    ];
    for (row, (step, _)) in log.rows.iter().enumerate() {
        assert_eq!((*step, alone.rows[row].0), (25 * row, 25 * row));
        let drawing = drawn("growth", &[("step", step)]);
        let number = |name: &str| drawing.number(name);
        assert_eq!(number("step"), *step as f64);
        assert_eq!(drawing.table.rows.len(), log.rows.len());
        assert_eq!(drawing.table.rows[row].name, step.to_string());
        for (place, expected) in measured(row).into_iter().enumerate() {
            assert_eq!(drawing.table.rows[row].cells[place].value(), Some(expected), "{step}");
            assert_eq!(number(facts[place]), expected, "{step}: {}", facts[place]);
        }
        let jump = log.jump().unwrap();
        assert_eq!(number("jump"), jump as f64);
        assert_eq!(number("before-jump") + 25.0, number("jump"));
        assert_eq!(number("after-jump") - 25.0, number("jump"));
        assert_eq!(measured(row)[2] > 0.5, *step >= jump, "{step}");
        // Whatever the step, these are of the whole log.
        let losses = [("start", 0), ("before", jump / 25 - 1), ("jump", jump / 25), ("after", jump / 25 + 1)];
        for (when, row) in losses.into_iter().chain([("end", log.rows.len() - 1)]) {
            for (place, what) in ["first", "repeated", "accuracy"].into_iter().enumerate() {
                assert_eq!(number(&format!("{what}-{when}")), measured(row)[place], "{what}-{when}");
            }
        }
        let highest = number("first-highest-step") as usize / 25;
        assert_eq!(number("first-highest"), measured(highest)[0]);
        assert!(measured(row)[0] <= measured(highest)[0]);
        assert!((number("guessing") - 26f64.ln()).abs() < 1e-12);
        assert!(alone.rows.iter().all(|(_, it)| it.accuracy <= number("one-layer-most")));
        assert_eq!(number("one-layer-end"), alone.rows.last().unwrap().1.accuracy);
        assert_eq!(number("one-layer-steps"), 3000.0);
        assert_eq!(number("parameters"), 10_624.0);
        // What the training ran with.
        let it = Recipe::INDUCTION;
        for (name, said) in [
            ("steps", it.steps as f64),
            ("batch", it.batch as f64),
            ("rate", it.rate),
            ("warm-up", it.warm_up as f64),
            ("beta1", it.beta1),
            ("beta2", it.beta2),
            ("weight-decay", it.weight_decay),
            ("grid", 1.0 / it.grid),
        ] {
            assert_eq!(number(name), said, "{name}");
        }
    }
}
