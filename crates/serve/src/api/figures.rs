//! Figures: each is sent as soon as it is ready, and none is drawn for somebody who has left.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::response::{IntoResponse, Json, Response};
use heldup_engine::{Viewer, listed_figures};
use heldup_model::{FiguresAsked, Frame, Span};
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode};
use tokio::sync::mpsc::{Receiver, channel};

use super::asked::{Asked, Host, body, span};
use crate::app::App;
use crate::frames::{encoded, encoded_problem};
use crate::problem::Problem;

/// Steps of time at most: more than a screen has pixels.
const MOST_STEPS: usize = 4_000;
/// Figures that wait for a slow reader.
const AHEAD: usize = 4;

/// `POST /api/figures`.
pub async fn figures(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Host>,
    parts: Parts,
    asked: Body,
) -> Result<Response, Problem> {
    let asked = Drawn::of(body(asked).await?, of.host)?;
    if wants_json(&parts.headers) {
        let mut all: Vec<Frame> = Vec::new();
        for id in &asked.ids {
            all.extend(asked.draw(&app, id).await?);
        }
        return Ok(Json(all).into_response());
    }
    // What cannot be answered at all has a status of its own.
    let (first, rest) = match asked.ids.split_first() {
        Some((first, rest)) => (asked.draw(&app, first).await?, rest.to_vec()),
        None => (Vec::new(), Vec::new()),
    };
    let (sender, receiver) = channel(AHEAD);
    tokio::spawn(async move {
        for frame in &first {
            if sender.send(encoded(frame)).await.is_err() {
                return;
            }
        }
        for id in rest {
            let drawn = tokio::select! {
                drawn = asked.draw(&app, &id) => drawn,
                () = sender.closed() => return,
            };
            let frames = match drawn {
                Ok(frames) => frames.iter().map(encoded).collect(),
                Err(problem) => vec![encoded_problem(&id, &problem.written())],
            };
            for bytes in frames {
                if sender.send(bytes).await.is_err() {
                    return;
                }
            }
        }
    });
    let kind = [(CONTENT_TYPE, "application/vnd.heldup.frames")];
    Ok((kind, Body::new(Stream(receiver))).into_response())
}

fn wants_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.starts_with("application/json"))
}

/// What is drawn.
struct Drawn {
    host: Option<String>,
    ids: Vec<String>,
    focus: Option<String>,
    span: Span,
    steps: usize,
}

impl Drawn {
    fn of(asked: FiguresAsked, host: Option<String>) -> Result<Drawn, Problem> {
        let whole = span(asked.since_ms, asked.until_ms)?;
        let steps = asked.steps.clamp(1, MOST_STEPS);
        let (_, known) = listed_figures();
        let mut ids: Vec<String> = Vec::new();
        for word in &asked.figures {
            let before = ids.len();
            let named = known.iter().filter(|figure| figure.id == *word || figure.area == *word);
            let named: Vec<String> = named.map(|figure| figure.id.clone()).collect();
            if named.is_empty() {
                return Err(Problem::new(StatusCode::NOT_FOUND, format!("no figure {word}")));
            }
            ids.extend(named);
            let mut at = 0;
            let known_before: Vec<String> = ids[..before].to_vec();
            ids.retain(|id| {
                at += 1;
                at <= before || !known_before.contains(id)
            });
        }
        let focus = asked.focus;
        Ok(match asked.tail_ms.filter(|tail_ms| *tail_ms > 0) {
            Some(tail_ms) => {
                let since_ms = whole.since_ms.max(whole.until_ms.saturating_sub(tail_ms));
                let part = Span { since_ms, ..whole };
                // Steps of the same length as those of the whole window.
                let steps = (steps as f64 * part.secs() / whole.secs()).ceil() as usize;
                Drawn { host, ids, focus, span: part, steps: steps.max(1) }
            }
            None => Drawn { host, ids, focus, span: whole, steps },
        })
    }

    /// One figure: a frame for each thing that it is of.
    async fn draw(&self, app: &Arc<App>, id: &str) -> Result<Vec<Frame>, Problem> {
        let (id, focus, span, steps) = (id.to_owned(), self.focus.clone(), self.span, self.steps);
        let draw = move |viewer: &Viewer| viewer.figures_of(&[id.as_str()], span, steps, focus.as_deref());
        app.viewer(self.host.clone(), draw).await
    }
}

/// Bytes as they come.
struct Stream(Receiver<Vec<u8>>);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        let next = self.0.poll_recv(context);
        next.map(|bytes| bytes.map(|bytes| Ok(hyper::body::Frame::data(bytes.into()))))
    }
}
