//! Amounts of boxes in words: how much, which share, by how much it differs.

use heldup_model::{Breakdown, BreakdownDifference, BreakdownKind, DifferencePer, FlameUnit};

use super::draw::shown;
use super::tree::Node;
use crate::breakdown_difference::{divided, signed};
use crate::quantity::{count, percent, seconds};

/// How amounts are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amounts {
    unit: FlameUnit,
    per: Option<DifferencePer>,
    pub is_difference: bool,
}

impl Amounts {
    pub(super) fn of(found: &Breakdown) -> Amounts {
        Amounts { unit: unit(found), per: None, is_difference: false }
    }

    pub(super) fn between(after: &Breakdown, difference: &BreakdownDifference) -> Amounts {
        Amounts { unit: unit(after), per: Some(difference.per), is_difference: true }
    }

    /// An amount with its unit.
    pub(super) fn value(&self, amount: f64) -> String {
        match (self.per, self.unit) {
            (Some(per), unit) => divided(unit == FlameUnit::Seconds, per, amount),
            (None, FlameUnit::Share) => percent(amount),
            (None, FlameUnit::Seconds) => seconds(amount),
            (None, FlameUnit::Samples) => format!("{} samples", count(amount.round() as i64)),
            (None, FlameUnit::Threads) if amount.round() as i64 == 1 => "1 thread".to_owned(),
            (None, FlameUnit::Threads) => format!("{} threads", count(amount.round() as i64)),
            (None, FlameUnit::Calls) => format!("{} calls", count(amount.round() as i64)),
        }
    }

    /// A difference with its sign.
    pub(super) fn signed(&self, difference: f64) -> String {
        signed(&self.value(difference.abs()), difference)
    }

    /// What stands in a box behind its name.
    pub(super) fn label(&self, node: &Node) -> String {
        match self.is_difference {
            true => self.signed(node.amounts[1] - node.amounts[0]),
            false => self.value(node.amounts[1]),
        }
    }

    /// What is said of a box, in lines.
    pub(super) fn told(&self, node: &Node, all: [f64; 2]) -> Vec<String> {
        let [before, after] = node.amounts;
        if self.is_difference {
            let both = format!("{} before, {} after", self.value(before), self.value(after));
            return vec![format!("{}: {both}", self.signed(after - before))];
        }
        let share = if all[1] > 0.0 { after / all[1] } else { 0.0 };
        let amount = match self.unit {
            FlameUnit::Share => percent(after),
            _ => format!("{}, {}", self.value(after), percent(share)),
        };
        let mut lines = vec![amount];
        // A dump names who holds the lock, not who ended the wait.
        let waker = if self.unit == FlameUnit::Threads { "held by" } else { "woken by" };
        for (what, names) in [("object", &node.objects), (waker, &node.wakers)] {
            let named: Vec<String> = names
                .iter()
                .map(|(name, amount)| format!("{} {}", shown(name), self.value(*amount)))
                .collect();
            if !named.is_empty() {
                lines.push(format!("{what}: {}", named.join(", ")));
            }
        }
        lines
    }
}

fn unit(found: &Breakdown) -> FlameUnit {
    match (&found.flame, found.kind) {
        (_, BreakdownKind::Calls) => FlameUnit::Calls,
        (Some(flame), _) => flame.unit,
        (None, _) => FlameUnit::Seconds,
    }
}
