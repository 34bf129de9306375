#!/usr/bin/env bash
# Builds src/live/CHAPTER.js for each chapter: its figures as WebAssembly, in a script that a page opened from disk can
# load too.
#
#     crates/live/build.sh
#
# Needs wasm-bindgen of the version in Cargo.lock (cargo install wasm-bindgen-cli --version ...), zopfli
# (apt-get install zopfli), and a Rust that builds for wasm32-unknown-unknown: rustup's (rustup target add
# wasm32-unknown-unknown), or Debian's (apt-get install rustc-web cargo-web rust-web-src lld).
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { echo "crates/live/build.sh: $*" >&2; exit 1; }

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
bindgen=$(PATH="$PWD/target/tools/bin:$PATH" command -v wasm-bindgen) ||
    fail "no wasm-bindgen: cargo install wasm-bindgen-cli --version $version"
[ "$("$bindgen" --version)" = "wasm-bindgen $version" ] ||
    fail "$("$bindgen" --version) is not the version in Cargo.lock: cargo install wasm-bindgen-cli --version $version"

command -v zopfli > /dev/null || fail "no zopfli: apt-get install zopfli"

# No path of the machine it was built on is to be in the module, so that it is the same wherever it is built.
flags="-Zlocation-detail=none -Zfmt-debug=none"
export CARGO_TARGET_DIR=$PWD/target/live RUSTC_BOOTSTRAP=1
build=(cargo build --quiet --locked --profile live -p live --target wasm32-unknown-unknown)
if rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown; then
    export RUSTFLAGS=$flags
elif [ -d /usr/lib/rustlib/src/rust ]; then
    # The standard library is built too, and so can leave out what a panic says; nobody would read it.
    export RUSTFLAGS="$flags -Zunstable-options -Cpanic=immediate-abort -Clinker=wasm-ld"
    build=(env PATH=/usr/bin:/bin "CARGO_HOME=$PWD/target/live/cargo-home" "${build[@]}"
        -Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size)
else
    fail "no Rust that builds for wasm32-unknown-unknown: see the head of this file"
fi

made=$CARGO_TARGET_DIR/wasm32-unknown-unknown/live
# The sum that tests/live.rs computes too: of each source's sum and path, in the order of the paths.
sum=$(find crates/{attention,figures,live}/src -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
mkdir -p "$made/scripts" src/live
chapters=$(sed -n 's/.*Chapter { name: "\([^"]*\)".*/\1/p; /^    Chapter {$/{n;s/ *name: "\(.*\)",/\1/p}' crates/figures/src/gallery/mod.rs)
for chapter in $chapters; do
    LIVE_CHAPTER=$chapter "${build[@]}"
    "$bindgen" --target no-modules --no-typescript --omit-default-module-path --remove-name-section \
        --remove-producers-section --out-dir "$made/bindgen" "$made/live.wasm"
    {
        echo "// Built by crates/live/build.sh from the sources with this sum; do not edit."
        echo "// sources: $sum"
        echo '(globalThis.liveModules ??= {})["'"$chapter"'"] = (() => {'
        cat "$made/bindgen/live.js"
        # The bytes are compressed first: base64 alone hides from a server what could be compressed.
        printf 'const bytes = "'
        zopfli -c "$made/bindgen/live_bg.wasm" | base64 -w0
        echo '";'
        echo 'return async (scene) => {'
        echo '  const packed = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));'
        echo '  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));'
        echo '  await wasm_bindgen({ module_or_path: await new Response(stream).arrayBuffer() });'
        echo '  return new wasm_bindgen.Live(scene);'
        echo '};'
        echo '})();'
    } > "$made/scripts/$chapter.js"
    echo "src/live/$chapter.js: $(stat -c %s "$made/scripts/$chapter.js") bytes, compressed $(gzip -9c "$made/scripts/$chapter.js" | wc -c)"
done
# All of them or none.
rm -f src/live/*.js
mv "$made"/scripts/*.js src/live/
