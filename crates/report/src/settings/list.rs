//! Settings in a line each, with value, default and who set them.

use std::fmt::Write;

use heldup_model::{SettingNow, SettingPage, SettingsAnswer};

use super::place;
use crate::harmless;

/// The widest a column of the list is made for others to stand below each other.
const WIDEST: usize = 48;

/// Settings in a line each; `changed` says that only those that somebody set were asked for.
pub fn list(answer: &SettingsAnswer, changed: bool) -> String {
    let mut rows = vec![["setting", "value", "default", "set by"].map(str::to_owned)];
    let mut absent = 0;
    for setting in &answer.settings {
        let instances = setting.instances.as_deref().unwrap_or_default();
        absent += usize::from(instances.is_empty());
        rows.extend(instances.iter().map(|now| row(setting, now)));
    }
    let mut out = columns(&rows);
    if changed && rows.len() == 1 {
        out = "No setting is set by a file or differs from a known default.\n".to_owned();
    }
    if absent > 0 {
        let _ = writeln!(
            out,
            "\n{absent} more are not on this machine, or belong to processes, groups, mounts or boot (heldup tune show ID)"
        );
    }
    out
}

fn row(setting: &SettingPage, now: &SettingNow) -> [String; 4] {
    let value = now.value.as_deref().unwrap_or("cannot be read");
    let default = match (&setting.default, &setting.default_is) {
        (Some(default), _) => default.as_str(),
        (None, Some(_)) => "depends",
        (None, None) => "unknown",
    };
    let dispute = if now.disputed { ", files disagree" } else { "" };
    let line = now.line.as_ref().map(place).unwrap_or_default();
    let by = match now.set_by.as_str() {
        "kernel" => "kernel".to_owned(),
        "file" => line,
        "since_file" => format!("run time, not {line}"),
        "run_time" => "run time".to_owned(),
        _ => String::new(),
    };
    [now.key.clone(), value.to_owned(), default.to_owned(), format!("{by}{dispute}")]
        .map(|cell| harmless(&cell))
}

/// Rows below each other, each column as wide as it needs, up to a limit.
fn columns(rows: &[[String; 4]]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).min(WIDEST);
    let (first, second, third) = (width(0), width(1), width(2));
    let mut out = String::new();
    for [setting, value, default, by] in rows {
        let line = format!("{setting:<first$}  {value:<second$}  {default:<third$}  {by}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn each_setting_has_a_line_and_what_is_not_here_is_counted() {
        let mut answer = samples::answer();
        assert_eq!(
            list(&answer, false),
            "setting        value  default  set by\n\
             vm.swappiness  10     60       /etc/b\\x1b.conf:3, files disagree\n\
             \n1 more are not on this machine, or belong to processes, groups, mounts or boot (heldup tune show ID)\n"
        );
        answer.settings.clear();
        assert_eq!(list(&answer, true), "No setting is set by a file or differs from a known default.\n");
    }
}
