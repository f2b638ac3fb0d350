//! `heldup watch`: the machine examined window after window, and a line when something happens.

use heldup_engine::{Cancel, WatchRequest, Watched, watch};
use heldup_model::{WatchEvent, WatchLine};
use heldup_report::{TextOptions, watch as report};

use crate::args::WatchArgs;
use crate::exec_hook::ExecHook;
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Watches until it is stopped or the time is over.
pub fn run(args: &WatchArgs) -> anyhow::Result<Exit> {
    let request = WatchRequest {
        every: args.every,
        length: args.length,
        least: args.least.into(),
        appear: args.appear,
        end: args.end,
        method: args.method.into(),
        focus: args.focus.clone(),
        ignore: args.ignore.clone(),
        rules: args.rules.clone(),
        own_cost: args.own_cost,
    };
    let mut printer = Printer {
        json: args.json,
        text: terminal::text_options(terminal::color(args.color)),
        hook: ExecHook::new(args.exec.as_ref(), args.exec_shell.as_ref()),
    };
    watch(&request, &mut printer, &Progress::notes(), &Cancel::Signals)?;
    Ok(Exit::DONE)
}

/// Prints what happens, and calls the command of --exec for it.
struct Printer {
    json: bool,
    text: TextOptions,
    hook: ExecHook,
}

impl Watched for Printer {
    fn line(&mut self, mut line: WatchLine) {
        if let Some(summary) = &mut line.summary {
            self.awake();
            match self.hook.not_ended() {
                (0, _) => {}
                (run, 0) => eprintln!("heldup: {run} calls of --exec still run and are left alone"),
                (run, wait) => eprintln!(
                    "heldup: {run} calls of --exec still run and are left alone; {wait} were not made"
                ),
            }
            (summary.commands_run, summary.commands_failed) = (self.hook.run, self.hook.failed);
        }
        match self.json {
            true => print!("{}", report::json_line(&line)),
            false => print!("{}", report::text_line(&line, &self.text)),
        }
        if line.event == WatchEvent::Appeared {
            command_failed(&self.hook.call(&line));
        }
    }

    fn awake(&mut self) {
        command_failed(&self.hook.ended());
    }
}

fn command_failed(said: &[String]) {
    for wrong in said {
        eprintln!("heldup: the command of --exec {}", heldup_report::harmless(wrong));
    }
}
