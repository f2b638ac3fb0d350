//! `heldup top` in a real terminal: it comes up, answers keys, bears what terminals, signals and names do to it, and
//! leaves nothing behind however it ends.

mod terminal;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use heldup_testkit::needs::Need;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;

use terminal::{Setup, Terminal};

pub fn trials() -> Vec<Trial> {
    let needs = [Need::Tool("tmux")];
    let as_other = [Need::Tool("tmux"), Need::Root, Need::Tool("setpriv")];
    let trial = |name: &str, needs: &[Need], run: fn() -> Result<()>| {
        crate::trial(format!("terminal_view::{name}"), needs, run)
    };
    vec![
        trial("keys-and-the-end", &needs, keys_and_the_end),
        trial("killed", &needs, killed),
        trial("told-to-end", &needs, told_to_end),
        trial("to-the-background-and-back", &needs, to_the_background_and_back),
        trial("another-size", &needs, another_size),
        trial("without-utf-8-and-colours", &needs, without_utf_8_and_colours),
        trial("hostile-name", &needs, hostile_name),
        trial("another-user", &as_other, another_user),
        trial("same-cells-as-the-frames", &needs, same_cells_as_the_frames),
    ]
}

/// The overview of a machine that runs.
fn is_up(screen: &str) -> bool {
    screen.contains("live") && screen.contains("PID PROCESS")
}

fn fits(screen: &str, columns: usize) -> bool {
    screen.lines().all(|line| line.chars().count() <= columns)
}

fn keys_and_the_end() -> Result<()> {
    let terminal = Terminal::open("keys", &Setup::default())?;
    let screen = terminal.await_screen("a live overview", is_up)?;
    ensure!(fits(&screen, 80), "{screen}");
    ensure!(fs::read_dir(terminal.archives())?.count() == 1, "it records into an archive of its own");
    terminal.press("w")?;
    terminal.await_screen("who", |screen| screen.contains("processes, by active time"))?;
    terminal.press("H")?;
    terminal.await_screen("threads", |screen| screen.contains("threads, by active time"))?;
    terminal.press("?")?;
    terminal.await_screen("keys", |screen| screen.contains("previous, next finding"))?;
    terminal.press("Escape")?;
    terminal.enter(":")?;
    terminal.await_screen("a line for SQL", |screen| screen.contains("SQL: "))?;
    terminal.enter("select count(*) as processes from process")?;
    terminal.press("Enter")?;
    terminal.await_screen("rows", |screen| screen.contains("1 row "))?;
    terminal.press("r")?;
    terminal.await_screen("recording", |screen| screen.contains("overhead"))?;
    terminal.press("Space")?;
    terminal.await_screen("frozen", |screen| screen.contains("frozen"))?;
    terminal.press("q")?;
    // What stood in the terminal before is there again.
    terminal.await_screen("the end", |screen| screen.starts_with("ended 0"))?;
    terminal.ensure_modes_as_before()?;
    terminal.await_nothing_left()
}

fn send(pid: libc::pid_t, signal: libc::c_int) {
    // SAFETY: the number is that of a program which this test started and which has not ended.
    unsafe { libc::kill(pid, signal) };
}

/// Who is killed can tidy up nothing: the process that started it gives the terminal back, and the recorder sees it.
fn killed() -> Result<()> {
    let terminal = Terminal::open("killed", &Setup::default())?;
    terminal.await_screen("a live overview", is_up)?;
    send(terminal.viewer()?, libc::SIGKILL);
    terminal.await_screen("the end", |screen| screen.contains("ended 137"))?;
    terminal.ensure_modes_as_before()?;
    terminal.await_nothing_left()?;
    // The other way round: the view goes with the process that started it.
    let terminal = Terminal::open("killed-first", &Setup::default())?;
    terminal.await_screen("a live overview", is_up)?;
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.viewer()?))?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).context("its parent")?;
    send(parent.trim().parse()?, libc::SIGKILL);
    terminal.await_screen("the first screen", |screen| !screen.contains("PID PROCESS"))?;
    terminal.await_nothing_left()?;
    terminal.ensure_modes_as_before()
}

