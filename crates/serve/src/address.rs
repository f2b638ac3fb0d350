//! Where it is served: loopback or a socket, and nowhere else.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::ServeError;

/// The port that is tried first where none is named.
const PORT: u16 = 8017;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// An address of loopback; without a port the usual one, else any free one.
    Loopback(IpAddr, Option<u16>),
    /// A socket that only its owner may use.
    Socket(PathBuf),
}

impl Default for Listen {
    fn default() -> Listen {
        Listen::Loopback(IpAddr::V4(Ipv4Addr::LOCALHOST), None)
    }
}

impl FromStr for Listen {
    type Err = ServeError;

    /// `127.0.0.1`, `[::1]:9000`, `localhost:9000`.
    fn from_str(text: &str) -> Result<Listen, ServeError> {
        let text = text.strip_prefix("http://").unwrap_or(text);
        let named = text.strip_prefix("localhost").filter(|rest| rest.is_empty() || rest.starts_with(':'));
        let numbers = named.map(|rest| format!("127.0.0.1{rest}"));
        let text = numbers.as_deref().unwrap_or(text);
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let (ip, port) = match (bare.parse::<IpAddr>(), text.parse::<SocketAddr>()) {
            (Ok(ip), _) => (ip, None),
            (_, Ok(whole)) => (whole.ip(), Some(whole.port())),
            _ => {
                return Err(ServeError::Address(format!(
                    "`{text}` is no address: expected 127.0.0.1, [::1] or localhost, with :PORT"
                )));
            }
        };
        if ip != IpAddr::V4(Ipv4Addr::LOCALHOST) && ip != IpAddr::V6(std::net::Ipv6Addr::LOCALHOST) {
            return Err(ServeError::Address(format!(
                "{ip} is not served: the page has neither TLS nor users. From another machine use \
                 `ssh -L 8017:127.0.0.1:8017 HOST`; for others put a proxy with TLS and a login in front of --socket PATH"
            )));
        }
        Ok(Listen::Loopback(ip, port))
    }
}

/// What listens.
#[derive(Debug)]
pub enum Listener {
    /// A port.
    Tcp(TcpListener),
    /// A socket, which is removed at the end.
    Unix(UnixListener, PathBuf),
}

impl Listen {
    /// Listens. Of the usual port that is taken the next free one is used; a port that was named is an error.
    pub fn bind(&self) -> Result<Listener, ServeError> {
        match self {
            Listen::Loopback(ip, port) => {
                let bind = |port: u16| TcpListener::bind((*ip, port));
                let bound = match port {
                    Some(port) => bind(*port),
                    None => bind(PORT).or_else(|_| bind(0)),
                };
                let bound = bound.map_err(|source| match (source.kind(), port) {
                    (std::io::ErrorKind::AddrInUse, Some(port)) => ServeError::Taken { port: *port },
                    (_, port) => {
                        ServeError::Listen { place: format!("{ip} port {}", port.unwrap_or(PORT)), source }
                    }
                })?;
                bound.set_nonblocking(true)?;
                Ok(Listener::Tcp(bound))
            }
            Listen::Socket(path) => socket(path),
        }
    }
}

