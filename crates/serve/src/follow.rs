//! A machine that runs, once for all tabs: it is judged while somebody asks, and its end is looked for once a second
//! while somebody waits for it. Without anybody nothing is done.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use heldup_hostfs::{monotonic_ns, realtime_ms};
use heldup_model::{PageLive, PageView, Span};
use hyper::StatusCode;

use crate::app::{App, Viewed};
use crate::live::{LOOK_EVERY, Seen};
use crate::problem::Problem;

/// How long somebody waits for a later sample.
const PATIENCE: Duration = Duration::from_secs(25);

/// The window of now as JSON, with the calm of `watch`.
pub async fn now(app: &Arc<App>, viewed: &Arc<Viewed>) -> Result<Bytes, Problem> {
    let mut judged = viewed.live.judged.lock().await;
    if let Some(answer) = judged.fresh() {
        return Ok(answer);
    }
    let answer = app.ask(Some(viewed.host.clone()), |_, viewed| follow(viewed)).await?;
    judged.renew(answer.clone());
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
    viewed.live.note_judged(judged_ms);
    let page = PageView { span: view.span, examination: view.examination, judged_ms: Some(judged_ms) };
    Ok(serde_json::to_vec(&page).unwrap_or_default().into())
}

/// Waits until there is a later sample than one of a time; after a while it answers without one.
pub async fn later_than(app: &Arc<App>, viewed: &Arc<Viewed>, after_ms: i64) -> Result<PageLive, Problem> {
    let until_ns = monotonic_ns() + PATIENCE.as_nanos() as u64;
    loop {
        let all = all(app, viewed).await?;
        if all.until_ms > after_ms || monotonic_ns() >= until_ns {
            return Ok(PageLive { until_ms: all.until_ms, all, judged_ms: viewed.live.judged_ms() });
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// All that there is; looked for once a second, however many ask.
async fn all(app: &Arc<App>, viewed: &Arc<Viewed>) -> Result<Span, Problem> {
    let mut seen = viewed.live.seen.lock().await;
    if let Some(all) = seen.and_then(Seen::fresh) {
        return Ok(all);
    }
    let all = app.ask(Some(viewed.host.clone()), |_, viewed| viewed.ask(|viewer| viewer.all())).await?;
    *seen = Some(Seen::new(all));
    Ok(all)
}
