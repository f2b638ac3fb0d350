//! Programs that ran on one side only.
//!
//! By name and not by process: a service that was restarted is the same program. Kernel threads
//! are left out, because workers come and go.

use heldup_archive::SqlError;
use heldup_model::ProgramDifference;

use super::ledger::Rates;
use super::side::Side;

/// Looked for in the whole capture: what ran in a ramp did not appear or vanish.
const PROGRAMS: &str = "
    select program, sum(active_s) as active_s from (
      select coalesce(process_name, name) as program,
             case when group_name in ('running', 'waiting') then seconds else 0 end as active_s
      from task_time where not kernel_thread
      union all
      select name, 0 from process where not kernel_thread)
    where program is not null
    group by 1";

/// The programs, those with the most active time first.
pub fn compare(first: &Side, second: &Side) -> Result<Vec<ProgramDifference>, SqlError> {
    Ok(on_one_side(&programs(first)?, &programs(second)?))
}

/// The programs that only one of two sides has.
pub fn on_one_side(one: &Rates, other: &Rates) -> Vec<ProgramDifference> {
    let gone = one.iter().filter(|(name, _)| !other.contains_key(*name));
    let come = other.iter().filter(|(name, _)| !one.contains_key(*name));
    let gone =
        gone.map(|(name, rate)| ProgramDifference { name: name.clone(), first: Some(*rate), second: None });
    let come =
        come.map(|(name, rate)| ProgramDifference { name: name.clone(), first: None, second: Some(*rate) });
    let mut all: Vec<ProgramDifference> = gone.chain(come).collect();
    let rate = |program: &ProgramDifference| program.first.or(program.second).unwrap_or(0.0);
    all.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    all
}

/// Active time of every program, task-seconds per second.
pub fn programs(side: &Side) -> Result<Rates, SqlError> {
    let seconds = side.capture.secs().max(f64::MIN_POSITIVE);
    let rate = |wanted: Option<f64>| wanted.unwrap_or(0.0) / seconds;
    let rows = side.rows(PROGRAMS)?;
    Ok(rows.iter().filter_map(|row| Some((row.text("program")?, rate(row.number("active_s"))))).collect())
}
