//! What `heldup try` answers: what a change does to a figure, and how sure that is.
//!
//! This is the public JSON, schema `heldup/experiment/1`: fields may be added, none renamed or
//! removed. It is the dossier too: with the seed and every block anybody can decide again.

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
    /// When it began, RFC 3339.
    pub from: String,
    /// When it ended.
    pub to: String,
    /// What was measured.
    pub asked: Question,
    /// The finding that proposed the change; none where somebody named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<ProposingFinding>,
    /// How it ended.
    pub end: ExperimentEnd,
    /// Why it ended so, where it was not brought to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_ended: Option<String>,
    /// How much the figure varies without any change; none where it did not come to that.
    pub noise: Option<Noise>,
    /// The values that were searched for the best one, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<SearchedValue>,
    /// The changes, in the order in which they were tried.
    pub changes: Vec<TriedChange>,
    /// Every block, in the order of time.
    pub blocks: Vec<Block>,
    /// Settings as they were before, by key.
    pub before: BTreeMap<String, String>,
    /// Those that are otherwise at the end, by key.
    pub otherwise_after: BTreeMap<String, String>,
    /// What the reader must know.
    pub notes: Vec<String>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The command that was run again and again; none on live traffic.
    pub workload: Option<String>,
    /// What was run before each run and not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Where the figure is from: `wall`, `regex:…`, `json:…`, `sql:…`.
    pub figure: String,
    /// Its unit, where that is known.
    pub unit: Option<String>,
    /// Which is better.
    pub goal: Goal,
    /// Guards, as they were given.
    pub guards: Vec<String>,
    /// Chance that any of the answers is wrong.
    pub error: f64,
    /// The smallest difference worth seeing: a share of the figure, or in its unit where `is_ratio` is false.
    pub worth: f64,
    /// Whether effects are ratios: figures are above 0.
    pub is_ratio: bool,
    /// What the order of the blocks was drawn with.
    pub seed: u64,
    /// Pairs that each change could have at most.
    pub most_pairs: u64,
}

/// A finding whose change is tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposingFinding {
    /// Its key: the id of the rule and the subject.
    pub key: String,
    /// What it said.
    pub title: String,
}

/// Which figures are better.
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
    /// Somebody asked to stop.
    Interrupted,
    /// A guard was breached.
    GuardBreached,
    /// The workload failed, gave no figure or took too long, or a setting could not be written.
    Failed,
}

/// How much the figure varies by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Pairs without any change.
    pub pairs: u64,
    /// The figure without a change: the median.
    pub figure: f64,
    /// Standard deviation of the difference of two blocks: a share of the figure, or in its unit.
    pub spread: f64,
    /// The smallest effect that the pairs of the budget show, at the even chance; likewise.
    pub detectable: Option<f64>,
}

/// What a change did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The figure is better with it.
    Helped,
    /// The figure is worse with it.
    Harmed,
    /// Any effect is smaller than the smallest one that is worth seeing.
    NoEffect,
    /// The pairs say neither that there is an effect nor that there is none worth seeing.
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

/// A change and what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriedChange {
    /// Key of the setting, as in table `setting`.
    pub setting: String,
    /// What it was.
    pub before: String,
    /// What was asked for.
    pub asked: String,
    /// What the kernel made of that; none where it was never set.
    pub now: Option<String>,
    /// Settings that changed with it.
    pub moved: Vec<MovedSetting>,
    /// The verdict; none where it did not come to that.
    pub verdict: Option<Verdict>,
    /// The effect on the figure: a share of it (-0.1 is a tenth less), or in its unit.
    pub effect: Option<f64>,
    /// Least effect that is not refused; none where any smaller one is as likely.
    pub effect_low: Option<f64>,
    /// Greatest effect that is not refused.
    pub effect_high: Option<f64>,
    /// Of no effect and of what is undecided: effects larger than this, to either side, are refused; none where
    /// the pairs are too few to refuse any.
    pub smallest_seen: Option<f64>,
    /// Of what is undecided: about how many pairs tell whether there is an effect that is worth seeing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_needed: Option<u64>,
    /// Of what is undecided: the part of the noise with which the pairs that there were would have told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_needed: Option<f64>,
    /// Pairs that it took.
    pub pairs: u64,
    /// Where the time went otherwise, what differs first.
    pub why: Vec<ClassChange>,
    /// Whether it stands at the end.
    pub kept: bool,
}

/// A value that was searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchedValue {
    /// The value.
    pub value: String,
    /// Blocks that it was measured in.
    pub blocks: u64,
    /// Their median; none where it was not measured.
    pub figure: Option<f64>,
    /// Whether it was left out because it went beyond a guard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond_guard: bool,
}

/// A setting that changed because another one did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MovedSetting {
    /// Its key.
    pub setting: String,
    /// Value before.
    pub before: String,
    /// Value after.
    pub now: String,
}

/// A class of time in blocks without and with a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassChange {
    /// Its name.
    #[serde(rename = "class")]
    pub class_name: String,
    /// Task-seconds of a run, or of a second of live traffic, without the change.
    pub first: f64,
    /// The same with it.
    pub second: f64,
    /// Whether that is more than the noise between blocks.
    pub judgement: Judgement,
}

/// What a block was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Not counted: caches fill, programs settle.
    WarmUp,
    /// To find the best of many values.
    Search,
    /// To learn how much the figure varies without a change.
    Noise,
    /// One of a pair, without the change.
    Without,
    /// One of a pair, with it.
    With,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// What it was for.
    pub kind: BlockKind,
    /// Which of the changes, from 0; of a search which of the values. None of blocks before any.
    pub change: Option<u64>,
    /// The figure.
    pub figure: f64,
    /// Figures of the guards, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<f64>,
    /// How long it took.
    pub seconds: f64,
    /// Task-seconds by class, where time is accounted for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ledger: BTreeMap<String, f64>,
}
