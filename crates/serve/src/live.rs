//! A machine that runs, once for all tabs: it is judged while somebody asks, and its end is looked for once a second
//! while somebody waits for it. Without anybody nothing is done.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use heldup_hostfs::{monotonic_ns, realtime_ms};
use heldup_model::{PageLive, PageView, Span};
use hyper::StatusCode;
use tokio::sync::Mutex;

use crate::app::{App, Viewed};
use crate::problem::Problem;

/// Between two judgements.
const JUDGE_EVERY: Duration = Duration::from_secs(10);
/// Before that many seconds were recorded it is judged again sooner.
const SOON: [u64; 3] = [2, 5, 10];
/// Between two looks for a later sample.
const LOOK_EVERY: Duration = Duration::from_millis(990);
/// How long somebody waits for one.
const PATIENCE: Duration = Duration::from_secs(25);

/// What is known of now.
#[derive(Default)]
pub struct Live {
    judged: Mutex<Judged>,
    seen: Mutex<Option<Seen>>,
    /// When it was judged last; 0 before the first time.
    judged_ms: AtomicI64,
}

/// The last judgement.
#[derive(Default)]
struct Judged {
    answer: Option<Bytes>,
    at_ns: u64,
    count: usize,
}

/// What there was when it was looked for.
#[derive(Clone, Copy)]
struct Seen {
    at_ns: u64,
    all: Span,
}

impl Judged {
    fn is_fresh(&self) -> bool {
        let every = SOON.get(self.count.saturating_sub(1)).map_or(JUDGE_EVERY, |s| Duration::from_secs(*s));
        monotonic_ns().saturating_sub(self.at_ns) < every.as_nanos() as u64
    }
}

/// The window of now as JSON, with the calm of `watch`.
pub async fn now(app: &Arc<App>, viewed: &Arc<Viewed>) -> Result<Bytes, Problem> {
    let mut judged = viewed.live.judged.lock().await;
    if let Some(answer) = judged.answer.as_ref().filter(|_| judged.is_fresh()) {
        return Ok(answer.clone());
    }
    let answer = app.ask(Some(viewed.host.clone()), |_, viewed| follow(viewed)).await?;
    *judged = Judged { answer: Some(answer.clone()), at_ns: monotonic_ns(), count: judged.count + 1 };
    Ok(answer)
}

fn follow(viewed: &Arc<Viewed>) -> Result<Bytes, Problem> {
    let view = {
        let mut viewer = viewed.viewer.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(what) = viewer.lost() {
            return Err(
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, what).with("start `heldup serve` again")
            );
        }
        viewer.follow()?
    };
    let judged_ms = realtime_ms();
    viewed.live.judged_ms.store(judged_ms, Ordering::Relaxed);
    let page = PageView { span: view.span, examination: view.examination, judged_ms: Some(judged_ms) };
    Ok(serde_json::to_vec(&page).unwrap_or_default().into())
}

/// Waits until there is a later sample than one of a time; after a while it answers without one.
pub async fn later_than(app: &Arc<App>, viewed: &Arc<Viewed>, after_ms: i64) -> Result<PageLive, Problem> {
    let until_ns = monotonic_ns() + PATIENCE.as_nanos() as u64;
    loop {
        let all = all(app, viewed).await?;
        if all.until_ms > after_ms || monotonic_ns() >= until_ns {
            let judged_ms = Some(viewed.live.judged_ms.load(Ordering::Relaxed)).filter(|ms| *ms > 0);
            return Ok(PageLive { until_ms: all.until_ms, all, judged_ms });
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// All that there is; looked for once a second, however many ask.
async fn all(app: &Arc<App>, viewed: &Arc<Viewed>) -> Result<Span, Problem> {
    let mut seen = viewed.live.seen.lock().await;
    let is_fresh = |seen: &Seen| monotonic_ns().saturating_sub(seen.at_ns) < LOOK_EVERY.as_nanos() as u64;
    if let Some(known) = seen.filter(is_fresh) {
        return Ok(known.all);
    }
    let all = app.ask(Some(viewed.host.clone()), |_, viewed| viewed.ask(|viewer| viewer.all())).await?;
    *seen = Some(Seen { at_ns: monotonic_ns(), all });
    Ok(all)
}
