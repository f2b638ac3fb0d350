//! Rules in a line each.

use heldup_model::RulesAnswer;

use crate::harmless;

pub use crate::answer_schema::json;

/// Id, area and summary of each, in lines of at most `width` columns.
pub fn list(answer: &RulesAnswer, width: usize) -> String {
    let all = &answer.rules;
    let id_width = all.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in all {
        let area = rule.area.map_or("all", |area| area.name());
        let file = rule.file.as_ref().map(|file| format!(" ({file})")).unwrap_or_default();
        let line = format!("{:<id_width$}  {area:<5}  {}{file}", rule.id, rule.summary);
        out.push_str(&crate::layout::cut(&harmless(&line), width, "…"));
        out.push('\n');
    }
    if all.is_empty() {
        out.push_str("no rule matches\n");
    }
    out
}
