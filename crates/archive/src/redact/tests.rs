//! What must go, what must stay, and that what was one stays one.

use heldup_model::tables::{
    CgroupRow, DiskRow, EventRow, HostRow, MountRow, NetIfRow, NfsMountRow, ProcessRow, SettingRow, SocketRow,
};
use heldup_model::{ColumnType, Form, Holds, Method, RowSet, Span, Stamp, Text};

use super::*;

fn capture(rows: impl IntoIterator<Item = RowSet>) -> Capture {
    let stamp = Stamp { time_ms: 1_763_700_000_000, secs: Some(1.0), host: "orion.corp.example.net".into() };
    let mut capture = Capture {
        host: "orion.corp.example.net".to_owned(),
        span: Span { since_ms: 1_763_699_990_000, until_ms: 1_763_700_000_000 },
        method: Method::Ebpf,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: BTreeMap::new(),
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    for rows in rows {
        let batch = rows.to_batch(&stamp).expect("a batch");
        capture.tables.entry(rows.def.name.to_owned()).or_default().push(batch);
    }
    capture
}

fn some(text: &str) -> Option<Text> {
    Some(text.into())
}

fn known() -> KnownNames {
    KnownNames {
        hosts: vec!["orion".to_owned(), "localhost".to_owned()],
        domains: Vec::new(),
        users: vec!["jdoe".to_owned(), "marguerite".to_owned()],
        homes: vec![("/srv/people/marguerite".to_owned(), "marguerite".to_owned())],
    }
}

/// The texts of a column.
fn column(capture: &Capture, table: &str, name: &str) -> Vec<String> {
    let array = capture.tables[table][0].column_by_name(name).expect("a column").clone();
    let dictionary = arrow_array::cast::AsArray::as_dictionary::<arrow_array::types::Int32Type>(&array);
    let typed = dictionary.downcast_dict::<arrow_array::StringArray>().expect("text");
    typed.into_iter().map(|text| text.unwrap_or("NULL").to_owned()).collect()
}

/// What a message becomes on a machine of which only `known` is known.
fn messages<const N: usize>(texts: [&str; N]) -> Vec<String> {
    let rows = texts.map(|text| EventRow { message: some(text), ..EventRow::default() });
    let redacted = redact(&capture([RowSet::totals(rows)]), &known()).expect("redacted");
    column(&redacted, "event", "message")
}

fn paths<const N: usize>(texts: [&str; N]) -> Vec<String> {
    let rows = texts.map(|text| CgroupRow { path: some(text), ..CgroupRow::default() });
    let redacted = redact(&capture([RowSet::totals(rows)]), &known()).expect("redacted");
    column(&redacted, "cgroup", "path")
}

#[test]
fn addresses_go_and_what_looks_like_one_stays() {
    let found = messages([
        "dropped SRC=198.51.100.7 DST=203.0.113.9 MAC=52:54:00:ab:cd:ef:52:54:00:12:34:56:08:00 PROTO=TCP",
        "peer [2001:db8::7]:443, IPv6:fe80::5054:ff:feab:cdef: unreachable",
        "enx525400abcdef: renamed from eth0; again from 198.51.100.7:2049",
        "virtio_net 0000:00:03.0 at 12:34:56, version 6.18.0-rc1, lo 127.0.0.1, ::1, mask 255.255.255.0",
        "ata1.00: std::io::Error in foo::add::bar, uuid 0fc63daf-8483-4772-8e79-3d69d8477de4",
    ]);
    assert_eq!(
        found,
        [
            "dropped SRC=addr-3 DST=addr-4 MAC=addr-1 PROTO=TCP",
            "peer [addr-5]:443, IPv6:addr-6: unreachable",
            "enxaddr-7: renamed from eth0; again from addr-3:2049",
            "virtio_net 0000:00:03.0 at 12:34:56, version 6.18.0-rc1, lo 127.0.0.1, ::1, mask 255.255.255.0",
            "ata1.00: std::io::Error in foo::add::bar, uuid 0fc63daf-8483-4772-8e79-3d69d8477de4",
        ]
    );
}

#[test]
fn homes_go_with_what_is_in_them() {
    let found = paths([
        "/home/jdoe/secret plan/x.db",
        "/home/jdoe",
        "/root/notes",
        "/rooted/x",
        "/srv/people/marguerite/db",
        "/srv/people/marguerites",
        "/home/stranger/x",
        "/lxc/stranger-1",
        "/ /home/jdoe/a /data",
    ]);
    assert_eq!(
        found,
        [
            "/home/user-1/path-1",
            "/home/user-1",
            "/root/path-2",
            "/rooted/x",
            "/home/user-2/path-3",
            "/srv/people/user-2s",
            "/home/user-3/path-4",
            // A home shows a user, whom nobody knew.
            "/lxc/user-3-1",
            "/ /home/user-1/path-5 /data",
        ]
    );
}

#[test]
fn names_in_messages_go() {
    let found = messages([
        "systemd[1]: Hostname set to <vega.example.org>.",
        "audit: acct=\"walburga\" exe=\"/usr/bin/su\" hostname=? addr=? res=success proctitle=737564",
        "nfs: server archive7 not responding, timed out",
        "Started Session 4 of User walburga.",
        "CIFS: VFS: \\\\filer9\\share: refused; see https://wiki.example.org/x",
        "mail from someone@example.org, getty@tty1.service: user space, memory for user pages",
        "Linux version 6.1 (jdoe@orion) on ORION, archive7 and vega again, jdoes, janemarguerites",
    ]);
    assert_eq!(
        found,
        [
            "systemd[1]: Hostname set to <host-2>.",
            "audit: acct=\"user-1\" exe=\"/usr/bin/su\" hostname=? addr=? res=success proctitle=args-1",
            "nfs: server host-3 not responding, timed out",
            "Started Session 4 of User user-1.",
            "CIFS: VFS: \\\\host-4\\share: refused; see https://host-5/x",
            "mail from user-2@host-6, getty@tty1.service: user space, memory for user pages",
            "Linux version 6.1 (user-3@host-1) on host-1, host-3 and host-2 again, jdoes, janeuser-4s",
        ]
    );
}

#[test]
fn commands_keep_their_program_and_equal_arguments_stay_equal() {
    let process = |name: &str, command: &str| ProcessRow {
        name: some(name),
        command: some(command),
        unit: some("jdoe-web.service"),
        ..ProcessRow::default()
    };
    let rows = RowSet::totals([
        process("python3", "/usr/bin/python3 serve.py --token=hunter2"),
        process("python3", "/home/jdoe/bin/run serve.py --token=hunter2"),
        process("kworker/0:1", "[kworker/0:1]"),
        process("a-marguerite-se", "/opt/a-marguerite-server"),
        process("archive-margueri", "x"),
        process("backup-marguer", "x"),
        process("backup-marguerx", "x"),
        process("the-job-marguer", "x"),
    ]);
    let redacted = redact(&capture([rows]), &known()).expect("redacted");
    assert_eq!(
        column(&redacted, "process", "command")[..4],
        ["/usr/bin/python3 args-1", "/home/user-2/path-1 args-1", "[kworker/0:1]", "/opt/a-user-1-server",]
    );
    assert_eq!(
        column(&redacted, "process", "name"),
        [
            "python3",
            "python3",
            "kworker/0:1",
            "a-user-1-se",
            "archive-margueri",
            "backup-marguer",
            "backup-marguerx",
            // Cut by the kernel in the middle of a name.
            "the-job-user-1",
        ]
    );
    assert_eq!(column(&redacted, "process", "unit")[0], "user-2-web.service");
    assert_eq!(column(&redacted, "process", "host")[0], "host-1");
}

#[test]
fn what_is_mounted_names_hosts_that_are_then_found_everywhere() {
    let mount = |source: &str, options: &str| MountRow {
        source: some(source),
        super_options: some(options),
        fs_type: some("nfs4"),
        ..MountRow::default()
    };
    let setting = |key: &str, value: &str| SettingRow {
        setting_key: some(key),
        setting_value: some(value),
        path: None,
    };
    let rows = [
        RowSet::totals([
            mount(
                "titan.corp.example.net:/export/data",
                "rw,vers=4.2,addr=198.51.100.7,clientaddr=198.51.100.8",
            ),
            mount("//smb-west/people", "rw,username=jdoe,domain=ACME,credentials=/root/cred,uid=1000"),
            mount("walburga@far:/", "rw"),
            mount("198.51.100.7:6789,198.51.100.8:6789:/", "name=admin,secret=abcd"),
            mount("/dev/mapper/orion--vg-root", "rw,errors=remount-ro"),
            mount("tmpfs", "rw,size=1024k"),
        ]),
        RowSet::totals([NfsMountRow { server: some("titan:/export/data"), ..NfsMountRow::default() }]),
        RowSet::totals([DiskRow { label_name: some("titan-lun-4"), ..DiskRow::default() }]),
        RowSet::totals([
            setting("class.net.enx525400abcdef.mtu", "ip=198.51.100.7"),
            setting("orion.swappiness", "60"),
            setting("package.libc6", "198.51.100.7"),
        ]),
    ];
    let redacted = redact(&capture(rows), &known()).expect("redacted");
    assert_eq!(
        column(&redacted, "mount", "source"),
        [
            "host-2:/path-1",
            "//host-3/path-2",
            "user-1@host-4:/",
            "addr-1,addr-2:/",
            "/dev/mapper/host-1--vg-root",
            "tmpfs",
        ]
    );
    assert_eq!(
        column(&redacted, "mount", "super_options"),
        [
            "rw,vers=4.2,addr=addr-1,clientaddr=addr-2",
            "rw,username=user-2,domain=domain-1,credentials=text-1,uid=1000",
            "rw",
            "name=admin,secret=text-2",
            "rw,errors=remount-ro",
            "rw,size=1024k",
        ]
    );
    assert_eq!(column(&redacted, "disk", "label_name"), ["host-2-lun-4"]);
    assert_eq!(column(&redacted, "setting", "setting_key")[1], "orion.swappiness");
    assert!(column(&redacted, "nfs_mount", "server")[0].starts_with("host-2:/path-"));
    assert_eq!(column(&redacted, "setting", "setting_value"), ["ip=addr-1", "60", "198.51.100.7"]);
    assert!(column(&redacted, "setting", "setting_key")[0].starts_with("class.net.enxaddr-"));
}

#[test]
fn sockets_keep_who_talks_to_whom() {
    let socket = |local: &str, peer: &str| SocketRow {
        local_addr: some(local),
        peer_addr: some(peer),
        ..SocketRow::default()
    };
    let rows = RowSet::totals([
        socket("198.51.100.7", "203.0.113.9"),
        socket("::ffff:203.0.113.9", "198.51.100.7"),
        socket("0.0.0.0", "127.0.0.53"),
        socket("fe80::1%eth0", "::"),
    ]);
    let redacted = redact(&capture([rows]), &known()).expect("redacted");
    assert_eq!(column(&redacted, "socket", "local_addr"), ["addr-1", "addr-2", "0.0.0.0", "addr-3"]);
    assert_eq!(column(&redacted, "socket", "peer_addr"), ["addr-2", "addr-1", "127.0.0.53", "::"]);
}

#[test]
fn the_rest_of_the_capture_too_and_numbers_stay() {
    let host = HostRow { name: some("orion"), cpus: Some(4), os: some("Debian 12"), ..HostRow::default() };
    let mut before = capture([
        RowSet::totals([host]),
        RowSet::totals([NetIfRow { name: some("eth0"), state: some("up"), ..NetIfRow::default() }]),
    ]);
    before.missing.push(Missing {
        what: "filesystem".to_owned(),
        why: "orion:/x does not answer".to_owned(),
        how: "ask jdoe".to_owned(),
    });
    before.flaws.push(Flaw { place: "/home/jdoe/x".to_owned(), what: "10.9.8.7 is no number".to_owned() });
    before.tables.insert("of_a_later_version".to_owned(), before.tables["host"].clone());
    let after = redact(&before, &known()).expect("redacted");
    assert_eq!((after.host.as_str(), after.missing[0].why.as_str()), ("host-1", "host-1:/x does not answer"));
    assert_eq!(after.missing[0].how, "ask user-1");
    assert_eq!(after.flaws[0].place, "/home/user-1/path-1");
    assert_eq!(after.flaws[0].what, "addr-1 is no number");
    assert!(!after.tables.contains_key("of_a_later_version"));
    let number = |capture: &Capture| capture.tables["host"][0].column_by_name("cpus").cloned();
    assert_eq!(number(&after), number(&before));
    assert_eq!(column(&after, "host", "os"), ["Debian 12"]);
    assert_eq!(column(&after, "net_if", "name"), ["eth0"]);
}

/// No table, whatever it is asked for later, keeps a name that stands alone in a cell.
#[test]
fn every_text_column_but_words_loses_a_name() {
    let secret = "marguerite";
    let every = tables::ALL.iter().map(|def| {
        let mut rows = RowSet::empty(def, Form::Totals);
        rows.len = 1;
        for (cell, column) in rows.cells.iter_mut().zip(def.columns) {
            match column.ty {
                ColumnType::Text if column.holds != Holds::Word => {
                    cell.push_text(some(&format!("x /a/{secret}-7 y")))
                }
                ColumnType::Text => cell.push_text(some("word")),
                _ => cell.push_int(None),
            }
        }
        rows
    });
    let redacted = redact(&capture(every), &known()).expect("redacted");
    for def in tables::ALL {
        for of_text in def.all_columns().filter(|column| column.ty == ColumnType::Text) {
            let text = column(&redacted, def.name, of_text.name).remove(0);
            assert!(
                !text.contains(secret) && !text.contains("orion"),
                "{}.{}: {text}",
                def.name,
                of_text.name
            );
        }
    }
}

#[test]
fn several_captures_have_one_pseudonym_for_one_name() {
    let of = |name: &str| {
        let host = HostRow { name: some(name), ..HostRow::default() };
        Capture { host: name.to_owned(), ..capture([RowSet::totals([host])]) }
    };
    let (a, b, c) = (of("orion"), of("vega"), of("orion"));
    let mut redactor = Redactor::new(&[&a, &b, &c], &known()).expect("collected");
    let names: Vec<String> =
        [&a, &b, &c].into_iter().map(|one| redactor.capture(one).expect("redacted").host).collect();
    assert_eq!(names, ["host-1", "host-2", "host-1"]);
    assert_eq!(redactor.text(Holds::Message, "vega answers orion late"), "host-2 answers host-1 late");
    assert_eq!(redactor.text(Holds::Command, "./load --password x"), "./load args-1");
}
