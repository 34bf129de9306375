use std::fmt::Display;

use attention::NormPlace;
use attention::study::{DEPTHS, DepthGradients, Initialisation, Quartiles, depth_table, log_slope};

use crate::{Drawn, drawn};

/// What as many stacks with other seeds gave.
fn other_seeds() -> Vec<DepthGradients> {
    let text = include_str!("../../crates/attention/tests/mathematics/depth_other_seeds.txt");
    text.lines().filter_map(DepthGradients::read).collect()
}

const STARTS: [(&str, Initialisation); 2] =
    [("xavier", Initialisation::Xavier), ("gpt-2", Initialisation::ScaledResiduals)];
const PLACES: [(&str, NormPlace); 2] = [("pre", NormPlace::Pre), ("post", NormPlace::Post)];

fn named<T: Copy>(names: &[(&str, T)], name: &str) -> T {
    names.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("`{name}` is not known")).1
}

/// The sizes of each block in stacks of one kind.
fn blocks<'a>(table: &'a [DepthGradients], start: &str, place: &str, depth: usize) -> &'a [Quartiles] {
    let (start, place) = (named(&STARTS, start), named(&PLACES, place));
    let fits = |it: &&DepthGradients| (it.initialisation, it.norms, it.blocks.len()) == (start, place, depth);
    &table.iter().find(fits).unwrap().blocks
}

/// A finding of the figure, computed from a table.
fn finding(table: &[DepthGradients], name: &str, start: &str, depth: usize) -> f64 {
    let (place, rest) = name.split_once('-').unwrap_or((name, ""));
    let blocks = |depth| blocks(table, start, place, depth);
    if rest == "slope" {
        let point = |depth: usize| (depth as f64, blocks(depth)[depth - 1].median);
        return log_slope(&DEPTHS.map(point)).unwrap();
    }
    let of_first = rest.strip_prefix("first");
    let block = if of_first.is_some() { 0 } else { depth - 1 };
    quartile(&blocks(depth)[block], of_first.unwrap_or(rest).trim_start_matches('-'))
}

fn quartile(sizes: &Quartiles, name: &str) -> f64 {
    match name {
        "" => sizes.median,
        "lower" => sizes.lower,
        "upper" => sizes.upper,
        _ => panic!("`{name}` is not known"),
    }
}

fn norms(start: &str, depth: usize) -> Drawn {
    drawn("norms", &[("initialisation", &start as &dyn Display), ("depth", &depth)])
}

/// What `norms` quotes is what the table has, and so is each cell.
#[test]
fn norms_shows_the_gradients_that_were_measured() {
    let table = depth_table();
    for (start, _) in STARTS {
        for depth in DEPTHS {
            let drawing = norms(start, depth);
            for (place, _) in PLACES {
                for rest in ["", "-lower", "-upper", "-first", "-first-lower", "-first-upper", "-slope"] {
                    let name = place.to_owned() + rest;
                    assert_eq!(drawing.number(&name), finding(&table, &name, start, depth), "{name}");
                }
                for (column, name) in [("", ""), (", lower quartile", "lower"), (", upper quartile", "upper")]
                {
                    let column = format!("{place}-norm{column}");
                    let rows = (1..=depth).map(|block| (format!("{block} of {depth}"), depth, block));
                    let last = DEPTHS.map(|depth| (format!("last of {depth}"), depth, depth));
                    for (row, depth, block) in rows.chain(last) {
                        let needed = quartile(&blocks(&table, start, place, depth)[block - 1], name);
                        assert_eq!(drawing.cell(&row, &column), needed, "{row}, {column}");
                    }
                }
            }
        }
    }
}

/// How often the unit of a number's last digit goes into it.
fn units(number: f64, shown: &str) -> i64 {
    let digits = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
    let rounded = format!("{number:.digits$}").replace('.', "");
    rounded.parse().unwrap()
}

/// Other seeds change the last digit of what the table shows by one at most, as the caption says.
#[test]
fn other_seeds_change_a_last_digit_of_norms_by_one_at_most() {
    let (mut same, mut all) = (0, 0);
    let (table, other) = (depth_table(), other_seeds());
    for (start, _) in STARTS {
        for depth in DEPTHS {
            let drawing = norms(start, depth);
            for row in drawing.table.rows.iter().filter(|row| !row.name.starts_with("last")) {
                let block: usize = row.name.split(' ').next().unwrap().parse().unwrap();
                for (column, cell) in row.cells.iter().enumerate() {
                    let (place, name) = (PLACES[column / 3].0, ["", "lower", "upper"][column % 3]);
                    let of = |table| quartile(&blocks(table, start, place, depth)[block - 1], name);
                    let shown = cell.to_string();
                    let [one, two] = [of(&table), of(&other)].map(|number| units(number, &shown));
                    assert_eq!(shown.replace('.', "").parse::<i64>().unwrap(), one);
                    assert!((one - two).abs() <= 1, "{start}, {place}, {}, {name}: {one} {two}", row.name);
                    all += 1;
                    same += i32::from(one == two);
                }
            }
        }
    }
    println!("{same} of {all} numbers are the same with other seeds");
}

/// And nothing of the slopes.
#[test]
fn other_seeds_change_no_slope_of_norms() {
    let other = other_seeds();
    for (start, _) in STARTS {
        for name in ["pre-slope", "post-slope"] {
            let shown = norms(start, DEPTHS[0]).text(name).replace('−', "-");
            let needed = units(finding(&other, name, start, DEPTHS[0]), &shown);
            assert_eq!(shown.replace('.', "").parse::<i64>().unwrap(), needed, "{start}, {name}");
        }
    }
}

/// And nothing at all of what the chapters quote.
#[test]
fn other_seeds_change_no_number_of_norms_that_a_chapter_quotes() {
    let (other, mut quoted) = (other_seeds(), 0);
    for chapter in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../src")).unwrap() {
        let path = chapter.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for directive in text.split("{{#value norms ").skip(1) {
            let mut words = directive.split("}}").next().unwrap().split(' ');
            let name = words.next().unwrap();
            if ["depth", "shallowest", "deepest", "runs"].contains(&name) {
                continue;
            }
            let (mut start, mut depth) = ("xavier".to_owned(), 24);
            for setting in words {
                match setting.split_once('=').unwrap() {
                    ("initialisation", value) => start = value.to_owned(),
                    ("depth", value) => depth = value.parse().unwrap(),
                    _ => panic!("`{setting}` is not known"),
                }
            }
            let shown = norms(&start, depth).text(name).replace('−', "-");
            let needed = finding(&other, name, &start, depth);
            assert_eq!(
                shown.replace('.', "").parse::<i64>().unwrap(),
                units(needed, &shown),
                "{directive:.60}"
            );
            quoted += 1;
        }
    }
    assert!(quoted > 8, "{quoted}");
}
