//! `heldup tune list|show`: settings, what they do, what they are, and who set them. What changes
//! them is in the files below.

mod apply;
mod change_args;
pub mod changed_host;
mod guard;
mod plan;
mod status;
mod undo;

pub use change_args::ChangeCommand;

use std::fmt::Write;

use anyhow::{Context, bail};
use heldup_hostfs::Host;
use heldup_report::harmless;
use heldup_tune::{Assignment, Assignments, Catalogue, Release, SetBy, Standing, Tunable, release};

use crate::WrongUsage;
use crate::args::{TuneCommand, TuneListArgs};
use crate::exit::Exit;
use crate::terminal;

/// Instances that `show` writes one by one; a machine may have thousands of groups.
const MOST_INSTANCES: usize = 40;

/// Lists or shows settings.
pub fn run(command: &TuneCommand) -> anyhow::Result<Exit> {
    let text = match command {
        TuneCommand::Change(command) => return change(command),
        TuneCommand::List(args) => list(&Machine::read(), args)?,
        TuneCommand::Show { id } => show(&Machine::read(), id)?,
    };
    print!("{text}");
    Ok(Exit::DONE)
}

fn change(command: &ChangeCommand) -> anyhow::Result<Exit> {
    match command {
        ChangeCommand::Plan(args) => plan::run(args),
        ChangeCommand::Apply(args) => apply::run(args),
        ChangeCommand::Confirm { changes } => undo::confirm(changes),
        ChangeCommand::Undo(args) => undo::run(args),
        ChangeCommand::Status { format } => status::run(*format),
        ChangeCommand::Recover => undo::recover(),
        ChangeCommand::Guard { plan } => guard::run(*plan),
    }
}

/// The running machine and what is known of its settings.
struct Machine {
    host: Host,
    release: Option<Release>,
    catalogue: Catalogue,
    assignments: Assignments,
}

impl Machine {
    fn read() -> Machine {
        let host = Host::live();
        let assignments = Assignments::of(&host);
        for what in assignments.unread.iter().chain(&assignments.malformed) {
            eprintln!("heldup: {}", harmless(what));
        }
        Machine { release: release(&host), catalogue: Catalogue::builtin(), assignments, host }
    }

    fn standings(&self, tunable: &Tunable) -> Vec<Standing> {
        let of = |instance| Standing::of(&self.host, self.release, tunable, instance, &self.assignments);
        tunable.instances(&self.host).into_iter().map(of).collect()
    }
}

/// Whether a setting has one file, or one a device: those of processes and groups are too many to list.
fn is_listed(tunable: &Tunable) -> bool {
    tunable.path.as_deref().is_some_and(|path| !path.contains("**") && !path.starts_with("/proc/*"))
}

fn list(machine: &Machine, args: &TuneListArgs) -> anyhow::Result<String> {
    let wanted = |tunable: &&Tunable| {
        args.text.as_deref().is_none_or(|text| tunable.area == text || tunable.id.contains(text))
    };
    let tunables: Vec<&Tunable> = machine.catalogue.tunables.iter().filter(wanted).collect();
    if tunables.is_empty() {
        bail!(WrongUsage(format!(
            "no setting is of the area `{0}` or has `{0}` in its id; areas: {1}",
            args.text.as_deref().unwrap_or_default(),
            areas(&machine.catalogue).join(", ")
        )));
    }
    let mut rows = vec![["setting", "value", "default", "set by"].map(str::to_owned)];
    let mut absent = 0;
    for tunable in tunables {
        let standings = if is_listed(tunable) { machine.standings(tunable) } else { Vec::new() };
        absent += usize::from(standings.is_empty());
        for standing in standings {
            let silent = matches!(standing.set_by, SetBy::Kernel | SetBy::Unknown) && !standing.is_disputed();
            if !(args.changed && silent) {
                rows.push(row(tunable, &standing));
            }
        }
    }
    let mut out = columns(&rows);
    if args.changed && rows.len() == 1 {
        out = "Nothing is set by a file or differs from a default that is known.\n".to_owned();
    }
    if absent > 0 && !args.changed {
        let _ = writeln!(
            out,
            "\n{absent} more are not here, or are of each process, group, mount or boot; heldup tune show ID tells all."
        );
    }
    Ok(out)
}

fn areas(catalogue: &Catalogue) -> Vec<&str> {
    let mut areas: Vec<&str> = catalogue.tunables.iter().map(|tunable| tunable.area.as_str()).collect();
    areas.sort_unstable();
    areas.dedup();
    areas
}

fn row(tunable: &Tunable, standing: &Standing) -> [String; 4] {
    let value = standing.value.as_deref().unwrap_or("cannot be read");
    let default = match (&standing.default, &tunable.default_is) {
        (Some(default), _) => default.as_str(),
        (None, Some(_)) => "depends",
        (None, None) => "unknown",
    };
    let dispute = if standing.is_disputed() { ", files disagree" } else { "" };
    let by = match &standing.set_by {
        SetBy::Kernel => "kernel".to_owned(),
        SetBy::File(given) => place(given),
        SetBy::SinceFile(given) => format!("run time, not as {}", place(given)),
        SetBy::RunTime => "run time".to_owned(),
        SetBy::Unknown => String::new(),
    };
    [standing.instance.key.clone(), value.to_owned(), default.to_owned(), format!("{by}{dispute}")]
        .map(|cell| harmless(&cell))
}

fn place(given: &Assignment) -> String {
    format!("{}:{}", given.file, given.line)
}

