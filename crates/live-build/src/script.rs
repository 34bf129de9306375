//! A module as a script: wasm-bindgen's, with the WebAssembly in it, since a page opened from disk can fetch no file.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wasm_bindgen_cli_support::Bindgen;

/// The script of a chapter's module.
pub fn of(chapter: &str, fingerprint: &str, module: &[u8]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    Bindgen::new()
        .input_bytes("live", module.to_vec())
        .no_modules(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder.path())?;
    let glue = bare(&std::fs::read_to_string(folder.path().join("live.js"))?);
    let bound = std::fs::read(folder.path().join("live_bg.wasm"))?;

    // The bytes are compressed first: base64 alone hides from a server what could be compressed.
    let mut packed = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, &bound[..], &mut packed)?;
    let bytes = STANDARD.encode(packed);
    let (command, line) = (fingerprint::COMMAND, fingerprint::line(fingerprint));
    Ok(format!(
        "// Built by `{command}`; do not edit.
{line}
(globalThis.liveModules ??= {{}})[\"{chapter}\"] = (() => {{
{glue}const bytes = \"{bytes}\";
return async (scene) => {{
  const packed = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream(\"gzip\"));
  await wasm_bindgen({{ module_or_path: await new Response(stream).arrayBuffer() }});
  return new wasm_bindgen.Live(scene);
}};
}})();
"
    ))
}

/// What wasm-bindgen wrote, without comments and indentation. It puts each comment on lines of its own.
fn bare(script: &str) -> String {
    let comment = |line: &&str| ["/**", "*", "//"].iter().any(|start| line.starts_with(start));
    let code = script.lines().map(str::trim).filter(|line| !line.is_empty() && !comment(line));
    code.flat_map(|line| [line, "\n"]).collect()
}
