//! Between what is asked and a typed answer.
//!
//! A front end (the command line, a page, a terminal view) makes a request of plain data, gives along who is told
//! of progress and what may stop it, and gets an answer of `heldup_model`. Nothing here prints, parses arguments or
//! ends the process.

mod breakdown;
mod cancel;
mod capture;
mod compare;
mod doctor;
mod error;
mod examine;
mod explain;
mod focus_subject;
mod ignored;
mod live_archive;
mod nearest;
mod overhead;
mod plot;
mod progress;
mod record;
mod redaction;
mod report;
mod request;
mod rules;
mod seen;
mod session;
mod source;
mod sql;
mod status;
mod tables;
mod times;
mod trial;
pub mod tune;
mod view;
mod watch;

pub use breakdown::{BreakdownRequest, Compared, breakdown, breakdown_difference};
pub use cancel::Cancel;
pub use capture::{CaptureRequest, CaptureTo, capture, drop_baseline, show_baseline};
pub use compare::{CompareRequest, compare};
pub use doctor::doctor;
pub use error::{EngineError, ErrorKind, Result};
pub use examine::worst::zone_named;
pub use examine::{ExamineRequest, Examined, examine, examine_for_report};
pub use explain::{ExplainRequest, Explained, explain};
pub use heldup_prove::narrowed;
pub use live_archive::record_for_looking;
pub use nearest::{nearest, unknown};
pub use plot::{PlotRequest, figures, is_figure, plot};
pub use progress::{Progress, Silent, Step};
pub use record::{RecordRequest, SealBy, keep_house_in, record};
pub use redaction::of_experiment as redact_experiment;
pub use request::{AskedSpan, MethodChoice};
pub use rules::{
    RuleTested, RulesListRequest, RulesTestRequest, RulesTested, list_rules, ruleset, test_rules,
    test_rules_again,
};
pub use session::look::CommandToRun;
pub use source::archive::archive_folder;
pub use sql::{SqlRequest, sql};
pub use status::{StatusRequest, status};
pub use tables::tables;
pub use trial::{
    Confirm, EXPERIMENT_FILE, Proposal, Tried, TryRequest, experiment, experiments, experiments_folder,
    try_changes,
};
pub use view::{ViewRequest, Viewer, hosts_of, listed_figures, read_together};
pub use watch::{WatchRequest, Watched, watch};
