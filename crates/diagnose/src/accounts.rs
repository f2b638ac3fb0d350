//! Which time the findings account for: each second of `task_time` once, for the topmost finding.
//!
//! A rule names in `accounts` the time that its findings are about. Findings take it in rank order,
//! causes before their symptoms, so that a symptom keeps what its cause leaves. What nobody takes is
//! what `time.unexplained` asks for. A finding that is only information explains nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use heldup_archive::{Database, SqlError, Value};
use heldup_model::{Class, ErrorNote, Group, ImpactKind, Severity};

use crate::document::Rule;
use crate::finding::Draft;
use crate::query::{linked_query, literal, one_line, quoted};
use crate::row::Row;

/// Columns that the answer of `accounts` must have.
pub const COLUMNS: [&str; 6] = ["subject_name", "pid", "tid", "class_name", "object", "seconds"];

/// Most rows of what was accounted for that a printed query carries; the others are one for each class.
const MOST_PRINTED: usize = 200;

/// Time of one task, class and object that one finding accounts for.
#[derive(Clone, Debug, PartialEq)]
pub struct Accounted {
    /// Process.
    pub pid: i64,
    /// Thread.
    pub tid: i64,
    /// Class of time.
    pub class_name: String,
    /// What was waited for, where that is known.
    pub object: Option<String>,
    /// Key of the finding.
    pub finding: String,
    /// Seconds.
    pub seconds: f64,
}

/// What the findings account for. `drafts` are in rank order, causes first.
pub fn of(drafts: &[Draft], database: &Database, errors: &mut Vec<ErrorNote>) -> Vec<Accounted> {
    let claims = match claims_by_rule(drafts, database, errors) {
        claims if claims.is_empty() => return Vec::new(),
        claims => claims,
    };
    let mut book = Book::open(database);
    let mut out = Vec::new();
    for draft in drafts.iter().filter(|draft| counts(draft)) {
        let Some(rows) = claims.get(draft.rule.id.as_str()) else { continue };
        for (place, seconds) in claims_of(draft, rows) {
            let taken = book.take(&place, seconds);
            if taken > 0.0 {
                let Place { pid, tid, class_name, object } = place;
                let finding = draft.finding.key.clone();
                out.push(Accounted { pid, tid, class_name, object, finding, seconds: taken });
            }
        }
    }
    out
}

/// Share of the waiting time that is accounted for; none where nobody waited.
pub fn explained(accounted: &[Accounted], waiting_s: f64) -> Option<f64> {
    let is_waiting = |one: &&Accounted| {
        Class::from_name(&one.class_name).is_some_and(|class| class.group() == Group::Waiting)
    };
    let sum = accounted.iter().filter(is_waiting).fold(0.0, |sum, one| sum + one.seconds);
    (waiting_s > 0.0).then(|| (sum / waiting_s).clamp(0.0, 1.0))
}

/// Whether a finding explains anything: it needs attention, and is about time.
fn counts(draft: &Draft) -> bool {
    draft.finding.severity != Severity::Info && draft.finding.impact.kind == ImpactKind::Time
}

/// The answers of `accounts`, of rules with a finding that counts.
fn claims_by_rule<'a>(
    drafts: &'a [Draft],
    database: &Database,
    errors: &mut Vec<ErrorNote>,
) -> HashMap<&'a str, Vec<Row>> {
    let rules: BTreeMap<&str, &Rule> = drafts
        .iter()
        .filter(|draft| counts(draft) && draft.rule.accounts.is_some())
        .map(|draft| (draft.rule.id.as_str(), draft.rule))
        .collect();
    let mut claims = HashMap::new();
    for (id, rule) in rules {
        let Some(sql) = &rule.accounts else { continue };
        let found: Vec<&Row> = drafts
            .iter()
            .filter(|draft| draft.rule.id == id && counts(draft))
            .map(|draft| &draft.row)
            .collect();
        let Some(first) = found.first() else { continue };
        let values: Vec<&[Value]> = found.iter().map(|row| row.values()).collect();
        match database.query_once(&linked_query(sql, first.columns(), &values)) {
            Ok(answer) => _ = claims.insert(id, Row::all(answer)),
            Err(error) => errors.push(ErrorNote {
                place: format!("rule {}: accounts", rule.named()),
                what: error.to_string(),
            }),
        }
    }
    claims
}

/// Task, class and object that time is claimed of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    pid: i64,
    tid: i64,
    class_name: String,
    object: Option<String>,
}

