//! Builds the live modules: for each chapter its figures as WebAssembly, in a script that a page opened from disk can
//! load too.

mod compiler;
mod script;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use tempfile::NamedTempFile;

use crate::compiler::Compiler;

/// Builds the live modules: each chapter's figures as WebAssembly, in a script of their own.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    /// Where to write them [default: the book's own folder of modules].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Build nothing; say which modules are older than the figures, and fail if there are any.
    #[arg(long)]
    check: bool,

    /// Where Debian's compiler builds them: let them be as large as rustup's compiler makes them.
    #[arg(long)]
    large: bool,
}

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let folder = cli.out.clone().unwrap_or_else(|| fingerprint::folder(&root));
    let fingerprint = fingerprint::of(&root)?;
    if cli.check {
        let stale = fingerprint::stale(&fingerprint, &folder, chapters());
        let said = if stale.is_empty() {
            "as new as the figures".into()
        } else {
            format!("older than the figures: {}", stale.join(", "))
        };
        println!("the modules in {} are {said}", folder.display());
        return Ok(ExitCode::from(u8::from(!stale.is_empty())));
    }

    let compiler = Compiler::find(&root, cli.large)?;
    println!("building with {}", compiler.name());
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let mut made = Vec::new();
    for chapter in chapters() {
        let begun = Instant::now();
        let script = script::of(chapter, &fingerprint, &compiler.module(chapter)?)
            .with_context(|| format!("the module of `{chapter}`"))?;
        println!("  {chapter}: {} bytes, in {:.0} s", script.len(), begun.elapsed().as_secs_f64());
        let mut file = NamedTempFile::new_in(&folder)?;
        file.write_all(script.as_bytes())?;
        made.push((chapter, file));
    }
    // What was edited meanwhile is in some of them, and not in what they say of themselves.
    ensure!(
        fingerprint::of(&root)? == fingerprint,
        "the code of the figures changed while the modules were built; the old ones stay: run this again"
    );
    // All of them or none: only now that the last is there do they take the old ones' places.
    for (chapter, file) in made {
        let place = folder.join(format!("{chapter}.js"));
        readable(file.as_file())?;
        file.persist(&place).with_context(|| format!("writing {}", place.display()))?;
    }
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default();
        if path.extension().is_some_and(|ending| ending == "js") && !chapters().any(|chapter| name == chapter)
        {
            std::fs::remove_file(path)?;
        }
    }
    println!("{} modules in {}", chapters().count(), folder.display());
    Ok(ExitCode::SUCCESS)
}

fn chapters() -> impl Iterator<Item = &'static str> {
    figures::CHAPTERS.iter().map(|chapter| chapter.name)
}

/// A file made beside another's place is its maker's alone at first.
fn readable(file: &std::fs::File) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}
