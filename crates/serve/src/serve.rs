//! From what is asked for to a server that runs, and to its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use heldup_engine::{ViewRequest, hosts_of};
use heldup_hostfs::{MACHINE_CONFIG, machine_state_dir, state_dir, user_config_dir};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::address::{Listen, Listener};
use crate::api::router;
use crate::app::App;
use crate::error::ServeError;
use crate::link::{Announced, announce};
use crate::sandbox::{Confined, confine};
use crate::server::until;
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
    /// The address with its token, to be opened; of a socket that of a tunnel to it.
    pub address: String,
    /// The line that brings it to the browser of another machine, with the name of this one.
    pub tunnel: Option<String>,
    /// What has to be said of the source.
    pub note: Option<String>,
    /// How far the process is restricted.
    pub confined: Confined,
}

/// Serves until SIGINT or SIGTERM; `begun` is told where.
pub fn serve(request: ServeRequest, begun: &mut dyn FnMut(&Serving)) -> Result<(), ServeError> {
    let mut server = Server::open(request)?;
    server.announce();
    server.confine();
    let stop = || {
        let (mut interrupted, mut ended) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(async move {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = ended.recv() => {}
            }
        })
    };
    server.run(stop, begun)
}

/// A source that is open, and a place that is listened at.
pub struct Server {
    listener: Listener,
    app: Arc<App>,
    serving: Serving,
    /// Says where it is, for as long as it is.
    announced: Option<Announced>,
    /// What is read while it serves.
    read: Vec<PathBuf>,
}

impl Server {
    /// Opens the source and listens. Who connects now is answered when it runs.
    pub fn open(request: ServeRequest) -> Result<Server, ServeError> {
        let token = Token::new()?;
        let listener = request.listen.bind()?;
        let hosts = hosts_of(&request.view)?;
        let mut read = read_by(&request);
        let app = App::open(request.view, hosts, token.clone(), request.assets)?;
        let viewed = app.viewed(None).ok();
        let note = viewed.as_ref().and_then(|viewed| viewed.note.clone());
        let host = viewed.as_ref().and_then(|viewed| viewed.ask(|viewer| viewer.host()).ok());
        let folder =
            viewed.and_then(|viewed| viewed.ask(|viewer| Ok(viewer.folder().map(Path::to_owned))).ok());
        read.extend(folder.flatten());
        let host = host.map_or_else(|| "HOST".to_owned(), |host| host.name);
        let origin = listener.origin();
        let address = origin.unwrap_or_else(|| "http://localhost:8017".to_owned());
        let serving = Serving {
            address: format!("{address}/#token={}", token.as_str()),
            tunnel: listener.tunnel(&host),
            note,
            confined: Confined::Not,
        };
        Ok(Server { listener, app: Arc::new(app), serving, announced: None, read })
    }

    /// Where it is served.
    pub fn serving(&self) -> &Serving {
        &self.serving
    }

    /// Tells other commands of the user where it is served.
    pub fn announce(&mut self) {
        self.announced = self.listener.origin().and_then(|origin| announce(&origin, self.app.sources()));
    }

    /// Restricts this thread, and those that it starts from now on, to what serving needs.
    pub fn confine(&mut self) {
        let announced = self.announced.as_ref().and_then(Announced::folder).map(Path::to_owned);
        let remove: Vec<PathBuf> = announced.into_iter().chain(self.listener.folder()).collect();
        self.serving.confined = confine(&self.read, &remove);
    }

    /// Serves until `stop` is over, which is made in the server's own runtime.
    pub fn run<Stop: Future<Output = ()>>(
        self,
        stop: impl FnOnce() -> std::io::Result<Stop>,
        begun: &mut dyn FnMut(&Serving),
    ) -> Result<(), ServeError> {
        let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
        let served = runtime.block_on(async {
            let stop = stop()?;
            until(&self.listener, router(Arc::clone(&self.app)), stop, || begun(&self.serving)).await
        });
        // A question that still reads a day is not waited for; a temporary recorder sees that we have gone.
        runtime.shutdown_timeout(FAREWELL);
        served
    }
}

/// Folders and files that answers are read from: the source, what was tried and saved, rules, assets.
fn read_by(request: &ServeRequest) -> Vec<PathBuf> {
    let file = |word: &String| match word.rsplit_once('#') {
        Some((archive, _)) if !Path::new(word).exists() => PathBuf::from(archive),
        _ => PathBuf::from(word),
    };
    let mut read: Vec<PathBuf> = request.view.sources.iter().map(file).collect();
    read.extend(state_dir());
    read.extend([machine_state_dir(), PathBuf::from(MACHINE_CONFIG)]);
    read.extend(user_config_dir());
    read.extend(request.view.rules.clone());
    read.extend(request.assets.clone());
    read
}
