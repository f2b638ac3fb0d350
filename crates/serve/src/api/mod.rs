//! What is answered: one function for each address, each of which asks the engine one question.

mod asked;
mod figures;
mod files;
mod query;
mod source;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::StatusCode;

use crate::app::App;
use crate::problem::Problem;
use crate::{assets, guard};

/// All addresses, behind the guard.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/state", get(source::state))
        .route("/api/view", get(source::view))
        .route("/api/who", get(source::who))
        .route("/api/life", get(source::life))
        .route("/api/now", get(source::now))
        .route("/api/marks", get(source::marks))
        .route("/api/record", get(source::record))
        .route("/api/rule", get(source::rule))
        .route("/api/time", get(source::time))
        .route("/api/live", get(source::live))
        .route("/api/figures", post(figures::figures))
        .route("/api/breakdown", get(query::breakdown))
        .route("/api/breakdown-difference", get(query::breakdown_difference))
        .route("/api/compare", get(query::compare))
        .route("/api/experiments", get(query::experiments))
        .route("/api/experiment", get(query::experiment))
        .route("/api/tables", get(query::tables))
        .route("/api/sql", post(query::sql))
        .route("/api/report", get(files::report))
        .route("/api/figure", get(files::figure))
        .fallback(elsewhere)
        .layer(from_fn_with_state(Arc::clone(&app), guarded))
        .with_state(app)
}

/// Every request comes by here, and every answer leaves by here.
async fn guarded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_data = guard::is_data(request.uri().path());
    let refused = guard::refused(request.method(), request.uri(), request.headers(), &app.token);
    let mut answer = match refused {
        // Whoever is refused may not keep a connection, of which there are few.
        Some(problem) => ([("connection", "close")], problem).into_response(),
        None => next.run(request).await,
    };
    let status = answer.status();
    guard::harden(answer.headers_mut(), status, is_data);
    answer
}

/// The page, or nothing.
async fn elsewhere(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path();
    if guard::is_data(path) {
        return Problem::new(StatusCode::NOT_FOUND, "there is no such question").into_response();
    }
    if request.method() == hyper::Method::POST {
        return Problem::new(StatusCode::METHOD_NOT_ALLOWED, "nothing is sent to here").into_response();
    }
    assets::answer(path, app.assets.as_deref())
}
