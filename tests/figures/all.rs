//! What must hold for every figure: snapshots of its table and its pictures, its names, its controls, its captions.

use figures::{Cell, Kind, Params, Scene, Size, figure};
use insta::Settings;

use crate::{drawn, drawn_in};

/// The snapshot of this name is `tests/snapshots/figures__NAME.snap`.
fn snapshots() -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings
}

#[test]
fn tables() {
    let _there = snapshots().bind_to_scope();
    for figure in figures::all() {
        let drawing = drawn(figure.id, &[]);
        let mut text = format!("{} | {}\n", drawing.table.corner, drawing.table.columns.join(" | "));
        for row in &drawing.table.rows {
            let cells: Vec<_> = row.cells.iter().map(Cell::to_string).collect();
            text += &format!("{} | {}\n", row.name, cells.join(" | "));
        }
        text += "\n";
        for fact in &drawing.facts {
            text += &format!("{}: {}\n", fact.name, fact.cell);
        }
        text += &format!("\n{}\n", drawing.sentences.join("\n"));
        insta::assert_snapshot!(format!("figures__{}-table", figure.id), text);
    }
}

#[test]
fn pictures() {
    let _there = snapshots().bind_to_scope();
    for figure in figures::all() {
        for size in Size::ALL {
            let drawing = drawn_in(size, figure.id, &[]);
            insta::assert_snapshot!(format!("figures__{}-{}", figure.id, size.name()), drawing.svg);
        }
    }
}

/// Matrix products take the fastest instructions that the machine has, and their last bits differ with them. So the
/// snapshots are compared a second time where there are none of these: on a processor of 2008, in an emulator.
///
/// ```console
/// $ export WITHOUT_AVX=1 CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu Nehalem"
/// $ cargo test -p checks -p attention --test figures --test conformance
/// ```
#[cfg(target_arch = "x86_64")]
#[test]
fn without_avx_there_is_none() {
    let has_any = is_x86_feature_detected!("avx") || is_x86_feature_detected!("fma");
    println!("AVX or FMA: {}", if has_any { "yes" } else { "no" });
    assert!(!(has_any && std::env::var_os("WITHOUT_AVX").is_some()), "this machine has AVX or FMA");
}

/// The picture in the README, on white, for it cannot follow the reader's theme there.
#[test]
fn the_readmes_picture() {
    let drawing = drawn("threads", &[]);
    let on_white = drawing.svg.replacen("<svg ", "<svg style=\"background: white\" ", 1);
    let _there = snapshots().bind_to_scope();
    insta::assert_binary_snapshot!("figures__readme.svg", on_white.into_bytes());
}

/// Both widths show the same numbers and say the same.
#[test]
fn the_sizes_differ_in_the_picture_alone() {
    for figure in figures::all() {
        let [wide, narrow] = Size::ALL.map(|size| drawn_in(size, figure.id, &[]));
        assert_eq!(wide.table, narrow.table);
        assert_eq!(wide.facts, narrow.facts);
        assert_eq!(wide.sentences, narrow.sentences);
    }
}

#[test]
fn names_are_unique_and_fit_for_addresses() {
    let fit = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    for (place, figure) in figures::all().enumerate() {
        assert!(fit(figure.id), "{}", figure.id);
        assert!(figures::all().take(place).all(|other| other.id != figure.id), "{} twice", figure.id);
        let controls = figure.controls(&Scene::default());
        for (place, control) in controls.iter().enumerate() {
            assert!(fit(control.name), "{}: {}", figure.id, control.name);
            assert!(controls[..place].iter().all(|other| other.name != control.name), "{}", figure.id);
        }
    }
}

/// Each control's default is a value of it, and its written form reads back as the same.
#[test]
fn defaults_are_possible_and_read_back() {
    for figure in figures::all() {
        for control in figure.controls(&Scene::default()) {
            let default = control.default();
            assert_eq!(control.parse(&default.to_string()), Ok(default), "{}: {}", figure.id, control.name);
        }
    }
}

#[test]
fn what_no_control_takes_is_refused() {
    let threads = figure("threads").unwrap();
    let draw = |name: &str, written: &str| {
        let params = figures::params([(name, written)]);
        threads.draw(&Scene::default(), &params, Size::Wide).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(draw("speed", "1"), Err("there is no parameter `speed`; there is `query`, `scaled`".into()));
    assert_eq!(draw("scaled", "1"), Err("scaled: `1` is not possible; needed is `on` or `off`".into()));
    for written in ["NaN,0", "0,inf", "3.1,0", "1", "1,2,3", "", ","] {
        assert_eq!(
            draw("query", written),
            Err(format!(
                "query: `{written}` is not possible; needed is two numbers `x,y`, the first from -3 to 3, the second \
                 from -3 to 3"
            ))
        );
    }
    let unknown = figure("thread").map(|_| ()).unwrap_err().to_string();
    assert!(unknown.starts_with("there is no figure `thread`; there is `paths`, `threads`, "), "{unknown}");
}

/// What captions say in words is what the code does.
#[test]
fn captions_agree_with_the_code() {
    for (id, finding, number, words) in [
        ("saturation", "keys", "7", "seven random keys"),
        ("saturation", "trials", "1\u{202f}000\u{202f}000", "in a million random draws"),
        ("spread", "pairs", "1\u{202f}000\u{202f}000", "A million dot products"),
        ("cost", "features", "64", "with 64 features"),
        ("norms", "runs", "700", "over 700 random stacks"),
        ("sinusoid", "pairs", "8", "eight pairs of features"),
        ("rope", "turn-slow", "0.01", "a hundred times as slowly"),
        ("cost", "block", "64", "64 tokens on, where one block is full"),
    ] {
        assert_eq!(drawn(id, &[]).text(finding), number, "{id}");
        let caption = figure(id).unwrap().caption;
        assert!(caption.contains(words), "{id}: {caption}");
    }
}

/// A figure's findings have names of their own, whatever the reader has set.
#[test]
fn findings_are_named_once() {
    for figure in figures::all() {
        let controls = figure.controls(&Scene::default());
        let mut settings = vec![Params::new()];
        for control in &controls {
            let values = match &control.kind {
                Kind::Toggle { .. } => vec!["on".to_owned(), "off".to_owned()],
                Kind::Choice { options, .. } => options.iter().map(|option| option.value.clone()).collect(),
                Kind::Slider { min, max, .. } => vec![min.to_string(), max.to_string()],
                Kind::Point { .. } => vec!["0,0".to_owned()],
            };
            settings.extend(values.iter().map(|value| figures::params([(control.name, value.as_str())])));
        }
        for params in settings {
            let facts = figure.draw(&Scene::default(), &params, Size::Wide).unwrap().facts;
            for (place, fact) in facts.iter().enumerate() {
                assert!(
                    facts[..place].iter().all(|other| other.name != fact.name),
                    "{}: the finding `{}` twice, at {params:?}",
                    figure.id,
                    fact.name
                );
            }
        }
    }
}

/// What two figures share is in `parts/`: no figure's file takes anything from another's.
#[test]
fn figures_take_nothing_from_one_another() {
    let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/figures/src/gallery");
    for file in std::fs::read_dir(gallery).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.contains("use ")) {
            assert!(
                !line.contains("super::") && !line.contains("crate::gallery"),
                "{}: `{line}`",
                path.display()
            );
        }
    }
}
