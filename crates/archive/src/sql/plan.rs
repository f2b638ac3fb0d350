//! What SQLite asks of the virtual table in one loop of a query, as text.
//!
//! The planner writes it, the cursor reads it back, `EXPLAIN QUERY PLAN` shows it
//! (`task_time VIRTUAL TABLE INDEX 0:time>= tid=`), and the lint judges it.

use std::fmt;

/// A plan that serves no condition: every row is read.
pub(super) const EVERYTHING: &str = "everything";

/// The same for a table that has one row in all.
pub(super) const ONE_ROW: &str = "one-row";

/// One condition that the virtual table serves; its value comes as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// `time >= value`.
    TimeFrom,
    /// `time > value`.
    TimeAfter,
    /// `time <= value`.
    TimeUpTo,
    /// `time < value`.
    TimeBefore,
    /// `column = value`.
    Equal(usize),
    /// `column IS value`.
    Is(usize),
}

/// Conditions served, in the order of their arguments, and the columns grouped by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Conditions.
    pub(super) tests: Vec<Test>,
    /// Rows with equal values in these come one after the other.
    pub(super) group_by: Vec<usize>,
    /// The table has one row in all.
    pub(super) one_row: bool,
}

impl Plan {
    /// Reads what `Display` wrote; none for anything else.
    pub(super) fn parse(text: &str) -> Option<Plan> {
        let mut plan = Plan::default();
        for word in text.split(' ') {
            match word {
                EVERYTHING => {}
                ONE_ROW => plan.one_row = true,
                "time>=" => plan.tests.push(Test::TimeFrom),
                "time>" => plan.tests.push(Test::TimeAfter),
                "time<=" => plan.tests.push(Test::TimeUpTo),
                "time<" => plan.tests.push(Test::TimeBefore),
                _ => match word.split_once('#') {
                    Some(("equal", at)) => plan.tests.push(Test::Equal(at.parse().ok()?)),
                    Some(("is", at)) => plan.tests.push(Test::Is(at.parse().ok()?)),
                    Some(("grouped", at)) => plan.group_by.push(at.parse().ok()?),
                    _ => return None,
                },
            }
        }
        Some(plan)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = self
            .tests
            .iter()
            .map(|test| match test {
                Test::TimeFrom => "time>=".into(),
                Test::TimeAfter => "time>".into(),
                Test::TimeUpTo => "time<=".into(),
                Test::TimeBefore => "time<".into(),
                Test::Equal(at) => format!("equal#{at}"),
                Test::Is(at) => format!("is#{at}"),
            })
            .collect();
        if self.one_row {
            words.push(ONE_ROW.into());
        } else if words.is_empty() {
            words.push(EVERYTHING.into());
        }
        words.extend(self.group_by.iter().map(|at| format!("grouped#{at}")));
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_back_as_it_was_written() {
        let tests = vec![
            Test::TimeFrom,
            Test::TimeAfter,
            Test::TimeUpTo,
            Test::TimeBefore,
            Test::Equal(3),
            Test::Is(12),
        ];
        let plan = Plan { tests, group_by: vec![1, 0], one_row: true };
        assert_eq!(Plan::parse(&plan.to_string()), Some(plan));
        assert_eq!(Plan::default().to_string(), EVERYTHING);
        assert_eq!(Plan::parse(EVERYTHING), Some(Plan::default()));
    }

    #[test]
    fn anything_else_is_not_a_plan() {
        for text in ["equal#", "equal#x", "equal#-1", "time=", "\u{0}"] {
            assert_eq!(Plan::parse(text), None, "{text:?}");
        }
    }
}
