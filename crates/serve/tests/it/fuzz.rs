//! Requests that nobody would send: bytes at random, and requests of the page that were damaged. The server must answer
//! or close, and afterwards be as it was.
//!
//! `HELDUP_FUZZ_REQUESTS=1000000` sends as many; `HELDUP_FUZZ_SEED` is the first of them.

use std::io::{Read, Write};
use std::time::Duration;

use crate::served::{Served, fixture, of};

/// As many as every test sends.
const FEW: u64 = 3_000;
/// Clients at once.
const CLIENTS: u64 = 8;

/// A generator of Marsaglia's: the same inputs for the same seed.
struct Chance(u64);

impl Chance {
    fn of(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

const PATHS: [&str; 16] = [
    "/",
    "/app.js",
    "/finding/x",
    "/api/state",
    "/api/time?words=yesterday%2003:00",
    "/api/live?after_ms=0",
    "/api/view?since_ms=1&until_ms=2",
    "/api/who?since_ms=1&until_ms=2&processes=9&steps=9",
    "/api/life?pid=1&start_ms=1&since_ms=1&until_ms=2",
    "/api/tables",
    "/api/record",
    "/api/experiment?id=../../etc",
    "/api/figures",
    "/api/sql",
    "/api/figure?id=time.classes&format=svg&since_ms=1&until_ms=2",
    "/api/breakdown?kind=wait&since_ms=1&until_ms=2",
];
const BODIES: [&str; 5] = [
    "",
    "{\"since_ms\":1,\"until_ms\":2,\"steps\":3,\"figures\":[\"cpu.load\"]}",
    "{\"query\":\"select 1\",\"since_ms\":1,\"until_ms\":2,\"offset\":0}",
    "{\"query\":\"with recursive n(x) as (select 1 union all select x from n) select count(*) from n limit 1\"",
    "[[[[[[[[[[[[[[[[[[[[[[[[",
];
/// What breaks texts that are put together.
const PIECES: [&[u8]; 12] = [
    b"\r\n",
    b"\r\n\r\n",
    b"\0",
    b"%00",
    b"%",
    b"\xff\xfe",
    b"9223372036854775808",
    b"-1",
    b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"../",
    b"Host: evil.example\r\n",
];

/// A request of the page, or nearly.
fn request(chance: &mut Chance, served: &Served) -> Vec<u8> {
    let body = *chance.one(&BODIES);
    let method = *chance.one(&["GET", "GET", "POST", "HEAD", "PUT", "get", ""]);
    let bearer = match chance.below(4) {
        0 => String::new(),
        1 => "Authorization: Bearer x\r\n".to_owned(),
        _ => format!("Authorization: Bearer {}\r\n", served.token),
    };
    let length = match chance.below(6) {
        0 => "Transfer-Encoding: chunked\r\n".to_owned(),
        1 => format!("Content-Length: {}\r\n", chance.next()),
        _ => format!("Content-Length: {}\r\n", body.len()),
    };
    let path = *chance.one(&PATHS);
    let mut bytes = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n{bearer}{length}\r\n{body}",
        served.port
    )
    .into_bytes();
    for _ in 0..chance.below(4) {
        let at = chance.below(bytes.len());
        match chance.below(5) {
            0 => bytes[at] = chance.next() as u8,
            1 => bytes.truncate(at.max(1)),
            2 => {
                let piece = *chance.one(&PIECES);
                bytes.splice(at..at, piece.iter().copied());
            }
            3 => {
                let end = (at + chance.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + chance.below(200)).min(bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
    bytes
}

/// Sends it; some do not wait for the answer. False where the server neither answers nor closes.
fn send(served: &Served, chance: &mut Chance, bytes: &[u8]) -> bool {
    let mut stream = served.connect();
    stream.set_read_timeout(Some(Duration::from_secs(40))).expect("a limit");
    let _ = stream.write_all(bytes);
    if chance.below(8) == 0 {
        return true;
    }
    // Nothing more comes: what is incomplete need not be waited for.
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    match stream.take(16 << 20).read_to_end(&mut answer) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
    }
}

fn told(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_request_stops_the_server() {
    let count = told("HELDUP_FUZZ_REQUESTS").unwrap_or(FEW);
    let first = told("HELDUP_FUZZ_SEED").unwrap_or(1);
    let served = of(&[fixture()]);
    // Everything that is read once is read before memory is looked at.
    for seed in 0..200 {
        let mut chance = Chance::of(seed);
        let bytes = request(&mut chance, &served);
        send(&served, &mut chance, &bytes);
    }
    let memory = heldup_hostfs::ResidentMemory::open();
    let before = memory.bytes().expect("resident memory");
    let silent: Vec<u64> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let served = &served;
                scope.spawn(move || {
                    let own = (first..first + count).filter(|seed| seed % CLIENTS == client);
                    let is_silent = |seed: &u64| {
                        let mut chance = Chance::of(*seed);
                        let bytes = match chance.below(10) {
                            0 => (0..chance.below(2000)).map(|_| chance.next() as u8).collect(),
                            _ => request(&mut chance, served),
                        };
                        !send(served, &mut chance, &bytes)
                    };
                    own.filter(is_silent).collect::<Vec<u64>>()
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("no panic")).collect()
    });
    assert!(silent.is_empty(), "no answer and no end: seeds {silent:?}");
    assert_eq!(served.get("/api/state").status, 200);
    let grown = memory.bytes().expect("resident memory") - before;
    say(&format!("{count} requests from seed {first}; memory grew by {} kB", grown / 1024));
    assert!(grown < 256 << 20, "memory grew by {grown} bytes");
}

/// Says something that belongs into the record of a soak, which names the file for it.
fn say(line: &str) {
    println!("{line}");
    if let Some(path) = std::env::var_os("HELDUP_IT_SAYS") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        writeln!(file.expect("the file of the record"), "- {line}").expect("the file of the record");
    }
}
