//! Lines of Linux, judged with the catalogue.

use super::{Document, GivenLine, JudgedLine, Remark, Target, Verdict};
use crate::catalogue::Catalogue;
use crate::outlived::{OutlivedSystem, System, Version};
use crate::release::Release;
use crate::setting_path::{fits, sysctl_path};
use crate::tunable::{Level, Tunable};
use crate::value::canonical;

/// A line with what is known of it.
struct Known<'a> {
    file: usize,
    given: &'a GivenLine,
    path: String,
    tunable: Option<&'a Tunable>,
    value: String,
}

impl Known<'_> {
    /// Its place, as written in a remark about another line.
    fn place(&self, beside: Option<&Known>) -> String {
        let line = self.given.line;
        match beside.is_some_and(|own| own.file != self.file) {
            true => format!("line {line} of file {}", self.file + 1),
            false => format!("line {line}"),
        }
    }
}

/// Judges the lines of all files of Linux, as if they were applied one after the other.
pub fn judge(catalogue: &Catalogue, documents: &[Document], target: &Target) -> Vec<JudgedLine> {
    let of_linux = documents.iter().enumerate().filter(|(_, document)| document.system == System::Linux);
    let lines: Vec<Known> = of_linux
        .flat_map(|(file, document)| document.lines.iter().map(move |given| (file, given)))
        .map(|(file, given)| known(catalogue, file, given))
        .collect();
    let outlived = OutlivedSystem::builtin(System::Linux);
    let one = |(at, line): (usize, &Known)| {
        let is_listing = documents.get(line.file).is_some_and(|document| document.is_listing);
        let mut remarks = Vec::new();
        let mut references = Vec::new();
        match line.tunable {
            Some(tunable) => {
                references.clone_from(&tunable.references);
                match misplaced(tunable, &line.path, target.linux) {
                    Some(remark) => remarks.push(remark),
                    None => {
                        remarks.extend(of_value(tunable, &line.value, target.linux, is_listing));
                        if !is_listing {
                            remarks.extend(of_others(catalogue, tunable, at, &lines, target.linux));
                        }
                    }
                }
            }
            None => remarks.push(unlisted(line, outlived.as_ref(), target, &mut references)),
        }
        if !is_listing {
            remarks.extend(again(at, &lines));
        }
        if remarks.is_empty() {
            remarks.push(fine(line.tunable));
        }
        JudgedLine {
            file: line.file,
            line: line.given.line,
            name: line.given.name.clone(),
            value: line.given.value.clone(),
            id: line.tunable.map(|tunable| tunable.id.clone()),
            remarks,
            references,
        }
    };
    lines.iter().enumerate().map(one).collect()
}

fn known<'a>(catalogue: &'a Catalogue, file: usize, given: &'a GivenLine) -> Known<'a> {
    let name = given.name.as_str();
    let path = if name.starts_with('/') { name.to_owned() } else { sysctl_path(name) };
    let tunable = catalogue.tunables.iter().find(|tunable| tunable.covers(&path));
    let value = tunable.map_or_else(|| given.value.clone(), |tunable| canonical(tunable, &given.value));
    Known { file, given, path, tunable, value }
}

/// What is said where the release does not have a setting in this place.
pub(crate) fn misplaced(tunable: &Tunable, path: &str, release: Release) -> Option<Remark> {
    let lives = tunable.path_in(release);
    if lives.is_some_and(|pattern| fits(pattern, path)) {
        return None;
    }
    let former = tunable.was.iter().find(|was| fits(&was.path, path));
    let obsolete = |why: String| Some(Remark { verdict: Verdict::Obsolete, why });
    let absent = |why: String| Some(Remark { verdict: Verdict::Absent, why });
    match (lives, former, tunable.since, tunable.until) {
        (Some(now), Some(was), ..) if was.until < release => {
            obsolete(format!("this path was in use until {}; in {release} it is {now}", was.until))
        }
        (Some(now), _, Some(since), _) => {
            absent(format!("this path is in use since {since}; in {release} it is {now}"))
        }
        (None, _, _, Some(until)) if until < release => {
            let last = former.map_or(until, |was| was.until.max(until));
            obsolete(format!("removed after {last}"))
        }
        (None, Some(was), ..) if was.until < release => {
            obsolete(format!("this path was in use until {}; {release} does not have it", was.until))
        }
        (None, _, Some(since), _) => absent(format!("{release} does not have it: available since {since}")),
        _ => absent(format!("{release} does not have it at this path")),
    }
}

