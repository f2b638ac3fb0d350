//! Runs the rules over a capture.
//!
//! Each rule answers *found*, *ruled out* or *not checked*; one that fails is
//! an error of its own and stops nothing. Nothing here knows any rule.

use heldup_archive::{Answer, Database, SqlError, Value};
use heldup_model::{Capture, ErrorNote, NotChecked, RuledOut};

use crate::accounts::{self, Accounted};
use crate::availability::{blind, is_missing, lacking};
use crate::command;
use crate::cpu_use;
use crate::diagnosis::{Diagnosis, HostFacts, Options, RuleCost};
use crate::document::{Rule, RuleError};
use crate::finding::{Circumstances, Draft, draft};
use crate::focus::{Focus, cut};
use crate::ledger;
use crate::on_recordings::{is_recording, of_moment, questions};
use crate::profile_vitals;
use crate::programs;
use crate::proposal::hold_against_each_other;
use crate::query::{finding_query_with, linked_query};
use crate::rank::{in_order, name_apart, rank};
use crate::row::Row;
use crate::ruleset::Ruleset;
use crate::vitals;

/// Most subjects of one rule that become findings: the worst ones, in the order of its SQL.
const MOST_FINDINGS_OF_A_RULE: usize = 20;
/// Most subjects that are named when a rule is ruled out.
const MOST_SUBJECTS_NAMED: usize = 3;

/// Runs the rules over the whole capture.
pub fn diagnose(capture: &Capture, rules: &Ruleset) -> Diagnosis {
    diagnose_with(capture, rules, &Options::default())
}

/// Runs the rules over what the options leave of the capture; where a command was run, also
/// over the command's part of it alone.
pub fn diagnose_with(capture: &Capture, rules: &Ruleset, options: &Options) -> Diagnosis {
    diagnosed(capture, rules, options, |capture, asked| judge(capture, rules, asked))
}

/// Runs the rules over one window after the other. What they ask is planned once.
#[derive(Default)]
pub struct Diagnoser {
    database: Option<Database>,
}

impl Diagnoser {
    /// As [`diagnose_with`].
    pub fn diagnose(&mut self, capture: &Capture, rules: &Ruleset, options: &Options) -> Diagnosis {
        diagnosed(capture, rules, options, |capture, asked| {
            let known = self.database.take();
            let filled = known.and_then(|mut known| known.refill(capture).ok()?.then_some(known));
            match filled.map_or_else(|| Database::open_for_rules(capture), Ok) {
                Ok(database) => judge_in(self.database.insert(database), capture, rules, asked),
                Err(error) => not_opened(rules, &error),
            }
        })
    }

    /// What was asked last: the window without heldup's own process.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }
}

