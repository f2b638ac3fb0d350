//! Who is there in a window of any length.

use heldup_model::{Span, Who};

use super::{Viewer, seen};
use crate::error::Result;

impl Viewer {
    /// Who is there in a window: threads with their time by class, processes with what else is known of them.
    pub fn who(&self, span: Span) -> Result<Who> {
        self.who_over_time(span, 0, 0)
    }

    /// The same, with the time of so many processes, those that waited or ran most, in so many steps.
    pub fn who_over_time(&self, span: Span, _processes: usize, _steps: usize) -> Result<Who> {
        let (_, capture, own_pid) = self.capture(span)?;
        let (tasks, mut processes) = seen::seen(&capture)?;
        processes.retain(|process| Some(process.pid) != own_pid);
        let tasks = tasks.into_iter().filter(|task| task.pid.is_none() || task.pid != own_pid).collect();
        Ok(Who { span: capture.span, tasks, processes, over_time: None })
    }
}
