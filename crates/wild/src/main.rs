//! Writes a page with every head of a trained model over a sentence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use wild::{Fault, MAX_TOKENS, Model, Result, best, page};

/// Shows where each head of all-MiniLM-L6-v2 looks in a sentence: a page with every head's weights.
///
/// crates/wild/README.md says how to get the model.
#[derive(Debug, Parser)]
#[command(name = "heads", version)]
struct Cli {
    /// The sentence, in quotes.
    sentence: String,

    /// The folder with the model: config.json, tokenizer.json and model.safetensors [default: what the variable
    /// MINILM names].
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,

    /// The page to write. One that is there already is replaced, once the new one is whole.
    #[arg(long, value_name = "FILE", default_value = "heads.html")]
    out: PathBuf,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let Some(folder) = cli.model.clone().or_else(|| std::env::var_os("MINILM").map(PathBuf::from)) else {
        eprintln!(
            "error: no model: name its folder with --model DIR; crates/wild/README.md says how to get it"
        );
        return ExitCode::FAILURE;
    };
    match show(&folder, &cli) {
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
fn show(folder: &Path, cli: &Cli) -> Result<String> {
    let model = Model::load(folder)?;
    let sentence = model.tokens(&cli.sentence, MAX_TOKENS)?;
    let run = model.run(&sentence)?;
    write(&cli.out, &page(&cli.sentence, &sentence.tokens, &run.weights))?;
    let mut said = String::new();
    for it in best(&run.weights) {
        let (role, layer, head) = (it.role.name(), it.layer, it.head);
        said += &format!("{role:8} layer {layer}, head {head:2}: {:.3}\n", it.fit);
    }
    let out = cli.out.canonicalize().unwrap_or(cli.out.clone());
    Ok(said + &format!("{}\n", out.display()))
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    let fault = |reason| Fault::Unwritable { path: path.to_owned(), reason };
    let name = path.file_name().ok_or_else(|| fault(std::io::ErrorKind::IsADirectory.into()))?;
    let mut beside = name.to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    written.map_err(|reason| {
        let _ = fs::remove_file(&beside);
        fault(reason)
    })
}
