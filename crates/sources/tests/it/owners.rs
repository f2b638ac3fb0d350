//! Whose a thread and a socket are: containers and units that a hand-made machine has.
//!
//! The files are in the form of Linux 6.1 with control groups of version 2; ids and numbers
//! are made up.

use heldup_hostfs::Host;
use heldup_sources::Source;
use heldup_sources::proc_pid_task::ProcPidTask;
use heldup_sources::sock_diag::Socket;

use crate::recorded::{Tree, read, show};

const ID: &str = "4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b";

/// A host with a service (process 100, network namespace 1), a container in the host's network
/// (200), and a container with a network of its own (300) whose sockets' holder is hidden.
fn machine() -> Tree {
    let process = |pid: u32, group: &str, netns: u32| {
        let numbers = "1 1 0 -1 4194560 10 0 0 0 5 2 0 0 20 0 1 0 1000 4096 10 18446744073709551615";
        format!(
            "==> /proc/{pid}/comm <==\nserver\n\n==> /proc/{pid}/cgroup <==\n0::{group}\n\n\
             ==> /proc/{pid}/ns/net -> net:[{netns}] <==\n\n\
             ==> /proc/{pid}/task/{pid}/stat <==\n{pid} (server) S 1 {numbers} 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n\n"
        )
    };
    let listener = |port: &str, inode: u32| {
        format!(
            "   0: 00000000:{port} 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 {inode} 1 0 100 0 0 10 0\n"
        )
    };
    let tree = Tree::of(
        [
            "==> /proc/stat <==\ncpu0 1 0 1 1\nbtime 1700000000\n\n".to_owned(),
            "==> /proc/1/ns/net -> net:[1] <==\n\n".to_owned(),
            process(100, "/system.slice/web.service", 1),
            process(200, &format!("/machine.slice/libpod-{ID}.scope/container"), 1),
            process(300, &format!("/system.slice/docker-{ID}.scope"), 3),
            "==> /proc/100/fd/3 -> socket:[5001] <==\n\n".to_owned(),
            "==> /proc/200/fd/3 -> socket:[5002] <==\n\n".to_owned(),
            format!(
                "==> /proc/net/tcp <==\n  sl  local_address\n{}{}",
                listener("0050", 5001),
                listener("1F90", 5002)
            ),
            format!("\n==> /proc/300/net/tcp <==\n  sl  local_address\n{}", listener("0016", 5003)),
        ]
        .concat()
        .as_bytes(),
    );
    tree.write("/proc/net/udp", b"  sl  local_address\n");
    tree
}

/// `unit` and `container` of each row, in order.
fn owners(source: &mut dyn Source, tree: &Tree, key: &str) -> Vec<String> {
    let reading = read(source, &Host::recorded(&tree.root));
    let rows = &reading.rows[0];
    let word = |column: &str, at: usize| rows.texts(column)[at].as_deref().unwrap_or("-").to_owned();
    let shown = |at: usize| {
        let key = rows.ints(key)[at].unwrap_or(-1);
        format!("{key} {} {}", word("unit", at), word("container", at))
    };
    assert!(rows.len > 0, "{}", show(&reading));
    (0..rows.len).map(shown).collect()
}

#[test]
fn threads_say_whose_they_are() {
    let expected = [
        "100 web.service -".to_owned(),
        format!("200 libpod-{ID}.scope 4f0b0d3c9d2a"),
        format!("300 docker-{ID}.scope 4f0b0d3c9d2a"),
    ];
    assert_eq!(owners(&mut ProcPidTask::default(), &machine(), "tid"), expected);
}

#[test]
fn sockets_say_whose_they_are_also_where_the_holder_is_hidden() {
    let expected = [
        "80 web.service -".to_owned(),
        format!("8080 libpod-{ID}.scope 4f0b0d3c9d2a"),
        format!("22 docker-{ID}.scope 4f0b0d3c9d2a"),
    ];
    assert_eq!(owners(&mut Socket::default(), &machine(), "local_port"), expected);
}
