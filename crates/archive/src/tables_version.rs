//! The version of the tables' columns: who reads files of another one would read other columns.

/// Version of the tables' columns. Columns may be added under one version; renaming one makes a new version, and
/// files of another version are refused.
pub const TABLES_VERSION: u32 = 2;

/// Refuses columns of another version.
pub(crate) fn check_tables_version(version: &str) -> Result<(), String> {
    if version == TABLES_VERSION.to_string() {
        return Ok(());
    }
    Err(format!(
        "written by another build of heldup (columns of version {version}, this build reads {TABLES_VERSION}): record \
         it again with this build"
    ))
}
