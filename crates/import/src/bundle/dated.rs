//! One file of `/proc` again and again in one text, each time below a line that says when: what collectors
//! write (`zzz ***Thu Mar  3 12:33:44 CET 2022`), and loops of `date; cat /proc/vmstat`.

use super::kernel_file;
use crate::text::civil::INSTANTS_MS;
use crate::text::clock_line;

/// The path of the file, where a text begins so.
pub fn recognise(beginning: &[u8], name: &str) -> Option<&'static str> {
    let end = beginning.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = beginning.split_at(end + 1);
    when(line)?;
    kernel_file::recognise(rest, name)
}

/// The contents, each with its time, milliseconds since 1970-01-01 UTC. A last one without its end is left out.
pub fn pieces(text: &[u8]) -> Vec<(i64, Vec<u8>)> {
    let mut pieces: Vec<(i64, Vec<u8>)> = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match (when(line), pieces.last_mut()) {
            (Some(ms), _) => pieces.push((ms, Vec::new())),
            (None, Some((_, piece))) => piece.extend_from_slice(line),
            (None, None) => {}
        }
    }
    pieces.retain(|(_, piece)| piece.ends_with(b"\n"));
    pieces
}

fn when(line: &[u8]) -> Option<i64> {
    // Most lines are not of dates: a look at the first letter tells.
    if !line.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let line = std::str::from_utf8(line).ok().filter(|line| line.len() < 80)?;
    let (ms, _) = clock_line::instant(&line.split_whitespace().collect::<Vec<_>>())?;
    INSTANTS_MS.contains(&ms).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_has_its_content() {
        let text = b"zzz ***Thu Mar  3 12:33:44 CET 2022\nMemTotal: 5 kB\nMemFree: 1 kB\n\
            zzz ***Thu Mar  3 12:34:14 CET 2022\nMemTotal: 5 kB\nMemFree: 2 kB\nzzz ***Thu Mar  3 12:34:44 CET 2022\nMemT";
        assert_eq!(recognise(text, "x"), Some("/proc/meminfo"));
        let found = pieces(text);
        let times: Vec<i64> = found.iter().map(|(ms, _)| *ms).collect();
        assert_eq!(times, [1_646_307_224_000, 1_646_307_254_000]);
        assert_eq!(found[1].1, b"MemTotal: 5 kB\nMemFree: 2 kB\n");
        assert_eq!(recognise(b"MemTotal: 5 kB\n", "x"), None);
        assert_eq!(recognise(b"zzz ***Thu Mar  3 12:33:44 CET 2022\nprocs\n", "x"), None);
    }
}
