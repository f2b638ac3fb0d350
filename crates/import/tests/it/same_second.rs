//! What tools print now, beside what the kernel's files say right before and right after: a number that was read of a
//! listing lies between the two, which are the same where nothing moved. The files are read here by a hand of its own.
//!
//! Each test asks several times, since what moves may move there and back: a number that is wrong is never between.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::Command;
use std::{env, fs};

use heldup_import::Import;

use crate::table_text::{import, number, told, value};

/// How often the machine is asked.
const LOOKS: usize = 60;

/// A cell: table, column, the key column and its value.
type Cell = (&'static str, &'static str, Option<(&'static str, String)>);
/// What the kernel says that belongs into cells.
type Said = BTreeMap<Cell, f64>;

/// What a tool prints; none, said aloud, where it is not there or may not. Where it is promised it has to be.
fn listing(words: &[&str]) -> Option<String> {
    // Administrators' tools are outside the search path of ordinary users.
    let path = format!("{}:/usr/sbin:/sbin", env::var("PATH").unwrap_or_default());
    let mut command = Command::new(words[0]);
    let output = command.args(&words[1..]).env("LC_ALL", "C").env("TZ", "UTC").env("PATH", path).output();
    match output {
        Ok(output) if output.status.success() => {
            Some(format!("# {}\n{}", words.join(" "), String::from_utf8(output.stdout).expect("text")))
        }
        _ => {
            heldup_skip::without_program(words[0]);
            None
        }
    }
}

fn file(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Looks until every number was met between what the kernel says before and after; `half` is half of a listing's last
/// digit. How many there are.
fn agree(
    words: &[&str],
    row: usize,
    half: f64,
    look: impl Fn() -> Said,
    print: impl Fn() -> Option<String>,
) -> usize {
    let mut open: BTreeMap<Cell, String> = BTreeMap::new();
    let mut met: BTreeMap<Cell, ()> = BTreeMap::new();
    for _ in 0..LOOKS {
        let before = look();
        let Some(text) = print() else { return 0 };
        let after = look();
        let read = import(text.as_bytes());
        assert!(read.flaws.is_empty(), "{words:?}: {:?}\n{text}", read.flaws);
        for (cell, low) in &before {
            let Some(high) = after.get(cell).filter(|_| !met.contains_key(cell)) else { continue };
            let is = at(&read, cell, row);
            let is_between =
                is.is_some_and(|is| (low.min(*high) - half..=low.max(*high) + half).contains(&is));
            if is_between {
                open.remove(cell);
                met.insert(cell.clone(), ());
            } else {
                open.insert(
                    cell.clone(),
                    format!("{is:?}, the kernel says {low} and {high}\n{}", told(&read)),
                );
            }
        }
        if open.is_empty() {
            break;
        }
    }
    assert!(open.is_empty(), "{words:?}: never between: {open:#?}");
    met.len()
}

fn at(read: &Import, (table, column, key): &Cell, row: usize) -> Option<f64> {
    number(read, table, column, key.as_ref().map(|(name, value)| (*name, value.as_str())), row)
}

/// Once printed: levels.
fn levels(words: &[&str], half: f64, look: impl Fn() -> Said) -> usize {
    agree(words, 0, half, look, || listing(words))
}

/// Printed twice: what counters grew by lies between what the inner and what the outer looks differ by.
fn counters(words: &[&str], look: impl Fn() -> Said) -> usize {
    counters_while(words, look, true, || std::thread::sleep(std::time::Duration::from_millis(200)))
}

/// The same while something is done; of a tool that leaves counters out, only those that it prints.
fn counters_while(words: &[&str], look: impl Fn() -> Said, prints_all: bool, act: impl Fn()) -> usize {
    let mut wrong = String::new();
    for _ in 0..LOOKS {
        let outer_before = look();
        let Some(first) = listing(words) else { return 0 };
        let inner_before = look();
        act();
        let inner_after = look();
        let Some(second) = listing(words) else { return 0 };
        let outer_after = look();
        let text = format!("2026-11-22 10:00:00 UTC\n{first}\n2026-11-22 10:00:01 UTC\n{second}");
        let read = import(text.as_bytes());
        assert!(read.flaws.is_empty(), "{words:?}: {:?}\n{text}", read.flaws);
        let grown = |from: &Said, to: &Said, cell: &Cell| Some(to.get(cell)? - from.get(cell)?);
        let mut found = 0;
        wrong.clear();
        for cell in outer_before.keys() {
            let (Some(inner), Some(outer)) =
                (grown(&inner_before, &inner_after, cell), grown(&outer_before, &outer_after, cell))
            else {
                continue;
            };
            let is = at(&read, cell, 1);
            if is.is_none() && !prints_all {
                continue;
            }
            found += 1;
            if !is.is_some_and(|is| (inner - 1e-6..=outer + 1e-6).contains(&is)) {
                wrong += &format!("{cell:?}: {is:?}, the kernel says {inner} to {outer}\n");
            }
        }
        if wrong.is_empty() {
            return found;
        }
        wrong += &told(&read);
    }
    panic!("{words:?}: {wrong}");
}

/// `Name: 5 kB` lines, in bytes.
fn kilobytes(text: &str) -> BTreeMap<String, f64> {
    text.lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(':')?;
            let name = name.split_whitespace().last()?;
            let mut words = rest.split_whitespace();
            let value: f64 = words.next()?.parse().ok()?;
            Some((name.to_owned(), value * if words.next() == Some("kB") { 1024.0 } else { 1.0 }))
        })
        .collect()
}

/// Columns of a table by the names that a file of such lines has for them.
fn of_file(
    path: &str,
    table: &'static str,
    key: Option<(&'static str, String)>,
    names: &[(&str, &'static str)],
) -> Said {
    let said = kilobytes(&file(path));
    let cell = |(name, column): &(&str, &'static str)| {
        Some(((table, *column, key.clone()), said.get(*name).copied()?))
    };
    names.iter().filter_map(cell).collect()
}

#[test]
fn free_and_vmstat_say_what_meminfo_says() {
    let memory =
        |names: &'static [(&str, &'static str)]| move || of_file("/proc/meminfo", "memory", None, names);
    let free = memory(&[
        ("MemTotal", "total_bytes"),
        ("MemFree", "free_bytes"),
        ("MemAvailable", "available_bytes"),
        ("Buffers", "buffers_bytes"),
        ("Shmem", "shmem_bytes"),
        ("SwapTotal", "swap_total_bytes"),
        ("SwapFree", "swap_free_bytes"),
    ]);
    let sums = memory(&[
        ("MemTotal", "total_bytes"),
        ("Buffers", "buffers_bytes"),
        ("SwapTotal", "swap_total_bytes"),
        ("SwapFree", "swap_free_bytes"),
    ]);
    let buffers = memory(&[("Buffers", "buffers_bytes")]);
    // What the tool itself takes and gives back is in its numbers, and not in those before and after.
    let moved =
        memory(&[("MemFree", "free_bytes"), ("Active", "active_bytes"), ("Inactive", "inactive_bytes")]);
    let free_alone = memory(&[("MemFree", "free_bytes")]);
    let own = 4_194_304.0;
    for (words, found, least) in [
        (&["free", "-w", "-b"][..], levels(&["free", "-w", "-b"], 0.0, free), 7),
        (&["free", "-w"], levels(&["free", "-w"], 0.0, free), 7),
        (&["free", "-m", "-w"], levels(&["free", "-m", "-w"], 1_048_576.0, free), 7),
        (&["vmstat", "-s"], levels(&["vmstat", "-s"], 0.0, sums), 4),
        (&["vmstat", "-s"], levels(&["vmstat", "-s"], own, moved), 3),
        (&["vmstat"], levels(&["vmstat"], 0.0, buffers), 1),
        (&["vmstat"], levels(&["vmstat"], own, free_alone), 1),
        (&["vmstat", "-a", "-w"], levels(&["vmstat", "-a", "-w"], own, moved), 3),
    ] {
        assert!(found == 0 || found == least, "{words:?}: {found} of {least}");
    }
    // What is called cache has more in it than the page cache, and no column takes it.
    if let Some(text) = listing(&["vmstat"]) {
        let read = import(text.as_bytes());
        assert_eq!(number(&read, "memory", "cached_bytes", None, 0), None, "{}", told(&read));
    }
}

/// Counters of `/proc/stat` and `/proc/vmstat`, as the tables have them.
fn machine() -> Said {
    let mut said = Said::new();
    let mut put = |table, column, value: f64| {
        said.insert((table, column, None), value);
    };
    for line in file("/proc/stat").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let value = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
        match (words[0], value(1)) {
            ("cpu", Some(user)) => {
                // Of time in guests the tool has a line of its own.
                let guest = value(9).unwrap_or(0.0);
                put("cpu", "user_s", (user - guest) / 100.0);
                for (at, column) in
                    [(2, "nice_s"), (3, "system_s"), (6, "irq_s"), (7, "softirq_s"), (8, "steal_s")]
                {
                    put("cpu", column, value(at).expect("a number") / 100.0);
                }
            }
            ("intr", Some(all)) => put("system", "interrupts", all),
            ("ctxt", Some(all)) => put("system", "context_switches", all),
            ("processes", Some(all)) => put("system", "forks", all),
            _ => {}
        }
    }
    for line in file("/proc/vmstat").lines() {
        let Some((name, value)) = line.split_once(' ') else { continue };
        let value: f64 = value.parse().expect("a number");
        match name {
            "pgpgin" => put("vmstat", "page_in_bytes", value * 1024.0),
            "pgpgout" => put("vmstat", "page_out_bytes", value * 1024.0),
            "pswpin" => put("vmstat", "swap_in_pages", value),
            "pswpout" => put("vmstat", "swap_out_pages", value),
            _ => {}
        }
    }
    said
}

#[test]
fn sums_of_vmstat_grow_as_those_of_the_kernel() {
    let found = counters(&["vmstat", "-s"], machine);
    assert!(found == 0 || found >= 13, "{found}");
}

/// `/proc/net/dev`: name and column.
fn interfaces() -> Said {
    const COLUMNS: [(usize, &str); 10] = [
        (0, "rx_bytes"),
        (1, "rx_packets"),
        (2, "rx_errors"),
        (3, "rx_drops"),
        (4, "rx_fifo_errors"),
        (8, "tx_bytes"),
        (9, "tx_packets"),
        (10, "tx_errors"),
        (11, "tx_drops"),
        (13, "collisions"),
    ];
    let mut said = Said::new();
    for line in file("/proc/net/dev").lines() {
        let Some((name, rest)) = line.split_once(':') else { continue };
        let numbers: Vec<f64> = rest.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        for (at, column) in COLUMNS {
            said.insert(("net_if", column, Some(("name", name.trim().to_owned()))), numbers[at]);
        }
    }
    said
}

#[test]
fn counters_of_interfaces_grow_as_those_of_the_kernel() {
    // What is lost for want of room stands elsewhere in these: `ip` calls it missed, and adds it to what was dropped.
    let without = |left: &'static [&'static str]| {
        move || {
            interfaces().into_iter().filter(|((_, column, _), _)| !left.contains(column)).collect::<Said>()
        }
    };
    let all = counters(&["ifconfig", "-a"], interfaces);
    assert!(all == 0 || all >= 10, "{all}");
    counters(&["ip", "-s", "link"], without(&["rx_fifo_errors"]));
    counters(&["ip", "-s", "-s", "link"], without(&["rx_fifo_errors"]));
    counters(&["ip", "-s", "-s", "-j", "link"], without(&["rx_fifo_errors"]));
    counters(&["ip", "-s", "-j", "-p", "link"], without(&["rx_fifo_errors", "rx_drops"]));
    counters(&["netstat", "-i", "-a"], without(&["rx_bytes", "tx_bytes", "collisions", "rx_fifo_errors"]));
}

