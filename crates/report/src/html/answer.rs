//! What is wrong: each finding as why, who and what to do; or that nothing needs attention.

use heldup_model::{Colour, Evidence, Examination, Finding, FindingGroup, ImpactKind, Role, Severity};

use super::writer::{Html, name};
use super::{counted, entry, marks, severity};
use crate::TextOptions;
use crate::quantity::percent;
use crate::text::answer::{
    amount, causes, change_in_words, consequences, details, headline, is_idle, member, next, nothing_yet,
    numbered, share, short_name, troubles, who, whose, with_sudo,
};
use crate::text::finding::one_number;
use crate::text::healthy::{most, without_trouble};
use crate::text::{profile, waits};

/// Findings with a card of their own; further ones are a line.
const MOST_CARDS: usize = 12;
/// Numbers that a card names.
const MOST_NUMBERS: usize = 3;
/// Columns that a command of a card may take.
const COLUMNS: usize = 400;

/// The heading of the page: of what, and how bad.
pub(super) fn title(examination: &Examination) -> String {
    let host = match examination.host.name.as_str() {
        "unknown" => "host unknown",
        name => name,
    };
    let troubles = troubles(examination);
    let of = |of: Severity| troubles.iter().filter(|(_, group)| group.severity == of).count();
    let (critical, warnings) = (of(Severity::Critical), of(Severity::Warning));
    let mut parts: Vec<String> = Vec::new();
    if critical > 0 {
        parts.push(counted(critical, "critical finding", "critical findings"));
    }
    if warnings > 0 {
        parts.push(counted(warnings, "warning", "warnings"));
    }
    match parts.is_empty() {
        false => format!("{}: {}", name(host), parts.join(", ")),
        true => format!("{}: {}", name(host), nothing(examination)),
    }
}

fn nothing(examination: &Examination) -> &'static str {
    if profile::is_all(examination) {
        return "profile";
    }
    match without_trouble(examination).iter().rev().find(|line| !line.word.is_empty()).map(|line| line.word) {
        Some("OK") => "no bottleneck",
        Some("IDLE") => "idle",
        Some("UNKNOWN") => "not known",
        _ => "findings in parts of the recording",
    }
}

/// Writes the findings, worst first, then how much was checked.
pub(super) fn write(html: &mut Html, examination: &Examination, options: &TextOptions) {
    html.open("section", &[("aria-labelledby", "wrong")]);
    html.open("h2", &[("id", "wrong")]);
    html.text("What is wrong");
    html.close("h2");
    let troubles = troubles(examination);
    if troubles.is_empty() {
        quiet(html, examination, options);
    }
    for (at, (number, group)) in troubles.iter().take(MOST_CARDS).enumerate() {
        card(html, examination, (*number, group), at == 0, options);
    }
    let rest: Vec<_> = troubles.iter().skip(MOST_CARDS).copied().collect();
    lines(html, examination, &rest);
    let info: Vec<_> = numbered(examination).filter(|(_, group)| group.severity == Severity::Info).collect();
    lines(html, examination, &info);
    html.open("p", &[("class", "second")]);
    html.link("ruled-out", &format!("{} ruled out", examination.ruled_out.len()));
    html.text(", ");
    html.link("not-checked", &format!("{} not checked", examination.not_checked.len()));
    html.text(&format!(
        " of {} rules.",
        examination.ruled_out.len() + examination.not_checked.len() + found_rules(examination)
    ));
    html.close("p");
    html.close("section");
}

