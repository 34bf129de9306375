use attention::circuits::induction_circuit;
use attention::{AttentionOnly, AttentionOnlyRun};
use ndarray::Axis;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// A sequence that repeats, and a circuit for it.
struct Repeat {
    alphabet: usize,
    period: usize,
    sequence: Vec<usize>,
    circuit: AttentionOnly,
}

/// 200 of them: alphabets of 8 to 26 symbols, periods of 3 to 12, from two periods to four. Within
/// a period, symbols are distinct, unless `drawn` with replacement.
fn repeats(drawn: bool) -> Vec<Repeat> {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    let mut repeat = || {
        let alphabet = random.random_range(8..=26);
        let period = random.random_range(3..=alphabet.min(12));
        let length = random.random_range(2 * period..=4 * period);
        let mut symbols: Vec<usize> = (0..alphabet).collect();
        symbols.shuffle(&mut random);
        if drawn {
            symbols.fill_with(|| random.random_range(0..alphabet));
        }
        let sequence = (0..length).map(|i| symbols[i % period]).collect();
        let room = length + random.random_range(0..=5);
        let circuit = induction_circuit(alphabet, room).unwrap();
        Repeat { alphabet, period, sequence, circuit }
    };
    (0..200).map(|_| repeat()).collect()
}

impl Repeat {
    /// With the heads of those layers switched off.
    fn run(&self, off: &[usize]) -> AttentionOnlyRun {
        let circuit = off.iter().fold(self.circuit.clone(), |it, &layer| {
            it.without(layer, 0).unwrap()
        });
        circuit.run(&self.sequence).unwrap()
    }

    /// The positions that stand on a symbol seen a period ago, and have a next one to predict.
    fn repeated(&self) -> std::ops::Range<usize> {
        self.period..self.sequence.len() - 1
    }
}

/// Of all repeated positions, the share at which the next symbol is predicted.
fn share(repeats: &[Repeat], off: &[usize]) -> f64 {
    let (mut right, mut all) = (0, 0);
    for it in repeats {
        let predictions = it.run(off).predictions;
        for i in it.repeated() {
            right += usize::from(predictions[i] == Some(it.sequence[i + 1]));
            all += 1;
        }
    }
    right as f64 / all as f64
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

#[test]
fn it_takes_both_heads_to_continue_a_pattern() {
    let repeats = repeats(false);
    let both = share(&repeats, &[]);
    let without_first = share(&repeats, &[0]);
    let without_second = share(&repeats, &[1]);
    let symbol = mean(repeats.iter().map(|it| 1.0 / it.alphabet as f64));
    let period = mean(repeats.iter().map(|it| 1.0 / it.period as f64));
    println!(
        "predicted rightly: both {both:.3}, without the first \
         {without_first:.3}, without the second {without_second:.3}; \
         chance: one symbol of the alphabet {symbol:.3}, of the period \
         {period:.3}"
    );
    assert_eq!(both, 1.0);
    // What came most often is never what comes next: that has been waiting longest.
    assert_eq!(without_first, 0.0);
    // Nothing speaks for any symbol, and nothing is predicted.
    assert_eq!(without_second, 0.0);
}

#[test]
fn where_symbols_occur_twice_in_a_period_one_symbol_of_memory_is_not_enough() {
    let both = share(&repeats(true), &[]);
    println!("with symbols drawn anew, predicted rightly: {both:.3}");
    assert!(both > 0.5 && both < 0.95);
}

#[test]
fn the_first_head_looks_at_the_token_before() {
    for it in repeats(false) {
        let run = it.run(&[]);
        for i in 1..it.sequence.len() {
            assert!(run.weights[0][0][[i, i - 1]] > 0.999);
        }
    }
}

#[test]
fn the_stripe_lies_a_period_less_one_back() {
    let mut least = 1.0;
    for it in repeats(false) {
        let run = it.run(&[]);
        for i in it.period..it.sequence.len() {
            // Once for each time that the symbol was there before.
            let back = (it.period - 1..=i).step_by(it.period);
            let back = back.filter(|&back| i - back > 0);
            let places: Vec<usize> = back.map(|back| i - back).collect();
            let stripe: f64 =
                places.iter().map(|&j| run.weights[1][0][[i, j]]).sum();
            least = f64::min(least, stripe);
            for &j in &places {
                let even = 1.0 / places.len() as f64;
                assert!((run.weights[1][0][[i, j]] - even).abs() < 0.01);
            }
        }
    }
    println!("on the stripe: at least {least:.5}");
    assert!(least > 0.999);
}

#[test]
fn a_head_that_is_off_adds_nothing() {
    for it in repeats(false).iter().take(20) {
        let both = it.run(&[]);
        let without_first = it.run(&[0]);
        let without_second = it.run(&[1]);
        assert_eq!(without_first.weights[0], both.weights[0]);
        assert_eq!(without_second.weights[1], both.weights[1]);
        assert!(without_second.logits.iter().all(|&logit| logit == 0.0));
        // Nothing is known of what came before: all but the first position match alike.
        let row = without_first.weights[1][0].row(it.sequence.len() - 1);
        for j in 2..row.len() {
            assert!((row[j] - row[1]).abs() < 1e-12);
        }
    }
}

#[test]
fn logits_are_the_weights_of_each_symbol() {
    for it in repeats(true).iter().take(20) {
        let run = it.run(&[]);
        assert_eq!(run.logits.dim(), (it.sequence.len(), it.alphabet));
        for (i, row) in run.logits.axis_iter(Axis(0)).enumerate() {
            for (symbol, logit) in row.iter().enumerate() {
                let places = 0..it.sequence.len();
                let here = places.filter(|&j| it.sequence[j] == symbol);
                let weight: f64 = here.map(|j| run.weights[1][0][[i, j]]).sum();
                assert!((logit - weight).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn the_future_changes_nothing() {
    for it in repeats(true).iter().take(20) {
        let was = it.run(&[]);
        let last = it.sequence.len() - 1;
        let mut sequence = it.sequence.clone();
        sequence[last] = (sequence[last] + 1) % it.alphabet;
        let is = it.circuit.run(&sequence).unwrap();
        assert_eq!(is.predictions[..last], was.predictions[..last]);
        for i in 0..last {
            assert_eq!(is.logits.row(i), was.logits.row(i));
        }
    }
}

#[test]
fn the_shortest_and_the_longest_sequence_run() {
    let circuit = induction_circuit(1, 4).unwrap();
    assert_eq!(circuit.run(&[0]).unwrap().predictions, [Some(0)]);
    assert!(circuit.run(&[0; 4]).is_ok());
    assert!(circuit.run(&[0; 5]).is_err());
}
