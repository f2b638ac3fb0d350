//! What requests share: the viewers, one a host, and how many questions may run at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use heldup_engine::{EngineError, ExamineRequest, Progress, ViewRequest, Viewer};
use heldup_model::Span;
use hyper::header::CONTENT_TYPE;
use hyper::{StatusCode, Uri};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::kept::Kept;
use crate::live::Live;
use crate::problem::Problem;
use crate::token::Token;

/// Questions to the engine that run at once; others wait. Each may take all of a CPU and a part of the memory.
const MOST_QUESTIONS: usize = 4;

/// How long somebody waits for one that has begun.
const ANSWER_TIME: Duration = Duration::from_secs(120);

/// What is served, and to whom.
pub struct App {
    /// Who has it may read.
    pub token: Token,
    /// Where newer assets are.
    pub assets: Option<PathBuf>,
    /// Hosts of the source.
    pub hosts: Vec<String>,
    /// Answers about what is sealed.
    pub kept: Kept,
    request: ViewRequest,
    viewed: Mutex<BTreeMap<String, Arc<Viewed>>>,
    questions: Arc<Semaphore>,
}

/// One host.
pub struct Viewed {
    /// Its name in the source; empty for the running machine.
    pub host: String,
    /// What has to be said of it.
    pub note: Option<String>,
    /// Who reads. Only what follows the running machine takes it for itself.
    pub viewer: RwLock<Viewer>,
    /// What all tabs share of a machine that runs.
    pub live: Live,
}

impl Viewed {
    fn open(request: &ViewRequest, host: &str) -> Result<Viewed, EngineError> {
        let mut request = request.clone();
        request.span.host = Some(host.to_owned()).filter(|host| !host.is_empty());
        let notes = Notes::default();
        let viewer = Viewer::open(&request, &notes)?;
        let notes = notes.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        Ok(Viewed { host: host.to_owned(), note, viewer: RwLock::new(viewer), live: Live::default() })
    }

    /// Asks the viewer.
    pub fn ask<T>(&self, question: impl FnOnce(&Viewer) -> heldup_engine::Result<T>) -> Result<T, Problem> {
        let viewer = self.viewer.read().unwrap_or_else(PoisonError::into_inner);
        Ok(question(&viewer)?)
    }
}

impl App {
    /// Opens the source, of its hosts the first one.
    pub fn open(
        request: ViewRequest,
        hosts: Vec<String>,
        token: Token,
        assets: Option<PathBuf>,
    ) -> Result<App, EngineError> {
        let first = hosts.first().cloned().unwrap_or_default();
        let opened = Viewed::open(&request, &first)?;
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(App {
            token,
            assets,
            hosts,
            kept: Kept::default(),
            request,
            viewed: Mutex::new(BTreeMap::from([(first, Arc::new(opened))])),
            questions: Arc::new(Semaphore::new(cpus.clamp(2, MOST_QUESTIONS))),
        })
    }

    /// SOURCE words.
    pub fn sources(&self) -> &[String] {
        &self.request.sources
    }

    /// How a window is examined.
    pub fn examination(&self) -> ExamineRequest {
        let ViewRequest { method, ignore, rules, .. } = &self.request;
        ExamineRequest { method: *method, ignore: ignore.clone(), rules: rules.clone(), ..Default::default() }
    }

    /// The host that is asked for, else the first one. It is opened when it is asked for, which reads files.
    pub fn viewed(&self, host: Option<&str>) -> Result<Arc<Viewed>, Problem> {
        let host = host.unwrap_or_else(|| self.hosts.first().map_or("", String::as_str));
        if !self.hosts.iter().any(|known| known == host) {
            return Err(Problem::new(StatusCode::NOT_FOUND, format!("no host {host} in this source")));
        }
        let mut viewed = self.viewed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = viewed.get(host) {
            return Ok(Arc::clone(known));
        }
        let opened = Arc::new(Viewed::open(&self.request, host)?);
        viewed.insert(host.to_owned(), Arc::clone(&opened));
        Ok(opened)
    }

    /// Asks the engine, in a thread that may take its time, as soon as fewer than so many others do. Who leaves
    /// before it has begun is not answered.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        host: Option<String>,
        question: impl FnOnce(&App, &Arc<Viewed>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = Arc::clone(&self.questions).acquire_owned().await;
        let permit = permit.map_err(|_| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server ends"))?;
        let app = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let viewed = app.viewed(host.as_deref())?;
            question(&app, &viewed)
        });
        match tokio::time::timeout(ANSWER_TIME, asked).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(broken())),
            Err(_) => {
                let what = format!("no answer within {} s", ANSWER_TIME.as_secs());
                Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, what).with("ask about a shorter time"))
            }
        }
    }

    /// Asks the viewer of a host about a window, and keeps the answer where nothing of it is still recorded.
    pub async fn window<T: Serialize>(
        self: &Arc<Self>,
        asked: &Uri,
        host: Option<String>,
        span: Span,
        question: impl FnOnce(&Viewer) -> heldup_engine::Result<T> + Send + 'static,
    ) -> Result<Response, Problem> {
        if let Some(kept) = self.kept.get(&asked.to_string()).and_then(|parts| parts.into_iter().next()) {
            return Ok(json(kept));
        }
        let asked = asked.to_string();
        let ask = move |app: &App, viewed: &Arc<Viewed>| {
            let (answer, is_sealed) =
                viewed.ask(|viewer| Ok((question(viewer)?, viewer.is_sealed(span).unwrap_or(false))))?;
            let text = serde_json::to_vec(&answer).map_err(|error| {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot write the answer: {error}"))
            })?;
            let text = Bytes::from(text);
            if is_sealed {
                app.kept.keep(asked, vec![text.clone()]);
            }
            Ok(text)
        };
        Ok(json(self.ask(host, ask).await?))
    }

    /// Asks the viewer of a host.
    pub async fn viewer<T: Send + 'static>(
        self: &Arc<Self>,
        host: Option<String>,
        question: impl FnOnce(&Viewer) -> heldup_engine::Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        self.ask(host, |_, viewed| viewed.ask(question)).await
    }
}

/// JSON that has been written.
pub fn json(text: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// A question that ended in a panic: a defect of ours, which ends nothing else.
fn broken() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "heldup failed at this question")
        .with("please report it with the version of heldup and the window that was asked for")
}

/// Notes of a viewer that is opened.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn note(&self, what: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }
}
