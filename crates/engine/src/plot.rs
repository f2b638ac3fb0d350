//! Figures of any source.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use heldup_figure::{Ask, Figure, answer_all, find, of_area, shipped};
use heldup_model::tables::HostRow;
use heldup_model::{Capture, FigureWithout, Holds, PLOT_SCHEMA, Plotted, Record, Span};

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::nearest;
use crate::progress::Progress;
use crate::redaction;
use crate::request::{AskedSpan, MethodChoice};
use crate::session::look::{Request, Window, look};
use crate::source::Source;
use crate::source::archive::ArchiveSource;
use crate::times::rfc3339;

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
/// From here on tables by the minute are drawn.
const BY_MINUTE_MS: i64 = 2 * 3_600_000;
/// What is drawn of an archive where nobody says what.
const DAY_MS: i64 = 24 * 3_600_000;
/// Columns that every figure needs.
const STAMPS: [&str; 4] = ["time", "secs", "host", "boot_ms"];

/// What is to be drawn, and of what.
#[derive(Clone, Debug, Default)]
pub struct PlotRequest {
    /// SOURCE words; none for the running machine.
    pub sources: Vec<String>,
    /// Ids of figures, and areas; none for all that have numbers.
    pub figures: Vec<String>,
    /// Where none of these has numbers, all others are drawn, of what was read.
    pub else_all: bool,
    /// How long to look, from now or from the time asked for.
    pub window: Option<Duration>,
    /// Which window of an archive.
    pub span: AskedSpan,
    /// How to account for time.
    pub method: MethodChoice,
    /// Steps of time at most.
    pub steps: usize,
    /// Whether names are replaced by pseudonyms.
    pub redact: bool,
}

/// Whether a word is the name of figures: an id or an area.
pub fn is_figure(word: &str) -> bool {
    find(word).is_some() || of_area(word).next().is_some()
}

/// All figures: id and question.
pub fn figures() -> impl Iterator<Item = (&'static str, &'static str)> {
    shipped().iter().map(|figure| (figure.id.as_str(), figure.question.as_str()))
}

/// The numbers of figures.
pub fn plot(request: &PlotRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<Plotted> {
    let figures = wanted(&request.figures)?;
    let source = Source::parse_all(&request.sources, &request.span)?;
    source.say(progress);
    let recorded = source.recorded(&request.span, request.window, progress)?;
    let (mut name, mut capture, by_minute) = match (&source, recorded) {
        (Source::Kept { name, .. } | Source::Recordings { name, .. }, Some(recorded)) => {
            (name.clone(), recorded.capture, false)
        }
        (Source::Archive(archive), _) => {
            let span = match archive.asked(&request.span, request.window, progress)? {
                Some(span) => span,
                None => last_day(archive.all()?, request.window),
            };
            let (capture, by_minute) = of_archive(archive, span, &figures)?;
            if capture.tables.keys().all(|name| name == HostRow::DEF.name) {
                return Err(EngineError::not_found(archive.nothing_in(span)?));
            }
            (archive.name.clone(), capture, by_minute)
        }
        _ => {
            let window = Window::For(request.window.unwrap_or(DEFAULT_WINDOW));
            let asked = Request::of(window, request.method).with_all_tables();
            ("live".to_owned(), look(&asked, progress, cancel)?.capture, false)
        }
    };
    if let Some(mut redactor) = redaction::of_one(&mut capture, request.redact)? {
        name = redactor.text(Holds::Message, &name);
    }
    let ask = Ask { steps: request.steps, by_minute };
    let mut answers = answer_all(&figures, &capture, ask);
    let mut figures = figures;
    if request.else_all && answers.iter().all(Vec::is_empty) {
        figures = shipped().iter().collect();
        answers = answer_all(&figures, &capture, ask);
    }
    let mut without = Vec::new();
    for (figure, _) in figures.iter().zip(&answers).filter(|(_, frames)| frames.is_empty()) {
        let (id, title) = (figure.id.clone(), figure.title.clone());
        without.push(FigureWithout { id, title, supplied_by: figure.supplied_by.clone() });
    }
    Ok(Plotted {
        schema: PLOT_SCHEMA.to_owned(),
        source: name,
        host: capture.host.clone(),
        from: rfc3339(capture.span.since_ms)?,
        to: rfc3339(capture.span.until_ms)?,
        figures: answers.into_iter().flatten().collect(),
        without,
    })
}

/// What figures take of a window of an archive, and whether that is by tables per minute.
pub fn of_archive(archive: &ArchiveSource, span: Span, figures: &[&Figure]) -> Result<(Capture, bool)> {
    let by_minute = span.until_ms - span.since_ms > BY_MINUTE_MS;
    let tables = Tables::of(figures, by_minute);
    let capture =
        archive.columns(span, &|name| tables.has(name), &|table, column| tables.takes(table, column))?;
    let host = if capture.host.is_empty() { archive.host.clone() } else { capture.host };
    Ok((Capture { span, host, ..capture }, by_minute))
}

/// The figures of words, in the order of the catalogue.
fn wanted(words: &[String]) -> Result<Vec<&'static Figure>> {
    for word in words {
        if !is_figure(word) {
            let ids = shipped().iter().map(|figure| figure.id.as_str());
            return Err(nearest::unknown("figure", word, ids, "heldup plot --list"));
        }
    }
    let is_wanted = |figure: &&Figure| {
        words.is_empty() || words.iter().any(|word| *word == figure.id || word == figure.area())
    };
    Ok(shipped().iter().filter(is_wanted).collect())
}