/// A socket of mode 0600. What a killed server left is replaced; a file that is no socket is left alone.
fn socket(path: &Path) -> Result<Listener, ServeError> {
    let fail = |source| ServeError::Listen { place: path.display().to_string(), source };
    if let Ok(there) = path.symlink_metadata() {
        if !there.file_type().is_socket() {
            return Err(fail(std::io::ErrorKind::AlreadyExists.into()));
        }
        if UnixStream::connect(path).is_ok() {
            return Err(ServeError::SocketTaken { path: path.to_owned() });
        }
        std::fs::remove_file(path).map_err(fail)?;
    }
    // Made elsewhere in the same folder and moved when its mode is right: nobody gets in between.
    let made = path.with_file_name(format!(".heldup-{}.sock", heldup_hostfs::own_pid()));
    let _ = std::fs::remove_file(&made);
    let listener = UnixListener::bind(&made).map_err(fail)?;
    let placed = std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o600))
        .and_then(|()| std::fs::rename(&made, path));
    if let Err(error) = placed {
        let _ = std::fs::remove_file(&made);
        return Err(fail(error));
    }
    listener.set_nonblocking(true)?;
    Ok(Listener::Unix(listener, path.to_owned()))
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Listener {
    /// The folder that a socket is in.
    pub fn folder(&self) -> Option<PathBuf> {
        match self {
            Listener::Tcp(_) => None,
            Listener::Unix(_, path) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                Some(folder.unwrap_or(Path::new(".")).to_owned())
            }
        }
    }

    /// What a browser opens, without the token; none of a socket.
    pub fn origin(&self) -> Option<String> {
        match self {
            Listener::Tcp(listener) => Some(format!("http://{}", listener.local_addr().ok()?)),
            Listener::Unix(..) => None,
        }
    }

    /// The line that brings it to another machine's browser.
    pub fn tunnel(&self, host: &str) -> Option<String> {
        match self {
            Listener::Tcp(listener) => {
                let there = listener.local_addr().ok()?;
                Some(format!("ssh -L {}:{there} {host}", there.port()))
            }
            Listener::Unix(_, path) => {
                let path = std::path::absolute(path).ok()?;
                Some(format!("ssh -L {PORT}:{} {host}", path.display()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Listen, String> {
        text.parse().map_err(|error: ServeError| error.to_string())
    }

    #[test]
    fn loopback_is_served_and_nothing_else() {
        let v4 = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let v6 = "::1".parse().expect("an address");
        for (text, ip, port) in [
            ("127.0.0.1", v4, None),
            ("localhost", v4, None),
            ("localhost:9000", v4, Some(9000)),
            ("127.0.0.1:0", v4, Some(0)),
            ("::1", v6, None),
            ("[::1]", v6, None),
            ("[::1]:9000", v6, Some(9000)),
            ("http://127.0.0.1:1", v4, Some(1)),
        ] {
            assert_eq!(parsed(text), Ok(Listen::Loopback(ip, port)), "{text}");
        }
        for other in
            ["0.0.0.0", "0.0.0.0:8017", "::", "[::]:1", "192.168.1.2", "127.0.0.2", "::ffff:127.0.0.1"]
        {
            let why = parsed(other).expect_err("refused");
            assert!(why.contains("ssh -L") && why.contains("proxy"), "{other}: {why}");
        }
        for none in ["", "evil.example", "localhostx", "127.0.0.1:99999", "127.0.0.1:x"] {
            assert!(parsed(none).is_err_and(|why| why.contains("expected 127.0.0.1")), "{none}");
        }
    }

    #[test]
    fn a_port_that_was_named_and_is_taken_is_an_error() {
        let first = Listen::Loopback(IpAddr::V4(Ipv4Addr::LOCALHOST), Some(0)).bind().expect("a free port");
        let port = first.origin().and_then(|at| at.rsplit(':').next()?.parse().ok()).expect("a port");
        let again = Listen::Loopback(IpAddr::V4(Ipv4Addr::LOCALHOST), Some(port)).bind();
        let why = again.expect_err("taken").to_string();
        assert!(why.contains("--port"), "{why}");
    }

    #[test]
    fn a_socket_is_its_owners_and_goes_with_the_server() {
        let folder = std::env::temp_dir().join(format!("heldup-socket-{}", heldup_hostfs::own_pid()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("page.sock");
        let listen = Listen::Socket(path.clone());
        // What a killed server left.
        drop(UnixListener::bind(&path).expect("a socket"));
        let first = listen.bind().expect("replaced");
        let mode = path.metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(matches!(listen.bind(), Err(ServeError::SocketTaken { .. })));
        assert!(first.tunnel("box").expect("a line").contains(path.to_str().expect("text")));
        drop(first);
        assert!(!path.exists());
        std::fs::write(&path, "a file of somebody").expect("written");
        assert!(listen.bind().is_err() && path.exists());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