fn diagnosed(
    capture: &Capture,
    rules: &Ruleset,
    options: &Options,
    judge_whole: impl FnOnce(&Capture, &Asked<'_>) -> Diagnosis,
) -> Diagnosis {
    let whole = cut(capture, options.focus.as_ref(), options.own_pid);
    let asked = Asked { clock: options.clock, focus: options.focus.as_ref(), accounted: &[] };
    let mut out = judge_whole(&whole.capture, &asked);
    out.errors.splice(0..0, whole.errors);
    if out.command.as_ref().is_some_and(|command| command.ledger.is_some()) {
        let only = (options.focus != Some(Focus::Command)).then(|| {
            let narrow = cut(&whole.capture, Some(&Focus::Command), None);
            judge(&narrow.capture, rules, &Asked { focus: None, ..asked })
        });
        if options.focus == Some(Focus::Command) {
            let explained = out.ledger.explained;
            let ledger = out.command.as_mut().and_then(|command| command.ledger.as_mut());
            ledger.into_iter().for_each(|ledger| ledger.explained = explained);
        }
        command::put_first(&mut out, only, &command::pids(&whole.capture));
    }
    hold_against_each_other(&mut out.findings, &out.vitals);
    if options.own_pid.is_some() {
        name_another_heldup(&mut out);
    }
    out
}

/// Who looks is not in the tables by now: whoever bears its name is another one.
fn name_another_heldup(out: &mut Diagnosis) {
    let of_command = out.command.as_mut().and_then(|command| command.ledger.as_mut());
    let classes = out.ledger.classes.iter_mut().chain(of_command.into_iter().flat_map(|l| &mut l.classes));
    classes.for_each(|class| programs::name_another(&mut class.tasks));
    for finding in &mut out.findings {
        programs::name_another(&mut finding.culprits);
        programs::name_another(&mut finding.victims);
        finding.title = programs::name_another_in(&finding.title);
    }
}

/// Runs the rules of a case, beside findings that others would have made.
pub(crate) fn diagnose_beside(capture: &Capture, rules: &Ruleset, accounted: &[Accounted]) -> Diagnosis {
    let mut out = judge(capture, rules, &Asked { clock: None, focus: None, accounted });
    hold_against_each_other(&mut out.findings, &out.vitals);
    out
}

/// What the last row of the host says.
fn host_facts(database: &Database) -> Result<HostFacts, SqlError> {
    let answer =
        database.query("select kernel, os, cpus, memory_bytes from host order by time desc limit 1")?;
    let text = |column| answer.get(0, column).and_then(Value::as_str).map(str::to_owned);
    let number = |column| answer.get(0, column).and_then(Value::as_i64);
    let (kernel, os) = (text("kernel"), text("os"));
    Ok(HostFacts { kernel, os, cpus: number("cpus"), memory_bytes: number("memory_bytes") })
}

/// What one run over a capture is asked.
#[derive(Clone, Copy)]
struct Asked<'a> {
    clock: Option<fn() -> u64>,
    /// What the capture is cut to.
    focus: Option<&'a Focus>,
    /// What is accounted for by findings of rules that are not run.
    accounted: &'a [Accounted],
}

/// Runs the rules over a capture.
fn judge(capture: &Capture, rules: &Ruleset, asked: &Asked<'_>) -> Diagnosis {
    match Database::open_for_rules(capture) {
        Ok(database) => judge_in(&database, capture, rules, asked),
        Err(error) => not_opened(rules, &error),
    }
}

/// What is said where a capture cannot be asked.
fn not_opened(rules: &Ruleset, error: &SqlError) -> Diagnosis {
    let mut errors = flaws_of(rules);
    errors.push(ErrorNote { place: "tables".into(), what: error.to_string() });
    Diagnosis { errors, ..Diagnosis::default() }
}

fn flaws_of(rules: &Ruleset) -> Vec<ErrorNote> {
    let flaw = |flaw: &RuleError| ErrorNote { place: flaw.place.clone(), what: flaw.what.clone() };
    rules.flaws.iter().map(flaw).collect()
}

/// Runs the rules over an opened capture.
fn judge_in(database: &Database, capture: &Capture, rules: &Ruleset, asked: &Asked<'_>) -> Diagnosis {
    let mut out = Diagnosis { errors: flaws_of(rules), ..Diagnosis::default() };
    if let Err(error) = database.fix_active_time() {
        out.errors.push(ErrorNote { place: "active_time".into(), what: error.to_string() });
    }
    match host_facts(database) {
        Ok(host) => out.host = host,
        Err(error) => out.errors.push(ErrorNote { place: "host".into(), what: error.to_string() }),
    }
    out.ledger = ledger::build(database);
    match vitals::of(database) {
        Ok(vitals) => out.vitals = vitals,
        Err(error) => out.errors.push(ErrorNote { place: "vitals".into(), what: error.to_string() }),
    }
    if is_recording(capture) {
        match profile_vitals::of(database) {
            Ok(profile) => out.vitals.profile = profile,
            Err(error) => out.errors.push(ErrorNote { place: "profile".into(), what: error.to_string() }),
        }
        match profile_vitals::waits(database) {
            Ok(waits) => out.vitals.waits = waits,
            Err(error) => out.errors.push(ErrorNote { place: "waits".into(), what: error.to_string() }),
        }
        match cpu_use::of(database) {
            Ok(cpu_use) => out.cpu_use = cpu_use,
            Err(error) => out.errors.push(ErrorNote { place: "cpu_use".into(), what: error.to_string() }),
        }
    }
    match command::summary(database) {
        Ok(command) => out.command = command,
        Err(error) => out.errors.push(ErrorNote { place: "command".into(), what: error.to_string() }),
    }
    let mut drafts = Vec::new();
    for rule in rules.rules.iter().filter(|rule| !rule.after_others) {
        drafts.extend(answer_of(rule, capture, database, asked.clock, &mut out));
    }
    name_apart(&mut drafts);
    let mut drafts = in_order(drafts);
    let mut accounted = accounts::of(&drafts, database, &mut out.errors);
    accounted.extend_from_slice(asked.accounted);
    out.ledger.explained = accounts::explained(&accounted, out.ledger.waiting_seconds);
    drafts.extend(after_others(rules, capture, database, asked, &accounted, &mut out));
    let ranked = rank(drafts);
    out.measured = ranked.iter().map(|one| (one.finding.key.clone(), one.measured)).collect();
    out.findings = ranked.into_iter().map(|one| one.finding).collect();
    out
}

