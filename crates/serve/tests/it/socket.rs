//! A socket in the place of a port: the same guard, and nobody else's.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use heldup_serve::Listen;

use crate::served::{fixture, start};

#[test]
fn a_socket_has_the_same_guard() {
    let path = std::env::temp_dir().join(format!("heldup-it-{}.sock", heldup_hostfs::own_pid()));
    let served = start(&[fixture()], Listen::Socket(path.clone()));
    assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
    let ask = |head: &str| {
        let mut stream = UnixStream::connect(&path).expect("connected");
        let request = format!("GET /api/time?words=now HTTP/1.1\r\nConnection: close\r\n{head}\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split(' ').nth(1).expect("a status").to_owned()
    };
    let bearer = format!("Authorization: Bearer {}\r\n", served.token);
    assert_eq!(ask("Host: localhost:8017\r\n"), "401");
    assert_eq!(ask(&format!("Host: localhost:8017\r\n{bearer}")), "200");
    assert_eq!(ask(&format!("Host: evil.example\r\n{bearer}")), "403");
    drop(served);
    assert!(!path.exists());
}
