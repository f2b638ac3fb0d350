//! Lines of other systems, judged with what is known of those.

use super::{Document, GivenLine, JudgedLine, Remark, Target, Verdict};
use crate::outlived::{Outlived, OutlivedSystem, Version};

/// Judges the lines of one file.
pub fn judge(
    known: Option<&OutlivedSystem>,
    file: usize,
    document: &Document,
    target: &Target,
) -> Vec<JudgedLine> {
    let one = |(at, given): (usize, &GivenLine)| {
        let setting = known.and_then(|known| known.find(&given.name));
        let mut remarks = Vec::new();
        if target.to_linux {
            remarks.push(carried(document, setting));
        } else if let (Some(setting), Some(known)) = (setting, known) {
            let release = target.other.as_ref().unwrap_or(&known.newest);
            remarks.extend(of_setting(setting, &given.value, document, release));
        } else {
            let why = format!("not among the known settings of {}", document.system.title());
            remarks.push(Remark { verdict: Verdict::Unknown, why });
        }
        let later = document.lines.iter().skip(at + 1).rfind(|line| line.name == given.name);
        if let Some(later) = later.filter(|later| later.value != given.value) {
            let why = format!("line {} sets it to {}, which overrides it", later.line, later.value);
            remarks.push(Remark { verdict: Verdict::Overridden, why });
        }
        if remarks.is_empty() {
            let why = setting.map_or_else(String::new, |setting| setting.why.clone());
            remarks.push(Remark { verdict: Verdict::Fine, why });
        }
        JudgedLine {
            file,
            line: given.line,
            name: given.name.clone(),
            value: given.value.clone(),
            id: setting.and_then(|setting| setting.linux.first().cloned()),
            remarks,
            references: setting.map(|setting| setting.references.clone()).unwrap_or_default(),
        }
    };
    document.lines.iter().enumerate().map(one).collect()
}

fn of_setting(setting: &Outlived, value: &str, document: &Document, release: &Version) -> Vec<Remark> {
    let system = document.system.title();
    if let Some(until) = setting.until.as_ref().filter(|until| *until < release) {
        let after = if setting.kept { "no effect" } else { "removed" };
        let instead = setting.instead.as_ref().map_or_else(String::new, |instead| format!("; use {instead}"));
        let why = format!("{after} after {system} {until}: {}{instead}", setting.why);
        return vec![Remark { verdict: Verdict::Obsolete, why }];
    }
    if let Some(since) = setting.since.as_ref().filter(|since| *since > release) {
        let why = format!("{system} {release} does not have it: available since {since}");
        return vec![Remark { verdict: Verdict::Absent, why }];
    }
    let given = number(value);
    let below = setting.min.zip(given).is_some_and(|(min, given)| given < i128::from(min));
    let above = setting.max.zip(given).is_some_and(|(max, given)| given > i128::from(max));
    if below || above {
        let bound = |bound: Option<i64>| bound.map_or_else(String::new, |bound| bound.to_string());
        let why =
            format!("{value} is out of range (allowed: {} to {})", bound(setting.min), bound(setting.max));
        return vec![Remark { verdict: Verdict::OutOfRange, why }];
    }
    let default = setting.default_in(release);
    let same = default.is_some_and(|default| default == value || given.is_some() && number(default) == given);
    let why = || format!("{value} is the default of {system} {release}");
    same.then(|| Remark { verdict: Verdict::Default, why: why() }).into_iter().collect()
}

/// What becomes of it on Linux.
fn carried(document: &Document, setting: Option<&Outlived>) -> Remark {
    let system = document.system.title();
    let why = match setting {
        Some(setting) if !setting.linux.is_empty() => {
            format!("a setting of {system}: {}; on Linux see {}", setting.why, setting.linux.join(", "))
        }
        Some(setting) => format!("a setting of {system}: {}; Linux has no such setting", setting.why),
        None => format!("a setting of {system}; its equivalent on Linux is unknown"),
    };
    Remark { verdict: Verdict::Obsolete, why }
}

/// A number as these files write them: decimal, or hexadecimal with `0x`.
fn number(value: &str) -> Option<i128> {
    match value.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}
