//! `heldup tune audit FILE…`: settings that somebody brings along, each line judged against a release.

use std::io::Read;

use anyhow::{Context, bail, ensure};
use heldup_hostfs::Host;
use heldup_model::{AUDIT_SCHEMA, AuditAnswer, AuditRemark, AuditedFile, AuditedLine};
use heldup_report::audit as report;
use heldup_tune::{
    Catalogue, Document, JudgedLine, OutlivedSystem, Release, System, Target, Version, audit, read_document,
    release,
};

use super::args::TuneAuditArgs;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal;

/// Larger files are no settings.
const MOST_BYTES: u64 = 16 << 20;

/// Judges files. One that cannot be read is said, and costs the others nothing.
pub fn run(args: &TuneAuditArgs) -> anyhow::Result<Exit> {
    let (mut names, mut texts, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for file in &args.files {
        match text_of(file) {
            Ok(text) => {
                names.push(file.clone());
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
    let asked = args.release.as_deref().map(Asked::of).transpose()?;
    let target = target(&host, asked.as_ref(), &documents)?;
    let judged = audit(&Catalogue::builtin(), &documents, &target);
    let found = args.check && judged.iter().any(|line| line.verdict().is_warning());
    let answer = answer(&names, &documents, &target, &judged);
    match args.format {
        Format::Text => print!("{}", report::text(&answer, terminal::width(), args.all)),
        Format::Json => print!("{}", report::json(&answer)),
    }
    unread.iter().for_each(|error| eprintln!("heldup: {error:#}"));
    Ok(match (unread.is_empty(), found) {
        (false, _) => Exit::COULD_NOT,
        (true, true) => Exit::FOUND,
        (true, false) => Exit::DONE,
    })
}

/// `-` is standard input.
fn text_of(file: &str) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes),
        file => std::fs::File::open(file).and_then(|open| open.take(MOST_BYTES + 1).read_to_end(&mut bytes)),
    };
    let length = read.with_context(|| format!("cannot read {file}"))?;
    ensure!(length as u64 <= MOST_BYTES, "{file} has more than {MOST_BYTES} bytes: no settings");
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A release as `--release` names it, with a system or without.
struct Asked {
    system: Option<System>,
    number: Version,
}

impl Asked {
    fn of(text: &str) -> anyhow::Result<Asked> {
        let lower = text.to_ascii_lowercase();
        let systems = [("linux-", System::Linux), ("solaris-", System::Solaris), ("aix-", System::Aix)];
        let named = systems.iter().find_map(|(start, system)| Some((*system, lower.strip_prefix(start)?)));
        let (system, number) = named.map_or((None, lower.as_str()), |(system, rest)| (Some(system), rest));
        let number = number.parse::<Version>().map_err(|error| WrongUsage(format!("--release: {error}")))?;
        Ok(Asked { system, number })
    }
}

fn target<'a>(host: &'a Host, asked: Option<&Asked>, documents: &[Document]) -> anyhow::Result<Target<'a>> {
    let foreign = documents.iter().find(|document| document.system != System::Linux);
    let system = asked.and_then(|asked| asked.system);
    let for_linux = system == Some(System::Linux) || (system.is_none() && foreign.is_none());
    let own = release(host);
    let wanted = match asked.filter(|_| for_linux) {
        Some(asked) => {
            let wanted = asked.number.to_string().parse::<Release>();
            Some(wanted.map_err(|error| WrongUsage(format!("--release: {error}")))?)
        }
        None => None,
    };
    if let Some((system, foreign)) = system.zip(foreign)
        && system != System::Linux
        && system != foreign.system
    {
        bail!(WrongUsage(format!(
            "--release: the file is of {}, not of {}",
            foreign.system.title(),
            system.title()
        )));
    }
    let linux = wanted.or(own).context("this kernel's release cannot be read; name one by --release")?;
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
    AuditAnswer { schema: AUDIT_SCHEMA.to_owned(), files, lines: judged.iter().map(line).collect() }
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