fn told_to_end() -> Result<()> {
    let terminal = Terminal::open("term", &Setup::default())?;
    terminal.await_screen("a live overview", is_up)?;
    send(terminal.viewer()?, libc::SIGTERM);
    terminal.await_screen("the end", |screen| screen.starts_with("ended "))?;
    terminal.ensure_modes_as_before()?;
    terminal.await_nothing_left()
}

fn to_the_background_and_back() -> Result<()> {
    let terminal = Terminal::shell("jobs")?;
    terminal.await_screen("a prompt", |screen| screen.contains("ready"))?;
    let mut line = format!("stty -g > {}/before; ", terminal.home().display());
    line += &terminal.line(&Setup::default());
    terminal.enter(&line)?;
    terminal.press("Enter")?;
    terminal.await_screen("a live overview", is_up)?;
    terminal.press("w")?;
    terminal.await_screen("who", |screen| screen.contains("processes, by active time"))?;
    terminal.press("C-z")?;
    terminal.await_screen("the shell", |screen| screen.contains("Stopped"))?;
    terminal.enter(&format!("stty -g > {}/after", terminal.home().display()))?;
    terminal.press("Enter")?;
    terminal.ensure_modes_as_before()?;
    terminal.enter("fg")?;
    terminal.press("Enter")?;
    terminal.await_screen("who again", |screen| screen.contains("processes, by active time"))?;
    terminal.press("o")?;
    terminal.await_screen("keys are heard", is_up)?;
    terminal.press("q")?;
    terminal.await_screen("the shell again", |screen| screen.trim_end().ends_with("ready"))?;
    terminal.await_nothing_left()
}

fn another_size() -> Result<()> {
    let terminal = Terminal::open("size", &Setup::default())?;
    terminal.await_screen("a live overview", is_up)?;
    for (columns, rows, sign) in
        [("200", "60", "READ/s"), ("48", "20", "PID PROCESS"), ("120", "30", "WRITE/s")]
    {
        terminal.tmux(&["resize-window", "-x", columns, "-y", rows])?;
        let width: usize = columns.parse()?;
        let is_drawn = |screen: &str| {
            let first = screen.lines().next().unwrap_or_default();
            screen.contains(sign) && first.trim_end().chars().count() == width && first.contains("? keys")
        };
        let screen = terminal.await_screen(&format!("{columns} columns"), is_drawn)?;
        ensure!(fits(&screen, width), "{screen}");
        let last = screen.lines().nth(rows.parse::<usize>()? - 1).unwrap_or_default();
        ensure!(last.contains("? keys"), "keys in the last of {rows} lines:\n{screen}");
    }
    Ok(())
}

fn without_utf_8_and_colours() -> Result<()> {
    let plain = Setup { locale: "C", before: "env NO_COLOR=1", ..Setup::default() };
    let terminal = Terminal::open("plain", &plain)?;
    let screen = terminal.await_screen("a live overview", is_up)?;
    ensure!(screen.is_ascii(), "without UTF-8 all is ASCII:\n{screen}");
    let screen = terminal.await_colours("the same", is_up)?;
    ensure!(colours(&screen) == 0, "no colours: {screen:?}");
    drop(terminal);
    let terminal = Terminal::open("colours", &Setup::default())?;
    terminal.await_colours("colours where they are wanted", |screen| is_up(screen) && colours(screen) > 0)?;
    Ok(())
}

/// Sequences that choose a colour.
fn colours(screen: &str) -> usize {
    let codes = screen.split("\u{1b}[").skip(1).filter_map(|rest| rest.split_once('m'));
    let codes = codes.flat_map(|(codes, _)| codes.split(';')).filter_map(|code| code.parse::<u8>().ok());
    codes.filter(|code| *code >= 30 && *code != 39 && *code != 49).count()
}