/// `/proc/net/snmp` and `/proc/net/netstat`: two lines each, names and numbers.
fn protocols() -> Said {
    let mut said = Said::new();
    for path in ["/proc/net/snmp", "/proc/net/netstat"] {
        let text = file(path);
        let lines: Vec<&str> = text.lines().collect();
        for two in lines.chunks_exact(2) {
            let (names, numbers) = (two[0].split_whitespace(), two[1].split_whitespace());
            let prefix = two[0].split(':').next().expect("a prefix");
            for (name, number) in names.zip(numbers).skip(1) {
                // A limit, settings and a level.
                if ["MaxConn", "RtoAlgorithm", "RtoMin", "RtoMax", "Forwarding", "DefaultTTL", "CurrEstab"]
                    .contains(&name)
                {
                    continue;
                }
                let key = Some(("name", format!("{prefix}{name}")));
                said.insert(("net_proto", "value", key), number.parse().expect("a number"));
            }
        }
    }
    said
}

#[test]
fn counters_of_protocols_grow_as_those_of_the_kernel() {
    for tool in [&["nstat", "-a", "-z", "-s"][..], &["nstat", "-a", "-z", "-s", "-j"]] {
        let found = counters(tool, protocols);
        assert!(found == 0 || found >= 100, "{tool:?}: {found}");
    }
}

