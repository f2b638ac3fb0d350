//! Wrong calls as people make them: each answer says what failed, where and why, and what to do about it.

use crate::typed::{Folder, heldup};

/// Code of wrong usage and of unknown names, of what could not be done, and of a command that is not there.
const USAGE: i32 = 2;
const COULD_NOT: i32 = 3;
const NO_COMMAND: i32 = 127;

/// The words, the exit code, what the answer names, and what it says to do.
type WrongCall = (&'static [&'static str], i32, &'static str, &'static str);

const WRONG: &[WrongCall] = &[
    // Typing errors.
    (&["exmine"], USAGE, "unknown command `exmine`", "did you mean `heldup examine`"),
    (&["wach"], USAGE, "unknown command `wach`", "did you mean `heldup watch`"),
    (&["baseline", "sav"], USAGE, "'sav'", "'save'"),
    (&["completions", "fsh"], USAGE, "'fsh'", "fish"),
    (&["doctor", "--jsn"], USAGE, "'--jsn'", "'--json'"),
    (&["examine", "--formt", "json"], USAGE, "'--formt'", "'--format'"),
    (&["breakdown", "cpuu"], USAGE, "'cpuu'", "'cpu'"),
    (&["--color", "blue"], USAGE, "'blue'", "auto, always, never"),
    (&["vmstat.txt", "--format", "xml"], USAGE, "'xml'", "text, json, csv"),
    (&["vmstat.txt", "--fail-on", "bad"], USAGE, "'bad'", "critical, warning, info"),
    // Files.
    (&["nosuch.txt"], COULD_NOT, "nosuch.txt", "no such file or folder"),
    (&["folder/nosuch"], COULD_NOT, "folder/nosuch", "no such file or folder"),
    (&["words.txt"], USAGE, "words.txt: unknown format", "docs/import.md"),
    (&["empty.txt"], USAGE, "empty.txt: an empty file", "docs/import.md"),
    (&["junk.bin"], USAGE, "junk.bin", "docs/import.md"),
    (&["compare", "a", "b"], COULD_NOT, "a: no such file or folder", "no such"),
    (&["compare", "vmstat.txt"], USAGE, "two sources are needed", "heldup compare A B"),
    (&["compare"], USAGE, "<SOURCE>", "Usage: heldup compare"),
    (&["capture"], USAGE, "--output <FILE>", "Usage: heldup capture"),
    (
        &["capture", "-o", "/nosuch/x", "vmstat.txt"],
        COULD_NOT,
        "/nosuch/x: no folder /nosuch",
        "create it first",
    ),
    (&["rules", "test", "nosuch.toml"], COULD_NOT, "nosuch.toml", "No such file"),
    (&["tune", "audit", "nosuch.conf"], COULD_NOT, "cannot read nosuch.conf", "No such file"),
    // Names of rules, settings, tables and profiles.
    (&["disk.sync-bound"], USAGE, "disk.sync-bound", "`heldup explain disk.sync-bound`"),
    (&["vm.swappiness"], USAGE, "vm.swappiness", "`heldup tune show vm.swappiness`"),
    (&["explain", "disk.sync-bond"], USAGE, "`disk.sync-bond`", "did you mean disk.sync-bound"),
    (&["explain", "vmswap"], USAGE, "`vmswap`", "`heldup rules list`"),
    (&["explain"], USAGE, "<WHAT>", "Usage: heldup explain"),
    (&["vmstat.txt", "--ignore", "fs.ful"], USAGE, "`fs.ful`", "did you mean fs.full"),
    (&["tune", "show", "vm.swapines"], USAGE, "`vm.swapines`", "did you mean vm.swappiness"),
    (&["tune", "plan", "vm.swappiness"], USAGE, "vm.swappiness", "expected SETTING=VALUE"),
    (&["tune", "plan", "--profile", "oltq"], USAGE, "`oltq`", "did you mean oltp"),
    (&["tables", "task_tme"], USAGE, "`task_tme`", "did you mean task_time"),
    (&["sql", "--schema", "task_tme"], USAGE, "`task_tme`", "did you mean task_time"),
    (&["sql", "-s", "vmstat.txt", "select * from task_tim"], USAGE, "task_tim", "did you mean task_time"),
    (&["sql", "-s", "vmstat.txt", "select usr_s from cpu"], USAGE, "usr_s", "cpu.user_s"),
    (&["sql", "-s", "vmstat.txt", "selec 1"], USAGE, "column 1", "near \"selec\""),
    (&["rules", "list", "--area", "foo"], USAGE, "`foo`", "cpu, mem, disk, fs, net, lock, limit, db"),
    // Examinations that are not there.
    (&["@last"], COULD_NOT, "no saved examination", "run `heldup` first"),
    (&["@41"], COULD_NOT, "no saved examination", "run `heldup` first"),
    (&["explain", "1"], COULD_NOT, "no saved examination", "run `heldup` first"),
    // Times.
    (&["--for", "abc"], USAGE, "`abc`", "use ms, s, m, h, d or w"),
    (&["--for", "0s"], USAGE, "'0s'", "shorter than 100ms"),
    (&["vmstat.txt", "--since", "yesterda"], USAGE, "`yesterda`", "expected a time such as"),
    (&["vmstat.txt", "--since", "2099-01-01"], USAGE, "2099-01-01", "expected a time that has been"),
    (&["watch", "--raise-after", "5/3"], USAGE, "5/3", "as in 2/3"),
    // Subjects.
    (&["-p", "abc"], USAGE, "'abc'", "expected the number of a process"),
    (&["-p", "99999999"], COULD_NOT, "pid:99999999", "`ps -e` lists processes"),
    (&["-u", "nosuch.service"], COULD_NOT, "unit:nosuch.service", "`systemctl status`"),
    (&["--focus", "foo:bar"], USAGE, "foo:bar", "expected pid:N, unit:NAME"),
    // Commands and services.
    (&["run"], USAGE, "<CMD>", "Usage: heldup run"),
    (&["--", "./no-such-command"], NO_COMMAND, "./no-such-command", "command not found"),
    (&["record", "start"], USAGE, "`heldup record` records until Ctrl-C", "systemctl enable"),
    (&["try", "vm.swappiness=10"], USAGE, "--workload <CMD>", "Usage: heldup try"),
];

#[test]
fn every_answer_says_what_where_and_what_to_do() {
    assert!(WRONG.len() >= 50, "{}", WRONG.len());
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
    file("words.txt", b"hello world\n");
    file("empty.txt", b"");
    file("junk.bin", b"a\0\x01\x02\xff");
    let mut wrong = Vec::new();
    for (words, code, names, advises) in WRONG {
        let said = heldup(&folder, words);
        let is_right = said.code == Some(*code)
            && [names, advises].iter().all(|part| said.err.contains(*part))
            && (said.out.is_empty() || words.first() == Some(&"rules"));
        if !is_right {
            wrong.push(format!("{words:?}: {:?}\n{}{}", said.code, said.out, said.err));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), WRONG.len(), wrong.join("\n"));
}
