//! Requests that cannot be answered: each says what kind of error it is.

use heldup_engine::{
    AskedSpan, BreakdownRequest, Cancel, CommandToRun, CompareRequest, EngineError, ErrorKind,
    ExamineRequest, MethodChoice, RulesTestRequest, Silent, SqlRequest, StatusRequest, breakdown, compare,
    examine, sql, status, test_rules,
};
use heldup_model::BreakdownKind;

use crate::recorded::{self, Folder};

fn refused<T: std::fmt::Debug>(answer: Result<T, EngineError>) -> (ErrorKind, String) {
    let error = answer.expect_err("no answer");
    (error.kind(), error.whole())
}

fn examined(request: ExamineRequest) -> (ErrorKind, String) {
    refused(examine(&request, &Silent, &Cancel::Signals))
}

#[test]
fn a_source_that_is_none() {
    let (kind, said) =
        examined(ExamineRequest { sources: vec!["/no/such/source".to_owned()], ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::Usage);
    assert!(said.contains("/no/such/source"), "{said}");
}

#[test]
fn a_time_of_a_capture() {
    let folder = Folder::new();
    let sources = vec![recorded::capture_file(&folder, "a.heldup", 0.5)];
    let span = AskedSpan { since: Some("03:00".to_owned()), ..AskedSpan::default() };
    let (kind, said) = examined(ExamineRequest { sources, span, ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::Usage);
    assert!(said.contains("are for archives"), "{said}");
}

#[test]
fn a_command_and_a_time_that_has_been() {
    let folder = Folder::new();
    let command = Some(CommandToRun { words: vec!["true".into()], answer_on_stdout: false });
    let span = AskedSpan { since: Some("03:00".to_owned()), ..AskedSpan::default() };
    let sources = vec![recorded::archive(&folder)];
    let (kind, _) = examined(ExamineRequest { sources, command, span, ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::Usage);
}

#[test]
fn a_time_of_which_an_archive_has_nothing() {
    let folder = Folder::new();
    let sources = vec![recorded::archive(&folder)];
    let since = Some("2025-11-20T04:50Z".to_owned());
    let span = AskedSpan { since, until: Some("+1m".to_owned()), host: None };
    let (kind, said) = examined(ExamineRequest { sources, span, ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(said.contains("has nothing of"), "{said}");
}

#[test]
fn a_focus_that_matches_nothing_here_at_once() {
    let focus = "pid:2147483646".parse().ok();
    let (kind, said) = examined(ExamineRequest { focus, ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(said.starts_with("nothing on this machine is pid:2147483646"), "{said}");
}

#[test]
fn names_that_no_list_has() {
    let folder = Folder::new();
    let sources = vec![recorded::capture_file(&folder, "a.heldup", 0.5)];
    let (kind, said) =
        examined(ExamineRequest { sources, ignore: vec!["fs.ful".to_owned()], ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::Usage);
    assert!(said.contains("fs.ful"), "{said}");
    let request = RulesTestRequest { rule: Some("no.rule".to_owned()), ..RulesTestRequest::default() };
    assert_eq!(refused(test_rules(&request, &Silent, &mut |_| ())).0, ErrorKind::UnknownName);
}

#[test]
fn sides_that_are_not_two() {
    let request = CompareRequest { sides: vec!["a".to_owned()], ..CompareRequest::default() };
    assert_eq!(refused(compare(&request)).0, ErrorKind::Usage);
}

#[test]
fn a_query_that_is_none() {
    let folder = Folder::new();
    let source = Some(recorded::capture_file(&folder, "a.heldup", 0.5));
    let request = SqlRequest { source, query: "select nothing from".to_owned(), ..SqlRequest::default() };
    let (kind, said) = refused(sql(&request, &Silent, &Cancel::Signals));
    assert_eq!(kind, ErrorKind::Failed);
    assert!(said.starts_with("the query could not be answered: "), "{said}");
}

#[test]
fn a_breakdown_by_port() {
    let request = BreakdownRequest {
        kind: BreakdownKind::Wait,
        source: None,
        window: None,
        span: AskedSpan::default(),
        focus: "port:80".parse().ok(),
        method: MethodChoice::Auto,
        stacks: false,
    };
    assert_eq!(refused(breakdown(&request, &Silent, &Cancel::Signals)).0, ErrorKind::Usage);
}

#[test]
fn the_status_of_what_nobody_has_recorded() {
    let folder = Folder::new();
    let request = StatusRequest { archive: Some(folder.path().to_owned()) };
    assert_eq!(refused(status(&request, &Silent)).0, ErrorKind::NotFound);
}
