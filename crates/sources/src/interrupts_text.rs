//! The text of `/proc/interrupts`, as the architectures write it.
//!
//! A heading of the online CPUs, then lines of a name, a number for each CPU, and what the
//! line is: for a device the controller, its number there and who asked for it; for the
//! kernel's own ones a description. Only the parser; nothing here reads a file.

use std::collections::HashMap;

use heldup_model::Text;

use crate::kernel_text::{ParseError, Parsed, count, fields, lines, text};

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interrupts {
    /// Numbers of the CPUs, as the columns are.
    pub cpus: Vec<i64>,
    /// Lines, with names that are unique.
    pub lines: Vec<Line>,
}

/// One line: counters of 32 bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Number or name.
    pub irq: Text,
    /// Who asked for it, or what it is for.
    pub name: Option<Text>,
    /// Controller and trigger.
    pub chip: Option<Text>,
    /// By column; empty where there is one number for the whole machine.
    pub counts: Vec<Option<u32>>,
    /// The number for the whole machine (ERR and MIS of x86, Err of arm64).
    pub single: Option<u32>,
}

impl Line {
    /// Sum of all CPUs since boot; none where a number could not be read.
    pub fn total(&self) -> Option<i64> {
        match self.single {
            Some(single) => Some(i64::from(single)),
            None => self.counts.iter().map(|count| count.map(i64::from)).sum(),
        }
    }

    /// Whether a number is not zero.
    pub fn ever_fired(&self) -> bool {
        self.single.is_some_and(|single| single > 0) || self.counts.iter().any(|count| *count != Some(0))
    }
}

/// Reads the file.
pub fn parse(content: &[u8]) -> Parsed<Interrupts> {
    let mut parsed = Parsed::<Interrupts>::default();
    let mut lines = lines(parsed.whole_lines(content));
    let heading = lines.next().map(|(_, heading)| heading).unwrap_or_default();
    let cpus: Option<Vec<i64>> =
        fields(heading).map(|cpu| cpu.strip_prefix(b"CPU").and_then(count)).collect();
    let Some(cpus) = cpus.filter(|cpus| !cpus.is_empty()) else {
        parsed.error(ParseError::new(1, "heading", heading, "CPU0 CPU1 …"));
        return parsed;
    };
    parsed.value.cpus = cpus;
    let mut met: HashMap<Text, usize> = HashMap::new();
    for (number, content) in lines {
        let Some(mut line) = line(&mut parsed, number, content) else { continue };
        let times = met.entry(line.irq.clone()).or_default();
        *times += 1;
        if *times > 1 {
            // POWER names two lines LOC.
            line.irq = format!("{}/{times}", line.irq).into();
        }
        parsed.value.lines.push(line);
    }
    parsed
}

fn line(parsed: &mut Parsed<Interrupts>, number: usize, content: &[u8]) -> Option<Line> {
    let colon = content.iter().position(|b| *b == b':').filter(|colon| *colon > 0);
    let Some(colon) = colon else {
        parsed.error(ParseError::new(
            number,
            "interrupt",
            content,
            "a name, a colon and a number for each CPU",
        ));
        return None;
    };
    let cpus = parsed.value.cpus.len();
    let mut rest = &content[colon + 1..];
    let mut counts: Vec<Option<u32>> = Vec::with_capacity(cpus);
    while counts.len() < cpus {
        let Some((word, behind)) = next_word(rest) else { break };
        let value = count(word);
        // A word that is no number begins the description; one for each CPU must precede it.
        if value.is_none() && !word.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-') {
            break;
        }
        if value.is_none() {
            parsed.error(ParseError::new(number, "interrupts", word, "a number from 0 to 2^32-1"));
        }
        // Some kernels count in 64 bits; the lower half is what grows.
        counts.push(value.map(|value| value as u32));
        rest = behind;
    }
    let irq = Text::from(text(&content[..colon]));
    let (name, chip) = description(&irq, rest);
    let line = Line { irq, name, chip, ..Line::default() };
    match counts[..] {
        _ if counts.len() == cpus => Some(Line { counts, ..line }),
        [single] => Some(Line { single, ..line }),
        // FPU and others of arm, without a number at all.
        [] => None,
        _ => {
            parsed.error(ParseError::new(
                number,
                "interrupts",
                content,
                "a number for each CPU, or one in all",
            ));
            None
        }
    }
}

