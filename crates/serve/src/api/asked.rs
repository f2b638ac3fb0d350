//! What stands in an address or in a body, read with sentences for people.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequestParts, Query};
use heldup_model::Span;
use hyper::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// Longest body.
const BODY_BYTES: usize = 64 << 10;
/// How long it may take.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Words of an address.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut hyper::http::request::Parts, _: &S) -> Result<Asked<T>, Problem> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(words)| Asked(words)).map_err(|error| Problem::usage(error.body_text()))
    }
}

/// The body as JSON.
pub async fn body<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let bytes = tokio::time::timeout(BODY_TIME, to_bytes(body, BODY_BYTES)).await;
    let bytes: Bytes = match bytes {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            let what = format!("the body is longer than {BODY_BYTES} bytes, or was cut off");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, what));
        }
        Err(_) => return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    };
    serde_json::from_slice(&bytes).map_err(|error| Problem::usage(format!("body: {error}")))
}

/// Which host.
#[derive(Clone, Debug, Deserialize)]
pub struct Host {
    /// The first one where none is named.
    pub host: Option<String>,
}

/// Which window of which host.
#[derive(Clone, Debug, Deserialize)]
pub struct Of {
    /// Start.
    pub since_ms: Option<i64>,
    /// End.
    pub until_ms: Option<i64>,
    /// The first one where none is named.
    pub host: Option<String>,
}

impl Of {
    /// The window, which has to be named.
    pub fn span(&self) -> Result<Span, Problem> {
        match (self.since_ms, self.until_ms) {
            (Some(since_ms), Some(until_ms)) => span(since_ms, until_ms),
            _ => Err(Problem::usage("since_ms and until_ms are missing")),
        }
    }
}

/// Times of the years 1 to 9999, in order.
pub fn span(since_ms: i64, until_ms: i64) -> Result<Span, Problem> {
    const YEARS_MS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_000;
    if since_ms >= until_ms || !YEARS_MS.contains(&since_ms) || !YEARS_MS.contains(&until_ms) {
        return Err(Problem::usage(format!(
            "no window: since_ms {since_ms}, until_ms {until_ms}; expected two times in order"
        )));
    }
    Ok(Span { since_ms, until_ms })
}
