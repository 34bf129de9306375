//! The compiler for WebAssembly: the workspace's own where it has the target, else Debian's.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

const TARGET: &str = "wasm32-unknown-unknown";

/// Where Debian has its compiler, and with what packages it comes.
const DEBIAN: [(&str, &str); 4] = [
    ("/usr/bin/rustc", "rustc-web"),
    ("/usr/bin/cargo", "cargo-web"),
    ("/usr/lib/rustlib/src/rust/library", "rust-web-src"),
    ("/usr/bin/wasm-ld", "lld"),
];

/// The first version, after the `1.`, whose panics can be left out by a flag.
const OLDEST: u32 = 92;

/// A compiler that makes WebAssembly.
pub struct Compiler {
    kind: Kind,
    root: PathBuf,
}

enum Kind {
    /// Has the standard library for the target, compiled.
    Own,
    /// Has its source, and compiles it too; if it need not be `large`, without what a panic says: nobody would read it.
    Debian { large: bool },
}

impl Compiler {
    /// The compiler there is, for the project in `root`.
    ///
    /// # Errors
    ///
    /// What is missing, and how to get it.
    pub fn find(root: &Path, large: bool) -> Result<Self> {
        let kind = if has_target(root)? {
            Kind::Own
        } else {
            let missing: Vec<&str> = DEBIAN
                .iter()
                .filter(|(path, _)| !Path::new(path).exists())
                .map(|(_, package)| *package)
                .collect();
            if !missing.is_empty() {
                bail!(
                    "there is no compiler here for {TARGET}. With rustup:\n\
                     \x20   rustup target add {TARGET}\n\
                     Without, on Debian 12 (missing here: {}):\n\
                     \x20   apt-get install --no-install-recommends {}",
                    missing.join(", "),
                    DEBIAN.map(|(_, package)| package).join(" "),
                );
            }
            ensure!(
                minor_version("/usr/bin/rustc")? >= OLDEST,
                "Debian's compiler is older than 1.{OLDEST}: `apt-get update`, and install rustc-web, cargo-web and rust-web-src again"
            );
            Kind::Debian { large }
        };
        Ok(Self { kind, root: root.to_owned() })
    }

    /// What to call it.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Own => "the workspace's own compiler",
            Kind::Debian { large: false } => "Debian's compiler",
            Kind::Debian { large: true } => "Debian's compiler, with the standard library as rustup has it",
        }
    }

    /// A chapter's figures as WebAssembly, as the compiler leaves it.
    pub fn module(&self, chapter: &str) -> Result<Vec<u8>> {
        let folder = self.root.join("target").join(match self.kind {
            Kind::Debian { large: true } => "live-large",
            _ => "live",
        });
        // No path of the machine it is built on is to be in a module, so that it is the same wherever it is built.
        let mut flags = vec!["-Zlocation-detail=none", "-Zfmt-debug=none"];
        let mut command = match self.kind {
            Kind::Own => Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into())),
            Kind::Debian { .. } => {
                let mut command = Command::new("/usr/bin/cargo");
                // Nothing of rustup's compiler is to come between; its cargo says where it is by these.
                command
                    .env("PATH", "/usr/bin:/bin")
                    .env("CARGO_HOME", self.root.join("target/live/cargo-home"));
                for name in ["CARGO", "RUSTC", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
                    command.env_remove(name);
                }
                command
            }
        };
        command.args(["build", "--quiet", "--locked", "--profile", "live", "-p", "live", "--target", TARGET]);
        if let Kind::Debian { large } = self.kind {
            command.arg("-Zbuild-std=std,panic_abort");
            if !large {
                flags.extend(["-Zunstable-options", "-Cpanic=immediate-abort"]);
                command.arg("-Zbuild-std-features=optimize_for_size");
            }
            flags.push("-Clinker=wasm-ld");
        }
        let status = command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &folder)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
            // The flags are for testing compilers; this is how others take them.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("LIVE_CHAPTER", chapter)
            .status()
            .with_context(|| format!("starting {command:?}"))?;
        ensure!(status.success(), "the figures of `{chapter}` could not be compiled for {TARGET}");
        let file = folder.join(TARGET).join("live/live.wasm");
        std::fs::read(&file).with_context(|| format!("reading {}", file.display()))
    }
}

/// The version of a compiler: what stands after the `1.`.
fn minor_version(rustc: &str) -> Result<u32> {
    let told =
        Command::new(rustc).arg("--version").output().with_context(|| format!("starting {rustc}"))?.stdout;
    let told = String::from_utf8_lossy(&told);
    let minor = told.split('.').nth(1).and_then(|minor| minor.parse().ok());
    minor.with_context(|| format!("{rustc} says its version as `{}`", told.trim()))
}

/// Whether the workspace's own compiler has the standard library for the target.
fn has_target(root: &Path) -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let asked = Command::new(rustc).args(["--print", "sysroot"]).current_dir(root).output();
    let told = asked.context("asking rustc for its folder")?.stdout;
    let sysroot = PathBuf::from(String::from_utf8(told).context("rustc's folder")?.trim());
    Ok(sysroot.join("lib/rustlib").join(TARGET).join("lib").exists())
}
