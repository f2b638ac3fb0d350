//! Listings of procps in other languages, as the tools print them in English.
//!
//! Translations leave some words as they are, and every column where it is: words are put back by their places, where
//! all that are known stand at their own. Pure.

/// Columns of `vmstat`; those of `-a` stand in the places of the fifth and the sixth.
const VMSTAT: [&str; 18] = [
    "r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa",
    "st", "gu",
];
/// What `buff` and `inact` are called, which have one place.
const BUFFERS: [&str; 6] = ["buff", "búf", "bufor", "tampon", "버퍼", "缓冲"];
const INACTIVE: [&str; 6] = ["inact", "inakt", "inativ", "nieakt", "비활", "不活动"];
/// Time of guests, which later releases have last.
const GUESTS: [&str; 3] = ["go", "gu", "gä"];
/// Columns of `top` that nobody has chosen.
const TOP: [&str; 12] =
    ["PID", "USER", "PR", "NI", "VIRT", "RES", "SHR", "S", "%CPU", "%MEM", "TIME+", "COMMAND"];
/// Shares of CPU time in `top`.
const SHARES: [&str; 8] = ["us", "sy", "ni", "id", "wa", "hi", "si", "st"];
const MEMORY: [&str; 4] = ["total", "free", "used", "buff/cache"];
const SWAP: [&str; 4] = ["total", "free", "used", "avail Mem"];
/// What releases before procps-ng 3.3.10 have there besides, in another order.
const BEFORE: [&str; 2] = ["buffers", "cached"];
/// What `top -H` counts.
const THREADS: [&str; 8] =
    ["Fire exec", "Hilos", "Trådar", "Tuyến trình", "Wątki", "Потоки", "ნაკადები", "스레드"];
/// First letters of the prefixes of units in the scripts that procps is translated into, and the English ones.
const PREFIXES: [(&str, &str); 5] =
    [("KkКკ", "K"), ("MmМმ", "M"), ("GgГგ", "G"), ("TtТტ", "T"), ("EeЕე", "E")];

/// Headings of `vmstat`, with what stands behind them (`-t`); none where they are English, or none of it.
pub fn vmstat<'a>(words: &[&'a str]) -> Option<Vec<&'a str>> {
    let [first, .., _] = words else { return None };
    if words.len() < 16 || first.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let has_guests = words.get(17).is_some_and(|word| GUESTS.contains(word));
    let width = if has_guests { 18 } else { words.len().min(17) };
    let mut usual = VMSTAT[..width].to_vec();
    let (of_buffers, of_cache) = (words[4], words[5]);
    if INACTIVE.contains(&of_buffers) || of_cache == "active" {
        (usual[4], usual[5]) = ("inact", "active");
    } else if !BUFFERS.contains(&of_buffers) && of_cache != "cache" {
        // It may be either: no column takes it.
        (usual[4], usual[5]) = ("buff or inact", "cache or active");
    }
    if !are_in_place(&words[..width], &usual, 6) {
        return None;
    }
    usual.extend_from_slice(&words[width..]);
    Some(usual)
}

/// Headings of the tasks of `top`, as a line.
pub fn top_headings(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    // That of states may be nothing but blanks.
    let usual: Vec<&str> =
        TOP.iter().copied().filter(|name| words.len() == TOP.len() || *name != "S").collect();
    if !are_in_place(&words, &usual, 5) {
        return None;
    }
    // Process ids have the width of the largest; a letter of Chinese takes two places.
    let first = words.first()?;
    let width = text.find(first)? + first.chars().map(|c| if c > '\u{2e80}' { 2 } else { 1 }).sum::<usize>();
    Some(format!("{:>width$} USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND", TOP[0]))
}

/// How many threads there are, and how many of them run or want to: a line of `top -H`.
pub fn top_threads(text: &str) -> Option<[f64; 2]> {
    let (head, rest) = text.split_once(':')?;
    if !THREADS.contains(&head.trim()) {
        return None;
    }
    let numbers = pairs(rest);
    let number = |at: usize| numbers.get(at)?.0.trim_end_matches([',', '.']).parse().ok();
    Some([number(0)?, number(1)?])
}

