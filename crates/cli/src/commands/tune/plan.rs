//! `heldup tune plan SETTING=VALUE…`: what a change would do, without making it.

use std::fmt::Write;

use heldup_report::harmless;
use heldup_tune::{BootFile, Plan, Planned, Tunable};
use serde_json::{Value, json};

use super::change_args::PlanArgs;
use super::changed_host::{ChangedHost, print, print_json};
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal;

/// Shows the difference that a change would make.
pub fn run(args: &PlanArgs) -> anyhow::Result<Exit> {
    let changed = ChangedHost::live();
    let plan = changed.plan(&args.assignments, args.persist)?;
    match args.format {
        Format::Text => print(&text(&changed, &plan)),
        Format::Json => print_json(&json(&changed, &plan)),
    }
    Ok(if plan.refused().next().is_some() { Exit::COULD_NOT } else { Exit::DONE })
}

/// A plan for people.
pub fn text(changed: &ChangedHost, plan: &Plan) -> String {
    let mut out = String::new();
    for planned in &plan.changes {
        if let Some(tunable) = changed.catalogue.find(&planned.tunable) {
            out.push_str(&page(tunable, planned));
        }
    }
    let refused = plan.refused().count();
    let changing = plan.changes.iter().filter(|planned| planned.is_change()).count();
    let end = match (refused, changing) {
        (0, 0) => "Everything has its value already.".to_owned(),
        (0, _) => "Nothing is changed by this; heldup tune apply makes it.".to_owned(),
        _ => "It would be refused, and nothing changed.".to_owned(),
    };
    let _ = writeln!(out, "{end}");
    out
}

/// One setting of a plan.
fn page(tunable: &Tunable, planned: &Planned) -> String {
    let from = planned.from.as_deref().unwrap_or("cannot be read");
    let already = if planned.is_change() { "" } else { ", its value already" };
    let head = format!("{}: {from} → {}{already}", planned.instance.key, planned.to);
    let mut out = format!("{}\n", harmless(&head));
    let mut line = |title: &str, text: &str| {
        let options = textwrap::Options::new(terminal::width()).subsequent_indent("              ");
        let _ = writeln!(out, "{}", textwrap::fill(&format!("  {title:<10}  {}", harmless(text)), options));
    };
    for objection in &planned.objections {
        line(if objection.refuses { "refused" } else { "but" }, &objection.what);
    }
    for other in &planned.coupled {
        let how = tunable.interacts.iter().find(|with| with.id == other.tunable);
        let how = how.map_or(String::new(), |with| format!(": {}", with.how));
        let now = other.value.as_deref().unwrap_or("without a value");
        line("may move", &format!("{} ({now}){how}", other.instance.key));
    }
    if planned.is_change() {
        line("risk", &format!("{}: {}", tunable.level.word(), tunable.risk));
        line("leave it", &tunable.leave);
    }
    if let Some(file) = planned.persist.then(|| BootFile::of(&planned.instance, &planned.to).ok()).flatten() {
        line("at boot", &format!("{}: {}", file.path, file.line));
    }
    out.push('\n');
    out
}

fn json(changed: &ChangedHost, plan: &Plan) -> Value {
    let changes: Vec<Value> = plan.changes.iter().map(|planned| change(changed, planned)).collect();
    json!({ "schema": "heldup/tune-plan/1", "changes": changes })
}

fn change(changed: &ChangedHost, planned: &Planned) -> Value {
    let tunable = changed.catalogue.find(&planned.tunable);
    let coupled = planned.coupled.iter();
    let coupled: Vec<Value> =
        coupled.map(|other| json!({ "setting": other.instance.key, "value": other.value })).collect();
    let said = |refuses: bool| {
        let said = planned.objections.iter().filter(|objection| objection.refuses == refuses);
        said.map(|objection| objection.what.as_str()).collect::<Vec<_>>()
    };
    json!({
        "setting": planned.instance.key,
        "tunable": planned.tunable,
        "path": planned.instance.path,
        "from": planned.from,
        "to": planned.to,
        "is_change": planned.is_change(),
        "persist": planned.persist,
        "coupled": coupled,
        "refused": said(true),
        "warnings": said(false),
        "risk_level": tunable.map(|tunable| tunable.level.word()),
        "risk": tunable.map(|tunable| &tunable.risk),
        "leave": tunable.map(|tunable| &tunable.leave),
    })
}
