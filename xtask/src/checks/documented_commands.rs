//! Every command that a document, a rule or `--help` shows exists, with its options.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::CommandFactory;

use super::{Check, Outcome};
use crate::Cli;
use crate::markdown;
use crate::program::{command, heldup, output};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "documented-commands",
    policy: "each `heldup …`, `make …` and `cargo xtask …` in documents, rules and --help exists",
    look,
};

fn look(tree: &Tree) -> Result<Outcome> {
    let mut help = Help { tree, program: heldup(tree, "dev")?, pages: HashMap::new() };
    let makefile = tree.read("Makefile")?;
    let mut complaints = Vec::new();
    for (place, line) in examples(tree, &mut help)? {
        let words = words(&line);
        let complaint = match words.as_slice() {
            ["heldup", rest @ ..] => help.refuses(rest)?,
            ["make", target, ..] if !target.starts_with('-') => no_target(&makefile, target),
            ["cargo", "xtask", task, ..] => no_task(task),
            _ => None,
        };
        complaints.extend(complaint.map(|what| format!("{place}: `{}`: {what}", words.join(" "))));
    }
    Ok(Outcome::Looked(complaints))
}

/// Lines of code that may be commands, with their places.
fn examples(tree: &Tree, help: &mut Help) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for file in tree.below("", ".md") {
        // Figures of a past day keep the commands of that day; generated pages are checked at their source.
        if file.starts_with("docs/measured/")
            || file.starts_with("docs/reference/")
            || file.contains("/fixtures/")
        {
            continue;
        }
        let text = tree.read(file)?;
        found.extend(
            markdown::code(&text).iter().map(|(line, code)| (format!("{file}:{line}"), (*code).to_owned())),
        );
    }
    for file in tree.below("rules/", ".toml") {
        for (at, line) in tree.read(file)?.lines().enumerate() {
            let Some(value) = line.trim().strip_prefix("command = ") else { continue };
            found.push((format!("{file}:{}", at + 1), value.trim_matches(['"', '\'']).to_owned()));
        }
    }
    for path in help.all_commands()? {
        let page = help.page(&path)?.to_owned();
        let place = format!("heldup {} --help", path.join(" "));
        let examples =
            page.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| !line.is_empty());
        found.extend(examples.map(|line| (place.clone(), line.trim().to_owned())));
    }
    Ok(found)
}

/// The words of a command line, without the prompt, `sudo`, and what a shell adds.
fn words(line: &str) -> Vec<&str> {
    let line = line.trim_start_matches(['$', '#', ' ']);
    // Two blanks begin the explanation in an example of --help.
    let line = line.split("  ").next().unwrap_or(line);
    let line = line.split(['|', ';', '>']).next().unwrap_or(line);
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.first() == Some(&"sudo") {
        words.remove(0);
    }
    words
}

fn no_target(makefile: &str, target: &str) -> Option<String> {
    let known = makefile.lines().any(|line| line.split(':').next() == Some(target) && line.contains(':'));
    (!known).then(|| format!("the Makefile has no target {target}"))
}

fn no_task(task: &str) -> Option<String> {
    let known = task == "help" || Cli::command().get_subcommands().any(|sub| sub.get_name() == task);
    (!known).then(|| format!("there is no xtask {task}"))
}

/// The help pages of the program, as it prints them.
struct Help<'a> {
    tree: &'a Tree,
    program: PathBuf,
    pages: HashMap<Vec<String>, String>,
}

impl Help<'_> {
    fn page(&mut self, path: &[String]) -> Result<&str> {
        if !self.pages.contains_key(path) {
            let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
            arguments.push("--help");
            let page = output(&mut command(self.tree, &self.program, &arguments))?;
            self.pages.insert(path.to_owned(), page);
        }
        Ok(self.pages.get(path).map_or("", String::as_str))
    }

    /// Every command and subcommand that help names, the program itself first.
    fn all_commands(&mut self) -> Result<Vec<Vec<String>>> {
        let mut all: Vec<Vec<String>> = vec![Vec::new()];
        let mut at = 0;
        while let Some(path) = all.get(at).cloned() {
            for name in subcommands(self.page(&path)?) {
                if name != "help" {
                    all.push(path.iter().cloned().chain([name]).collect());
                }
            }
            at += 1;
        }
        Ok(all)
    }

    /// What the program would not understand of these words behind its name.
    fn refuses(&mut self, words: &[&str]) -> Result<Option<String>> {
        let mut path: Vec<String> = Vec::new();
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            let names = subcommands(self.page(&path)?);
            if !names.iter().any(|name| name == word) {
                let plain = word.chars().all(|c| c.is_ascii_lowercase());
                // A word where only a command can stand: not an option, not a source.
                if plain && !names.is_empty() && word.len() > 1 {
                    return Ok(Some(format!("there is no command {word}")));
                }
                break;
            }
            path.push((*word).to_owned());
            rest = after;
        }
        let page = self.page(&path)?;
        for option in rest.iter().take_while(|word| **word != "--").filter(|word| word.starts_with("--")) {
            let name = option.split('=').next().unwrap_or(option).trim_end_matches([',', '.', '"']);
            let known = page.split([' ', ',', '\n', '[', '=']).any(|word| word == name);
            if !known {
                return Ok(Some(format!("there is no option {name}")));
            }
        }
        Ok(None)
    }
}

/// Names under "Commands:" of a help page.
fn subcommands(page: &str) -> Vec<String> {
    page.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Deeper lines continue a description.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_line() {
        assert_eq!(words("$ sudo heldup --for 5s   look"), ["heldup", "--for", "5s"]);
        assert_eq!(words("heldup examine --format json | jq ."), ["heldup", "examine", "--format", "json"]);
    }

    #[test]
    fn commands_of_a_help_page() {
        let page =
            "Usage\n\nCommands:\n  examine  Look\n             longer\n  sql      Ask\n\nOptions:\n  -h\n";
        assert_eq!(subcommands(page), ["examine", "sql"]);
    }

    #[test]
    fn targets_and_tasks() {
        assert!(no_target("examine: build\n\techo\n", "examine").is_none());
        assert!(no_target("examine: build\n", "bench").is_some());
        assert!(no_task("ci").is_none());
        assert!(no_task("tidy").is_some());
    }
}
