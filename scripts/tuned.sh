#!/usr/bin/env bash
# Unpacks Debian's tuned, which a test runs beside this program, into the target folder and nowhere else.
#
# usage: scripts/tuned.sh
#
# Nothing is installed: the package would start its daemon, which changes settings of this machine.
# What is there already stays. Where apt has no such package, it says so and fails; the test is
# skipped then, and says so too.
set -euo pipefail
cd "$(dirname "$0")/.."

tuned=${CARGO_TARGET_DIR:-target}/tuned
if [ -d "$tuned/usr/lib/tuned" ]; then
    exit 0
fi
echo "fetching tuned into $tuned" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    # With the two modules and the program that it asks.
    (cd "$work" && apt-get download -q -o APT::Sandbox::User="$(id -un)" \
        tuned python3-pyudev python3-linux-procfs virt-what)
    for package in "$work"/*.deb; do
        dpkg-deb -x "$package" "$work/unpacked"
    done
    mkdir -p "$(dirname "$tuned")"
    rm -rf "$tuned"
    mv -T "$work/unpacked" "$tuned"
} >&2
