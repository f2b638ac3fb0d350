//! Runs the recorded cases of rules.
//!
//! Every rule has at least one case in which it speaks and one in which it is silent;
//! `heldup rules test` and the tests of this crate run them all.

use std::collections::BTreeSet;

use heldup_archive::Database;
use heldup_model::{Capture, Finding, Severity};

use crate::accounts::Accounted;
use crate::case::{Case, CaseAccounted, Expect};
use crate::diagnosis::Diagnosis;
use crate::document::Rule;
use crate::robust::wobbles;
use crate::ruleset::Ruleset;
use crate::run::diagnose_beside;
use crate::unmeasured::invented;

/// How one case went.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// Rule.
    pub id: String,
    /// Case.
    pub name: String,
    /// What was wrong; none when the rule said what it must.
    pub wrong: Option<String>,
}

impl Ruleset {
    /// Runs every case of every rule; a rule without a firing or a silent case is a
    /// result that went wrong.
    pub fn run_cases(&self) -> Vec<CaseResult> {
        self.rules.iter().flat_map(|rule| self.run_cases_of(rule)).collect()
    }

    /// As [`Ruleset::run_cases`], for one rule of the set.
    pub fn run_cases_of(&self, rule: &Rule) -> Vec<CaseResult> {
        let cases = self.cases.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
        let has = |wanted: &[Expect]| cases.iter().any(|case| wanted.contains(&case.expect));
        let result = |name: &str, wrong| CaseResult { id: rule.id.clone(), name: name.to_string(), wrong };
        let kinds = [("firing", &[Expect::Found][..]), ("silent", &[Expect::Quiet, Expect::RuledOut][..])];
        let lacking = kinds.into_iter().filter(|(_, wanted)| !has(wanted));
        let lacking = lacking.map(|(name, _)| result(name, Some(format!("the rule has no {name} case"))));
        lacking.chain(cases.iter().map(|case| result(&case.name, run(rule, case).err()))).collect()
    }

    /// Whether the answers of the firing cases of a rule stand when the readings are a little different.
    pub fn robustness_of(&self, rule: &Rule) -> Vec<CaseResult> {
        let cases = self.cases.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
        let only = Ruleset { rules: vec![rule.clone()], ..Ruleset::default() };
        let firing = cases.iter().filter(|case| case.expect == Expect::Found);
        let told = |case: &Case| {
            let wobbles = wobbles(&case.capture()?, &only);
            let said: Vec<String> =
                wobbles.iter().map(|wobble| format!("{}: {}", wobble.change, wobble.what)).collect();
            if said.is_empty() { Ok(()) } else { Err(said.join("; ")) }
        };
        firing
            .map(|case| CaseResult { id: rule.id.clone(), name: case.name.clone(), wrong: told(case).err() })
            .collect()
    }

    /// Whether the firing cases of a rule show no number that was not measured, but for what the rule says of itself.
    pub fn unmeasured_of(&self, rule: &Rule) -> Vec<CaseResult> {
        let cases = self.cases.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
        let result = |name: &str, wrong| CaseResult { id: rule.id.clone(), name: name.to_string(), wrong };
        let mut met = BTreeSet::new();
        let mut results = Vec::new();
        for case in cases.iter().filter(|case| case.expect == Expect::Found) {
            let accounted: Vec<Accounted> = case.accounted.iter().map(CaseAccounted::row).collect();
            let capture = match case.capture() {
                Ok(capture) => capture,
                Err(wrong) => {
                    results.push(result(&case.name, Some(wrong)));
                    continue;
                }
            };
            let mut said = Vec::new();
            for one in invented(&capture, rule, &accounted) {
                if rule.without.iter().any(|allowed| allowed.column == one.without) {
                    met.insert(one.without);
                } else {
                    said.push(format!("without {}: {}", one.without, one.what));
                }
            }
            results.push(result(&case.name, (!said.is_empty()).then(|| said.join("; "))));
        }
        let unmet = rule.without.iter().filter(|allowed| !met.contains(&allowed.column));
        results.extend(unmet.map(|allowed| {
            result(
                "without",
                Some(format!("no case shows another number without {}: leave it out", allowed.column)),
            )
        }));
        results
    }
}

fn run(rule: &Rule, case: &Case) -> Result<(), String> {
    let capture = case.capture()?;
    let only = Ruleset { rules: vec![rule.clone()], ..Ruleset::default() };
    let accounted: Vec<Accounted> = case.accounted.iter().map(CaseAccounted::row).collect();
    let answer = diagnose_beside(&capture, &only, &accounted);
    if let Some(error) = answer.errors.first() {
        return Err(format!("{}: {}", error.place, error.what));
    }
    let summary = said(&answer);
    let loud = answer.findings.iter().any(|finding| finding.severity != Severity::Info);
    match (case.expect, answer.findings.first()) {
        (Expect::Found, Some(finding)) => check_finding(case, finding, &capture),
        (Expect::Quiet, _) if !loud && answer.not_checked.is_empty() => Ok(()),
        (Expect::RuledOut, None) if !answer.ruled_out.is_empty() => Ok(()),
        (Expect::NotChecked, None) if !answer.not_checked.is_empty() => Ok(()),
        (expect, _) => Err(format!("expected {expect:?}, the rule said: {summary}")),
    }
}

fn said(answer: &Diagnosis) -> String {
    let found = answer.findings.iter().map(|f| format!("{} {:?} ({:?})", f.key, f.severity, f.title));
    let ruled_out = answer.ruled_out.iter().map(|r| format!("ruled out: {}", r.why));
    let not_checked = answer.not_checked.iter().map(|u| format!("not_checked: {}", u.missing));
    found.chain(ruled_out).chain(not_checked).collect::<Vec<_>>().join("; ")
}

fn check_finding(case: &Case, finding: &Finding, capture: &Capture) -> Result<(), String> {
    let differs =
        |what: &str, wanted: &str, got: &str| Err(format!("{what}: expected {wanted:?}, got {got:?}"));
    if let Some(key) = case.key.as_ref().filter(|key| **key != finding.key) {
        return differs("key", key, &finding.key);
    }
    if let Some(severity) = case.severity.filter(|severity| *severity != finding.severity) {
        let got = format!("{:?}, cost {:?}", finding.severity, finding.cost);
        return differs("severity", &format!("{severity:?}"), &got);
    }
    if let Some(words) = case.says.as_ref().filter(|words| !finding.title.contains(words.as_str())) {
        return differs("title", words, &finding.title);
    }
    let first_change = finding.changes.first().map(|change| change.to.as_str()).unwrap_or_default();
    if let Some(change) = case.change.as_ref().filter(|change| *change != first_change) {
        return differs("change", change, first_change);
    }
    for (what, wanted, named) in
        [("culprits", &case.culprit, &finding.culprits), ("victims", &case.victim, &finding.victims)]
    {
        let names: Vec<&str> = named.iter().map(|task| task.name.as_str()).collect();
        // An empty name: nobody may be named.
        let is_met = |wanted: &str| names.contains(&wanted) || wanted.is_empty() && names.is_empty();
        if let Some(wanted) = wanted.as_ref().filter(|wanted| !is_met(wanted)) {
            return differs(what, wanted, &names.join(", "));
        }
    }
    let database = Database::open(capture).map_err(|error| error.to_string())?;
    match database.query(&finding.query) {
        Ok(shown) if shown.rows.len() == 1 => Ok(()),
        Ok(shown) => Err(format!("the finding's query gives {} rows: {}", shown.rows.len(), finding.query)),
        Err(error) => Err(format!("the finding's query: {error}: {}", finding.query)),
    }
}
