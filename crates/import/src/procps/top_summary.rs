//! The lines above the tasks of `top`: load, CPUs, memory. Pure.

use crate::text::number::{cell, size};

const KIB: f64 = 1024.0;

/// A number, the unit that stands right behind it, and what is said of it.
#[derive(Clone, Debug, PartialEq)]
struct Labelled {
    number: String,
    unit: String,
    label: String,
}

/// CPU time of one CPU, or of all of them: column of table `cpu`, and percent.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuShares {
    /// Number of the CPU; none for all of them.
    pub cpu: Option<i64>,
    /// Column and percent.
    pub shares: Vec<(&'static str, f64)>,
}

/// What the tools call the columns of table `cpu`: of procps since 3.2, of BusyBox, of procps before, and of other systems.
const CPU_LABELS: [(&str, &str); 23] = [
    ("us", "user_s"),
    ("sy", "system_s"),
    ("ni", "nice_s"),
    ("id", "idle_s"),
    ("wa", "iowait_s"),
    ("hi", "irq_s"),
    ("si", "softirq_s"),
    ("st", "steal_s"),
    ("usr", "user_s"),
    ("sys", "system_s"),
    ("nic", "nice_s"),
    ("idle", "idle_s"),
    ("io", "iowait_s"),
    ("sirq", "softirq_s"),
    ("user", "user_s"),
    ("system", "system_s"),
    ("nice", "nice_s"),
    ("iowait", "iowait_s"),
    ("softirq", "softirq_s"),
    ("interrupt", "irq_s"),
    ("intr", "irq_s"),
    ("kernel", "system_s"),
    ("spin", "system_s"),
];

/// The CPUs of a line: `%Cpu(s):  5.6 us, …`, `Cpu0  :  0.3%us, …`, `CPU:  0% usr …`; of newer versions
/// two may stand side by side. Empty where the line is none of these.
pub fn cpus(text: &str) -> Vec<CpuShares> {
    let begin = text.trim_start().trim_start_matches('%');
    if !["Cpu", "CPU:", "CPU(s):"].iter().any(|head| begin.starts_with(head)) && !is_states(begin) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for piece in text.split("Cpu").flat_map(|piece| piece.split("CPU")).skip(1) {
        let Some((who, rest)) = piece.split_once(':') else { continue };
        let who = who.trim();
        let cpu = match who.strip_suffix("states").map_or(who, str::trim) {
            "(s)" | "" => None,
            number => match number.parse::<i64>() {
                Ok(number) => Some(number),
                Err(_) => continue,
            },
        };
        let labelled = labelled(rest);
        let share = |one: &Labelled| Some((column(&one.label)?, cell(&one.number).value()?));
        found.push(CpuShares { cpu, shares: labelled.iter().filter_map(share).collect() });
    }
    found.retain(|cpus| cpus.shares.len() >= 3);
    found
}

/// `CPU states:`, `CPU0 states:`, as before procps 3.2.
fn is_states(text: &str) -> bool {
    text.strip_prefix("CPU").is_some_and(|rest| {
        rest.trim_start_matches(|sign: char| sign.is_ascii_digit()).trim_start().starts_with("states:")
    })
}

/// The columns of a table of CPUs, `CPU states:  cpu    user    nice  system    irq  softirq  iowait    idle`, as top of
/// RHEL 3 prints it.
pub fn cpu_columns(words: &[&str]) -> Option<Vec<&'static str>> {
    let ["CPU", "states:", "cpu", labels @ ..] = words else { return None };
    let columns: Option<Vec<&str>> = labels.iter().map(|label| column(label)).collect();
    columns.filter(|columns| columns.len() >= 3)
}

/// A row of such a table: `total    0.3%    0.0% …`, `cpu00    0.3% …`.
pub fn cpu_row(columns: &[&'static str], words: &[&str]) -> Option<CpuShares> {
    let (who, percents) = words.split_first().filter(|(_, rest)| rest.len() == columns.len())?;
    let cpu = match *who {
        "total" => None,
        who => Some(who.strip_prefix("cpu")?.parse().ok()?),
    };
    let percent = |word: &&str| cell(word.strip_suffix('%')?).value();
    let percents: Option<Vec<f64>> = percents.iter().map(percent).collect();
    Some(CpuShares { cpu, shares: columns.iter().copied().zip(percents?).collect() })
}

fn column(label: &str) -> Option<&'static str> {
    if label == "irq" {
        return Some("irq_s");
    }
    CPU_LABELS.iter().find(|(known, _)| *known == label).map(|(_, column)| *column)
}

