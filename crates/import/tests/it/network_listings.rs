//! Listings of sockets, protocols, interfaces, drivers, disks and mounts: what tools at the same second say of the same
//! counters, and listings of old versions, written by an independent hand from what is published of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::listings::check;
use crate::table_text::{import, number, told};

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)).expect("fixture")
}

/// The second of two listings of `nstat -az`, less the first: name and growth.
fn growth_by_nstat(text: &str) -> BTreeMap<String, f64> {
    let mut listings: Vec<BTreeMap<String, f64>> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["#kernel"] => listings.push(BTreeMap::new()),
            [name, value, _] => {
                let last = listings.last_mut().expect("a listing");
                last.insert(name.to_owned(), value.parse().expect("a number"));
            }
            _ => {}
        }
    }
    let [first, second] = &listings[..] else { panic!("{} listings", listings.len()) };
    second.iter().map(|(name, value)| (name.clone(), value - first[name])).collect()
}

#[test]
fn netstat_and_nstat_tell_the_same_counters() {
    let nstat = String::from_utf8(fixture("nstat/debian-12-6.18.44-iproute2-6.1.0-az.txt")).expect("text");
    let growth = growth_by_nstat(&nstat);
    let by_nstat = import(nstat.as_bytes());
    let by_netstat = import(&fixture("netstat/debian-12-6.18.44-net-tools-2.10-s.txt"));
    assert!(by_netstat.flaws.is_empty() && by_nstat.flaws.is_empty());
    let (mut counters, mut grown) = (0, 0);
    for (name, growth) in growth.iter().filter(|(name, _)| *name != "TcpCurrEstab") {
        let key = Some(("name", name.as_str()));
        assert_eq!(number(&by_nstat, "net_proto", "value", key, 1), Some(*growth), "nstat {name}");
        assert_eq!(number(&by_nstat, "net_proto", "secs", key, 1), Some(3.0), "nstat {name}");
        // What netstat leaves out is zero, or is there for the first time in its second listing.
        let rows = [1, 0].map(|row| number(&by_netstat, "net_proto", "value", key, row));
        let told = rows[0].or(rows[1]);
        if told.is_some() {
            counters += 1;
            grown += usize::from(*growth > 0.0);
            // The two read a moment apart.
            let room = (0.02 * growth).max(4.0);
            assert!(
                told.is_some_and(|told| (told - growth).abs() <= room),
                "netstat {name}: {told:?}, {growth}"
            );
        }
    }
    assert!(counters >= 40 && grown >= 8, "{counters} counters, {grown} grown\n{}", told(&by_netstat));
}

#[test]
fn interfaces_by_two_tools() {
    let by_ip = import(&fixture("ip/debian-12-6.18.44-iproute2-6.1.0-s-s-link.txt"));
    let lo = Some(("name", "lo"));
    assert_eq!(number(&by_ip, "net_if", "rx_bytes", lo, 0), None);
    assert_eq!(number(&by_ip, "net_if", "mtu_bytes", lo, 0), Some(65_536.0));
    let sent = number(&by_ip, "net_if", "tx_packets", lo, 1);
    // What goes into the loop comes out of it.
    assert_eq!(sent, number(&by_ip, "net_if", "rx_packets", lo, 1));
    assert!(sent.is_some_and(|sent| sent > 0.0), "{}", told(&by_ip));
    assert_eq!(number(&by_ip, "net_if", "secs", lo, 1), Some(2.0));
}

/// The rows that were read, without what the file was.
fn rows(name: &str) -> Vec<String> {
    let read = import(&fixture(name));
    assert!(read.flaws.is_empty(), "{name}: {:?}", read.flaws);
    let rows: Vec<String> =
        told(&read).lines().skip(1).filter(|line| !line.starts_with("note: ")).map(str::to_owned).collect();
    assert!(rows.len() >= 6, "{name}: {}", told(&read));
    rows
}

#[test]
fn json_tells_what_the_text_tells() {
    let of = |form: &str| format!("debian-12-6.18.44-iproute2-6.1.0-{form}.txt");
    for (tool, text, forms) in
        [("ip", "s-s-twin", ["s-s-j", "s-s-j-p"]), ("nstat", "a-twin", ["a-j", "a-j-p"])]
    {
        let text = rows(&format!("{tool}/{}", of(text)));
        for form in forms {
            assert_eq!(rows(&format!("{tool}/{}", of(form))), text, "{tool} {form}");
        }
    }
    let drops = import(&fixture(&format!("ip/{}", of("s-s-j"))));
    assert_eq!(number(&drops, "net_if", "rx_drops", Some(("name", "veth1")), 1), Some(23.0));
}

