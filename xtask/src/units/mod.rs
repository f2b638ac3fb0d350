//! What makes a unit: its file from a skeleton, its lines in the lists, and what is left to answer.
//!
//! A skeleton is a form with the questions that a unit has to answer, each a `…`. Code compiles as it is; the checks
//! and tests fail until it is answered.

use anyhow::{Context, Result, bail};
use clap::Subcommand;

use crate::sorted_list::{FORMATS, List, SOURCES, TABLES};
use crate::tree::Tree;

/// A unit, and what it is called.
#[derive(Clone, Debug, Subcommand)]
pub enum Unit {
    /// A table of the model
    Table {
        /// Name in SQL: lower case, words joined by _
        name: String,
    },
    /// A live source
    Source {
        /// Name of the kernel file, such as proc_softirqs
        name: String,
        /// Table that it fills, as in SQL
        table: String,
    },
    /// A format of another tool
    Importer {
        /// Folder of its vendor below crates/import/src, such as procps
        vendor: String,
        /// Name: lower case, words joined by _
        name: String,
    },
    /// A rule
    Rule {
        /// Public id, area.name, such as disk.saturated
        id: String,
    },
    /// A setting of the catalogue
    Tunable {
        /// File below tunables/, without its ending, such as net-core
        file: String,
        /// Public id, such as vm.swappiness
        id: String,
    },
    /// A profile of settings
    Profile {
        /// Name: lower case, words joined by -
        name: String,
    },
    /// An answer: its type in the model, and its text and JSON
    Report {
        /// Name: lower case, words joined by _
        name: String,
    },
    /// A command of heldup
    Command {
        /// Name: lower case, words joined by -
        name: String,
    },
}

/// What was made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Files that are new; who makes the unit answers the questions in them.
    pub written: Vec<String>,
    /// Files that have got a line.
    pub lines: Vec<String>,
    /// What is to be done next.
    pub next: String,
}

/// Makes a unit in a tree.
pub fn make(tree: &Tree, unit: &Unit) -> Result<Made> {
    match unit {
        Unit::Table { name } => table(tree, name),
        Unit::Source { name, table } => source(tree, name, table),
        Unit::Importer { vendor, name } => importer(tree, vendor, name),
        Unit::Rule { id } => rule(tree, id),
        Unit::Tunable { file, id } => tunable(tree, file, id),
        Unit::Profile { name } => profile(tree, name),
        Unit::Report { name } => report(tree, name),
        Unit::Command { name } => command(tree, name),
    }
}

fn table(tree: &Tree, name: &str) -> Result<Made> {
    check_name(name, "_")?;
    let row = format!("{}Row", camel(name));
    let mut made = Made::default();
    let values = [("NAME", name), ("ROW", row.as_str())];
    made.file(
        tree,
        &format!("crates/model/src/tables/{name}.rs"),
        include_str!("skeletons/table.rs.txt"),
        &values,
    )?;
    made.change(tree, TABLES.file, |text| {
        let text = item(&TABLES, text, &format!("{row}::DEF,"))?;
        let text = with_sorted_line(&text, &format!("mod {name};"), "mod ")?;
        with_sorted_line(&text, &format!("pub use {name}::{row};"), "pub use ")
    })?;
    made.change(tree, "tests/it/table_checks.toml", |text| {
        Ok(format!("{text}\n[{name}]\nby = []\nwith = \"… (who else tells the same numbers)\"\n"))
    })?;
    made.then(
        "a source that fills it (cargo xtask new source …); cargo xtask generate, and a line in CHANGELOG.md",
    )
}

fn source(tree: &Tree, name: &str, table: &str) -> Result<Made> {
    check_name(name, "_")?;
    check_name(table, "_")?;
    let (reader, row) = (camel(name), camel(table));
    let mut made = Made::default();
    let values = [("NAME", name), ("READER", reader.as_str()), ("TABLE", row.as_str())];
    made.file(
        tree,
        &format!("crates/sources/src/{name}.rs"),
        include_str!("skeletons/source.rs.txt"),
        &values,
    )?;
    made.change(tree, SOURCES.file, |text| {
        let text = item(&SOURCES, text, &format!("Box::<{name}::{reader}>::default(),"))?;
        with_sorted_line(&text, &format!("pub mod {name};"), "pub mod ")
    })?;
    made.then(&format!(
        "a real recording in crates/sources/fixtures/{name}/<distribution>-<kernel>-<what>.txt with its line in \
         PROVENANCE.md; UPDATE_GOLDEN=1 cargo test -p heldup-sources, and read what it wrote"
    ))
}

