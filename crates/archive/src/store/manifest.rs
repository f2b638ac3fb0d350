//! `manifest.json`: what a folder of tables is about, and what its files should hold.

use std::collections::BTreeMap;

use heldup_model::{Capture, Class, Flaw, Method, Missing, Span, Timing};
use serde::{Deserialize, Serialize};

use crate::tables_version::{TABLES_VERSION, check_tables_version};

/// Name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// Name and version of the manifest's form: additions allowed, nothing renamed.
pub const SCHEMA: &str = "heldup/capture/1";

/// Everything of a capture but its tables, and a line for each of those.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    schema: String,
    tables_version: u32,
    /// Version of the program that wrote it.
    program: String,
    host: String,
    span: Span,
    method: Method,
    coverage: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    untold: Vec<Class>,
    #[serde(default, skip_serializing_if = "Timing::is_recorded")]
    timing: Timing,
    #[serde(default)]
    missing: Vec<Missing>,
    #[serde(default)]
    flaws: Vec<Flaw>,
    pub(super) tables: Vec<TableFile>,
}

/// One table's file, `<name>.parquet`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TableFile {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) checksum: String,
}

impl Manifest {
    /// Describes a capture; the tables' lines are added as their files are written.
    pub(super) fn of(capture: &Capture) -> Manifest {
        Manifest {
            schema: SCHEMA.into(),
            tables_version: TABLES_VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            host: capture.host.clone(),
            span: capture.span,
            method: capture.method,
            coverage: capture.coverage,
            untold: capture.untold.clone(),
            timing: capture.timing,
            missing: capture.missing.clone(),
            flaws: capture.flaws.clone(),
            tables: Vec::new(),
        }
    }

    pub(super) fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| error.to_string())
    }

    pub(super) fn from_json(bytes: &[u8]) -> Result<Manifest, String> {
        /// Read first: a manifest of another form should say so rather than miss a field.
        #[derive(Deserialize)]
        struct Head {
            schema: String,
            tables_version: Option<u32>,
        }
        let head: Head = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if head.schema != SCHEMA {
            return Err(format!("schema is {:?}, expected {SCHEMA:?}", head.schema));
        }
        if let Some(version) = head.tables_version {
            check_tables_version(&version.to_string())?;
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// The capture without its tables.
    pub(super) fn to_capture(&self) -> Result<Capture, String> {
        let Span { since_ms, until_ms } = self.span;
        if until_ms.checked_sub(since_ms).is_none_or(|length| length < 0) {
            return Err(format!("span ends at {until_ms} before it begins at {since_ms}"));
        }
        if !(0.0..=1.0).contains(&self.coverage) {
            return Err(format!("coverage is {}, expected a share from 0 to 1", self.coverage));
        }
        Ok(Capture {
            host: self.host.clone(),
            span: self.span,
            method: self.method,
            coverage: self.coverage,
            untold: self.untold.clone(),
            timing: self.timing,
            tables: BTreeMap::new(),
            missing: self.missing.clone(),
            flaws: self.flaws.clone(),
        })
    }
}

/// Whether a file is the one that the manifest describes.
pub(super) fn check(file: &TableFile, bytes: &[u8]) -> Result<(), String> {
    if file.bytes != bytes.len() as u64 {
        return Err(format!("{} bytes, expected {} by {MANIFEST}", bytes.len(), file.bytes));
    }
    if file.checksum != checksum(bytes) {
        return Err(format!("its checksum is not the one in {MANIFEST}: the file is damaged"));
    }
    Ok(())
}

/// FNV-1a of 64 bits, as hexadecimal text (Fowler, Noll and Vo, draft-eastlake-fnv): it
/// finds damage, it does not prove who wrote the file.
pub(super) fn checksum(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("fnv1a64:{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_draft() {
        assert_eq!(checksum(b""), "fnv1a64:cbf29ce484222325");
        assert_eq!(checksum(b"a"), "fnv1a64:af63dc4c8601ec8c");
        assert_eq!(checksum(b"foobar"), "fnv1a64:85944171f73967e8");
    }

    #[test]
    fn a_bad_manifest_says_what_is_wrong() {
        let wrong = |text: &str| Manifest::from_json(text.as_bytes()).map(drop).expect_err("an error");
        assert!(wrong("").contains("EOF"));
        assert!(wrong("{}").contains("missing field `schema`"));
        assert_eq!(
            wrong(r#"{"schema": "heldup/capture/9"}"#),
            r#"schema is "heldup/capture/9", expected "heldup/capture/1""#
        );
        assert!(wrong(r#"{"schema": "heldup/capture/1"}"#).contains("missing field `tables_version`"));
        let earlier = wrong(r#"{"schema": "heldup/capture/1", "tables_version": 1}"#);
        assert!(earlier.contains("another build of heldup (columns of version 1, "), "{earlier}");
    }
}
