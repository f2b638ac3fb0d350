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
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(said, "/no/such/source: no such file or folder");
}

#[test]
fn a_time_of_which_a_capture_has_nothing() {
    let folder = Folder::new();
    let sources = vec![recorded::capture_file(&folder, "a.heldup", 0.5)];
    let span = AskedSpan {
        since: Some("2025-11-20T03:00Z".to_owned()),
        until: Some("+1m".to_owned()),
        ..AskedSpan::default()
    };
    let (kind, said) = examined(ExamineRequest { sources, span, ..ExamineRequest::default() });
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(said.contains(": no data for ") && said.contains("; recorded: "), "{said}");
}

#[test]
fn a_host_that_is_not_in_a_recording() {
    let folder = Folder::new();
    for sources in [vec![recorded::capture_file(&folder, "a.heldup", 0.5)], vec![recorded::archive(&folder)]]
    {
        let span = AskedSpan { host: Some("boxx".to_owned()), ..AskedSpan::default() };
        let (kind, said) = examined(ExamineRequest { sources, span, ..ExamineRequest::default() });
        assert_eq!(kind, ErrorKind::UnknownName);
        assert!(said.contains("unknown host `boxx`; did you mean box?"), "{said}");
    }
}

#[test]
fn a_focus_that_a_recording_does_not_have() {
    let folder = Folder::new();
    let sources = vec![recorded::capture_file(&folder, "a.heldup", 0.5)];
    for focus in ["pid:99", "comm:nobody", "device:sdz", "mount:/nowhere", "port:1", "unit:x.service"] {
        let focus = focus.parse().ok();
        let request = ExamineRequest { sources: sources.clone(), focus, ..ExamineRequest::default() };
        let (kind, said) = examined(request);
        assert_eq!(kind, ErrorKind::NotFound, "{said}");
        assert!(said.starts_with("nothing in this recording matches "), "{said}");
    }
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
    assert!(said.contains("no data for"), "{said}");
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
    assert_eq!(kind, ErrorKind::UnknownName);
    assert!(said.contains("unknown finding `fs.ful`; did you mean fs.full"), "{said}");
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
    assert_eq!(kind, ErrorKind::Usage);
    assert!(said.starts_with("the query failed: "), "{said}");
}

#[test]
fn calls_by_device() {
    let request = BreakdownRequest {
        kind: BreakdownKind::Calls,
        source: None,
        window: None,
        span: AskedSpan::default(),
        focus: "device:vda".parse().ok(),
        method: MethodChoice::Auto,
        stacks: false,
        redact: false,
        flame: false,
    };
    assert_eq!(refused(breakdown(&request, &Silent, &Cancel::Signals)).0, ErrorKind::Usage);
}

#[test]
fn the_status_of_what_nobody_has_recorded() {
    let folder = Folder::new();
    let request = StatusRequest { archive: Some(folder.path().to_owned()) };
    assert_eq!(refused(status(&request, &Silent)).0, ErrorKind::NotFound);
}

#[test]
fn a_time_that_a_recording_does_not_have_is_refused_with_what_it_has() {
    let folder = Folder::new();
    let word = recorded::sar_day(&folder);
    let refused = |source: &str, since: &str, until: &str| {
        let span = AskedSpan { since: Some(since.to_owned()), until: Some(until.to_owned()), host: None };
        examined(ExamineRequest { sources: vec![source.to_owned()], span, ..ExamineRequest::default() }).1
    };
    let said = refused(&word, "2019-05-09 03:00", "04:00");
    assert!(said.contains("no data for 2019-05-09 03:00:00 until 04:00:00"), "{said}");
    assert!(said.contains("recorded: 2019-05-08 00:00:00 until 23:50:00"), "{said}");
    let said = refused(&word, "10:01", "10:03");
    assert!(
        said.contains("no sample in") && said.contains("nearest: 2019-05-08 10:00:00 until 10:10:00"),
        "{said}"
    );
    let said = refused(&recorded::vmstat(&folder), "03:00", "04:00");
    assert!(said.contains("no clock times in the file: --since +2m counts from its start"), "{said}");
}