fn importer(tree: &Tree, vendor: &str, name: &str) -> Result<Made> {
    check_name(vendor, "_")?;
    check_name(name, "_")?;
    let list = format!("crates/import/src/{vendor}/mod.rs");
    if !tree.has(&list) {
        bail!("{list} is not there: a vendor is a folder with a mod.rs of its formats");
    }
    let kind = camel(name);
    let mut made = Made::default();
    let values = [("NAME", name), ("TYPE", kind.as_str())];
    let file = format!("crates/import/src/{vendor}/{name}.rs");
    made.file(tree, &file, include_str!("skeletons/importer.rs.txt"), &values)?;
    made.change(tree, &list, |text| with_sorted_line(text, &format!("pub mod {name};"), "pub mod "))?;
    made.change(tree, FORMATS.file, |text| {
        item(&FORMATS, text, &format!("make::<{vendor}::{name}::{kind}>,"))
    })?;
    made.then(
        "a recording of the real tool in crates/import/fixtures/ with its command in PROVENANCE.md; \
         UPDATE_GOLDEN=1 cargo test -p heldup-import, and read what it wrote",
    )
}

fn rule(tree: &Tree, id: &str) -> Result<Made> {
    let Some((area, name)) = id.split_once('.') else {
        bail!("{id}: expected area.name, such as disk.saturated")
    };
    check_name(area, "")?;
    check_name(name, "-")?;
    let values = [("ID", id)];
    let mut made = Made::default();
    made.file(tree, &format!("rules/{area}/{id}.toml"), include_str!("skeletons/rule.toml.txt"), &values)?;
    made.file(
        tree,
        &format!("rules/{area}/{id}.cases.toml"),
        include_str!("skeletons/cases.toml.txt"),
        &values,
    )?;
    made.then(&format!(
        "`heldup rules test {id}` runs the cases; cargo xtask generate, and a line in CHANGELOG.md"
    ))
}

fn tunable(tree: &Tree, file: &str, id: &str) -> Result<Made> {
    check_name(file, "-")?;
    if id.is_empty() || id.contains(['"', '\n', '\\']) {
        bail!("{id:?}: expected an id, such as vm.swappiness");
    }
    let file = format!("tunables/{file}.toml");
    if !tree.has(&file) {
        bail!("{file} is not there; `ls tunables` shows the files");
    }
    let text = fill(include_str!("skeletons/tunable.toml.txt"), &[("ID", id)]);
    let mut made = Made::default();
    made.change(tree, &file, |there| Ok(format!("{}\n{text}", there.trim_end())))?;
    made.then("cargo test -p heldup-tune checks it; a line in CHANGELOG.md")
}

fn profile(tree: &Tree, name: &str) -> Result<Made> {
    check_name(name, "-")?;
    let mut made = Made::default();
    let skeleton = include_str!("skeletons/profile.toml.txt");
    made.file(tree, &format!("profiles/{name}.toml"), skeleton, &[("NAME", name)])?;
    made.then(&format!(
        "`heldup tune plan --profile {name}` shows what it would change; a line in CHANGELOG.md"
    ))
}

fn report(tree: &Tree, name: &str) -> Result<Made> {
    check_name(name, "_")?;
    let (kind, word, constant) = (camel(name), name.replace('_', "-"), name.to_ascii_uppercase());
    let values =
        [("NAME", name), ("TYPE", kind.as_str()), ("WORD", word.as_str()), ("CONST", constant.as_str())];
    let mut made = Made::default();
    made.file(
        tree,
        &format!("crates/model/src/{name}.rs"),
        include_str!("skeletons/answer.rs.txt"),
        &values,
    )?;
    made.file(
        tree,
        &format!("crates/report/src/{name}.rs"),
        include_str!("skeletons/report.rs.txt"),
        &values,
    )?;
    made.change(tree, "crates/model/src/lib.rs", |text| {
        let text = with_sorted_line(text, &format!("mod {name};"), "mod ")?;
        with_sorted_line(&text, &format!("pub use {name}::*;"), "pub use ")
    })?;
    made.change(tree, "crates/report/src/lib.rs", |text| {
        with_sorted_line(text, &format!("pub mod {name};"), "pub mod ")
    })?;
    made.change(tree, "crates/cli/src/commands/generate.rs", |text| {
        let line = format!("    write(\"{word}-1.schema.json\", heldup_report::{name}::schema())?;");
        with_line_before(text, "    write(\"timeline-1.schema.json\"", &line)
    })?;
    made.then("a request of the engine that answers it; cargo xtask generate, and a line in CHANGELOG.md")
}

