#!/bin/sh
# Builds the committed BPF objects, or with --check says which of them differ from
# their sources. The compiler is pinned: another clang gives other code, and a
# difference in review would hide the one that matters.
set -eu
cd "$(dirname "$0")"

clang=${CLANG:-clang-14}
strip=${LLVM_STRIP:-llvm-strip-14}
want=14
arch=x86_64

have=$("$clang" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p' || true)
if [ "$have" != "$want" ]; then
    echo "bpf/build.sh: needs clang $want, found ${have:-none}; nothing was built" >&2
    exit 3
fi

out=.
if [ "${1:-}" = --check ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
stale=0
# Ours, and the rival that `cargo xtask bench` measures beside them.
for source in *.bpf.c ../crates/testkit/programs/bpf/*.bpf.c; do
    object=${source%.bpf.c}.$arch.bpf.o
    made=$object
    [ "$out" = . ] || made=$out/${object##*/}
    # -g gives the BTF that CO-RE needs; strip then drops the debug sections beside it.
    "$clang" -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Werror -Wno-unused-function \
        -fdebug-prefix-map="$PWD=." -I. -I/usr/include/x86_64-linux-gnu \
        -c "$source" -o "$made"
    "$strip" -g "$made"
    if [ "$made" != "$object" ] && ! cmp -s "$object" "$made"; then
        echo "bpf/$object differs from its sources; run bpf/build.sh" >&2
        stale=1
    fi
done
exit $stale
