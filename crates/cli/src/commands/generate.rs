//! `heldup generate FOLDER`: everything that is derived from the declarations.
//!
//! Hidden: it serves packagers and the check that the committed references are current.

use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::cli::Cli;
use super::{rules, tables};
use crate::exit::Exit;

/// Writes `man/`, `completions/`, `reference/` and `page/` below a folder.
pub fn run(folder: &Path) -> anyhow::Result<Exit> {
    let man = folder.join("man");
    let completions = folder.join("completions");
    let reference = folder.join("reference");
    for sub in [&man, &completions, &reference] {
        fs::create_dir_all(sub).with_context(|| format!("cannot make {}", sub.display()))?;
    }
    clap_mangen::generate_to(Cli::command(), &man)
        .with_context(|| format!("cannot write man pages to {}", man.display()))?;
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut Cli::command(), "heldup", &completions)
            .with_context(|| format!("cannot write completions to {}", completions.display()))?;
    }
    let write = |name: &str, text: String| {
        let path = reference.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write("tables.md", tables::reference())?;
    write("rules.md", rules::reference()?)?;
    write("audit-1.schema.json", heldup_report::audit::schema())?;
    write("breakdown-1.schema.json", heldup_report::breakdown::schema())?;
    write("breakdown-difference-1.schema.json", heldup_report::breakdown_difference::schema())?;
    write("comparison-1.schema.json", heldup_report::comparison::schema())?;
    write("doctor-1.schema.json", heldup_report::capabilities::schema())?;
    write("examination-1.schema.json", heldup_report::json::schema())?;
    write("experiment-1.schema.json", heldup_report::experiment::schema())?;
    write("profiles-1.schema.json", heldup_report::profiles::schema())?;
    write("settings-1.schema.json", heldup_report::settings::schema())?;
    write("status-1.schema.json", heldup_report::status::schema())?;
    for (name, schema) in heldup_report::answer_schema::schemas() {
        write(name, schema)?;
    }
    for (name, schema) in heldup_report::setting_changes::schemas() {
        write(name, schema)?;
    }
    write("timeline-1.schema.json", heldup_report::timeline::schema())?;
    write("watch-1.schema.json", heldup_report::watch::schema())?;
    let page = folder.join("page");
    fs::create_dir_all(&page).with_context(|| format!("cannot make {}", page.display()))?;
    for (name, text) in
        [("classes.ts", heldup_report::page::classes()), ("palette.css", heldup_report::page::palette())]
    {
        let path = page.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Exit::DONE)
}