#[test]
fn json_of_links_without_what_was_missed_tells_no_drops() {
    let name = "debian-12-6.18.44-iproute2-6.1.0-s-j.txt";
    let read = import(&fixture(&format!("ip/{name}")));
    let peer = Some(("name", "veth1"));
    assert_eq!(number(&read, "net_if", "rx_drops", peer, 1), None);
    assert_eq!(number(&read, "net_if", "tx_drops", peer, 1), Some(0.0));
    let all = import(&fixture("ip/debian-12-6.18.44-iproute2-6.1.0-s-s-j.txt"));
    for column in
        ["rx_bytes", "rx_packets", "rx_errors", "tx_bytes", "tx_packets", "collisions", "mtu_bytes", "secs"]
    {
        let told = number(&read, "net_if", column, peer, 1);
        assert!(told.is_some() && told == number(&all, "net_if", column, peer, 1), "{column}: {told:?}");
    }
}

#[test]
fn json_that_is_cut_tells_what_is_whole() {
    let whole = String::from_utf8(fixture("ip/debian-12-6.18.44-iproute2-6.1.0-s-s-j-p.txt")).expect("text");
    let end = whole.rfind("missed_errors").expect("the last link");
    let read = import(&whole.as_bytes()[..end]);
    assert_eq!(number(&read, "net_if", "rx_drops", Some(("name", "veth1")), 1), Some(23.0));
    assert_eq!(number(&read, "net_if", "rx_drops", Some(("name", "veth0")), 1), None, "it is not whole");
    let flaws: Vec<&str> = read.flaws.iter().map(|flaw| flaw.what.as_str()).collect();
    assert!(matches!(flaws[..], [flaw] if flaw.starts_with("ip -j: ends within a link")), "{flaws:?}");
    let counters = import(b"{\"kernel\":{\"IpInReceives\":58,\"IpInDel");
    assert_eq!(counters.flaws.len(), 1, "{:?}", counters.flaws);
    assert!(counters.capture.is_none_or(|capture| capture.tables.is_empty()), "a number may be cut");
    for deep in ["[{\"ifindex\":1,\"a\":".to_owned() + &"[".repeat(99), "{\"kernel\":{}}}}]]]".to_owned()] {
        assert!(import(deep.as_bytes()).flaws.len() <= 1, "{deep}");
    }
}

#[test]
fn links_of_old_iproute() {
    let listing = |packets: u32, dropped: u32| {
        format!(
            "2: eth0: <BROADCAST,MULTICAST,UP> mtu 1500 qdisc pfifo_fast qlen 1000\n\
             \x20   link/ether 00:16:3e:00:00:01 brd ff:ff:ff:ff:ff:ff\n\
             \x20   RX: bytes  packets  errors  dropped overrun mcast   \n\
             \x20   1000       {packets}      1       {dropped}       0       0      \n\
             \x20   TX: bytes  packets  errors  dropped carrier collsns \n\
             \x20   2000       20       0       0       0       5      \n"
        )
    };
    let text = format!(
        "Sun Nov 22 10:00:00 UTC 2026\n{}Sun Nov 22 10:00:10 UTC 2026\n{}",
        listing(10, 3),
        listing(110, 8)
    );
    check(
        &text,
        "ip -s link, 2 samples",
        &[
            ("net_if", "rx_packets", None, 0, None),
            ("net_if", "rx_packets", None, 1, Some(100.0)),
            ("net_if", "rx_drops", None, 1, Some(5.0)),
            ("net_if", "collisions", None, 1, Some(0.0)),
            ("net_if", "secs", None, 1, Some(10.0)),
        ],
    );
}