/// Connections that are made and end, and a packet that nobody waits for.
fn traffic() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = listener.local_addr().expect("its place");
    for _ in 0..20 {
        let mut client = TcpStream::connect(place).expect("a connection");
        let (mut server, _) = listener.accept().expect("its other end");
        client.write_all(b"hello").expect("written");
        drop(client);
        server.read_to_end(&mut Vec::new()).expect("read");
    }
    drop(listener);
    let _ = TcpStream::connect(place);
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.send_to(b"nobody", place).expect("sent");
}

#[test]
fn what_netstat_says_of_protocols_grows_as_the_kernel_says() {
    let found = counters_while(&["netstat", "-s"], protocols, false, traffic);
    assert!(found == 0 || found >= 30, "{found}");
}

/// `/proc/net/tcp`: bytes that wait, by the local port where only one socket has it.
fn sockets() -> Said {
    let mut by_port: BTreeMap<u16, Vec<(bool, f64, f64)>> = BTreeMap::new();
    for line in file("/proc/net/tcp").lines().chain(file("/proc/net/tcp6").lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((_, port)) = words.get(1).and_then(|local| local.rsplit_once(':')) else { continue };
        let Some((sent, received)) = words.get(4).and_then(|queues| queues.split_once(':')) else { continue };
        let number = |hex: &str| f64::from(u32::from_str_radix(hex, 16).expect("a number"));
        let port = u16::from_str_radix(port, 16).expect("a port");
        by_port.entry(port).or_default().push((words[3] == "0A", number(sent), number(received)));
    }
    let mut said = Said::new();
    for (port, sockets) in by_port {
        let [(is_listening, sent, received)] = sockets[..] else { continue };
        let key = Some(("local_port", port.to_string()));
        said.insert(("socket", "receive_queue", key.clone()), received);
        // Of a listener it is how many may wait.
        if !is_listening {
            said.insert(("socket", "send_queue", key), sent);
        }
    }
    said
}

