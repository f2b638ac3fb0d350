//! Which CPUs programs are placed on, with the reasons: the machine's cores and nodes, where their memory
//! is, and which CPUs serve interrupts.
//!
//! Nothing is written here; a plan sets `process.PID.affinity`.

use std::collections::{BTreeMap, BTreeSet};

use heldup_hostfs::{Host, HostError};

const CPUS: &str = "/sys/devices/system/cpu";
const NODES: &str = "/sys/devices/system/node";
const MIB: u64 = 1 << 20;

/// A CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// Its number.
    pub number: usize,
    /// The CPUs of its core, itself among them.
    pub core: Vec<usize>,
    /// Its node; 0 where the machine has none.
    pub node: usize,
    /// Interrupts of devices that it has served since boot.
    pub interrupts: u64,
}

/// What a machine's programs can be placed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// CPUs that are online, sorted.
    pub cpus: Vec<Cpu>,
    /// Free memory by node, in bytes.
    pub free_bytes: BTreeMap<usize, u64>,
}

/// A program that is to be placed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its process.
    pub pid: i64,
    /// Its name.
    pub name: String,
    /// Its threads.
    pub threads: usize,
    /// Its memory by node, in bytes; empty where the machine has no nodes.
    pub memory: BTreeMap<usize, u64>,
}

/// What programs are placed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacedOn {
    /// These CPUs.
    Cpus(Vec<usize>),
    /// The CPUs of a node.
    Node(usize),
    /// Whatever suits them: each gets so many CPUs of its own; none for one a thread, as far as its
    /// share of a node goes.
    Best(Option<usize>),
}

/// A program's CPUs, and why these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its process.
    pub pid: i64,
    /// CPUs, sorted.
    pub cpus: Vec<usize>,
    /// In words.
    pub reasons: Vec<String>,
}

impl Topology {
    /// That of a host.
    pub fn of(host: &Host) -> Result<Topology, HostError> {
        let online = host.read_text(format!("{CPUS}/online"))?;
        let interrupts = host.read_text("/proc/interrupts").map(|text| interrupts(&text)).unwrap_or_default();
        let mut topology = Topology::default();
        let nodes = host.list(NODES).unwrap_or_default();
        let mut of_node = BTreeMap::new();
        for node in nodes.iter().filter_map(|name| name.strip_prefix("node")?.parse::<usize>().ok()) {
            let list = host.read_text(format!("{NODES}/node{node}/cpulist")).unwrap_or_default();
            of_node.extend(numbers(&list).into_iter().map(|cpu| (cpu, node)));
            let memory = host.read_text(format!("{NODES}/node{node}/meminfo")).unwrap_or_default();
            topology.free_bytes.insert(node, free_bytes(&memory));
        }
        for number in numbers(&online) {
            let core = host.read_text(format!("{CPUS}/cpu{number}/topology/thread_siblings_list"));
            topology.cpus.push(Cpu {
                number,
                core: core.map(|list| numbers(&list)).unwrap_or_else(|_| vec![number]),
                node: of_node.get(&number).copied().unwrap_or(0),
                interrupts: interrupts.get(&number).copied().unwrap_or(0),
            });
        }
        Ok(topology)
    }

    fn nodes(&self) -> BTreeSet<usize> {
        self.cpus.iter().map(|cpu| cpu.node).collect()
    }

    fn of_node(&self, node: usize) -> impl Iterator<Item = &Cpu> {
        self.cpus.iter().filter(move |cpu| cpu.node == node)
    }
}

impl Program {
    /// A process as it is now.
    pub fn of(host: &Host, pid: i64) -> Result<Program, HostError> {
        let name = host.read_text(format!("/proc/{pid}/comm"))?;
        let threads = host.list_numbers(format!("/proc/{pid}/task"))?.len();
        let maps = host.read_text(format!("/proc/{pid}/numa_maps")).unwrap_or_default();
        Ok(Program { pid, name, threads, memory: memory(&maps) })
    }
}