/// What one finding claims, by place: its rows add up.
fn claims_of(draft: &Draft, rows: &[Row]) -> BTreeMap<Place, f64> {
    let mut claims = BTreeMap::new();
    let is_its = |row: &&Row| row.text("subject_name").as_deref() == Some(&draft.finding.subject.name);
    for row in rows.iter().filter(is_its) {
        let (Some(pid), Some(tid), Some(class_name), Some(seconds)) =
            (row.int("pid"), row.int("tid"), row.text("class_name"), row.number("seconds"))
        else {
            continue;
        };
        *claims.entry(Place { pid, tid, class_name, object: row.text("object") }).or_insert(0.0) += seconds;
    }
    claims
}

/// The time that there is, and what is taken of it.
struct Book {
    held: HashMap<(i64, i64, String), Held>,
}

/// Time of one task and class.
struct Held {
    left: f64,
    /// What is taken by object; where no object is known they count as one.
    taken: HashMap<Option<String>, f64>,
}

impl Book {
    /// Time that could be accounted for: what tasks ran and waited, without the kernel's own.
    fn open(database: &Database) -> Book {
        let groups = [Group::Running, Group::Waiting, Group::Peer].map(Group::name);
        let mut held: HashMap<(i64, i64, String), Held> = HashMap::new();
        for sum in database.task_sums().iter().filter(|sum| sum.kernel_thread != Some(true)) {
            let (Some(pid), Some(tid), Some(class), Some(seconds)) =
                (sum.pid, sum.tid, &sum.class_name, sum.seconds)
            else {
                continue;
            };
            if sum.group_name.as_deref().is_some_and(|group| groups.contains(&group)) {
                let known = held.entry((pid, tid, class.to_string()));
                known.or_insert(Held { left: 0.0, taken: HashMap::new() }).left += seconds;
            }
        }
        Book { held }
    }

    /// Takes what is claimed and not taken yet. Two claims of one object are of the same seconds, so
    /// that the second gets what it claims beyond the first; those of different objects add up.
    fn take(&mut self, place: &Place, seconds: f64) -> f64 {
        let key = (place.pid, place.tid, place.class_name.clone());
        let Some(held) = self.held.get_mut(&key) else { return 0.0 };
        let taken = held.taken.entry(place.object.clone()).or_insert(0.0);
        let more = (seconds - *taken).min(held.left).max(0.0);
        *taken += more;
        held.left -= more;
        more
    }
}

/// What is wrong with an `accounts` that has no object where its classes have one: a rule about one
/// device would explain the waits for another.
///
/// It is recognised by the text, of `null as object` and the names of classes in it. What it cannot see: an
/// object that is always NULL in another way.
pub fn object_not_named(sql: &str) -> Option<String> {
    let line = one_line(sql).to_ascii_lowercase();
    if !line.contains("null as object") {
        return None;
    }
    let named: BTreeSet<&str> = line.split('\'').skip(1).step_by(2).collect();
    let classes: Vec<Class> = named.into_iter().filter_map(Class::from_name).collect();
    if classes.is_empty() {
        return Some("without an object it must name the classes that it claims".to_owned());
    }
    let with_object = classes.iter().find(|class| class.has_object())?;
    Some(format!(
        "class {} has objects; name the one that is waited for, as the view wait_object has it",
        with_object.name()
    ))
}

/// Fills the views that rules ask which are asked after the others.
pub fn define_views(
    accounted: &[Accounted],
    examined: Option<(&str, &str)>,
    database: &Database,
) -> Result<(), SqlError> {
    if !accounted.is_empty() {
        let text = |text: &str| Value::Text(text.to_owned());
        let rows: Vec<[Value; 6]> = accounted
            .iter()
            .map(|one| {
                let object = one.object.as_deref().map_or(Value::Null, text);
                let (class_name, finding) = (text(&one.class_name), text(&one.finding));
                [
                    Value::Int(one.pid),
                    Value::Int(one.tid),
                    class_name,
                    object,
                    finding,
                    Value::Float(one.seconds),
                ]
            })
            .collect();
        let columns = ["pid", "tid", "class_name", "object", "finding", "seconds"];
        database.fill_view("accounted", columns, &rows)?;
    }
    let examined = examined.map(|(kind, name)| focus_row(kind, name));
    database.redefine("examined", examined.as_deref())
}