/// Columns of table `memory` and bytes, of a line of memory or swap. A number that was cut off (`+`) is none.
pub fn memory(text: &str) -> Option<Vec<(&'static str, f64)>> {
    let (head, rest) = text.split_once(':')?;
    let words: Vec<&str> = head.split_whitespace().collect();
    let (unit_bytes, of) = match words.as_slice() {
        [unit, of] => (size(&format!("1{}", unit.strip_suffix("iB")?), 1.0)?, *of),
        [of] => (KIB, *of),
        _ => return None,
    };
    let is_swap = match of {
        "Mem" => false,
        "Swap" => true,
        _ => return None,
    };
    let labelled = labelled(rest);
    let bytes = |one: &Labelled| match one.unit.as_str() {
        "" => cell(&one.number).value().map(|value| value * unit_bytes),
        "+" => None,
        unit => size(&format!("{}{unit}", one.number), 1.0),
    };
    let columns = labelled.iter().filter_map(|one| {
        let column = match (is_swap, one.label.as_str()) {
            (false, "total" | "av") => "total_bytes",
            (false, "free") => "free_bytes",
            (false, "buffers" | "buff") => "buffers_bytes",
            (_, "cached") => "cached_bytes",
            (_, "avail") => "available_bytes",
            (false, "shrd") => "shmem_bytes",
            (true, "total" | "av") => "swap_total_bytes",
            (true, "free") => "swap_free_bytes",
            (true, "used") => "swap_used_bytes",
            _ => return None,
        };
        Some((column, bytes(one)?))
    });
    Some(columns.collect())
}

/// Numbers and what stands behind each: `5.6 us`, `0.3%us`, `8165256k total`, `26392161+total`.
fn labelled(text: &str) -> Vec<Labelled> {
    let signs: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let take = |at: &mut usize, wanted: &dyn Fn(usize) -> bool| {
        let from = *at;
        while *at < signs.len() && wanted(*at) {
            *at += 1;
        }
        signs.get(from..*at).unwrap_or_default().iter().collect::<String>()
    };
    let is_digit = |at: usize| signs.get(at).is_some_and(char::is_ascii_digit);
    let is_letter = |at: usize| signs.get(at).is_some_and(|sign| sign.is_ascii_alphabetic() || *sign == '/');
    while at < signs.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        // A comma or a point between digits is of the number, any other ends it.
        let number =
            take(&mut at, &|at| is_digit(at) || (matches!(signs[at], ',' | '.') && is_digit(at + 1)));
        let has_plus = signs.get(at) == Some(&'+');
        let mut unit = if has_plus { "+".to_owned() } else { take(&mut at, &is_letter) };
        take(&mut at, &|at| matches!(signs[at], ' ' | '%' | '+'));
        let mut label = take(&mut at, &is_letter);
        if label.is_empty() {
            // `0.3us`: no unit at all.
            label = std::mem::take(&mut unit);
        }
        found.push(Labelled { number, unit, label });
    }
    found
}

/// Load averages of a line that ends with them: with decimal points or commas.
pub fn loads(text: &str) -> Option<[f64; 3]> {
    let heads = ["load average:", "Load average:", "load averages:"];
    let (_, rest) = heads.iter().find_map(|head| text.split_once(head))?;
    let mut words = rest.split_whitespace().map(|word| cell(word.trim_end_matches(',')).value());
    Some([words.next()??, words.next()??, words.next()??])
}