#[test]
fn sums_of_netstat_of_2010() {
    let listing = |retransmitted: u32, further: &str| {
        format!(
            "Ip:\n    100 total packets received\n    0 forwarded\n    100 incoming packets delivered\n\
             Tcp:\n    5 active connections openings\n    1000 segments received\n    2000 segments send out\n    \
             {retransmitted} segments retransmited\n    0 bad segments received.\n    3 connections established\n\
             TcpExt:\n    7 delayed acks sent\n{further}"
        )
    };
    let text = format!(
        "{}\n\n\n{}",
        listing(10, ""),
        listing(35, "    4 times the listen queue of a socket overflowed\n")
    );
    let name = |name: &'static str| Some(("name", name));
    check(
        &text,
        "netstat -s, 2 samples",
        &[
            ("net_proto", "value", name("TcpRetransSegs"), 0, None),
            ("net_proto", "value", name("TcpRetransSegs"), 1, Some(25.0)),
            ("net_proto", "value", name("TcpOutSegs"), 1, Some(0.0)),
            // It was zero, and so not printed, in the first.
            ("net_proto", "value", name("TcpExtListenOverflows"), 0, Some(4.0)),
            ("net_proto", "value", name("TcpCurrEstab"), 1, None),
            ("net_proto", "secs", name("TcpRetransSegs"), 1, None),
        ],
    );
}

#[test]
fn counters_of_nstat_that_fall_are_not_since_boot() {
    let text =
        "#kernel\nTcpInSegs 1000 0.0\nTcpOutSegs 5 0.0\n\n#kernel\nTcpInSegs 40 0.0\nTcpOutSegs 9 0.0\n";
    let read = import(text.as_bytes());
    for row in [0, 1] {
        assert_eq!(number(&read, "net_proto", "value", Some(("name", "TcpOutSegs")), row), None);
    }
    assert!(told(&read).contains("counters decreased"), "{}", told(&read));
}

#[test]
fn sockets_of_every_form() {
    let port = |port: &'static str| Some(("local_port", port));
    check(
        "State      Recv-Q Send-Q        Local Address:Port          Peer Address:Port\n\
         LISTEN     129    128                       *:80                       *:*      users:((\"httpd\",77,4))\n\
         ESTAB      0      36               10.0.0.5:22                10.0.0.9:51000\n\
         \t cubic wscale:7,7 rto:204 rtt:1.5/0.75 mss:1448 cwnd:10 retrans:0/17 rcv_space:14480\n",
        "ss, 1 sample",
        &[
            ("socket", "receive_queue", port("80"), 0, Some(129.0)),
            ("socket", "backlog_max", port("80"), 0, Some(128.0)),
            ("socket", "send_queue", port("80"), 0, None),
            ("socket", "pid", port("80"), 0, Some(77.0)),
            ("socket", "send_queue", port("22"), 0, Some(36.0)),
            ("socket", "rtt_s", port("22"), 0, Some(0.0015)),
            // Since the connection began, which may be years ago.
            ("socket", "retransmits", port("22"), 0, None),
        ],
    );
    check(
        "Active Internet connections (servers and established)\n\
         Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name\n\
         tcp        0      0 0.0.0.0:111             0.0.0.0:*               LISTEN      1/systemd\n\
         tcp        0    212 localhost.localdoma:ssh 192.168.71.1:58727      ESTABLISHED -\n\
         udp    32448      0 127.0.0.1:34032         0.0.0.0:*                           22811/python3\n",
        "netstat, 1 sample",
        &[
            ("socket", "pid", port("111"), 0, Some(1.0)),
            ("socket", "receive_queue", port("34032"), 0, Some(32_448.0)),
            ("socket", "peer_port", Some(("peer_addr", "192.168.71.1")), 0, Some(58_727.0)),
            ("socket", "send_queue", Some(("peer_addr", "192.168.71.1")), 0, Some(212.0)),
        ],
    );
}

#[test]
fn settings_of_an_interface() {
    let read = import(&fixture("ethtool/debian-12-6.18.44-ethtool-6.1-all.txt"));
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    let text = told(&read);
    for wanted in [
        "rx_ring=256",
        "rx_ring_max=256",
        "driver=virtio_net",
        "rx_coalesce_packets=1",
        "combined_channels=1",
        "tx_checksum=true",
        "lro=false",
    ] {
        let row = text.lines().find(|line| line.starts_with("net_setting") && line.contains(wanted));
        assert!(row.is_some_and(|row| row.contains("name=eth0")), "{wanted}\n{text}");
    }
    let kicks = Some(("statistic", "rx_kicks"));
    assert_eq!(number(&read, "net_driver", "value", kicks, 0), None);
    assert!(number(&read, "net_driver", "value", kicks, 1).is_some(), "{text}");
}

