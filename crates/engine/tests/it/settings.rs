//! Requests about settings that change nothing: what is set here, what a change or a profile would make of it.

use heldup_engine::{ErrorKind, Silent, tune};
use heldup_model::TunePlanAnswer;
use tune::{AuditRequest, AuditedInput, SettingsRequest, WantedChanges};

const SWAPPINESS: &str = "vm.swappiness";

fn now() -> Option<String> {
    std::fs::read_to_string("/proc/sys/vm/swappiness").ok().map(|text| text.trim().to_owned())
}

fn planned(value: &str) -> TunePlanAnswer {
    let assignments = vec![(SWAPPINESS.to_owned(), value.to_owned())];
    tune::plan(&WantedChanges::Settings { assignments, persist: false }, &Silent).expect("a plan")
}

#[test]
fn settings_are_listed_by_area_and_shown_by_name() {
    let all = tune::settings(&SettingsRequest::default()).expect("settings").settings;
    let of_area = SettingsRequest { text: Some("vm".to_owned()), changed: false };
    let some = tune::settings(&of_area).expect("settings").settings;
    assert!(!some.is_empty() && some.len() < all.len(), "{} of {}", some.len(), all.len());
    let one = tune::setting(SWAPPINESS).expect("a setting").settings;
    assert_eq!(one.iter().map(|page| page.id.as_str()).collect::<Vec<_>>(), [SWAPPINESS]);
}

#[test]
fn a_name_that_no_setting_has() {
    let error = tune::setting("vm.swapiness").expect_err("no such setting");
    assert_eq!(error.kind(), ErrorKind::UnknownName);
    assert!(error.whole().contains(SWAPPINESS), "the nearest name: {}", error.whole());
}

#[test]
fn a_plan_knows_what_is_there_and_changes_nothing() {
    let before = now();
    let value = before.clone().expect("a kernel with /proc/sys/vm");
    let other = if value == "10" { "20" } else { "10" };
    let change = planned(other).changes.remove(0);
    assert_eq!((change.from.as_deref(), change.to.as_str()), (Some(value.as_str()), other));
    assert!(change.is_change && change.refused.is_empty(), "{change:?}");
    assert!(!planned(&value).changes[0].is_change, "its value already");
    assert!(!planned("100000").changes[0].refused.is_empty(), "no value of it");
    assert_eq!(now(), before);
}

#[test]
fn a_profile_is_shown_and_planned() {
    let profiles = tune::profiles().profiles;
    let first = profiles.first().expect("a profile").name.clone();
    assert_eq!(tune::profile(&first).expect("the profile").profiles.len(), 1);
    let planned = tune::planned_profile(&first).expect("its plan");
    assert!(!planned.profiles[0].steps.is_empty());
    assert_eq!(tune::profile("no-such-profile").expect_err("none").kind(), ErrorKind::UnknownName);
}

#[test]
fn a_file_of_settings_is_judged_line_by_line() {
    let text = b"vm.swappiness = 10\nvm.swappiness = 500\nnot a setting\n".to_vec();
    let inputs = vec![AuditedInput::Read { name: "sysctl.conf".to_owned(), bytes: Ok(text) }];
    let answer = tune::audit(AuditRequest { inputs, release: Some("6.1".to_owned()) }).expect("an audit");
    assert_eq!(answer.files.len(), 1);
    assert!(answer.lines.len() >= 2, "{:?}", answer.lines);
    let inputs = vec![AuditedInput::File("/no/such/file".to_owned())];
    assert!(tune::audit(AuditRequest { inputs, release: None }).is_err());
}
