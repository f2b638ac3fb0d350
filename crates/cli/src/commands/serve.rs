//! `heldup serve [SOURCE]`: a machine as a page, live or as it was recorded.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_engine::{EngineError, ViewRequest};
use heldup_report::harmless;
use heldup_serve::{Listen, ServeRequest, Serving, serve};

use crate::arg_values::parse_duration;
use crate::args::{MethodArgs, SpanArgs};
use crate::exit::Exit;

/// Options of `serve`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup serve                            this machine, live
  heldup serve /var/lib/heldup/archive         what the recorder wrote; of several hosts all
  heldup serve slow.heldup                     a capture
  heldup serve sosreport.tar.xz sar.txt        recordings of other tools
  heldup serve --socket /run/user/1000/heldup.sock
  ssh -L 8017:127.0.0.1:8017 db1               then open the printed address here

It prints one address, which holds a token: who has it may read what is served, and nobody else of this
machine or of another. The page changes nothing: changes are shown as commands.

It listens on loopback, or on a socket that only its owner may use. From another machine use ssh -L, or
a proxy with TLS and a login in front of the socket (docs/page.md).")]
pub struct ServeArgs {
    /// What to show: @last, a capture, an archive, FILE... (default: this machine, live)
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Port on loopback (default: 8017, else a free one)
    #[arg(long, value_name = "N", conflicts_with = "socket")]
    pub port: Option<u16>,
    /// Listen on a socket instead, which only its owner may use
    #[arg(long, value_name = "PATH", conflicts_with = "address")]
    pub socket: Option<PathBuf>,
    /// Address of loopback: 127.0.0.1 or [::1]
    #[arg(long, value_name = "ADDRESS", hide_short_help = true)]
    pub address: Option<String>,
    /// Which part of a recording is shown first.
    #[command(flatten)]
    pub span: SpanArgs,
    /// Length of the window that is shown first
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// How to account for time, where no recorder runs.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)
    #[arg(long, value_name = "ID,…", value_delimiter = ',', hide_short_help = true)]
    pub ignore: Vec<String>,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// Also say how the server is confined
    #[arg(short, long)]
    pub verbose: bool,
    /// Take the page's files from FOLDER, for who works on them
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub assets: Option<PathBuf>,
}

/// Serves until Ctrl-C.
pub fn run(args: &ServeArgs) -> anyhow::Result<Exit> {
    let request = ServeRequest {
        view: ViewRequest {
            sources: args.sources.clone(),
            span: args.span.asked(),
            window: args.window,
            method: args.method.method.into(),
            ignore: args.ignore.clone(),
            rules: args.rules.clone(),
        },
        listen: listen(args)?,
        assets: args.assets.clone(),
    };
    serve(request, &mut |serving| print(serving, args.verbose))?;
    Ok(Exit::DONE)
}

fn listen(args: &ServeArgs) -> anyhow::Result<Listen> {
    if let Some(path) = &args.socket {
        return Ok(Listen::Socket(path.clone()));
    }
    let named = args.address.as_deref().map(str::parse::<Listen>).transpose();
    let named = named.map_err(|error| EngineError::usage(error.to_string()))?.unwrap_or_default();
    Ok(match (named, args.port) {
        (Listen::Loopback(ip, named), port) => Listen::Loopback(ip, port.or(named)),
        (socket, _) => socket,
    })
}

/// The address alone on standard output, so that a script can take it.
fn print(serving: &Serving, verbose: bool) {
    if let Some(note) = &serving.note {
        eprintln!("heldup: {}", harmless(note));
    }
    println!("{}", serving.address);
    let is_remote = std::env::var_os("SSH_CONNECTION").is_some();
    if let Some(tunnel) = serving.tunnel.as_ref().filter(|_| is_remote) {
        eprintln!("heldup: from your machine: {}", harmless(tunnel));
    }
    if verbose {
        eprintln!("heldup: {}", serving.confined.said());
    }
}
