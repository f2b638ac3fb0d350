//! `heldup tune list`: settings in a line each, with value, default and who set them.

use std::fmt::Write;

use anyhow::bail;
use heldup_report::{harmless, settings};
use heldup_tune::{Catalogue, SetBy, Standing, Tunable};

use super::args::TuneListArgs;
use super::machine::Machine;
use super::told;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::WrongUsage;

/// A setting, and how its files stand; none where nobody looked.
type Listed<'a> = (&'a Tunable, Option<Vec<Standing>>);

/// Lists settings.
pub fn run(args: &TuneListArgs) -> anyhow::Result<Exit> {
    let machine = Machine::read();
    let listed = listed(&machine, args)?;
    match args.format {
        Format::Text => {
            machine.say_notes();
            print!("{}", text(&listed, args.changed));
        }
        Format::Json => print!("{}", settings::json(&told::answer(&machine, &listed))),
    }
    Ok(Exit::DONE)
}

fn listed<'a>(machine: &'a Machine, args: &TuneListArgs) -> anyhow::Result<Vec<Listed<'a>>> {
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
    let one = |tunable: &'a Tunable| {
        let mut standings = tunable.is_machines().then(|| machine.standings(tunable));
        if args.changed {
            standings.as_mut()?.retain(|standing| !is_silent(standing));
            standings.as_ref().filter(|standings| !standings.is_empty())?;
        }
        Some((tunable, standings))
    };
    Ok(tunables.into_iter().filter_map(one).collect())
}

/// Whether nobody set it, as far as is known.
fn is_silent(standing: &Standing) -> bool {
    matches!(standing.set_by, SetBy::Kernel | SetBy::Unknown) && !standing.is_disputed()
}

fn text(listed: &[Listed], changed: bool) -> String {
    let mut rows = vec![["setting", "value", "default", "set by"].map(str::to_owned)];
    let mut absent = 0;
    for (tunable, standings) in listed {
        let standings = standings.as_deref().unwrap_or_default();
        absent += usize::from(standings.is_empty());
        rows.extend(standings.iter().map(|standing| row(tunable, standing)));
    }
    let mut out = columns(&rows);
    if changed && rows.len() == 1 {
        out = "Nothing is set by a file or differs from a default that is known.\n".to_owned();
    }
    if absent > 0 {
        let _ = writeln!(
            out,
            "\n{absent} more are not here, or are of each process, group, mount or boot; heldup tune show ID tells all."
        );
    }
    out
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
        SetBy::File(given) => given.place(),
        SetBy::SinceFile(given) => format!("run time, not as {}", given.place()),
        SetBy::RunTime => "run time".to_owned(),
        SetBy::Unknown => String::new(),
    };
    [standing.instance.key.clone(), value.to_owned(), default.to_owned(), format!("{by}{dispute}")]
        .map(|cell| harmless(&cell))
}

/// Rows below each other, each column as wide as it needs, up to a limit.
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
