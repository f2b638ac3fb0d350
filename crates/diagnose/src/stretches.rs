//! The stretches of a long window to examine: those with more waiting than usual.
//!
//! Rules examine minutes; a day has 1440. So the waiting in each minute, which the ledger
//! has, is compared with the median minute of the window, and what stands out is
//! examined. So are signs of trouble without waiting: a task that runs all the time, lost packets, full
//! file systems. The usual minute is examined once, if it is high itself, and so are the kernel's errors and
//! the end of the window, for exhaustion.

use heldup_archive::kept::{Minute, Minutes, Sign};
use heldup_model::{Span, StretchReason};
use heldup_stats::median;

use crate::severity::WARNING_COST;

/// Length of a minute.
const MINUTE_MS: i64 = 60_000;
/// Minutes of a longer stretch that the rules examine.
const MOST_LOOKED_AT: usize = 5;
/// Bad minutes so close to each other are one stretch.
const MOST_BETWEEN: usize = 2;
/// So much above the usual a minute stands out, at least.
const LEAST_ABOVE: f64 = 1.5;
/// And so many times the usual distance from it: what 0.3 % of normal noise reaches, twice over.
const MOST_SPREAD: f64 = 6.0;
/// Active time is held to be at least this share of all CPUs, as in the view `active_time`.
const LEAST_WANTED: f64 = 0.05;
/// Minutes of which less was recorded are not judged.
const LEAST_RECORDED_S: f64 = 5.0;
/// Maximum of examined stretches with kernel errors.
const MOST_ERRORS: usize = 3;

/// Maximum of examined stretches of one sign of trouble.
const MOST_OF_A_SIGN: usize = 2;
/// A task is busy that ran so much of a minute: where the rule `cpu.single-thread` speaks.
const BUSY: f64 = 0.9;
/// Fewer events a minute are ignored.
const LEAST_EVENTS: f64 = 10.0;

/// A stretch to examine.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// From when to when.
    pub span: Span,
    /// The part that the rules examine.
    pub look: Span,
    /// Why.
    pub reason: StretchReason,
    /// The minutes of the stretch together.
    pub sum: Minute,
    /// Waiting beyond the usual, seconds.
    pub excess_s: f64,
}

/// Stretches that stand out, the one that cost most first, and how many there were of that kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stretches {
    /// At most so many as were asked for, and three kinds of others.
    pub stretches: Vec<Stretch>,
    /// More that stood out.
    pub left_out: usize,
}

/// The worst stretches of a window.
pub fn worst_stretches(minutes: &Minutes, window: Span, most: usize) -> Stretches {
    let all = &minutes.minutes;
    let levels: Vec<Option<f64>> = all.iter().map(level).collect();
    let Some((usual, line)) = line(&levels) else { return Stretches::default() };
    let cpus = minutes.cpus.unwrap_or(1) as f64;
    let is_bad = |at: usize| levels[at].is_some_and(|level| level > line) && costs(&all[at], cpus);
    let bad = runs(all.len(), is_bad);
    let weight = |minute: &Minute| minute.waiting_s;
    let make = |run: &std::ops::Range<usize>, reason| stretch(minutes, window, run, reason, usual, &weight);
    let mut found: Vec<Stretch> = bad.iter().map(|run| make(run, StretchReason::Waiting)).collect();
    found.sort_by(|a, b| b.excess_s.total_cmp(&a.excess_s));
    let left_out = found.len().saturating_sub(most);
    found.truncate(most);
    let is_free = |at: usize| !bad.iter().any(|run| run.contains(&at));
    let of_usual =
        usual_minutes(all, &levels, usual, is_free).filter(|run| costs(&total(&all[run.clone()]), cpus));
    if let Some(run) = of_usual {
        let seen = make(&run, StretchReason::Usual);
        // Usual of what was recorded: a window may ask for days, of which a recorder saw a quarter of an hour.
        let is_recorded = |minute: &Minute| minute.recorded_s > 0.0;
        let first = all.iter().position(is_recorded).unwrap_or(0);
        let end = all.iter().rposition(is_recorded).map_or(all.len(), |last| last + 1);
        let Stretch { span, .. } = make(&(first..end), StretchReason::Usual);
        found.push(Stretch { span, sum: total(all), ..seen });
    }
    let errors = runs(all.len(), |at| all[at].errors > 0 && is_free(at));
    found.extend(errors.iter().rev().take(MOST_ERRORS).map(|run| make(run, StretchReason::KernelErrors)));
    found.extend(signs(minutes, window, usual, &bad));
    let last = all.iter().rposition(|minute| minute.recorded_s >= LEAST_RECORDED_S);
    found.extend(last.map(|last| make(&(last.saturating_sub(1)..last + 1), StretchReason::End)));
    Stretches { stretches: found, left_out }
}

