//! `heldup live-archive FOLDER`: records into a temporary archive for as long as its input is open.
//!
//! Hidden: who looks at the running machine starts it, so that what is seen live is what was recorded.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use heldup_engine::record_for_looking;
use heldup_hostfs::Stopper;

use crate::args::MethodArgs;
use crate::exit::Exit;

/// Options of `live-archive`.
#[derive(Args, Clone, Debug)]
pub struct LiveArchiveArgs {
    /// Folder of the archive, which is removed at the end
    pub archive: PathBuf,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
}

/// Records until the input ends, which it does when whoever looks has ended.
pub fn run(args: &LiveArchiveArgs) -> anyhow::Result<Exit> {
    let stopper = Stopper::default();
    let asked = stopper.clone();
    std::thread::Builder::new().name("looker".to_owned()).spawn(move || {
        let mut rest = [0; 64];
        let mut input = std::io::stdin().lock();
        while input.read(&mut rest).is_ok_and(|read| read > 0) {}
        asked.stop();
    })?;
    record_for_looking(&args.archive, args.method.method.into(), &stopper)?;
    Ok(Exit::DONE)
}
