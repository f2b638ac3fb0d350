//! One file with all that can be seen of a machine, for a helper elsewhere.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use heldup_archive::{KnownNames, redact, store};
use heldup_diagnose::cut;
use heldup_hostfs::Host;
use heldup_model::{Capture, Missing, Overhead};

use crate::cancel::Cancel;
use crate::error::{Context, EngineError, Result};
use crate::overhead;
use crate::progress::Progress;
use crate::request::{AskedSpan, MethodChoice};
use crate::session::look::{Request, Window, look};
use crate::source::{Source, baseline_file, load, recordings};

/// How long to look at the live machine: two of these can be compared, and more than large differences are told.
const DEFAULT_WINDOW: Duration = Duration::from_secs(30);

/// What is written, and how.
#[derive(Clone, Debug)]
pub struct CaptureRequest {
    /// A SOURCE word; none for the running machine.
    pub source: Option<String>,
    /// Where it goes.
    pub to: CaptureTo,
    /// How long to look, from now or from the time asked for.
    pub window: Option<Duration>,
    /// Which window of an archive.
    pub span: AskedSpan,
    /// How to account for time.
    pub method: MethodChoice,
    /// Whether names are replaced by pseudonyms.
    pub redact: bool,
    /// Whether a file that is there is replaced.
    pub force: bool,
}

/// Where a capture goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureTo {
    /// Into a file.
    File(PathBuf),
    /// Into the machine's baseline.
    Baseline,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct CaptureWritten {
    /// Where it is.
    pub file: PathBuf,
    /// Whose it is.
    pub host: String,
    /// The length of its window.
    pub seconds: f64,
    /// Tables.
    pub tables: usize,
    /// Rows of all of them.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
    /// What looking cost, where somebody looked.
    pub cost: Option<Overhead>,
}

/// Looks at everything, or opens what was kept, and writes it.
pub fn capture(request: &CaptureRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<CaptureWritten> {
    let file = match &request.to {
        CaptureTo::File(file) => file.clone(),
        CaptureTo::Baseline => made_baseline()?,
    };
    // Before looking: nobody wants to wait for a refusal.
    if !request.force && fs::symlink_metadata(&file).is_ok() {
        let what = format!("{} is there already; --force replaces it", file.display());
        return Err(EngineError::failed(what));
    }
    let mut cost = None;
    let mut capture = match Source::parse(request.source.as_deref(), &request.span)? {
        Source::Kept { folder, .. } => load(&folder)?,
        Source::Recordings { files, .. } => recordings::read(&files)?.0,
        Source::Archive(archive) => {
            let asked = archive.asked(&request.span, request.window, progress)?;
            let which = || EngineError::usage("of an archive --since says which window");
            archive.capture(asked.ok_or_else(which)?)?
        }
        Source::Live => {
            let window = Window::For(request.window.unwrap_or(DEFAULT_WINDOW));
            let looked = look(&Request::of(window, request.method).with_all_tables(), progress, cancel)?;
            cost = Some(overhead::so_far(looked.programs, false));
            // But for what we do ourselves.
            cut(&looked.capture, None, looked.own_pid).capture
        }
    };
    if request.redact {
        capture = without_names(&capture)?;
    }
    let written =
        store::save_file(&capture, &file, request.force).context("the capture cannot be written")?;
    Ok(CaptureWritten {
        file,
        seconds: capture.span.secs(),
        host: capture.host,
        tables: written.tables,
        rows: written.rows as u64,
        bytes: written.bytes,
        cost,
    })
}

/// The capture with pseudonyms. What this machine knows of names helps only with its own captures.
fn without_names(capture: &Capture) -> Result<Capture> {
    let host = Host::live();
    let is_ours = host.read_text("/proc/sys/kernel/hostname").is_ok_and(|name| name == capture.host);
    let known = if is_ours { KnownNames::of(&host) } else { KnownNames::default() };
    let mut redacted = redact(capture, &known).map_err(|error| {
        EngineError::failed(format!("names cannot be replaced, and nothing was written: {error}"))
    })?;
    redacted.missing.push(Missing {
        what: "names".to_owned(),
        why: "hosts, addresses, users, arguments and paths of homes were replaced by pseudonyms".to_owned(),
        how: "a capture without --redact".to_owned(),
    });
    Ok(redacted)
}

/// Where the baseline goes, in a folder that is there.
fn made_baseline() -> Result<PathBuf> {
    let file = baseline_file()?;
    if let Some(folder) = file.parent() {
        let made = DirBuilder::new().mode(0o700).recursive(true).create(folder);
        made.with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(file)
}
