//! Stories: programs that people run, in a trouble that people have, with the cause that somebody
//! who knows the program would name; and the same program healthy under the same load.
//!
//! One file each, one line in [`ALL`]. The expectation of a story is written before any rule is
//! touched, and stands while a rule does not meet it. Everything is undone when what is held is
//! dropped.

mod backup_database;
mod compile_full_disk;
mod container_quota;
mod cron_overlap;
mod java_heap;
mod log_writer;
mod many_files;
mod mariadb_flush;
mod open_files;
mod packet_flood;
mod pgbench_commits;
mod postgres_checkpoints;
mod postgres_huge_pages;
mod python_threads;
mod redis_saving;
mod redis_swapping;
mod slow_worker;

use std::any::Any;

use anyhow::Result;

use crate::expect::Told;
use crate::needs::Need;

/// Debian's Python: another one in the search path may be a script that starts it.
const PYTHON: &str = "/usr/bin/python3";

/// One story and its healthy twin.
pub struct Story {
    /// Name of the test; that of the twin ends with `.healthy`.
    pub name: &'static str,
    /// What both need of the machine.
    pub needs: &'static [&'static [Need]],
    /// Whether `make test` tells it too.
    pub quick: bool,
    /// Makes the trouble; returns when it is there.
    pub ill: fn() -> Result<Scene>,
    /// Starts the same program without it; returns when it works.
    pub healthy: fn() -> Result<Held>,
}

/// What lasts until it is dropped, from first to last: programs, then what they use.
pub type Held = Vec<Box<dyn Any>>;

/// A trouble that lasts until it is dropped.
pub struct Scene {
    /// What must be told of it.
    pub told: Vec<Told>,
    _held: Held,
}

impl Scene {
    fn new(told: Vec<Told>, held: Held) -> Scene {
        Scene { told, _held: held }
    }
}

/// All of them, sorted by name.
pub const ALL: &[Story] = &[
    backup_database::STORY,
    compile_full_disk::STORY,
    container_quota::STORY,
    cron_overlap::STORY,
    java_heap::STORY,
    log_writer::STORY,
    many_files::STORY,
    mariadb_flush::STORY,
    open_files::STORY,
    packet_flood::STORY,
    pgbench_commits::STORY,
    postgres_checkpoints::STORY,
    postgres_huge_pages::STORY,
    python_threads::STORY,
    redis_saving::STORY,
    redis_swapping::STORY,
    slow_worker::STORY,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(ALL.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn two_are_quick() {
        assert_eq!(ALL.iter().filter(|story| story.quick).count(), 2);
    }
}