/// A line of `top` of CPU time.
pub fn top_cpus(text: &str) -> Option<String> {
    let (head, rest) = text.trim_start().strip_prefix('%')?.split_once(':')?;
    let pairs = pairs(rest);
    let labels: Vec<&str> = pairs.iter().map(|(_, label)| *label).collect();
    let is_english = labels == SHARES;
    if (is_english && head.starts_with("Cpu")) || !(is_english || are_in_place(&labels, &SHARES, 2)) {
        return None;
    }
    let number: String = head.chars().filter(char::is_ascii_digit).collect();
    let who = if number.is_empty() { "(s)" } else { number.as_str() };
    Some(format!("%Cpu{who}: {}", joined(&pairs, &SHARES)))
}

/// A line of `top` of memory, or of swap, which stands below it. What is used and what is free changed places with
/// procps-ng 3.3.10: where both together are all memory, as before, nothing is told.
pub fn top_memory(text: &str, is_swap: bool) -> Option<String> {
    let (head, rest) = text.split_once(':')?;
    let mut names = head.split_whitespace();
    let (unit, name) = (names.next()?, names.next()?);
    let (letter, suffix) = unit.split_at_checked(unit.chars().next()?.len_utf8())?;
    let prefix = PREFIXES.iter().find(|(letters, _)| letters.contains(letter)).map(|(_, prefix)| *prefix)?;
    if suffix.is_empty() || suffix.chars().count() > 2 {
        return None;
    }
    let pairs = pairs(rest);
    let (english, labels) = if is_swap { ("Swap", SWAP) } else { ("Mem", MEMORY) };
    let is_english = name == english && pairs.iter().map(|(_, label)| *label).eq(labels);
    let is_other = |((_, label), here): (&(&str, &str), &&str)| {
        label.is_empty() || (label != here && (labels.contains(label) || BEFORE.contains(label)))
    };
    if pairs.len() != labels.len() || is_english || pairs.iter().zip(&labels).any(is_other) {
        return None;
    }
    let number = |at: usize| crate::text::number::cell(pairs[at].0.trim_end_matches(['+', ','])).value();
    let (all, second, third) = (number(0)?, number(1)?, number(2)?);
    if !is_swap && (all - second - third).abs() <= 0.001 * all {
        return None;
    }
    Some(format!("{prefix}iB {english}: {}", joined(&pairs, &labels)))
}

/// Whether at least so many of the usual words are there, each at its place, and others stand for the rest.
fn are_in_place(words: &[&str], usual: &[&str], least: usize) -> bool {
    let pairs = || words.iter().zip(usual);
    let known = pairs().filter(|(word, here)| word == here).count();
    let is_elsewhere = pairs().any(|(word, here)| word != here && usual.contains(word));
    words.len() == usual.len() && !is_elsewhere && (least..words.len()).contains(&known)
}

/// Numbers, and what is said behind each.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = &rest[begin..];
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+');
        let (number, behind) = rest.split_at(rest.find(|c| !is_of_number(c)).unwrap_or(rest.len()));
        let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let is_around = |c: char| c.is_whitespace() || matches!(c, ',' | '.');
        found.push((number, behind[..end].trim_matches(is_around)));
        rest = &behind[end..];
    }
    found
}