fn last_day(all: Span, window: Option<Duration>) -> Span {
    let length_ms = window.map_or(DAY_MS, |length| i64::try_from(length.as_millis()).unwrap_or(DAY_MS));
    Span { since_ms: all.since_ms.max(all.until_ms - length_ms), ..all }
}

/// What figures take of an archive: as little as they need.
struct Tables(HashMap<&'static str, HashSet<String>>);

impl Tables {
    fn of(figures: &[&Figure], by_minute: bool) -> Tables {
        let mut tables: HashMap<&'static str, HashSet<String>> = HashMap::new();
        // Which boots there were.
        tables.insert(
            HostRow::DEF.name,
            HostRow::DEF.all_columns().map(|column| column.name.to_owned()).collect(),
        );
        for (def, columns) in figures.iter().flat_map(|figure| figure.needs(by_minute)) {
            tables.entry(def.name).or_default().extend(columns);
        }
        Tables(tables)
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn takes(&self, table: &str, column: &str) -> bool {
        STAMPS.contains(&column) || self.0.get(table).is_some_and(|columns| columns.contains(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_named_by_id_and_by_area() {
        let ids = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            wanted(&words).map(|figures| figures.iter().map(|figure| figure.id.as_str()).collect::<Vec<_>>())
        };
        assert_eq!(ids(&["disk.queue"]).expect("one"), ["disk.queue"]);
        assert!(ids(&["disk"]).expect("an area").contains(&"disk.queue"));
        assert_eq!(ids(&[]).expect("all").len(), shipped().len());
        let error = ids(&["disk.queu"]).expect_err("none").to_string();
        assert!(error.contains("disk.queue"), "{error}");
    }

    #[test]
    fn every_figure_that_a_rule_names_is_there() {
        let set = heldup_diagnose::Ruleset::builtin();
        let named = set.rules.iter().flat_map(|rule| rule.figures.iter().map(move |id| (&rule.id, id)));
        let named: Vec<_> = named.collect();
        assert!(!named.is_empty());
        let unknown: Vec<_> = named.iter().filter(|(_, id)| find(id).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn no_more_is_read_than_figures_take() {
        let figure = find("disk.throughput").expect("a figure");
        let tables = Tables::of(&[figure], true);
        assert!(tables.has("disk_minute") && !tables.has("disk") && !tables.has("process_minute"));
        assert!(
            ["read_bytes", "device", "time"].into_iter().all(|column| tables.takes("disk_minute", column))
        );
        assert!(!tables.takes("disk_minute", "flushes") && !tables.takes("disk", "read_bytes"));
    }
}
