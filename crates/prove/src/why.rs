//! Why a change helped or harmed: what the tasks did less or more of, from the blocks' accounts of time.

use std::collections::BTreeSet;

use heldup_model::{Block, BlockKind, Class, ClassChange, Group, Judgement};
use heldup_stats::{between, holm};

/// Chance that a change without an effect is said to change any class.
const LEVEL: f64 = 0.01;
/// Share of the active time of a block below which a class is not worth a line.
const LEAST_SHARE: f64 = 0.001;

/// The classes of time in the blocks without and with a change, as two ledgers are compared
/// (`docs/decisions/0007-comparison.md`): those that differ first, largest change first. Empty where
/// time was not accounted for.
pub fn why(blocks: &[Block], change: u64) -> Vec<ClassChange> {
    let of = |kind: BlockKind| -> Vec<&Block> {
        blocks.iter().filter(|block| block.kind == kind && block.change == Some(change)).collect()
    };
    let (without, with) = (of(BlockKind::Without), of(BlockKind::With));
    let names: BTreeSet<&String> =
        without.iter().chain(&with).flat_map(|block| block.ledger.keys()).collect();
    let wanted: f64 = without.iter().flat_map(|block| &block.ledger).map(|(_, seconds)| seconds).sum();
    let least = LEAST_SHARE * wanted / without.len().max(1) as f64;
    let mut all = Vec::new();
    let mut likeliness = Vec::new();
    for name in names {
        let is_wanted = Class::from_name(name)
            .is_some_and(|class| matches!(class.group(), Group::Running | Group::Waiting | Group::Peer));
        let series = |of: &[&Block]| -> Vec<f64> {
            of.iter().map(|block| block.ledger.get(name).copied().unwrap_or(0.0)).collect()
        };
        let Some(found) = between(&series(&without), &series(&with)).filter(|_| is_wanted) else { continue };
        let judgement = Judgement::NotJudged;
        let class = ClassChange { class_name: name.clone(), first: found.from, second: found.to, judgement };
        likeliness.push(found.p);
        all.push(class);
    }
    let asked: Vec<f64> = likeliness.iter().flatten().copied().collect();
    let mut stands = holm(&asked, LEVEL).into_iter();
    for (class, p) in all.iter_mut().zip(&likeliness) {
        if p.is_some() {
            let differs = stands.next() == Some(true);
            class.judgement = if differs { Judgement::Differs } else { Judgement::NoDifferenceSeen };
        }
    }
    all.retain(|class| class.first.max(class.second) >= least);
    let size = |class: &ClassChange| (class.second - class.first).abs();
    all.sort_by(|a, b| {
        let last = |class: &ClassChange| class.judgement != Judgement::Differs;
        last(a).cmp(&last(b)).then(size(b).total_cmp(&size(a)))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shrank_stands_first() {
        let block = |kind, at: usize, read: f64| Block {
            kind,
            change: Some(0),
            figure: 1.0,
            guards: Vec::new(),
            seconds: 1.0,
            ledger: [("disk_read", read), ("user", 0.5), ("timer", 9.0 - read)]
                .map(|(name, seconds)| (name.to_owned(), seconds + at as f64 * 0.001))
                .into(),
        };
        let mut blocks: Vec<Block> = (0..8).map(|at| block(BlockKind::Without, at, 2.0)).collect();
        blocks.extend((0..8).map(|at| block(BlockKind::With, at, 0.5)));
        let found = why(&blocks, 0);
        let first = found.first().unwrap();
        assert_eq!((first.class_name.as_str(), first.judgement), ("disk_read", Judgement::Differs));
        assert!((first.second - first.first + 1.5).abs() < 1e-9);
        assert!(
            found.iter().skip(1).all(|class| class.judgement == Judgement::NoDifferenceSeen),
            "{found:?}"
        );
        assert!(why(&blocks, 1).is_empty());
    }
}