#[test]
fn disks_and_file_systems() {
    check(
        "Filesystem           1K-blocks      Used Available Use% Mounted on\n\
         /dev/mapper/VolGroup00-LogVol00\n\
         \x20                      6030784   1147932   4571556  21% /\n\
         //nas/My Files         1000000    400000    600000  40% /mnt/My Files\n\
         //nas/Photos of Summer 2019\n\
         \x20                      2000000    400000   1600000  20% /mnt/photos\n",
        "df, 1 sample",
        &[
            ("filesystem", "size_bytes", Some(("mount", "/")), 0, Some(6_175_522_816.0)),
            ("filesystem", "free_bytes", Some(("mount", "/")), 0, Some(5_000_040_448.0)),
            ("filesystem", "available_bytes", Some(("mount", "/mnt/My Files")), 0, Some(614_400_000.0)),
            ("filesystem", "available_bytes", Some(("device", "//nas/My Files")), 0, Some(614_400_000.0)),
            (
                "filesystem",
                "size_bytes",
                Some(("device", "//nas/Photos of Summer 2019")),
                0,
                Some(2_048_000_000.0),
            ),
        ],
    );
    check(
        "/dev/sda:\n multcount     = 16 (on)\n readahead     = 256 (on)\n write-caching =  1 (on)\n",
        "hdparm, 1 sample",
        &[("disk", "read_ahead_bytes", Some(("device", "sda")), 0, Some(131_072.0))],
    );
    check(
        "    /dev/sdb: SEAGATE   ST973451SS        0001\n  WCE           1  [cha: y, def:  1, sav:  1]\n",
        "sdparm, 1 sample",
        &[("disk", "reads", Some(("device", "sdb")), 0, None)],
    );
    let speeds = import(
        b"1000+0 records in\n1000+0 records out\n1048576000 bytes (1.0 GB) copied, 2.5 seconds, 419 MB/s\n",
    );
    assert!(speeds.file.what.starts_with("dd"), "{}", speeds.file.what);
}

#[test]
fn damaged_rows_are_said() {
    for (text, line, expected) in [
        (
            "Iface MTU RX-OK RX-ERR RX-DRP RX-OVR TX-OK TX-ERR TX-DRP TX-OVR Flg\nlo 65536 1 2 3\n",
            2,
            "expected Iface MTU",
        ),
        (
            "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 100 40 6x 40% /\n",
            2,
            "expected a device",
        ),
        (
            "State Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 0 10.0.0.5:22\n",
            2,
            "expected queues",
        ),
        ("#kernel\nTcpInSegs 1x 0.0\n", 2, "expected a whole number"),
    ] {
        let read = import(text.as_bytes());
        assert_eq!(read.flaws.len(), 1, "{text}{:?}", read.flaws);
        assert!(read.flaws[0].place.ends_with(&format!(":{line}")), "{text}{:?}", read.flaws);
        assert!(read.flaws[0].what.contains(expected), "{text}{:?}", read.flaws);
    }
}

#[test]
fn sums_of_sockets_of_ss() {
    check(
        "$ ss -s\nTotal: 166\nTCP:   1094 (estab 847, closed 12, orphaned 3, timewait 234)\n\n\
         Transport Total     IP        IPv6\nRAW\t  1         1         0\nUDP\t  9         8         1\n\
         TCP\t  1082      1081      1\nINET\t  1092      1090      2\nFRAG\t  0         0         0\n",
        "ss, 1 sample",
        &[
            ("limits", "used", Some(("limit_name", "orphaned_sockets")), 0, Some(3.0)),
            ("limits", "used", Some(("limit_name", "time_wait_sockets")), 0, Some(234.0)),
            ("limits", "max", Some(("limit_name", "time_wait_sockets")), 0, None),
        ],
    );
}

