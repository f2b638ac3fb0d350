//! The interval of an experiment as it narrowed: reckoned again from its blocks, by the same bets.

use heldup_model::{Block, BlockKind, Experiment, NarrowedPair};
use heldup_stats::Pairs;

use crate::experiment::{difference, effect, noise_floor};

/// Every pair of every change of an experiment, in order of time, with the interval that it left.
pub fn narrowed(experiment: &Experiment) -> Vec<NarrowedPair> {
    let asked = &experiment.asked;
    narrowed_of(&experiment.blocks, experiment.changes.len(), asked.is_ratio, asked.error)
}

/// The same of the blocks of so many changes; `error` is the chance that anything of it is wrong.
pub fn narrowed_of(blocks: &[Block], changes: usize, is_ratio: bool, error: f64) -> Vec<NarrowedPair> {
    let is_noise = |block: &&Block| block.kind == BlockKind::Noise;
    let noise: Vec<f64> = blocks.iter().filter(is_noise).map(|block| block.figure).collect();
    let floor = noise_floor(is_ratio, &noise);
    let error = error / changes.max(1) as f64;
    let mut all = Vec::new();
    for change in 0..changes as u64 {
        let is_of_pair = |block: &&Block| {
            block.change == Some(change) && matches!(block.kind, BlockKind::With | BlockKind::Without)
        };
        let of_change: Vec<&Block> = blocks.iter().filter(is_of_pair).collect();
        let mut pairs = Pairs::new(error, floor.clone());
        for (at, pair) in of_change.chunks_exact(2).enumerate() {
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