fn found_rules(examination: &Examination) -> usize {
    let mut ids: Vec<&str> = examination.findings.iter().map(|finding| finding.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

/// Nothing needs attention.
fn quiet(html: &mut Html, examination: &Examination, options: &TextOptions) {
    if profile::is_all(examination) {
        of_profile(html, examination, options);
        return;
    }
    html.open("dl", &[]);
    let mut word = "";
    for line in without_trouble(examination) {
        word = if line.word.is_empty() { word } else { line.word };
        entry(html, if line.word.is_empty() { "" } else { word }, &line.text);
    }
    entry(html, "most", &most(examination).unwrap_or_default());
    html.close("dl");
}

fn of_profile(html: &mut Html, examination: &Examination, options: &TextOptions) {
    html.open("dl", &[]);
    if let Some(of) = &examination.vitals.waits {
        entry(html, "waits", &waits::answer(of));
    }
    if let Some(of) = &examination.vitals.profile {
        let answer = profile::answer(examination, of);
        entry(html, "profile", &answer.text);
        entry(html, "path", answer.path.unwrap_or_default());
        entry(html, "from", answer.callers.unwrap_or_default());
        entry(html, "do", answer.remedy.unwrap_or_default());
        if answer.finding.is_some() {
            entry(html, "more", &with_sudo("heldup explain 1", options));
        }
    }
    html.close("dl");
}

/// One finding: how bad, what, why, who, what to do.
fn card(
    html: &mut Html,
    examination: &Examination,
    (number, group): (usize, &FindingGroup),
    is_first: bool,
    options: &TextOptions,
) {
    let Some(first) = member(examination, group) else { return };
    let id = format!("card-{number}");
    let class = if is_first { "first" } else { "" };
    html.open("article", &[("class", class), ("aria-labelledby", &id)]);
    html.open("p", &[("class", "row")]);
    severity(html, group.severity);
    if let Some(share) = share(examination, group) {
        html.put("strong", if is_first { "share" } else { "" }, &share);
        html.put("span", "second", &format!("of {}", whose(examination, group)));
    } else if group.impact.kind == ImpactKind::Risk {
        html.put("strong", "", &amount(group));
    }
    html.open("span", &[("class", "second end")]);
    html.link(&format!("finding-{number}"), &format!("{number}: {}", group.id));
    html.close("span");
    html.close("p");
    html.open("h3", &[("id", &id)]);
    html.text(&headline_without_share(examination, group));
    html.close("h3");
    if let Some(cost) = group.cost.filter(|_| is_first && !is_idle(examination)) {
        let bar = marks::parts("bar level", &[(colour(&group.id), cost)], 760.0, 5.0);
        html.picture(&bar.markup);
    }
    html.open("dl", &[]);
    why(html, examination, group, first);
    entry(html, "who", &who(first));
    action(html, examination, group, first, options);
    html.close("dl");
    html.close("article");
}

/// The title; its share stands above it.
pub(super) fn headline_without_share(examination: &Examination, group: &FindingGroup) -> String {
    let all = headline(examination, group, false);
    let known = share(examination, group);
    let is_share =
        |inner: &str| known.as_deref().is_some_and(|share| inner.split(", ").next() == Some(share));
    match all.rfind(" (") {
        Some(at) if all.ends_with(')') && is_share(&all[at + 2..all.len() - 1]) => {
            match all[at + 2..all.len() - 1].split_once(", ") {
                Some((_, follows)) => format!("{} ({follows})", &all[..at]),
                None => all[..at].to_owned(),
            }
        }
        _ => all,
    }
}

/// What it follows from, and the numbers that show it.
fn why(html: &mut Html, examination: &Examination, group: &FindingGroup, first: &Finding) {
    let causes = causes(examination, group);
    let details: Vec<&str> = details(examination, group).collect();
    let numbers: Vec<String> = telling(&first.evidence).take(MOST_NUMBERS).map(one_number).collect();
    if causes.is_empty() && details.is_empty() && numbers.is_empty() {
        return;
    }
    html.put("dt", "", "why");
    html.open("dd", &[]);
    for (number, cause) in causes {
        html.open("p", &[]);
        html.text("follows from ");
        html.link(&format!("finding-{number}"), &format!("{number} ({})", short_name(&cause.id)));
        html.close("p");
    }
    details.iter().for_each(|detail| html.put("p", "", detail));
    if !numbers.is_empty() {
        html.put("p", "", &numbers.join(" · "));
    }
    html.close("dd");
}

/// Numbers with a limit first: they are why it is a finding.
fn telling(all: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    let (with, without): (Vec<&Evidence>, Vec<&Evidence>) = all.iter().partition(|one| one.limit.is_some());
    with.into_iter().chain(without)
}

/// What to do: the change with its undo, why there is none yet, or the next step.
fn action(
    html: &mut Html,
    examination: &Examination,
    group: &FindingGroup,
    first: &Finding,
    options: &TextOptions,
) {
    let has_others = troubles(examination).len() > 1;
    match first.changes.first() {
        Some(change) if has_others && !change.worsens.is_empty() => {
            entry(html, "do", &nothing_yet(examination, change));
        }
        Some(change) => {
            html.put("dt", "", "do");
            html.open("dd", &[]);
            html.put("p", "", &consequences(change));
            match change.command.trim() {
                "" => html.put("p", "", &change_in_words(change)),
                command => html.command(&with_sudo(command, options)),
            }
            html.close("dd");
        }
        None => {
            let step = next(first, COLUMNS, options);
            let is_command = first.next.iter().any(|one| with_sudo(one.command.trim(), options) == step);
            if step.is_empty() {
                let number = numbered(examination).find(|(_, other)| other.key == group.key);
                let command = number.map(|(number, _)| format!("heldup explain {number}"));
                return entry(
                    html,
                    "next",
                    &command.map(|command| with_sudo(&command, options)).unwrap_or_default(),
                );
            }
            html.put("dt", "", "next");
            html.open("dd", &[]);
            let text = first.next.iter().find(|one| with_sudo(one.command.trim(), options) == step);
            if let Some(text) = text.map(|one| one.text.trim()).filter(|text| !text.is_empty() && is_command)
            {
                html.put("p", "", text);
            }
            if is_command {
                html.command(&step)
            } else {
                html.put("p", "", &step)
            }
            html.close("dd");
        }
    }
}

/// Findings in a line each.
fn lines(html: &mut Html, examination: &Examination, groups: &[(usize, &FindingGroup)]) {
    if groups.is_empty() {
        return;
    }
    html.open("ul", &[]);
    for (number, group) in groups {
        html.open("li", &[("class", "row")]);
        severity(html, group.severity);
        html.link(&format!("finding-{number}"), &headline(examination, group, false));
        let amount = amount(group);
        if !amount.is_empty() {
            html.put("span", "second end", &amount);
        }
        html.close("li");
    }
    html.close("ul");
}

/// The colour of a finding: its resource.
pub(super) fn colour(id: &str) -> Colour {
    use heldup_model::Area;
    let role = match (Area::of_rule(id), id) {
        (_, "cpu.saturated" | "cpu.throttled" | "cpu.placement") => Role::Queue,
        (Some(Area::Cpu), _) => Role::Cpu,
        (Some(Area::Mem), _) => Role::Memory,
        (Some(Area::Disk | Area::Fs), _) => Role::Disk,
        (Some(Area::Net), _) => Role::Remote,
        (Some(Area::Lock), _) => Role::Lock,
        (Some(Area::Db), _) => Role::Disk,
        (Some(Area::Limit), _) | (None, _) => Role::Unknown,
    };
    Colour::of(role)
}

/// A share as a part of a whole that a reader knows.
pub(super) fn share_of_active(cost: Option<f64>) -> String {
    cost.map(|cost| format!("{} of active time", percent(cost))).unwrap_or_default()
}