#[test]
fn ss_says_of_sockets_what_the_kernel_says() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = listener.local_addr().expect("its place");
    let clients: Vec<TcpStream> = (1..=3)
        .map(|client| {
            let mut stream = TcpStream::connect(place).expect("a connection");
            stream.write_all(&vec![b'x'; 1000 * client]).expect("written");
            stream
        })
        .collect();
    // One of three is taken, and nobody reads what it was sent.
    let taken = listener.accept().expect("its other end");
    for words in [&["ss", "-t", "-a", "-n"][..], &["ss", "-t", "-a", "-n", "-i", "-e", "-m"]] {
        let found = levels(words, 0.0, sockets);
        assert!(found == 0 || found >= 6, "{words:?}: {found}");
    }
    drop((taken, clients));
}

#[test]
fn slabtop_and_vmstat_say_what_slabinfo_says() {
    // Only root may.
    let slabs = || -> Said {
        let text = file("/proc/slabinfo");
        let rows = text.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<&str>>());
        let mut said = Said::new();
        for words in rows {
            let number = |at: usize| words[at].parse::<f64>().expect("a number");
            for (column, value) in [
                ("active_objects", number(1)),
                ("objects", number(2)),
                ("object_bytes", number(3)),
                ("objects_per_slab", number(4)),
                ("slabs", number(14)),
                ("cache_bytes", number(14) * number(5) * 4096.0),
            ] {
                said.insert(("slab", column, Some(("name", words[0].to_owned()))), value);
            }
        }
        said
    };
    if slabs().is_empty() {
        return heldup_skip::skipped("/proc/slabinfo is not for us");
    }
    for (tool, left) in
        [(&["slabtop", "-o"][..], &["object_bytes"][..]), (&["vmstat", "-m"], &["slabs", "cache_bytes"])]
    {
        let of_tool = || slabs().into_iter().filter(|((_, column, _), _)| !left.contains(column)).collect();
        let found = levels(tool, 0.0, of_tool);
        assert!(found == 0 || found >= 400, "{tool:?}: {found}");
    }
}

