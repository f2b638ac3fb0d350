#!/usr/bin/env bash
# What a log of checks or tests says about what was skipped or what failed, in few lines.
#
# usage: scripts/said-again.sh skipped|failed LOG
#
# Reads what cargo, the test harnesses (libtest and the one of `it`) and `cargo xtask ci`
# print. Each failure is cut to 20 lines; a log that names none gives its last 20.
set -euo pipefail
what=$1 log=$2

# `test [SKIPPED: why] name ... ignored`: names by reason, because many share one.
skipped() {
    sed -nE 's/^test \[(SKIPPED: )?([^]]*)\] +([^ ]+) +\.\.\. ignored.*/\2\t\3/p' "$log" |
        awk -F '\t' '
            !($1 in names) { order[++reasons] = $1 }
            { names[$1] = names[$1] " " $2 }
            END { for (i = 1; i <= reasons; i++) print "skipped (" order[i] "):" names[order[i]] }'
    grep -E '^right in the second run only: |tests needed a second run' "$log" || true
}

# `---- name ----` or `---- name stdout ----`, then the message up to the next headline;
# `WRONG name policy`, then indented complaints.
failures() {
    awk -v most=20 '
        function headline() { said = 1; inside = 1; lines = 0; print }
        function leave() {
            if (inside && lines > most) print "    (" lines - most " more lines)"
            inside = 0
        }
        /^---- .* ----$/ || /^WRONG / { leave(); headline(); next }
        /^failures:$/ || /^test result: / || /^(fine|skipped) / || /^xtask: / { leave() }
        # A binary that did not come to its end names no test.
        /^Caused by:$/ || /^error(\[|:)/ || /process didn.t exit successfully/ { leave(); print; next }
        inside && NF { if (++lines <= most) print "    " $0 }
        END { leave(); exit !said }' "$log" || tail -n 20 "$log"
}

case $what in
skipped) skipped ;;
failed) failures ;;
*)
    echo "usage: scripts/said-again.sh skipped|failed LOG" >&2
    exit 2
    ;;
esac
