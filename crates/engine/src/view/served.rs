//! What a page says of its source before anything of it is shown.

use std::path::Path;

use heldup_archive::kept::ArchiveFolder;
use heldup_archive::{Database, Value};
use heldup_figure::{Figure, find, of_area};
use heldup_hostfs::realtime_ms;
use heldup_model::tables::HostRow;
use heldup_model::{
    Area, Clock, ExplainedRule, HostSummary, Method, PageArea, PageFigure, Record, SourceKind, Span,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Film, ViewRequest, Viewer};
use crate::error::{Context, EngineError, Result};
use crate::nearest;
use crate::rules::in_words;
use crate::source::archive::{ArchiveSource, default_folder};
use crate::source::side::of_host;
use crate::times::rfc3339;

/// What the last row of the host says.
const HOST: &str =
    "select kernel, os, cpus, memory_bytes, method, coverage from host order by time desc limit 1";
/// How much of the end of an archive is looked through for such a row.
const END_MS: i64 = 10 * 60_000;

/// The hosts of what is asked for; one that has no name for the running machine.
pub fn hosts_of(request: &ViewRequest) -> Result<Vec<String>> {
    if let Some(host) = &request.span.host {
        return Ok(vec![host.clone()]);
    }
    let archive = match (request.sources.as_slice(), request.span.is_asked()) {
        ([], true) => Some(default_folder()?),
        ([one], _) => {
            let is_there = |path: &Path| ArchiveFolder::at(path).is_there();
            match of_host(one) {
                (archive, Some(host)) if is_there(Path::new(archive)) => return Ok(vec![host.to_owned()]),
                _ => Some(Path::new(one)).filter(|path| is_there(path)).map(Path::to_owned),
            }
        }
        _ => None,
    };
    let hosts = archive.map(|folder| ArchiveFolder::at(&folder).hosts()).transpose()?.unwrap_or_default();
    Ok(if hosts.is_empty() { vec![String::new()] } else { hosts })
}

impl Viewer {
    /// A rule in words.
    pub fn rule(&self, id: &str) -> Result<ExplainedRule> {
        let rule = self.ruleset.rules.iter().find(|rule| rule.id == id);
        let ids = || self.ruleset.rules.iter().map(|rule| rule.id.as_str());
        rule.map(in_words).ok_or_else(|| nearest::unknown("rule", id, ids(), "heldup rules"))
    }

    /// What it is.
    pub fn kind(&self) -> SourceKind {
        match &self.film {
            Film::Live(_) => SourceKind::Live,
            Film::Archive(_) => SourceKind::Archive,
            Film::Whole { files, .. } if files.is_empty() => SourceKind::Capture,
            Film::Whole { .. } => SourceKind::Recording,
        }
    }

    /// The folder that is read, where it is one.
    pub fn folder(&self) -> Option<&Path> {
        self.archive().map(|archive| Path::new(archive.name.as_str()))
    }

    /// The machine, as its last sample has it.
    pub fn host(&self) -> Result<HostSummary> {
        let read;
        let (capture, source) = match &self.film {
            Film::Whole { capture, name, .. } => (capture.as_ref(), name.as_str()),
            Film::Live(_) | Film::Archive(_) => {
                let archive = self.archive().context("an archive")?;
                let all = archive.all()?;
                let end = Span { since_ms: all.since_ms.max(all.until_ms - END_MS), ..all };
                read = archive.columns(end, &|table| table == HostRow::DEF.name, &|_, _| true)?;
                (&read, archive.name.as_str())
            }
        };
        let answer = Database::open(capture)?.query(HOST)?;
        let text = |column| answer.get(0, column).and_then(Value::as_str).map(str::to_owned);
        let number = |column| answer.get(0, column).and_then(Value::as_i64);
        let name = match (capture.host.is_empty(), self.archive()) {
            (true, Some(archive)) => archive.host.clone(),
            _ => capture.host.clone(),
        };
        Ok(HostSummary {
            name,
            kernel: text("kernel").unwrap_or_else(|| "unknown".to_owned()),
            os: text("os"),
            cpus: number("cpus"),
            memory_bytes: number("memory_bytes"),
            source: source.to_owned(),
            method: text("method").and_then(|name| method_of(&name)).unwrap_or(capture.method),
            coverage: answer.get(0, "coverage").and_then(Value::as_f64).unwrap_or(capture.coverage),
        })
    }

