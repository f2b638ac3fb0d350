//! What a first word means that is no command: a file, or a slip.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use heldup_engine::tune::settings_like;
use heldup_engine::{nearest, ruleset};

use crate::commands::cli::Cli;

/// Words of other tools, and what does here what they do there.
const ELSEWHERE: [(&str, &str); 8] = [
    ("top", "watch"),
    ("stat", "examine"),
    ("trace", "breakdown"),
    ("profile", "breakdown cpu"),
    ("diff", "compare"),
    ("report", "examine"),
    ("show", "tune show"),
    ("set", "tune apply"),
];
/// Options of other tools, likewise.
const OPTIONS_ELSEWHERE: [(&str, &str); 16] = [
    ("--every", "--interval"),
    ("--details", "--verbose"),
    ("--check", "--fail-on"),
    ("--check", "--require-gain"),
    ("--cpus", "--cpu-quota"),
    ("--cpus", "--cpu-list"),
    ("--keep", "--retention"),
    ("--keep", "--apply-best"),
    ("--own-cost", "--measure-overhead"),
    ("--metric", "--query"),
    ("--figure", "--measure"),
    ("--within", "--max-time"),
    ("--whole", "--no-trim"),
    ("--least", "--min-severity"),
    ("--worth", "--min-effect"),
    ("--no-keep", "--no-save"),
];

/// Why words that are to be read as sources are none, where they look like commands or names; none where all may be
/// files.
pub fn no_source<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    words.into_iter().find_map(no_file)
}

/// The same of the first word of a command line, before its options are read: these are another command's.
pub fn no_command(arguments: &[OsString]) -> Option<String> {
    let first = arguments.get(1)?.to_str()?;
    let is_known =
        || Cli::command().get_subcommands().any(|command| command.get_name() == first) || first == "help";
    if first.starts_with('-') || first.is_empty() || is_known() { None } else { no_file(first) }
}

fn no_file(word: &str) -> Option<String> {
    if word.starts_with('@') || Path::new(word).exists() {
        return None;
    }
    // A host of an archive, or a part of its time.
    let file = word.split(['#', '@']).next().unwrap_or(word);
    if file != word && Path::new(file).exists() {
        return None;
    }
    if word.contains('/') {
        return None;
    }
    if word.contains('.') { named(word) } else { Some(unknown_command(word)) }
}

/// What is said of a word that no command has.
fn unknown_command(word: &str) -> String {
    let elsewhere = ELSEWHERE.iter().filter(|(other, _)| *other == word).map(|(_, here)| (*here).to_owned());
    let cli = Cli::command();
    let names: Vec<&str> =
        cli.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
    let near = nearest(word, names).into_iter().map(str::to_owned);
    let mut meant: Vec<String> = elsewhere.chain(near).collect();
    meant.dedup();
    said(&format!("unknown command `{word}`, and no such file"), &meant)
}

/// A word with a dot that is no file: the name of a rule or a setting, or a slip of one. None where it is like none.
fn named(word: &str) -> Option<String> {
    let set = ruleset(None);
    let rules: Vec<&str> = nearest(word, set.rules.iter().map(|rule| rule.id.as_str()));
    let is_rule = rules.first().is_some_and(|rule| *rule == word);
    let settings = if is_rule { Vec::new() } else { near_settings(word) };
    let explain = rules.iter().take(if is_rule { 1 } else { rules.len() });
    let explain = explain.map(|rule| format!("explain {rule}"));
    let show = settings.iter().map(|setting| format!("tune show {setting}"));
    let is_setting = settings.first().is_some_and(|setting| setting == word);
    let meant: Vec<String> = if is_setting { show.collect() } else { explain.chain(show).collect() };
    (!meant.is_empty()).then(|| said(&format!("no such file: {word}"), &meant))
}

