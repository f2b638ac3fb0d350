#!/usr/bin/env bash
# Everything that is tested, once: checks, unit tests, and the tests on this machine.
#
# usage: make test
#
# Goes on after a failure, so that one run shows everything that is wrong, and fails at
# its end, where what was skipped and what failed is said again: who sees only the last
# lines sees why. Tests that need root, a tool or a device say that they are skipped and why.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CARGO:=cargo}" "${CARGO_TARGET_DIR:=target}"
export HELDUP_BIN="${HELDUP_BIN:-$CARGO_TARGET_DIR/release/heldup}"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

failing=()
step() {
    local name=$1 started=$SECONDS
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$logs/$name" || failing+=("$name")
    echo "== $name: $((SECONDS - started)) s"
}

step "needs" scripts/install-needs.sh test
# Without them the tests in guests are skipped, and say so.
scripts/guest-kernels.sh || echo "no kernels for guests: what needs them is skipped"
# Without them the test that other engines read an archive is skipped, and says so.
scripts/engines.sh || echo "DuckDB, chdb and pandas cannot be had: no other engine reads an archive"
# Without it the test beside tuned is skipped, and says so.
scripts/tuned.sh || echo "tuned cannot be had: nothing is applied beside it"
# The release build is what users run; the tests on the machine and the checks use it.
step "build" "$CARGO" build --release --locked --package heldup
# The one file that `make static` makes, for a guest that has nothing else.
step "static build" scripts/build-static.sh
HELDUP_STATIC_BIN=$(tail -n 1 "$logs/static build")
export HELDUP_STATIC_BIN
# All at once, so that nothing is built twice with other features: `cargo xtask` alone would
# build what it uses with fewer.
step "build of the tests" "$CARGO" build --locked --workspace --tests --bin xtask
built=$SECONDS
# Guests take one emulated CPU and most of their time is that; what runs beside them measures
# nothing of this machine. The tests that do, `it`, run alone behind them: it leaves that out
# among the others. A test on a machine that fails runs once more, and that is said:
# tests/it/second_run.rs.
it=$("$CARGO" test --locked --workspace --test it --no-run 2>&1 |
    sed -n 's|.*Executable .*\.\./tests/it/main\.rs (\(.*\))$|\1|p') || true
it=$(realpath "${it:-not-built}")
# Of a process of its own: in a pipeline or in the background.
machine_tests() {
    local which=$1
    shift
    cd crates/testkit
    exec env HELDUP_SECOND_RUN=yes HELDUP_MACHINE_TESTS="$which" "$it" "$@"
}
machine_tests guests guest:: >"$logs/guests" 2>&1 &
guests=$!
# Who ends this early ends them too.
trap 'kill "$guests" 2>/dev/null || true; rm -rf "$logs"' EXIT
step "checks" "$CARGO_TARGET_DIR/debug/xtask" ci
# Damaged recordings of all formats, for a minute in all.
step "tests" env HELDUP_FUZZ_SECONDS=60 HELDUP_MACHINE_TESTS=later "$CARGO" test --locked --workspace --no-fail-fast
# Behind the tests of the crates, which change and compare settings too; the guests are seldom done by then.
step "beside" machine_tests beside
echo "== guests, since the checks began"
wait "$guests" || failing+=("guests")
cat "$logs/guests"
echo "== guests, since the checks began: $((SECONDS - built)) s"
step "machine" machine_tests alone --skip guest::
echo "checks and tests: $((SECONDS - built)) s after the build"

# What was skipped, what was right in its second run only, what failed; and in the last line all of it as numbers.
logged=()
for log in checks tests beside guests machine; do
    logged+=("$logs/$log")
done
scripts/said-again.sh skipped "${logged[@]}"
for name in "${failing[@]}"; do
    echo "== failed: $name"
    scripts/said-again.sh failed "$logs/$name"
done
scripts/said-again.sh second "${logged[@]}"
count=$(scripts/said-again.sh count "${logged[@]}")
if [ "${#failing[@]}" -gt 0 ]; then
    echo "$count; failed: ${failing[*]}"
    exit 1
fi
echo "$count"
