//! Times as answers carry them.

use jiff::Timestamp;

use crate::error::{Context, Result};

/// A time as JSON carries it.
pub(crate) fn rfc3339(ms: i64) -> Result<String> {
    Ok(Timestamp::from_millisecond(ms).with_context(|| format!("invalid time {ms} ms"))?.to_string())
}
