//! The program on a model of a few numbers, made here: what it writes, and what it refuses.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use attention::random::Normals;
use minilm::{Fault, Model};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A model with d = 6, two layers of three heads, ten positions and seven tokens.
struct Small {
    folder: TempDir,
}

const WORDS: [&str; 7] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "sat", "it"];

impl Small {
    fn new() -> Self {
        let small = Small { folder: tempfile::tempdir().unwrap() };
        small.write("config.json", config().to_string());
        small.write("tokenizer.json", tokenizer().to_string());
        small.write("model.safetensors", weights(|_, shape| shape));
        small
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn load(&self) -> Model {
        Model::load(self.folder.path()).unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// Exit code, standard output and standard error.
    fn run(&self, sentence: &str) -> (Option<i32>, String, String) {
        self.ask(&[sentence])
    }

    /// The same, with these arguments.
    fn ask(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heads"));
        command.current_dir(self.folder.path()).env_remove("MINILM");
        let output = command.arg("--model").arg(self.folder.path()).args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// It fails, says so, and writes nothing.
    #[track_caller]
    fn refuses(&self, sentence: &str, part: &str) {
        let before: Vec<_> = self.files();
        let (code, stdout, stderr) = self.run(sentence);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(part), "`{part}` is not in: {stderr}");
        assert_eq!(self.files(), before);
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn config() -> Value {
    json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": 6, "intermediate_size": 8,
        "layer_norm_eps": 1e-12, "max_position_embeddings": 10, "num_attention_heads": 3, "num_hidden_layers": 2,
        "type_vocab_size": 2, "vocab_size": WORDS.len(),
    })
}

fn tokenizer() -> Value {
    let vocabulary: BTreeMap<_, _> = WORDS.iter().enumerate().map(|(id, word)| (*word, id)).collect();
    let special = |id: usize| {
        let content = WORDS[id];
        json!({ "id": id, "special": true, "content": content, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false })
    };
    let added = |word: &str, id: u32| json!({ "id": word, "ids": [id], "tokens": [word] });
    json!({
        "version": "1.0",
        // As in the real one: cut and filled up to a length that nobody asked for.
        "truncation": { "max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right" },
        "padding": { "strategy": { "Fixed": 8 }, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "[PAD]" },
        "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{ "SpecialToken": { "id": "[CLS]", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } },
                { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }],
            "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
            "special_tokens": { "[CLS]": added("[CLS]", 2), "[SEP]": added("[SEP]", 3) },
        },
        "decoder": { "type": "WordPiece", "prefix": "##", "cleanup": true },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary },
    })
}

