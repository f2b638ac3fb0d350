
use builtin;
use str;

set edit:completion:arg-completer[heldup] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'heldup'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'heldup'= {
            cand --for 'Window, from now or from --since (default 10s)'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand -p 'Only this process'
            cand --pid 'Only this process'
            cand -u 'Only this systemd unit'
            cand --unit 'Only this systemd unit'
            cand --focus 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --ignore 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)'
            cand --baseline 'Compare settings with SOURCE (default: the saved baseline)'
            cand --rules 'Use further rules from FOLDER'
            cand -o 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --output 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --color 'Use colour: auto, always or never'
            cand --fail-on 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical'
            cand --format 'Output format: text, json, csv or html'
            cand --measure-overhead 'Also measure eBPF run time (adds 250 ns per context switch)'
            cand --no-save 'Do not save this examination (no @last)'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -q 'Show findings only, one line each'
            cand --quiet 'Show findings only, one line each'
            cand -v 'Show all findings with all evidence'
            cand --verbose 'Show all findings with all evidence'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand examine 'Examine this machine, or a recording: where time goes, and why'
            cand run 'Run a command and examine it from start to end'
            cand watch 'Examine this machine continuously; report findings as they appear and end'
            cand top 'Show this machine in the terminal, live or as it was recorded'
            cand serve 'Show this machine or a recording as a page, in a browser'
            cand explain 'Explain a finding, a rule or a class of time'
            cand breakdown 'Break down CPU, wait, I/O, lock or memory time by program, object and stack'
            cand plot 'Draw figures of this machine or a recording: in the terminal, as pictures, as a page'
            cand compare 'Compare two recordings: time, metrics, programs and settings'
            cand try 'Change one setting, prove whether it helps, and undo it'
            cand tune 'Show, change and undo settings'
            cand record 'Record this machine every second, every process and its waits, into an archive'
            cand status 'Show the recorder, pending changes of settings, and the last findings'
            cand capture 'Write one file with all that can be seen of this machine, for whoever helps'
            cand baseline 'Save, show or delete the settings that examinations compare with'
            cand doctor 'Show what cannot be seen on this machine, and what would change that'
            cand sql 'Query the tables of an examination, a recording or this machine'
            cand tables 'List the tables, or the columns of one with units and meanings'
            cand rules 'List or test the rules behind the findings'
            cand keep-house 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
            cand live-archive 'Record into a temporary archive while `top` shows it (`top` runs it)'
            cand completions 'Print a completion script for a shell'
            cand generate 'Write man pages, completions and references into a folder (for packagers)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;examine'= {
            cand --for 'Window, from now or from --since (default 10s)'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand -p 'Only this process'
            cand --pid 'Only this process'
            cand -u 'Only this systemd unit'
            cand --unit 'Only this systemd unit'
            cand --focus 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --ignore 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)'
            cand --baseline 'Compare settings with SOURCE (default: the saved baseline)'
            cand --rules 'Use further rules from FOLDER'
            cand -o 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --output 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --color 'Use colour: auto, always or never'
            cand --fail-on 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical'
            cand --format 'Output format: text, json, csv or html'
            cand --measure-overhead 'Also measure eBPF run time (adds 250 ns per context switch)'
            cand --no-save 'Do not save this examination (no @last)'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -q 'Show findings only, one line each'
            cand --quiet 'Show findings only, one line each'
            cand -v 'Show all findings with all evidence'
            cand --verbose 'Show all findings with all evidence'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;run'= {
            cand -p 'Only this process'
            cand --pid 'Only this process'
            cand -u 'Only this systemd unit'
            cand --unit 'Only this systemd unit'
            cand --focus 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --ignore 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)'
            cand --baseline 'Compare settings with SOURCE (default: the saved baseline)'
            cand --rules 'Use further rules from FOLDER'
            cand -o 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --output 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --color 'Use colour: auto, always or never'
            cand --fail-on 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical'
            cand --format 'Output format: text, json, csv or html'
            cand --measure-overhead 'Also measure eBPF run time (adds 250 ns per context switch)'
            cand --no-save 'Do not save this examination (no @last)'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -q 'Show findings only, one line each'
            cand --quiet 'Show findings only, one line each'
            cand -v 'Show all findings with all evidence'
            cand --verbose 'Show all findings with all evidence'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;watch'= {
            cand --interval 'Length of a window'
            cand -n 'Stop after so many windows'
            cand --count 'Stop after so many windows'
            cand --for 'Stop after this time (default: at Ctrl-C)'
            cand --min-severity 'Report findings at or above: info, warning, critical'
            cand --raise-after 'Report a finding found in K of the last N windows'
            cand --clear-after 'Report its end after M windows without it'
            cand --exec 'Run PROGRAM for each new finding'
            cand --exec-shell 'Run LINE with sh for each new finding'
            cand -p 'Only this process'
            cand --pid 'Only this process'
            cand -u 'Only this systemd unit'
            cand --unit 'Only this systemd unit'
            cand --focus 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --ignore 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)'
            cand --rules 'Use further rules from FOLDER'
            cand --format 'Output format: text, json or csv'
            cand --color 'Use colour: auto, always or never'
            cand --measure-overhead 'Also measure eBPF run time (adds 250 ns per context switch)'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -q 'Show findings only, one line each'
            cand --quiet 'Show findings only, one line each'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;top'= {
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand --for 'Length of the window'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --ignore 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)'
            cand --rules 'Use further rules from FOLDER'
            cand --color 'Use colour: auto, always or never'
            cand --ascii 'Use plain ASCII'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;serve'= {
            cand --port 'Port on loopback (default: 8017, else a free one)'
            cand --socket 'Listen on a socket instead, which only its owner may use'
            cand --address 'Address of loopback: 127.0.0.1 or [::1]'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand --for 'Length of the window that is shown first'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --ignore 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)'
            cand --rules 'Use further rules from FOLDER'
            cand --assets 'Take the page''s files from FOLDER, for who works on them'
            cand -v 'Also say how the server is confined'
            cand --verbose 'Also say how the server is confined'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;explain'= {
            cand --rules 'Use further rules from FOLDER'
            cand --format 'Output format: text, json or csv'
            cand --sql 'Show also the SQL of the rule'
            cand -v 'Show all findings of an examination in full'
            cand --verbose 'Show all findings of an examination in full'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;breakdown'= {
            cand --for 'Window, from now or from --since (default 10s)'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand -p 'Only this process'
            cand --pid 'Only this process'
            cand -u 'Only this systemd unit'
            cand --unit 'Only this systemd unit'
            cand --focus 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --baseline 'Show the differences from this source, or from SOURCE@FROM..UNTIL'
            cand -n 'Rows of each list'
            cand --rows 'Rows of each list'
            cand -o 'Write to FILE; FILE.svg is a flame graph, FILE.html a page'
            cand --output 'Write to FILE; FILE.svg is a flame graph, FILE.html a page'
            cand --format 'Output format: text, json, csv, svg or html'
            cand --folded 'Write folded stacks with microseconds, for flame graphs of other programs'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;plot'= {
            cand -o 'Write to FILE.svg, FILE.png, FILE.html or a folder'
            cand --output 'Write to FILE.svg, FILE.png, FILE.html or a folder'
            cand --for 'Window, from now or from --since (default 10s)'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --color 'Use colour: auto, always or never'
            cand --format 'Output format: text, json, csv or html'
            cand --list 'List the figures'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --dark 'Draw pictures on dark paper'
            cand --png 'Write the pictures of a folder as PNG'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -q 'Show findings only, one line each'
            cand --quiet 'Show findings only, one line each'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;compare'= {
            cand --against 'Captures to compare with the first ones'
            cand --rules 'Use further rules from FOLDER'
            cand -o 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --output 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --color 'Use colour: auto, always or never'
            cand --format 'Output format: text, json, csv or html'
            cand --fail-on 'Exit with 1 if a class of time differs by this severity: info, warning or critical'
            cand --no-trim 'Compare whole windows, ramp-up and ramp-down included'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -v 'Show all differences (default: the largest of each kind)'
            cand --verbose 'Show all differences (default: the largest of each kind)'
            cand -q 'Show the conclusion only'
            cand --quiet 'Show the conclusion only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;try'= {
            cand --workload 'Command to measure, run by sh'
            cand --query 'Measure live traffic: the first cell of a query'
            cand --measure 'Measure of a run: wall (default), regex:, json:, sql:'
            cand --goal 'Better: lower (default for wall) or higher'
            cand --guard 'Stop if a second measure exceeds its limit (''json:p99<=20'')'
            cand --prepare 'Command to run by sh before each run, not measured'
            cand --timeout 'Time limit of a run'
            cand --block 'Length of a block of live traffic'
            cand --settle 'Wait after each change (default 2s on live traffic)'
            cand --warm-up 'Blocks at the start that are not counted'
            cand --min-effect 'Smallest effect worth finding'
            cand --pairs 'Pairs of each change at most'
            cand --max-time 'Time limit of all blocks'
            cand --seed 'Random seed for the order of runs'
            cand --dossier 'Folder for the record of the experiment (default: `experiments` in the state folder)'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand -o 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --output 'Write the answer to FILE; as one page of HTML where it ends in .html'
            cand --color 'Use colour: auto, always or never'
            cand --format 'Output format: text, json, csv or html'
            cand --search 'Search LOW..HIGH for the best value, then test it'
            cand --apply-best 'Keep the change that helped most'
            cand --yes 'Do not ask before testing a proposed change'
            cand --no-ledger 'Do not account for time: no reasons, lowest overhead'
            cand --require-gain 'Exit with 1 if no change has helped'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand --ascii 'Use plain ASCII'
            cand -v 'Show all classes of time'
            cand --verbose 'Show all classes of time'
            cand -q 'Show the conclusion only'
            cand --quiet 'Show the conclusion only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List settings with value, default and who set them'
            cand show 'Show a setting: what it does, risks, default, value here'
            cand audit 'Check files of settings for what is obsolete, invalid, risky or needless'
            cand profile 'List profiles, or show what one sets and why'
            cand plan 'Show what a change would do, without making it'
            cand apply 'Apply settings as one transaction; old values are saved first'
            cand confirm 'Keep changes that wait for confirmation'
            cand undo 'Undo changes: the latest plan, some by number or setting, or all'
            cand limit 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)'
            cand pin 'Pin processes or a command to CPUs: a list, a node, or the best'
            cand status 'List changes: in effect, waiting, modified by others, undone'
            cand recover 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)'
            cand guard 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;list'= {
            cand -n 'Rows at most'
            cand --rows 'Rows at most'
            cand --format 'Output format: text, json or csv'
            cand --changed 'Only settings that a file sets, differ from the default, or are set twice'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;show'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;audit'= {
            cand --release 'Release: 6.1, solaris-11, aix-7.2, linux-6.1 (default: this kernel)'
            cand --fail-on 'Exit with 1 if a line has a remark (info) or should be changed (warning)'
            cand --format 'Output format: text, json or csv'
            cand --all 'Show also lines without remarks'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;profile'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile sets, and why'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;profile;list'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;profile;show'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;profile;help'= {
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile sets, and why'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;profile;help;list'= {
        }
        &'heldup;tune;profile;help;show'= {
        }
        &'heldup;tune;profile;help;help'= {
        }
        &'heldup;tune;plan'= {
            cand --profile 'All settings of a profile (tuned/NAME: of tuned)'
            cand --format 'Output format: text, json or csv'
            cand --persist 'Apply at each boot too: sysctl.d, udev rule or tmpfiles.d'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;apply'= {
            cand --profile 'All settings of a profile (tuned/NAME: of tuned)'
            cand --format 'Output format: text, json or csv'
            cand --confirm 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)'
            cand --persist 'Apply at each boot too: sysctl.d, udev rule or tmpfiles.d'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;confirm'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;undo'= {
            cand --format 'Output format: text, json or csv'
            cand --all 'Undo all changes'
            cand --force 'Overwrite what someone else has set since'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;limit'= {
            cand --cpu-quota 'CPUs they may use together (2, 0.5)'
            cand --memory 'Memory they may use together, page cache included (1GB)'
            cand --tasks 'Processes and threads together'
            cand --read 'Read rate of a disk, bytes/s (/dev/sda=20MB)'
            cand --write 'Write rate of a disk, bytes/s'
            cand -p 'Process (repeat for several)'
            cand --pid 'Process (repeat for several)'
            cand --confirm 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)'
            cand --format 'Output format: text, json or csv'
            cand --plan 'Show what would be changed, and change nothing'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;pin'= {
            cand --cpu-list 'These CPUs (0-3,8)'
            cand --node 'The CPUs of a NUMA node'
            cand --count 'CPUs per process, chosen near its memory (default: one per thread)'
            cand -p 'Process (repeat for several)'
            cand --pid 'Process (repeat for several)'
            cand --confirm 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)'
            cand --format 'Output format: text, json or csv'
            cand --plan 'Show what would be changed, and change nothing'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;status'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;recover'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tune;guard'= {
            cand --plan 'Number of the plan'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;help'= {
            cand list 'List settings with value, default and who set them'
            cand show 'Show a setting: what it does, risks, default, value here'
            cand audit 'Check files of settings for what is obsolete, invalid, risky or needless'
            cand profile 'List profiles, or show what one sets and why'
            cand plan 'Show what a change would do, without making it'
            cand apply 'Apply settings as one transaction; old values are saved first'
            cand confirm 'Keep changes that wait for confirmation'
            cand undo 'Undo changes: the latest plan, some by number or setting, or all'
            cand limit 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)'
            cand pin 'Pin processes or a command to CPUs: a list, a node, or the best'
            cand status 'List changes: in effect, waiting, modified by others, undone'
            cand recover 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)'
            cand guard 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;help;list'= {
        }
        &'heldup;tune;help;show'= {
        }
        &'heldup;tune;help;audit'= {
        }
        &'heldup;tune;help;profile'= {
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile sets, and why'
        }
        &'heldup;tune;help;profile;list'= {
        }
        &'heldup;tune;help;profile;show'= {
        }
        &'heldup;tune;help;plan'= {
        }
        &'heldup;tune;help;apply'= {
        }
        &'heldup;tune;help;confirm'= {
        }
        &'heldup;tune;help;undo'= {
        }
        &'heldup;tune;help;limit'= {
        }
        &'heldup;tune;help;pin'= {
        }
        &'heldup;tune;help;status'= {
        }
        &'heldup;tune;help;recover'= {
        }
        &'heldup;tune;help;guard'= {
        }
        &'heldup;tune;help;help'= {
        }
        &'heldup;record'= {
            cand -o 'Folder to record into (default: /var/lib/heldup/archive, without root in ~/.local/state/heldup)'
            cand --output 'Folder to record into (default: /var/lib/heldup/archive, without root in ~/.local/state/heldup)'
            cand --for 'Stop after this time (default: at Ctrl-C)'
            cand --interval 'Time between two samples'
            cand --retention 'Delete data older than this'
            cand --max-size 'Delete the oldest data above this size'
            cand --raw-for 'Keep every sample this long, then one row for 10 s'
            cand --ten-seconds-for 'Keep rows of 10 s this long, then one per minute'
            cand --cpu-budget 'Limit CPU use to this share of one CPU'
            cand --flush 'Time between two flushes to the disk'
            cand --segment 'Age at which a segment is closed and sealed'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --format 'Output format: text, json or csv'
            cand --measure-overhead 'Also measure eBPF run time (adds 250 ns per context switch)'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;status'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;capture'= {
            cand -o 'File to write'
            cand --output 'File to write'
            cand --for 'Window, from now or from --since (default 30s)'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --format 'Output format: text, json or csv'
            cand --force 'Replace what is there'
            cand --redact 'Replace names of people and machines by pseudonyms'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;baseline'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand save 'Save the settings of this machine, or of SOURCE, as the baseline'
            cand show 'Show when the baseline was saved, and of which machine'
            cand drop 'Delete the baseline'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;baseline;save'= {
            cand --for 'Window, from now or from --since (default 30s)'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --format 'Output format: text, json or csv'
            cand --force 'Replace what is there'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;baseline;show'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;baseline;drop'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;baseline;help'= {
            cand save 'Save the settings of this machine, or of SOURCE, as the baseline'
            cand show 'Show when the baseline was saved, and of which machine'
            cand drop 'Delete the baseline'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;baseline;help;save'= {
        }
        &'heldup;baseline;help;show'= {
        }
        &'heldup;baseline;help;drop'= {
        }
        &'heldup;baseline;help;help'= {
        }
        &'heldup;doctor'= {
            cand --format 'Output format: text, json or csv'
            cand --all 'Show also what works'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;sql'= {
            cand -s 'Source: @last (default), @41, a capture, an archive, files'
            cand --source 'Source: @last (default), @41, a capture, an archive, files'
            cand --schema 'Show the columns of a table'
            cand --for 'Window, from now or from --since'
            cand --since 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z'
            cand --until 'End: 03:10, +10m after --since, now'
            cand --host 'Host, in a recording of several'
            cand -p 'Only this process'
            cand --pid 'Only this process'
            cand -u 'Only this systemd unit'
            cand --unit 'Only this systemd unit'
            cand --focus 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command'
            cand -n 'Rows at most'
            cand --rows 'Rows at most'
            cand --format 'Output format: text, json or csv'
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand --json 'Write JSON, one object per line'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tables'= {
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;rules'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List the rules'
            cand test 'Run each rule''s own cases: small recorded tables that must fire or stay silent'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;rules;list'= {
            cand --area 'Only this area: cpu, mem, disk, fs, net, lock, limit or db'
            cand -n 'Rows at most'
            cand --rows 'Rows at most'
            cand --rules 'Use further rules from FOLDER'
            cand --format 'Output format: text, json or csv'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;rules;test'= {
            cand --rules 'Use further rules from FOLDER'
            cand --format 'Output format: text, json or csv'
            cand --watch 'Test again whenever a rule or its cases change, until Ctrl-C'
            cand --robust 'Also test with samples that are 5 % off or missing'
            cand --unmeasured 'Test without each measured column in turn: a finding must show no number that was not measured'
            cand --json 'Write JSON'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;rules;help'= {
            cand list 'List the rules'
            cand test 'Run each rule''s own cases: small recorded tables that must fire or stay silent'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;rules;help;list'= {
        }
        &'heldup;rules;help;test'= {
        }
        &'heldup;rules;help;help'= {
        }
        &'heldup;keep-house'= {
            cand --retention 'Delete data older than this'
            cand --max-size 'Delete the oldest data above this size'
            cand --raw-for 'Keep every sample this long, then one row for 10 s'
            cand --ten-seconds-for 'Keep rows of 10 s this long, then one per minute'
            cand --later 'Do what would be done so much later'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;live-archive'= {
            cand --method 'Account for time by: auto, ebpf, sampling or delays'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;generate'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;help'= {
            cand examine 'Examine this machine, or a recording: where time goes, and why'
            cand run 'Run a command and examine it from start to end'
            cand watch 'Examine this machine continuously; report findings as they appear and end'
            cand top 'Show this machine in the terminal, live or as it was recorded'
            cand serve 'Show this machine or a recording as a page, in a browser'
            cand explain 'Explain a finding, a rule or a class of time'
            cand breakdown 'Break down CPU, wait, I/O, lock or memory time by program, object and stack'
            cand plot 'Draw figures of this machine or a recording: in the terminal, as pictures, as a page'
            cand compare 'Compare two recordings: time, metrics, programs and settings'
            cand try 'Change one setting, prove whether it helps, and undo it'
            cand tune 'Show, change and undo settings'
            cand record 'Record this machine every second, every process and its waits, into an archive'
            cand status 'Show the recorder, pending changes of settings, and the last findings'
            cand capture 'Write one file with all that can be seen of this machine, for whoever helps'
            cand baseline 'Save, show or delete the settings that examinations compare with'
            cand doctor 'Show what cannot be seen on this machine, and what would change that'
            cand sql 'Query the tables of an examination, a recording or this machine'
            cand tables 'List the tables, or the columns of one with units and meanings'
            cand rules 'List or test the rules behind the findings'
            cand keep-house 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
            cand live-archive 'Record into a temporary archive while `top` shows it (`top` runs it)'
            cand completions 'Print a completion script for a shell'
            cand generate 'Write man pages, completions and references into a folder (for packagers)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;help;examine'= {
        }
        &'heldup;help;run'= {
        }
        &'heldup;help;watch'= {
        }
        &'heldup;help;top'= {
        }
        &'heldup;help;serve'= {
        }
        &'heldup;help;explain'= {
        }
        &'heldup;help;breakdown'= {
        }
        &'heldup;help;plot'= {
        }
        &'heldup;help;compare'= {
        }
        &'heldup;help;try'= {
        }
        &'heldup;help;tune'= {
            cand list 'List settings with value, default and who set them'
            cand show 'Show a setting: what it does, risks, default, value here'
            cand audit 'Check files of settings for what is obsolete, invalid, risky or needless'
            cand profile 'List profiles, or show what one sets and why'
            cand plan 'Show what a change would do, without making it'
            cand apply 'Apply settings as one transaction; old values are saved first'
            cand confirm 'Keep changes that wait for confirmation'
            cand undo 'Undo changes: the latest plan, some by number or setting, or all'
            cand limit 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)'
            cand pin 'Pin processes or a command to CPUs: a list, a node, or the best'
            cand status 'List changes: in effect, waiting, modified by others, undone'
            cand recover 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)'
            cand guard 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)'
        }
        &'heldup;help;tune;list'= {
        }
        &'heldup;help;tune;show'= {
        }
        &'heldup;help;tune;audit'= {
        }
        &'heldup;help;tune;profile'= {
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile sets, and why'
        }
        &'heldup;help;tune;profile;list'= {
        }
        &'heldup;help;tune;profile;show'= {
        }
        &'heldup;help;tune;plan'= {
        }
        &'heldup;help;tune;apply'= {
        }
        &'heldup;help;tune;confirm'= {
        }
        &'heldup;help;tune;undo'= {
        }
        &'heldup;help;tune;limit'= {
        }
        &'heldup;help;tune;pin'= {
        }
        &'heldup;help;tune;status'= {
        }
        &'heldup;help;tune;recover'= {
        }
        &'heldup;help;tune;guard'= {
        }
        &'heldup;help;record'= {
        }
        &'heldup;help;status'= {
        }
        &'heldup;help;capture'= {
        }
        &'heldup;help;baseline'= {
            cand save 'Save the settings of this machine, or of SOURCE, as the baseline'
            cand show 'Show when the baseline was saved, and of which machine'
            cand drop 'Delete the baseline'
        }
        &'heldup;help;baseline;save'= {
        }
        &'heldup;help;baseline;show'= {
        }
        &'heldup;help;baseline;drop'= {
        }
        &'heldup;help;doctor'= {
        }
        &'heldup;help;sql'= {
        }
        &'heldup;help;tables'= {
        }
        &'heldup;help;rules'= {
            cand list 'List the rules'
            cand test 'Run each rule''s own cases: small recorded tables that must fire or stay silent'
        }
        &'heldup;help;rules;list'= {
        }
        &'heldup;help;rules;test'= {
        }
        &'heldup;help;keep-house'= {
        }
        &'heldup;help;live-archive'= {
        }
        &'heldup;help;completions'= {
        }
        &'heldup;help;generate'= {
        }
        &'heldup;help;help'= {
        }
    ]
    $completions[$command]
}
