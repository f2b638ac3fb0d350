//! Several recordings of one host as one capture.

use heldup_model::{Capture, Span};

use crate::Import;

/// Joins what files became. The error names the hosts, where they are of several.
pub fn merge(imports: Vec<Import>) -> Result<Option<Capture>, Vec<String>> {
    let mut hosts: Vec<String> = Vec::new();
    let mut joined: Option<Capture> = None;
    for capture in imports.into_iter().filter_map(|import| import.capture) {
        if capture.host != UNKNOWN && !hosts.contains(&capture.host) {
            hosts.push(capture.host.clone());
        }
        joined = Some(match joined {
            None => capture,
            Some(before) => both(before, capture),
        });
    }
    if hosts.len() > 1 {
        return Err(hosts);
    }
    Ok(joined)
}

/// The name of a host of which a recording does not tell it.
pub(crate) const UNKNOWN: &str = "unknown";

fn both(mut first: Capture, second: Capture) -> Capture {
    if first.host == UNKNOWN {
        first.host = second.host;
    }
    first.span = Span {
        since_ms: first.span.since_ms.min(second.span.since_ms),
        until_ms: first.span.until_ms.max(second.span.until_ms),
    };
    for (table, batches) in second.tables {
        let there = first.tables.entry(table).or_default();
        there.extend(batches);
        there.sort_by_key(crate::sheets::first_ms);
    }
    first.flaws.extend(second.flaws);
    first.missing.extend(second.missing.into_iter().filter(|missing| {
        // Each file says it of itself; once is enough.
        missing.what != "task_time"
    }));
    first
}
