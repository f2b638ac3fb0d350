//! The answer of `heldup try`: the effect of a change on a measure, and its confidence.
//!
//! This is the public JSON, schema `heldup/experiment/1`: fields may be added, none renamed or
//! removed. It is also the report: with the random seed and every run the decision can be repeated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::Judgement;

/// The value of `schema`.
pub const EXPERIMENT_SCHEMA: &str = "heldup/experiment/1";

/// One experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experiment {
    /// Name of this schema.
    #[schemars(extend("const" = EXPERIMENT_SCHEMA))]
    pub schema: String,
    /// Host name.
    pub host: String,
    /// Kernel release.
    pub kernel: String,
    /// Start, RFC 3339.
    pub from: String,
    /// End.
    pub to: String,
    /// What was measured.
    pub asked: Question,
    /// The finding that proposed the change; none if the setting was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<ProposingFinding>,
    /// Outcome.
    pub end: ExperimentEnd,
    /// Reason, if it was not completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Variation of the measure without a change; none if not reached.
    pub noise: Option<Noise>,
    /// The values of the search, in the order given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<SearchedValue>,
    /// The changes, in the order of testing.
    pub changes: Vec<TriedChange>,
    /// Every run, in order of time.
    pub blocks: Vec<Block>,
    /// Settings before the experiment, by key.
    pub before: BTreeMap<String, String>,
    /// Settings that differ at the end, by key.
    pub changed_after: BTreeMap<String, String>,
    /// Notes.
    pub notes: Vec<String>,
}

/// Parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The workload; none for live traffic.
    pub workload: Option<String>,
    /// Command before each run, not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// The measure: `wall`, `regex:…`, `json:…`, `sql:…`.
    pub figure: String,
    /// Its unit, if known.
    pub unit: Option<String>,
    /// Which is better.
    pub goal: Goal,
    /// Guards, as given.
    pub guards: Vec<String>,
    /// Probability that any of the answers is wrong.
    pub error: f64,
    /// Smallest effect of interest (`--min-effect`): a share of the measure, or in its unit if `is_ratio` is false.
    pub worth: f64,
    /// Whether effects are ratios: measures are above 0.
    pub is_ratio: bool,
    /// Random seed for the order of runs.
    pub seed: u64,
    /// Maximum of pairs for each change.
    pub most_pairs: u64,
}

/// A finding whose change is tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposingFinding {
    /// Its key: the id of the rule and the subject.
    pub key: String,
    /// Its title.
    pub title: String,
}

/// Direction of improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Lower ones: times, losses.
    Lower,
    /// Higher ones: throughput.
    Higher,
}

/// How an experiment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentEnd {
    /// Each change has its verdict.
    Done,
    /// Interrupted.
    Interrupted,
    /// A guard was exceeded.
    GuardBreached,
    /// The workload failed, gave no measure or took too long, or a setting could not be written.
    Failed,
}

/// Noise of the measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Pairs without a change.
    pub pairs: u64,
    /// Baseline: the median without a change.
    pub figure: f64,
    /// Standard deviation of the difference of two runs: a share of the measure, or in its unit.
    pub spread: f64,
    /// Smallest effect that the maximum of pairs detects with a probability of 50 %; likewise.
    pub detectable: Option<f64>,
}

/// Verdict about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Helped: the measure is better.
    Helped,
    /// Harmed: the measure is worse.
    Harmed,
    /// No effect: any effect is smaller than the smallest one of interest.
    NoEffect,
    /// Undecided.
    Undecided,
}

impl Verdict {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Helped => "helped",
            Verdict::Harmed => "harmed",
            Verdict::NoEffect => "no effect",
            Verdict::Undecided => "undecided",
        }
    }
}

/// A change and its effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriedChange {
    /// Key of the setting, as in table `setting`.
    pub setting: String,
    /// Old value.
    pub before: String,
    /// Requested value.
    pub asked: String,
    /// Value after the write; none if never set.
    pub now: Option<String>,
    /// Coupled settings that changed with it.
    pub moved: Vec<MovedSetting>,
    /// The verdict; none if not reached.
    pub verdict: Option<Verdict>,
    /// The effect: a share of the measure (-0.1 is a tenth less), or in its unit.
    pub effect: Option<f64>,
    /// Lower end of the confidence interval; none if unbounded.
    pub ci_low: Option<f64>,
    /// Upper end of the confidence interval.
    pub ci_high: Option<f64>,
    /// For no effect and undecided: larger effects in either direction are excluded; none if
    /// the pairs are too few to exclude any.
    pub detection_limit: Option<f64>,
    /// For undecided: approximate number of pairs that would decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_needed: Option<u64>,
    /// For undecided: the fraction of the noise at which these pairs would have decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_needed: Option<f64>,
    /// Number of pairs.
    pub pairs: u64,
    /// Change of time by class, differing ones first.
    pub why: Vec<ClassChange>,
    /// Whether it is in effect at the end.
    pub kept: bool,
}

/// A value of the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchedValue {
    /// The value.
    pub value: String,
    /// Number of its runs.
    pub blocks: u64,
    /// Their median; none if not measured.
    pub figure: Option<f64>,
    /// Whether it was dropped because it exceeded a guard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond_guard: bool,
}

/// A coupled setting that changed with another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MovedSetting {
    /// Its key.
    pub setting: String,
    /// Value before.
    pub before: String,
    /// Value after.
    pub now: String,
}

/// A class of time in runs without and with a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassChange {
    /// Its name.
    #[serde(rename = "class")]
    pub class_name: String,
    /// Task-seconds per run, or per second of live traffic, without the change.
    pub first: f64,
    /// The same with it.
    pub second: f64,
    /// Whether that is more than the noise between runs.
    pub judgement: Judgement,
}

/// Purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Warm-up, not counted.
    WarmUp,
    /// Search for the best value.
    Search,
    /// Baseline: variation without a change.
    Noise,
    /// One of a pair, without the change.
    Without,
    /// One of a pair, with it.
    With,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Purpose.
    pub kind: BlockKind,
    /// Index of the change, from 0; in a search of the value. None for runs before any.
    pub change: Option<u64>,
    /// The measure.
    pub figure: f64,
    /// Values of the guards, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<f64>,
    /// Elapsed time.
    pub seconds: f64,
    /// Task-seconds by class, with time accounting.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ledger: BTreeMap<String, f64>,
}