/// Time since boot, whose smallest unit is a minute: `up 3 days,  1:18`, `up 2 min`.
pub fn uptime_s(words: &[&str]) -> Option<f64> {
    let at = words.iter().position(|word| *word == "up")?;
    let mut seconds = None;
    let mut rest = words.get(at + 1..)?.iter().map(|word| word.trim_end_matches(','));
    while let Some(word) = rest.next() {
        if let Some((hours, minutes)) = word.split_once(':') {
            let minutes = hours.parse::<u32>().ok()? * 60 + minutes.parse::<u32>().ok()?;
            return Some(seconds.unwrap_or(0.0) + f64::from(minutes) * 60.0);
        }
        let number = f64::from(word.parse::<u32>().ok()?);
        match rest.next()? {
            "day" | "days" => seconds = Some(seconds.unwrap_or(0.0) + number * 86_400.0),
            "min" | "mins" => return Some(seconds.unwrap_or(0.0) + number * 60.0),
            _ => return seconds,
        }
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CPU, and columns and percent among what is told of it.
    type Shares<'s> = (Option<i64>, &'s [(&'s str, f64)]);

    #[test]
    fn cpus_of_every_generation() {
        let check = |line: &str, expect: &[Shares<'_>]| {
            let found = cpus(line);
            assert_eq!(found.len(), expect.len(), "{line}: {found:?}");
            for (found, (cpu, shares)) in found.iter().zip(expect) {
                assert_eq!(found.cpu, *cpu, "{line}");
                for (column, percent) in *shares {
                    assert!(found.shares.contains(&(*column, *percent)), "{line}: {:?}", found.shares);
                }
            }
        };
        check(
            "%Cpu(s):  5.6 us, 11.1 sy,  0.0 ni, 83.3 id,  0.0 wa,  0.0 hi,  0.0 si,  0.2 st",
            &[(None, &[("user_s", 5.6), ("system_s", 11.1), ("idle_s", 83.3), ("steal_s", 0.2)])],
        );
        check(
            "Cpu(s):  0.3%us,  0.1%sy,  0.0%ni, 99.5%id,  0.1%wa,  0.0%hi,  0.0%si,  0.0%st",
            &[(None, &[("user_s", 0.3), ("iowait_s", 0.1)])],
        );
        check(
            "%Cpu(s):100,0 us,  0,0 sy,  0,0 ni,  0,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st",
            &[(None, &[("user_s", 100.0), ("idle_s", 0.0)])],
        );
        check(
            "%Cpu0  :  1.3 us,  2.0 sy,  0.0 ni, 96.7 id, 0.0 wa  %Cpu1  :  7.5 us,  0.0 sy,  0.0 ni, 92.5 id, 0.0 wa",
            &[(Some(0), &[("user_s", 1.3)]), (Some(1), &[("user_s", 7.5), ("idle_s", 92.5)])],
        );
        check(
            "CPU:   3% usr   1% sys   0% nic  95% idle   1% io   0% irq   0% sirq",
            &[(None, &[("user_s", 3.0), ("idle_s", 95.0), ("irq_s", 0.0), ("iowait_s", 1.0)])],
        );
        check("Cpu time is 3 of 4", &[]);
        // Before procps 3.2, with and without commas.
        check(
            "CPU0 states:  0.3% user, 53.0% system,  0.0% nice, 46.0% idle",
            &[(Some(0), &[("user_s", 0.3), ("system_s", 53.0), ("nice_s", 0.0), ("idle_s", 46.0)])],
        );
        check(
            "CPU states:   8.3% user  12.3% system    0.0% nice   1.0% iowait  78.3% idle",
            &[(None, &[("user_s", 8.3), ("system_s", 12.3), ("iowait_s", 1.0), ("idle_s", 78.3)])],
        );
        check("CPU states are 3 and 4: user and system", &[]);
    }

    #[test]
    fn a_table_of_cpus() {
        let words = |line: &'static str| line.split_whitespace().collect::<Vec<_>>();
        let heading = "CPU states:  cpu    user    nice  system    irq  softirq  iowait    idle";
        let columns = cpu_columns(&words(heading)).expect("a table");
        let row = cpu_row(&columns, &words("cpu01    0.9%    0.0%    0.4%   0.1%     0.2%    3.0%   95.4%"));
        let row = row.expect("a row");
        assert_eq!((row.cpu, row.shares[0], row.shares[3]), (Some(1), ("user_s", 0.9), ("irq_s", 0.1)));
        let total =
            cpu_row(&columns, &words("total    1.9%    0.0%    0.4%   0.1%     0.2%    3.0%   94.4%"));
        assert_eq!(
            total.map(|row| (row.cpu, row.shares.last().copied())),
            Some((None, Some(("idle_s", 94.4))))
        );
        assert_eq!(cpu_row(&columns, &words("total 1 2 3")), None);
        assert_eq!(cpu_columns(&words("CPU states: 0.3% user, 0.1% system")), None);
    }

    #[test]
    fn memory_of_every_generation() {
        let check = |line: &str, expect: &[(&str, f64)]| {
            assert_eq!(memory(line).as_deref(), Some(expect), "{line}");
        };
        check(
            "Mem:   8165256k total,  7985720k used,   179536k free,   177636k buffers",
            &[
                ("total_bytes", 8_165_256.0 * 1024.0),
                ("free_bytes", 179_536.0 * 1024.0),
                ("buffers_bytes", 177_636.0 * 1024.0),
            ],
        );
        check(
            "Swap:  2097144k total,       72k used,  2097072k free,  4015304k cached",
            &[
                ("swap_total_bytes", 2_097_144.0 * 1024.0),
                ("swap_used_bytes", 72.0 * 1024.0),
                ("swap_free_bytes", 2_097_072.0 * 1024.0),
                ("cached_bytes", 4_015_304.0 * 1024.0),
            ],
        );
        check(
            "MiB Mem :   3903,5 total,   2352,0 free,    329,9 used,   1221,5 buff/cache",
            &[("total_bytes", 3903.5 * 1_048_576.0), ("free_bytes", 2352.0 * 1_048_576.0)],
        );
        check(
            "GiB Swap:      2.0 total,      1.5 free,      0.5 used.      3.5 avail Mem",
            &[
                ("swap_total_bytes", 2_147_483_648.0),
                ("swap_free_bytes", 1_610_612_736.0),
                ("swap_used_bytes", 536_870_912.0),
                ("available_bytes", 3_758_096_384.0),
            ],
        );
        // Digits are missing where a plus stands.
        check("KiB Mem : 26392161+total, 11223344+free,   329904 used", &[]);
        check(
            "Mem: 247192K used, 7840K free, 1000K shrd, 2848K buff, 96968K cached",
            &[
                ("free_bytes", 7840.0 * 1024.0),
                ("shmem_bytes", 1_024_000.0),
                ("buffers_bytes", 2848.0 * 1024.0),
                ("cached_bytes", 96_968.0 * 1024.0),
            ],
        );
        check(
            "Mem:  7762204K av, 7756320K used,    5884K free,       0K shrd,  236704K buff",
            &[
                ("total_bytes", 7_762_204.0 * 1024.0),
                ("free_bytes", 5884.0 * 1024.0),
                ("shmem_bytes", 0.0),
                ("buffers_bytes", 236_704.0 * 1024.0),
            ],
        );
        check(
            "Swap: 8388544K av,     432K used, 8388112K free                 7260064K cached",
            &[
                ("swap_total_bytes", 8_388_544.0 * 1024.0),
                ("swap_used_bytes", 432.0 * 1024.0),
                ("swap_free_bytes", 8_388_112.0 * 1024.0),
                ("cached_bytes", 7_260_064.0 * 1024.0),
            ],
        );
        assert_eq!(memory("Mem-Info: 1 total"), None);
    }

    #[test]
    fn loads_and_time_since_boot() {
        let line = "top - 11:20:43 up  1:18,  2 users,  load average: 0.00, 0.01, 0.05";
        assert_eq!(loads(line), Some([0.0, 0.01, 0.05]));
        assert_eq!(loads("load average: 0,17, 0,14, 12,10"), Some([0.17, 0.14, 12.1]));
        let up = |line: &str| uptime_s(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(up(line), Some(4680.0));
        assert_eq!(up("up 2 min, 2 users"), Some(120.0));
        assert_eq!(up("up 10 days,  3:04, 2 users"), Some(875_040.0));
        assert_eq!(up("up 1 day, 2 min, 1 user"), Some(86_520.0));
        assert_eq!(up("up 10 days, 2 users"), Some(864_000.0));
        assert_eq!(up("going up"), None);
    }
}