fn command(tree: &Tree, name: &str) -> Result<Made> {
    check_name(name, "-")?;
    let module = name.replace('-', "_");
    let kind = camel(&module);
    let values = [("WORD", name), ("TYPE", kind.as_str())];
    let mut made = Made::default();
    let file = format!("crates/cli/src/commands/{module}.rs");
    made.file(tree, &file, include_str!("skeletons/command.rs.txt"), &values)?;
    made.change(tree, "crates/cli/src/commands/mod.rs", |text| {
        with_sorted_line(text, &format!("pub mod {module};"), "pub mod ")
    })?;
    made.change(tree, "crates/cli/src/commands/cli.rs", |text| {
        let line = format!("use crate::commands::{module}::{kind}Args;");
        let text = with_sorted_line(text, &line, "use crate::commands::")?;
        let line = format!("    /// … (what it is for, in one line)\n    {kind}({kind}Args),");
        with_line_before(&text, "    /// Print a completion script for a shell", &line)
    })?;
    made.change(tree, "crates/cli/src/main.rs", |text| {
        let line = format!("        Some(Command::{kind}(args)) => commands::{module}::run(&args),");
        with_line_before(text, "        Some(Command::Completions", &line)
    })?;
    made.then(
        "a test of it in crates/cli/tests/it/commands.rs; cargo xtask generate, and a line in CHANGELOG.md",
    )
}

impl Made {
    fn file(&mut self, tree: &Tree, file: &str, skeleton: &str, values: &[(&str, &str)]) -> Result<()> {
        if tree.has(file) {
            bail!("{file} is there already");
        }
        tree.write(file, &fill(skeleton, values))?;
        self.written.push(file.to_owned());
        Ok(())
    }

    fn change(&mut self, tree: &Tree, file: &str, change: impl FnOnce(&str) -> Result<String>) -> Result<()> {
        let text = change(&tree.read(file)?).with_context(|| file.to_owned())?;
        tree.write(file, &text)?;
        self.lines.push(file.to_owned());
        Ok(())
    }

    fn then(mut self, next: &str) -> Result<Made> {
        self.next = next.to_owned();
        Ok(self)
    }
}

fn item(list: &List, text: &str, item: &str) -> Result<String> {
    list.with(text, item)
        .with_context(|| format!("{}: no list at `{}`; tell xtask/src/sorted_list.rs", list.file, list.start))
}

/// The text with lines before the one that begins so.
fn with_line_before(text: &str, start: &str, lines: &str) -> Result<String> {
    let at = text.find(&format!("\n{start}")).with_context(|| format!("no line begins with `{start}`"))?;
    Ok(format!("{}\n{lines}{}", &text[..at], &text[at..]))
}

/// An error unless the name is lower case with nothing but `joint` between its words.
fn check_name(name: &str, joint: &str) -> Result<()> {
    let good = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || joint.contains(c));
    if !good {
        bail!(
            "{name}: expected lower-case words{}",
            if joint.is_empty() { "" } else { " joined by " }.to_owned() + joint
        );
    }
    Ok(())
}

/// The text with a line among the lines that begin like it, at its place.
fn with_sorted_line(text: &str, line: &str, start: &str) -> Result<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    // `mod tests {` begins alike and is no item of the list.
    let alike = |(_, there): &(usize, &&str)| there.starts_with(start) && there.ends_with(';');
    let larger = lines.iter().enumerate().filter(alike).find(|(_, there)| ***there > *line).map(|(at, _)| at);
    let last = lines.iter().enumerate().rfind(alike).map(|(at, _)| at + 1);
    let at = larger.or(last).with_context(|| format!("no line begins with `{start}`"))?;
    lines.insert(at, line);
    Ok(lines.join("\n") + "\n")
}

/// `proc_net_dev` → `ProcNetDev`.
fn camel(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + chars.as_str())
        })
        .collect()
}

fn fill(skeleton: &str, values: &[(&str, &str)]) -> String {
    values
        .iter()
        .fold(skeleton.to_owned(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert!(check_name("proc_net_dev", "_").is_ok());
        for bad in ["ProcNet", "proc-net", "../x", "", "9lives"] {
            assert!(check_name(bad, "_").is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_goes_among_its_likes() {
        let text = "//! x\nmod a;\nmod c;\n\npub use a::A;\n";
        assert_eq!(with_sorted_line(text, "mod b;", "mod ").unwrap(), text.replace("mod c", "mod b;\nmod c"));
        assert_eq!(
            with_sorted_line(text, "mod d;", "mod ").unwrap(),
            text.replace("mod c;", "mod c;\nmod d;")
        );
        assert!(with_sorted_line(text, "x", "nothing ").is_err());
        let tested = format!("{text}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n}}\n");
        for line in ["mod socket;", "mod zone;"] {
            let expected = tested.replace("mod c;", &format!("mod c;\n{line}"));
            assert_eq!(with_sorted_line(&tested, line, "mod ").unwrap(), expected);
        }
    }

    #[test]
    fn skeletons_are_filled() {
        assert_eq!(camel("proc_net_dev"), "ProcNetDev");
        assert_eq!(fill("{{NAME}} is {{ROW}}", &[("NAME", "a"), ("ROW", "ARow")]), "a is ARow");
    }
}