/// What rules find that ask what the others have left.
fn after_others<'a>(
    rules: &'a Ruleset,
    capture: &Capture,
    database: &Database,
    asked: &Asked<'_>,
    accounted: &[Accounted],
    out: &mut Diagnosis,
) -> Vec<Draft<'a>> {
    let examined = asked.focus.and_then(Focus::subject);
    let examined = examined.as_ref().map(|(kind, name)| (*kind, name.as_str()));
    if let Err(error) = accounts::define_views(accounted, examined, database) {
        out.errors.push(ErrorNote { place: "accounted".into(), what: error.to_string() });
        return Vec::new();
    }
    let mut drafts = Vec::new();
    for rule in rules.rules.iter().filter(|rule| rule.after_others) {
        drafts.extend(answer_of(rule, capture, database, asked.clock, out));
    }
    if !drafts.is_empty() {
        let relations = accounts::relations(accounted, examined);
        for Draft { finding, rule, .. } in &mut drafts {
            let subject = &finding.subject;
            finding.query = finding_query_with(&relations, &rule.sql, &subject.kind, &subject.name);
        }
    }
    name_apart(&mut drafts);
    drafts
}

/// What one rule found; where it found nothing, why goes into the diagnosis.
fn answer_of<'a>(
    rule: &'a Rule,
    capture: &Capture,
    database: &Database,
    clock: Option<fn() -> u64>,
    out: &mut Diagnosis,
) -> Vec<Draft<'a>> {
    let clock = clock.unwrap_or(|| 0);
    let begun = clock();
    let mut drafts = Vec::new();
    match run(rule, capture, database) {
        Ok(Outcome::Found(found)) => drafts = found,
        Ok(Outcome::RuledOut(why)) => out.ruled_out.push(RuledOut { id: rule.id.clone(), why }),
        Ok(Outcome::NotChecked(not_checked)) => out.not_checked.push(not_checked),
        Err(error) => {
            out.errors.push(ErrorNote { place: format!("rule {}", rule.named()), what: error.to_string() });
        }
    }
    let cpu_s = clock().saturating_sub(begun) as f64 / 1e9;
    out.rule_costs.push(RuleCost { id: rule.id.clone(), cpu_s });
    drafts
}

enum Outcome<'a> {
    Found(Vec<Draft<'a>>),
    RuledOut(String),
    NotChecked(NotChecked),
}

fn run<'a>(rule: &'a Rule, capture: &Capture, database: &Database) -> Result<Outcome<'a>, SqlError> {
    let mut answer = Outcome::Found(Vec::new());
    let mut rules_out = false;
    for question in questions(rule, capture) {
        let next = ask(question, capture, database)?;
        if matches!(next, Outcome::Found(_)) {
            return Ok(next);
        }
        let remains = rules_out && matches!((&answer, &next), (Outcome::RuledOut(_), Outcome::NotChecked(_)));
        if !remains {
            answer = next;
        }
        rules_out = question.rules_out;
    }
    let Some(question) = of_moment(rule, capture) else { return Ok(answer) };
    Ok(match (ask(question, capture, database)?, answer) {
        (found @ Outcome::Found(_), _) => found,
        (Outcome::RuledOut(why), Outcome::NotChecked(_)) if question.rules_out => {
            Outcome::RuledOut(format!("{why}, at one moment"))
        }
        (_, answer) => answer,
    })
}

