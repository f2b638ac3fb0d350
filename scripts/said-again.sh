#!/usr/bin/env bash
# What logs of checks or tests say about what was skipped or what failed, in few lines.
#
# usage: scripts/said-again.sh skipped|second|failed|count LOG...
#
# Reads what cargo, the test harnesses (libtest and the one of `it`) and `cargo xtask ci`
# print. `failed` cuts each failure to 20 lines; of a log that names none it gives the last 20.
# `count` adds up: `N passed, N failed, N skipped`.
set -euo pipefail
what=${1:-}
[ "$#" -gt 1 ] || what=usage
shift || true

# For awk: who says in a line, while he runs (crates/skip), that he is skipped, and why. With one test at a time the
# harness has his name at the beginning of that line.
by_itself='
    function says_skipped(   line, at) {
        if ($0 !~ /^(test [^ ]+ \.\.\. )?(PARTLY )?SKIPPED [^:]/) return 0
        line = $0
        in_part = line ~ /PARTLY SKIPPED/
        sub(/^.*SKIPPED /, "", line)
        at = index(line, ": ")
        name = at ? substr(line, 1, at - 1) : line
        why = at ? substr(line, at + 2) : "no reason given"
        if (name == "a test" && $1 == "test") name = $2
        return 1
    }'

# Names by reason, because many share one: of tests that are skipped before they run (`test [SKIPPED: why]
# name ... ignored`), or while they do, and of checks. A test may say it again and again.
skipped() {
    awk "$by_itself"'
        function put(reason, who) {
            if (!(reason in names)) order[++reasons] = reason
            if (!seen[reason, who]++) names[reason] = names[reason] " " who
        }
        says_skipped() { put((in_part ? "skipped in part (" : "skipped (") why ")", name); next }
        /^test \[[^]]*\] +[^ ]+ +\.\.\. ignored/ {
            why = $0
            sub(/^test \[(SKIPPED: )?/, "", why)
            name = why
            sub(/\] +[^ ]+ +\.\.\. ignored.*/, "", why)
            sub(/ +\.\.\. ignored.*/, "", name)
            sub(/.*\] +/, "", name)
            put("skipped (" why ")", name)
            next
        }
        /^test [^ ]+ \.\.\. ignored/ { put("skipped (ignored)", $2) }
        /^skipped  [^ ]/ {
            why = $0
            sub(/^skipped +[^ ]+ +/, "", why)
            put("skipped (" why ")", "check:" $2)
        }
        END { for (i = 1; i <= reasons; i++) print order[i] ":" names[order[i]] }' "$@"
}

# What `it` says at its end.
second() {
    grep -hE '^right in the second run only: |tests needed a second run' "$@" || true
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
        END { leave(); exit !said }' "$1" || tail -n 20 "$1"
}

# The harnesses know what passed, failed and was ignored; a test that says that it is skipped while it runs is
# among those that passed. Names repeat from one binary to the next.
count() {
    awk "$by_itself"'
        function number(before) {
            return match($0, "[0-9]+ " before) ? substr($0, RSTART, RLENGTH) + 0 : 0
        }
        FNR == 1 || /^ *Running / { binary = FILENAME ":" FNR }
        says_skipped() { if (!in_part && !((name, binary) in said)) { said[name, binary]; meanwhile++ } }
        /^skipped  [^ ]/ { checks++ }
        /^fine  / { fine++ }
        /^WRONG  / { wrong++ }
        /^test result: / {
            passed += number("passed"); failed += number("failed"); ignored += number("ignored")
        }
        END {
            printf "%d passed, %d failed, %d skipped\n",
                passed - meanwhile + fine, failed + wrong, ignored + meanwhile + checks
        }' "$@"
}

case $what in
skipped) skipped "$@" ;;
second) second "$@" ;;
failed) for log in "$@"; do failures "$log"; done ;;
count) count "$@" ;;
*)
    sed -n '4,4s/^# //p' "$0" >&2
    exit 2
    ;;
esac