fn columns(rows: &[[String; 4]]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).min(48);
    let (first, second, third) = (width(0), width(1), width(2));
    let mut out = String::new();
    for [setting, value, default, by] in rows {
        let line = format!("{setting:<first$}  {value:<second$}  {default:<third$}  {by}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn show(machine: &Machine, name: &str) -> anyhow::Result<String> {
    let exact = machine.catalogue.find(name);
    let tunable = machine.catalogue.named(name).with_context(|| {
        let close = machine.catalogue.close_to(name);
        let hint =
            if close.is_empty() { String::new() } else { format!("; close to it: {}", close.join(", ")) };
        format!("no setting is called `{name}`{hint}; `heldup tune list` shows them")
    })?;
    let mut out = page(tunable, machine.release);
    let mut standings = machine.standings(tunable);
    if exact.is_none() {
        standings.retain(|standing| standing.instance.key == name || standing.instance.path == name);
    }
    if tunable.path.is_some() {
        out.push('\n');
        if standings.is_empty() {
            let _ = writeln!(
                out,
                "Not on this machine{}.",
                machine.release.map_or_else(String::new, |r| format!(" (Linux {r})"))
            );
        }
        for standing in standings.iter().take(MOST_INSTANCES) {
            out.push_str(&now(standing));
        }
        if standings.len() > MOST_INSTANCES {
            let _ = writeln!(out, "… and {} more; name one of them", standings.len() - MOST_INSTANCES);
        }
    }
    Ok(out)
}

/// What the catalogue says.
fn page(tunable: &Tunable, release: Option<Release>) -> String {
    let mut out = String::new();
    let wrapped = |title: &str, text: &str| {
        let options = textwrap::Options::new(terminal::width()).subsequent_indent("               ");
        let line = format!("  {title:<11}  {text}");
        let mut text = textwrap::fill(&line, options);
        text.push('\n');
        text
    };
    let _ = writeln!(out, "{} ({})\n", tunable.id, tunable.area);
    out.push_str(&wrapped("what", &tunable.meaning));
    let place = tunable.path.as_deref().or(tunable.call.as_deref()).unwrap_or_default();
    out.push_str(&wrapped("where", place));
    for was in &tunable.was {
        out.push_str(&wrapped("", &format!("{} until {}", was.path, was.until)));
    }
    let releases = [tunable.since.map(|r| format!("since {r}")), tunable.until.map(|r| format!("until {r}"))];
    let exists: Vec<String> = releases.into_iter().flatten().chain(tunable.only.clone()).collect();
    if !exists.is_empty() {
        out.push_str(&wrapped("exists", &exists.join(", ")));
    }
    out.push_str(&wrapped("values", &values(tunable)));
    let default = release.and_then(|release| tunable.default_in(release));
    out.push_str(&wrapped("default", default.or(tunable.default_is.as_deref()).unwrap_or("unknown")));
    for held in tunable.defaults.iter().filter(|_| tunable.defaults.len() > 1) {
        let since = held.since.map_or_else(|| "before".to_owned(), |since| format!("since {since}"));
        out.push_str(&wrapped("", &format!("{since}: {}", held.value)));
    }
    let texts = [("higher", &tunable.up), ("lower", &tunable.down), ("choose", &tunable.choose)];
    for (title, text) in texts {
        if let Some(text) = text {
            out.push_str(&wrapped(title, text));
        }
    }
    for other in &tunable.interacts {
        out.push_str(&wrapped("with", &format!("{}: {}", other.id, other.how)));
    }
    out.push_str(&wrapped("risk", &format!("{}: {}", tunable.level.word(), tunable.risk)));
    out.push_str(&wrapped("leave it", &tunable.leave));
    out.push_str(&wrapped("read", &tunable.references.join(", ")));
    out
}

fn values(tunable: &Tunable) -> String {
    let mut text = match tunable.count {
        Some(count) => format!("{count} {}", tunable.kind.word()),
        None => tunable.kind.word().to_owned(),
    };
    if !tunable.choices.is_empty() {
        let _ = write!(text, ": {}", tunable.choices.join(", "));
    }
    match (tunable.min, tunable.max) {
        (Some(min), Some(max)) => _ = write!(text, ", {min} to {max}"),
        (Some(min), None) => _ = write!(text, ", at least {min}"),
        (None, Some(max)) => _ = write!(text, ", at most {max}"),
        (None, None) => {}
    }
    if let Some(unit) = &tunable.unit {
        let _ = write!(text, ", {unit}");
    }
    text
}

/// How one instance stands.
fn now(standing: &Standing) -> String {
    let value = standing.value.as_deref().unwrap_or_default();
    let by = match &standing.set_by {
        SetBy::Kernel => "the kernel's default".to_owned(),
        SetBy::File(given) => format!("set by {}", place(given)),
        SetBy::SinceFile(given) => {
            format!("changed since {} set {}, or the kernel took that otherwise", place(given), given.value)
        }
        SetBy::RunTime => "not the default and in no file: set at run time, or so built".to_owned(),
        SetBy::Unknown => "in no file".to_owned(),
    };
    let told = standing.unread.clone().unwrap_or_else(|| format!("{value}  ({by})"));
    let mut out = format!("  {} = {}\n", harmless(&standing.instance.key), harmless(&told));
    if standing.is_disputed() {
        let _ = writeln!(out, "    files disagree; the last wins:");
        for given in &standing.assigned {
            let _ = writeln!(out, "      {}  {}", harmless(&place(given)), harmless(&given.value));
        }
    }
    for rule in &standing.by_udev {
        let _ =
            writeln!(out, "    udev sets {} where {} matches", harmless(&rule.value), harmless(&place(rule)));
    }
    out
}
