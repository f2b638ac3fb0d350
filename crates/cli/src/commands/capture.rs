//! `heldup capture FILE`: one file with all that can be seen of a machine, for a helper elsewhere.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use heldup_archive::{KnownNames, redact, store};
use heldup_diagnose::cut;
use heldup_hostfs::Host;
use heldup_model::{Capture, CostOfLooking, Missing};
use heldup_report::{harmless, quantity};

use crate::args::CaptureArgs;
use crate::exit::Exit;
use crate::live::{Request, Window, look};
use crate::own_cost;
use crate::recordings;
use crate::source::{Source, baseline_file, load};

/// Looks at everything, or opens what was kept, and writes it.
pub fn run(args: &CaptureArgs) -> anyhow::Result<Exit> {
    let (source, file) = match (args.words.as_slice(), args.baseline) {
        (words, true) => (words.first(), made_baseline()?),
        ([file], false) => (None, PathBuf::from(file)),
        ([source, file], false) => (Some(source), PathBuf::from(file)),
        _ => bail!("expected the file to write, or a source and the file"),
    };
    // Before looking: nobody wants to wait for a refusal.
    if !args.force && fs::symlink_metadata(&file).is_ok() {
        bail!("{} is there already; --force replaces it", file.display());
    }
    let mut overhead = None;
    let mut capture = match Source::parse(source.map(String::as_str), &args.span)? {
        Source::Kept { folder, .. } => load(&folder)?,
        Source::Recordings { files, .. } => recordings::read(&files)?.0,
        Source::Archive(archive) => {
            let asked = archive.asked(&args.span, args.window)?;
            archive.capture(asked.context("of an archive --since says which window")?)?
        }
        Source::Live => {
            let (capture, cost) = seen(args)?;
            overhead = Some(cost);
            capture
        }
    };
    if args.redact {
        capture = without_names(&capture)?;
    }
    let written = store::save_file(&capture, &file, args.force).context("the capture cannot be written")?;
    print!("{}", said(args, &capture, &file, &written));
    if let Some(cost) = overhead {
        println!("{}", heldup_report::overhead::plain_line(&cost));
    }
    Ok(Exit::DONE)
}

/// How long to look at the live machine: two of these can be compared, and more than large differences are told.
const DEFAULT_WINDOW: Duration = Duration::from_secs(30);

/// Everything that this machine shows, but for what we do ourselves.
fn seen(args: &CaptureArgs) -> anyhow::Result<(Capture, CostOfLooking)> {
    let looked = look(
        &Request::of(Window::For(args.window.unwrap_or(DEFAULT_WINDOW)), args.method).with_all_tables(),
    )?;
    Ok((cut(&looked.capture, None, looked.own_pid).capture, own_cost::so_far(looked.programs, false)))
}

/// The capture with pseudonyms. What this machine knows of names helps only with its own captures.
fn without_names(capture: &Capture) -> anyhow::Result<Capture> {
    let host = Host::live();
    let is_ours = host.read_text("/proc/sys/kernel/hostname").is_ok_and(|name| name == capture.host);
    let known = if is_ours { KnownNames::of(&host) } else { KnownNames::default() };
    let redacted = redact(capture, &known).map_err(anyhow::Error::msg);
    let mut redacted = redacted.context("names cannot be replaced, and nothing was written")?;
    redacted.missing.push(Missing {
        what: "names".to_owned(),
        why: "hosts, addresses, users, arguments and paths of homes were replaced by pseudonyms".to_owned(),
        how: "a capture without --redact".to_owned(),
    });
    Ok(redacted)
}

/// Where the baseline goes, in a folder that is there.
fn made_baseline() -> anyhow::Result<PathBuf> {
    let file = baseline_file()?;
    if let Some(folder) = file.parent() {
        let made = DirBuilder::new().mode(0o700).recursive(true).create(folder);
        made.with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(file)
}

fn said(args: &CaptureArgs, capture: &Capture, file: &Path, written: &store::Written) -> String {
    let holds = match (args.baseline, args.redact) {
        (true, _) => "`heldup examine` says from now on which settings differ from it (config.drift).",
        (false, true) => {
            "Names, addresses and arguments are pseudonyms now; names that nothing shows to be names are not: \
             read what you publish."
        }
        (false, false) => {
            "It holds names, addresses, command lines and the kernel's log, and only its owner may read it; \
             --redact replaces what names somebody."
        }
    };
    let text = format!(
        "{}: {} s of {}, {} tables, {} rows, {}",
        file.display(),
        quantity::number(capture.span.secs()),
        capture.host,
        written.tables,
        quantity::count(i64::try_from(written.rows).unwrap_or(i64::MAX)),
        quantity::bytes(written.bytes as f64),
    );
    format!("{}\n{holds}\n", harmless(&text.replace('\u{a0}', " ")))
}
