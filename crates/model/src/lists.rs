//! What can be asked and judged: tables, rules and their own tests, as `heldup tables`, `rules list` and
//! `rules test` answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::area::Area;
use crate::experiment::Verdict;

/// Schema of [`TablesAnswer`].
pub const TABLES_SCHEMA: &str = "heldup/tables/1";
/// Schema of [`RulesAnswer`].
pub const RULES_SCHEMA: &str = "heldup/rules/1";
/// Schema of [`RulesTestAnswer`].
pub const RULES_TEST_SCHEMA: &str = "heldup/rules-test/1";

/// Schema `heldup/tables/1`: the tables, or one with its columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TablesAnswer {
    /// `heldup/tables/1`.
    #[schemars(extend("const" = TABLES_SCHEMA))]
    pub schema: String,
    /// Tables, rollups, views and functions.
    pub tables: Vec<ListedTable>,
}

/// A table, view or function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedTable {
    /// Its name; of a function with its arguments.
    pub name: String,
    /// table, rollup, view or function.
    pub kind: String,
    /// What a row stands for.
    pub meaning: String,
    /// Where its values are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Its columns, where one table is described.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ListedColumn>,
    /// Its rollup per minute, where archives have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_the_minute: Option<String>,
    /// The SQL of a view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedColumn {
    /// Its name.
    pub name: String,
    /// Its type in SQL.
    pub data_type: String,
    /// key, label, counter or gauge.
    pub kind: String,
    /// Its unit.
    pub unit: String,
    /// What it means.
    pub meaning: String,
}

/// Schema `heldup/rules/1`: the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RulesAnswer {
    /// `heldup/rules/1`.
    #[schemars(extend("const" = RULES_SCHEMA))]
    pub schema: String,
    /// By id.
    pub rules: Vec<ListedRule>,
}

/// A rule in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedRule {
    /// Public id.
    pub id: String,
    /// The resource that it is about; null for what is about the recording or all time.
    pub area: Option<Area>,
    /// built-in, machine, user or named.
    pub origin: String,
    /// Its file, where it did not come with heldup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What it finds, in at most 60 characters.
    pub summary: String,
}

/// Schema `heldup/rules-test/1`: what came of the rules' own cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RulesTestAnswer {
    /// `heldup/rules-test/1`.
    #[schemars(extend("const" = RULES_TEST_SCHEMA))]
    pub schema: String,
    /// Cases that were run.
    pub run: u64,
    /// What failed, files that could not be read included.
    pub failed: u64,
    /// Each of them.
    pub cases: Vec<RuleCaseTested>,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleCaseTested {
    /// The rule; null where the rule itself could not be read.
    pub id: Option<String>,
    /// The case.
    pub name: Option<String>,
    /// Whether the rule did as the case wants.
    pub passed: bool,
    /// What it did instead.
    pub wrong: Option<String>,
}

/// An experiment in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedExperiment {
    /// Its id: the name of its folder.
    pub id: String,
    /// When it began, milliseconds since 1970-01-01 UTC; null where its file does not say it.
    pub time_ms: Option<i64>,
    /// What was changed, for which measure.
    pub title: String,
    /// The verdict about the change, of several the best one; null where none was reached.
    pub verdict: Option<Verdict>,
}