/// Places programs, the first ones with the first choice; an error in words.
pub fn place(topology: &Topology, programs: &[Program], on: &PlacedOn) -> Result<Vec<Placed>, String> {
    let online: BTreeSet<usize> = topology.cpus.iter().map(|cpu| cpu.number).collect();
    match on {
        PlacedOn::Cpus(cpus) => {
            if let Some(cpu) = cpus.iter().find(|cpu| !online.contains(cpu)) {
                return Err(format!("CPU {cpu} is not online"));
            }
            Ok(programs.iter().map(|program| asked(topology, program, cpus.clone())).collect())
        }
        PlacedOn::Node(node) => {
            let cpus: Vec<usize> = topology.of_node(*node).map(|cpu| cpu.number).collect();
            if cpus.is_empty() {
                return Err(format!("node {node} has no online CPU"));
            }
            Ok(programs.iter().map(|program| asked(topology, program, cpus.clone())).collect())
        }
        PlacedOn::Best(count) => {
            let mut taken = BTreeSet::new();
            let share = programs.len().max(1);
            programs.iter().map(|program| best(topology, program, *count, share, &mut taken)).collect()
        }
    }
}

/// CPUs that somebody chose, with what is to be said of them.
fn asked(topology: &Topology, program: &Program, mut cpus: Vec<usize>) -> Placed {
    cpus.sort_unstable();
    cpus.dedup();
    let mut reasons = vec!["as requested".to_owned()];
    reasons.extend(of_memory(topology, program, &cpus));
    reasons.extend(of_siblings(topology, &cpus));
    if program.threads > cpus.len() {
        reasons.push(format!("{} threads share {} CPUs", program.threads, cpus.len()));
    }
    Placed { pid: program.pid, cpus, reasons }
}

fn best(
    topology: &Topology,
    program: &Program,
    count: Option<usize>,
    share: usize,
    taken: &mut BTreeSet<usize>,
) -> Result<Placed, String> {
    let node = node_of(topology, program, taken);
    // The fewest interrupts first, and a whole core before the second half of another.
    let mut free: Vec<&Cpu> = topology.of_node(node).filter(|cpu| !taken.contains(&cpu.number)).collect();
    free.sort_by_key(|cpu| {
        let is_second = cpu.core.iter().any(|other| *other < cpu.number || taken.contains(other));
        (is_second, cpu.interrupts, cpu.number)
    });
    let of_node = topology.of_node(node).count();
    let wanted = count.unwrap_or_else(|| program.threads.clamp(1, (of_node / share).max(1)));
    if free.len() < wanted {
        return Err(format!(
            "{} ({}): {wanted} CPUs needed, node {node} has {} free",
            program.name,
            program.pid,
            free.len()
        ));
    }
    let mut cpus: Vec<usize> = free.iter().take(wanted).map(|cpu| cpu.number).collect();
    cpus.sort_unstable();
    taken.extend(&cpus);
    let mut reasons = Vec::new();
    reasons.extend(of_memory(topology, program, &cpus));
    reasons.extend(of_siblings(topology, &cpus));
    reasons.extend(of_interrupts(topology, node, &cpus));
    if program.threads > wanted {
        reasons.push(format!("{} threads share {wanted} CPUs", program.threads));
    }
    Ok(Placed { pid: program.pid, cpus, reasons })
}

/// The node with most of a program's memory; of none known the one with most memory free, among those
/// with the most CPUs that are not taken.
fn node_of(topology: &Topology, program: &Program, taken: &BTreeSet<usize>) -> usize {
    let free = |node: usize| topology.of_node(node).filter(|cpu| !taken.contains(&cpu.number)).count();
    let most = program.memory.iter().filter(|(node, _)| free(**node) > 0).max_by_key(|(_, bytes)| **bytes);
    let roomy = |node: &usize| (free(*node), topology.free_bytes.get(node).copied().unwrap_or(0));
    most.map(|(node, _)| *node).or_else(|| topology.nodes().into_iter().max_by_key(roomy)).unwrap_or(0)
}

