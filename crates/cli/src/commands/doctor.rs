//! `heldup doctor`: what cannot be seen on this machine, and what would change that.

use clap::Args;
use heldup_engine::doctor;
use heldup_hostfs::Host;
use heldup_report::{capabilities, csv};

use crate::args::{Format, OutputArgs};
use crate::exit::Exit;
use crate::terminal;

/// Options of `doctor`.
#[derive(Args, Clone, Debug)]
pub struct DoctorArgs {
    /// Show also what works
    #[arg(long)]
    pub all: bool,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Prints what is missing.
pub fn run(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let found = doctor(&Host::live());
    match args.output.format() {
        Format::Text => print!("{}", capabilities::text(&found, terminal::width(), args.all)),
        Format::Json => print!("{}", capabilities::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "capabilities")),
    }
    Ok(Exit::DONE)
}
