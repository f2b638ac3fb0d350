//! From what is asked for to a server that runs, and to its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heldup_engine::{ViewRequest, hosts_of};
use tokio::runtime::Builder;

use crate::address::Listen;
use crate::api::router;
use crate::app::App;
use crate::error::ServeError;
use crate::server;
use crate::token::Token;

/// How long answers may go on after the end was asked for.
const FAREWELL: Duration = Duration::from_secs(2);
/// Threads that serve; the engine's are others.
const THREADS: usize = 2;

/// What is served, and where.
#[derive(Clone, Debug, Default)]
pub struct ServeRequest {
    /// What is looked at.
    pub view: ViewRequest,
    /// Where.
    pub listen: Listen,
    /// A folder with newer assets than those of the program.
    pub assets: Option<PathBuf>,
}

/// What a person has to know to open the page.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The address with its token, to be opened; of a socket what stands behind the address of a tunnel or a proxy.
    pub address: String,
    /// The line that brings it to the browser of another machine, with the name of this one.
    pub tunnel: Option<String>,
    /// What has to be said of the source.
    pub note: Option<String>,
}

/// Serves until SIGINT or SIGTERM; `begun` is told where.
pub fn serve(request: ServeRequest, begun: &mut dyn FnMut(&Serving)) -> Result<(), ServeError> {
    let token = Token::new()?;
    let listener = request.listen.bind()?;
    let hosts = hosts_of(&request.view)?;
    let app = App::open(request.view, hosts, token.clone(), request.assets)?;
    let note = app.viewed(None).ok().and_then(|viewed| viewed.note.clone());
    let host = app.viewed(None).ok().and_then(|viewed| viewed.ask(|viewer| viewer.host()).ok());
    let host = host.map_or_else(|| "HOST".to_owned(), |host| host.name);
    let address = listener.origin().unwrap_or_else(|| "http://localhost:8017".to_owned());
    let serving = Serving {
        address: format!("{address}/#token={}", token.as_str()),
        tunnel: listener.tunnel(&host),
        note,
    };
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    let app = Arc::new(app);
    let served = runtime.block_on(server::run(&listener, router(Arc::clone(&app)), || begun(&serving)));
    // A question that still reads a day is not waited for; a temporary recorder sees that we have gone.
    runtime.shutdown_timeout(FAREWELL);
    served
}
