//! Connections, and the limits that each is held to.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Sleep, sleep};

use crate::address::Listener;
use crate::error::ServeError;

/// Connections at once; others wait.
const MOST_CONNECTIONS: usize = 32;
/// Longest head of a request.
const HEAD_BYTES: usize = 16 << 10;
/// How long a head may take, and a connection be open without one.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long nothing of an answer may be taken.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// How long answers may go on after the end was asked for.
const FAREWELL: Duration = Duration::from_secs(2);
/// After what the system refuses: too many open files.
const LATER: Duration = Duration::from_millis(100);

/// Serves until something happens.
pub async fn until(
    listener: &Listener,
    router: Router,
    stop: impl Future<Output = ()>,
    begun: impl FnOnce(),
) -> Result<(), ServeError> {
    let open = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let (stopping, _) = watch::channel(false);
    let connections = Connections { router, open: Arc::clone(&open), stopping };
    let listening = async {
        match listener {
            Listener::Tcp(listener) => {
                let listener = TcpListener::from_std(listener.try_clone()?)?;
                begun();
                loop {
                    connections.take(async { Ok(listener.accept().await?.0) }).await;
                }
            }
            Listener::Unix(listener, _) => {
                let listener = UnixListener::from_std(listener.try_clone()?)?;
                begun();
                loop {
                    connections.take(async { Ok(listener.accept().await?.0) }).await;
                }
            }
        }
    };
    let ended: Result<(), ServeError> = tokio::select! {
        ended = listening => ended,
        () = stop => Ok(()),
    };
    connections.stopping.send_replace(true);
    let _ = tokio::time::timeout(FAREWELL, open.acquire_many(MOST_CONNECTIONS as u32)).await;
    ended
}

struct Connections {
    router: Router,
    open: Arc<Semaphore>,
    stopping: watch::Sender<bool>,
}

impl Connections {
    /// Takes the next connection when there is room for it.
    async fn take<Stream>(&self, accept: impl Future<Output = io::Result<Stream>>)
    where
        Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Ok(room) = Arc::clone(&self.open).acquire_owned().await else { return };
        let Ok(stream) = accept.await else { return sleep(LATER).await };
        let service = TowerToHyperService::new(self.router.clone());
        let mut stopping = self.stopping.subscribe();
        tokio::spawn(async move {
            let _room = room;
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(HEAD_BYTES)
                .serve_connection(TokioIo::new(Taken::new(stream)), service);
            let mut connection = std::pin::pin!(connection);
            // What goes wrong on a connection is its other end's.
            tokio::select! {
                _ = connection.as_mut() => return,
                () = async { drop(stopping.wait_for(|stopping| *stopping).await) } => {}
            }
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        });
    }
}

/// A stream whose other end has to take what is written within a time.
struct Taken<Stream> {
    stream: Stream,
    since: Option<Pin<Box<Sleep>>>,
}

impl<Stream> Taken<Stream> {
    fn new(stream: Stream) -> Taken<Stream> {
        Taken { stream, since: None }
    }

    /// An error where nothing was taken for too long.
    fn held<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.since = None;
            return written;
        }
        let since = self.since.get_or_insert_with(|| Box::pin(sleep(WRITE_TIME)));
        ready!(since.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<Stream: AsyncRead + Unpin> AsyncRead for Taken<Stream> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<Stream: AsyncWrite + Unpin> AsyncWrite for Taken<Stream> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.held(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.held(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.held(context, ended)
    }
}
