//! Settings that somebody brings along, each line judged against a release.

use std::fs::File;
use std::io::{self, Read};

use heldup_hostfs::Host;
use heldup_model::{AUDIT_SCHEMA, AuditAnswer, AuditRemark, AuditedFile, AuditedLine};
use heldup_tune::{
    Catalogue, Document, JudgedLine, OutlivedSystem, Release, System, Target, Version, audit as judge,
    read_document, release,
};

use crate::error::{Context, EngineError, Result};

/// Larger files are not read.
pub const MOST_AUDITED_BYTES: u64 = 16 << 20;

/// What is judged, and against what.
#[derive(Debug)]
pub struct AuditRequest {
    /// The files, in the order in which they are applied.
    pub inputs: Vec<AuditedInput>,
    /// `[SYSTEM-]NUMBER`; without it this kernel's, of other systems the newest known.
    pub release: Option<String>,
}

/// A file of settings.
#[derive(Debug)]
pub enum AuditedInput {
    /// One that is read.
    File(String),
    /// What was read already, of standard input.
    Read {
        /// What it is called in the answer.
        name: String,
        /// Its bytes; those beyond [`MOST_AUDITED_BYTES`] make it no settings.
        bytes: io::Result<Vec<u8>>,
    },
}

/// Judges files. One that cannot be read is said in the answer, and costs the others nothing.
pub fn audit(request: AuditRequest) -> Result<AuditAnswer> {
    let (mut names, mut texts, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for input in request.inputs {
        match text_of(input) {
            Ok((name, text)) => {
                names.push(name);
                texts.push(text);
            }
            Err(error) => unread.push(error),
        }
    }
    if texts.is_empty()
        && let Some(error) = unread.pop()
    {
        return Err(error);
    }
    let documents: Vec<Document> = texts.iter().map(|text| read_document(text)).collect();
    let host = Host::live();
    let asked = request.release.as_deref().map(Asked::parse).transpose()?;
    let target = target(&host, asked.as_ref(), &documents)?;
    let judged = judge(&Catalogue::builtin(), &documents, &target);
    let unread = unread.iter().map(EngineError::whole).collect();
    Ok(AuditAnswer { unread, ..answer(&names, &documents, &target, &judged) })
}

/// Its name and its text.
fn text_of(input: AuditedInput) -> Result<(String, String)> {
    let (name, bytes) = match input {
        AuditedInput::File(name) => {
            let bytes = read_file(&name);
            (name, bytes)
        }
        AuditedInput::Read { name, bytes } => (name, bytes),
    };
    let bytes = bytes.with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > MOST_AUDITED_BYTES {
        let what = format!("{name} is larger than {MOST_AUDITED_BYTES} bytes: not a settings file");
        return Err(EngineError::failed(what));
    }
    Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
}

fn read_file(name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(name)?.take(MOST_AUDITED_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A release as `--release` names it, with a system or without.
struct Asked {
    system: Option<System>,
    number: Version,
}

impl Asked {
    fn parse(text: &str) -> Result<Asked> {
        let lower = text.to_ascii_lowercase();
        let systems = [("linux-", System::Linux), ("solaris-", System::Solaris), ("aix-", System::Aix)];
        let named = systems.iter().find_map(|(start, system)| Some((*system, lower.strip_prefix(start)?)));
        let (system, number) = named.map_or((None, lower.as_str()), |(system, rest)| (Some(system), rest));
        let number =
            number.parse::<Version>().map_err(|error| EngineError::usage(format!("--release: {error}")))?;
        Ok(Asked { system, number })
    }
}

fn target<'a>(host: &'a Host, asked: Option<&Asked>, documents: &[Document]) -> Result<Target<'a>> {
    let foreign = documents.iter().find(|document| document.system != System::Linux);
    let system = asked.and_then(|asked| asked.system);
    let for_linux = system == Some(System::Linux) || (system.is_none() && foreign.is_none());
    let own = release(host);
    let wanted = match asked.filter(|_| for_linux) {
        Some(asked) => {
            let wanted = asked.number.to_string().parse::<Release>();
            Some(wanted.map_err(|error| EngineError::usage(format!("--release: {error}")))?)
        }
        None => None,
    };
    if let Some((system, foreign)) = system.zip(foreign)
        && system != System::Linux
        && system != foreign.system
    {
        return Err(EngineError::usage(format!(
            "--release: the file is from {}, not {}",
            foreign.system.title(),
            system.title()
        )));
    }
    let linux = wanted.or(own).context("cannot read the release of this kernel (give one with --release)")?;
    Ok(Target {
        linux,
        other: asked.filter(|_| !for_linux).map(|asked| asked.number.clone()),
        to_linux: system == Some(System::Linux),
        here: (Some(linux) == own).then_some(host),
    })
}

fn answer(files: &[String], documents: &[Document], target: &Target, judged: &[JudgedLine]) -> AuditAnswer {
    let named = |at: usize| files.get(at).cloned().unwrap_or_default();
    let files =
        documents.iter().enumerate().map(|(at, document)| about(named(at), document, target)).collect();
    let line = |line: &JudgedLine| AuditedLine {
        file: named(line.file),
        line: line.line as u64,
        name: line.name.clone(),
        value: line.value.clone(),
        id: line.id.clone(),
        verdict: line.verdict().word().to_owned(),
        is_warning: line.verdict().is_warning(),
        remarks: line
            .remarks
            .iter()
            .map(|remark| AuditRemark { verdict: remark.verdict.word().to_owned(), why: remark.why.clone() })
            .collect(),
        references: line.references.clone(),
    };
    let lines = judged.iter().map(line).collect();
    AuditAnswer { schema: AUDIT_SCHEMA.to_owned(), files, lines, unread: Vec::new() }
}

fn about(file: String, document: &Document, target: &Target) -> AuditedFile {
    let other = match document.system {
        System::Linux => None,
        system => OutlivedSystem::builtin(system).filter(|_| !target.to_linux),
    };
    let against = match &other {
        None => format!("Linux {}", target.linux),
        Some(known) => {
            format!("{} {}", document.system.title(), target.other.as_ref().unwrap_or(&known.newest))
        }
    };
    AuditedFile {
        file,
        system: document.system.title().to_owned(),
        against,
        is_listing: document.is_listing,
        advice: other.and_then(|known| known.advice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_costs_the_others_nothing() {
        let read = |bytes: io::Result<Vec<u8>>| AuditedInput::Read { name: "-".to_owned(), bytes };
        let gone = || AuditedInput::File("/nowhere/at/all.conf".to_owned());
        let asked = |inputs| audit(AuditRequest { inputs, release: Some("6.1".to_owned()) });
        let found = asked(vec![gone(), read(Ok(b"vm.swappiness = 10\n".to_vec()))]).expect("an answer");
        assert_eq!((found.files.len(), found.lines.len()), (1, 1));
        assert!(found.unread[0].starts_with("cannot read /nowhere/at/all.conf: "), "{:?}", found.unread);
        let refused = asked(vec![gone()]).expect_err("nothing is read");
        assert!(refused.whole().starts_with("cannot read /nowhere/at/all.conf: "), "{}", refused.whole());
        let large = vec![b'#'; MOST_AUDITED_BYTES as usize + 1];
        let refused = asked(vec![read(Ok(large))]).expect_err("no settings");
        assert_eq!(refused.whole(), "- is larger than 16777216 bytes: not a settings file");
    }
}
