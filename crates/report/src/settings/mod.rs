//! What `heldup tune list` and `show` say: schema `heldup/settings/1`, and lines for people.

mod list;
mod page;

use heldup_model::{SETTINGS_SCHEMA, SettingLine, SettingsAnswer};
use schemars::generate::SchemaSettings;

use crate::json::escaped;

pub use list::list;
pub use page::page;

/// The settings as pretty JSON, with a newline at its end.
pub fn json(answer: &SettingsAnswer) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(answer).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<SettingsAnswer>();
    schema.insert("$id".to_owned(), format!("urn:{}", SETTINGS_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup tune list --json` and `tune show` answer".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Where a line is: `FILE:LINE`.
fn place(line: &SettingLine) -> String {
    format!("{}:{}", line.file, line.line)
}

#[cfg(test)]
mod samples {
    use heldup_model::{SettingNow, SettingPage};

    use super::*;

    /// Two settings: one that two files give different values, one of each process.
    pub fn answer() -> SettingsAnswer {
        let line = |file: &str, value: &str| SettingLine {
            file: file.to_owned(),
            line: 3,
            value: value.to_owned(),
            applied_by: "sysctl".to_owned(),
        };
        let now = SettingNow {
            key: "vm.swappiness".to_owned(),
            path: "/proc/sys/vm/swappiness".to_owned(),
            value: Some("10".to_owned()),
            unread: None,
            set_by: "file".to_owned(),
            line: Some(line("/etc/b\u{1b}.conf", "10")),
            disputed: true,
            assigned: vec![line("/etc/a.conf", "20"), line("/etc/b\u{1b}.conf", "10")],
            by_udev: Vec::new(),
        };
        let swappiness = SettingPage {
            id: "vm.swappiness".to_owned(),
            area: "memory".to_owned(),
            path: Some("/proc/sys/vm/swappiness".to_owned()),
            call: None,
            was: Vec::new(),
            kind: "integer".to_owned(),
            unit: Some("parts".to_owned()),
            min: Some(0),
            max: Some(200),
            count: None,
            ranges: Vec::new(),
            choices: Vec::new(),
            default: Some("60".to_owned()),
            defaults: Vec::new(),
            default_is: None,
            unset: None,
            since: None,
            until: None,
            only: None,
            meaning: "How much swapping costs.".to_owned(),
            up: Some("swaps more".to_owned()),
            down: None,
            choose: None,
            interacts: Vec::new(),
            level: "low".to_owned(),
            risk: "swaps too little".to_owned(),
            leave: "machines without swap".to_owned(),
            references: vec!["proc(5)".to_owned()],
            example: None,
            instances: Some(vec![now]),
        };
        let nice = SettingPage {
            id: "process.nice".to_owned(),
            path: None,
            call: Some("setpriority(2)".to_owned()),
            example: Some("process.1234.nice".to_owned()),
            instances: None,
            ..swappiness.clone()
        };
        SettingsAnswer {
            schema: SETTINGS_SCHEMA.to_owned(),
            release: Some("6.1".to_owned()),
            settings: vec![swappiness, nice],
            notes: Vec::new(),
        }
    }
}