/// What is said of a value by itself.
fn of_value(tunable: &Tunable, value: &str, release: Release, is_listing: bool) -> Vec<Remark> {
    let objection = tunable.objection(value, Some(release));
    if tunable.unset.as_deref() == Some(value) && (is_listing || objection.is_some()) {
        let other = tunable.interacts.iter().find(|other| other.couples).map_or("another", |other| &other.id);
        let why = format!("{value} is only read while {other} is in effect; writing it has no effect");
        let verdict = if is_listing { Verdict::Default } else { Verdict::OutOfRange };
        return vec![Remark { verdict, why }];
    }
    if let Some(objection) = objection {
        // Of a value that other releases take.
        let brought = match tunable.objection(value, None) {
            None => ", unless the distribution has backported it",
            Some(_) => "",
        };
        let why = format!("{objection}{brought}; the kernel refuses it or uses another value");
        return vec![Remark { verdict: Verdict::OutOfRange, why }];
    }
    let mut remarks = Vec::new();
    if let Some(harm) = tunable.harm(value) {
        let better = harm.better.as_ref().map_or_else(String::new, |better| format!("; better: {better}"));
        let why = format!("{}{better}; not for: {}", harm.why, tunable.leave);
        remarks.push(Remark { verdict: Verdict::Risky, why });
    } else if tunable.default_in(release) == Some(value) {
        let why = format!("{value} is the default of {release}");
        remarks.push(Remark { verdict: Verdict::Default, why });
    } else if tunable.level == Level::High && !is_listing {
        let why = format!("{} Not for: {}", tunable.risk, tunable.leave);
        remarks.push(Remark { verdict: Verdict::Risky, why });
    }
    remarks
}

/// What is said of a line because of what other lines set.
fn of_others(
    catalogue: &Catalogue,
    tunable: &Tunable,
    at: usize,
    lines: &[Known],
    release: Release,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let is = |line: &Known, id: &str| line.tunable.is_some_and(|tunable| tunable.id == id);
    for other in &tunable.interacts {
        let set = lines.iter().enumerate().rev().find(|(_, line)| is(line, &other.id));
        let set =
            set.filter(|(_, line)| line.tunable.is_some_and(|t| t.unset.as_deref() != Some(&line.value)));
        if other.couples
            && let Some((later, line)) = set
            && later > at
        {
            let why = format!("{} sets {} later: {}", line.place(lines.get(at)), other.id, other.how);
            remarks.push(Remark { verdict: Verdict::Coupled, why });
        }
        if other.below {
            let own = lines.get(at).and_then(|line| line.value.parse::<i128>().ok());
            let default = || other_default(catalogue, &other.id, lines, release);
            let (bound, whose) = match set {
                Some((_, line)) => (Some(line.value.clone()), line.place(lines.get(at))),
                None => (default(), "its default".to_owned()),
            };
            let bound = bound.and_then(|bound| bound.parse::<i128>().ok());
            if let (Some(own), Some(bound)) = (own, bound)
                && own >= bound
            {
                let why = format!("{own} must be below {} = {bound} ({whose}): {}", other.id, other.how);
                remarks.push(Remark { verdict: Verdict::Coupled, why });
            }
        }
    }
    remarks
}

/// The default of a setting that no line sets; none where a line sets what undoes it.
fn other_default(catalogue: &Catalogue, id: &str, lines: &[Known], release: Release) -> Option<String> {
    let undoes = |tunable: &Tunable| tunable.interacts.iter().any(|other| other.couples && other.id == id);
    if lines.iter().filter_map(|line| line.tunable).any(undoes) {
        return None;
    }
    catalogue.find(id)?.default_in(release).map(str::to_owned)
}

/// What is said of a setting that the catalogue does not have.
fn unlisted(
    line: &Known,
    outlived: Option<&OutlivedSystem>,
    target: &Target,
    references: &mut Vec<String>,
) -> Remark {
    let release: Option<Version> = target.linux.to_string().parse().ok();
    let name = line.path.strip_prefix("/proc/sys/").unwrap_or(&line.path).replace('/', ".");
    let known = outlived.and_then(|system| system.find(&name));
    if let (Some(known), Some(release)) = (known, release)
        && let Some(why) = known.gone_in(&release)
    {
        references.clone_from(&known.references);
        return Remark { verdict: Verdict::Obsolete, why };
    }
    match target.here {
        Some(host) if line.path.contains('*') || host.exists(&line.path) => Remark {
            verdict: Verdict::Unknown,
            why: "this kernel has it; it is not in the catalogue".to_owned(),
        },
        Some(_) => {
            let why = "this kernel does not have it (module not loaded, or misspelt)";
            Remark { verdict: Verdict::Absent, why: why.to_owned() }
        }
        None => Remark { verdict: Verdict::Unknown, why: "not in the catalogue".to_owned() },
    }
}

/// What is said where a later line sets the same.
fn again(at: usize, lines: &[Known]) -> Option<Remark> {
    let own = lines.get(at)?;
    let later = lines.iter().skip(at + 1).rfind(|line| line.path == own.path)?;
    let (verdict, value) = match later.value == own.value {
        true => (Verdict::Repeated, "the same value".to_owned()),
        false => (Verdict::Overridden, format!("{}, which overrides it", later.given.value)),
    };
    Some(Remark { verdict, why: format!("{} sets it to {value}", later.place(Some(own))) })
}

fn fine(tunable: Option<&Tunable>) -> Remark {
    let why = tunable.map_or_else(String::new, |tunable| tunable.meaning.clone());
    Remark { verdict: Verdict::Fine, why }
}
