//! Judging files of settings that somebody brings along against a release: which lines name what is
//! gone or moved, what the kernel refuses, what is the default anyway, what another line undoes, and
//! what does harm.
//!
//! Nothing here reads a file: the text comes from whoever asks. The host is asked only whether it has a
//! setting that nobody knows of, and only where its own release is meant.

mod document;
mod linux;
mod other;

use std::cmp::Reverse;

use heldup_hostfs::Host;

use crate::catalogue::Catalogue;
use crate::outlived::{OutlivedSystem, System, Version};
use crate::release::Release;

pub(crate) use linux::misplaced;

pub use document::{Document, GivenLine, read as read_document};

/// What is said of a line. Ordered: the later, the more it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing is wrong with it.
    Fine,
    /// It sets what is the default: it changes nothing, and keeps a better default of a later release out.
    Default,
    /// A later line sets the same to the same value.
    Repeated,
    /// Nobody knows of it here.
    Unknown,
    /// A later line sets the same to another value, which wins.
    Overridden,
    /// Another setting undoes it, or it contradicts that.
    Coupled,
    /// A value that does harm, or a setting with which data may be lost.
    Risky,
    /// The release does not have it (yet), or this machine does not.
    Absent,
    /// The kernel refuses it, or takes another value.
    OutOfRange,
    /// Gone, moved, or without effect.
    Obsolete,
    /// No assignment.
    Malformed,
}

impl Verdict {
    /// Its public word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fine => "fine",
            Verdict::Default => "default",
            Verdict::Repeated => "repeated",
            Verdict::Unknown => "unknown",
            Verdict::Overridden => "overridden",
            Verdict::Coupled => "coupled",
            Verdict::Risky => "risky",
            Verdict::Absent => "absent",
            Verdict::OutOfRange => "out_of_range",
            Verdict::Obsolete => "obsolete",
            Verdict::Malformed => "malformed",
        }
    }

    /// Whether somebody should do something about it.
    pub fn is_warning(self) -> bool {
        self >= Verdict::Overridden
    }
}

/// One thing that is said of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What kind.
    pub verdict: Verdict,
    /// In words.
    pub why: String,
}

/// A line, judged.
#[derive(Clone, Debug)]
pub struct JudgedLine {
    /// Which of the files that were given.
    pub file: usize,
    /// Its line, from 1.
    pub line: usize,
    /// The setting as it stands there; of a malformed line the whole line.
    pub name: String,
    /// The value.
    pub value: String,
    /// Id in the catalogue; of another system's setting the nearest one.
    pub id: Option<String>,
    /// What is said of it, what matters most first; never empty.
    pub remarks: Vec<Remark>,
    /// Where to read more.
    pub references: Vec<String>,
}

impl JudgedLine {
    /// The worst that is said.
    pub fn verdict(&self) -> Verdict {
        self.remarks.first().map_or(Verdict::Fine, |remark| remark.verdict)
    }
}

/// What files are judged against.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// Release of the Linux kernel.
    pub linux: Release,
    /// Release of other systems: that of the file's; its newest known without.
    pub other: Option<Version>,
    /// Whether files of other systems are to be carried to Linux.
    pub to_linux: bool,
    /// The machine, where its own release is meant.
    pub here: Option<&'a Host>,
}

/// Judges each line of some files, which are applied in the order in which they stand here.
pub fn audit(catalogue: &Catalogue, documents: &[Document], target: &Target) -> Vec<JudgedLine> {
    let mut judged = linux::judge(catalogue, documents, target);
    for (file, document) in documents.iter().enumerate() {
        if document.system != System::Linux {
            let known = OutlivedSystem::builtin(document.system);
            judged.extend(other::judge(known.as_ref(), file, document, target));
        }
        judged.extend(document.malformed.iter().map(|(line, text)| JudgedLine {
            file,
            line: *line,
            name: text.clone(),
            value: String::new(),
            id: None,
            remarks: vec![Remark { verdict: Verdict::Malformed, why: "not an assignment".to_owned() }],
            references: Vec::new(),
        }));
    }
    judged.sort_by_key(|line| (line.file, line.line));
    for line in &mut judged {
        line.remarks.sort_by_key(|remark| Reverse(remark.verdict));
    }
    judged
}