#[test]
fn numastat_says_what_nodes_say() {
    let node = || {
        let names = [
            ("MemTotal", "memory_bytes"),
            ("MemFree", "free_bytes"),
            ("Active(anon)", "active_anon_bytes"),
            ("Inactive(anon)", "inactive_anon_bytes"),
            ("Active(file)", "active_file_bytes"),
            ("Inactive(file)", "inactive_file_bytes"),
            ("Unevictable", "unevictable_bytes"),
            ("Dirty", "dirty_bytes"),
            ("Writeback", "writeback_bytes"),
            ("Mapped", "mapped_bytes"),
            ("AnonPages", "anon_bytes"),
            ("Shmem", "shmem_bytes"),
            ("SReclaimable", "slab_reclaimable_bytes"),
            ("SUnreclaim", "slab_unreclaimable_bytes"),
            ("KernelStack", "kernel_stack_bytes"),
            ("PageTables", "page_tables_bytes"),
            ("AnonHugePages", "anon_huge_bytes"),
        ];
        of_file("/sys/devices/system/node/node0/meminfo", "numa", Some(("node_idx", "0".to_owned())), &names)
    };
    // Hundredths of a MiB.
    let found = levels(&["numastat", "-m"], 5244.0, node);
    assert!(found == 0 || found >= 15, "{found}");
}

#[test]
fn numactl_says_what_nodes_say() {
    let node = || {
        let names = [("MemTotal", "memory_bytes"), ("MemFree", "free_bytes")];
        of_file("/sys/devices/system/node/node0/meminfo", "numa", Some(("node_idx", "0".to_owned())), &names)
    };
    // Whole MiB, rounded down.
    let found = levels(&["numactl", "--hardware"], 1_048_576.0, node);
    assert!(found == 0 || found >= 2, "{found}");
}

#[test]
fn cpus_and_distances_of_nodes_are_those_of_sys() {
    let sys = |name: &str| file(&format!("/sys/devices/system/node/node0/{name}")).trim().to_owned();
    let cpus = file("/sys/devices/system/cpu/online").trim().to_owned();
    let (_, last) = cpus.rsplit_once(['-', ',']).unwrap_or(("", &cpus));
    let of_node = |read: &Import, column: &str| {
        let batch = read.capture.as_ref()?.tables.get("numa")?.first()?;
        value(batch, column, 0)
    };
    let mut hosts = Vec::new();
    for words in [&["lscpu"][..], &["lscpu", "-J"], &["lscpu", "-e"], &["numactl", "--hardware"]] {
        let Some(text) = listing(words) else { continue };
        let read = import(text.as_bytes());
        assert_eq!(of_node(&read, "cpus"), Some(sys("cpulist")), "{words:?}");
        if words[0] == "numactl" {
            assert_eq!(of_node(&read, "distances"), Some(sys("distance")), "{words:?}");
            continue;
        }
        let host = &read.capture.as_ref().expect("a capture").tables["host"][0];
        // Without holes the last CPU tells how many there are.
        if !cpus.contains(',') {
            let count = last.parse::<u32>().expect("a number") + 1;
            assert_eq!(value(host, "cpus", 0), Some(count.to_string()), "{words:?}");
        }
        hosts.push((value(host, "cpus", 0), value(host, "nodes", 0)));
    }
    assert!(hosts.iter().all(|one| *one == hosts[0]), "{hosts:?}");
}

