//! Questions in SQL; one kind of time by program, object and stack; what differs between two windows; experiments.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{Json, Response};
use heldup_engine::Viewer;
use heldup_model::{BreakdownKind, Experiment, ListedExperiment, Span, SqlAsked, SqlPage, TablesAnswer};
use hyper::{StatusCode, Uri};
use serde::Deserialize;

use super::asked::{Asked, Host, body, span};
use crate::app::{App, Viewed};
use crate::problem::Problem;

/// Which kind of time of which window.
#[derive(Debug, Deserialize)]
pub struct Kind {
    kind: BreakdownKind,
    since_ms: i64,
    until_ms: i64,
    focus: Option<String>,
    host: Option<String>,
}

/// `GET /api/breakdown`.
pub async fn breakdown(
    State(app): State<Arc<App>>,
    uri: Uri,
    Asked(of): Asked<Kind>,
) -> Result<Response, Problem> {
    let span = span(of.since_ms, of.until_ms)?;
    let ask = move |viewer: &Viewer| viewer.flame(of.kind, span, of.focus.as_deref());
    app.window(&uri, of.host, span, ask).await
}

/// Two windows.
#[derive(Debug, Deserialize)]
pub struct Two {
    since_ms: i64,
    until_ms: i64,
    before_since_ms: i64,
    before_until_ms: i64,
    kind: Option<BreakdownKind>,
    host: Option<String>,
}

/// `GET /api/breakdown-difference`.
pub async fn breakdown_difference(
    State(app): State<Arc<App>>,
    uri: Uri,
    Asked(of): Asked<Two>,
) -> Result<Response, Problem> {
    let (after, before) = (span(of.since_ms, of.until_ms)?, span(of.before_since_ms, of.before_until_ms)?);
    let kind = of.kind.ok_or_else(|| Problem::usage("kind is missing"))?;
    let last = later(before, after);
    app.window(&uri, of.host, last, move |viewer| viewer.breakdown_difference(kind, before, after)).await
}

/// `GET /api/compare`.
pub async fn compare(
    State(app): State<Arc<App>>,
    uri: Uri,
    Asked(of): Asked<Two>,
) -> Result<Response, Problem> {
    let (after, before) = (span(of.since_ms, of.until_ms)?, span(of.before_since_ms, of.before_until_ms)?);
    let last = later(before, after);
    app.window(&uri, of.host, last, move |viewer| viewer.compare(before, after)).await
}

/// The one that ends last: where it is sealed, so is the other.
fn later(one: Span, other: Span) -> Span {
    if one.until_ms > other.until_ms { one } else { other }
}

/// `GET /api/experiments`.
pub async fn experiments(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Host>,
) -> Result<Json<Vec<ListedExperiment>>, Problem> {
    app.viewer(of.host, |viewer| viewer.experiments()).await.map(Json)
}

/// Which experiment.
#[derive(Debug, Deserialize)]
pub struct Id {
    id: String,
    host: Option<String>,
}

/// `GET /api/experiment`.
pub async fn experiment(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Id>,
) -> Result<Json<Experiment>, Problem> {
    app.viewer(of.host, move |viewer| viewer.experiment(&of.id)).await.map(Json)
}

/// `GET /api/tables`.
pub async fn tables(State(app): State<Arc<App>>) -> Result<Json<TablesAnswer>, Problem> {
    app.viewer(None, |viewer| Ok(viewer.tables())).await.map(Json)
}

/// `POST /api/sql`.
pub async fn sql(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Host>,
    asked: Body,
) -> Result<Json<SqlPage>, Problem> {
    let SqlAsked { query, since_ms, until_ms, offset } = body(asked).await?;
    let span = span(since_ms, until_ms)?;
    let ask = move |_: &App, viewed: &Arc<Viewed>| {
        viewed.ask(|viewer| viewer.sql(&query, span, offset)).map_err(of_query)
    };
    app.ask(of.host, ask).await.map(Json)
}

/// What a query asks that it may not, or that takes too long, is not our failure.
fn of_query(problem: Problem) -> Problem {
    match problem.status {
        StatusCode::INTERNAL_SERVER_ERROR => Problem { status: StatusCode::UNPROCESSABLE_ENTITY, ..problem },
        _ => problem,
    }
}
