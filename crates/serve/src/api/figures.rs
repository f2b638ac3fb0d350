//! Figures: each is sent as soon as it is ready, and none is drawn for somebody who has left.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::response::{IntoResponse, Json, Response};
use heldup_engine::{Viewer, listed_figures, read_together};
use heldup_model::{FiguresAsked, Frame, Span};
use heldup_report::frame_bytes::{encode, encode_failed};
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinSet;

use super::asked::{Asked, Host, body, span};
use crate::app::{App, Viewed};
use crate::problem::Problem;

/// Steps of time at most: more than a screen has pixels.
const MOST_STEPS: usize = 4_000;
/// Groups of figures that are drawn at once.
const AT_ONCE: usize = 2;
/// Figures that wait for a slow reader.
const AHEAD: usize = 4;

/// `POST /api/figures`.
pub async fn figures(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Host>,
    parts: Parts,
    asked: Body,
) -> Result<Response, Problem> {
    let asked = Arc::new(Drawn::of(body(asked).await?, of.host)?);
    if wants_json(&parts.headers) {
        let mut all: Vec<Frame> = Vec::new();
        for ids in asked.groups(&asked.ids) {
            all.extend(asked.draw(&app, ids).await?);
        }
        return Ok(Json(all).into_response());
    }
    let (sender, receiver) = channel(AHEAD);
    let mut missing = Vec::new();
    let mut first = Vec::new();
    for id in &asked.ids {
        match app.kept.get(&asked.key(id)) {
            Some(kept) => first.extend(kept),
            None => missing.push(id.clone()),
        }
    }
    let mut groups = asked.groups(&missing).into_iter();
    // What cannot be answered at all has a status of its own.
    if let (true, Some(ids)) = (first.is_empty(), groups.next()) {
        first = asked.drawn(&app, ids).await?;
    }
    tokio::spawn(async move {
        if send(&sender, first).await.is_none() {
            return;
        }
        // Dropped with this task, and with it all that has not begun.
        let mut drawing = JoinSet::new();
        let draw = |ids: Vec<String>| {
            let (app, asked) = (Arc::clone(&app), Arc::clone(&asked));
            async move { asked.drawn_or_not(&app, ids).await }
        };
        loop {
            while drawing.len() < AT_ONCE
                && let Some(ids) = groups.next()
            {
                drawing.spawn(draw(ids));
            }
            let drawn = tokio::select! {
                drawn = drawing.join_next() => drawn,
                () = sender.closed() => return,
            };
            // A panic is said by the question that had it.
            let Some(drawn) = drawn else { return };
            if send(&sender, drawn.unwrap_or_default()).await.is_none() {
                return;
            }
        }
    });
    let kind = [(CONTENT_TYPE, "application/vnd.heldup.frames")];
    Ok((kind, Body::new(Stream(receiver))).into_response())
}

/// None where nobody listens any more.
async fn send(sender: &Sender<Bytes>, frames: Vec<Bytes>) -> Option<()> {
    for frame in frames {
        sender.send(frame).await.ok()?;
    }
    Some(())
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
    is_tail: bool,
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
                Drawn { host, ids, focus, span: part, steps: steps.max(1), is_tail: true }
            }
            None => Drawn { host, ids, focus, span: whole, steps, is_tail: false },
        })
    }

    /// Which are drawn at once: of the tail of a window, of which there is little, all; else those of the same tables.
    fn groups(&self, ids: &[String]) -> Vec<Vec<String>> {
        match self.is_tail {
            true if ids.is_empty() => Vec::new(),
            true => vec![ids.to_vec()],
            false => read_together(ids),
        }
    }

    /// Frames, one for each thing that a figure is of.
    async fn draw(&self, app: &Arc<App>, ids: Vec<String>) -> Result<Vec<Frame>, Problem> {
        let (focus, span, steps) = (self.focus.clone(), self.span, self.steps);
        let draw = move |viewer: &Viewer| {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            viewer.figures_of(&ids, span, steps, focus.as_deref())
        };
        app.viewer(self.host.clone(), draw).await
    }

    /// The same as bytes, which are kept where nothing of the window is still recorded.
    async fn drawn(self: &Arc<Self>, app: &Arc<App>, ids: Vec<String>) -> Result<Vec<Bytes>, Problem> {
        let asked = Arc::clone(self);
        let draw = move |app: &App, viewed: &Arc<Viewed>| {
            let words: Vec<&str> = ids.iter().map(String::as_str).collect();
            let (frames, is_sealed) = viewed.ask(|viewer| {
                let frames = viewer.figures_of(&words, asked.span, asked.steps, asked.focus.as_deref())?;
                Ok((frames, !asked.is_tail && viewer.is_sealed(asked.span).unwrap_or(false)))
            })?;
            let mut all = Vec::new();
            for id in &ids {
                let of_it = frames.iter().filter(|frame| frame.id == *id);
                let bytes: Vec<Bytes> = of_it.map(|frame| encode(frame).into()).collect();
                all.extend(bytes.iter().cloned());
                if is_sealed {
                    app.kept.keep(asked.key(id), bytes);
                }
            }
            Ok(all)
        };
        app.ask(self.host.clone(), draw).await
    }

    /// The same; in the place of figures that could not be drawn stands why.
    async fn drawn_or_not(self: &Arc<Self>, app: &Arc<App>, ids: Vec<String>) -> Vec<Bytes> {
        match self.drawn(app, ids.clone()).await {
            Ok(frames) => frames,
            Err(problem) => {
                let written = problem.written();
                let remedy = written.remedy.as_deref();
                ids.iter().map(|id| encode_failed(id, &written.error, remedy).into()).collect()
            }
        }
    }

    /// What is asked of one figure.
    fn key(&self, id: &str) -> String {
        let Drawn { host, focus, span, steps, .. } = self;
        format!("figure {id} {host:?} {focus:?} {} {} {steps}", span.since_ms, span.until_ms)
    }
}

/// Bytes as they come.
struct Stream(Receiver<Bytes>);

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        let next = self.0.poll_recv(context);
        next.map(|bytes| bytes.map(|bytes| Ok(hyper::body::Frame::data(bytes))))
    }
}