fn ask<'a>(rule: &'a Rule, capture: &Capture, database: &Database) -> Result<Outcome<'a>, SqlError> {
    if let Some(not_checked) = lacking(capture, rule) {
        return Ok(Outcome::NotChecked(not_checked));
    }
    let considered = Row::all(database.query(&rule.considered)?);
    if considered.is_empty() {
        return Ok(Outcome::NotChecked(NotChecked {
            id: rule.id.clone(),
            missing: "no such activity in this window".to_string(),
            how: rule.supplied_by.clone(),
        }));
    }
    if let Some(first_look) = &rule.first_look
        && database.query(first_look)?.rows.is_empty()
    {
        return Ok(nothing_found(rule, capture, &considered));
    }
    let mut found = database.query(&rule.sql)?;
    if found.rows.is_empty() {
        return Ok(nothing_found(rule, capture, &considered));
    }
    found.rows.truncate(MOST_FINDINGS_OF_A_RULE);
    let culprits = linked(&rule.culprits, &found, database)?;
    let victims = linked(&rule.victims, &found, database)?;
    let around = Circumstances {
        // Of a recording everything is read that is in it; that nothing is known of tasks is in the
        // confidence of each question.
        coverage: if is_recording(capture) { 1.0 } else { capture.coverage },
        window_s: window_s(capture, database)?,
        is_recording: is_recording(capture),
        columns_missing: rule.better_with.iter().filter(|name| is_missing(capture, name)).count(),
    };
    let drafts = Row::all(found).into_iter().map(|row| draft(rule, row, &culprits, &victims, around));
    Ok(Outcome::Found(drafts.collect()))
}

/// Length of the window. Where intervals are not known durations are numbers of samples, and so is that: some rows of such
/// a recording may have times, hours apart.
fn window_s(capture: &Capture, database: &Database) -> Result<f64, SqlError> {
    if capture.timing.has_intervals {
        return Ok(capture.secs());
    }
    let span = Row::all(database.query("select samples from window_span")?);
    let samples = span.first().and_then(|row| row.number("samples"));
    Ok(samples.map_or(capture.secs(), |samples| samples.max(1.0).min(capture.secs().max(1.0))))
}

/// Ruled out, where enough was seen for that.
fn nothing_found<'a>(rule: &Rule, capture: &Capture, considered: &[Row]) -> Outcome<'a> {
    match blind(capture, rule) {
        Some(not_checked) => Outcome::NotChecked(not_checked),
        None => Outcome::RuledOut(checked(considered)),
    }
}

fn linked(sql: &Option<String>, found: &Answer, database: &Database) -> Result<Vec<Row>, SqlError> {
    match sql {
        Some(sql) => Ok(Row::all(database.query_once(&linked_query(sql, &found.columns, &found.rows))?)),
        None => Ok(Vec::new()),
    }
}

/// "3 devices checked: sda, sdb, sdc".
fn checked(considered: &[Row]) -> String {
    let kind = considered[0].text("subject_kind").unwrap_or_default();
    let names: Vec<String> =
        considered.iter().filter_map(|row| row.text("subject_name")).take(MOST_SUBJECTS_NAMED).collect();
    let more = considered.len().saturating_sub(names.len());
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    match considered.len() {
        1 => format!("{kind} {} checked", names.join(", ")),
        count => format!("{count} {} checked: {}{tail}", plural(&kind), names.join(", ")),
    }
}

fn plural(kind: &str) -> String {
    if kind.ends_with('s') { format!("{kind}es") } else { format!("{kind}s") }
}
