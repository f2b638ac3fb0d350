//! The interval of an experiment as it narrowed: reckoned again from its blocks, by the same bets.

use heldup_model::{Block, BlockKind, Experiment, NarrowedPair};
use heldup_stats::Pairs;

use crate::experiment::{difference, effect, noise_floor};

/// Every pair of every change, in order of time, with the interval that it left.
pub fn narrowed(experiment: &Experiment) -> Vec<NarrowedPair> {
    let is_ratio = experiment.asked.is_ratio;
    let of_kind = |kind: BlockKind| experiment.blocks.iter().filter(move |block| block.kind == kind);
    let noise: Vec<f64> = of_kind(BlockKind::Noise).map(|block| block.figure).collect();
    let floor = noise_floor(is_ratio, &noise);
    let error = experiment.asked.error / experiment.changes.len().max(1) as f64;
    let mut all = Vec::new();
    for change in 0..experiment.changes.len() as u64 {
        let is_of_pair = |block: &&Block| {
            block.change == Some(change) && matches!(block.kind, BlockKind::With | BlockKind::Without)
        };
        let blocks: Vec<&Block> = experiment.blocks.iter().filter(is_of_pair).collect();
        let mut pairs = Pairs::new(error, floor.clone());
        for (at, pair) in blocks.chunks_exact(2).enumerate() {
            let with_first = pair[0].kind == BlockKind::With;
            let (without, with) = match with_first {
                true => (pair[1].figure, pair[0].figure),
                false => (pair[0].figure, pair[1].figure),
            };
            let change_of = difference(is_ratio, without, with);
            pairs.push(change_of);
            let (low, high) = pairs.interval();
            all.push(NarrowedPair {
                change,
                pair: at as u64 + 1,
                with_first,
                without,
                with,
                effect: effect(is_ratio, change_of),
                low: low.is_finite().then(|| effect(is_ratio, low)),
                high: high.is_finite().then(|| effect(is_ratio, high)),
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use heldup_model::{EXPERIMENT_SCHEMA, ExperimentEnd, Goal, Question, TriedChange};

    use super::*;

    fn block(kind: BlockKind, figure: f64) -> Block {
        let change = matches!(kind, BlockKind::With | BlockKind::Without).then_some(0);
        Block { kind, change, figure, guards: Vec::new(), seconds: figure, ledger: Default::default() }
    }

    fn experiment(blocks: Vec<Block>) -> Experiment {
        let change = TriedChange {
            setting: "vm.swappiness".to_owned(),
            before: "60".to_owned(),
            asked: "10".to_owned(),
            now: None,
            moved: Vec::new(),
            verdict: None,
            effect: None,
            ci_low: None,
            ci_high: None,
            detection_limit: None,
            pairs_needed: None,
            noise_needed: None,
            pairs: 0,
            why: Vec::new(),
            kept: false,
        };
        Experiment {
            schema: EXPERIMENT_SCHEMA.to_owned(),
            host: "db1".to_owned(),
            kernel: "6.18".to_owned(),
            from: String::new(),
            to: String::new(),
            asked: Question {
                workload: None,
                prepare: None,
                figure: "wall".to_owned(),
                unit: None,
                goal: Goal::Lower,
                guards: Vec::new(),
                error: 0.01,
                worth: 0.02,
                is_ratio: true,
                seed: 1,
                most_pairs: 40,
            },
            proposed_by: None,
            end: ExperimentEnd::Done,
            reason: None,
            noise: None,
            searched: Vec::new(),
            changes: vec![change],
            blocks,
            before: Default::default(),
            changed_after: Default::default(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn an_interval_begins_with_the_eighth_pair_and_holds_the_effect() {
        let mut blocks: Vec<Block> = [1.0, 1.02, 0.99, 1.01, 1.0, 1.01, 1.02, 1.0]
            .into_iter()
            .map(|figure| block(BlockKind::Noise, figure))
            .collect();
        for at in 0..12 {
            let shake = f64::from(at % 3) * 0.005;
            let (with, without) =
                (block(BlockKind::With, 0.9 + shake), block(BlockKind::Without, 1.0 + shake));
            blocks.extend(if at % 2 == 0 { [with, without] } else { [without, with] });
        }
        let pairs = narrowed(&experiment(blocks));
        assert_eq!(pairs.len(), 12);
        assert!(pairs[..7].iter().all(|pair| pair.low.is_none() && pair.high.is_none()), "{pairs:?}");
        let last = pairs[11];
        assert!(
            last.low.is_some_and(|low| low < -0.1) && last.high.is_some_and(|high| high < 0.0),
            "{last:?}"
        );
        assert!((pairs[0].effect + 0.1).abs() < 1e-9 && pairs[0].with_first && !pairs[1].with_first);
    }
}