fn joined(pairs: &[(&str, &str)], labels: &[&str]) -> String {
    let pairs = pairs.iter().zip(labels).map(|((number, _), label)| format!("{number} {label}"));
    pairs.collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn headings_of_vmstat() {
        let check = |line: &str, expect: Option<&str>| {
            assert_eq!(vmstat(&words(line)).map(|words| words.join(" ")).as_deref(), expect, "{line}");
        };
        let usual = "r b swpd free buff cache si so bi bo in cs us sy id wa st";
        check("dz bl swap wolna bufor cache si so bi bo in cs uż sy be io sk", Some(usual));
        check("k b växl fritt buff cache vi vu bi bu avb ktxb an sy ia vä st", Some(usual));
        check("r b 스왑 가용 버퍼 캐시 입 출 입 출 in cs us sy id wa st", Some(usual));
        check(
            "r b swpd frei inakt aktiv si so bi bo in cs us sy id wa st gu",
            Some("r b swpd free inact active si so bi bo in cs us sy id wa st gu"),
        );
        check(
            "r b swpd frei x1 y1 si so bi bo in cs us sy id wa st",
            Some("r b swpd free buff or inact cache or active si so bi bo in cs us sy id wa st"),
        );
        check(usual, None);
        check("r b swpd free buff cache si so bi bo in cs us sy id wa st UTC", None);
        check(
            "r b swpd frei buff Cache si so bi bo in cs us sy id wa st CET",
            Some("r b swpd free buff cache si so bi bo in cs us sy id wa st CET"),
        );
        // AIX and HP-UX have as many, elsewhere.
        check("r b avm fre re pi po fr sr cy in sy cs us sy id wa", None);
        check("r b w avm free re at pi po fr de sr in sy cs us sy id", None);
        check("1 b swpd frei buff cache si so bi bo in cs us sy id wa st", None);
    }

    #[test]
    fn lines_of_top() {
        let heading = "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND";
        for line in [
            "    PID UŻYTK.    PR  NI    WIRT    REZ    WSP S  %CPU  %PAM     CZAS+ KOMENDA",
            "   进程 USER      PR  NI    VIRT    RES    SHR    %CPU  %MEM     TIME+ COMMAND",
        ] {
            assert_eq!(top_headings(line).as_deref(), Some(heading), "{line}");
        }
        assert_eq!(top_headings(heading), None);
        // Somebody's own choice of columns.
        assert_eq!(top_headings("PID PPID PR NI VIRT RES SHR S %CPU %MEM USER COMMAND"), None);
        assert_eq!(
            top_cpus("%Cpu/er:  0,5 an,  1,5 sy,  0,0 ni,100,0 in,  0,0 vä,  0,0 ha,  0,0 ma,  0,0 st")
                .as_deref(),
            Some("%Cpu(s): 0,5 us, 1,5 sy, 0,0 ni, 100,0 id, 0,0 wa, 0,0 hi, 0,0 si, 0,0 st")
        );
        assert_eq!(
            top_cpus("%Cpu(s):  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st"),
            None
        );
        assert_eq!(
            top_memory("МіБ Пам :  24105.6 загал,  22975.5 вільн,    520.3 вик,    949.1 буф/кеш", false)
                .as_deref(),
            Some("MiB Mem: 24105.6 total, 22975.5 free, 520.3 used, 949.1 buff/cache")
        );
        assert_eq!(
            top_memory(
                "Mio Swap:      1.0 total,      0.5 liberă,      0.5 utilizată.  23584.8 dispo Mem",
                true
            )
            .as_deref(),
            Some("MiB Swap: 1.0 total, 0.5 free, 0.5 used, 23584.8 avail Mem")
        );
        assert_eq!(
            top_memory("MiB Mem :  24105.6 total,  22975.5 free,    520.3 used,    949.1 buff/cache", false),
            None
        );
        // Before 3.3.10.
        for line in [
            "KiB Mem:   8053804 total,  7985720 used,    68084 free,   177636 buffers",
            "KiB Spch:  8053804 gesamt, 7985720 benutzt,  68084 frei,   177636 Puffer",
            "KiB Minne:  8053804 total,  7985720 used,    68084 free,   177636 buffers",
        ] {
            assert_eq!(top_memory(line, false), None, "{line}");
        }
        assert_eq!(top_threads("Wątki:razem: 125, działających:   1, śpiących: 124"), Some([125.0, 1.0]));
        assert_eq!(top_threads("Zadania:razem: 107, działających:   1, śpiących: 106"), None);
        assert_eq!(top_memory("Zadania:razem: 107, działających:   1, śpiących: 106", false), None);
    }
}