/// Random weights, each tensor in the shape that `reshaped` makes of its own.
fn weights(reshaped: impl Fn(&str, Vec<usize>) -> Vec<usize>) -> Vec<u8> {
    let (d, d_ff) = (6, 8);
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![WORDS.len(), d]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![10, d]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, d]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![d]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![d]),
    ];
    for layer in 0..2 {
        let layer = format!("encoder.layer.{layer}");
        for (name, inputs, outputs) in [
            ("attention.self.query", d, d),
            ("attention.self.key", d, d),
            ("attention.self.value", d, d),
            ("attention.output.dense", d, d),
            ("intermediate.dense", d, d_ff),
            ("output.dense", d_ff, d),
        ] {
            shapes.push((format!("{layer}.{name}.weight"), vec![outputs, inputs]));
            shapes.push((format!("{layer}.{name}.bias"), vec![outputs]));
        }
        for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
            shapes.push((format!("{layer}.{name}.weight"), vec![d]));
            shapes.push((format!("{layer}.{name}.bias"), vec![d]));
        }
    }
    let mut normals = Normals::seeded(5);
    let stored: Vec<(String, Vec<usize>, Vec<u8>)> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let shape = reshaped(&name, shape);
            let numbers = normals.matrix(1, shape.iter().product());
            let bytes = numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
            (name, shape, bytes)
        })
        .collect();
    let views = stored.iter().map(|(name, shape, bytes)| {
        (name.clone(), TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

/// A link is written through; what is no file, or may only be read, stays as it is.
#[cfg(unix)]
#[test]
fn nothing_but_a_file_is_replaced() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let small = Small::new();
    small.write("page.html", "old");
    symlink("page.html", small.path("link.html")).unwrap();
    let (code, _, stderr) = small.ask(&["cat", "--out", "link.html"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(small.path("link.html").is_symlink());
    assert!(fs::read_to_string(small.path("page.html")).unwrap().starts_with("<!"));

    symlink("/dev/null", small.path("device")).unwrap();
    symlink("nothing", small.path("nowhere")).unwrap();
    fs::create_dir(small.path("folder")).unwrap();
    small.write("kept.html", "kept");
    fs::set_permissions(small.path("kept.html"), fs::Permissions::from_mode(0o444)).unwrap();
    let before = small.files();
    for out in ["device", "nowhere", "folder", "kept.html", "/dev/null"] {
        let (code, stdout, stderr) = small.ask(&["cat", "--out", out]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{out}: {stderr}");
        assert!(stderr.starts_with(&format!("error: {out}: cannot be written: ")), "{stderr}");
        assert_eq!(small.files(), before);
    }
    assert_eq!(fs::read_to_string(small.path("kept.html")).unwrap(), "kept");
}

#[test]
fn a_page_shows_every_head() {
    let small = Small::new();
    let (code, stdout, stderr) = small.run("Cat sat <b>, cat");
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let page = small.path("heads.html").canonicalize().unwrap();
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.last(), Some(&page.to_str().unwrap()));
    for (line, role) in lines.iter().zip(["previous", "next", "first", "self", "local"]) {
        assert!(line.starts_with(role), "{line}");
    }

    let html = fs::read_to_string(&page).unwrap();
    for layer in 0..2 {
        for head in 0..3 {
            let id = format!("l{layer}h{head}");
            assert_eq!(html.matches(&format!("<figure id=\"{id}\"")).count(), 1, "{id}");
            assert_eq!(html.matches(&format!("<g id=\"map-{id}\"")).count(), 1, "{id}");
            assert_eq!(html.matches(&format!("<g id=\"arcs-{id}\"")).count(), 1, "{id}");
        }
    }
    assert_eq!(html.matches("<figure id=").count(), 6);
    // [CLS] cat sat [UNK] × 4 [SEP], each at a row and at a column; what was typed is text.
    assert_eq!(html.matches("text-anchor=\"end\"").count(), 9, "{html}");
    assert!(!html.contains("<b>,"), "the sentence is escaped");
    assert!(!html.contains("http") && !html.contains("<script"), "nothing from elsewhere");
    assert_eq!(small.files(), ["config.json", "heads.html", "model.safetensors", "tokenizer.json"]);
}

#[test]
fn a_sentence_is_neither_cut_nor_filled_up() {
    let model = Small::new().load();
    let sentence = model.tokens("It sat, cat sat.", 10).unwrap();
    let unknown = "[UNK]";
    assert_eq!(sentence.tokens, ["[CLS]", "it", "sat", unknown, "cat", "sat", unknown, "[SEP]"]);
    assert_eq!(sentence.ids, [2, 6, 5, 1, 4, 5, 1, 3]);
    let run = model.run(&sentence).unwrap();
    assert_eq!(run.states.dim(), (8, 6));
    for weights in run.weights.iter().flatten() {
        assert!(weights.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
    }
    assert!((run.embedding().dot(&run.embedding()) - 1.0).abs() < 1e-12);
}

#[test]
fn sentences_that_cannot_be_shown() {
    let small = Small::new();
    for empty in ["", "  ", "\t\n"] {
        small.refuses(empty, "the sentence is empty");
    }
    // Ten positions: eight words and the two that the model adds.
    assert_eq!(small.run(&["cat"; 8].join(" ")).0, Some(0));
    fs::remove_file(small.path("heads.html")).unwrap();
    small.refuses(
        &["cat"; 9].join(" "),
        "the sentence has 11 tokens, with the two that the model adds; at most 10 can be shown",
    );
}

#[test]
fn files_that_are_missing() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let small = Small::new();
        fs::remove_file(small.path(name)).unwrap();
        small.refuses("cat", &format!("{name}: cannot be read: "));
        small.refuses("cat", "crates/minilm/README.md says how to get the model");
    }
}

#[test]
fn files_that_are_damaged() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let small = Small::new();
        let whole = fs::read(small.path(name)).unwrap();
        for part in [0, 7, whole.len() / 2, whole.len() - 1] {
            small.write(name, &whole[..part]);
            small.refuses("cat", &format!("{name}: is damaged: "));
        }
    }
    let small = Small::new();
    let mut bytes = weights(|_, shape| shape);
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    small.write("model.safetensors", bytes);
    small.refuses("cat", "model.safetensors: is damaged: what comes out of the model are no numbers");
}

#[test]
fn models_of_another_kind() {
    let with = |field: &str, value: Value| {
        let small = Small::new();
        let mut config = config();
        config[field] = value;
        small.write("config.json", config.to_string());
        small
    };
    with("model_type", json!("gpt2"))
        .refuses("cat", "config.json: model_type: came as \"gpt2\", needed \"bert\"");
    with("hidden_act", json!("relu"))
        .refuses("cat", "config.json: hidden_act: came as \"relu\", needed \"gelu\"");
    with("position_embedding_type", json!("relative_key"))
        .refuses("cat", "position_embedding_type: came as \"relative_key\", needed \"absolute\"");
    for heads in [0, 4] {
        with("num_attention_heads", json!(heads)).refuses(
            "cat",
            &format!("num_attention_heads: came as {heads}, needed a divisor of hidden_size 6"),
        );
    }
    with("num_hidden_layers", json!(3))
        .refuses("cat", "encoder.layer.2.attention.self.query.weight: came not at all, needed F32 [6, 6]");

    let small = Small::new();
    small.write(
        "model.safetensors",
        weights(|name, shape| if name == "encoder.layer.1.output.dense.weight" { vec![6, 9] } else { shape }),
    );
    small.refuses("cat", "encoder.layer.1.output.dense.weight: came as F32 [6, 9], needed F32 [6, 8]");
    assert!(matches!(Model::load(small.folder.path()), Err(Fault::Tensor { .. })));
}

#[test]
fn a_page_that_cannot_be_written() {
    let small = Small::new();
    fs::create_dir(small.path("heads.html")).unwrap();
    small.refuses("cat", "heads.html: cannot be written: ");
}

#[test]
fn an_old_page_stays_if_the_new_one_fails() {
    let small = Small::new();
    small.write("heads.html", "the old page");
    small.refuses("", "empty");
    assert_eq!(fs::read_to_string(small.path("heads.html")).unwrap(), "the old page");
    assert_eq!(small.run("cat").0, Some(0));
    assert!(fs::read_to_string(small.path("heads.html")).unwrap().ends_with("</html>\n"));
}

/// A sentence that the small model can be asked about.
const SENTENCES: &str = r#"
[[group]]
name = "a"
sentences = [{ text = "Cat sat, it sat", pronoun = "it", means = "cat", others = [] }]
"#;

#[test]
fn heads_are_asked_about_sentences() {
    let small = Small::new();
    small.write("sentences.toml", SENTENCES);
    let (code, stdout, stderr) = small.ask(&["--sentences", "sentences.toml", "--antecedents", "out/there"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), 10, "{stdout}");
    assert!(
        lines[0].starts_with("layer ")
            && lines[6].starts_with("of 0 sentences with several nouns, and 1 in all")
    );
    let file = |name: &str| fs::read_to_string(small.path(&format!("out/there/{name}"))).unwrap();
    let sentences = file("sentences.csv");
    assert!(sentences.contains("\na,0,it,cat,1,0,0,4,111111,"), "{sentences}");
    assert_eq!(file("heads.csv").lines().count(), 1 + 6);
    assert!(file("chance.csv").contains("\na,words,"));
}

#[test]
fn sentences_that_are_refused() {
    let small = Small::new();
    let refused = |sentences: &str, part: &str| {
        small.write("sentences.toml", sentences);
        let (code, stdout, stderr) = small.ask(&["--sentences", "sentences.toml", "--antecedents", "out"]);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        assert!(stderr.starts_with("error: the sentences: ") && stderr.contains(part), "{stderr}");
        assert!(!small.path("out").exists());
    };
    refused("cats", "expected");
    refused(&SENTENCES.replace("\"cat\"", "\"sat\""), "`sat` has to stand in it once");
    refused(
        &SENTENCES.replace("\"cat\"", "\"ran\"").replace("it sat", "it ran"),
        "the model finds no `ran` in it",
    );
    let (code, _, stderr) = small.ask(&["--sentences", "nowhere.toml", "--antecedents", "out"]);
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("error: the sentences: nowhere.toml: "), "{stderr}");
    // A sentence, or the question about many; not both, and not none.
    assert_eq!(small.ask(&["cat", "--antecedents", "out"]).0, Some(2));
    assert_eq!(small.ask(&[]).0, Some(2));
}
