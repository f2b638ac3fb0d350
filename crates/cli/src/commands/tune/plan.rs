//! `heldup tune plan SETTING=VALUE…`: what a change would do, without making it.

use std::fmt::Write;

use heldup_model::{CoupledSetting, PlannedChange, TUNE_PLAN_SCHEMA, TunePlanAnswer};
use heldup_report::{harmless, setting_changes};
use heldup_tune::{BootFile, Coupled, Plan, Planned, Tunable};

use super::change_args::PlanArgs;
use super::changed_host::print;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal;
use heldup_engine::changed::ChangedHost;

/// Shows the difference that a change would make.
pub fn run(args: &PlanArgs) -> anyhow::Result<Exit> {
    let changed = ChangedHost::live();
    let plan = changed.plan(&args.assignments, args.persist)?;
    show(&changed, &plan, args.format, "heldup tune apply makes it")
}

/// Shows a plan, whoever made it; `how` says what makes it.
pub fn show(changed: &ChangedHost, plan: &Plan, format: Format, how: &str) -> anyhow::Result<Exit> {
    match format {
        Format::Text => print(&text(changed, plan, how)),
        Format::Json => print!("{}", setting_changes::json(&answer(changed, plan))),
    }
    Ok(if plan.refused().next().is_some() { Exit::COULD_NOT } else { Exit::DONE })
}

/// A plan for people.
pub fn text(changed: &ChangedHost, plan: &Plan, how: &str) -> String {
    let mut out = String::new();
    for planned in &plan.changes {
        out.push_str(&page(changed.catalogue.find(&planned.tunable), planned));
    }
    let refused = plan.refused().count();
    let changing = plan.changes.iter().filter(|planned| planned.is_change()).count();
    let end = match (refused, changing) {
        (0, 0) => "Everything has its value already.".to_owned(),
        (0, _) => format!("Nothing is changed by this; {how}."),
        _ => "It would be refused, and nothing changed.".to_owned(),
    };
    let _ = writeln!(out, "{end}");
    out
}

/// One setting of a plan.
fn page(tunable: Option<&Tunable>, planned: &Planned) -> String {
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
        let how = tunable.and_then(|tunable| tunable.interacts.iter().find(|with| with.id == other.tunable));
        let how = how.map_or(String::new(), |with| format!(": {}", with.how));
        let now = other.value.as_deref().unwrap_or("without a value");
        line("may move", &format!("{} ({now}){how}", other.instance.key));
    }
    if let Some(tunable) = tunable.filter(|_| planned.is_change()) {
        line("risk", &format!("{}: {}", tunable.level.word(), tunable.risk));
        line("leave it", &tunable.leave);
    }
    if let Some(file) = planned.persist.then(|| BootFile::of(&planned.instance, &planned.to).ok()).flatten() {
        line("at boot", &format!("{}: {}", file.path, file.line));
    }
    out.push('\n');
    out
}

fn answer(changed: &ChangedHost, plan: &Plan) -> TunePlanAnswer {
    TunePlanAnswer {
        schema: TUNE_PLAN_SCHEMA.to_owned(),
        changes: plan.changes.iter().map(|planned| change(changed, planned)).collect(),
    }
}

fn change(changed: &ChangedHost, planned: &Planned) -> PlannedChange {
    let tunable = changed.catalogue.find(&planned.tunable);
    let coupled =
        |other: &Coupled| CoupledSetting { setting: other.instance.key.clone(), value: other.value.clone() };
    let said = |refuses: bool| {
        let said = planned.objections.iter().filter(|objection| objection.refuses == refuses);
        said.map(|objection| objection.what.clone()).collect()
    };
    PlannedChange {
        setting: planned.instance.key.clone(),
        tunable: planned.tunable.clone(),
        path: planned.instance.path.clone(),
        from: planned.from.clone(),
        to: planned.to.clone(),
        is_change: planned.is_change(),
        persist: planned.persist,
        coupled: planned.coupled.iter().map(coupled).collect(),
        refused: said(true),
        warnings: said(false),
        risk_level: tunable.map(|tunable| tunable.level.word().to_owned()),
        risk: tunable.map(|tunable| tunable.risk.clone()),
        leave: tunable.map(|tunable| tunable.leave.clone()),
    }
}
