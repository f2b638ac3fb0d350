//! Hosts with more CPUs than are read: an even choice, and a word on it.

use heldup_hostfs::Host;
use heldup_sources::{Source, cpufreq::Cpufreq, cpuidle::Cpuidle, thermal::Thermal};

use crate::recorded::{Tree, read};

const CPUS: i64 = 512;

/// A machine of which each CPU has only the files named.
fn machine(files: &[(&str, &str)]) -> Tree {
    let tree = Tree::empty();
    for cpu in 0..CPUS {
        for (path, content) in files {
            let path = path.replace('#', &cpu.to_string());
            tree.write(&format!("/sys/devices/system/cpu/{path}"), content.as_bytes());
        }
    }
    tree
}

#[test]
fn an_even_choice_of_cpus_is_read_and_said() {
    let tree = machine(&[
        ("cpufreq/policy#/scaling_cur_freq", "2000000\n"),
        ("cpu#/cpuidle/state1/time", "7000000\n"),
        ("cpu#/thermal_throttle/core_throttle_count", "3\n"),
    ]);
    let sources: [(Box<dyn Source>, &str, usize); 3] = [
        (Box::new(Cpufreq), "policy_idx", 128),
        (Box::<Cpuidle>::default(), "cpu_idx", 128),
        (Box::new(Thermal), "cpu_idx", 256),
    ];
    for (mut source, column, rows) in sources {
        let reading = read(source.as_mut(), &Host::recorded(&tree.root));
        let name = source.name();
        let chosen = reading.rows[0].ints(column);
        assert_eq!(chosen.len(), rows, "{name}");
        assert_eq!(chosen[1], Some(CPUS / rows as i64), "{name}: evenly");
        let said = reading.missing.iter().any(|missing| missing.why.contains("512"));
        assert!(said, "{name}: {:?}", reading.missing);
    }
}
