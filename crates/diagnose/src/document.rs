//! The rule document: what one file `rules/<area>/<id>.toml` may say.
//!
//! A rule is a page that somebody reads at three in the morning and SQL that somebody
//! else changes in two years; both are in the same file. Unknown keys are errors with
//! file and line, because a misspelt key would otherwise be a rule that never speaks.

use heldup_model::{Class, ImpactKind, Resource};
use serde::Deserialize;

use crate::template::Template;

/// Something wrong in a rule or case document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct RuleError {
    /// File, with the line where there is one.
    pub place: String,
    /// What was found and what was expected.
    pub what: String,
}

/// Most characters of a rule's summary.
const MOST_OF_A_SUMMARY: usize = 60;

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The program came with it.
    #[default]
    BuiltIn,
    /// The machine's own: `/etc/heldup/rules`.
    Machine,
    /// The user's own: `heldup/rules` in the configuration folder.
    User,
    /// A file or folder that was named on the command line.
    Named,
}

impl Origin {
    /// One word for lists.
    pub fn word(self) -> &'static str {
        match self {
            Origin::BuiltIn => "built-in",
            Origin::Machine => "machine",
            Origin::User => "user",
            Origin::Named => "named",
        }
    }
}

/// One rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Public id, `area.name`; never changes its meaning.
    pub id: String,
    /// Its file.
    #[serde(skip)]
    pub place: String,
    /// Where it comes from.
    #[serde(skip)]
    pub origin: Origin,
    /// It takes the place of a rule of the same id that comes from elsewhere; without this
    /// word it must not, because somebody reads the id and believes to know what was asked.
    #[serde(default)]
    pub replaces: bool,
    /// One line that says the finding.
    pub title: Template,
    /// What the rule is about, for lists; at most 60 characters.
    pub summary: String,
    /// Kind of harm; a column `impact_kind` of the answer may say otherwise for a row.
    pub impact: ImpactKind,
    /// What it means and why it matters.
    pub meaning: String,
    /// How it is decided, with the reason for each number.
    pub decided: String,
    /// When not to believe it.
    pub when_wrong: String,
    /// Where to read more.
    pub references: Vec<String>,
    /// Columns, as `table.column`, without which nothing can be said.
    pub needs: Vec<ColumnName>,
    /// Classes of time that the time accounting must distinguish: without eBPF most
    /// cannot be, and a rule about them must not answer *ruled out*.
    #[serde(default)]
    pub needs_classes: Vec<Class>,
    /// Columns that sharpen the answer; each that is missing lowers the confidence.
    #[serde(default)]
    pub better_with: Vec<ColumnName>,
    /// Columns without which a rule that found nothing has not ruled anything out.
    #[serde(default)]
    pub rules_out_with: Vec<ColumnName>,
    /// What would supply the needed columns where they are missing.
    pub supplied_by: String,
    /// Ids of the figures that show it; of those with a frame for each device, the one of the subject.
    #[serde(default)]
    pub figures: Vec<String>,
    /// SQL: one row for each subject with enough samples; `subject_kind`, `subject_name`.
    pub considered: String,
    /// SQL, cheap: without a row in the answer the rule is ruled out and `sql` is not
    /// even prepared. Most rules find nothing on most machines, and preparing a long
    /// query costs ten times as much as this one.
    pub first_look: Option<String>,
    /// SQL: one row for each finding; its columns are listed in `docs/rules.md`.
    pub sql: String,
    /// SQL: who causes it; linked by `subject_name`.
    pub culprits: Option<String>,
    /// SQL: who suffers from it; linked by `subject_name`.
    pub victims: Option<String>,
    /// SQL: which time of `task_time` a finding accounts for; linked by `subject_name`.
    pub accounts: Option<String>,
    /// It is asked after all others, when the view `accounted` has what their findings account for.
    #[serde(default)]
    pub after_others: bool,
    /// The numbers that are shown, in order.
    #[serde(default)]
    pub evidence: Vec<EvidenceColumn>,
    /// Columns without which a number that is shown is another one, and no less true.
    #[serde(default)]
    pub without: Vec<Without>,
    /// Findings that would explain this one.
    #[serde(default)]
    pub symptom_of: Vec<SymptomOf>,
    /// Next steps.
    #[serde(default)]
    pub next: Vec<NextTemplate>,
    /// What to change, where that is known.
    #[serde(default)]
    pub changes: Vec<ChangeTemplate>,
    /// Resources of which the machine has too little where this is found: a change that takes more of them
    /// makes it worse. A finding about a control group is about that group's share alone, and counts for none.
    #[serde(default)]
    pub exhausts: Vec<Resource>,
    /// Its question for recordings of tools that know no waits, as it stands in the document.
    pub recording: Option<Recording>,
    /// The rule with that question in the place of its own.
    #[serde(skip)]
    pub on_recordings: Option<Box<Rule>>,
    /// Its question for listings of one moment, as it stands in the document.
    pub moment: Option<Recording>,
    /// The rule with that question in the place of its own.
    #[serde(skip)]
    pub on_moments: Option<Box<Rule>>,
    /// Of such a rule: it is asked beside the one that it was made of.
    #[serde(skip)]
    pub beside: bool,
    /// Of such a rule: what it rules out remains ruled out if the original rule is not checked.
    #[serde(skip)]
    pub rules_out: bool,
}

