//! Why a request is not answered: a status, a sentence, and what to do.

use axum::response::{IntoResponse, Json, Response};
use heldup_engine::{EngineError, ErrorKind};
use heldup_model::PageError;
use hyper::StatusCode;

/// What is answered instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Status of HTTP.
    pub status: StatusCode,
    /// What failed.
    pub error: String,
    /// What to do.
    pub remedy: Option<&'static str>,
}

impl Problem {
    /// A status and a sentence.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Problem {
        Problem { status, error: error.into(), remedy: None }
    }

    /// The request makes no sense.
    pub fn usage(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, error)
    }

    /// With what to do.
    #[must_use]
    pub fn with(self, remedy: &'static str) -> Problem {
        Problem { remedy: Some(remedy), ..self }
    }

    /// As it is written.
    pub fn written(&self) -> PageError {
        PageError { error: self.error.clone(), remedy: self.remedy.map(str::to_owned) }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Problem {
        let (status, remedy) = match error.kind() {
            ErrorKind::Usage => (StatusCode::BAD_REQUEST, None),
            ErrorKind::UnknownName | ErrorKind::NotFound => (StatusCode::NOT_FOUND, None),
            ErrorKind::NotPermitted => {
                (StatusCode::UNPROCESSABLE_ENTITY, Some("run `heldup serve` as root, or as the owner of it"))
            }
            ErrorKind::CommandNotFound | ErrorKind::Failed => (StatusCode::INTERNAL_SERVER_ERROR, None),
        };
        Problem { status, error: error.whole(), remedy }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(self.written())).into_response()
    }
}
