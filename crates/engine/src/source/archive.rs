//! An archive as SOURCE: whose files, which window, and what was recorded of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::VIEWS;
use heldup_archive::journal::SegmentName;
use heldup_archive::kept::{
    ArchiveFolder, ArchiveWindow, Following, Minutes, NewestRows, Rhythm, SourceTables, Stretch,
    UnsealedClasses, read_recorder_file,
};
use heldup_model::{Capture, Span, TableDef};
use heldup_sources::Cadence;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::{Context, EngineError, Result};
use crate::nearest;
use crate::progress::Progress;
use crate::request::AskedSpan;
use crate::source::part::{self, Within};
use crate::times::rfc3339;

/// Stretches that are named where a window has nothing.
const MOST_STRETCHES: usize = 6;

/// One host's files in an archive.
#[derive(Clone, Debug)]
pub struct ArchiveSource {
    /// What the user called it.
    pub name: String,
    /// The host, as file names have it.
    pub host: String,
    /// `--host` has to be given.
    of_several: bool,
    folder: ArchiveFolder,
}

/// Where `heldup record` writes unless told otherwise: `/var/lib/heldup/archive` for root, else a
/// folder of the user's own.
pub fn default_folder() -> Result<PathBuf> {
    let base = heldup_hostfs::state_dir()
        .context("no place for an archive: neither HELDUP_STATE_DIR nor HOME is set; name a folder")?;
    Ok(base.join("archive"))
}

/// The archive that is named, else [`default_folder`].
pub fn archive_folder(named: Option<PathBuf>) -> Result<PathBuf> {
    named.map_or_else(default_folder, Ok)
}