/// The tables `[recording]` and `[moment]` of a rule document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Asked beside the rule's own question, which speaks where this one finds nothing.
    #[serde(default)]
    pub beside: bool,
    /// With `beside`: what this question rules out remains ruled out if the rule's own question, which uses other
    /// tables, is not checked.
    #[serde(default)]
    pub rules_out: bool,
    /// One line that says the finding.
    pub title: Template,
    /// How it is decided, with the reason for each number.
    pub decided: String,
    /// Columns without which nothing can be said.
    pub needs: Vec<ColumnName>,
    /// SQL: one row for each subject that could be judged.
    pub considered: String,
    /// SQL: one row for each finding.
    pub sql: String,
    /// SQL: who causes it, where the recording knows.
    pub culprits: Option<String>,
    /// The numbers that are shown, in order.
    #[serde(default)]
    pub evidence: Vec<EvidenceColumn>,
    /// Next steps.
    #[serde(default)]
    pub next: Vec<NextTemplate>,
}

/// A column of a table, `table.column`; checked against the declared tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ColumnName {
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
}

impl TryFrom<String> for ColumnName {
    type Error = String;

    fn try_from(name: String) -> Result<ColumnName, String> {
        let Some((table, column)) = name.split_once('.') else {
            return Err(format!("{name:?} is not table.column"));
        };
        let Some(def) = heldup_model::tables::find(table) else {
            return Err(format!("no table {table:?}; heldup tables lists them"));
        };
        if !def.all_columns().any(|c| c.name == column) {
            return Err(format!("table {table} has no column {column:?}; heldup tables {table} lists them"));
        }
        Ok(ColumnName { table: table.to_string(), column: column.to_string() })
    }
}

impl std::fmt::Display for ColumnName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.table, self.column)
    }
}

/// A column of the answer that is shown as evidence.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceColumn {
    /// Column of the answer; a NULL is left out.
    pub column: String,
    /// What it is, in words.
    pub name: String,
    /// Unit of the value.
    pub unit: String,
    /// The level that the rule holds it against.
    pub limit: Option<f64>,
}

/// A column without which a number that is shown is another one: `heldup rules test --unmeasured` allows it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Without {
    /// `table.column`, or table and counter: `net_proto TcpOutSegs`.
    pub column: String,
    /// Why the other number is true.
    pub why: String,
}

/// A finding that would explain this one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymptomOf {
    /// Id of the cause.
    pub id: String,
    /// Column that both answers have and in which they share a word (a device, a
    /// process); without it any finding of that id explains this one.
    pub same: Option<String>,
    /// The cause says more about this finding and is no trouble beside it: it stands below it.
    #[serde(default)]
    pub detail: bool,
}

/// A next step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextTemplate {
    /// Why.
    pub text: Template,
    /// Command; left out when one of its columns is NULL.
    pub command: Template,
    /// Column that must be true.
    pub when: Option<String>,
}

/// A change that is known to help.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeTemplate {
    /// What to change: an id of the catalogue of settings, or a key of one of its devices, processes or
    /// control groups. `heldup tune apply` makes it and `heldup tune undo` undoes it.
    pub tunable: Template,
    /// It is no setting of this system, so that it is made by its command alone.
    #[serde(default)]
    pub advice: bool,
    /// Column with the value now.
    pub from: String,
    /// Value proposed; the change is left out when it is the value now.
    pub to: Template,
    /// What to expect.
    pub expect: Template,
    /// What it may harm.
    pub risk: Template,
    /// Resources of which it leaves less to everybody else.
    #[serde(default)]
    pub takes: Vec<Resource>,
    /// Of advice: the command; the change is left out when one of its columns is NULL.
    pub command: Option<Template>,
    /// Of advice: the command that puts back what is set now; left out when one of its columns is NULL.
    pub undo: Option<Template>,
    /// Column that must be true.
    pub when: Option<String>,
}

