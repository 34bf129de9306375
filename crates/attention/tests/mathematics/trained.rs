use std::collections::BTreeSet;

use attention::circuits::induction_circuit;
use attention::study::{
    Ablations, Metrics, Repeat, Repeats, induction_score, mean_ablated,
    mean_output, previous_token_score,
};
use attention::trained::{Recipe, Seed, TrainingLog};
use attention::{
    AttentionOnly, Error, Head, Mask, MultiHead, Projections, shift,
};
use ndarray::{Array2, ArrayRef2, Axis, array};
use proptest::prelude::*;

use super::{assert_close, cases};

/// What the grown model does on the sequences it is measured on, with some heads off.
fn without(off: &[(usize, usize)]) -> Metrics {
    let mut model = AttentionOnly::trained();
    for &(layer, head) in off {
        model = model.without(layer, head).unwrap();
    }
    Metrics::of(&model, &Repeats::evaluation()).unwrap()
}

#[test]
fn candle_agrees() {
    let grown = AttentionOnly::trained();
    let sequences = Repeats::evaluation();
    let mut compared = 0;
    for line in
        include_str!("../../src/trained/model/logits.csv").lines().skip(1)
    {
        let numbers: Vec<f64> =
            line.split(',').map(|number| number.parse().unwrap()).collect();
        let (sequence, position) = (numbers[0] as usize, numbers[1] as usize);
        let (inputs, _) = shift(&sequences[sequence].symbols);
        let logits = grown.run(inputs).unwrap().logits;
        let row = logits.row(position).insert_axis(Axis(0)).to_owned();
        let theirs = Array2::from_shape_vec((1, 26), numbers[2..].to_vec());
        // They are written with nine decimals.
        assert_close(&row, &theirs.unwrap(), 1e-9);
        compared += 1;
    }
    assert_eq!(compared, 16);
}

#[test]
fn the_log_ends_with_what_the_weights_do() {
    let log = TrainingLog::two_layers().to_csv();
    let again = TrainingLog { rows: vec![(750, without(&[]))] }.to_csv();
    assert_eq!(log.lines().last(), again.lines().last());
}

#[test]
fn the_files_are_in_the_form_that_is_written() {
    let files = [
        (
            include_str!("../../src/trained/model/log.csv"),
            TrainingLog::two_layers(),
        ),
        (
            include_str!("../../src/trained/model/log-one-layer.csv"),
            TrainingLog::one_layer(),
        ),
    ];
    for (file, log) in files {
        assert_eq!(log.to_csv(), file);
    }
}

#[test]
fn each_head_switched_off() {
    let all = without(&[]);
    let accuracy = |off: &[(usize, usize)]| {
        let it = without(off);
        println!("without {off:?}: accuracy {:.3}", it.accuracy);
        // A head that is off still looks, and nothing has changed below it.
        assert_eq!(it.previous[0], all.previous[0]);
        it.accuracy
    };
    assert!(accuracy(&[]) > 0.99);
    // The previous-token head: without it the second layer finds nothing.
    assert!(accuracy(&[(0, 0)]) < 0.25);
    assert!(without(&[(0, 0)]).induction[1].iter().all(|&score| score < 0.25));
    // The other head of its layer is of little use.
    assert!(accuracy(&[(0, 1)]) > 0.99);
    // The induction heads share the work: one alone manages half of it, ...
    for head in [0, 1] {
        let one = accuracy(&[(1, head)]);
        assert!(one > 0.4 && one < 0.7);
    }
    // ... and without either, a symbol of the alphabet comes out by chance.
    assert!((accuracy(&[(1, 0), (1, 1)]) - 1.0 / 26.0).abs() < 0.02);
}

