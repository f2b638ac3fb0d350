//! The source, a window of it, who is there, how it is recorded.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Json, Response};
use heldup_engine::{Viewer, listed_figures};
use heldup_hostfs::is_root;
use heldup_model::{
    ExplainedRule, HostSummary, Method, Now, PageLive, PageRecorder, PageSource, PageState, PageTime,
    PageView, RecorderStatus, View,
};
use heldup_report::machine;
use hyper::Uri;
use serde::Deserialize;

use super::asked::{Asked, Host, Of, span};
use crate::app::{App, Viewed, json};
use crate::follow;
use crate::problem::Problem;

/// Processes whose time is told step by step, and steps, at most.
const MOST_PROCESSES: usize = 500;
const MOST_STEPS: usize = 1_000;

/// `GET /api/state`.
pub async fn state(State(app): State<Arc<App>>, Asked(of): Asked<Host>) -> Result<Json<PageState>, Problem> {
    let state = app.ask(of.host, |app, viewed| viewed.ask(|viewer| state_of(app, viewed, viewer))).await;
    Ok(Json(state?))
}

fn state_of(app: &App, viewed: &Viewed, viewer: &Viewer) -> heldup_engine::Result<PageState> {
    let summary = viewer.host()?;
    let (areas, figures) = listed_figures();
    let recorded = viewer.status().ok();
    let host = if viewed.host.is_empty() { summary.name.clone() } else { viewed.host.clone() };
    let is_live = viewer.is_live();
    Ok(PageState {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        source: PageSource { name: viewer.name().map(str::to_owned), kind: viewer.kind() },
        live: is_live,
        hosts: if viewed.host.is_empty() { vec![host.clone()] } else { app.hosts.clone() },
        host,
        system: system(&summary, recorded.as_ref().and_then(|status| status.method.as_deref())),
        cpus: summary.cpus,
        zone: viewer.zone().and_then(|zone| zone.iana_name()).map(str::to_owned),
        all: viewer.all()?,
        first: viewer.first()?,
        note: viewed.note.clone(),
        sudo: is_live && !is_root(),
        figures,
        areas,
        recorder: recorded.filter(|_| is_live).map(|status| PageRecorder {
            overhead_share: status.cost.as_ref().map(|cost| cost.cpu_ratio + cost.bpf_ratio.unwrap_or(0.0)),
            bytes: status.archive_bytes,
            bytes_per_day: status.bytes_per_day,
        }),
    })
}

/// `Linux 6.18 · 2 CPUs · 25.3 GB · time accounting by eBPF, all switches seen`. How time is accounted for stands in a
/// capture; of an archive its recorder says it.
fn system(host: &HostSummary, recorder: Option<&str>) -> String {
    let own = Some(host.method).filter(|method| *method != Method::Imported).map(Method::name);
    let method = match own.or(recorder) {
        Some("ebpf") => Some("time accounting by eBPF, all switches seen"),
        Some("sampling") => Some("time accounting by samples of /proc"),
        Some("delays") => Some("the kernel's delay counters, no other waits"),
        _ => None,
    };
    machine(host).into_iter().chain(method.map(str::to_owned)).collect::<Vec<_>>().join(" · ")
}

/// `GET /api/view`.
pub async fn view(State(app): State<Arc<App>>, uri: Uri, Asked(of): Asked<Of>) -> Result<Response, Problem> {
    let (Some(since_ms), Some(until_ms)) = (of.since_ms, of.until_ms) else {
        return first(&app, of.host).await;
    };
    let span = span(since_ms, until_ms)?;
    app.window(&uri, of.host, span, move |viewer| viewer.look(span).map(page)).await
}

/// The window of now, or the one that is shown first.
async fn first(app: &Arc<App>, host: Option<String>) -> Result<Response, Problem> {
    let (viewed, is_live) = app
        .ask(host, |_, viewed| Ok((Arc::clone(viewed), viewed.ask(|viewer| Ok(viewer.is_live()))?)))
        .await?;
    if is_live {
        return Ok(json(follow::now(app, &viewed).await?));
    }
    let judge = |_: &App, viewed: &Arc<Viewed>| viewed.ask(|viewer| viewer.look(viewer.first()?)).map(page);
    Ok(Json(app.ask(Some(viewed.host.clone()), judge).await?).into_response())
}