/// Stretches in which a sign of trouble stands out, in addition to those that are examined in any case.
fn signs(
    minutes: &Minutes,
    window: Span,
    usual_waiting: f64,
    known: &[std::ops::Range<usize>],
) -> Vec<Stretch> {
    let all = &minutes.minutes;
    let mut known = known.to_vec();
    let mut found = Vec::new();
    for sign in Sign::ALL {
        let (reason, least) = match sign {
            Sign::BusyTask => (StretchReason::BusyTask, BUSY),
            Sign::NearlyFull => (StretchReason::NearlyFull, 0.0),
            _ => (StretchReason::Events, LEAST_EVENTS / 60.0),
        };
        let rate = |minute: &Minute| {
            (minute.recorded_s >= LEAST_RECORDED_S).then(|| minute.sign(sign) / minute.recorded_s)
        };
        let rates: Vec<Option<f64>> = all.iter().map(rate).collect();
        let Some(line) = line(&rates).map(|(_, line)| line.max(least)) else { continue };
        let stands_out = |at: usize| {
            rates[at].is_some_and(|rate| rate > line) && !known.iter().any(|run| run.contains(&at))
        };
        let of_run = |run: &std::ops::Range<usize>| run.clone().filter_map(|at| rates[at]).sum::<f64>();
        let mut runs = runs(all.len(), stands_out);
        runs.sort_by(|a, b| of_run(b).total_cmp(&of_run(a)));
        runs.truncate(MOST_OF_A_SIGN);
        let weight = |minute: &Minute| minute.sign(sign);
        found.extend(runs.iter().map(|run| stretch(minutes, window, run, reason, usual_waiting, &weight)));
        known.extend(runs);
    }
    found
}

/// What is usual of some minutes, and from where on one stands out.
fn line(rates: &[Option<f64>]) -> Option<(f64, f64)> {
    let mut known: Vec<f64> = rates.iter().flatten().copied().collect();
    let usual = median(&mut known)?;
    let mut distances: Vec<f64> = known.iter().map(|rate| (rate - usual).abs()).collect();
    let spread = median(&mut distances).unwrap_or(0.0);
    Some((usual, (usual * LEAST_ABOVE).max(usual + MOST_SPREAD * spread)))
}

/// Tasks waiting, on average over what was recorded of a minute.
fn level(minute: &Minute) -> Option<f64> {
    (minute.recorded_s >= LEAST_RECORDED_S).then(|| minute.waiting_s / minute.recorded_s)
}

/// Whether the waiting would be a warning, if it had one cause.
fn costs(minute: &Minute, cpus: f64) -> bool {
    let wanted = (minute.waiting_s + minute.running_s).max(LEAST_WANTED * cpus * minute.recorded_s);
    minute.waiting_s >= WARNING_COST * wanted
}

/// Runs of minutes of which something holds, with a few in between of which it does not.
fn runs(len: usize, holds: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..len).filter(|at| holds(*at)) {
        match runs.last_mut() {
            Some(run) if at <= run.end + MOST_BETWEEN => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Some minutes in a row that are as most are.
fn usual_minutes(
    all: &[Minute],
    levels: &[Option<f64>],
    usual: f64,
    is_free: impl Fn(usize) -> bool,
) -> Option<std::ops::Range<usize>> {
    let off = |run: &std::ops::Range<usize>| -> Option<f64> {
        run.clone().map(|at| Some((levels[at].filter(|_| is_free(at))? - usual).abs())).sum()
    };
    // Of a recording that is shorter, or full of holes, fewer.
    (1..=MOST_LOOKED_AT.min(all.len())).rev().find_map(|length| {
        let runs = (0..=all.len() - length).map(|begin| begin..begin + length);
        let judged = runs.filter_map(|run| Some((off(&run)?, run)));
        judged.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, run)| run)
    })
}

fn total(minutes: &[Minute]) -> Minute {
    minutes.iter().fold(Minute::default(), |sum, minute| sum.and(minute))
}

