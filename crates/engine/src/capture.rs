//! One file with all that can be seen of a machine, for a helper elsewhere.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use heldup_archive::store;
use heldup_diagnose::cut;
use heldup_model::tables::SettingRow;
use heldup_model::{BASELINE_SCHEMA, BaselineShown, CAPTURE_SCHEMA, Capture, CaptureWritten, Record};

use crate::cancel::Cancel;
use crate::error::{Context, EngineError, Result};
use crate::overhead;
use crate::progress::Progress;
use crate::redaction;
use crate::request::{AskedSpan, MethodChoice};
use crate::session::look::{Request, Window, look};
use crate::source::{Source, baseline_file, load};
use crate::times::rfc3339;

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

/// Looks at everything, or opens what was kept, and writes it.
pub fn capture(request: &CaptureRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<CaptureWritten> {
    let file = match &request.to {
        CaptureTo::File(file) => file.clone(),
        CaptureTo::Baseline => made_baseline()?,
    };
    // Before measuring: nobody wants to wait for a refusal.
    if !request.force && fs::symlink_metadata(&file).is_ok() {
        let what = format!("{} exists (--force replaces it)", file.display());
        return Err(EngineError::failed(what));
    }
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        let what =
            format!("cannot write {}: no folder {} (create it first)", file.display(), folder.display());
        return Err(EngineError::not_found(what));
    }
    let mut cost = None;
    let source = Source::open(request.source.as_deref(), &request.span, progress)?;
    let recorded = source.recorded(&request.span, request.window, progress)?;
    let mut capture = match (source, recorded) {
        (_, Some(recorded)) => recorded.capture,
        (Source::Archive(archive), None) => {
            let asked = archive.asked(&request.span, request.window, progress)?;
            let which = || EngineError::usage("an archive needs --since");
            archive.capture(asked.ok_or_else(which)?)?
        }
        (_, None) => {
            let window = Window::For(request.window.unwrap_or(DEFAULT_WINDOW));
            let looked = look(&Request::of(window, request.method).with_all_tables(), progress, cancel)?;
            cost = Some(overhead::so_far(looked.programs, false));
            // But for what we do ourselves.
            cut(&looked.capture, None, looked.own_pid).capture
        }
    };
    redaction::of_one(&mut capture, request.redact)?;
    let written = store::save_file(&capture, &file, request.force).context("cannot write the capture")?;
    Ok(CaptureWritten {
        schema: CAPTURE_SCHEMA.to_owned(),
        file: file.display().to_string(),
        seconds: capture.span.secs(),
        host: capture.host,
        tables: written.tables as u64,
        rows: written.rows,
        bytes: written.bytes,
        overhead: cost,
    })
}

/// Where the baseline goes, in a folder that is there.
fn made_baseline() -> Result<PathBuf> {
    let file = baseline_file()?;
    if let Some(folder) = file.parent() {
        let made = DirBuilder::new().mode(0o755).recursive(true).create(folder);
        made.with_context(|| format!("cannot create {}", folder.display()))?;
    }
    Ok(file)
}

/// When the baseline was saved, and of which machine.
pub fn show_baseline() -> Result<BaselineShown> {
    let file = baseline_file()?;
    let Ok(data) = fs::metadata(&file) else {
        let what = format!("no baseline in {}; `heldup baseline save` writes it", file.display());
        return Err(EngineError::not_found(what));
    };
    // One of another build can still be dropped.
    let capture = load(&file).ok();
    let settings = |capture: &Capture| {
        let batches = capture.tables.get(SettingRow::DEF.name).into_iter().flatten();
        batches.map(|batch| batch.num_rows() as u64).sum()
    };
    Ok(BaselineShown {
        schema: BASELINE_SCHEMA.to_owned(),
        file: file.display().to_string(),
        time: capture.as_ref().map(|capture| rfc3339(capture.span.until_ms)).transpose()?,
        settings: capture.as_ref().map(settings),
        host: capture.map(|capture| capture.host),
        bytes: data.len(),
        dropped: false,
    })
}

/// Deletes the baseline.
pub fn drop_baseline() -> Result<BaselineShown> {
    let shown = show_baseline()?;
    fs::remove_file(&shown.file).with_context(|| format!("cannot delete {}", shown.file))?;
    Ok(BaselineShown { dropped: true, ..shown })
}
