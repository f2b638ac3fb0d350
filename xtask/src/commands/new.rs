//! `cargo xtask new`: the skeleton of a unit, its line in the list, and what to fill in.
//!
//! A skeleton is a form with the questions that a unit has to answer; it fails the
//! checks until they are answered.

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use crate::sorted_list::{List, SOURCES, TABLES};
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// A table of the model
    Table {
        /// Name in SQL: lower case, words joined by _
        name: String,
    },
    /// A live source
    Source {
        /// Name of the kernel file, such as proc_softirqs
        name: String,
    },
    /// A rule
    Rule {
        /// Public id, area.name, such as disk.saturated
        id: String,
    },
}

/// Writes the skeleton.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    match &arguments.kind {
        Kind::Table { name } => table(tree, name),
        Kind::Source { name } => source(tree, name),
        Kind::Rule { id } => rule(tree, id),
    }
}

fn table(tree: &Tree, name: &str) -> Result<()> {
    check_name(name, "_")?;
    let row = format!("{}Row", camel(name));
    let file = format!("crates/model/src/tables/{name}.rs");
    let text = fill(include_str!("skeletons/table.rs.txt"), &[("NAME", name), ("ROW", &row)]);
    write_new(tree, &file, &text)?;
    let list = with_item(tree, &TABLES, &format!("{row}::DEF,"))?;
    let list = with_sorted_line(&list, &format!("mod {name};"), "mod ")?;
    let list = with_sorted_line(&list, &format!("pub use {name}::{row};"), "pub use ")?;
    tree.write(TABLES.file, &list)?;
    println!(
        "wrote {file} and its lines in {}\n\
         next: grain, origin and columns in {file}; a source that fills it (cargo xtask new source …);\n\
         then cargo xtask generate, and a line in CHANGELOG.md",
        TABLES.file
    );
    Ok(())
}

fn source(tree: &Tree, name: &str) -> Result<()> {
    check_name(name, "_")?;
    let reader = camel(name);
    let file = format!("crates/sources/src/{name}.rs");
    let text = fill(include_str!("skeletons/source.rs.txt"), &[("NAME", name), ("READER", &reader)]);
    write_new(tree, &file, &text)?;
    let list = with_item(tree, &SOURCES, &format!("Box::<{name}::{reader}>::default(),"))?;
    let list = with_sorted_line(&list, &format!("pub mod {name};"), "pub mod ")?;
    tree.write(SOURCES.file, &list)?;
    println!(
        "wrote {file} and its lines in {}\n\
         next: the path, the table and `parse` in {file};\n\
         a real recording in crates/sources/fixtures/{name}/<distribution>-<kernel>-<what>.txt with its line in \
         PROVENANCE.md;\n\
         UPDATE_GOLDEN=1 cargo test -p heldup-sources, and read what it wrote",
        SOURCES.file
    );
    Ok(())
}

fn rule(tree: &Tree, id: &str) -> Result<()> {
    let Some((area, name)) = id.split_once('.') else {
        bail!("{id}: expected area.name, such as disk.saturated")
    };
    check_name(area, "")?;
    check_name(name, "-")?;
    let values = [("ID", id)];
    let file = format!("rules/{area}/{id}.toml");
    write_new(tree, &file, &fill(include_str!("skeletons/rule.toml.txt"), &values))?;
    let cases = format!("rules/{area}/{id}.cases.toml");
    write_new(tree, &cases, &fill(include_str!("skeletons/cases.toml.txt"), &values))?;
    println!(
        "wrote {file} and {cases}\n\
         next: answer every … in them; `heldup rules test {id}` runs the cases;\n\
         then cargo xtask generate, and a line in CHANGELOG.md"
    );
    Ok(())
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

fn write_new(tree: &Tree, file: &str, text: &str) -> Result<()> {
    if tree.has(file) {
        bail!("{file} is there already");
    }
    tree.write(file, text)
}

fn with_item(tree: &Tree, list: &List, item: &str) -> Result<String> {
    list.with(&tree.read(list.file)?, item)
        .with_context(|| format!("{}: no list at `{}`; tell xtask/src/sorted_list.rs", list.file, list.start))
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