    /// A time in words: `yesterday 03:00`, `2 hours ago`, `now`; one without a day is the last one that was recorded.
    pub fn time(&self, words: &str) -> Result<i64> {
        let zone = self.zone().cloned().unwrap_or_else(TimeZone::system);
        let now = Timestamp::from_millisecond(realtime_ms())?.to_zoned(zone);
        let clock = Clock { now, zone: &|name| TimeZone::get(name).ok() };
        let all = self.all()?;
        let span = |since: &str, until: Option<&str>| match &self.film {
            Film::Whole { .. } => clock.span_of_files(since, until, all),
            Film::Live(_) | Film::Archive(_) => clock.span_within(since, until, all),
        };
        let found = span(words, None).map(|asked| asked.span.since_ms).or_else(|error| {
            // Some words are of an end only: now, +10m.
            let begin = rfc3339(all.since_ms).map_err(|_| error.clone())?;
            span(&begin, Some(words)).map(|asked| asked.span.until_ms).map_err(|_| error)
        });
        found.map_err(|error| EngineError::usage(error.to_string()))
    }

    /// Whether answers of a window stay as they are: nothing of it is still recorded.
    pub fn is_sealed(&self, span: Span) -> Result<bool> {
        let Some(archive) = self.archive() else { return Ok(true) };
        let since_ms = match archive.unsealed_since_ms()? {
            Some(since_ms) => since_ms,
            None => archive.all()?.until_ms.saturating_add(1),
        };
        Ok(span.until_ms < since_ms)
    }

    fn archive(&self) -> Option<&ArchiveSource> {
        match &self.film {
            Film::Live(live) => Some(&live.archive),
            Film::Archive(archive) => Some(archive),
            Film::Whole { .. } => None,
        }
    }
}

fn method_of(name: &str) -> Option<Method> {
    let all = [Method::Ebpf, Method::Sampling, Method::Delays, Method::Imported];
    all.into_iter().find(|method| method.name() == name)
}

/// Areas of figures in the order in which they are shown: id, title, and the findings that belong there.
const AREAS: [(&str, &str, Option<Area>); 10] = [
    ("time", "Time", None),
    ("cpu", "CPU", Some(Area::Cpu)),
    ("memory", "Memory", Some(Area::Mem)),
    ("disk", "Disks", Some(Area::Disk)),
    ("fs", "File systems", Some(Area::Fs)),
    ("net", "Network", Some(Area::Net)),
    ("groups", "Groups", None),
    ("process", "Processes", None),
    ("db", "Databases", Some(Area::Db)),
    ("recorder", "Recorder", None),
];

/// The figures that there are, by area.
pub fn listed_figures() -> (Vec<PageArea>, Vec<PageFigure>) {
    let listed = |figure: &Figure| PageFigure {
        id: figure.id.clone(),
        area: figure.area().to_owned(),
        title: figure.title.clone(),
        question: figure.question.clone(),
        kind: figure.kind,
        unit: figure.unit.clone(),
        supplied_by: figure.supplied_by.clone(),
    };
    let figures = AREAS.iter().flat_map(|(id, ..)| of_area(id)).map(listed).collect();
    let area = |(id, title, findings): &(&str, &str, Option<Area>)| PageArea {
        id: (*id).to_owned(),
        title: (*title).to_owned(),
        findings: *findings,
    };
    (AREAS.iter().map(area).collect(), figures)
}

/// Ids of figures, those together that read the same tables: they are read once. Their order is that of the first of
/// each.
pub fn read_together(ids: &[String]) -> Vec<Vec<String>> {
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for id in ids {
        let needs = find(id).map(|figure| figure.needs(true)).unwrap_or_default();
        let mut tables: Vec<&str> = needs.iter().map(|(def, _)| def.name).collect();
        tables.sort_unstable();
        match groups.iter_mut().find(|(known, _)| *known == tables) {
            Some((_, group)) => group.push(id.clone()),
            None => groups.push((tables, vec![id.clone()])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use heldup_figure::shipped;

    use super::*;

    #[test]
    fn every_figure_has_an_area() {
        let (areas, figures) = listed_figures();
        assert_eq!(figures.len(), shipped().len());
        assert!(areas.iter().all(|area| figures.iter().any(|figure| figure.area == area.id)));
    }

    #[test]
    fn figures_of_one_table_are_read_together() {
        let ids = ["disk.queue", "time.classes", "disk.throughput", "no.figure"].map(str::to_owned);
        let groups = read_together(&ids);
        assert_eq!(groups[0], ["disk.queue", "disk.throughput"]);
        assert_eq!((groups.len(), groups.concat().len()), (3, 4));
    }
}
