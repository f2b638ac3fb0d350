#!/usr/bin/env bash
# Builds heldup as one file that needs no library, and prints where it is.
#
# usage: scripts/build-static.sh
#
# With musl where the compiler has that target, or rustup can fetch it. Elsewhere glibc is linked
# statically: what of glibc cannot be (the resolver, NSS) heldup does not use.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CARGO:=cargo}" "${CARGO_TARGET_DIR:=target}"
musl=x86_64-unknown-linux-musl
gnu=x86_64-unknown-linux-gnu

# Whether the compiler has the standard library of a target.
has_target() {
    local folder
    folder=$(rustc --print target-libdir --target "$1" 2>/dev/null) || return 1
    compgen -G "$folder/libstd-*.rlib" >/dev/null
}

if ! has_target "$musl" && command -v rustup >/dev/null; then
    rustup target add "$musl" || true
fi
if has_target "$musl" && command -v musl-gcc >/dev/null; then
    target=$musl
    "$CARGO" build --release --locked --package heldup --target "$target" --target-dir "$CARGO_TARGET_DIR"
else
    echo "no musl here: glibc is linked statically" >&2
    target=$gnu
    # A folder of its own: with other flags everything is built anew.
    CARGO_TARGET_DIR=$CARGO_TARGET_DIR/static
    RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" \
        "$CARGO" build --release --locked --package heldup --target "$target" --target-dir "$CARGO_TARGET_DIR"
fi
realpath "$CARGO_TARGET_DIR/$target/release/heldup"
