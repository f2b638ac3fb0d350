//! `/sys/class/net/*/queues`: the queues of the interfaces of our own network namespace,
//! the CPUs that serve them and their byte queue limits. The folder shows the namespace in
//! which sysfs was mounted, so that other namespaces cannot be read here.

use std::collections::BTreeMap;

use heldup_hostfs::Host;
use heldup_model::tables::NetQueueRow;

use crate::kernel_text::count;
use crate::queue_statistic::Direction;

/// At most so many queues of an interface are read: up to seven small files each.
const MAX_QUEUES: usize = 512;
/// More words than the largest kernels' masks have (8192 CPUs).
const MAX_MASK_WORDS: usize = 256;

/// Queues by direction and number.
pub type Queues = BTreeMap<(Direction, i64), NetQueueRow>;

/// Reads the queues of one interface; none where sysfs is not there.
pub fn read(host: &Host, interface: &str, buffer: &mut Vec<u8>) -> Queues {
    let folder = format!("/sys/class/net/{interface}/queues");
    let names = host.list(&folder).unwrap_or_default();
    let mut queues = Queues::new();
    for name in names.iter().take(MAX_QUEUES) {
        let Some((direction, number)) = queue(name) else { continue };
        let mut files = host.values_in(format!("{folder}/{name}"));
        let mut at = |file: &str| {
            let read = files.read_into(file, buffer);
            read.ok().map(|()| buffer.trim_ascii().to_vec())
        };
        let mut row = NetQueueRow::default();
        // Off, or without a choice (one CPU, one queue), some of these answer an error.
        let mask = match direction {
            Direction::Rx => {
                row.flows = at("rps_flow_cnt").as_deref().and_then(count);
                at("rps_cpus")
            }
            Direction::Tx => {
                row.timeouts = at("tx_timeout").as_deref().and_then(count);
                row.bql_limit_bytes = at("byte_queue_limits/limit").as_deref().and_then(count);
                row.bql_inflight_bytes = at("byte_queue_limits/inflight").as_deref().and_then(count);
                row.bql_stalls = at("byte_queue_limits/stall_cnt").as_deref().and_then(count);
                at("xps_cpus")
            }
        };
        if let Some((list, cpus)) = mask.as_deref().and_then(cpu_list) {
            row.cpus = Some(list.into());
            row.cpus_count = Some(cpus);
        }
        queues.insert((direction, number), row);
    }
    queues
}

/// `rx-0` → receive queue 0.
fn queue(name: &str) -> Option<(Direction, i64)> {
    let (direction, number) = name.split_once('-')?;
    let direction = match direction {
        "rx" => Direction::Rx,
        "tx" => Direction::Tx,
        _ => return None,
    };
    Some((direction, count(number.as_bytes())?))
}

/// `00000001,0000000f` → `0-3,32` and 5. Words of 32 CPUs, the highest first.
fn cpu_list(mask: &[u8]) -> Option<(String, i64)> {
    let words: Option<Vec<u32>> = std::str::from_utf8(mask)
        .ok()?
        .split(',')
        .rev()
        .take(MAX_MASK_WORDS)
        .map(|word| u32::from_str_radix(word, 16).ok())
        .collect();
    let words = words?;
    let is_set = |cpu: usize| words.get(cpu / 32).is_some_and(|word| word >> (cpu % 32) & 1 == 1);
    let mut ranges = Vec::new();
    let mut begun = None;
    for cpu in 0..=words.len() * 32 {
        match (is_set(cpu), begun) {
            (true, None) => begun = Some(cpu),
            (false, Some(first)) => {
                let last = cpu - 1;
                ranges.push(if first == last { first.to_string() } else { format!("{first}-{last}") });
                begun = None;
            }
            _ => {}
        }
    }
    Some((ranges.join(","), words.iter().map(|word| i64::from(word.count_ones())).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_become_lists() {
        let list = |mask: &str| cpu_list(mask.as_bytes());
        assert_eq!(list("3"), Some(("0-1".to_owned(), 2)));
        assert_eq!(list("0"), Some((String::new(), 0)));
        assert_eq!(list("00000001,0000000d"), Some(("0,2-3,32".to_owned(), 4)));
        assert_eq!(list("ffffffff,ffffffff"), Some(("0-63".to_owned(), 64)));
        assert_eq!((list(""), list("1,,2"), list("x")), (None, None, None));
    }

    #[test]
    fn names_of_queues() {
        assert_eq!(queue("rx-12"), Some((Direction::Rx, 12)));
        assert_eq!((queue("rx-"), queue("xx-1"), queue("tx1")), (None, None, None));
    }
}
