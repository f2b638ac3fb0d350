#!/usr/bin/env bash
# Installs the engines that the tests open an archive with, into the target folder and nowhere else.
#
# usage: scripts/engines.sh
#
# By version (crates/archive/tests/engines/requirements.txt), with pip as this machine has it set
# up. What is there already stays. Where they cannot be had, it says so and fails; the test is
# skipped then, and says so too.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=crates/archive/tests/engines/requirements.txt
engines=${CARGO_TARGET_DIR:-target}/engines
if cmp -s "$requirements" "$engines/installed.txt"; then
    exit 0
fi
echo "installing DuckDB, chdb, pandas and pyarrow into $engines" >&2
rm -rf "$engines"
{
    # A folder of this kind cannot be moved: its programs name it.
    python3 -m venv "$engines" &&
        "$engines/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
            --requirement "$requirements" &&
        cp "$requirements" "$engines/installed.txt"
} >&2 || {
    rm -rf "$engines"
    exit 1
}
