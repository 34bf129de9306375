//! Writes a page with every head of a trained model over a sentence; or asks every head about many sentences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use minilm::{Fault, MAX_TOKENS, Model, Result, SENTENCES, Survey, best, page, questions};

/// Shows where each head of all-MiniLM-L6-v2 looks in a sentence: a page with every head's weights.
///
/// crates/minilm/README.md says how to get the model.
#[derive(Debug, Parser)]
#[command(name = "heads", version)]
struct Cli {
    /// The sentence, in quotes.
    #[arg(required_unless_present = "antecedents")]
    sentence: Option<String>,

    /// The folder with the model: config.json, tokenizer.json and model.safetensors [default: what the variable
    /// MINILM names].
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,

    /// The page to write. One that is there already is replaced, once the new one is whole; a link is written through.
    #[arg(long, value_name = "FILE", default_value = "heads.html")]
    out: PathBuf,

    /// Asks all heads which noun a pronoun stands for, in many sentences, and writes what they say into this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sentence", "out"])]
    antecedents: Option<PathBuf>,

    /// The sentences for that, in the form of crates/minilm/src/sentences.toml [default: those in there].
    #[arg(long, value_name = "FILE", requires = "antecedents")]
    sentences: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let Some(folder) = cli.model.clone().or_else(|| std::env::var_os("MINILM").map(PathBuf::from)) else {
        eprintln!(
            "error: no model: name its folder with --model DIR; crates/minilm/README.md says how to get it"
        );
        return ExitCode::FAILURE;
    };
    let done = match (&cli.sentence, &cli.antecedents) {
        (_, Some(out)) => ask(&folder, cli.sentences.as_deref(), out),
        (sentence, None) => show(&folder, sentence.as_deref().unwrap_or_default(), &cli.out),
    };
    match done {
        Ok(said) => {
            print!("{said}");
            ExitCode::SUCCESS
        }
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the sentence, writes the page, and returns what there is to say about it.
fn show(folder: &Path, text: &str, out: &Path) -> Result<String> {
    let model = Model::load(folder)?;
    let sentence = model.tokens(text, MAX_TOKENS)?;
    let run = model.run(&sentence)?;
    write(out, &page(text, &sentence.tokens, &run.weights))?;
    let mut said = String::new();
    for it in best(&run.weights) {
        let (role, layer, head) = (it.role.name(), it.layer, it.head);
        said += &format!("{role:8} layer {layer}, head {head:2}: {:.3}\n", it.fit);
    }
    let out = out.canonicalize().unwrap_or(out.to_owned());
    Ok(said + &format!("{}\n", out.display()))
}

/// Asks all heads about the sentences, writes what they say, and returns what there is to say about it.
fn ask(folder: &Path, sentences: Option<&Path>, out: &Path) -> Result<String> {
    let groups = match sentences {
        None => questions(SENTENCES)?,
        Some(path) => {
            let text = files::text(path)
                .map_err(|reason| Fault::Sentences { what: format!("{}: {reason}", path.display()) })?;
            questions(&text)?
        }
    };
    let survey = Survey::of(&Model::load(folder)?, groups)?;
    fs::create_dir_all(out).map_err(|reason| Fault::Unwritable { path: out.to_owned(), reason })?;
    let mut said = survey.summary(10);
    for (name, text) in survey.files() {
        write(&out.join(name), &text)?;
        said += &format!("{}\n", out.join(name).display());
    }
    Ok(said)
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    files::write(path, text).map_err(|reason| Fault::Unwritable { path: path.to_owned(), reason })
}
