//! `heldup doctor`: what can be seen on this machine, what cannot, and what would let it.

use heldup_hostfs::Host;
use heldup_probe::{Capability, CapabilityState};
use serde_json::json;
use textwrap::{Options, fill};

use crate::args::{DoctorArgs, Format};
use crate::exit::Exit;
use crate::terminal;

/// Prints the capability table.
pub fn run(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let capabilities = heldup_probe::capabilities(&Host::live());
    match args.format {
        Format::Text => print!("{}", text(&capabilities)),
        Format::Json => {
            let rows: Vec<_> = capabilities
                .iter()
                .map(|c| json!({"name": c.name, "state": c.state.name(), "detail": c.detail, "how": c.how}))
                .collect();
            println!("{}", serde_json::to_string_pretty(&json!({"capabilities": rows}))?);
        }
    }
    Ok(Exit::DONE)
}

fn text(capabilities: &[Capability]) -> String {
    let name_width = capabilities.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let indent = " ".repeat(name_width + 11);
    let options = Options::new(terminal::width()).subsequent_indent(&indent);
    let mut out = String::new();
    for Capability { name, state, detail, how } in capabilities {
        let head = format!("{:<7}  {name:<name_width$}  ", state.name());
        out.push_str(&fill(detail, options.clone().initial_indent(&head)));
        out.push('\n');
        if let Some(how) = how {
            out.push_str(&fill(&format!("to get it: {how}"), options.clone().initial_indent(&indent)));
            out.push('\n');
        }
    }
    let works = capabilities.iter().filter(|c| c.state == CapabilityState::Works).count();
    out.push_str(&format!("\n{works} of {} work\n", capabilities.len()));
    out
}