fn of_memory(topology: &Topology, program: &Program, cpus: &[usize]) -> Option<String> {
    if topology.nodes().len() < 2 {
        return None;
    }
    let nodes: BTreeSet<usize> =
        topology.cpus.iter().filter(|cpu| cpus.contains(&cpu.number)).map(|cpu| cpu.node).collect();
    let all: u64 = program.memory.values().sum();
    let near: u64 = nodes.iter().filter_map(|node| program.memory.get(node)).sum();
    let names = nodes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let free: u64 = nodes.iter().filter_map(|node| topology.free_bytes.get(node)).sum();
    Some(format!(
        "node {names}: {} of its {} MiB are local, {} MiB free; the rest is not moved",
        near / MIB,
        all / MIB,
        free / MIB
    ))
}

fn of_siblings(topology: &Topology, cpus: &[usize]) -> Option<String> {
    let chosen = topology.cpus.iter().filter(|cpu| cpus.contains(&cpu.number));
    let cores: BTreeSet<&Vec<usize>> = chosen.map(|cpu| &cpu.core).collect();
    let shared: Vec<String> = cores
        .iter()
        .filter(|core| core.iter().any(|cpu| !cpus.contains(cpu)))
        .map(|core| core.iter().map(usize::to_string).collect::<Vec<_>>().join("+"))
        .collect();
    if !shared.is_empty() {
        return Some(format!("other tasks may use the sibling thread of cores {}", shared.join(", ")));
    }
    (cores.len() < cpus.len()).then(|| format!("{} CPUs: all threads of {} cores", cpus.len(), cores.len()))
}

fn of_interrupts(topology: &Topology, node: usize, cpus: &[usize]) -> Option<String> {
    let all: u64 = topology.of_node(node).map(|cpu| cpu.interrupts).sum();
    let own: u64 =
        topology.of_node(node).filter(|cpu| cpus.contains(&cpu.number)).map(|cpu| cpu.interrupts).sum();
    (all > 0).then(|| {
        format!(
            "these CPUs served {:.0} % of the node's device interrupts since boot",
            100.0 * own as f64 / all as f64
        )
    })
}

/// Interrupts of devices by CPU: the lines of `/proc/interrupts` that begin with a number.
fn interrupts(text: &str) -> BTreeMap<usize, u64> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let cpus: Vec<usize> =
        head.split_whitespace().filter_map(|name| name.strip_prefix("CPU")?.parse().ok()).collect();
    let mut all = BTreeMap::new();
    for line in lines {
        let Some((number, rest)) = line.split_once(':') else { continue };
        if number.trim().parse::<u32>().is_err() {
            continue;
        }
        for (cpu, word) in cpus.iter().zip(rest.split_whitespace()) {
            *all.entry(*cpu).or_default() += word.parse::<u64>().unwrap_or(0);
        }
    }
    all
}

/// Memory by node of `/proc/PID/numa_maps` (numa(7)): `N0=12 … kernelpagesize_kB=4`.
fn memory(text: &str) -> BTreeMap<usize, u64> {
    let mut all = BTreeMap::new();
    for line in text.lines() {
        let words = line.split_whitespace();
        let size =
            words.clone().find_map(|word| word.strip_prefix("kernelpagesize_kB=")?.parse::<u64>().ok());
        for (node, pages) in words.filter_map(|word| word.strip_prefix('N')?.split_once('=')) {
            if let (Ok(node), Ok(pages)) = (node.parse::<usize>(), pages.parse::<u64>()) {
                *all.entry(node).or_default() += pages * size.unwrap_or(4) * 1024;
            }
        }
    }
    all
}