impl ArchiveSource {
    /// Opens an archive; which host's files are meant has to be said where there are several.
    pub fn open(name: &str, root: &Path, host: Option<&str>) -> Result<ArchiveSource> {
        let folder = ArchiveFolder::at(root);
        let hosts = folder.hosts()?;
        let asked = host.map(SegmentName::host_in_names);
        let host = match (asked, hosts.as_slice()) {
            (_, []) => {
                return Err(EngineError::not_found(format!(
                    "{} is not a heldup archive (`heldup record` writes one)",
                    root.display()
                )));
            }
            (Some(asked), hosts) if hosts.contains(&asked) => asked,
            (None, [only]) => only.clone(),
            (Some(asked), hosts) => {
                let names = hosts.iter().map(String::as_str);
                return Err(nearest::unknown("host", &asked, names, &format!("heldup status {name}")));
            }
            (None, hosts) => {
                let (first, all) = (&hosts[0], hosts.join(", "));
                return Err(EngineError::usage(format!(
                    "{name} is of several hosts: choose one of {all}, as in {name}#{first} or --host {first}"
                )));
            }
        };
        let folder = folder.of_host(&host);
        Ok(ArchiveSource { name: name.to_owned(), host, of_several: hosts.len() > 1, folder })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The window that was asked for, if one was.
    pub fn asked(
        &self,
        asked: &AskedSpan,
        length: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<Option<Span>> {
        part::span(asked, length, self.all().ok().map(Within::Archive), None, progress)
    }

    /// The window of all that the archive has. A window is after its beginning, so this one begins before the
    /// first sample.
    pub fn all(&self) -> Result<Span> {
        let spans = self.folder.stretches()?.into_iter().map(|stretch| stretch.span);
        let both = |a: Span, b: Span| Span {
            since_ms: a.since_ms.min(b.since_ms),
            until_ms: a.until_ms.max(b.until_ms),
        };
        let all = spans.reduce(both).with_context(|| format!("{} has no data", self.name))?;
        Ok(Span { since_ms: all.since_ms.saturating_sub(1), ..all })
    }

    /// The capture of a window, as rules want it.
    pub fn capture(&self, span: Span) -> Result<Capture> {
        match self.folder.capture(span, &live_tables())? {
            Some(capture) => Ok(capture),
            None => Err(EngineError::not_found(self.nothing_in(span)?)),
        }
    }

    /// What reads its end again and again.
    pub fn following(&self, length_ms: i64, tables: Vec<SourceTables>) -> Following {
        Following::new(self.folder.clone(), length_ms, tables)
    }

    /// What each minute of a window cost.
    pub fn minutes(&self, span: Span) -> Result<Minutes> {
        Ok(self.folder.minutes(span)?)
    }

    /// The recorder's own process, whose time is left out as that of any look is: where the one
    /// that recorded last has recorded this window too.
    pub fn own_pid(&self, capture: &Capture) -> Option<i64> {
        self.own_pid_in(capture.span)
    }

    /// The same of a window.
    pub fn own_pid_in(&self, span: Span) -> Option<i64> {
        let (state, _) = read_recorder_file(self.folder.root()).ok()??;
        let same = SegmentName::host_in_names(&state.host) == self.host && state.since_ms <= span.until_ms;
        same.then_some(state.pid)
    }

    /// The command that examines a window of it, in whole seconds.
    pub fn command(&self, span: Span) -> Result<String> {
        let since = rfc3339(span.since_ms.div_euclid(1000) * 1000)?;
        let until = rfc3339((span.until_ms + 999).div_euclid(1000) * 1000)?;
        let host = if self.of_several { format!(" --host {}", self.host) } else { String::new() };
        Ok(format!("heldup examine {}{host} --since {since} --until {until}", quoted(&self.name)))
    }

    /// The tables that a query names, as they were recorded; of the whole archive without a window.
    pub fn readings(&self, asked: Option<Span>, query: &str, progress: &dyn Progress) -> Result<Capture> {
        let span = asked.map_or_else(|| self.all(), Ok)?;
        let words = Words::of(query);
        let read = self
            .folder
            .readings(span, &live_tables(), &|name| words.table(name), &|_, name| words.column(name))?;
        read.flaws.iter().for_each(|flaw| progress.note(&format!("{}: {}", flaw.place, flaw.what)));
        if asked.is_some() && read.tables.is_empty() {
            let inside = |stretch: &Stretch| {
                stretch.span.since_ms <= span.until_ms && stretch.span.until_ms >= span.since_ms
            };
            let said = if self.folder.stretches()?.iter().any(inside) {
                // Some are recorded each minute or each hour.
                format!("{}: no rows of these tables for {}", self.name, between(span))
            } else {
                self.nothing_in(span)?
            };
            progress.note(&said);
        }
        Ok(read)
    }

    /// Columns of tables of a window, as they were recorded.
    pub fn columns(
        &self,
        span: Span,
        table: &dyn Fn(&str) -> bool,
        column: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Capture> {
        Ok(self.folder.readings(span, &live_tables(), table, column)?)
    }

    /// The same of a window alone, after its beginning: no reading before it that still holds.
    pub fn rows(
        &self,
        span: Span,
        table: &dyn Fn(&str) -> bool,
        column: &dyn Fn(&str, &str) -> bool,
    ) -> Result<ArchiveWindow> {
        self.rows_of(span, table, column, None)
    }

    /// The same of one process, of tables that tell processes apart.
    pub fn rows_of(
        &self,
        span: Span,
        table: &dyn Fn(&str) -> bool,
        column: &dyn Fn(&str, &str) -> bool,
        pid: Option<i64>,
    ) -> Result<ArchiveWindow> {
        let span = Span { since_ms: span.since_ms.saturating_add(1), ..span };
        Ok(self.folder.columns_of(span, table, column, pid.map(|pid| ("pid", pid)))?)
    }

    /// What is written to it from now on.
    pub fn newest_rows(&self) -> NewestRows {
        NewestRows::of(self.folder.clone())
    }

    /// The classes of time in what is not sealed.
    pub fn unsealed_classes(&self) -> UnsealedClasses {
        UnsealedClasses::of(self.folder.clone())
    }

    /// Sealed rows of a table, but for those of some segments.
    pub fn sealed_rows(
        &self,
        def: &'static TableDef,
        span: Span,
        without: &[SegmentName],
    ) -> Result<ArchiveWindow> {
        Ok(self.folder.sealed_rows(def, span, without)?)
    }

    /// From when on rows may be in journals; none where all is sealed.
    pub fn unsealed_since_ms(&self) -> Result<Option<i64>> {
        Ok(self.folder.unsealed_since_ms()?)
    }

    /// Says that a window has nothing, and what there is.
    pub fn nothing_in(&self, span: Span) -> Result<String> {
        let stretches = self.folder.stretches()?;
        let said = |stretch: &Stretch| between(stretch.span);
        let more = stretches.len().saturating_sub(MOST_STRETCHES);
        let mut there: Vec<String> = stretches.iter().skip(more).map(said).collect();
        if more > 0 {
            there.insert(0, format!("{more} earlier stretches"));
        }
        Ok(format!("{}: no data for {}; recorded: {}", self.name, between(span), there.join(", ")))
    }
}

/// A word as a shell takes it for one.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-@:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A span as people read it, in local time.
pub fn between(span: Span) -> String {
    between_in(span, &TimeZone::system())
}

/// The same in a zone.
pub fn between_in(span: Span, zone: &TimeZone) -> String {
    let at = |ms: i64| Timestamp::from_millisecond(ms).map(|time| time.to_zoned(zone.clone()));
    match (at(span.since_ms), at(span.until_ms)) {
        // Clocks were set in between: 02:30 until 02:10 may be forty minutes.
        (Ok(since), Ok(until)) if since.offset() != until.offset() => {
            format!("{} until {}", since.strftime("%F %T%:z"), until.strftime("%F %T%:z"))
        }
        (Ok(since), Ok(until)) if since.date() == until.date() => {
            format!("{} until {}", since.strftime("%F %T"), until.strftime("%T"))
        }
        (Ok(since), Ok(until)) => format!("{} until {}", since.strftime("%F %T"), until.strftime("%F %T")),
        _ => format!("{} ms until {} ms", span.since_ms, span.until_ms),
    }
}

/// How often a live window has each table: what rules expect of any capture.
pub fn live_tables() -> Vec<SourceTables> {
    let sources = heldup_sources::live();
    let tables_of = |source: &dyn heldup_sources::Source| SourceTables {
        source: source.name(),
        tables: source.tables().iter().map(|def| def.name).collect(),
        rhythm: match source.schedule().cadence {
            Cadence::EverySample => Rhythm::Samples,
            Cadence::Ends => Rhythm::Ends,
            Cadence::Once => Rhythm::Once,
        },
    };
    sources.iter().map(|source| tables_of(source.as_ref())).collect()
}

/// The words of a query and of the views that it asks.
struct Words(String);

impl Words {
    fn of(query: &str) -> Words {
        let mut words = query.to_ascii_lowercase();
        // Views stand behind those that they use: the other way round each adds its own.
        for view in VIEWS.iter().rev() {
            if has_word(&words, view.name) {
                words.push(' ');
                words.push_str(view.select);
            }
        }
        Words(words.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Whether a table is asked for. A word that means something else costs some milliseconds.
    fn table(&self, name: &str) -> bool {
        has_word(&self.0, name) || (name == "host" && has_word(&self.0, "window_span"))
    }

    /// Whether a column is asked for, or all are.
    fn column(&self, name: &str) -> bool {
        ["select *", "distinct *", ", *", ".*"].iter().any(|all| self.0.contains(all))
            || has_word(&self.0, name)
            || (name == "cpus" && has_word(&self.0, "window_span"))
    }
}

/// Whether a text has a word, and not as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_names_its_tables_and_columns() {
        let words = Words::of("SELECT name, sum(user_s) FROM process WHERE pid > 4 GROUP BY 1");
        assert!(words.table("process") && !words.table("process_wait") && !words.table("task_time"));
        assert!(words.column("user_s") && words.column("pid") && !words.column("system_s"));
        let views = Words::of("select * from task_total");
        assert!(views.table("task_time") && views.column("seconds"));
        assert!(!Words::of("select count(*) from disk").column("reads"));
        assert!(Words::of("select d.* from disk d").column("reads"));
        assert!(Words::of("select secs from window_span").table("host"));
    }

    #[test]
    fn a_span_across_a_change_of_clocks_names_both_offsets() {
        // The night to 25 October 2026: summer time ends at 01:00 UTC.
        let at = |since_ms, until_ms| Span { since_ms, until_ms };
        let (since_ms, hour_ms) = (1_792_888_200_000, 3_600_000);
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        assert_eq!(
            between_in(at(since_ms, since_ms + 2 * hour_ms / 3), &zone),
            "2026-10-25 02:30:00+02:00 until 2026-10-25 02:10:00+01:00"
        );
        let before = at(since_ms - hour_ms, since_ms);
        assert_eq!(between_in(before, &zone), "2026-10-25 01:30:00 until 02:30:00");
    }

    #[test]
    fn a_word_of_a_shell() {
        assert_eq!(quoted("/srv/archive"), "/srv/archive");
        assert_eq!(quoted("it's here"), r"'it'\''s here'");
    }

    #[test]
    fn processes_are_there_once_in_a_live_window() {
        let tables = live_tables();
        let of = |table: &str| {
            tables.iter().find(|source| source.tables.contains(&table)).map(|source| source.rhythm)
        };
        assert_eq!(of("process"), Some(Rhythm::Ends));
        assert_eq!(of("disk"), Some(Rhythm::Samples));
        assert_eq!(of("setting"), Some(Rhythm::Once));
    }
}
