//! What rows call tasks: their names, their processes and groups, and the objects that they wait for.

use std::collections::HashMap;

use heldup_hostfs::{BootTime, Host, realtime_ms};
use heldup_model::RowSet;

use super::account::TaskMap;
use super::cgroup::{Groups, Trees};
use super::late::LateBook;
use super::object::ObjectNames;
use super::object_rows::ObjectTimes;
use super::record::Header;
use super::rows::{Label, Rows, Words};
use super::sheet::RowOwner;
use super::stack_rows::{self, TaskLabel};

/// Names tasks and what they wait for.
pub(crate) struct Labeller {
    host: Host,
    /// When the machine was booted, from which start times of tasks are computed.
    pub(crate) boot: BootTime,
    groups: Groups,
    /// None where all controllers have one tree.
    trees: Option<Trees>,
    words: Words,
    /// Whether a command is examined, to which tasks belong or not.
    with_command: bool,
    /// Processes whose first thread has got another name in this reading.
    renamed: HashMap<u32, [u8; 16]>,
    /// Tasks that late records name.
    labels: TaskMap<TaskLabel>,
    objects: ObjectNames,
    object_times: ObjectTimes,
}

impl Labeller {
    /// `processes` has the files of processes under the numbers that the kernel half reports, `own_pid` among them.
    pub(crate) fn new(
        host: &Host,
        processes: &Host,
        own_pid: u32,
        boot: BootTime,
        (groups, trees): (Groups, Option<Trees>),
        with_command: bool,
    ) -> Labeller {
        Labeller {
            host: host.clone(),
            boot,
            groups,
            trees,
            words: Words::new(),
            with_command,
            renamed: HashMap::new(),
            labels: TaskMap::default(),
            objects: ObjectNames::new(host, processes, own_pid),
            object_times: ObjectTimes::default(),
        }
    }

    /// Another reading begins.
    pub(crate) fn next_reading(&mut self) {
        self.renamed.clear();
        self.groups.next_reading();
        self.trees.iter_mut().for_each(Trees::next_reading);
    }

    /// Another window begins.
    pub(crate) fn next_window(&mut self) {
        self.labels.clear();
        self.objects.next_window();
        self.words.next_window();
    }

    /// What rows call a task.
    pub(crate) fn label(&mut self, header: &Header) -> Label {
        Label {
            name: self.words.name(&header.comm),
            process: self.words.name(&header.process),
            group: self.groups.name(&self.host, header.cgroup),
        }
    }

    /// Whose the rows of a task are.
    pub(crate) fn owner<'a>(&'a self, header: &'a Header, label: &'a Label) -> RowOwner<'a> {
        let in_command = self.with_command.then_some(header.in_command != 0);
        RowOwner { words: &self.words, boot: self.boot, header, label, in_command }
    }

    /// The row of `thread` of a task that lives.
    pub(crate) fn note_thread(&mut self, header: &Header, rows: &mut Rows) {
        let group = self.groups.name(&self.host, header.cgroup);
        rows.thread(&mut self.words, self.boot, header, &group);
    }

    /// The groups of a process whose first thread ended.
    pub(crate) fn note_end(&mut self, header: &Header, label: &Label, rows: &mut Rows) {
        let groups = self.trees.as_mut().and_then(|trees| trees.of_ended(&self.host, header));
        if let Some(groups) = groups {
            rows.ended_process(self.boot, header, label, groups);
        }
    }

    /// Gives a task the name that its header has by now.
    pub(crate) fn rename(&mut self, header: &Header, label: &mut Label) {
        label.name = self.words.name(&header.comm);
        if header.tid == header.tgid {
            self.renamed.insert(header.tid, header.comm);
        }
    }

    /// Whether no process has got another name in this reading.
    pub(crate) fn all_keep_names(&self) -> bool {
        self.renamed.is_empty()
    }

    /// A process is called by its first thread, which may have got another name in this reading: whether it has.
    pub(crate) fn rename_process(&mut self, header: &mut Header, label: &mut Label) -> bool {
        if self.renamed.is_empty() {
            return false;
        }
        let Some(process) = self.renamed.get(&header.tgid) else { return false };
        header.process = *process;
        label.process = self.words.name(process);
        true
    }

    /// Remembers a task that late records name.
    pub(crate) fn remember(&mut self, header: &Header, label: &Label) {
        self.labels.insert(header.id(), TaskLabel::of(label, header));
    }

    /// Notes the objects that turned up in late records.
    pub(crate) fn note_objects(&mut self, late: &mut LateBook) {
        for (object, pid) in late.new_objects() {
            self.objects.note(&object, pid);
        }
    }

    /// Late records of the window as rows of `stack`.
    pub(crate) fn stacks(&mut self, late: &LateBook) -> RowSet {
        stack_rows::rows(late, &self.labels, &mut self.objects, &self.words)
    }

    /// What processes waited for since the reading before, as rows of `object_time`.
    pub(crate) fn object_times(&mut self, late: &mut LateBook) -> Option<RowSet> {
        let Labeller { labels, objects, object_times, words, .. } = self;
        object_times.rows(realtime_ms(), late, labels, objects, words)
    }
}