impl Rule {
    /// Reads a rule document. `place` is its file, for errors.
    pub fn parse(place: &str, text: &str) -> Result<Rule, RuleError> {
        let mut rule: Rule = parse_toml(place, text)?;
        rule.settle(place)?;
        Ok(rule)
    }

    /// Reads a rule document that was made JSON when the program was built.
    pub(crate) fn parse_json(place: &str, text: &str) -> Result<Rule, RuleError> {
        let wrong =
            |error: serde_json::Error| RuleError { place: place.to_string(), what: error.to_string() };
        let mut rule: Rule = serde_json::from_str(text).map_err(wrong)?;
        rule.settle(place)?;
        Ok(rule)
    }

    /// Takes the place that it was read from, and makes its second question a rule.
    fn settle(&mut self, place: &str) -> Result<(), RuleError> {
        self.check_place(place)?;
        self.on_recordings = self.recording.take().map(|recording| Box::new(recording.of(self)));
        self.on_moments = self.moment.take().map(|moment| Box::new(moment.of(self)));
        self.place = place.to_string();
        Ok(())
    }

    /// The id, with the file if it is not a built-in one.
    pub fn named(&self) -> String {
        match self.origin {
            Origin::BuiltIn => self.id.clone(),
            _ => format!("{} ({})", self.id, self.place),
        }
    }

    /// The part of the id before the point.
    pub fn area(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    /// Every template, with the name of its key.
    pub fn templates(&self) -> Vec<(&'static str, &Template)> {
        let mut all = vec![("title", &self.title)];
        for next in &self.next {
            all.extend([("next.text", &next.text), ("next.command", &next.command)]);
        }
        for change in &self.changes {
            all.extend([
                ("changes.tunable", &change.tunable),
                ("changes.to", &change.to),
                ("changes.expect", &change.expect),
                ("changes.risk", &change.risk),
            ]);
            all.extend(change.command.as_ref().map(|command| ("changes.command", command)));
            all.extend(change.undo.as_ref().map(|undo| ("changes.undo", undo)));
        }
        all
    }

    fn check_place(&self, place: &str) -> Result<(), RuleError> {
        let fail = |what: String| Err(RuleError { place: place.to_string(), what });
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        if self.id.matches('.').count() != 1 || !self.id.chars().all(plain) {
            return fail(format!("id {:?} is not area.name in lower case", self.id));
        }
        let wanted = format!("{}.toml", self.id);
        if place.rsplit('/').next() != Some(&wanted) {
            return fail(format!("the file of {} is named {wanted}, or {}/{wanted}", self.id, self.area()));
        }
        let length = self.summary.chars().count();
        if self.summary.trim().is_empty() || self.summary.contains('\n') || length > MOST_OF_A_SUMMARY {
            return fail(format!(
                "summary has {length} characters: expected one line of at most {MOST_OF_A_SUMMARY}"
            ));
        }
        if let Some(change) = self.changes.iter().find(|change| change.advice != change.command.is_some()) {
            return fail(format!(
                "change of {}: expected either a setting of `heldup tune list`, whose command is made of it, or advice = true and a command",
                change.tunable.source()
            ));
        }
        if self.needs.is_empty() {
            return fail("needs is empty: a rule without needs can never be \"not checked\"".into());
        }
        Ok(())
    }
}

impl Recording {
    /// The rule with this question in the place of its own. Nobody is known who suffers it, and
    /// nothing is proposed: what would help depends on who that is.
    fn of(self, rule: &Rule) -> Rule {
        Rule {
            beside: self.beside,
            rules_out: self.rules_out,
            title: self.title,
            decided: self.decided,
            needs: self.needs,
            considered: self.considered,
            sql: self.sql,
            culprits: self.culprits,
            evidence: self.evidence,
            next: self.next,
            needs_classes: Vec::new(),
            better_with: Vec::new(),
            rules_out_with: Vec::new(),
            first_look: None,
            victims: None,
            accounts: None,
            symptom_of: Vec::new(),
            changes: Vec::new(),
            supplied_by: "a recording that has it, or heldup on that machine".to_owned(),
            ..rule.clone()
        }
    }
}

/// Reads a TOML document; an error names file and line.
pub(crate) fn parse_toml<T: serde::de::DeserializeOwned>(place: &str, text: &str) -> Result<T, RuleError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line =
            error.span().and_then(|span| text.get(..span.start)).map(|head| head.matches('\n').count() + 1);
        RuleError {
            place: line.map_or(place.to_string(), |line| format!("{place}:{line}")),
            what: error.message().to_string(),
        }
    })
}
