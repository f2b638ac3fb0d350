//! What `heldup --format json` answers is what docs/reference/examination-1.schema.json says, and
//! lines of `heldup watch --json` what watch-1.schema.json says, and so `heldup compare`. Timelines
//! are checked where there is an archive, experiments where one is made.

use std::ffi::OsStr;

use anyhow::{Context, Result, anyhow, ensure};
use heldup_testkit::heldup::Heldup;
use jsonschema::Validator;
use libtest_mimic::Trial;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/reference/examination-1.schema.json");
const WATCH_SCHEMA: &str = include_str!("../../docs/reference/watch-1.schema.json");
const COMPARISON_SCHEMA: &str = include_str!("../../docs/reference/comparison-1.schema.json");
const EXPERIMENT_SCHEMA: &str = include_str!("../../docs/reference/experiment-1.schema.json");
const AUDIT_SCHEMA: &str = include_str!("../../docs/reference/audit-1.schema.json");
const SETTINGS_SCHEMA: &str = include_str!("../../docs/reference/settings-1.schema.json");
const TUNE_SCHEMAS: [(&str, &str); 4] = [
    ("heldup/tune-apply/1", include_str!("../../docs/reference/tune-apply-1.schema.json")),
    ("heldup/tune-plan/1", include_str!("../../docs/reference/tune-plan-1.schema.json")),
    ("heldup/tune-status/1", include_str!("../../docs/reference/tune-status-1.schema.json")),
    ("heldup/tune-undo/1", include_str!("../../docs/reference/tune-undo-1.schema.json")),
];
const TIMELINE_SCHEMA: &str = include_str!("../../docs/reference/timeline-1.schema.json");

pub fn trials() -> Vec<Trial> {
    vec![crate::trial("json_schema::answers".to_owned(), &[], answers_keep_to_the_schema)]
}

/// A schema that allows no field that it does not name: to readers more may come, but what
/// this version writes is told.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            object.values_mut().for_each(strict);
        }
        Value::Array(array) => array.iter_mut().for_each(strict),
        _ => {}
    }
}

/// A schema, strict.
fn validator(schema: &str) -> Result<Validator> {
    let mut schema: Value = serde_json::from_str(schema)?;
    strict(&mut schema);
    jsonschema::validator_for(&schema).map_err(|error| anyhow!("the schema: {error}"))
}

/// That an answer is what a schema says.
fn keeps_to(validator: &Validator, answer: &Value) -> Result<()> {
    let complaints: Vec<String> =
        validator.iter_errors(answer).map(|error| format!("{}: {error}", error.instance_path)).collect();
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(())
}

/// That an answer is an examination as the schema says.
pub fn is_an_examination(answer: &Value) -> Result<()> {
    keeps_to(&validator(SCHEMA)?, answer).context("no heldup/examination/1")
}

/// That an answer is an experiment as the schema says, which refuses what is none.
pub fn is_an_experiment(answer: &Value) -> Result<()> {
    let validator = validator(EXPERIMENT_SCHEMA)?;
    keeps_to(&validator, answer).context("no heldup/experiment/1")?;
    let mut wrong = answer.clone();
    wrong["unheard_of"] = Value::Null;
    ensure!(!validator.is_valid(&wrong), "a field that is not told is allowed");
    Ok(())
}

/// That an answer is an audit of settings as the schema says.
pub fn is_an_audit(answer: &Value) -> Result<()> {
    keeps_to(&validator(AUDIT_SCHEMA)?, answer).context("no heldup/audit/1")
}

/// That an answer is one about settings as the schema says.
pub fn is_an_answer_about_settings(answer: &Value) -> Result<()> {
    keeps_to(&validator(SETTINGS_SCHEMA)?, answer).context("no heldup/settings/1")
}

/// That an answer is what a command that changes settings says, by the schema that it names.
pub fn is_an_answer_of_changes(answer: &Value) -> Result<()> {
    let name = answer["schema"].as_str().unwrap_or_default();
    let (_, schema) =
        TUNE_SCHEMAS.iter().find(|(known, _)| *known == name).with_context(|| name.to_owned())?;
    keeps_to(&validator(schema)?, answer).with_context(|| format!("no {name}"))
}

/// That an answer is a timeline as the schema says, which refuses what is none.
pub fn is_a_timeline(answer: &Value) -> Result<()> {
    let validator = validator(TIMELINE_SCHEMA)?;
    keeps_to(&validator, answer).context("no heldup/timeline/1")?;
    let mut wrong = answer.clone();
    wrong["unheard_of"] = Value::Null;
    ensure!(!validator.is_valid(&wrong), "a field that is not told is allowed");
    Ok(())
}

fn answers_keep_to_the_schema() -> Result<()> {
    let validator = validator(SCHEMA)?;
    let heldup = Heldup::found()?;
    let spin = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let machine = ["--for", "1s", "--format", "json"];
    let sampled = ["--for", "1s", "--method", "sampling", "--format", "json"];
    let command = ["--format", "json", "--", "sh", "-c", spin];
    for arguments in [&machine[..], &sampled, &command, &["@last", "--format", "json"]] {
        let output = heldup.run(&arguments.iter().map(OsStr::new).collect::<Vec<_>>())?;
        let answer: Value = serde_json::from_slice(&output.stdout).context("no JSON")?;
        keeps_to(&validator, &answer).with_context(|| format!("{arguments:?}"))?;
    }

    lines_of_watch_keep_to_theirs(&heldup)?;
    a_comparison_keeps_to_its(&heldup)?;

    // It must be able to fail.
    let mut wrong: Value = serde_json::json!({ "schema": "heldup/examination/2" });
    ensure!(!validator.is_valid(&wrong), "anything keeps to it");
    wrong["unheard_of"] = Value::Null;
    let named = validator.iter_errors(&wrong).any(|error| error.to_string().contains("unheard_of"));
    ensure!(named, "a field that is not told is allowed");
    Ok(())
}

/// Everything that is found is told in each window; the last line is the summary.
fn lines_of_watch_keep_to_theirs(heldup: &Heldup) -> Result<()> {
    let validator = validator(WATCH_SCHEMA)?;
    let words = [
        "watch",
        "--interval",
        "1s",
        "--for",
        "2s",
        "--raise-after",
        "1/1",
        "--min-severity",
        "info",
        "--json",
    ];
    let output = heldup.run(&words)?;
    let text = String::from_utf8(output.stdout)?;
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))?;
        keeps_to(&validator, &value).with_context(|| line.to_owned())?;
    }
    let last: Value = serde_json::from_str(text.lines().last().context("watch said nothing")?)?;
    ensure!(last["event"] == "summary" && last["summary"]["windows"] == 2, "{last}");
    Ok(())
}

fn a_comparison_keeps_to_its(heldup: &Heldup) -> Result<()> {
    let validator = validator(COMPARISON_SCHEMA)?;
    let output = heldup.run(&["compare", "@last", "@last", "--format", "json"].map(OsStr::new))?;
    let answer: Value = serde_json::from_slice(&output.stdout).context("no JSON")?;
    keeps_to(&validator, &answer)?;
    // A second is too short to judge anything, and that is said.
    ensure!(answer["settings"] == serde_json::json!([]), "{}", answer["settings"]);
    ensure!(answer["ledger"].as_array().is_some_and(|classes| !classes.is_empty()), "no ledger");
    let notes = answer["notes"].to_string();
    ensure!(notes.contains("needed to judge"), "{notes}");
    ensure!(answer["verdict"] == "undecided", "{}", answer["verdict"]);
    Ok(())
}
