# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_heldup_global_optspecs
    string join \n for= since= until= host= focus= method= ignore= baseline= rules= own-cost format= color= details check no-keep h/help V/version
end

function __fish_heldup_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_heldup_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_heldup_using_subcommand
    set -l cmd (__fish_heldup_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c heldup -n "__fish_heldup_needs_command" -l for -d 'How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it' -r
complete -c heldup -n "__fish_heldup_needs_command" -l since -d 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_needs_command" -l until -d 'Until when: 03:10, +10m (from --since on), now; without it until now' -r
complete -c heldup -n "__fish_heldup_needs_command" -l host -d 'Of an archive with the files of several hosts, which' -r
complete -c heldup -n "__fish_heldup_needs_command" -l focus -d 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command' -r
complete -c heldup -n "__fish_heldup_needs_command" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_needs_command" -l ignore -d 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_needs_command" -l baseline -d 'Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME (config.drift); of this machine without it the one that `heldup capture --baseline` kept' -r
complete -c heldup -n "__fish_heldup_needs_command" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_needs_command" -l format -d 'How to write the answer' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_needs_command" -l color -d 'When to use colour and bars' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_needs_command" -l own-cost -d 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
complete -c heldup -n "__fish_heldup_needs_command" -l details -d 'Write every finding in full; without it information is brief, and one of a kind'
complete -c heldup -n "__fish_heldup_needs_command" -l check -d 'Exit with 1 when a finding is a warning or worse'
complete -c heldup -n "__fish_heldup_needs_command" -l no-keep -d 'Do not keep this examination as @last'
complete -c heldup -n "__fish_heldup_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_needs_command" -s V -l version -d 'Print version'
complete -c heldup -n "__fish_heldup_needs_command" -a "examine" -d 'Examine this machine, or the last examination again: where its time goes, and why'
complete -c heldup -n "__fish_heldup_needs_command" -a "watch" -d 'Examine this machine all the time: a line when a finding appears, changes or ends'
complete -c heldup -n "__fish_heldup_needs_command" -a "record" -d 'Record this machine, every process and what it waits for each second, into an archive'
complete -c heldup -n "__fish_heldup_needs_command" -a "status" -d 'Show what is recorded here, what that costs, and what is missing'
complete -c heldup -n "__fish_heldup_needs_command" -a "keep-house" -d 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
complete -c heldup -n "__fish_heldup_needs_command" -a "capture" -d 'Write one file with all that can be seen of this machine, for a helper elsewhere'
complete -c heldup -n "__fish_heldup_needs_command" -a "compare" -d 'Compare two kept captures: what changed in time, metrics, programs and settings'
complete -c heldup -n "__fish_heldup_needs_command" -a "doctor" -d 'Show what can be seen on this machine, what cannot, and what would let it'
complete -c heldup -n "__fish_heldup_needs_command" -a "sql" -d 'Ask the tables yourself, on the live machine or on the last examination'
complete -c heldup -n "__fish_heldup_needs_command" -a "trace" -d 'Drill one kind of time down to programs, objects and stacks, over the time of a window'
complete -c heldup -n "__fish_heldup_needs_command" -a "tables" -d 'List the tables, or the columns of one with their units and meanings'
complete -c heldup -n "__fish_heldup_needs_command" -a "rules" -d 'List, explain or test the rules behind the findings'
complete -c heldup -n "__fish_heldup_needs_command" -a "tune" -d 'Show settings and who set them; change them so that it is taken back after any end'
complete -c heldup -n "__fish_heldup_needs_command" -a "try" -d 'Change one thing, prove whether it helps, and take it back'
complete -c heldup -n "__fish_heldup_needs_command" -a "completions" -d 'Print a completion script for a shell'
complete -c heldup -n "__fish_heldup_needs_command" -a "generate" -d 'Write man pages, completions and references into a folder (for packagers)'
complete -c heldup -n "__fish_heldup_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l for -d 'How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l since -d 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l until -d 'Until when: 03:10, +10m (from --since on), now; without it until now' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l host -d 'Of an archive with the files of several hosts, which' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l focus -d 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l ignore -d 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l baseline -d 'Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME (config.drift); of this machine without it the one that `heldup capture --baseline` kept' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l format -d 'How to write the answer' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l color -d 'When to use colour and bars' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l own-cost -d 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l details -d 'Write every finding in full; without it information is brief, and one of a kind'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l check -d 'Exit with 1 when a finding is a warning or worse'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l no-keep -d 'Do not keep this examination as @last'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l every -d 'Length of a window; the next one begins where it ends' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l for -d 'How long to watch, in whole windows; until Ctrl-C without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l appear -d 'In K of the last N windows a finding must be found to appear' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l end -d 'Windows in a row without it after which a finding has ended' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l least -d 'Tell findings of this severity and worse' -r -f -a "critical\t'Failures now, a quarter of the active time, or exhaustion within an hour'
warning\t'A twentieth of the active time, or exhaustion within a day'
info\t'Worth knowing'"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l exec -d 'Run this program for each new finding, without a shell and without arguments' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l exec-shell -d 'Have sh run this line for each new finding' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l focus -d 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or port:N' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l ignore -d 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l json -d 'JSON lines for programs: schema heldup/watch/1'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l own-cost -d 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand record" -l interval -d 'Time between two samples' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l flush -d 'Time between two flushes to the disk' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l cpu-budget -d 'Share of one CPU that recording may take' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l segment -d 'Age from which a segment is closed and sealed' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l for -d 'How long to record; until it is stopped without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l keep -d 'How long samples are kept' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l keep-size -d 'How large the archive may grow' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l keep-samples -d 'How long after its end a day has every sample; then a row stands for ten seconds' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l keep-tens -d 'How long after its end a day has rows for ten seconds; then one stands for a minute' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l method -d 'How to account for time; auto: ebpf, else delays' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand record" -l own-cost -d 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
complete -c heldup -n "__fish_heldup_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand status" -l format -d 'How to write the answer' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l keep -d 'How long samples are kept' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l keep-size -d 'How large the archive may grow' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l keep-samples -d 'How long after its end a day has every sample; then a row stands for ten seconds' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l keep-tens -d 'How long after its end a day has rows for ten seconds; then one stands for a minute' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l later -d 'Do what would be done so much later' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l for -d 'How long to look, from now or from --since; 30s without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l since -d 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l until -d 'Until when: 03:10, +10m (from --since on), now; without it until now' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l host -d 'Of an archive with the files of several hosts, which' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l redact -d 'Replace what names people and machines'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l baseline -d 'Keep it as the baseline that `examine` compares settings with, instead of in a file'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l force -d 'Replace the file, or the baseline, if it is there'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l against -d 'The captures that are held against the others' -r
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l format -d 'How to write the answer' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l color -d 'When to use colour and bars' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l whole -d 'Compare the whole windows, ramp-up and ramp-down included'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l details -d 'Write every difference; without it the largest of each kind'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l check -d 'Exit with 1 when the time of a class differs by a warning or worse'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand doctor" -l format -d 'How to write the answer' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l for -d 'How long to look, at the live machine or from --since on; live 1s without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l since -d 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l until -d 'Until when: 03:10, +10m (from --since on), now; without it until now' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l host -d 'Of an archive with the files of several hosts, which' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l focus -d 'Only the rows of this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l format -d 'How to write the rows' -r -f -a "text\t'Aligned columns'
csv\t'Comma-separated values with a header line'
json\t'One JSON object a line'"
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand sql" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l for -d 'How long to look, at the live machine or from --since on; live 10s without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l since -d 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l until -d 'Until when: 03:10, +10m (from --since on), now; without it until now' -r
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l host -d 'Of an archive with the files of several hosts, which' -r
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l focus -d 'Only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l format -d 'How to write it' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/breakdown/1'
folded\t'A line for each stack, with microseconds (of calls how many), as programs that draw flame graphs take it'"
complete -c heldup -n "__fish_heldup_using_subcommand trace" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand trace" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tables" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list explain test help" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list explain test help" -f -a "list" -d 'List the rules'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list explain test help" -f -a "explain" -d 'Explain a rule: what it means, how it is decided, when it is wrong'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list explain test help" -f -a "test" -d 'Run each rule\'s own cases: small recorded tables that must fire or stay silent'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list explain test help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from explain" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from explain" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l rules -d 'Further rules: a folder of rule files' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l watch -d 'Test again whenever a rule or its cases change, until Ctrl-C'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l robust -d 'Test whether answers stand when readings are 5 % off and when a sample is missing'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the rules'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "explain" -d 'Explain a rule: what it means, how it is decided, when it is wrong'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "test" -d 'Run each rule\'s own cases: small recorded tables that must fire or stay silent'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "list" -d 'List settings with value, default and who set them'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "show" -d 'Show a setting: what it does, what it works with, who should leave it alone, how it stands'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "audit" -d 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "profile" -d 'List profiles, show one with its reasons, plan what it would change here, or make it'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "plan" -d 'Show what a change would do, without making it: value now, what moves with it, what speaks against it'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "apply" -d 'Change settings: all of them or none, with what was on the disk before anything is written'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "confirm" -d 'Let changes stand that --confirm would take back'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "undo" -d 'Take changes back, exactly: the latest plan, some by number or setting, or all'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "limit" -d 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "pin" -d 'Place processes, or a command, on CPUs: those you name, a node\'s, or the best ones, with the reasons'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "status" -d 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "recover" -d 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "guard" -d 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -l format -d 'How to write the answer; json is schema heldup/settings/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -l changed -d 'Only what a file sets, what is not its known default, and where files disagree'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from show" -l format -d 'How to write the answer; json is schema heldup/settings/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l release -d 'Release to judge against: 6.1, solaris-11, aix-7.2, or linux-6.1 for files that are carried to Linux; without it this kernel\'s, of other systems the newest known' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l format -d 'How to write the answer; json is schema heldup/audit/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l all -d 'Tell also lines of which nothing is to be said'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l check -d 'Exit with 1 when a line is to be changed'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "list" -d 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "show" -d 'Show what a profile wants, and why'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "plan" -d 'Show what a profile would change on this machine; nothing is written'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "apply" -d 'Make what a profile would change on this machine: through the log, so that it can be taken back'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -l format -d 'How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -l persist -d 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l format -d 'How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l confirm -d 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l persist -d 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from confirm" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l format -d 'How to write the answer; json is schema heldup/tune-undo/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l all -d 'Everything that stands'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l force -d 'Also what somebody else has set since'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l cpus -d 'CPUs that they may use together, such as 2 or 0.5' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l memory -d 'Memory that they may use together, page cache included (500MB, 1GB)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l tasks -d 'Processes and threads that they may be' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l read -d 'Bytes a second that they may read from a disk, such as /dev/sda=20MB' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l write -d 'Bytes a second that they may write to a disk' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l pid -d 'A process; several times for several' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l confirm -d 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l format -d 'How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l plan -d 'Show what would be changed, and change nothing'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l cpus -d 'These CPUs, such as 0-3,8' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l node -d 'The CPUs of a NUMA node' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l count -d 'So many CPUs for each process, chosen by where its memory is; one a thread without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l pid -d 'A process; several times for several' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l confirm -d 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l format -d 'How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l plan -d 'Show what would be changed, and change nothing'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from status" -l format -d 'How to write the answer; json is schema heldup/tune-status/1' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from recover" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from guard" -l plan -d 'Number of the plan' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from guard" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "list" -d 'List settings with value, default and who set them'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show a setting: what it does, what it works with, who should leave it alone, how it stands'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "audit" -d 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "profile" -d 'List profiles, show one with its reasons, plan what it would change here, or make it'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "plan" -d 'Show what a change would do, without making it: value now, what moves with it, what speaks against it'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "apply" -d 'Change settings: all of them or none, with what was on the disk before anything is written'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "confirm" -d 'Let changes stand that --confirm would take back'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "undo" -d 'Take changes back, exactly: the latest plan, some by number or setting, or all'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "limit" -d 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "pin" -d 'Place processes, or a command, on CPUs: those you name, a node\'s, or the best ones, with the reasons'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "status" -d 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "recover" -d 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "guard" -d 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l workload -d 'What is run again and again, by sh' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l metric -d 'Measure live traffic: a query whose first cell is the figure' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l figure -d 'Where the figure of a run is from: wall, regex:PATTERN, json:PATH or sql:QUERY' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l goal -d 'Which figures are better; of the time of a run lower ones' -r -f -a "lower\t'Lower ones: times, losses'
higher\t'Higher ones: throughput'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l guard -d 'A second figure that must not go beyond its limit with the change (\'json:p99<=20\'); where it does, that ends it' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l prepare -d 'What is run by sh before each run and not measured' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l timeout -d 'How long a run may take' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l block -d 'Length of a block of live traffic' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l settle -d 'How long to wait after each switch; 2s on live traffic without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l warm-up -d 'Blocks at the start that are not counted' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l worth -d 'The smallest difference worth seeing, in percent of the figure' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l pairs -d 'Pairs of each change at most' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l within -d 'How long blocks may take in all' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l seed -d 'What the order of the blocks is drawn with; the clock without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l dossier -d 'Folder for the dossier; without it `experiments` where heldup keeps its state' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand try" -l method -d 'How to account for time' -r -f -a "auto\t'The best that the machine and the rights allow: ebpf, else sampling'
ebpf\t'Every switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by looking at each thread 5 to 20 times a second, with a standard error. Leaves out cpu_throttled, peer, stacks and what threads shorter than a look did; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l format -d 'How to write the answer' -r -f -a "text\t'For a person'
json\t'For a program: schema heldup/examination/1 (of `compare`: heldup/comparison/1)'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l color -d 'When to use colour and bars' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l search -d 'Find the best of many values first (of LOW..HIGH twice as much each time), then try that one'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l keep -d 'Keep the change that has helped most'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l yes -d 'Do not ask before what a finding proposes is tried'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l no-ledger -d 'Do not account for time: no reasons, and nothing but the workload runs'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l details -d 'Write every class of time, also those that do not differ'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l check -d 'Exit with 1 when no change has helped'
complete -c heldup -n "__fish_heldup_using_subcommand try" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand completions" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand generate" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "examine" -d 'Examine this machine, or the last examination again: where its time goes, and why'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "watch" -d 'Examine this machine all the time: a line when a finding appears, changes or ends'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "record" -d 'Record this machine, every process and what it waits for each second, into an archive'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "status" -d 'Show what is recorded here, what that costs, and what is missing'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "keep-house" -d 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "capture" -d 'Write one file with all that can be seen of this machine, for a helper elsewhere'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "compare" -d 'Compare two kept captures: what changed in time, metrics, programs and settings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "doctor" -d 'Show what can be seen on this machine, what cannot, and what would let it'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "sql" -d 'Ask the tables yourself, on the live machine or on the last examination'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "trace" -d 'Drill one kind of time down to programs, objects and stacks, over the time of a window'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "tables" -d 'List the tables, or the columns of one with their units and meanings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "rules" -d 'List, explain or test the rules behind the findings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "tune" -d 'Show settings and who set them; change them so that it is taken back after any end'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "try" -d 'Change one thing, prove whether it helps, and take it back'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "generate" -d 'Write man pages, completions and references into a folder (for packagers)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine watch record status keep-house capture compare doctor sql trace tables rules tune try completions generate help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "list" -d 'List the rules'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "explain" -d 'Explain a rule: what it means, how it is decided, when it is wrong'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "test" -d 'Run each rule\'s own cases: small recorded tables that must fire or stay silent'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "list" -d 'List settings with value, default and who set them'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "show" -d 'Show a setting: what it does, what it works with, who should leave it alone, how it stands'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "audit" -d 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "profile" -d 'List profiles, show one with its reasons, plan what it would change here, or make it'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "plan" -d 'Show what a change would do, without making it: value now, what moves with it, what speaks against it'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "apply" -d 'Change settings: all of them or none, with what was on the disk before anything is written'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "confirm" -d 'Let changes stand that --confirm would take back'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "undo" -d 'Take changes back, exactly: the latest plan, some by number or setting, or all'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "limit" -d 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "pin" -d 'Place processes, or a command, on CPUs: those you name, a node\'s, or the best ones, with the reasons'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "status" -d 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "recover" -d 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "guard" -d 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)'