/// Settings of nearly this name, the whole of it taken together.
fn near_settings(word: &str) -> Vec<String> {
    let like = settings_like(word);
    let near = nearest(word, like.iter().map(String::as_str));
    near.into_iter().map(str::to_owned).collect()
}

fn said(what: &str, meant: &[String]) -> String {
    match meant {
        [] => format!("{what} (see `heldup --help`)"),
        [one] => format!("{what}; did you mean `heldup {one}`?"),
        several => {
            let lines: String = several.iter().map(|one| format!("\n  heldup {one}")).collect();
            format!("{what}; did you mean one of these?{lines}")
        }
    }
}

/// Adds to an error of the command line what an option of another tool is called here.
pub fn with_hint(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return error };
    let name = argument.split(['=', ' ']).next().unwrap_or(argument);
    let cli = Cli::command();
    let asked = asked(&cli, arguments);
    let has = |here: &str| asked.get_arguments().any(|one| one.get_long() == here.strip_prefix("--"));
    let hint = OPTIONS_ELSEWHERE.iter().find(|(other, here)| *other == name && has(here));
    if let Some((_, here)) = hint {
        error.insert(ContextKind::SuggestedArg, ContextValue::String((*here).to_owned()));
        // It shows the option that clap thought of.
        error.insert(ContextKind::Usage, ContextValue::None);
    }
    error
}

/// The command that words name.
fn asked<'a>(cli: &'a Command, arguments: &[OsString]) -> &'a Command {
    arguments
        .iter()
        .skip(1)
        .filter_map(|word| word.to_str())
        .fold(cli, |command, word| command.find_subcommand(word).unwrap_or(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_of(word: &str) -> String {
        no_source([word]).unwrap_or_default()
    }

    #[test]
    fn a_slip_is_a_command_and_a_path_is_none() {
        assert_eq!(
            said_of("wacth"),
            "unknown command `wacth`, and no such file; did you mean `heldup watch`?"
        );
        assert!(said_of("trace").contains("`heldup breakdown`"), "{}", said_of("trace"));
        assert!(said_of("xyzzy").ends_with("(see `heldup --help`)"));
        for file in ["@last", "/no/such", "a/b", "no-such-file.log", "Cargo.toml", "src"] {
            assert_eq!(no_source([file]), None, "{file}");
        }
    }

    #[test]
    fn names_with_a_dot_are_rules_or_settings() {
        for (word, meant) in [
            ("disk.sync-bound", "`heldup explain disk.sync-bound`"),
            ("disk.sync-bond", "`heldup explain disk.sync-bound`"),
            ("vm.swappiness", "`heldup tune show vm.swappiness`"),
            ("vm.swapiness", "`heldup tune show vm.swappiness`"),
        ] {
            let said = said_of(word);
            assert!(said.starts_with(&format!("no such file: {word}; did you mean {meant}")), "{said}");
        }
    }

    #[test]
    fn the_first_word_decides() {
        let of = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            no_command(&words).is_some()
        };
        assert!(of(&["heldup", "wacth", "--interval", "5s"]));
        assert!(!of(&["heldup", "watch", "--interval", "5s"]));
        assert!(!of(&["heldup", "--for", "5s"]) && !of(&["heldup"]) && !of(&["heldup", "help"]));
    }

    #[test]
    fn options_of_other_tools_have_hints_that_exist() {
        let all: Vec<String> = commands(&Cli::command())
            .iter()
            .flat_map(|command| command.get_arguments().filter_map(|one| one.get_long().map(str::to_owned)))
            .collect();
        for (other, here) in OPTIONS_ELSEWHERE {
            assert!(all.iter().any(|name| format!("--{name}") == here), "{here}");
            assert!(!all.iter().any(|name| format!("--{name}") == other), "{other} is an option");
        }
    }

    fn commands(of: &Command) -> Vec<Command> {
        let below = of.get_subcommands().flat_map(commands);
        std::iter::once(of.clone()).chain(below).collect()
    }
}
