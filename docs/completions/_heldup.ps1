
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'heldup' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'heldup'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'heldup' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Until when: 03:10, +10m (from --since on), now; without it until now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Of an archive with the files of several hosts, which')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME (config.drift); of this machine without it the one that `heldup capture --baseline` kept')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour and bars')
            [CompletionResult]::new('--own-cost', '--own-cost', [CompletionResultType]::ParameterName, 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task')
            [CompletionResult]::new('--details', '--details', [CompletionResultType]::ParameterName, 'Write every finding in full; without it information is brief, and one of a kind')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit with 1 when a finding is a warning or worse')
            [CompletionResult]::new('--no-keep', '--no-keep', [CompletionResultType]::ParameterName, 'Do not keep this examination as @last')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('examine', 'examine', [CompletionResultType]::ParameterValue, 'Examine this machine, or the last examination again: where its time goes, and why')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Examine this machine all the time: a line when a finding appears, changes or ends')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record this machine, every process and what it waits for each second, into an archive')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is recorded here, what that costs, and what is missing')
            [CompletionResult]::new('keep-house', 'keep-house', [CompletionResultType]::ParameterValue, 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)')
            [CompletionResult]::new('capture', 'capture', [CompletionResultType]::ParameterValue, 'Write one file with all that can be seen of this machine, for a helper elsewhere')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two kept captures: what changed in time, metrics, programs and settings')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show what can be seen on this machine, what cannot, and what would let it')
            [CompletionResult]::new('sql', 'sql', [CompletionResultType]::ParameterValue, 'Ask the tables yourself, on the live machine or on the last examination')
            [CompletionResult]::new('trace', 'trace', [CompletionResultType]::ParameterValue, 'Drill one kind of time down to programs, objects and stacks, over the time of a window')
            [CompletionResult]::new('tables', 'tables', [CompletionResultType]::ParameterValue, 'List the tables, or the columns of one with their units and meanings')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List, explain or test the rules behind the findings')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Show settings and who set them; change them so that it is taken back after any end')
            [CompletionResult]::new('try', 'try', [CompletionResultType]::ParameterValue, 'Change one thing, prove whether it helps, and take it back')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write man pages, completions and references into a folder (for packagers)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;examine' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Until when: 03:10, +10m (from --since on), now; without it until now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Of an archive with the files of several hosts, which')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME (config.drift); of this machine without it the one that `heldup capture --baseline` kept')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour and bars')
            [CompletionResult]::new('--own-cost', '--own-cost', [CompletionResultType]::ParameterName, 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task')
            [CompletionResult]::new('--details', '--details', [CompletionResultType]::ParameterName, 'Write every finding in full; without it information is brief, and one of a kind')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit with 1 when a finding is a warning or worse')
            [CompletionResult]::new('--no-keep', '--no-keep', [CompletionResultType]::ParameterName, 'Do not keep this examination as @last')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;watch' {
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'Length of a window; the next one begins where it ends')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to watch, in whole windows; until Ctrl-C without it')
            [CompletionResult]::new('--appear', '--appear', [CompletionResultType]::ParameterName, 'In K of the last N windows a finding must be found to appear')
            [CompletionResult]::new('--end', '--end', [CompletionResultType]::ParameterName, 'Windows in a row without it after which a finding has ended')
            [CompletionResult]::new('--least', '--least', [CompletionResultType]::ParameterName, 'Tell findings of this severity and worse')
            [CompletionResult]::new('--exec', '--exec', [CompletionResultType]::ParameterName, 'Run this program for each new finding, without a shell and without arguments')
            [CompletionResult]::new('--exec-shell', '--exec-shell', [CompletionResultType]::ParameterName, 'Have sh run this line for each new finding')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or port:N')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'JSON lines for programs: schema heldup/watch/1')
            [CompletionResult]::new('--own-cost', '--own-cost', [CompletionResultType]::ParameterName, 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;record' {
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Time between two samples')
            [CompletionResult]::new('--flush', '--flush', [CompletionResultType]::ParameterName, 'Time between two flushes to the disk')
            [CompletionResult]::new('--cpu-budget', '--cpu-budget', [CompletionResultType]::ParameterName, 'Share of one CPU that recording may take')
            [CompletionResult]::new('--segment', '--segment', [CompletionResultType]::ParameterName, 'Age from which a segment is closed and sealed')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to record; until it is stopped without it')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'How long samples are kept')
            [CompletionResult]::new('--keep-size', '--keep-size', [CompletionResultType]::ParameterName, 'How large the archive may grow')
            [CompletionResult]::new('--keep-samples', '--keep-samples', [CompletionResultType]::ParameterName, 'How long after its end a day has every sample; then a row stands for ten seconds')
            [CompletionResult]::new('--keep-tens', '--keep-tens', [CompletionResultType]::ParameterName, 'How long after its end a day has rows for ten seconds; then one stands for a minute')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time; auto: ebpf, else delays')
            [CompletionResult]::new('--own-cost', '--own-cost', [CompletionResultType]::ParameterName, 'Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each switch of a task')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;status' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;keep-house' {
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'How long samples are kept')
            [CompletionResult]::new('--keep-size', '--keep-size', [CompletionResultType]::ParameterName, 'How large the archive may grow')
            [CompletionResult]::new('--keep-samples', '--keep-samples', [CompletionResultType]::ParameterName, 'How long after its end a day has every sample; then a row stands for ten seconds')
            [CompletionResult]::new('--keep-tens', '--keep-tens', [CompletionResultType]::ParameterName, 'How long after its end a day has rows for ten seconds; then one stands for a minute')
            [CompletionResult]::new('--later', '--later', [CompletionResultType]::ParameterName, 'Do what would be done so much later')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;capture' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to look, from now or from --since; 30s without it')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Until when: 03:10, +10m (from --since on), now; without it until now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Of an archive with the files of several hosts, which')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace what names people and machines')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Keep it as the baseline that `examine` compares settings with, instead of in a file')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the file, or the baseline, if it is there')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;compare' {
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'The captures that are held against the others')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour and bars')
            [CompletionResult]::new('--whole', '--whole', [CompletionResultType]::ParameterName, 'Compare the whole windows, ramp-up and ramp-down included')
            [CompletionResult]::new('--details', '--details', [CompletionResultType]::ParameterName, 'Write every difference; without it the largest of each kind')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit with 1 when the time of a class differs by a warning or worse')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;doctor' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;sql' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to look, at the live machine or from --since on; live 1s without it')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Until when: 03:10, +10m (from --since on), now; without it until now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Of an archive with the files of several hosts, which')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only the rows of this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the rows')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;trace' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long to look, at the live machine or from --since on; live 10s without it')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Of an archive, from when: 03:00, "yesterday 03:00", "2 hours ago", "last night", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Until when: 03:10, +10m (from --since on), now; without it until now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Of an archive with the files of several hosts, which')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or command')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write it')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tables' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;rules' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rules')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a rule: what it means, how it is decided, when it is wrong')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run each rule''s own cases: small recorded tables that must fire or stay silent')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;rules;list' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;rules;explain' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;rules;test' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Further rules: a folder of rule files')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Test again whenever a rule or its cases change, until Ctrl-C')
            [CompletionResult]::new('--robust', '--robust', [CompletionResultType]::ParameterName, 'Test whether answers stand when readings are 5 % off and when a sample is missing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;rules;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rules')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a rule: what it means, how it is decided, when it is wrong')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run each rule''s own cases: small recorded tables that must fire or stay silent')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;rules;help;list' {
            break
        }
        'heldup;rules;help;explain' {
            break
        }
        'heldup;rules;help;test' {
            break
        }
        'heldup;rules;help;help' {
            break
        }
        'heldup;tune' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List settings with value, default and who set them')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a setting: what it does, what it works with, who should leave it alone, how it stands')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'List profiles, show one with its reasons, plan what it would change here, or make it')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a change would do, without making it: value now, what moves with it, what speaks against it')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Change settings: all of them or none, with what was on the disk before anything is written')
            [CompletionResult]::new('confirm', 'confirm', [CompletionResultType]::ParameterValue, 'Let changes stand that --confirm would take back')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Take changes back, exactly: the latest plan, some by number, or all')
            [CompletionResult]::new('limit', 'limit', [CompletionResultType]::ParameterValue, 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Place processes, or a command, on CPUs: those you name, a node''s, or the best ones, with the reasons')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back')
            [CompletionResult]::new('recover', 'recover', [CompletionResultType]::ParameterValue, 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)')
            [CompletionResult]::new('guard', 'guard', [CompletionResultType]::ParameterValue, 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/settings/1')
            [CompletionResult]::new('--changed', '--changed', [CompletionResultType]::ParameterName, 'Only what a file sets, what is not its known default, and where files disagree')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/settings/1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;audit' {
            [CompletionResult]::new('--release', '--release', [CompletionResultType]::ParameterName, 'Release to judge against: 6.1, solaris-11, aix-7.2, or linux-6.1 for files that are carried to Linux; without it this kernel''s, of other systems the newest known')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/audit/1')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Tell also lines of which nothing is to be said')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit with 1 when a line is to be changed')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;profile' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List profiles: ours, and those of tuned that are installed (tuned/NAME)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile wants, and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a profile would change on this machine; nothing is written')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make what a profile would change on this machine: through the log, so that it can be taken back')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;profile;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/profiles/1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;profile;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/profiles/1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;profile;plan' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/profiles/1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;profile;apply' {
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-apply/1')
            [CompletionResult]::new('--persist', '--persist', [CompletionResultType]::ParameterName, 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;profile;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List profiles: ours, and those of tuned that are installed (tuned/NAME)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile wants, and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a profile would change on this machine; nothing is written')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make what a profile would change on this machine: through the log, so that it can be taken back')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;profile;help;list' {
            break
        }
        'heldup;tune;profile;help;show' {
            break
        }
        'heldup;tune;profile;help;plan' {
            break
        }
        'heldup;tune;profile;help;apply' {
            break
        }
        'heldup;tune;profile;help;help' {
            break
        }
        'heldup;tune;plan' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1')
            [CompletionResult]::new('--persist', '--persist', [CompletionResultType]::ParameterName, 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;apply' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-plan/1, of apply heldup/tune-apply/1')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before')
            [CompletionResult]::new('--persist', '--persist', [CompletionResultType]::ParameterName, 'Also write what makes it at each boot: sysctl.d, a rule of udev or tmpfiles.d')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;confirm' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;undo' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-undo/1')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Everything that stands')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Also what somebody else has set since')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;limit' {
            [CompletionResult]::new('--cpus', '--cpus', [CompletionResultType]::ParameterName, 'CPUs that they may use together, such as 2 or 0.5')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory that they may use together, page cache included (500MB, 1GB)')
            [CompletionResult]::new('--tasks', '--tasks', [CompletionResultType]::ParameterName, 'Processes and threads that they may be')
            [CompletionResult]::new('--read', '--read', [CompletionResultType]::ParameterName, 'Bytes a second that they may read from a disk, such as /dev/sda=20MB')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Bytes a second that they may write to a disk')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'A process; several times for several')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Show what would be changed, and change nothing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;pin' {
            [CompletionResult]::new('--cpus', '--cpus', [CompletionResultType]::ParameterName, 'These CPUs, such as 0-3,8')
            [CompletionResult]::new('--node', '--node', [CompletionResultType]::ParameterName, 'The CPUs of a NUMA node')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'So many CPUs for each process, chosen by where its memory is; one a thread without it')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'A process; several times for several')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Take it back after this time (10s, 5m) unless `heldup tune confirm` comes before')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-apply/1, with --plan heldup/tune-plan/1')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Show what would be changed, and change nothing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;status' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer; json is schema heldup/tune-status/1')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;recover' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;guard' {
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Number of the plan')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;tune;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List settings with value, default and who set them')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a setting: what it does, what it works with, who should leave it alone, how it stands')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'List profiles, show one with its reasons, plan what it would change here, or make it')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a change would do, without making it: value now, what moves with it, what speaks against it')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Change settings: all of them or none, with what was on the disk before anything is written')
            [CompletionResult]::new('confirm', 'confirm', [CompletionResultType]::ParameterValue, 'Let changes stand that --confirm would take back')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Take changes back, exactly: the latest plan, some by number, or all')
            [CompletionResult]::new('limit', 'limit', [CompletionResultType]::ParameterValue, 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Place processes, or a command, on CPUs: those you name, a node''s, or the best ones, with the reasons')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back')
            [CompletionResult]::new('recover', 'recover', [CompletionResultType]::ParameterValue, 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)')
            [CompletionResult]::new('guard', 'guard', [CompletionResultType]::ParameterValue, 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;help;list' {
            break
        }
        'heldup;tune;help;show' {
            break
        }
        'heldup;tune;help;audit' {
            break
        }
        'heldup;tune;help;profile' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List profiles: ours, and those of tuned that are installed (tuned/NAME)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile wants, and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a profile would change on this machine; nothing is written')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make what a profile would change on this machine: through the log, so that it can be taken back')
            break
        }
        'heldup;tune;help;profile;list' {
            break
        }
        'heldup;tune;help;profile;show' {
            break
        }
        'heldup;tune;help;profile;plan' {
            break
        }
        'heldup;tune;help;profile;apply' {
            break
        }
        'heldup;tune;help;plan' {
            break
        }
        'heldup;tune;help;apply' {
            break
        }
        'heldup;tune;help;confirm' {
            break
        }
        'heldup;tune;help;undo' {
            break
        }
        'heldup;tune;help;limit' {
            break
        }
        'heldup;tune;help;pin' {
            break
        }
        'heldup;tune;help;status' {
            break
        }
        'heldup;tune;help;recover' {
            break
        }
        'heldup;tune;help;guard' {
            break
        }
        'heldup;tune;help;help' {
            break
        }
        'heldup;try' {
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'What is run again and again, by sh')
            [CompletionResult]::new('--metric', '--metric', [CompletionResultType]::ParameterName, 'Measure live traffic: a query whose first cell is the figure')
            [CompletionResult]::new('--figure', '--figure', [CompletionResultType]::ParameterName, 'Where the figure of a run is from: wall, regex:PATTERN, json:PATH or sql:QUERY')
            [CompletionResult]::new('--goal', '--goal', [CompletionResultType]::ParameterName, 'Which figures are better; of the time of a run lower ones')
            [CompletionResult]::new('--guard', '--guard', [CompletionResultType]::ParameterName, 'A second figure that must not go beyond its limit with the change (''json:p99<=20''); where it does, that ends it')
            [CompletionResult]::new('--prepare', '--prepare', [CompletionResultType]::ParameterName, 'What is run by sh before each run and not measured')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'How long a run may take')
            [CompletionResult]::new('--block', '--block', [CompletionResultType]::ParameterName, 'Length of a block of live traffic')
            [CompletionResult]::new('--settle', '--settle', [CompletionResultType]::ParameterName, 'How long to wait after each switch; 2s on live traffic without it')
            [CompletionResult]::new('--warm-up', '--warm-up', [CompletionResultType]::ParameterName, 'Blocks at the start that are not counted')
            [CompletionResult]::new('--worth', '--worth', [CompletionResultType]::ParameterName, 'The smallest difference worth seeing, in percent of the figure')
            [CompletionResult]::new('--pairs', '--pairs', [CompletionResultType]::ParameterName, 'Pairs of each change at most')
            [CompletionResult]::new('--within', '--within', [CompletionResultType]::ParameterName, 'How long blocks may take in all')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'What the order of the blocks is drawn with; the clock without it')
            [CompletionResult]::new('--dossier', '--dossier', [CompletionResultType]::ParameterName, 'Folder for the dossier; without it `experiments` where heldup keeps its state')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to account for time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the answer')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour and bars')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Find the best of many values first (of LOW..HIGH twice as much each time), then try that one')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Keep the change that has helped most')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask before what a finding proposes is tried')
            [CompletionResult]::new('--no-ledger', '--no-ledger', [CompletionResultType]::ParameterName, 'Do not account for time: no reasons, and nothing but the workload runs')
            [CompletionResult]::new('--details', '--details', [CompletionResultType]::ParameterName, 'Write every class of time, also those that do not differ')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit with 1 when no change has helped')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;generate' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;help' {
            [CompletionResult]::new('examine', 'examine', [CompletionResultType]::ParameterValue, 'Examine this machine, or the last examination again: where its time goes, and why')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Examine this machine all the time: a line when a finding appears, changes or ends')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record this machine, every process and what it waits for each second, into an archive')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is recorded here, what that costs, and what is missing')
            [CompletionResult]::new('keep-house', 'keep-house', [CompletionResultType]::ParameterValue, 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)')
            [CompletionResult]::new('capture', 'capture', [CompletionResultType]::ParameterValue, 'Write one file with all that can be seen of this machine, for a helper elsewhere')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two kept captures: what changed in time, metrics, programs and settings')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show what can be seen on this machine, what cannot, and what would let it')
            [CompletionResult]::new('sql', 'sql', [CompletionResultType]::ParameterValue, 'Ask the tables yourself, on the live machine or on the last examination')
            [CompletionResult]::new('trace', 'trace', [CompletionResultType]::ParameterValue, 'Drill one kind of time down to programs, objects and stacks, over the time of a window')
            [CompletionResult]::new('tables', 'tables', [CompletionResultType]::ParameterValue, 'List the tables, or the columns of one with their units and meanings')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List, explain or test the rules behind the findings')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Show settings and who set them; change them so that it is taken back after any end')
            [CompletionResult]::new('try', 'try', [CompletionResultType]::ParameterValue, 'Change one thing, prove whether it helps, and take it back')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write man pages, completions and references into a folder (for packagers)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;help;examine' {
            break
        }
        'heldup;help;watch' {
            break
        }
        'heldup;help;record' {
            break
        }
        'heldup;help;status' {
            break
        }
        'heldup;help;keep-house' {
            break
        }
        'heldup;help;capture' {
            break
        }
        'heldup;help;compare' {
            break
        }
        'heldup;help;doctor' {
            break
        }
        'heldup;help;sql' {
            break
        }
        'heldup;help;trace' {
            break
        }
        'heldup;help;tables' {
            break
        }
        'heldup;help;rules' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rules')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a rule: what it means, how it is decided, when it is wrong')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run each rule''s own cases: small recorded tables that must fire or stay silent')
            break
        }
        'heldup;help;rules;list' {
            break
        }
        'heldup;help;rules;explain' {
            break
        }
        'heldup;help;rules;test' {
            break
        }
        'heldup;help;tune' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List settings with value, default and who set them')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a setting: what it does, what it works with, who should leave it alone, how it stands')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Judge files of settings, line by line, against a release: obsolete, refused, risky, needless')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'List profiles, show one with its reasons, plan what it would change here, or make it')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a change would do, without making it: value now, what moves with it, what speaks against it')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Change settings: all of them or none, with what was on the disk before anything is written')
            [CompletionResult]::new('confirm', 'confirm', [CompletionResultType]::ParameterValue, 'Let changes stand that --confirm would take back')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Take changes back, exactly: the latest plan, some by number, or all')
            [CompletionResult]::new('limit', 'limit', [CompletionResultType]::ParameterValue, 'Hold processes, or a command, to limits of CPU, memory and disk: a control group of their own, which goes again')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Place processes, or a command, on CPUs: those you name, a node''s, or the best ones, with the reasons')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is changed: what stands, what waits to be confirmed, what somebody else has set since, what a boot took back')
            [CompletionResult]::new('recover', 'recover', [CompletionResultType]::ParameterValue, 'Take back what a killed run left unfinished and what nobody confirmed (heldup-tune-recover.service does at boot)')
            [CompletionResult]::new('guard', 'guard', [CompletionResultType]::ParameterValue, 'Wait until the time of a plan is over, and take it back unless it was confirmed (apply --confirm starts it)')
            break
        }
        'heldup;help;tune;list' {
            break
        }
        'heldup;help;tune;show' {
            break
        }
        'heldup;help;tune;audit' {
            break
        }
        'heldup;help;tune;profile' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List profiles: ours, and those of tuned that are installed (tuned/NAME)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile wants, and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a profile would change on this machine; nothing is written')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make what a profile would change on this machine: through the log, so that it can be taken back')
            break
        }
        'heldup;help;tune;profile;list' {
            break
        }
        'heldup;help;tune;profile;show' {
            break
        }
        'heldup;help;tune;profile;plan' {
            break
        }
        'heldup;help;tune;profile;apply' {
            break
        }
        'heldup;help;tune;plan' {
            break
        }
        'heldup;help;tune;apply' {
            break
        }
        'heldup;help;tune;confirm' {
            break
        }
        'heldup;help;tune;undo' {
            break
        }
        'heldup;help;tune;limit' {
            break
        }
        'heldup;help;tune;pin' {
            break
        }
        'heldup;help;tune;status' {
            break
        }
        'heldup;help;tune;recover' {
            break
        }
        'heldup;help;tune;guard' {
            break
        }
        'heldup;help;try' {
            break
        }
        'heldup;help;completions' {
            break
        }
        'heldup;help;generate' {
            break
        }
        'heldup;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
