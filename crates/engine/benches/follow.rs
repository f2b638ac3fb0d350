//! What it costs to follow a machine: CPU milliseconds of each judgement of the last minute, and of vital signs each second.
//!
//! `cargo bench -p heldup-engine --bench follow -- ARCHIVE`, an archive with one journal that is not sealed (`heldup
//! record -o ARCHIVE --for 4m`, ended by SIGKILL). Its journal is copied and grows by a second ten times between two judgements,
//! as that of a recorder does. CPU time is that of this thread, so that a busy machine disturbs little. With `--check` each
//! window is also read and judged as a whole, and must be the same.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use heldup_engine::{Silent, ViewRequest, Viewer};
use heldup_hostfs::thread_cpu_ns;
use heldup_model::{Span, View};

/// Seconds between two judgements.
const STEP: usize = 10;

fn main() {
    let archive = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let Some(archive) = archive else {
        println!("follow: needs an archive with an open journal");
        return;
    };
    let scratch = std::env::temp_dir().join(format!("heldup-follow-{}", std::process::id()));
    let journals = scratch.join("journal");
    fs::create_dir_all(&journals).expect("a folder");
    let whole = follow(Path::new(&archive), &scratch, &journals);
    fs::remove_dir_all(&scratch).expect("removed");
    whole.expect("followed");
}

/// That the window is what it is when it is looked at alone. What flickers is not shown, and left out here.
fn check(viewer: &Viewer, view: &View) -> Result<(), Box<dyn std::error::Error>> {
    let until_ms = view.span.until_ms;
    let since_ms = viewer.all()?.since_ms.max(until_ms - 60_000);
    let looked = viewer.look(Span { since_ms, until_ms })?;
    let judged = |view: &View| {
        let of = &view.examination;
        format!("{:?} {:?} {:?} {:?} {:?}", of.ledger, of.vitals, of.ruled_out, of.not_checked, of.errors)
    };
    assert_eq!(judged(view), judged(&looked));
    assert_eq!((&view.tasks, &view.processes), (&looked.tasks, &looked.processes));
    Ok(())
}

fn follow(archive: &Path, scratch: &Path, journals: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let file = fs::read_dir(archive.join("journal"))?.next().ok_or("no journal")??;
    let bytes = fs::read(file.path())?;
    let mut journal = fs::File::create(journals.join(file.file_name()))?;
    let request = |sources: &Path| ViewRequest {
        sources: vec![sources.display().to_string()],
        window: Some(Duration::from_secs(60)),
        ..ViewRequest::default()
    };
    let length_s = Viewer::open(&request(archive), &Silent)?.all()?.secs();
    let second = (bytes.len() as f64 / length_s) as usize;
    let mut written = (second * 70).min(bytes.len());
    journal.write_all(&bytes[..written])?;
    let mut viewer = Viewer::open(&request(scratch), &Silent)?;
    let checked = std::env::args().any(|word| word == "--check");
    let (mut judged, mut read) = (Vec::new(), Vec::new());
    loop {
        let begun = thread_cpu_ns();
        let view = viewer.follow()?;
        judged.push((thread_cpu_ns() - begun) as f64 / 1e6);
        if checked {
            check(&viewer, &view)?;
        }
        println!(
            "{:7.1} ms  {:.0} s, {} threads, {} findings",
            judged.last().copied().unwrap_or_default(),
            view.span.secs(),
            view.tasks.len(),
            view.examination.findings.len()
        );
        if written + second > bytes.len() {
            break;
        }
        for _ in 0..STEP {
            let next = (written + second).min(bytes.len());
            journal.write_all(&bytes[written..next])?;
            written = next;
            // What was read just now is not read again.
            sleep(Duration::from_millis(210));
            let begun = thread_cpu_ns();
            viewer.vitals()?;
            read.push((thread_cpu_ns() - begun) as f64 / 1e6);
        }
    }
    let first = judged.remove(0);
    let (judgement, second) = (median(judged), median(read));
    println!(
        "first {first:.1} ms, later ones: median {judgement:.1} ms; vital signs each second: median {second:.2} ms; together \
         {:.2} % of a CPU",
        (judgement + STEP as f64 * second) / 100.0
    );
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
