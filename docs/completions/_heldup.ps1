
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
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since (default 10s)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare settings with SOURCE (default: the saved baseline)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv or html')
            [CompletionResult]::new('--measure-overhead', '--measure-overhead', [CompletionResultType]::ParameterName, 'Also measure eBPF run time (adds 250 ns per context switch)')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save this examination (no @last)')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show all findings with all evidence')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show all findings with all evidence')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('examine', 'examine', [CompletionResultType]::ParameterValue, 'Examine this machine, or a recording: where time goes, and why')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run a command and examine it from start to end')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Examine this machine continuously; report findings as they appear and end')
            [CompletionResult]::new('top', 'top', [CompletionResultType]::ParameterValue, 'Show this machine in the terminal, live or as it was recorded')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Show this machine or a recording as a page, in a browser')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a finding, a rule or a class of time')
            [CompletionResult]::new('breakdown', 'breakdown', [CompletionResultType]::ParameterValue, 'Break down CPU, wait, I/O, lock or memory time by program, object and stack')
            [CompletionResult]::new('plot', 'plot', [CompletionResultType]::ParameterValue, 'Draw figures of this machine or a recording: in the terminal, as pictures, as a page')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two recordings: time, metrics, programs and settings')
            [CompletionResult]::new('try', 'try', [CompletionResultType]::ParameterValue, 'Change one setting, prove whether it helps, and undo it')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Show, change and undo settings')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record this machine every second, every process and its waits, into an archive')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show the recorder, pending changes of settings, and the last findings')
            [CompletionResult]::new('capture', 'capture', [CompletionResultType]::ParameterValue, 'Write one file with all that can be seen of this machine, for whoever helps')
            [CompletionResult]::new('baseline', 'baseline', [CompletionResultType]::ParameterValue, 'Save, show or delete the settings that examinations compare with')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show what cannot be seen on this machine, and what would change that')
            [CompletionResult]::new('sql', 'sql', [CompletionResultType]::ParameterValue, 'Query the tables of an examination, a recording or this machine')
            [CompletionResult]::new('tables', 'tables', [CompletionResultType]::ParameterValue, 'List the tables, or the columns of one with units and meanings')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List or test the rules behind the findings')
            [CompletionResult]::new('keep-house', 'keep-house', [CompletionResultType]::ParameterValue, 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)')
            [CompletionResult]::new('live-archive', 'live-archive', [CompletionResultType]::ParameterValue, 'Record into a temporary archive while `top` shows it (`top` runs it)')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write man pages, completions and references into a folder (for packagers)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;examine' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since (default 10s)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare settings with SOURCE (default: the saved baseline)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv or html')
            [CompletionResult]::new('--measure-overhead', '--measure-overhead', [CompletionResultType]::ParameterName, 'Also measure eBPF run time (adds 250 ns per context switch)')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save this examination (no @last)')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show all findings with all evidence')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show all findings with all evidence')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;run' {
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare settings with SOURCE (default: the saved baseline)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if a finding has this severity or a higher one: info, warning or critical')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv or html')
            [CompletionResult]::new('--measure-overhead', '--measure-overhead', [CompletionResultType]::ParameterName, 'Also measure eBPF run time (adds 250 ns per context switch)')
            [CompletionResult]::new('--no-save', '--no-save', [CompletionResultType]::ParameterName, 'Do not save this examination (no @last)')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show all findings with all evidence')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show all findings with all evidence')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;watch' {
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Length of a window')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Stop after so many windows')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Stop after so many windows')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Stop after this time (default: at Ctrl-C)')
            [CompletionResult]::new('--min-severity', '--min-severity', [CompletionResultType]::ParameterName, 'Report findings at or above: info, warning, critical')
            [CompletionResult]::new('--raise-after', '--raise-after', [CompletionResultType]::ParameterName, 'Report a finding found in K of the last N windows')
            [CompletionResult]::new('--clear-after', '--clear-after', [CompletionResultType]::ParameterName, 'Report its end after M windows without it')
            [CompletionResult]::new('--exec', '--exec', [CompletionResultType]::ParameterName, 'Run PROGRAM for each new finding')
            [CompletionResult]::new('--exec-shell', '--exec-shell', [CompletionResultType]::ParameterName, 'Run LINE with sh for each new finding')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--measure-overhead', '--measure-overhead', [CompletionResultType]::ParameterName, 'Also measure eBPF run time (adds 250 ns per context switch)')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;top' {
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Length of the window')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;serve' {
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Port on loopback (default: 8017, else a free one)')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'Listen on a socket instead, which only its owner may use')
            [CompletionResult]::new('--address', '--address', [CompletionResultType]::ParameterName, 'Address of loopback: 127.0.0.1 or [::1]')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Length of the window that is shown first')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('--assets', '--assets', [CompletionResultType]::ParameterName, 'Take the page''s files from FOLDER, for who works on them')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Also say how the server is confined')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Also say how the server is confined')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;explain' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--sql', '--sql', [CompletionResultType]::ParameterName, 'Show also the SQL of the rule')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show all findings of an examination in full')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show all findings of an examination in full')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;breakdown' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since (default 10s)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Show the differences from this source, or from SOURCE@FROM..UNTIL')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Rows of each list')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Rows of each list')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE; FILE.svg is a flame graph, FILE.html a page')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE; FILE.svg is a flame graph, FILE.html a page')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv, svg or html')
            [CompletionResult]::new('--folded', '--folded', [CompletionResultType]::ParameterName, 'Write folded stacks with microseconds, for flame graphs of other programs')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;plot' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE.svg, FILE.png, FILE.html or a folder')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE.svg, FILE.png, FILE.html or a folder')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since (default 10s)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv or html')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the figures')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--dark', '--dark', [CompletionResultType]::ParameterName, 'Draw pictures on dark paper')
            [CompletionResult]::new('--png', '--png', [CompletionResultType]::ParameterName, 'Write the pictures of a folder as PNG')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show findings only, one line each')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;compare' {
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Captures to compare with the first ones')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv or html')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if a class of time differs by this severity: info, warning or critical')
            [CompletionResult]::new('--no-trim', '--no-trim', [CompletionResultType]::ParameterName, 'Compare whole windows, ramp-up and ramp-down included')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show all differences (default: the largest of each kind)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show all differences (default: the largest of each kind)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show the conclusion only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show the conclusion only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;try' {
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Command to measure, run by sh')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'Measure live traffic: the first cell of a query')
            [CompletionResult]::new('--measure', '--measure', [CompletionResultType]::ParameterName, 'Measure of a run: wall (default), regex:, json:, sql:')
            [CompletionResult]::new('--goal', '--goal', [CompletionResultType]::ParameterName, 'Better: lower (default for wall) or higher')
            [CompletionResult]::new('--guard', '--guard', [CompletionResultType]::ParameterName, 'Stop if a second measure exceeds its limit (''json:p99<=20'')')
            [CompletionResult]::new('--prepare', '--prepare', [CompletionResultType]::ParameterName, 'Command to run by sh before each run, not measured')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Time limit of a run')
            [CompletionResult]::new('--block', '--block', [CompletionResultType]::ParameterName, 'Length of a block of live traffic')
            [CompletionResult]::new('--settle', '--settle', [CompletionResultType]::ParameterName, 'Wait after each change (default 2s on live traffic)')
            [CompletionResult]::new('--warm-up', '--warm-up', [CompletionResultType]::ParameterName, 'Blocks at the start that are not counted')
            [CompletionResult]::new('--min-effect', '--min-effect', [CompletionResultType]::ParameterName, 'Smallest effect worth finding')
            [CompletionResult]::new('--pairs', '--pairs', [CompletionResultType]::ParameterName, 'Pairs of each change at most')
            [CompletionResult]::new('--max-time', '--max-time', [CompletionResultType]::ParameterName, 'Time limit of all blocks')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Random seed for the order of runs')
            [CompletionResult]::new('--dossier', '--dossier', [CompletionResultType]::ParameterName, 'Folder for the record of the experiment (default: `experiments` in the state folder)')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the answer to FILE; as one page of HTML where it ends in .html')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colour: auto, always or never')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json, csv or html')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Search LOW..HIGH for the best value, then test it')
            [CompletionResult]::new('--apply-best', '--apply-best', [CompletionResultType]::ParameterName, 'Keep the change that helped most')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask before testing a proposed change')
            [CompletionResult]::new('--no-ledger', '--no-ledger', [CompletionResultType]::ParameterName, 'Do not account for time: no reasons, lowest overhead')
            [CompletionResult]::new('--require-gain', '--require-gain', [CompletionResultType]::ParameterName, 'Exit with 1 if no change has helped')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Use plain ASCII')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show all classes of time')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show all classes of time')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show the conclusion only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show the conclusion only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List settings with value, default and who set them')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a setting: what it does, risks, default, value here')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check files of settings for what is obsolete, invalid, risky or needless')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'List profiles, or show what one sets and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a change would do, without making it')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Apply settings as one transaction; old values are saved first')
            [CompletionResult]::new('confirm', 'confirm', [CompletionResultType]::ParameterValue, 'Keep changes that wait for confirmation')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo changes: the latest plan, some by number or setting, or all')
            [CompletionResult]::new('limit', 'limit', [CompletionResultType]::ParameterValue, 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Pin processes or a command to CPUs: a list, a node, or the best')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'List changes: in effect, waiting, modified by others, undone')
            [CompletionResult]::new('recover', 'recover', [CompletionResultType]::ParameterValue, 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)')
            [CompletionResult]::new('guard', 'guard', [CompletionResultType]::ParameterValue, 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;list' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Rows at most')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Rows at most')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--changed', '--changed', [CompletionResultType]::ParameterName, 'Only settings that a file sets, differ from the default, or are set twice')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;audit' {
            [CompletionResult]::new('--release', '--release', [CompletionResultType]::ParameterName, 'Release: 6.1, solaris-11, aix-7.2, linux-6.1 (default: this kernel)')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if a line has a remark (info) or should be changed (warning)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show also lines without remarks')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;profile' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List profiles: ours, and those of tuned that are installed (tuned/NAME)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile sets, and why')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;profile;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;profile;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;profile;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List profiles: ours, and those of tuned that are installed (tuned/NAME)')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile sets, and why')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;tune;profile;help;list' {
            break
        }
        'heldup;tune;profile;help;show' {
            break
        }
        'heldup;tune;profile;help;help' {
            break
        }
        'heldup;tune;plan' {
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'All settings of a profile (tuned/NAME: of tuned)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--persist', '--persist', [CompletionResultType]::ParameterName, 'Apply at each boot too: sysctl.d, udev rule or tmpfiles.d')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;apply' {
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'All settings of a profile (tuned/NAME: of tuned)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)')
            [CompletionResult]::new('--persist', '--persist', [CompletionResultType]::ParameterName, 'Apply at each boot too: sysctl.d, udev rule or tmpfiles.d')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;confirm' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;undo' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Undo all changes')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite what someone else has set since')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;limit' {
            [CompletionResult]::new('--cpu-quota', '--cpu-quota', [CompletionResultType]::ParameterName, 'CPUs they may use together (2, 0.5)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory they may use together, page cache included (1GB)')
            [CompletionResult]::new('--tasks', '--tasks', [CompletionResultType]::ParameterName, 'Processes and threads together')
            [CompletionResult]::new('--read', '--read', [CompletionResultType]::ParameterName, 'Read rate of a disk, bytes/s (/dev/sda=20MB)')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Write rate of a disk, bytes/s')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Process (repeat for several)')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Process (repeat for several)')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Show what would be changed, and change nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;pin' {
            [CompletionResult]::new('--cpu-list', '--cpu-list', [CompletionResultType]::ParameterName, 'These CPUs (0-3,8)')
            [CompletionResult]::new('--node', '--node', [CompletionResultType]::ParameterName, 'The CPUs of a NUMA node')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'CPUs per process, chosen near its memory (default: one per thread)')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Process (repeat for several)')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Process (repeat for several)')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Undo after this time (10s, 5m) unless confirmed (heldup tune confirm)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Show what would be changed, and change nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;status' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tune;recover' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
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
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a setting: what it does, risks, default, value here')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check files of settings for what is obsolete, invalid, risky or needless')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'List profiles, or show what one sets and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a change would do, without making it')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Apply settings as one transaction; old values are saved first')
            [CompletionResult]::new('confirm', 'confirm', [CompletionResultType]::ParameterValue, 'Keep changes that wait for confirmation')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo changes: the latest plan, some by number or setting, or all')
            [CompletionResult]::new('limit', 'limit', [CompletionResultType]::ParameterValue, 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Pin processes or a command to CPUs: a list, a node, or the best')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'List changes: in effect, waiting, modified by others, undone')
            [CompletionResult]::new('recover', 'recover', [CompletionResultType]::ParameterValue, 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)')
            [CompletionResult]::new('guard', 'guard', [CompletionResultType]::ParameterValue, 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)')
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
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile sets, and why')
            break
        }
        'heldup;tune;help;profile;list' {
            break
        }
        'heldup;tune;help;profile;show' {
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
        'heldup;record' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Folder to record into (default: /var/lib/heldup/archive, without root in ~/.local/state/heldup)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Folder to record into (default: /var/lib/heldup/archive, without root in ~/.local/state/heldup)')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Stop after this time (default: at Ctrl-C)')
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Time between two samples')
            [CompletionResult]::new('--retention', '--retention', [CompletionResultType]::ParameterName, 'Delete data older than this')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Delete the oldest data above this size')
            [CompletionResult]::new('--raw-for', '--raw-for', [CompletionResultType]::ParameterName, 'Keep every sample this long, then one row for 10 s')
            [CompletionResult]::new('--ten-seconds-for', '--ten-seconds-for', [CompletionResultType]::ParameterName, 'Keep rows of 10 s this long, then one per minute')
            [CompletionResult]::new('--cpu-budget', '--cpu-budget', [CompletionResultType]::ParameterName, 'Limit CPU use to this share of one CPU')
            [CompletionResult]::new('--flush', '--flush', [CompletionResultType]::ParameterName, 'Time between two flushes to the disk')
            [CompletionResult]::new('--segment', '--segment', [CompletionResultType]::ParameterName, 'Age at which a segment is closed and sealed')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--measure-overhead', '--measure-overhead', [CompletionResultType]::ParameterName, 'Also measure eBPF run time (adds 250 ns per context switch)')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;status' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;capture' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'File to write')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'File to write')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since (default 30s)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace what is there')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Replace names of people and machines by pseudonyms')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;baseline' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('save', 'save', [CompletionResultType]::ParameterValue, 'Save the settings of this machine, or of SOURCE, as the baseline')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show when the baseline was saved, and of which machine')
            [CompletionResult]::new('drop', 'drop', [CompletionResultType]::ParameterValue, 'Delete the baseline')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;baseline;save' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since (default 30s)')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace what is there')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;baseline;show' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;baseline;drop' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;baseline;help' {
            [CompletionResult]::new('save', 'save', [CompletionResultType]::ParameterValue, 'Save the settings of this machine, or of SOURCE, as the baseline')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show when the baseline was saved, and of which machine')
            [CompletionResult]::new('drop', 'drop', [CompletionResultType]::ParameterValue, 'Delete the baseline')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;baseline;help;save' {
            break
        }
        'heldup;baseline;help;show' {
            break
        }
        'heldup;baseline;help;drop' {
            break
        }
        'heldup;baseline;help;help' {
            break
        }
        'heldup;doctor' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show also what works')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;sql' {
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Source: @last (default), @41, a capture, an archive, files')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Source: @last (default), @41, a capture, an archive, files')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Show the columns of a table')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Window, from now or from --since')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Start in a recording: 03:00, "yesterday 03:00", "last night", "2 hours ago", 2026-11-20T03:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'End: 03:10, +10m after --since, now')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Host, in a recording of several')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'Only this process')
            [CompletionResult]::new('-u', '-u', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'Only this systemd unit')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only this: pid:N, unit:NAME, cgroup:PATH, container:ID, comm:NAME, device:NAME, mount:PATH, port:N or command')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Rows at most')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Rows at most')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON, one object per line')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;tables' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;rules' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rules')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run each rule''s own cases: small recorded tables that must fire or stay silent')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;rules;list' {
            [CompletionResult]::new('--area', '--area', [CompletionResultType]::ParameterName, 'Only this area: cpu, mem, disk, fs, net, lock, limit or db')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Rows at most')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'Rows at most')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;rules;test' {
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Use further rules from FOLDER')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format: text, json or csv')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Test again whenever a rule or its cases change, until Ctrl-C')
            [CompletionResult]::new('--robust', '--robust', [CompletionResultType]::ParameterName, 'Also test with samples that are 5 % off or missing')
            [CompletionResult]::new('--unmeasured', '--unmeasured', [CompletionResultType]::ParameterName, 'Test without each measured column in turn: a finding must show no number that was not measured')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write JSON')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'heldup;rules;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rules')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run each rule''s own cases: small recorded tables that must fire or stay silent')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;rules;help;list' {
            break
        }
        'heldup;rules;help;test' {
            break
        }
        'heldup;rules;help;help' {
            break
        }
        'heldup;keep-house' {
            [CompletionResult]::new('--retention', '--retention', [CompletionResultType]::ParameterName, 'Delete data older than this')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Delete the oldest data above this size')
            [CompletionResult]::new('--raw-for', '--raw-for', [CompletionResultType]::ParameterName, 'Keep every sample this long, then one row for 10 s')
            [CompletionResult]::new('--ten-seconds-for', '--ten-seconds-for', [CompletionResultType]::ParameterName, 'Keep rows of 10 s this long, then one per minute')
            [CompletionResult]::new('--later', '--later', [CompletionResultType]::ParameterName, 'Do what would be done so much later')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'heldup;live-archive' {
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'Account for time by: auto, ebpf, sampling or delays')
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
            [CompletionResult]::new('examine', 'examine', [CompletionResultType]::ParameterValue, 'Examine this machine, or a recording: where time goes, and why')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run a command and examine it from start to end')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Examine this machine continuously; report findings as they appear and end')
            [CompletionResult]::new('top', 'top', [CompletionResultType]::ParameterValue, 'Show this machine in the terminal, live or as it was recorded')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Show this machine or a recording as a page, in a browser')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a finding, a rule or a class of time')
            [CompletionResult]::new('breakdown', 'breakdown', [CompletionResultType]::ParameterValue, 'Break down CPU, wait, I/O, lock or memory time by program, object and stack')
            [CompletionResult]::new('plot', 'plot', [CompletionResultType]::ParameterValue, 'Draw figures of this machine or a recording: in the terminal, as pictures, as a page')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two recordings: time, metrics, programs and settings')
            [CompletionResult]::new('try', 'try', [CompletionResultType]::ParameterValue, 'Change one setting, prove whether it helps, and undo it')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Show, change and undo settings')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Record this machine every second, every process and its waits, into an archive')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show the recorder, pending changes of settings, and the last findings')
            [CompletionResult]::new('capture', 'capture', [CompletionResultType]::ParameterValue, 'Write one file with all that can be seen of this machine, for whoever helps')
            [CompletionResult]::new('baseline', 'baseline', [CompletionResultType]::ParameterValue, 'Save, show or delete the settings that examinations compare with')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show what cannot be seen on this machine, and what would change that')
            [CompletionResult]::new('sql', 'sql', [CompletionResultType]::ParameterValue, 'Query the tables of an examination, a recording or this machine')
            [CompletionResult]::new('tables', 'tables', [CompletionResultType]::ParameterValue, 'List the tables, or the columns of one with units and meanings')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List or test the rules behind the findings')
            [CompletionResult]::new('keep-house', 'keep-house', [CompletionResultType]::ParameterValue, 'Seal what a recorder has closed, and remove what is too old (the recorder runs it)')
            [CompletionResult]::new('live-archive', 'live-archive', [CompletionResultType]::ParameterValue, 'Record into a temporary archive while `top` shows it (`top` runs it)')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write man pages, completions and references into a folder (for packagers)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'heldup;help;examine' {
            break
        }
        'heldup;help;run' {
            break
        }
        'heldup;help;watch' {
            break
        }
        'heldup;help;top' {
            break
        }
        'heldup;help;serve' {
            break
        }
        'heldup;help;explain' {
            break
        }
        'heldup;help;breakdown' {
            break
        }
        'heldup;help;plot' {
            break
        }
        'heldup;help;compare' {
            break
        }
        'heldup;help;try' {
            break
        }
        'heldup;help;tune' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List settings with value, default and who set them')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a setting: what it does, risks, default, value here')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check files of settings for what is obsolete, invalid, risky or needless')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'List profiles, or show what one sets and why')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Show what a change would do, without making it')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Apply settings as one transaction; old values are saved first')
            [CompletionResult]::new('confirm', 'confirm', [CompletionResultType]::ParameterValue, 'Keep changes that wait for confirmation')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo changes: the latest plan, some by number or setting, or all')
            [CompletionResult]::new('limit', 'limit', [CompletionResultType]::ParameterValue, 'Limit CPU, memory or I/O of processes or a command (temporary cgroup)')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Pin processes or a command to CPUs: a list, a node, or the best')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'List changes: in effect, waiting, modified by others, undone')
            [CompletionResult]::new('recover', 'recover', [CompletionResultType]::ParameterValue, 'Undo what a killed run left and what nobody confirmed (heldup-tune-recover.service runs it at boot)')
            [CompletionResult]::new('guard', 'guard', [CompletionResultType]::ParameterValue, 'Wait until the time of a plan is over, and undo it unless it was confirmed (apply --confirm starts it)')
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
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show what a profile sets, and why')
            break
        }
        'heldup;help;tune;profile;list' {
            break
        }
        'heldup;help;tune;profile;show' {
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
        'heldup;help;record' {
            break
        }
        'heldup;help;status' {
            break
        }
        'heldup;help;capture' {
            break
        }
        'heldup;help;baseline' {
            [CompletionResult]::new('save', 'save', [CompletionResultType]::ParameterValue, 'Save the settings of this machine, or of SOURCE, as the baseline')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show when the baseline was saved, and of which machine')
            [CompletionResult]::new('drop', 'drop', [CompletionResultType]::ParameterValue, 'Delete the baseline')
            break
        }
        'heldup;help;baseline;save' {
            break
        }
        'heldup;help;baseline;show' {
            break
        }
        'heldup;help;baseline;drop' {
            break
        }
        'heldup;help;doctor' {
            break
        }
        'heldup;help;sql' {
            break
        }
        'heldup;help;tables' {
            break
        }
        'heldup;help;rules' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rules')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run each rule''s own cases: small recorded tables that must fire or stay silent')
            break
        }
        'heldup;help;rules;list' {
            break
        }
        'heldup;help;rules;test' {
            break
        }
        'heldup;help;keep-house' {
            break
        }
        'heldup;help;live-archive' {
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
