//! `heldup serve`: the page, and the answers that it is made of, on loopback or on a socket.
//!
//! `guard` is passed by every request before anything else looks at it; `api` asks the engine one question for each
//! address, and changes nothing; `server` holds connections to their limits; `follow` is for a machine that runs, once
//! for all tabs. HTTP itself is hyper's.

mod address;
mod api;
mod app;
mod assets;
mod error;
mod follow;
mod guard;
mod kept;
mod link;
mod live;
mod problem;
mod sandbox;
mod serve;
mod server;
mod token;

pub use address::Listen;
pub use error::ServeError;
pub use link::link_to;
pub use sandbox::Confined;
pub use serve::{ServeRequest, Server, Serving, serve};