/// The next word, and what stands behind it.
fn next_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = text.iter().position(|b| *b != b' ')?;
    let text = &text[start..];
    let end = text.iter().position(|b| *b == b' ').unwrap_or(text.len());
    Some((&text[..end], &text[end..]))
}

/// Name and controller: `IO-APIC   5-edge      ACPI:Ged` is ACPI:Ged on "IO-APIC 5-edge".
fn description(irq: &str, rest: &[u8]) -> (Option<Text>, Option<Text>) {
    let words = |part: &[u8]| {
        let words: Vec<_> = fields(part).map(String::from_utf8_lossy).collect();
        (!words.is_empty()).then(|| Text::from(words.join(" ")))
    };
    if !irq.bytes().all(|b| b.is_ascii_digit()) {
        return (words(rest), None);
    }
    // Two blanks stand before who asked for it (`show_interrupts` in kernel/irq/proc.c); where
    // nobody did, blanks that fill up the trigger end the line.
    let gap = rest.windows(2).rposition(|pair| pair == b"  ").map_or(0, |at| at + 2);
    let (chip, name) = rest.split_at(gap);
    match words(chip) {
        Some(chip) => (words(name), Some(chip)),
        None => (None, words(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Shown = (String, Option<String>, Option<String>, Option<i64>);

    fn shown(content: &str) -> Vec<Shown> {
        let parsed = parse(content.as_bytes());
        assert_eq!(parsed.errors, []);
        let string = |text: &Option<Text>| text.as_deref().map(str::to_owned);
        let lines = parsed.value.lines.iter();
        lines
            .map(|line| (line.irq.to_string(), string(&line.name), string(&line.chip), line.total()))
            .collect()
    }

    fn line(irq: &str, name: Option<&str>, chip: Option<&str>, total: i64) -> Shown {
        (irq.to_owned(), name.map(str::to_owned), chip.map(str::to_owned), Some(total))
    }

    #[test]
    fn x86_of_3_10_and_of_today() {
        let text = "            CPU0       CPU1       \n   0:         42          0  IR-IO-APIC-edge      timer\n\
                    \x20 36:    1    2 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0, virtio 2\n\
                    \x20 37:    1    2  IO-APIC   7-edge    \n NMI:  0  0   Non-maskable interrupts\n ERR:   3\n";
        let expected = [
            line("0", Some("timer"), Some("IR-IO-APIC-edge"), 42),
            line("36", Some("virtio1-req.0, virtio 2"), Some("PCI-MSIX-0000:00:02.0 1-edge"), 3),
            line("37", None, Some("IO-APIC 7-edge"), 3),
            line("NMI", Some("Non-maskable interrupts"), None, 0),
            line("ERR", None, None, 3),
        ];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn arm64_s390_and_power() {
        let text = "           CPU0       CPU3\n 11:    5    6     GICv3  27 Level     arch_timer\n\
                    IPI0:     1      2       Rescheduling interrupts\nErr:          0\n\
                    CLK:       4         5   [EXT] Clock Comparator\nI/O:  7   8\n\
                    LOC:  1  1   Local timer interrupts for timer event device\n\
                    LOC:  2  2   Local timer interrupts for others\n";
        let expected = [
            line("11", Some("arch_timer"), Some("GICv3 27 Level"), 11),
            line("IPI0", Some("Rescheduling interrupts"), None, 3),
            line("Err", None, None, 0),
            line("CLK", Some("[EXT] Clock Comparator"), None, 9),
            line("I/O", None, None, 15),
            line("LOC", Some("Local timer interrupts for timer event device"), None, 2),
            line("LOC/2", Some("Local timer interrupts for others"), None, 4),
        ];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let parsed =
            parse(b" CPU0 CPU1 CPU2\n 1: 5 -6 7 c d-edge x\nno colon\n 2: 1 2 c d-edge x\n 3: 1 1 1\n");
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [2, 3, 4]);
        let lines: Vec<_> = parsed.value.lines.iter().map(|line| (&*line.irq, line.total())).collect();
        assert_eq!(lines, [("1", None), ("3", Some(3))]);
        assert_eq!(parse(b"1: 2\n").errors.len(), 1);
    }
}
