
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
            cand --for 'How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it'
            cand --since 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z'
            cand --until 'Until when: 03:10, +10m (from --since on), now; without it until now'
            cand --host 'Of an archive with the files of several hosts, which'
            cand --focus 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command'
            cand --method 'How to account for time'
            cand --ignore 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)'
            cand --baseline 'Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME (config.drift); of this machine without it the one that `heldup capture --baseline` kept'
            cand --rules 'Further rules: a folder of rule files'
            cand --format 'How to write the answer'
            cand --color 'When to use colour and bars'
            cand --own-cost 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
            cand --details 'Write every finding in full; without it information is brief, and one of a kind'
            cand --check 'Exit with 1 when a finding is a warning or worse'
            cand --no-keep 'Do not keep this examination as @last'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand examine 'Examine this machine, or the last examination again: where its time goes, and why'
            cand watch 'Examine this machine all the time: a line when a finding appears, changes or ends'
            cand record 'Record this machine, every process and what it waits for each second, into an archive'
            cand status 'Show what is recorded here, what that costs, and what is missing'
            cand keep-house 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
            cand capture 'Write one file with all that can be seen of this machine, for a helper elsewhere'
            cand compare 'Compare two kept captures: what changed in time, metrics, programs and settings'
            cand doctor 'Show what can be seen on this machine, what cannot, and what would let it'
            cand sql 'Ask the tables yourself, on the live machine or on the last examination'
            cand trace 'Drill one kind of time down to programs, objects and stacks, over the time of a window'
            cand tables 'List the tables, or the columns of one with their units and meanings'
            cand rules 'List, explain or test the rules behind the findings'
            cand tune 'Show settings and who set them; change them so that it is taken back after any end'
            cand try 'Change one thing, prove whether it helps, and take it back'
            cand completions 'Print a completion script for a shell'
            cand generate 'Write man pages, completions and references into a folder (for packagers)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;examine'= {
            cand --for 'How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it'
            cand --since 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z'
            cand --until 'Until when: 03:10, +10m (from --since on), now; without it until now'
            cand --host 'Of an archive with the files of several hosts, which'
            cand --focus 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command'
            cand --method 'How to account for time'
            cand --ignore 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)'
            cand --baseline 'Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME (config.drift); of this machine without it the one that `heldup capture --baseline` kept'
            cand --rules 'Further rules: a folder of rule files'
            cand --format 'How to write the answer'
            cand --color 'When to use colour and bars'
            cand --own-cost 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
            cand --details 'Write every finding in full; without it information is brief, and one of a kind'
            cand --check 'Exit with 1 when a finding is a warning or worse'
            cand --no-keep 'Do not keep this examination as @last'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;watch'= {
            cand --every 'Length of a window; the next one begins where it ends'
            cand --for 'How long to watch, in whole windows; until Ctrl-C without it'
            cand --appear 'In K of the last N windows a finding must be found to appear'
            cand --end 'Windows in a row without it after which a finding has ended'
            cand --least 'Tell findings of this severity and worse'
            cand --exec 'Run this program for each new finding, without a shell and without arguments'
            cand --exec-shell 'Have sh run this line for each new finding'
            cand --method 'How to account for time'
            cand --focus 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or port:N'
            cand --ignore 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)'
            cand --rules 'Further rules: a folder of rule files'
            cand --color 'When to use colour'
            cand --json 'JSON lines for programs: schema heldup/watch/1'
            cand --own-cost 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;record'= {
            cand --interval 'Time between two samples'
            cand --flush 'Time between two flushes to the disk'
            cand --cpu-budget 'Share of one CPU that recording may take'
            cand --segment 'Age from which a segment is closed and sealed'
            cand --for 'How long to record; until it is stopped without it'
            cand --keep 'How long samples are kept'
            cand --keep-size 'How large the archive may grow'
            cand --keep-samples 'How long after its end a day has every sample; then a row stands for ten seconds'
            cand --keep-tens 'How long after its end a day has rows for ten seconds; then one stands for a minute'
            cand --method 'How to account for time; auto: ebpf, else delays'
            cand --own-cost 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;status'= {
            cand --format 'How to write the answer'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;keep-house'= {
            cand --keep 'How long samples are kept'
            cand --keep-size 'How large the archive may grow'
            cand --keep-samples 'How long after its end a day has every sample; then a row stands for ten seconds'
            cand --keep-tens 'How long after its end a day has rows for ten seconds; then one stands for a minute'
            cand --later 'Do what would be done so much later'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;capture'= {
            cand --for 'How long to look, from now or from --since; 30s without it'
            cand --since 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z'
            cand --until 'Until when: 03:10, +10m (from --since on), now; without it until now'
            cand --host 'Of an archive with the files of several hosts, which'
            cand --method 'How to account for time'
            cand --redact 'Replace what names people and machines'
            cand --baseline 'Keep it as the baseline that `examine` compares settings with, instead of in a file'
            cand --force 'Replace the file, or the baseline, if it is there'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;compare'= {
            cand --against 'The captures that are held against the others'
            cand --rules 'Further rules: a folder of rule files'
            cand --format 'How to write the answer'
            cand --color 'When to use colour and bars'
            cand --whole 'Compare the whole windows, ramp-up and ramp-down included'
            cand --details 'Write every difference; without it the largest of each kind'
            cand --check 'Exit with 1 when the time of a class differs by a warning or worse'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;doctor'= {
            cand --format 'How to write the answer'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;sql'= {
            cand --for 'How long to look, at the live machine or from --since on; live 1s without it'
            cand --since 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z'
            cand --until 'Until when: 03:10, +10m (from --since on), now; without it until now'
            cand --host 'Of an archive with the files of several hosts, which'
            cand --focus 'Only the rows of this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command'
            cand --format 'How to write the rows'
            cand --method 'How to account for time'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;trace'= {
            cand --for 'How long to look, at the live machine or from --since on; live 10s without it'
            cand --since 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z'
            cand --until 'Until when: 03:10, +10m (from --since on), now; without it until now'
            cand --host 'Of an archive with the files of several hosts, which'
            cand --focus 'Only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or command'
            cand --format 'How to write it'
            cand --method 'How to account for time'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'heldup;tables'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;rules'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List the rules'
            cand explain 'Explain a rule: what it means, how it is decided, when it is wrong'
            cand test 'Run each rule''s own cases: small recorded tables that must fire or stay silent'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;rules;list'= {
            cand --rules 'Further rules: a folder of rule files'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;rules;explain'= {
            cand --rules 'Further rules: a folder of rule files'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;rules;test'= {
            cand --rules 'Further rules: a folder of rule files'
            cand --watch 'Test again whenever a rule or its cases change, until Ctrl-C'
            cand --robust 'Test whether answers stand when readings are 5 % off and when a sample is missing'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;rules;help'= {
            cand list 'List the rules'
            cand explain 'Explain a rule: what it means, how it is decided, when it is wrong'
            cand test 'Run each rule''s own cases: small recorded tables that must fire or stay silent'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;rules;help;list'= {
        }
        &'heldup;rules;help;explain'= {
        }
        &'heldup;rules;help;test'= {
        }
        &'heldup;rules;help;help'= {
        }
        &'heldup;tune'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List settings with value, default and who set them'
            cand show 'Show a setting: what it does, what it works with, who should leave it alone, how it stands'
            cand audit 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless'
            cand profile 'List profiles, show one with its reasons, plan what it would change here, or make it'
            cand plan 'Show what a change would do, without making it: value now, what moves with it, what speaks against it'
            cand apply 'Change settings: all of them or none, with what was on the disk before anything is written'
            cand confirm 'Let changes stand that --confirm would take back'
            cand undo 'Take changes back, exactly: the latest plan, some by number, or all'
            cand limit 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again'
            cand pin 'Place processes, or a command, on CPUs: those you name, a node''s, or the best ones, with the reasons'
            cand status 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back'
            cand recover 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)'
            cand guard 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;list'= {
            cand --format 'How to write the answer; json is schema heldup/settings/1'
            cand --changed 'Only what a file sets, what is not its known default, and where files disagree'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;show'= {
            cand --format 'How to write the answer; json is schema heldup/settings/1'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;audit'= {
            cand --release 'Release to judge against: 6.1, solaris-11, aix-7.2, or linux-6.1 for files that are carried to Linux; without it this kernel''s, of other systems the newest known'
            cand --format 'How to write the answer; json is schema heldup/audit/1'
            cand --all 'Tell also lines of which nothing is to be said'
            cand --check 'Exit with 1 when a line is to be changed'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;profile'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile wants, and why'
            cand plan 'Show what a profile would change on this machine; nothing is written'
            cand apply 'Make what a profile would change on this machine: through the log, so that it can be taken back'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;profile;list'= {
            cand --format 'How to write the answer; json is schema heldup/profiles/1'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;profile;show'= {
            cand --format 'How to write the answer; json is schema heldup/profiles/1'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;profile;plan'= {
            cand --format 'How to write the answer; json is schema heldup/profiles/1'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;profile;apply'= {
            cand --confirm 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before'
            cand --format 'How to write the answer; json is schema heldup/tune-apply/1'
            cand --persist 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;profile;help'= {
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile wants, and why'
            cand plan 'Show what a profile would change on this machine; nothing is written'
            cand apply 'Make what a profile would change on this machine: through the log, so that it can be taken back'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;tune;profile;help;list'= {
        }
        &'heldup;tune;profile;help;show'= {
        }
        &'heldup;tune;profile;help;plan'= {
        }
        &'heldup;tune;profile;help;apply'= {
        }
        &'heldup;tune;profile;help;help'= {
        }
        &'heldup;tune;plan'= {
            cand --format 'How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1'
            cand --persist 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;apply'= {
            cand --format 'How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1'
            cand --confirm 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before'
            cand --persist 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;confirm'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;undo'= {
            cand --format 'How to write the answer; json is schema heldup/tune-undo/1'
            cand --all 'Everything that stands'
            cand --force 'Also what somebody else has set since'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;limit'= {
            cand --cpus 'CPUs that they may use together, such as 2 or 0.5'
            cand --memory 'Memory that they may use together, page cache included (500MB, 1GB)'
            cand --tasks 'Processes and threads that they may be'
            cand --read 'Bytes a second that they may read from a disk, such as /dev/sda=20MB'
            cand --write 'Bytes a second that they may write to a disk'
            cand --pid 'A process; several times for several'
            cand --confirm 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before'
            cand --format 'How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1'
            cand --plan 'Show what would be changed, and change nothing'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;pin'= {
            cand --cpus 'These CPUs, such as 0-3,8'
            cand --node 'The CPUs of a NUMA node'
            cand --count 'So many CPUs for each process, chosen by where its memory is; one a thread without it'
            cand --pid 'A process; several times for several'
            cand --confirm 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before'
            cand --format 'How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1'
            cand --plan 'Show what would be changed, and change nothing'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;status'= {
            cand --format 'How to write the answer; json is schema heldup/tune-status/1'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;recover'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;guard'= {
            cand --plan 'Number of the plan'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'heldup;tune;help'= {
            cand list 'List settings with value, default and who set them'
            cand show 'Show a setting: what it does, what it works with, who should leave it alone, how it stands'
            cand audit 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless'
            cand profile 'List profiles, show one with its reasons, plan what it would change here, or make it'
            cand plan 'Show what a change would do, without making it: value now, what moves with it, what speaks against it'
            cand apply 'Change settings: all of them or none, with what was on the disk before anything is written'
            cand confirm 'Let changes stand that --confirm would take back'
            cand undo 'Take changes back, exactly: the latest plan, some by number, or all'
            cand limit 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again'
            cand pin 'Place processes, or a command, on CPUs: those you name, a node''s, or the best ones, with the reasons'
            cand status 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back'
            cand recover 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)'
            cand guard 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)'
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
            cand show 'Show what a profile wants, and why'
            cand plan 'Show what a profile would change on this machine; nothing is written'
            cand apply 'Make what a profile would change on this machine: through the log, so that it can be taken back'
        }
        &'heldup;tune;help;profile;list'= {
        }
        &'heldup;tune;help;profile;show'= {
        }
        &'heldup;tune;help;profile;plan'= {
        }
        &'heldup;tune;help;profile;apply'= {
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
        &'heldup;try'= {
            cand --workload 'What is run again and again, by sh'
            cand --metric 'Measure live traffic: a query whose first cell is the figure'
            cand --figure 'Where the figure of a run is from: wall, regex:PATTERN, json:PATH or sql:QUERY'
            cand --goal 'Which figures are better; of the time of a run lower ones'
            cand --guard 'A second figure that must not go beyond its limit with the change (''json:p99<=20''); where it does, that ends it'
            cand --prepare 'What is run by sh before each run and not measured'
            cand --timeout 'How long a run may take'
            cand --block 'Length of a block of live traffic'
            cand --settle 'How long to wait after each switch; 2s on live traffic without it'
            cand --warm-up 'Blocks at the start that are not counted'
            cand --worth 'The smallest difference worth seeing, in percent of the figure'
            cand --pairs 'Pairs of each change at most'
            cand --within 'How long blocks may take in all'
            cand --seed 'What the order of the blocks is drawn with; the clock without it'
            cand --dossier 'Folder for the dossier; without it `experiments` where heldup keeps its state'
            cand --method 'How to account for time'
            cand --format 'How to write the answer'
            cand --color 'When to use colour and bars'
            cand --search 'Find the best of many values first (of LOW..HIGH twice as much each time), then try that one'
            cand --keep 'Keep the change that has helped most'
            cand --yes 'Do not ask before what a finding proposes is tried'
            cand --no-ledger 'Do not account for time: no reasons, and nothing but the workload runs'
            cand --details 'Write every class of time, also those that do not differ'
            cand --check 'Exit with 1 when no change has helped'
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
            cand examine 'Examine this machine, or the last examination again: where its time goes, and why'
            cand watch 'Examine this machine all the time: a line when a finding appears, changes or ends'
            cand record 'Record this machine, every process and what it waits for each second, into an archive'
            cand status 'Show what is recorded here, what that costs, and what is missing'
            cand keep-house 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)'
            cand capture 'Write one file with all that can be seen of this machine, for a helper elsewhere'
            cand compare 'Compare two kept captures: what changed in time, metrics, programs and settings'
            cand doctor 'Show what can be seen on this machine, what cannot, and what would let it'
            cand sql 'Ask the tables yourself, on the live machine or on the last examination'
            cand trace 'Drill one kind of time down to programs, objects and stacks, over the time of a window'
            cand tables 'List the tables, or the columns of one with their units and meanings'
            cand rules 'List, explain or test the rules behind the findings'
            cand tune 'Show settings and who set them; change them so that it is taken back after any end'
            cand try 'Change one thing, prove whether it helps, and take it back'
            cand completions 'Print a completion script for a shell'
            cand generate 'Write man pages, completions and references into a folder (for packagers)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'heldup;help;examine'= {
        }
        &'heldup;help;watch'= {
        }
        &'heldup;help;record'= {
        }
        &'heldup;help;status'= {
        }
        &'heldup;help;keep-house'= {
        }
        &'heldup;help;capture'= {
        }
        &'heldup;help;compare'= {
        }
        &'heldup;help;doctor'= {
        }
        &'heldup;help;sql'= {
        }
        &'heldup;help;trace'= {
        }
        &'heldup;help;tables'= {
        }
        &'heldup;help;rules'= {
            cand list 'List the rules'
            cand explain 'Explain a rule: what it means, how it is decided, when it is wrong'
            cand test 'Run each rule''s own cases: small recorded tables that must fire or stay silent'
        }
        &'heldup;help;rules;list'= {
        }
        &'heldup;help;rules;explain'= {
        }
        &'heldup;help;rules;test'= {
        }
        &'heldup;help;tune'= {
            cand list 'List settings with value, default and who set them'
            cand show 'Show a setting: what it does, what it works with, who should leave it alone, how it stands'
            cand audit 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless'
            cand profile 'List profiles, show one with its reasons, plan what it would change here, or make it'
            cand plan 'Show what a change would do, without making it: value now, what moves with it, what speaks against it'
            cand apply 'Change settings: all of them or none, with what was on the disk before anything is written'
            cand confirm 'Let changes stand that --confirm would take back'
            cand undo 'Take changes back, exactly: the latest plan, some by number, or all'
            cand limit 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again'
            cand pin 'Place processes, or a command, on CPUs: those you name, a node''s, or the best ones, with the reasons'
            cand status 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back'
            cand recover 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)'
            cand guard 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)'
        }
        &'heldup;help;tune;list'= {
        }
        &'heldup;help;tune;show'= {
        }
        &'heldup;help;tune;audit'= {
        }
        &'heldup;help;tune;profile'= {
            cand list 'List profiles: ours, and those of tuned that are installed (tuned/NAME)'
            cand show 'Show what a profile wants, and why'
            cand plan 'Show what a profile would change on this machine; nothing is written'
            cand apply 'Make what a profile would change on this machine: through the log, so that it can be taken back'
        }
        &'heldup;help;tune;profile;list'= {
        }
        &'heldup;help;tune;profile;show'= {
        }
        &'heldup;help;tune;profile;plan'= {
        }
        &'heldup;help;tune;profile;apply'= {
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
        &'heldup;help;try'= {
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