#[test]
fn ifconfig_of_both_kinds() {
    let old = |rx: u64, dropped: u64| {
        format!(
            "eth0      Link encap:Ethernet  HWaddr 00:11:22:33:44:55  \n          inet addr:10.0.0.1  Bcast:10.0.0.255  Mask:255.255.255.0\n          \
             UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n          RX packets:{rx} errors:1 dropped:{dropped} overruns:3 frame:4\n          \
             TX packets:234567 errors:0 dropped:5 overruns:0 carrier:6\n          collisions:0 txqueuelen:1000 \n          \
             RX bytes:{rx}000 (9.3 MB)  TX bytes:608934625 (608.9 MB)\n\n"
        )
    };
    let twice =
        format!("Thu Mar  3 10:00:00 UTC 2022\n{}Thu Mar  3 10:00:10 UTC 2022\n{}", old(100, 2), old(150, 7));
    let eth0 = Some(("name", "eth0"));
    check(
        &twice,
        "ifconfig, 2 samples",
        &[
            ("net_if", "mtu_bytes", eth0, 0, Some(1500.0)),
            ("net_if", "rx_packets", eth0, 0, None),
            ("net_if", "rx_packets", eth0, 1, Some(50.0)),
            ("net_if", "rx_drops", eth0, 1, Some(5.0)),
            ("net_if", "rx_bytes", eth0, 1, Some(50_000.0)),
            ("net_if", "tx_bytes", eth0, 1, Some(0.0)),
            ("net_if", "secs", eth0, 1, Some(10.0)),
        ],
    );
    let today = |packets: u64| {
        format!(
            "eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000\n        inet 10.0.0.1  netmask 255.255.255.0  broadcast 10.0.0.255\n        \
             ether 00:11:22:33:44:55  txqueuelen 1000  (Ethernet)\n        RX packets {packets}  bytes {packets}00 (456.0 B)\n        \
             RX errors 0  dropped 3  overruns 0  frame 0\n        TX packets 10  bytes 20 (20.0 B)\n        \
             TX errors 0  dropped 0 overruns 0  carrier 0  collisions {packets}\n\n"
        )
    };
    check(
        &format!("{}{}", today(5), today(9)),
        "ifconfig, 2 samples",
        &[
            ("net_if", "mtu_bytes", eth0, 1, Some(9000.0)),
            ("net_if", "rx_bytes", eth0, 1, Some(400.0)),
            ("net_if", "collisions", eth0, 1, Some(4.0)),
            ("net_if", "tx_packets", eth0, 1, Some(0.0)),
        ],
    );
}

#[test]
fn limits_of_ipcs_are_no_use() {
    let of = |name| Some(("limit_name", name));
    check(
        "------ Messages Limits --------\nmax queues system wide = 32000\nmax size of message (bytes) = 8192\n\n\
         ------ Shared Memory Limits --------\nmax number of segments = 4096\nmax seg size (kbytes) = 67108864\nmax total shared memory (kbytes) = 8388608\n\n\
         ------ Semaphore Limits --------\nmax number of arrays = 128\nmax semaphores system wide = 32000\n\n\
         ------ Shared Memory Status --------\nsegments allocated 10\npages allocated 1000\npages resident  900\n",
        "ipcs, 1 sample",
        &[
            ("limits", "max", of("shared_memory_segments"), 0, Some(4096.0)),
            ("limits", "used", of("shared_memory_segments"), 0, Some(10.0)),
            ("limits", "max", of("shared_memory_pages"), 0, Some(2_097_152.0)),
            ("limits", "used", of("shared_memory_pages"), 0, Some(1000.0)),
            ("limits", "used", of("semaphores"), 0, None),
            ("limits", "max", of("message_queues"), 0, Some(32_000.0)),
        ],
    );
}

#[test]
fn file_systems_in_other_languages() {
    let boot = Some(("mount", "/boot"));
    let expected = [
        ("filesystem", "size_bytes", boot, 0, Some(101_086.0 * 1024.0)),
        ("filesystem", "available_bytes", boot, 0, Some(83_811.0 * 1024.0)),
    ];
    for text in [
        "Dateisystem    1K-Blöcke  Benutzt Verfügbar Verw% Eingehängt auf\n/dev/sda1         101086    12056     83811   13% /boot\n",
        "Dateisystem    Typ  1K-Blöcke  Benutzt Verfügbar Verw% Eingehängt auf\n/dev/sda1      ext4    101086    12056     83811   13% /boot\n",
        "S.ficheros     bloques de 1K  Usados Disponibles Uso% Montado en\n/dev/sda1             101086   12056       83811  13% /boot\n",
        "ファイルシス   1K-ブロック    使用  使用可 使用% マウント位置\n/dev/sda1           101086   12056   83811   13% /boot\n",
    ] {
        check(text, "df, 1 sample", &expected);
    }
    let read = import(b"we want 1K blocks of which at most 10% are used here and there\n");
    assert_eq!(read.file.what, "unknown format");
}
