//! `heldup tune show`: all that is known of one setting, and how it stands here.

use std::fmt::Write;

use heldup_report::{harmless, settings};
use heldup_tune::{OutlivedSystem, RangeSince, Release, SetBy, Standing, System, Tunable};

use super::args::TuneShowArgs;
use super::machine::Machine;
use super::told;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal;

/// Instances that are written one by one; a machine may have thousands of groups.
const MOST_INSTANCES: usize = 40;

/// Shows a setting.
pub fn run(args: &TuneShowArgs) -> anyhow::Result<Exit> {
    let machine = Machine::read();
    let (tunable, standings) = named(&machine, &args.id)?;
    match args.format {
        Format::Text => {
            machine.say_notes();
            print!("{}", text(&machine, tunable, &standings));
        }
        Format::Json => {
            let standings = is_here(tunable, &standings).then_some(standings);
            print!("{}", settings::json(&told::answer(&machine, &[(tunable, standings)])));
        }
    }
    Ok(Exit::DONE)
}

/// The setting of a name, and how its files stand: where the name is that of one file, only that.
fn named<'a>(machine: &'a Machine, name: &str) -> anyhow::Result<(&'a Tunable, Vec<Standing>)> {
    let exact = machine.catalogue.find(name);
    let tunable = machine.catalogue.named(name).ok_or_else(|| {
        let name = harmless(name);
        let close = machine.catalogue.close_to(&name);
        if let Some(gone) = gone(machine, &name) {
            return WrongUsage(format!("no setting is called `{name}` any more: {gone}"));
        }
        let hint =
            if close.is_empty() { String::new() } else { format!("; close to it: {}", close.join(", ")) };
        WrongUsage(format!("no setting is called `{name}`{hint}; `heldup tune list` shows them"))
    })?;
    if let Some(instances) = tunable.owned_instances(&machine.host, name) {
        let standings = instances?.into_iter().map(|instance| machine.standing(tunable, instance));
        return Ok((tunable, standings.collect()));
    }
    let mut standings = machine.standings(tunable);
    let is_named = |standing: &Standing| standing.instance.key == name || standing.instance.path == name;
    // The name may be that of a former place, of which nothing is here.
    if exact.is_none() && (standings.iter().any(is_named) || tunable.id.contains('*')) {
        standings.retain(is_named);
    }
    Ok((tunable, standings))
}

/// Whether how it stands can be told: not of what only a call sets that this program does not make.
fn is_here(tunable: &Tunable, standings: &[Standing]) -> bool {
    tunable.path.is_some() || tunable.is_machines() || !standings.is_empty()
}

/// Why there is no setting of a name any more.
fn gone(machine: &Machine, name: &str) -> Option<String> {
    let release = machine.release?.to_string().parse().ok()?;
    OutlivedSystem::builtin(System::Linux)?.find(name)?.gone_in(&release)
}

fn text(machine: &Machine, tunable: &Tunable, standings: &[Standing]) -> String {
    let mut out = page(tunable, machine.release);
    if let Some(example) = tunable.example_of_owned().filter(|_| standings.is_empty()) {
        let _ = writeln!(out, "\nEach process or group has its own value: heldup tune show {example}");
    }
    if is_here(tunable, standings) {
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
    out
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
    out.push_str(&wrapped("values", &values(tunable, release)));
    for range in &tunable.ranges {
        let since = range.since.map_or_else(|| "before".to_owned(), |since| format!("since {since}"));
        out.push_str(&wrapped("", &format!("{since}: {}", taken(range).unwrap_or("unknown".to_owned()))));
    }
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

/// The numbers or words of a range.
fn taken(range: &RangeSince) -> Option<String> {
    if range.choices.is_empty() { range.words() } else { Some(range.choices.join(", ")) }
}

fn values(tunable: &Tunable, release: Option<Release>) -> String {
    let mut text = match tunable.count {
        Some(count) => format!("{count} {}", tunable.kind.word()),
        None => tunable.kind.word().to_owned(),
    };
    // Without a release they are told by release alone.
    let here = release.is_some() || tunable.ranges.is_empty();
    if let Some(range) = tunable.ranges_in(release).last().filter(|_| here)
        && let Some(taken) = taken(range)
    {
        let _ = write!(text, "{}{taken}", if range.choices.is_empty() { ", " } else { ": " });
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
        SetBy::File(given) => format!("set by {}", given.place()),
        SetBy::SinceFile(given) => {
            format!("changed since {} set {}, or the kernel took that otherwise", given.place(), given.value)
        }
        SetBy::RunTime => "not the default and in no file: set at run time, or so built".to_owned(),
        SetBy::Unknown => "in no file".to_owned(),
    };
    let told = standing.unread.clone().unwrap_or_else(|| format!("{value}  ({by})"));
    let mut out = format!("  {} = {}\n", harmless(&standing.instance.key), harmless(&told));
    if standing.is_disputed() {
        let _ = writeln!(out, "    files disagree; the last wins:");
        for given in &standing.assigned {
            let _ = writeln!(out, "      {}  {}", harmless(&given.place()), harmless(&given.value));
        }
    }
    for rule in &standing.by_udev {
        let _ = writeln!(
            out,
            "    udev sets {} where {} matches",
            harmless(&rule.value),
            harmless(&rule.place())
        );
    }
    out
}