#[test]
fn a_mean_ablated_head_adds_its_mean_and_nothing_else() {
    let grown = AttentionOnly::trained();
    let texts = &Repeats::evaluation()[..5];
    for head in [0, 1] {
        // What the head adds, at every position of every text: one below the other.
        let added = |it: &Repeat| {
            let (inputs, _) = shift(&it.symbols);
            let first = &grown.layers[0];
            let x = grown.embed(inputs).unwrap();
            let x = &x + &first.attend(&x, &Mask::Causal).unwrap().output;
            grown.layers[1].contributions(&x, &Mask::Causal).unwrap()[head]
                .clone()
        };
        let mean = texts
            .iter()
            .map(|it| added(it).sum_axis(Axis(0)))
            .fold(Array2::zeros((1, 32)), |sum, it| {
                sum + &(it / (5.0 * 24.0)).insert_axis(Axis(0))
            });
        let measured = mean_output(&grown, 1, head, texts).unwrap();
        assert_close(&measured.insert_axis(Axis(0)), &mean, 1e-12);

        let ablated = mean_ablated(&grown, 1, head, texts).unwrap();
        for it in texts {
            let (inputs, _) = shift(&it.symbols);
            let (before, after) =
                (grown.run(inputs).unwrap(), ablated.run(inputs).unwrap());
            assert_eq!(before.weights, after.weights); // it still looks
            let instead = (&mean - &added(it)).dot(&grown.unembedding); // [T, alphabet]
            assert_close(&after.logits, &(&before.logits + &instead), 1e-9);
        }
    }
    // Twice: a layer with two means in its bias.
    let both =
        mean_ablated(&mean_ablated(&grown, 1, 0, texts).unwrap(), 1, 1, texts)
            .unwrap();
    let means = mean_output(&grown, 1, 0, texts).unwrap()
        + mean_output(&grown, 1, 1, texts).unwrap();
    let bias = both.layers[1].bias.clone().unwrap();
    assert_close(
        &bias.insert_axis(Axis(0)),
        &means.insert_axis(Axis(0)),
        1e-12,
    );
}

#[test]
fn heads_that_cannot_be_set_to_their_mean() {
    let (mut grown, texts) = (AttentionOnly::trained(), Repeats::evaluation());
    let says = |model: &AttentionOnly, layer, head, texts: &[Repeat]| {
        mean_ablated(model, layer, head, texts).unwrap_err().to_string()
    };
    assert_eq!(
        says(&grown, 2, 0, &texts),
        "layer: came as 2, needed less than 2"
    );
    assert_eq!(
        says(&grown, 1, 2, &texts),
        "head: came as 2, needed less than 2"
    );
    assert_eq!(
        says(&grown, 1, 1, &[]),
        "repeats: came empty, needed at least one"
    );
    grown.layers[1].bias = Some(array![1.0, 2.0]);
    let said = says(&grown, 1, 1, &texts);
    assert!(said.starts_with("bias: came as [2], needed [32]"), "{said}");
}

/// The row of the book's model, measured again; those of the others cannot be, without their weights. (`crates/train` trains
/// one of them anew.)
#[test]
fn the_table_of_seeds_has_the_book_s_model() {
    let (file, tried) =
        (include_str!("../../src/trained/model/seeds.csv"), Seed::tried());
    assert_eq!(Seed::to_csv(&tried), file);
    let (model, texts) = (AttentionOnly::trained(), Repeats::evaluation());
    let ours = tried.iter().find(|it| it.seed == 14).unwrap();
    let log = TrainingLog::two_layers();
    let again = Seed {
        jump: log.jump(),
        metrics: Metrics::of(&model, &texts).unwrap(),
        ablations: Ablations::of(&model, &texts).unwrap(),
        ..ours.clone()
    };
    assert_eq!(
        Seed::to_csv(&[again]),
        Seed::to_csv(std::slice::from_ref(ours))
    );
    assert_eq!(log.rows.last().unwrap().0, Recipe::INDUCTION.steps);

    let damaged = [
        file.replacen("zero 0.0", "zero 0.2", 1),
        file.replacen("\n1,", "\n1.5,", 1),
        file.replacen("\n1,", "\n1,,", 1),
        format!("{file}15,"),
    ];
    for csv in damaged {
        assert_ne!(csv, file);
        assert!(matches!(
            Seed::parse(&csv),
            Err(Error::File { argument: "csv", .. })
        ));
    }
    let mut none = tried;
    none[3].jump = None;
    assert_eq!(Seed::parse(&Seed::to_csv(&none)).unwrap(), none);
}