/// `Node 0 MemFree:   123 kB`.
fn free_bytes(text: &str) -> u64 {
    let line = text.lines().find(|line| line.contains("MemFree:")).unwrap_or_default();
    line.split_whitespace().nth(3).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Numbers of a list such as `0-3,8`.
fn numbers(list: &str) -> Vec<usize> {
    crate::called::process::cpus(list.trim()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of two cores with two threads each; the first CPU of each node serves interrupts.
    fn topology() -> Topology {
        let cpu = |number: usize| Cpu {
            number,
            core: if number < 4 { vec![number, number + 4] } else { vec![number - 4, number] },
            node: (number % 4) / 2,
            interrupts: if number.is_multiple_of(2) && number < 4 { 1000 } else { 10 },
        };
        Topology { cpus: (0..8).map(cpu).collect(), free_bytes: [(0, MIB), (1, 8 * MIB)].into() }
    }

    fn program(pid: i64, threads: usize, memory: &[(usize, u64)]) -> Program {
        Program { pid, name: "p".to_owned(), threads, memory: memory.iter().copied().collect() }
    }

    #[test]
    fn a_program_goes_to_its_memory_and_away_from_interrupts() {
        let programs = [program(1, 1, &[(0, 30 * MIB), (1, MIB)]), program(2, 1, &[])];
        let placed = place(&topology(), &programs, &PlacedOn::Best(None)).expect("placed");
        // Of node 0 (0, 1, 4, 5) CPU 1 is a whole core without interrupts; the other has no memory yet.
        assert_eq!((placed[0].cpus.as_slice(), placed[1].cpus.as_slice()), (&[1][..], &[3][..]));
        let said = placed[0].reasons.join("; ");
        assert!(said.contains("node 0: 30 of its 31 MiB are local, 1 MiB free"), "{said}");
        assert!(said.contains("the sibling thread of cores 1+5"), "{said}");
        assert!(said.contains("1 % of the node's device interrupts"), "{said}");
    }

    #[test]
    fn programs_do_not_share_what_they_got() {
        let two = [program(1, 8, &[(1, MIB)]), program(2, 2, &[(1, 9 * MIB)])];
        let placed = place(&topology(), &two, &PlacedOn::Best(None)).expect("placed");
        assert_eq!((placed[0].cpus.as_slice(), placed[1].cpus.as_slice()), (&[2, 3][..], &[6, 7][..]));
        assert!(placed[0].reasons.iter().any(|why| why == "8 threads share 2 CPUs"), "{placed:?}");
        let wrong = place(&topology(), &two, &PlacedOn::Best(Some(3))).expect_err("too many");
        assert!(wrong.contains("3 CPUs needed, node 1 has 1"), "{wrong}");
    }

    #[test]
    fn what_was_chosen_is_judged() {
        let one = [program(1, 1, &[(1, 2 * MIB)])];
        let placed = place(&topology(), &one, &PlacedOn::Cpus(vec![5, 1])).expect("placed");
        assert_eq!(placed[0].cpus, [1, 5]);
        let said = placed[0].reasons.join("; ");
        assert!(said.contains("node 0: 0 of its 2 MiB are local"), "{said}");
        assert!(said.contains("2 CPUs: all threads of 1 cores"), "{said}");
        assert_eq!(
            place(&topology(), &one, &PlacedOn::Cpus(vec![9])).expect_err("none"),
            "CPU 9 is not online"
        );
        assert_eq!(place(&topology(), &one, &PlacedOn::Node(1)).expect("placed")[0].cpus, [2, 3, 6, 7]);
        assert!(place(&topology(), &one, &PlacedOn::Node(2)).is_err());
    }

    #[test]
    fn files_are_read() {
        let text = "           CPU0       CPU2\n 24:       5          7  PCI-MSI 1-edge eth0\nNMI:  1  2  Non-maskable\n";
        assert_eq!(interrupts(text), [(0, 5), (2, 7)].into());
        let maps = "7f00 default anon=3 dirty=3 N0=2 N1=1 kernelpagesize_kB=4\n7f10 default huge N1=1 kernelpagesize_kB=2048\n";
        assert_eq!(memory(maps), [(0, 8192), (1, 4096 + 2 * MIB)].into());
        assert_eq!(free_bytes("Node 0 MemTotal:  9 kB\nNode 0 MemFree:   5 kB\n"), 5120);
    }
}