/// A process that is called as nobody should be: it sets no title, turns no text, and moves no column.
fn hostile_name() -> Result<()> {
    let folder = Scratch::new("hostile")?;
    // A title, a colour, and the sign that turns the direction of writing; the kernel shows the first 15 bytes.
    let program = folder.path().join("zq\u{1b}]2;no\u{7}\u{202e}x");
    fs::copy("/bin/sleep", &program)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    let mut sleeper = Command::new(&program).arg0("\u{1b}[2J".repeat(5_000)).arg("600").spawn()?;
    let seen = hostile_name_is_shown(sleeper.id());
    sleeper.kill()?;
    sleeper.wait()?;
    seen
}

fn hostile_name_is_shown(pid: u32) -> Result<()> {
    let terminal = Terminal::open("hostile", &Setup::default())?;
    terminal.await_screen("a live overview", is_up)?;
    let title = || terminal.tmux(&["display-message", "-p", "#{pane_title}"]);
    let before = title()?;
    terminal.press("w")?;
    terminal.enter(&format!("/{pid}"))?;
    terminal.press("Enter")?;
    let is_there = |screen: &str| screen.contains(" 1 of ") && screen.contains("zq");
    let screen = terminal.await_screen("the process", is_there)?;
    ensure!(fits(&screen, 80) && !screen.contains('\u{202e}'), "{screen:?}");
    terminal.press("Enter")?;
    let screen =
        terminal.await_screen("its page", |screen| screen.contains("zq") && screen.contains("command"))?;
    ensure!(fits(&screen, 80) && !screen.contains('\u{202e}'), "{screen:?}");
    ensure!(title()? == before, "the title of the terminal was changed to {}", title()?);
    Ok(())
}

/// Another user sees the run queue and the waits of tasks of one's own, and what is not seen.
fn another_user() -> Result<()> {
    let before = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    let terminal = Terminal::shell("nobody")?;
    terminal.await_screen("a prompt", |screen| screen.contains("ready"))?;
    open_to_all(terminal.home())?;
    open_to_all(&terminal.archives())?;
    let mut busy = Command::new("sh");
    // SAFETY: takes numbers only.
    unsafe {
        busy.args(["-c", "while :; do :; done"]).pre_exec(|| match libc::setuid(65534) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        })
    };
    let mut busy: Vec<_> =
        (0..heldup_testkit::needs::cpus() + 1).map(|_| busy.spawn()).collect::<std::io::Result<_>>()?;
    terminal.enter(&terminal.line(&Setup { before, ..Setup::default() }))?;
    terminal.press("Enter")?;
    let says =
        |screen: &str| is_up(screen) && screen.contains("not seen: ") && screen.contains("sudo heldup top");
    let seen = terminal.await_screen("what is not seen", says);
    let queue = |screen: &str| screen.contains("run queue") && screen.contains("sh ");
    let queue = seen.and_then(|_| terminal.await_screen("the run queue", queue));
    for one in &mut busy {
        one.kill()?;
        one.wait()?;
    }
    queue.map(drop)
}

fn open_to_all(path: &std::path::Path) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))?;
    Ok(())
}

/// The golden frames of the crate, in a terminal: all but the first line, in which a past day is named.
fn same_cells_as_the_frames() -> Result<()> {
    let top = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/top");
    let arguments = format!("{top}/fixtures/db1 --since 2026-11-26T22:32:15Z --until 2026-11-26T22:32:45Z");
    for (size, name) in [((80, 24), "overview-80x24"), ((200, 60), "overview-200x60")] {
        let setup = Setup { size, arguments: &arguments, ..Setup::default() };
        let golden = fs::read_to_string(format!("{top}/golden/{name}.txt"))?;
        let rows = |text: &str| -> Vec<String> {
            text.lines().skip(1).take(usize::from(size.1) - 1).map(masked).collect()
        };
        let wanted = rows(&golden);
        let terminal = Terminal::open(name, &setup)?;
        let seen = terminal.await_screen(name, |screen| rows(screen) == wanted);
        seen.with_context(|| format!("wanted:\n{golden}"))?;
    }
    Ok(())
}

/// Numbers of rules, which the golden frames leave open.
fn masked(line: &str) -> String {
    let line = line.trim_end();
    match line.contains(" ruled out") {
        true => line.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect(),
        false => line.to_owned(),
    }
}