fn page(view: View) -> PageView {
    PageView { span: view.span, examination: view.examination, judged_ms: None }
}

/// Who, in which window; with the time of so many processes in so many steps.
#[derive(Debug, Deserialize)]
pub struct WhoOf {
    since_ms: i64,
    until_ms: i64,
    #[serde(default)]
    processes: usize,
    #[serde(default)]
    steps: usize,
    host: Option<String>,
}

/// `GET /api/who`.
pub async fn who(
    State(app): State<Arc<App>>,
    uri: Uri,
    Asked(of): Asked<WhoOf>,
) -> Result<Response, Problem> {
    let span = span(of.since_ms, of.until_ms)?;
    let (processes, steps) = (of.processes.min(MOST_PROCESSES), of.steps.min(MOST_STEPS));
    let ask = move |viewer: &Viewer| viewer.who_over_time(span, processes, steps);
    app.window(&uri, of.host, span, ask).await
}

/// Which process, in which window.
#[derive(Debug, Deserialize)]
pub struct LifeOf {
    pid: i64,
    start_ms: Option<i64>,
    since_ms: i64,
    until_ms: i64,
    host: Option<String>,
}

/// `GET /api/life`.
pub async fn life(
    State(app): State<Arc<App>>,
    uri: Uri,
    Asked(of): Asked<LifeOf>,
) -> Result<Response, Problem> {
    let span = span(of.since_ms, of.until_ms)?;
    app.window(&uri, of.host, span, move |viewer| viewer.life(of.pid, of.start_ms, span)).await
}

/// `GET /api/marks`.
pub async fn marks(State(app): State<Arc<App>>, uri: Uri, Asked(of): Asked<Of>) -> Result<Response, Problem> {
    let span = of.span()?;
    app.window(&uri, of.host, span, move |viewer| viewer.marks(span)).await
}

/// `GET /api/record`.
pub async fn record(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Host>,
) -> Result<Json<RecorderStatus>, Problem> {
    app.viewer(of.host, Viewer::status).await.map(Json)
}

/// Which rule.
#[derive(Debug, Deserialize)]
pub struct RuleOf {
    id: String,
    host: Option<String>,
}

/// `GET /api/rule`.
pub async fn rule(
    State(app): State<Arc<App>>,
    Asked(of): Asked<RuleOf>,
) -> Result<Json<ExplainedRule>, Problem> {
    app.viewer(of.host, move |viewer| viewer.rule(&of.id)).await.map(Json)
}

/// `GET /api/now`.
pub async fn now(State(app): State<Arc<App>>, Asked(of): Asked<Host>) -> Result<Json<Now>, Problem> {
    app.viewer(of.host, Viewer::vitals).await.map(Json)
}

/// A time in words.
#[derive(Debug, Deserialize)]
pub struct Words {
    words: String,
    host: Option<String>,
}

/// `GET /api/time`.
pub async fn time(State(app): State<Arc<App>>, Asked(of): Asked<Words>) -> Result<Json<PageTime>, Problem> {
    let ms = app.viewer(of.host, move |viewer| viewer.time(&of.words)).await?;
    Ok(Json(PageTime { ms }))
}

/// After which sample.
#[derive(Debug, Deserialize)]
pub struct After {
    after_ms: i64,
    host: Option<String>,
}

/// `GET /api/live`.
pub async fn live(State(app): State<Arc<App>>, Asked(of): Asked<After>) -> Result<Json<PageLive>, Problem> {
    let viewed = app.ask(of.host, |_, viewed| Ok(Arc::clone(viewed))).await?;
    Ok(Json(follow::later_than(&app, &viewed, of.after_ms).await?))
}