/// The same as relations of a query that is printed: what is accounted for by process and class only.
pub fn relations(accounted: &[Accounted], examined: Option<(&str, &str)>) -> String {
    let mut sums: BTreeMap<(&str, Option<i64>), f64> = BTreeMap::new();
    for one in accounted {
        *sums.entry((&one.class_name, Some(one.pid))).or_insert(0.0) += one.seconds;
    }
    if sums.len() > MOST_PRINTED {
        let all = std::mem::take(&mut sums);
        all.into_iter()
            .for_each(|((class, _), seconds)| *sums.entry((class, None)).or_insert(0.0) += seconds);
    }
    let mut out = String::from("accounted(pid, class_name, seconds) as materialized (");
    if sums.is_empty() {
        out.push_str("select null, null, 0.0 where false)");
    } else {
        let rows: Vec<String> = sums
            .into_iter()
            .map(|((class, pid), seconds)| {
                let pid = pid.map_or("null".to_owned(), |pid| pid.to_string());
                format!("({pid}, {}, {})", quoted(class), literal(&Value::Float(seconds)))
            })
            .collect();
        // Writing to a String cannot fail.
        let _ = write!(out, "values {})", rows.join(", "));
    }
    if let Some((kind, name)) = examined {
        let _ = write!(out, ", examined as ({})", focus_row(kind, name));
    }
    out
}

/// The row of `examined` for a focus.
fn focus_row(kind: &str, name: &str) -> String {
    // Somebody pastes it into a shell.
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._:@-".contains(c));
    let option = if is_plain { quoted(&format!(" --focus {kind}:{name}")) } else { "null".to_owned() };
    format!(
        "select {} as subject_kind, {} as subject_name, {option} as focus_option",
        quoted(kind),
        quoted(name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(object: Option<&str>) -> Place {
        Place { pid: 1, tid: 2, class_name: "disk_read".into(), object: object.map(str::to_owned) }
    }

    fn book(seconds: f64) -> Book {
        let held = Held { left: seconds, taken: HashMap::new() };
        Book { held: HashMap::from([((1, 2, "disk_read".to_owned()), held)]) }
    }

    #[test]
    fn a_second_is_taken_once() {
        let mut book = book(4.0);
        assert_eq!(book.take(&place(Some("sda")), 1.5), 1.5);
        assert_eq!(book.take(&place(Some("sda")), 1.0), 0.0, "the same time again");
        assert_eq!(book.take(&place(Some("sda")), 2.0), 0.5, "what is claimed beyond it");
        assert_eq!(book.take(&place(Some("sdb")), 1.0), 1.0, "another device");
        assert_eq!(book.take(&place(None), 9.0), 1.0, "no more than there is");
        assert_eq!(book.take(&place(Some("sdc")), 1.0), 0.0);
        let other = Place { tid: 3, ..place(None) };
        assert_eq!(book.take(&other, 1.0), 0.0, "a task without such time");
    }

    #[test]
    fn a_claim_of_a_class_with_objects_names_them() {
        let check = |sql: &str, word: Option<&str>| {
            let wrong = object_not_named(sql);
            assert_eq!(wrong.is_some(), word.is_some(), "{sql}: {wrong:?}");
            assert!(word.is_none_or(|word| wrong.is_some_and(|wrong| wrong.contains(word))), "{sql}");
        };
        check("select tid, 'cpu_queue' as class_name, null as object from t", None);
        check("select tid, class_name, w.object from t where class_name = 'disk_read'", None);
        check(
            "select tid, null  as\n object from t where class_name in ('cpu_queue', 'disk_read')",
            Some("disk_read"),
        );
        check("select tid, class_name, null as object from t", Some("name the classes"));
    }

    #[test]
    fn only_waiting_counts_as_explained() {
        let one = |class_name: &str, seconds| Accounted {
            pid: 1,
            tid: 1,
            class_name: class_name.into(),
            object: None,
            finding: String::new(),
            seconds,
        };
        let accounted = [one("disk_read", 1.0), one("user", 5.0), one("peer", 5.0), one("cpu_queue", 2.0)];
        assert_eq!(explained(&accounted, 4.0), Some(0.75));
        assert_eq!(explained(&accounted, 0.0), None);
        assert_eq!(explained(&[], 4.0), Some(0.0));
    }

    #[test]
    fn many_processes_are_one_row_a_class_in_what_is_printed() {
        let one = |pid| Accounted {
            pid,
            tid: pid,
            class_name: "cpu_queue".into(),
            object: None,
            finding: String::new(),
            seconds: 0.5,
        };
        let few: Vec<Accounted> = (0..2).map(one).collect();
        assert!(relations(&few, None).contains("(0, 'cpu_queue', 0.5), (1, 'cpu_queue', 0.5)"));
        let many: Vec<Accounted> = (0..400).map(one).collect();
        assert!(relations(&many, None).contains("values (null, 'cpu_queue', 200.0))"));
        assert!(
            relations(&[], Some(("unit", "a.service"))).contains("' --focus unit:a.service' as focus_option")
        );
        assert!(relations(&[], Some(("unit", "a b"))).contains("null as focus_option"));
    }
}