#[test]
fn ps_says_what_the_files_of_a_process_say() {
    let mut child = Command::new("sleep").arg("60").spawn().expect("a process");
    let pid = child.id();
    std::thread::sleep(std::time::Duration::from_millis(100));
    let process = move || {
        let key = Some(("pid", pid.to_string()));
        let names = [
            ("VmSize", "virtual_bytes"),
            ("VmRSS", "resident_bytes"),
            ("Threads", "threads"),
            ("PPid", "parent_pid"),
            ("Uid", "uid"),
        ];
        of_file(&format!("/proc/{pid}/status"), "process", key, &names)
    };
    let text = pid.to_string();
    let found = levels(&["ps", "-o", "pid,ppid,uid,vsz,rss,nlwp,ni,stat,comm", "-p", &text], 0.0, process);
    let wide = levels(&["ps", "-o", "pid,ppid,euid,vsize,rsz,thcount,args", "-p", &text], 0.0, process);
    let names = listing(&["ps", "-o", "pid,comm,args", "-p", &text]).map(|text| import(text.as_bytes()));
    child.kill().and_then(|()| child.wait()).expect("ended");
    assert!([0, 5].contains(&found) && [0, 5].contains(&wide), "{found} {wide}");
    if let Some(read) = names {
        let batch = &read.capture.as_ref().expect("a capture").tables["process"][0];
        assert_eq!(value(batch, "name", 0).as_deref(), Some("sleep"));
        assert_eq!(value(batch, "command", 0).as_deref(), Some("sleep 60"));
    }
}

#[test]
fn sysctl_says_what_the_files_of_settings_say() {
    let Some(text) =
        listing(&["sysctl", "vm", "kernel.pid_max", "kernel.sched_rt_runtime_us", "net.ipv4.tcp_rmem"])
    else {
        return;
    };
    let read = import(text.as_bytes());
    let mut compared = 0;
    for batch in &read.capture.as_ref().expect("a capture").tables["setting"] {
        for row in 0..batch.num_rows() {
            let key = value(batch, "setting_key", row).expect("a key");
            let path = format!("/proc/sys/{}", key.replace('.', "/"));
            let said: Vec<String> = file(&path).split_whitespace().map(str::to_owned).collect();
            assert_eq!(value(batch, "setting_value", row).as_deref(), Some(said.join(" ").as_str()), "{key}");
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
}

#[test]
fn df_says_what_the_file_system_says() {
    let sizes = || -> Said {
        let Some(text) = listing(&["stat", "-f", "-c", "%S %b %f %a %c %d", "/"]) else { return Said::new() };
        let line = text.lines().nth(1).expect("a line");
        let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let [unit, size, free, available, inodes, inodes_free] = numbers[..] else { panic!("{line}") };
        let key = || Some(("mount", "/".to_owned()));
        let mut said = Said::from([
            (("filesystem", "size_bytes", key()), unit * size),
            (("filesystem", "free_bytes", key()), unit * free),
            (("filesystem", "available_bytes", key()), unit * available),
        ]);
        // Some make inodes as needed (Btrfs), and say that there are none: that is no number.
        if inodes > 0.0 {
            said.insert(("filesystem", "inodes", key()), inodes);
            said.insert(("filesystem", "inodes_free", key()), inodes_free);
        }
        said
    };
    let only = |inodes: bool| {
        move || {
            sizes()
                .into_iter()
                .filter(|((_, column, _), _)| column.starts_with("inodes") == inodes)
                .collect::<Said>()
        }
    };
    let (bytes, inodes) =
        (levels(&["df", "-k", "/"], 1024.0, only(false)), levels(&["df", "-i", "/"], 0.0, only(true)));
    assert!([0, 3].contains(&bytes) && [0, 2].contains(&inodes), "{bytes} {inodes}");
}
