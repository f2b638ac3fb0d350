//! A real NFS mount whose server falls silent, in a guest that is server and client in one.
//!
//! No program of the NFS userland is needed: what `exportfs` and `mountd` would tell the kernel
//! is written into its caches (Documentation/filesystems/nfs/rpc-cache.rst), and an NFSv4 mount
//! takes the address as an option. The server is silenced by a loopback that drops every packet,
//! as a server that was unplugged is: nothing is refused, nothing ends.

use anyhow::{Context, Result, ensure};
use heldup_testkit::guest::Guest;

use crate::classic::{Numbers, growth, held_between};
use crate::guest::{PATIENCE, examine, rows};

/// Modules that it needs.
pub const MODULES: [&str; 2] = ["nfsd", "nfsv4"];

/// Where the file system is mounted.
const MOUNT: &str = "/run/nfs";
/// Serves `/run/export` and mounts it, with a file of its own read once.
///
/// The entries of the caches are good for an hour. They are written again and again while the
/// mount is made, because the kernel forgets what it has not asked for. Without the folder for
/// clients' names the server does not let the wait for them be ended.
const SERVED: &str = r#"
    set -e
    mkdir -p /run/export /run/nfs /var/lib/nfs/v4recovery
    echo served >/run/export/file
    grep -q ' /proc/fs/nfsd ' /proc/mounts || mount -t nfsd nfsd /proc/fs/nfsd
    echo '-2 -3 +4 +4.1 +4.2' >/proc/fs/nfsd/versions
    cd /proc/net/rpc
    until_s=$(($(date +%s) + 3600))
    (while :; do
        echo "nfsd 127.0.0.1 $until_s local" >auth.unix.ip/channel
        echo "local /run/export $until_s 9234 65534 65534 0" >nfsd.export/channel
        echo "local 1 \\x00000000 $until_s /run/export" >nfsd.fh/channel
        sleep 0.2
    done) 2>/dev/null &
    echo 2 >/proc/fs/nfsd/threads
    # Nobody has state of before: no need to wait 90 s for who claims it.
    echo Y >/proc/fs/nfsd/v4_end_grace
    busybox mount -t nfs4 -o addr=127.0.0.1,clientaddr=127.0.0.1,vers=4.2,proto=tcp,hard 127.0.0.1:/ /run/nfs
    cat /run/nfs/file"#;
/// busybox's shell prefers its own `tc`, which knows no netem.
const SILENT: &str = "ip link set lo up && $(which tc) qdisc replace dev lo root netem loss 100%";
/// What waits is told that the mount is gone; then nobody waits for the server's last answers.
const UNDONE: &str =
    "$(which tc) qdisc del dev lo root; umount -f -l /run/nfs; echo 0 >/proc/fs/nfsd/threads";

/// Seconds that the reader waits before it is killed.
const SECONDS: f64 = 4.0;

/// Reads of one page, straight from the server.
const READS: usize = 8;

/// What is counted of the mount and its operations is what the kernel's own text says, read at both
/// ends of the reads and around the window.
pub fn counted(guest: &mut Guest) -> Result<()> {
    let served = guest.shell(SERVED, PATIENCE)?;
    ensure!(served.contains("served"), "the mount does not serve: {served}");
    let found = held_between_texts(guest);
    guest.shell(UNDONE, PATIENCE)?;
    found
}

fn held_between_texts(guest: &mut Guest) -> Result<()> {
    let text = |moment: &str| format!("cat /proc/self/mountstats >/run/nfs-{moment}");
    let read = format!("dd if={MOUNT}/file of=/dev/null iflag=direct 2>/dev/null");
    let script = format!("{}; for at in $(seq {READS}); do {read}; done; {}", text("began"), text("ended"));
    guest.shell(&format!("cat >/run/reads <<'END'\n{script}\nEND\n{}", text("before")), PATIENCE)?;
    examine(guest, "-- sh /run/reads")?;
    guest.shell(&text("after"), PATIENCE)?;
    let mut said = |moment: &str| -> Result<Numbers> {
        Ok(operations(&guest.shell(&format!("cat /run/nfs-{moment}"), PATIENCE)?))
    };
    let theirs = growth([said("before")?, said("began")?, said("ended")?, said("after")?]);
    let query = "select 'requests ' || operation as name, sum(operations) as value from nfs_op group by 1 \
                 union all select 'bytes', sum(server_read_bytes) from nfs_mount";
    let ours: Numbers = rows(guest, query)?
        .iter()
        .filter_map(|row| Some((row["name"].as_str()?.to_owned(), row["value"].as_f64()?)))
        .collect();
    held_between(&ours, &theirs, &["requests READ", "bytes"], 0.0)
}

/// Requests of each operation (the first number behind its name), and the bytes read from servers
/// (the fifth of `bytes:`), of the only mount.
fn operations(text: &str) -> Numbers {
    let mut numbers = Numbers::new();
    for line in text.lines() {
        let Some((name, rest)) = line.trim().split_once(':') else { continue };
        let words: Vec<f64> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
        match (name, words.len()) {
            ("bytes", 8) => _ = numbers.insert("bytes".to_owned(), words[4]),
            // Eight numbers, and errors since 5.3.
            (_, 8..) if name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') => {
                numbers.insert(format!("requests {name}"), words[0]);
            }
            _ => {}
        }
    }
    numbers
}

/// The silent mount is named within its time limit, who waits for it has its time in the right
/// class, and everything else is answered.
pub fn silent_server(guest: &mut Guest) -> Result<()> {
    let served = guest.shell(SERVED, PATIENCE)?;
    ensure!(served.contains("served"), "the mount does not serve: {served}");
    guest.shell(SILENT, PATIENCE)?;
    let found = named_and_the_rest_answered(guest);
    guest.shell(UNDONE, PATIENCE)?;
    found
}

fn named_and_the_rest_answered(guest: &mut Guest) -> Result<()> {
    let reader = format!("timeout -s KILL {SECONDS} dd if={MOUNT}/file of=/dev/null iflag=direct");
    let examination = examine(guest, &format!("-- sh -c '{reader}; true'"))?;
    let errors = &examination.errors;
    let named = errors.iter().any(|error| {
        error.place == MOUNT
            && error.what.contains("nfs4 from 127.0.0.1:/")
            && error.what.contains("no answer")
    });
    ensure!(named, "{MOUNT} is not named: {errors:?}");

    let waited = rows(
        guest,
        "select sum(seconds) as seconds from task_time where name = 'dd' and class_name = 'remote_fs'",
    )?;
    let waited = waited.first().and_then(|row| row["seconds"].as_f64()).context("dd waited for nothing")?;
    // Not the time that the emulated CPU takes to start it.
    ensure!(waited > 0.5 * SECONDS, "{waited} s of {SECONDS} s are waits for the server");

    // What the kernel counts of the mount is had without asking its server.
    let counted = rows(guest, "select distinct mount, server from nfs_mount")?;
    ensure!(counted.iter().any(|row| row["mount"] == MOUNT), "{counted:?}");
    let others = rows(guest, "select distinct mount from filesystem where size_bytes > 0")?;
    ensure!(others.iter().any(|row| row["mount"] == "/var/tmp"), "other file systems: {others:?}");
    Ok(())
}