#[test]
fn head_by_head_it_is_the_circuit_built_by_hand() {
    let built = induction_circuit(26, 24).unwrap();
    let sequences = Repeats::evaluation();
    let scores = |score: fn(&ArrayRef2<f64>, &Repeat) -> f64, layer: usize| {
        let one = |it: &Repeat| {
            let (inputs, _) = shift(&it.symbols);
            let run = built.run(inputs).unwrap();
            score(&run.weights[layer][0], it)
        };
        sequences.iter().map(one).sum::<f64>() / sequences.len() as f64
    };
    assert!(scores(previous_token_score, 0) > 0.999);
    assert!(scores(induction_score, 0) < 0.001);
    assert!(scores(induction_score, 1) > 0.999);

    let grown = without(&[]);
    assert!(grown.previous[0][0] > 0.85);
    assert!(grown.induction[0].iter().all(|&score| score < 0.05));
    assert!(grown.induction[1].iter().all(|&score| score > 0.95));
    // Its first layer has one such head, and its second none.
    let others =
        [grown.previous[0][1], grown.previous[1][0], grown.previous[1][1]];
    assert!(others.iter().all(|&score| score < 0.25));
}

#[test]
fn the_log_shows_the_jump_and_what_it_costs() {
    let log = TrainingLog::two_layers();
    let jump = log.jump().unwrap();
    let even = libm::log(26.0);
    for (step, it) in &log.rows {
        // Until then it knows next to nothing; 200 steps later, everything.
        if step + 50 < jump {
            assert!(it.loss_repeated > 0.8 * even && it.best_induction() < 0.2);
        }
        if *step > jump + 200 {
            assert!(it.accuracy > 0.99 && it.best_induction() > 0.9);
        }
    }
    // At the jump it bets, and loses where nobody can know: more than by giving all symbols the same.
    let at =
        |wanted| &log.rows.iter().find(|(step, _)| *step == wanted).unwrap().1;
    assert!(at(jump + 25).loss_first > even + 0.5);

    let alone = TrainingLog::one_layer();
    assert_eq!(alone.rows.last().unwrap().0, 3000);
    assert!(
        alone
            .rows
            .iter()
            .all(|(_, it)| it.accuracy < 0.4 && it.best_induction() < 0.25)
    );
}

/// A model that knows nothing: `d` features, all 0.
fn nothing(layers: usize) -> AttentionOnly {
    let (d, d_k, d_v) = (3, 2, 1);
    let projections = Projections {
        query: Array2::zeros((d, d_k)),
        key: Array2::zeros((d, d_k)),
        value: Array2::zeros((d, d_v)),
    };
    let head = Head::new(projections, Array2::zeros((d_v, d)));
    AttentionOnly {
        embedding: Array2::zeros((26, d)),
        positions: Array2::zeros((24, d)),
        layers: vec![MultiHead::new(vec![head]); layers],
        unembedding: Array2::zeros((d, 26)),
    }
}

