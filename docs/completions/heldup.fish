# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_heldup_global_optspecs
    string join \n for= since= until= host= p/pid= u/unit= focus= method= ignore= baseline= rules= measure-overhead no-save o/output= redact json color= ascii q/quiet v/verbose fail-on= format= h/help V/version
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

complete -c heldup -n "__fish_heldup_needs_command" -l for -d 'Window, from now or from --since (default 10s)' -r
complete -c heldup -n "__fish_heldup_needs_command" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_needs_command" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_needs_command" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_needs_command" -s p -l pid -d 'Only this process' -r
complete -c heldup -n "__fish_heldup_needs_command" -s u -l unit -d 'Only this systemd unit' -r
complete -c heldup -n "__fish_heldup_needs_command" -l focus -d 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command' -r
complete -c heldup -n "__fish_heldup_needs_command" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_needs_command" -l ignore -d 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_needs_command" -l baseline -d 'Compare settings with SOURCE (default: the saved baseline)' -r
complete -c heldup -n "__fish_heldup_needs_command" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_needs_command" -s o -l output -d 'Write the answer to FILE; as one page of HTML where it ends in .html' -r -F
complete -c heldup -n "__fish_heldup_needs_command" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_needs_command" -l fail-on -d 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical' -r -f -a "critical\t'Failures now, a quarter of active time, or exhaustion within an hour'
warning\t'5 % of active time for 2 s or longer, or exhaustion within a day'
info\t'Worth knowing'"
complete -c heldup -n "__fish_heldup_needs_command" -l format -d 'Output format: text, json, csv or html' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c heldup -n "__fish_heldup_needs_command" -l measure-overhead -d 'Also measure eBPF run time (adds 250 ns per context switch)'
complete -c heldup -n "__fish_heldup_needs_command" -l no-save -d 'Do not save this examination (no @last)'
complete -c heldup -n "__fish_heldup_needs_command" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_needs_command" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_needs_command" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_needs_command" -s q -l quiet -d 'Show findings only, one line each'
complete -c heldup -n "__fish_heldup_needs_command" -s v -l verbose -d 'Show all findings with all evidence'
complete -c heldup -n "__fish_heldup_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_needs_command" -s V -l version -d 'Print version'
complete -c heldup -n "__fish_heldup_needs_command" -a "examine" -d 'Examine this machine, or a recording: where time goes, and why'
complete -c heldup -n "__fish_heldup_needs_command" -a "run" -d 'Run a command and examine it from start to end'
complete -c heldup -n "__fish_heldup_needs_command" -a "watch" -d 'Examine this machine continuously; report findings as they appear and end'
complete -c heldup -n "__fish_heldup_needs_command" -a "top" -d 'Show this machine in the terminal, live or as it was recorded'
complete -c heldup -n "__fish_heldup_needs_command" -a "serve" -d 'Show this machine or a recording as a page, in a browser'
complete -c heldup -n "__fish_heldup_needs_command" -a "explain" -d 'Explain a finding, a rule or a class of time'
complete -c heldup -n "__fish_heldup_needs_command" -a "breakdown" -d 'Break down CPU, wait, I/O, lock or memory time by program, object and stack'
complete -c heldup -n "__fish_heldup_needs_command" -a "plot" -d 'Draw figures of this machine or a recording: in the terminal, as pictures, as a page'
complete -c heldup -n "__fish_heldup_needs_command" -a "compare" -d 'Compare two recordings: time, metrics, programs and settings'
complete -c heldup -n "__fish_heldup_needs_command" -a "try" -d 'Change one setting, prove whether it helps, and undo it'
complete -c heldup -n "__fish_heldup_needs_command" -a "tune" -d 'Show, change and undo settings'
complete -c heldup -n "__fish_heldup_needs_command" -a "record" -d 'Record this machine every second, every process and its waits, into an archive'
complete -c heldup -n "__fish_heldup_needs_command" -a "status" -d 'Show the recorder, pending changes of settings, and the last findings'
complete -c heldup -n "__fish_heldup_needs_command" -a "capture" -d 'Write one file with all that can be seen of this machine, for whoever helps'
complete -c heldup -n "__fish_heldup_needs_command" -a "baseline" -d 'Save, show or delete the settings that examinations compare with'
complete -c heldup -n "__fish_heldup_needs_command" -a "doctor" -d 'Show what cannot be seen on this machine, and what would change that'
complete -c heldup -n "__fish_heldup_needs_command" -a "sql" -d 'Query the tables of an examination, a recording or this machine'
complete -c heldup -n "__fish_heldup_needs_command" -a "tables" -d 'List the tables, or the columns of one with units and meanings'
complete -c heldup -n "__fish_heldup_needs_command" -a "rules" -d 'List or test the rules behind the findings'
complete -c heldup -n "__fish_heldup_needs_command" -a "keep-house" -d 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
complete -c heldup -n "__fish_heldup_needs_command" -a "live-archive" -d 'Record into a temporary archive while `top` shows it (`top` runs it)'
complete -c heldup -n "__fish_heldup_needs_command" -a "completions" -d 'Print a completion script for a shell'
complete -c heldup -n "__fish_heldup_needs_command" -a "generate" -d 'Write man pages, completions and references into a folder (for packagers)'
complete -c heldup -n "__fish_heldup_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l for -d 'Window, from now or from --since (default 10s)' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s p -l pid -d 'Only this process' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s u -l unit -d 'Only this systemd unit' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l focus -d 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l ignore -d 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l baseline -d 'Compare settings with SOURCE (default: the saved baseline)' -r
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s o -l output -d 'Write the answer to FILE; as one page of HTML where it ends in .html' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l fail-on -d 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical' -r -f -a "critical\t'Failures now, a quarter of active time, or exhaustion within an hour'
warning\t'5 % of active time for 2 s or longer, or exhaustion within a day'
info\t'Worth knowing'"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l format -d 'Output format: text, json, csv or html' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l measure-overhead -d 'Also measure eBPF run time (adds 250 ns per context switch)'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l no-save -d 'Do not save this examination (no @last)'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s q -l quiet -d 'Show findings only, one line each'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s v -l verbose -d 'Show all findings with all evidence'
complete -c heldup -n "__fish_heldup_using_subcommand examine" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand run" -s p -l pid -d 'Only this process' -r
complete -c heldup -n "__fish_heldup_using_subcommand run" -s u -l unit -d 'Only this systemd unit' -r
complete -c heldup -n "__fish_heldup_using_subcommand run" -l focus -d 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand run" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand run" -l ignore -d 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand run" -l baseline -d 'Compare settings with SOURCE (default: the saved baseline)' -r
complete -c heldup -n "__fish_heldup_using_subcommand run" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand run" -s o -l output -d 'Write the answer to FILE; as one page of HTML where it ends in .html' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand run" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand run" -l fail-on -d 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical' -r -f -a "critical\t'Failures now, a quarter of active time, or exhaustion within an hour'
warning\t'5 % of active time for 2 s or longer, or exhaustion within a day'
info\t'Worth knowing'"
complete -c heldup -n "__fish_heldup_using_subcommand run" -l format -d 'Output format: text, json, csv or html' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c heldup -n "__fish_heldup_using_subcommand run" -l measure-overhead -d 'Also measure eBPF run time (adds 250 ns per context switch)'
complete -c heldup -n "__fish_heldup_using_subcommand run" -l no-save -d 'Do not save this examination (no @last)'
complete -c heldup -n "__fish_heldup_using_subcommand run" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand run" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand run" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand run" -s q -l quiet -d 'Show findings only, one line each'
complete -c heldup -n "__fish_heldup_using_subcommand run" -s v -l verbose -d 'Show all findings with all evidence'
complete -c heldup -n "__fish_heldup_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l interval -d 'Length of a window' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -s n -l count -d 'Stop after so many windows' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l for -d 'Stop after this time (default: at Ctrl-C)' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l min-severity -d 'Report findings at or above: info, warning, critical' -r -f -a "critical\t'Failures now, a quarter of active time, or exhaustion within an hour'
warning\t'5 % of active time for 2 s or longer, or exhaustion within a day'
info\t'Worth knowing'"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l raise-after -d 'Report a finding found in K of the last N windows' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l clear-after -d 'Report its end after M windows without it' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l exec -d 'Run PROGRAM for each new finding' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l exec-shell -d 'Run LINE with sh for each new finding' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -s p -l pid -d 'Only this process' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -s u -l unit -d 'Only this systemd unit' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l focus -d 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l ignore -d 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l measure-overhead -d 'Also measure eBPF run time (adds 250 ns per context switch)'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -s q -l quiet -d 'Show findings only, one line each'
complete -c heldup -n "__fish_heldup_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand top" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand top" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand top" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand top" -l for -d 'Length of the window' -r
complete -c heldup -n "__fish_heldup_using_subcommand top" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand top" -l ignore -d 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand top" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand top" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand top" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand top" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l port -d 'Port on loopback (default: 8017, else a free one)' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l socket -d 'Listen on a socket instead, which only its owner may use' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l address -d 'Address of loopback: 127.0.0.1 or [::1]' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l for -d 'Length of the window that is shown first' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l ignore -d 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)' -r
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand serve" -l assets -d 'Take the page\'s files from FOLDER, for who works on them' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand serve" -s v -l verbose -d 'Also say how the server is confined'
complete -c heldup -n "__fish_heldup_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand explain" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand explain" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand explain" -l sql -d 'Show also the SQL of the rule'
complete -c heldup -n "__fish_heldup_using_subcommand explain" -s v -l verbose -d 'Show all findings of an examination in full'
complete -c heldup -n "__fish_heldup_using_subcommand explain" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l for -d 'Window, from now or from --since (default 10s)' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -s p -l pid -d 'Only this process' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -s u -l unit -d 'Only this systemd unit' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l focus -d 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l baseline -d 'Show the differences from this source, or from SOURCE@FROM..UNTIL' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -s n -l rows -d 'Rows of each list' -r
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -s o -l output -d 'Write to FILE; FILE.svg is a flame graph, FILE.html a page' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l format -d 'Output format: text, json, csv, svg or html' -r -f -a "text\t'For people'
json\t'For programs: one document with a schema'
csv\t'For spreadsheets: the main list of the answer, a header line first'
svg\t'A flame graph'
html\t'One page that needs nothing else'"
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l folded -d 'Write folded stacks with microseconds, for flame graphs of other programs'
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand breakdown" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -s o -l output -d 'Write to FILE.svg, FILE.png, FILE.html or a folder' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l for -d 'Window, from now or from --since (default 10s)' -r
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l format -d 'Output format: text, json, csv or html' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l list -d 'List the figures'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l dark -d 'Draw pictures on dark paper'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l png -d 'Write the pictures of a folder as PNG'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -s q -l quiet -d 'Show findings only, one line each'
complete -c heldup -n "__fish_heldup_using_subcommand plot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l against -d 'Captures to compare with the first ones' -r
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand compare" -s o -l output -d 'Write the answer to FILE; as one page of HTML where it ends in .html' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l format -d 'Output format: text, json, csv or html' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l fail-on -d 'Exit with 1 if a class of time differs by this severity: info, warning or critical' -r -f -a "critical\t'Failures now, a quarter of active time, or exhaustion within an hour'
warning\t'5 % of active time for 2 s or longer, or exhaustion within a day'
info\t'Worth knowing'"
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l no-trim -d 'Compare whole windows, ramp-up and ramp-down included'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -s v -l verbose -d 'Show all differences (default: the largest of each kind)'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -s q -l quiet -d 'Show the conclusion only'
complete -c heldup -n "__fish_heldup_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l workload -d 'Command to measure, run by sh' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l query -d 'Measure live traffic: the first cell of a query' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l measure -d 'Measure of a run: wall (default), regex:, json:, sql:' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l goal -d 'Better: lower (default for wall) or higher' -r -f -a "lower\t'Lower ones: times, losses'
higher\t'Higher ones: throughput'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l guard -d 'Stop if a second measure exceeds its limit (\'json:p99<=20\')' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l prepare -d 'Command to run by sh before each run, not measured' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l timeout -d 'Time limit of a run' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l block -d 'Length of a block of live traffic' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l settle -d 'Wait after each change (default 2s on live traffic)' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l warm-up -d 'Blocks at the start that are not counted' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l min-effect -d 'Smallest effect worth finding' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l pairs -d 'Pairs of each change at most' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l max-time -d 'Time limit of all blocks' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l seed -d 'Random seed for the order of runs' -r
complete -c heldup -n "__fish_heldup_using_subcommand try" -l dossier -d 'Folder for the record of the experiment (default: `experiments` in the state folder)' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand try" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -s o -l output -d 'Write the answer to FILE; as one page of HTML where it ends in .html' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand try" -l color -d 'Use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l format -d 'Output format: text, json, csv or html' -r -f -a "text\t''
json\t''
csv\t''
html\t''"
complete -c heldup -n "__fish_heldup_using_subcommand try" -l search -d 'Search LOW..HIGH for the best value, then test it'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l apply-best -d 'Keep the change that helped most'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l yes -d 'Do not ask before testing a proposed change'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l no-ledger -d 'Do not account for time: no reasons, lowest overhead'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l require-gain -d 'Exit with 1 if no change has helped'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand try" -l ascii -d 'Use plain ASCII'
complete -c heldup -n "__fish_heldup_using_subcommand try" -s v -l verbose -d 'Show all classes of time'
complete -c heldup -n "__fish_heldup_using_subcommand try" -s q -l quiet -d 'Show the conclusion only'
complete -c heldup -n "__fish_heldup_using_subcommand try" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "list" -d 'List settings with value, default and who set them'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "show" -d 'Show a setting: what it does, risks, default, value here'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "audit" -d 'Check files of settings for what is obsolete, invalid, risky or needless'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "profile" -d 'List profiles, or show what one sets and why'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "plan" -d 'Show what a change would do, without making it'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "apply" -d 'Apply settings as one transaction; old values are saved first'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "confirm" -d 'Keep changes that wait for confirmation'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "undo" -d 'Undo changes: the latest plan, some by number or setting, or all'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "limit" -d 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "pin" -d 'Pin processes or a command to CPUs: a list, a node, or the best'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "status" -d 'List changes: in effect, waiting, modified by others, undone'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "recover" -d 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "guard" -d 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and not __fish_seen_subcommand_from list show audit profile plan apply confirm undo limit pin status recover guard help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -s n -l rows -d 'Rows at most' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -l changed -d 'Only settings that a file sets, differ from the default, or are set twice'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from show" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from show" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l release -d 'Release: 6.1, solaris-11, aix-7.2, linux-6.1 (default: this kernel)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l fail-on -d 'Exit with 1 if a line has a remark (info) or should be changed (warning)' -r -f -a "info\t'There is a remark on it'
warning\t'It should be changed'"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l all -d 'Show also lines without remarks'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "list" -d 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "show" -d 'Show what a profile sets, and why'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from profile" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -l profile -d 'All settings of a profile (tuned/NAME: of tuned)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -l persist -d 'Apply at each boot too: sysctl.d, udev rule or tmpfiles.d'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l profile -d 'All settings of a profile (tuned/NAME: of tuned)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l confirm -d 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l persist -d 'Apply at each boot too: sysctl.d, udev rule or tmpfiles.d'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from confirm" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from confirm" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from confirm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l all -d 'Undo all changes'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l force -d 'Overwrite what someone else has set since'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l cpu-quota -d 'CPUs they may use together (2, 0.5)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l memory -d 'Memory they may use together, page cache included (1GB)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l tasks -d 'Processes and threads together' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l read -d 'Read rate of a disk, bytes/s (/dev/sda=20MB)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l write -d 'Write rate of a disk, bytes/s' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -s p -l pid -d 'Process (repeat for several)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l confirm -d 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l plan -d 'Show what would be changed, and change nothing'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from limit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l cpu-list -d 'These CPUs (0-3,8)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l node -d 'The CPUs of a NUMA node' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l count -d 'CPUs per process, chosen near its memory (default: one per thread)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -s p -l pid -d 'Process (repeat for several)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l confirm -d 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l plan -d 'Show what would be changed, and change nothing'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from pin" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from status" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from status" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from recover" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from recover" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from recover" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from guard" -l plan -d 'Number of the plan' -r
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from guard" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "list" -d 'List settings with value, default and who set them'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show a setting: what it does, risks, default, value here'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "audit" -d 'Check files of settings for what is obsolete, invalid, risky or needless'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "profile" -d 'List profiles, or show what one sets and why'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "plan" -d 'Show what a change would do, without making it'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "apply" -d 'Apply settings as one transaction; old values are saved first'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "confirm" -d 'Keep changes that wait for confirmation'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "undo" -d 'Undo changes: the latest plan, some by number or setting, or all'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "limit" -d 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "pin" -d 'Pin processes or a command to CPUs: a list, a node, or the best'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "status" -d 'List changes: in effect, waiting, modified by others, undone'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "recover" -d 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "guard" -d 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)'
complete -c heldup -n "__fish_heldup_using_subcommand tune; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand record" -s o -l output -d 'Folder to record into (default: /var/lib/heldup/archive, without root in ~/.local/state/heldup)' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand record" -l for -d 'Stop after this time (default: at Ctrl-C)' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l interval -d 'Time between two samples' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l retention -d 'Delete data older than this' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l max-size -d 'Delete the oldest data above this size' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l raw-for -d 'Keep every sample this long, then one row for 10 s' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l ten-seconds-for -d 'Keep rows of 10 s this long, then one per minute' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l cpu-budget -d 'Limit CPU use to this share of one CPU' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l flush -d 'Time between two flushes to the disk' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l segment -d 'Age at which a segment is closed and sealed' -r
complete -c heldup -n "__fish_heldup_using_subcommand record" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand record" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand record" -l measure-overhead -d 'Also measure eBPF run time (adds 250 ns per context switch)'
complete -c heldup -n "__fish_heldup_using_subcommand record" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand status" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand status" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -s o -l output -d 'File to write' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l for -d 'Window, from now or from --since (default 30s)' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l force -d 'Replace what is there'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l redact -d 'Replace names of people and machines by pseudonyms'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand capture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and not __fish_seen_subcommand_from save show drop help" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and not __fish_seen_subcommand_from save show drop help" -f -a "save" -d 'Save the settings of this machine, or of SOURCE, as the baseline'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and not __fish_seen_subcommand_from save show drop help" -f -a "show" -d 'Show when the baseline was saved, and of which machine'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and not __fish_seen_subcommand_from save show drop help" -f -a "drop" -d 'Delete the baseline'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and not __fish_seen_subcommand_from save show drop help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l for -d 'Window, from now or from --since (default 30s)' -r
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l force -d 'Replace what is there'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from save" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from show" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from show" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from drop" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from drop" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from drop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from help" -f -a "save" -d 'Save the settings of this machine, or of SOURCE, as the baseline'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show when the baseline was saved, and of which machine'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from help" -f -a "drop" -d 'Delete the baseline'
complete -c heldup -n "__fish_heldup_using_subcommand baseline; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand doctor" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand doctor" -l all -d 'Show also what works'
complete -c heldup -n "__fish_heldup_using_subcommand doctor" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand sql" -s s -l source -d 'Source: @last (default), @41, a capture, an archive, files' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l schema -d 'Show the columns of a table' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l for -d 'Window, from now or from --since' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l since -d 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l until -d 'End: 03:10, +10m after --since, now' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l host -d 'Host, in a recording of several' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -s p -l pid -d 'Only this process' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -s u -l unit -d 'Only this systemd unit' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l focus -d 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -s n -l rows -d 'Rows at most' -r
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l format -d 'Output format: text, json or csv' -r -f -a "text\t'Aligned columns'
csv\t'Comma-separated values with a header line'
json\t'One JSON object a line'"
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand sql" -l json -d 'Write JSON, one object per line'
complete -c heldup -n "__fish_heldup_using_subcommand sql" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand tables" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand tables" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand tables" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list test help" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list test help" -f -a "list" -d 'List the rules'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list test help" -f -a "test" -d 'Run each rule\'s own cases: small recorded tables that must fire or stay silent'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and not __fish_seen_subcommand_from list test help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -l area -d 'Only this area: cpu, mem, disk, fs, net, lock, limit or db' -r
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -s n -l rows -d 'Rows at most' -r
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l rules -d 'Use further rules from FOLDER' -r -F
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l format -d 'Output format: text, json or csv' -r -f -a "text\t''
json\t''
csv\t''"
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l watch -d 'Test again whenever a rule or its cases change, until Ctrl-C'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l robust -d 'Also test with samples that are 5 % off or missing'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l unmeasured -d 'Test without each measured column in turn: a finding must show no number that was not measured'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -l json -d 'Write JSON'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the rules'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "test" -d 'Run each rule\'s own cases: small recorded tables that must fire or stay silent'
complete -c heldup -n "__fish_heldup_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l retention -d 'Delete data older than this' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l max-size -d 'Delete the oldest data above this size' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l raw-for -d 'Keep every sample this long, then one row for 10 s' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l ten-seconds-for -d 'Keep rows of 10 s this long, then one per minute' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -l later -d 'Do what would be done so much later' -r
complete -c heldup -n "__fish_heldup_using_subcommand keep-house" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand live-archive" -l method -d 'Account for time by: auto, ebpf, sampling or delays' -r -f -a "auto\t'The best that the machine and the permissions allow: ebpf, else sampling'
ebpf\t'Every context switch, by eBPF: exact, all classes; fails where that is not allowed'
sampling\t'CPU and run queue from the kernel\'s counters; the rest by sampling each thread 5 to 20 times a second, with a standard error. Leaves out throttling, peers, stacks and threads shorter than a sample; without root most waits too'
delays\t'CPU and run queue from the kernel\'s counters only; all waits are unknown'"
complete -c heldup -n "__fish_heldup_using_subcommand live-archive" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c heldup -n "__fish_heldup_using_subcommand completions" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand generate" -s h -l help -d 'Print help'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "examine" -d 'Examine this machine, or a recording: where time goes, and why'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "run" -d 'Run a command and examine it from start to end'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "watch" -d 'Examine this machine continuously; report findings as they appear and end'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "top" -d 'Show this machine in the terminal, live or as it was recorded'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "serve" -d 'Show this machine or a recording as a page, in a browser'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "explain" -d 'Explain a finding, a rule or a class of time'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "breakdown" -d 'Break down CPU, wait, I/O, lock or memory time by program, object and stack'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "plot" -d 'Draw figures of this machine or a recording: in the terminal, as pictures, as a page'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "compare" -d 'Compare two recordings: time, metrics, programs and settings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "try" -d 'Change one setting, prove whether it helps, and undo it'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "tune" -d 'Show, change and undo settings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "record" -d 'Record this machine every second, every process and its waits, into an archive'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "status" -d 'Show the recorder, pending changes of settings, and the last findings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "capture" -d 'Write one file with all that can be seen of this machine, for whoever helps'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "baseline" -d 'Save, show or delete the settings that examinations compare with'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "doctor" -d 'Show what cannot be seen on this machine, and what would change that'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "sql" -d 'Query the tables of an examination, a recording or this machine'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "tables" -d 'List the tables, or the columns of one with units and meanings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "rules" -d 'List or test the rules behind the findings'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "keep-house" -d 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "live-archive" -d 'Record into a temporary archive while `top` shows it (`top` runs it)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "generate" -d 'Write man pages, completions and references into a folder (for packagers)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and not __fish_seen_subcommand_from examine run watch top serve explain breakdown plot compare try tune record status capture baseline doctor sql tables rules keep-house live-archive completions generate help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "list" -d 'List settings with value, default and who set them'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "show" -d 'Show a setting: what it does, risks, default, value here'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "audit" -d 'Check files of settings for what is obsolete, invalid, risky or needless'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "profile" -d 'List profiles, or show what one sets and why'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "plan" -d 'Show what a change would do, without making it'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "apply" -d 'Apply settings as one transaction; old values are saved first'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "confirm" -d 'Keep changes that wait for confirmation'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "undo" -d 'Undo changes: the latest plan, some by number or setting, or all'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "limit" -d 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "pin" -d 'Pin processes or a command to CPUs: a list, a node, or the best'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "status" -d 'List changes: in effect, waiting, modified by others, undone'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "recover" -d 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from tune" -f -a "guard" -d 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from baseline" -f -a "save" -d 'Save the settings of this machine, or of SOURCE, as the baseline'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from baseline" -f -a "show" -d 'Show when the baseline was saved, and of which machine'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from baseline" -f -a "drop" -d 'Delete the baseline'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "list" -d 'List the rules'
complete -c heldup -n "__fish_heldup_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "test" -d 'Run each rule\'s own cases: small recorded tables that must fire or stay silent'
