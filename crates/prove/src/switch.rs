//! A setting as a switch: on and off through the log of changes.
//!
//! A change is committed only when it is to be kept: if the program ends while it is on, the next run
//! undoes it.

use heldup_tune::{Applied, ChangeError, ChangeId, Door, Foreign, Plan, PlanFailure, Planned, Writer};

use crate::part::{Stop, Switch};

/// A setting that is changed and restored.
#[derive(Debug)]
pub struct LoggedSwitch<'a, 'w, 'c, D: Door> {
    writer: &'a Writer<'w, 'c, D>,
    plan: Plan,
    key: String,
    to: String,
    /// The plan that is made, while it is on.
    made: Option<ChangeId>,
    applied: Option<Applied>,
}

impl<'a, 'w, 'c, D: Door> LoggedSwitch<'a, 'w, 'c, D> {
    /// A switch that is off.
    pub fn new(writer: &'a Writer<'w, 'c, D>, change: &Planned) -> LoggedSwitch<'a, 'w, 'c, D> {
        let (key, to) = (change.instance.key.clone(), change.to.clone());
        LoggedSwitch {
            writer,
            plan: Plan { changes: vec![change.clone()] },
            key,
            to,
            made: None,
            applied: None,
        }
    }

    /// What the kernel made of it when it was made last; none before that.
    pub fn applied(&self) -> Option<&Applied> {
        self.applied.as_ref()
    }

    /// Makes it and lets it stand.
    pub fn keep(&mut self) -> Result<(), Stop> {
        self.on()?;
        let Some(plan) = self.made else { return Ok(()) };
        if let Err(error) = self.writer.commit(plan, None) {
            self.off()?;
            return Err(failed(error));
        }
        self.made = None;
        Ok(())
    }
}

impl<D: Door> Switch for LoggedSwitch<'_, '_, '_, D> {
    fn on(&mut self) -> Result<(), Stop> {
        if self.made.is_some() {
            return Ok(());
        }
        let made = self.plan.apply(self.writer, &|| false).map_err(|failure| not_made(*failure))?;
        self.made = made.plan;
        self.applied = made.changes.into_iter().next().or(self.applied.take());
        match (self.made, &self.applied) {
            // It was there already: both sides would be the same.
            (None, _) => Err(Stop::Failed(format!("{} is already {}", self.key, self.to))),
            (_, Some(applied)) if applied.now == applied.before => Err(Stop::Failed(format!(
                "the kernel accepted {} for {} but left it at {}",
                self.to, self.key, applied.now
            ))),
            _ => Ok(()),
        }
    }

    fn off(&mut self) -> Result<(), Stop> {
        let Some(plan) = self.made else { return Ok(()) };
        let outcomes = self.writer.undo_plan(plan, Foreign::Stays).map_err(failed)?;
        for (_, outcome) in outcomes {
            outcome.map_err(failed)?;
        }
        self.made = None;
        Ok(())
    }
}

fn not_made(failure: PlanFailure) -> Stop {
    let left = failure.left.iter().map(|error| format!("; not undone: {error}"));
    let what = failure.error.map_or_else(|| "not applied".to_owned(), |error| error.to_string());
    Stop::Failed(left.fold(what, |all, one| all + &one))
}

fn failed(error: ChangeError) -> Stop {
    Stop::Failed(error.to_string())
}