#[test]
fn who_knows_nothing_measures_so() {
    let it = Repeat { symbols: vec![4, 3, 2, 4, 3, 2, 4, 3], period: 3 };
    let growth = Metrics::of(&nothing(1), &[it]).unwrap();
    assert!((growth.loss_first - libm::log(26.0)).abs() < 1e-12);
    assert!((growth.loss_repeated - libm::log(26.0)).abs() < 1e-12);
    assert_eq!(growth.accuracy, 0.0); // it says 0, always
    // Even weights: a half at position 1, a third at 2.
    assert!(
        (growth.previous[0][0] - (1.0 / 2.0 + 1.0 / 3.0) / 2.0).abs() < 1e-12
    );
    // From 3 to 5 what followed stands at one place, at 6 at two: 1, 2, 3 and 1, 4.
    let even = (1.0 / 4.0 + 1.0 / 5.0 + 1.0 / 6.0 + 2.0 / 7.0) / 4.0;
    assert!((growth.induction[0][0] - even).abs() < 1e-12);
}

#[test]
fn the_same_log_in_and_out() {
    let sequences = Repeats::evaluation();
    let row = |step| (step, Metrics::of(&nothing(3), &sequences).unwrap());
    let csv = TrainingLog { rows: vec![row(0), row(25)] }.to_csv();
    assert_eq!(TrainingLog::parse(&csv).unwrap().to_csv(), csv);

    // Whatever wrote it.
    let windows = format!("\u{feff}{}", csv.replace('\n', "\r\n"));
    for same in [&windows, csv.trim_end(), windows.trim_end()] {
        assert_eq!(TrainingLog::parse(same).unwrap().to_csv(), csv);
    }

    let damaged = [
        ("", "`` in line 1"),
        (&csv.replacen("accuracy", "precision", 1), "in line 1"),
        (&csv.replacen("previous 2.0", "previous 2.1", 1), "in line 1"),
        (&csv.replacen("\n25,", "\n25.5,", 1), "in line 3"),
        (&csv.replacen("\n25,", "\n25,0,", 1), "in line 3"),
        (&csv[..csv.len() - 8], "in line 3"),
    ];
    for (csv, place) in damaged {
        let error = TrainingLog::parse(csv).unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn repeats_are_what_they_say(seed: u64) {
        for it in Repeats::seeded(seed).take(4) {
            let period = it.period;
            prop_assert!((6..=12).contains(&period));
            let distinct: BTreeSet<_> = it.symbols[..period].iter().collect();
            prop_assert_eq!(distinct.len(), period);
            prop_assert_eq!(it.symbols.len(), 25);
            for i in 0..25 {
                prop_assert!(it.symbols[i] < 26);
                prop_assert_eq!(it.symbols[i], it.symbols[i % period]);
            }
            for i in it.first() {
                prop_assert_eq!(it.followers(i).count(), 0);
            }
            for i in it.repeated() {
                let followers: Vec<_> = it.followers(i).collect();
                let back = (1..=i / period).rev().map(|n| i + 1 - n * period);
                prop_assert_eq!(followers, back.collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn periods_and_symbols_are_drawn_evenly() {
    let mut periods = [0; 13];
    let mut symbols = [0; 26];
    for it in Repeats::seeded(3).take(7000) {
        periods[it.period] += 1;
        symbols[it.symbols[0]] += 1;
    }
    // 1000 of each period, 269 of each symbol; three and a half standard deviations either way.
    assert!(periods[6..].iter().all(|count| (898..1102).contains(count)));
    assert!(symbols.iter().all(|count| (212..327).contains(count)));
}

#[test]
fn nobody_is_trained_on_what_is_measured() {
    let measured = Repeats::evaluation();
    for seed in 0..20 {
        let trained = Repeats::seeded(seed).take(1000);
        assert!(trained.into_iter().all(|it| !measured.contains(&it)));
    }
}

#[test]
fn the_future_changes_nothing() {
    let grown = AttentionOnly::trained();
    for it in Repeats::evaluation().iter().take(20) {
        let (inputs, _) = shift(&it.symbols);
        let was = grown.run(inputs).unwrap();
        let mut other = inputs.to_vec();
        other[20] = (other[20] + 1) % 26;
        let is = grown.run(&other).unwrap();
        assert_eq!(is.predictions[..20], was.predictions[..20]);
        for i in 0..20 {
            assert_eq!(is.logits.row(i), was.logits.row(i));
        }
    }
}

#[test]
fn layers_are_passed_one_after_the_other() {
    let grown = AttentionOnly::trained();
    let sequence = [5, 2, 7, 5, 2, 7];
    let mut x = grown.embed(&sequence).unwrap();
    for layer in &grown.layers {
        let added = layer.contributions(&x, &Mask::Causal).unwrap();
        added.iter().for_each(|added| x += added);
    }
    let logits = grown.run(&sequence).unwrap().logits;
    assert_close(&logits, &x.dot(&grown.unembedding), 1e-12);
}

#[test]
fn what_does_not_fit_is_refused() {
    let grown = AttentionOnly::trained();
    let says = |error: Error| error.to_string();
    assert_eq!(
        says(grown.run(&[]).unwrap_err()),
        "sequence: came empty, needed at least one"
    );
    assert!(grown.run(&[25; 24]).is_ok());
    assert_eq!(
        says(grown.run(&[0; 25]).unwrap_err()),
        "sequence.len(): came as 25, needed at most 24"
    );
    assert_eq!(
        says(grown.run(&[3, 26]).unwrap_err()),
        "symbol in sequence: came as 26, needed at most 25"
    );
    assert_eq!(
        says(grown.without(2, 0).unwrap_err()),
        "layer: came as 2, needed less than 2"
    );
    assert_eq!(
        says(grown.without(1, 2).unwrap_err()),
        "head: came as 2, needed less than 2"
    );
    assert_eq!(
        says(Metrics::of(&grown, &[]).unwrap_err()),
        "repeats: came empty, needed at least one"
    );

    let mut other = nothing(1);
    other.positions = Array2::zeros((24, 2));
    assert_eq!(
        says(other.run(&[0]).unwrap_err()),
        "positions: came as [24, 2], needed [length, 3] for embedding [26, 3]"
    );
    let mut other = nothing(1);
    other.unembedding = Array2::zeros((3, 25));
    assert_eq!(
        says(other.run(&[0]).unwrap_err()),
        "unembedding: came as [3, 25], needed [3, 26] for embedding [26, 3]"
    );
    let mut other = nothing(1);
    other.embedding = Array2::zeros((0, 3));
    assert!(
        says(other.run(&[0]).unwrap_err()).starts_with("embedding.nrows()")
    );
}

/// A safetensors file: for each tensor its name, type, shape and bytes.
fn file(tensors: &[(&str, &str, &str, Vec<u8>)]) -> Vec<u8> {
    let mut entries = vec![r#""__metadata__":{"format":"pt"}"#.to_owned()];
    let mut data = Vec::new();
    for (name, dtype, shape, bytes) in tensors {
        let start = data.len();
        data.extend(bytes);
        let end = data.len();
        entries.push(format!(
            r#""{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{start},{end}]}}"#
        ));
    }
    let head = format!("{{{}}}  ", entries.join(","));
    let length = (head.len() as u64).to_le_bytes();
    [&length, head.as_bytes(), &data].concat()
}

/// The smallest model: one symbol, one position, one feature, no layer.
fn smallest() -> Vec<(&'static str, &'static str, &'static str, Vec<u8>)> {
    vec![
        ("embedding", "BF16", "[1,1]", vec![0x80, 0x3f]), // 1.0
        ("positions", "BF16", "[1,1]", vec![0x40, 0xc0]), // −3.0
        ("unembedding", "BF16", "[1,1]", vec![0x20, 0x3e]), // 0.15625 = 5 / 32
    ]
}

#[test]
fn numbers_are_read_as_they_are_written() {
    let it = AttentionOnly::from_safetensors(&file(&smallest())).unwrap();
    assert_eq!(it.embedding, array![[1.0]]);
    assert_eq!(it.positions, array![[-3.0]]);
    assert_eq!(it.unembedding, array![[0.15625]]);
    assert_eq!(it.run(&[0]).unwrap().logits, array![[-0.3125]]);
}

#[test]
fn weights_are_multiples_of_a_32nd() {
    let grown = AttentionOnly::trained();
    let heads = grown.layers.iter().flat_map(|layer| &layer.heads);
    let of_heads =
        heads.flat_map(|Head { projections: it, output, .. }| {
            [&it.query, &it.key, &it.value, output]
        });
    let all = of_heads.chain([
        &grown.embedding,
        &grown.positions,
        &grown.unembedding,
    ]);
    assert!(all.flatten().all(|weight| (weight * 32.0).fract() == 0.0));
}

#[test]
fn damage_is_found() {
    let change =
        |n: usize, to: (&'static str, &'static str, &'static str, Vec<u8>)| {
            let mut tensors = smallest();
            tensors[n] = to;
            file(&tensors)
        };
    let bytes = vec![0x80, 0x3f];
    let mut more = smallest();
    more.push(("layers.1.heads.0.query", "BF16", "[1,1]", bytes.clone()));
    let mut partly = smallest();
    partly.push(("layers.0.heads.0.query", "BF16", "[1,1]", bytes.clone()));
    let good = file(&smallest());
    let short = good[..good.len() - 1].to_vec();
    let damaged = [
        (vec![0; 7], "fewer than 8 bytes"),
        (vec![255; 100], "a header of 18446744073709551615 bytes"),
        (good[..40].to_vec(), "a header beyond its end"),
        ([&2_u64.to_le_bytes()[..], b"{]"].concat(), "an unreadable header"),
        ([&2_u64.to_le_bytes()[..], b"{}"].concat(), "no tensor `embedding`"),
        (short, "bytes 4 to 6 in `unembedding`"),
        (
            change(0, ("embedding", "F16", "[1,1]", bytes.clone())),
            "F16 numbers in `embedding`",
        ),
        (
            change(0, ("embedding", "BF16", "[1]", bytes.clone())),
            "the shape [1] in `embedding`",
        ),
        (
            change(0, ("embedding", "BF16", "[1,2]", bytes.clone())),
            "2 bytes for [1, 2] in `embedding`",
        ),
        (
            change(0, ("embedding", "BF16", "[1,1]", vec![1, 2, 3])),
            "3 bytes for [1, 1] in `embedding`",
        ),
        (
            change(
                0,
                ("embedding", "BF16", "[9223372036854775807,4]", bytes.clone()),
            ),
            "2 bytes for [9223372036854775807, 4] in `embedding`",
        ),
        (
            change(0, ("embedding", "BF16", "[1,1]", vec![0x80, 0x7f])),
            "a number that is not finite in `embedding`",
        ),
        (
            change(1, ("place", "BF16", "[1,1]", bytes.clone())),
            "no tensor `positions`",
        ),
        (file(&more), "the tensor `layers.1.heads.0.query`"),
        (file(&partly), "no tensor `layers.0.heads.0.key`"),
    ];
    for (file, came) in damaged {
        let error = AttentionOnly::from_safetensors(&file).unwrap_err();
        let Error::File { argument: "file", came: found, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(found, came);
    }
    let wide = change(2, ("unembedding", "BF16", "[1,2]", vec![0; 4]));
    let error = AttentionOnly::from_safetensors(&wide).unwrap_err();
    assert!(matches!(error, Error::Shape { argument: "unembedding", .. }));
}

#[test]
fn no_beginning_of_the_file_is_taken_for_all_of_it() {
    let whole = include_bytes!("../../src/trained/model/weights.safetensors");
    assert!(AttentionOnly::from_safetensors(whole).is_ok());
    for length in (0..whole.len()).step_by(97) {
        assert!(AttentionOnly::from_safetensors(&whole[..length]).is_err());
    }
}