fn stretch(
    minutes: &Minutes,
    window: Span,
    run: &std::ops::Range<usize>,
    reason: StretchReason,
    usual: f64,
    weight: &dyn Fn(&Minute) -> f64,
) -> Stretch {
    let all = &minutes.minutes;
    let weight = |part: &std::ops::Range<usize>| all[part.clone()].iter().map(weight).sum::<f64>();
    let parts = (run.start..=run.end.saturating_sub(MOST_LOOKED_AT).max(run.start))
        .map(|begin| begin..run.end.min(begin + MOST_LOOKED_AT));
    let worst = parts.max_by(|a, b| weight(a).total_cmp(&weight(b))).unwrap_or(run.clone());
    let span = |run: &std::ops::Range<usize>| Span {
        since_ms: window.since_ms.max(minutes.since_ms + run.start as i64 * MINUTE_MS),
        until_ms: window.until_ms.min(minutes.since_ms + run.end as i64 * MINUTE_MS),
    };
    let sum = total(&all[run.clone()]);
    let excess_s = sum.waiting_s - usual * sum.recorded_s;
    Stretch { span: span(run), look: span(&worst), reason, sum, excess_s }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(waiting_s: &[f64]) -> Minutes {
        let minute = |waiting_s: &f64| Minute {
            recorded_s: 60.0,
            running_s: 30.0,
            waiting_s: *waiting_s,
            ..Minute::default()
        };
        Minutes { minutes: waiting_s.iter().map(minute).collect(), cpus: Some(2), ..Minutes::default() }
    }

    fn found(minutes: &Minutes, most: usize) -> Vec<(StretchReason, i64, i64, i64, i64)> {
        let window = Span { since_ms: 0, until_ms: minutes.minutes.len() as i64 * MINUTE_MS };
        let found = worst_stretches(minutes, window, most).stretches;
        let of = |span: Span| (span.since_ms / MINUTE_MS, span.until_ms / MINUTE_MS);
        let each = found.iter().map(|one| {
            let ((since, until), (look_since, look_until)) = (of(one.span), of(one.look));
            (one.reason, since, until, look_since, look_until)
        });
        each.collect()
    }

    #[test]
    fn what_stands_out_is_ranked_by_what_it_cost() {
        use StretchReason::*;
        let mut waiting = [0.1; 120];
        waiting[10] = 20.0;
        waiting[12] = 30.0;
        for (at, waiting) in waiting.iter_mut().enumerate().take(60).skip(50) {
            *waiting = if at < 54 { 10.0 } else { 10.0 + at as f64 };
        }
        let stretches = found(&minutes(&waiting), 8);
        assert_eq!(
            stretches,
            [(Waiting, 50, 60, 55, 60), (Waiting, 10, 13, 10, 13), (End, 118, 120, 118, 120)]
        );
        let window = Span { since_ms: 0, until_ms: 120 * MINUTE_MS };
        assert_eq!(worst_stretches(&minutes(&waiting), window, 1).left_out, 1);
    }

    #[test]
    fn what_is_always_so_is_one_stretch() {
        use StretchReason::*;
        let waiting: Vec<f64> = (0..60).map(|at| 40.0 + f64::from(at % 7)).collect();
        let stretches = found(&minutes(&waiting), 8);
        assert_eq!(stretches.len(), 2, "{stretches:?}");
        assert_eq!((stretches[0].0, stretches[0].1, stretches[0].2), (Usual, 0, 60));
        assert_eq!(found(&minutes(&[40.0, 41.0]), 8)[0], (Usual, 0, 2, 0, 2), "a short recording");
        let mut long = minutes(&[0.0, 0.0, 0.0, 40.0, 41.0, 0.0]);
        for at in [0, 1, 2, 5] {
            long.minutes[at] = Minute::default();
        }
        assert_eq!(found(&long, 8)[0], (Usual, 3, 5, 3, 5), "a short recording in a long window");
    }

    #[test]
    fn what_holds_nobody_up_stands_out_by_its_signs() {
        use StretchReason::*;
        let mut quiet = minutes(&[0.0; 120]);
        let sign = |minute: &mut Minute, sign: Sign, number| minute.signs[sign as usize] = number;
        for (at, minute) in quiet.minutes.iter_mut().enumerate() {
            // A program that now and then works, and packets of protocols that nobody speaks.
            sign(minute, Sign::BusyTask, (at % 7) as f64);
            sign(minute, Sign::NetDrops, 20.0 + (at % 5) as f64);
            if (20..30).contains(&at) {
                sign(minute, Sign::BusyTask, 59.0);
            }
            if (50..52).contains(&at) {
                sign(minute, Sign::NetDrops, 5000.0);
            }
            if at == 80 {
                sign(minute, Sign::NearlyFull, 3.0);
            }
            // Too few to be looked at.
            sign(minute, Sign::NetErrors, if at == 100 { 9.0 } else { 0.0 });
        }
        let stretches = found(&quiet, 8);
        assert_eq!(
            stretches,
            [
                (BusyTask, 20, 30, 25, 30),
                (Events, 50, 52, 50, 52),
                (NearlyFull, 80, 81, 80, 81),
                (End, 118, 120, 118, 120)
            ]
        );
        quiet.minutes.iter_mut().for_each(|minute| sign(minute, Sign::BusyTask, 59.0));
        assert!(found(&quiet, 8).iter().all(|stretch| stretch.0 != BusyTask), "it is always so");
    }

    #[test]
    fn an_idle_machine_has_its_end_and_a_kernel_error_a_stretch() {
        use StretchReason::*;
        let mut quiet = minutes(&[0.0; 30]);
        quiet.minutes[7].errors = 2;
        quiet.minutes[20] = Minute::default();
        assert_eq!(found(&quiet, 8), [(KernelErrors, 7, 8, 7, 8), (End, 28, 30, 28, 30)]);
        assert_eq!(found(&minutes(&[]), 8), []);
        assert_eq!(found(&minutes(&[1.0]), 8).len(), 1);
    }
}
