use std::time::Instant;

use attention::random::Normals;
use attention::study::{
    DEPTH_RUNS, DEPTH_SEED, DEPTHS, DepthGradients, Initialisation, Quartiles,
    depth_study, depth_table, log_slope,
};
use attention::{Mask, NormPlace, Stack};

/// What as many stacks with other seeds gave.
fn other_seeds() -> Vec<DepthGradients> {
    let lines = include_str!("depth_other_seeds.txt").lines();
    lines.filter_map(DepthGradients::read).collect()
}

fn numbers(it: &Quartiles) -> [f64; 3] {
    [it.lower, it.median, it.upper]
}

#[test]
fn the_table_is_what_the_code_computes() {
    let (start, table) = (Instant::now(), depth_table());
    for it in depth_study(&DEPTHS[..1], DEPTH_RUNS, DEPTH_SEED).unwrap() {
        let fits = |other: &&DepthGradients| {
            other.norms == it.norms
                && other.initialisation == it.initialisation
                && other.blocks.len() == it.blocks.len()
        };
        let read = table.iter().find(fits).unwrap();
        for (came, needed) in read.blocks.iter().zip(&it.blocks) {
            for (came, needed) in numbers(came).into_iter().zip(numbers(needed))
            {
                // Three decimals in the file.
                assert!((came - needed).abs() < 6e-4, "{came} {needed}");
            }
        }
    }
    println!("{} blocks: {:?}", DEPTHS[0], start.elapsed());
}

#[test]
fn the_tables_have_every_kind_and_depth_once() {
    for table in [depth_table(), other_seeds()] {
        let depths: Vec<usize> =
            table.iter().map(|it| it.blocks.len()).collect();
        assert_eq!(depths, [DEPTHS; 4].concat());
        let kinds = table.chunks(DEPTHS.len()).map(|stacks| {
            let kind = (stacks[0].initialisation, stacks[0].norms);
            let same =
                |it: &DepthGradients| (it.initialisation, it.norms) == kind;
            assert!(stacks.iter().all(same));
            kind
        });
        let (xavier, scaled) =
            (Initialisation::Xavier, Initialisation::ScaledResiduals);
        let (pre, post) = (NormPlace::Pre, NormPlace::Post);
        let needed =
            [(xavier, pre), (xavier, post), (scaled, pre), (scaled, post)];
        assert_eq!(kinds.collect::<Vec<_>>(), needed);
    }
}

/// The two tables' medians lie as near to each other as the standard error says, and as far.
#[test]
fn the_standard_error_is_what_other_seeds_differ_by() {
    let (table, other) = (depth_table(), other_seeds());
    let pairs = table.iter().zip(&other);
    let pairs = pairs.flat_map(|(one, two)| one.blocks.iter().zip(&two.blocks));
    let differences = pairs.map(|(one, two)| {
        let error = one.error(DEPTH_RUNS).hypot(two.error(DEPTH_RUNS));
        (one.median - two.median) / error
    });
    let differences: Vec<f64> = differences.collect();
    let largest =
        differences.iter().fold(0.0, |far: f64, it| far.max(it.abs()));
    let squares = differences.iter().map(|it| it * it).sum::<f64>();
    let typical = (squares / differences.len() as f64).sqrt();
    println!(
        "difference in standard errors: {typical:.2}, at most {largest:.2}"
    );
    assert!(largest < 4.0 && (0.5..1.5).contains(&typical));
}

/// A line that says less than it has to is none, and no other number is made of it.
#[test]
fn a_line_that_is_cut_off_is_not_read() {
    let line = depth_table()[0].line();
    assert!(DepthGradients::read(&line).is_some());
    for end in [0, 5, 12, line.rfind(" |").unwrap(), line.rfind(' ').unwrap()] {
        assert_eq!(DepthGradients::read(&line[..end]), None, "{end}");
    }
    for (one, other) in [("xavier", "zero"), (" pre", " both"), ("| ", "| x")] {
        let line = line.replacen(one, other, 1);
        assert_eq!(DepthGradients::read(&line), None, "{line}");
    }
    let line = "xavier pre | 5 | 6 | 1"; // The quartile would be below 0.
    assert_eq!(DepthGradients::read(line), None);
}

// Xiong et al. 2020, theorem 1 and figure 3 (c) and (d): how the last block's gradient depends on the
// depth. With GPT-2's initialisation it does not.
#[test]
fn the_last_gradient_falls_as_the_root_in_pre_norm_and_stays_otherwise() {
    for table in [depth_table(), other_seeds()] {
        for stacks in table.chunks(DEPTHS.len()) {
            let point = |it: &DepthGradients| {
                let depth = it.blocks.len();
                (depth as f64, it.blocks[depth - 1].median)
            };
            let points: Vec<_> = stacks.iter().map(point).collect();
            let slope = log_slope(&points).unwrap();
            let kind = (stacks[0].initialisation, stacks[0].norms);
            println!("{kind:?}: slope {slope:.3}");
            match kind {
                (Initialisation::Xavier, NormPlace::Pre) => {
                    assert!((slope + 0.5).abs() < 0.06)
                }
                _ => assert!(slope.abs() < 0.02),
            }
        }
    }
}

/// As in GPT-2, what attention and the MLP of N blocks add is divided by √(2 N), and nothing else.
#[test]
fn scaled_residuals_are_added_smaller() {
    let mut normals = Normals::seeded(74);
    let drawn = Stack::xavier(NormPlace::Pre, 18, 8, 2, &mut normals).unwrap();
    let scaled = drawn.clone().with_scaled_residuals();
    let x = normals.matrix(5, 8); // [T = 5, d = 8]
    for (one, other) in drawn.blocks.iter().zip(&scaled.blocks) {
        let attention = |block: &attention::Block| {
            block.attention.attend(&x, &Mask::Causal).unwrap().output
        };
        let mlp = |block: &attention::Block| block.mlp.apply(&x).unwrap();
        for (one, other) in
            [(attention(one), attention(other)), (mlp(one), mlp(other))]
        {
            let worst = (one / 6.0 - other)
                .iter()
                .fold(0.0, |a: f64, b| a.max(b.abs()));
            assert!(worst < 1e-12, "{worst}");
        }
        assert_eq!(one.mlp.w_in, other.mlp.w_in);
        for (one, other) in
            one.attention.heads.iter().zip(&other.attention.heads)
        {
            assert_eq!(one.projections, other.projections);
        }
    }
}
