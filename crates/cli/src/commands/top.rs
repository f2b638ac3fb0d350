//! `heldup top [SOURCE]`: a machine in the terminal, live or as it was recorded.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use heldup_engine::ViewRequest;
use heldup_top::{Look, run as show};

use crate::arg_values::parse_duration;
use crate::args::{LookArgs, MethodArgs, SpanArgs};
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Options of `top`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup top                              this machine, live
  heldup top /var/lib/heldup/archive           what the recorder wrote, from its end
  heldup top --since \"yesterday 03:00\"         the same, from then
  heldup top sar.txt                           a recording of another tool

Arrow keys move through the rows and through time, [ and ] to the previous and the next finding, b
goes to a time in words, / filters, ? explains the keys. What changes the machine is shown as a
command, never run.

Live, the last minute is judged every 10 seconds. Where no recorder runs, 15 minutes are recorded
in memory while it is open.")]
pub struct TopArgs {
    /// What to show: @last, a capture, an archive, FILE... (default: this machine, live)
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Which part of a recording.
    #[command(flatten)]
    pub span: SpanArgs,
    /// Length of the window
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
    /// How it is drawn.
    #[command(flatten)]
    pub look: LookArgs,
}

/// Shows it until `q`.
pub fn run(args: &TopArgs) -> anyhow::Result<Exit> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        bail!("top needs a terminal; `heldup examine` and `heldup watch` write to a pipe or a file");
    }
    let request = ViewRequest {
        sources: args.sources.clone(),
        span: args.span.asked(),
        window: args.window,
        method: args.method.method.into(),
        ignore: args.ignore.clone(),
        rules: args.rules.clone(),
    };
    let options = terminal::look_options(&args.look);
    let look = Look { color: options.color, ascii: options.ascii, sudo: options.sudo };
    show(&request, look, &Progress::default())?;
    Ok(Exit::DONE)
}
