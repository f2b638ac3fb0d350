//! Sums of interrupts by line for machines on which `/proc/interrupts` is too large: the
//! line `intr` of `/proc/stat`, and who asked for a line from `/sys/kernel/irq` (4.10).
//!
//! The kernel's own ones (timer, function calls) are not among them.

use heldup_hostfs::Host;
use heldup_model::Text;

use crate::interrupts_text::{Interrupts, Line};
use crate::kernel_text::{ParseError, count, fields, lines};
use crate::source::Reading;

const PATH: &str = "/proc/stat";

/// Lines that ever fired, each with a sum instead of a number for each CPU; none where the
/// file is not there or has no such line.
pub fn read(host: &Host, reading: &mut Reading) -> Option<Interrupts> {
    let text = host.read(PATH).ok()?;
    let (number, line) = lines(&text).find(|(_, line)| line.starts_with(b"intr "))?;
    let mut interrupts = Interrupts::default();
    // The sum of all comes first, then every line from 0 on.
    for (irq, word) in fields(line).skip(2).enumerate() {
        match count(word) {
            Some(0) => {}
            Some(sum) => interrupts.lines.push(self::line(host, irq, sum)),
            None => {
                let error = ParseError::new(number, "intr", word, "a number from 0 to 2^63-1");
                reading.flaws.push(error.in_file(PATH));
                return None;
            }
        }
    }
    Some(interrupts)
}

fn line(host: &Host, irq: usize, sum: i64) -> Line {
    let word = |file: &str| {
        let text = host.read_text(format!("/sys/kernel/irq/{irq}/{file}")).ok()?;
        (!text.is_empty()).then(|| Text::from(text))
    };
    // Counted in 32 bits by the kernel; wider sums grow in their lower half alike.
    Line {
        irq: irq.to_string().into(),
        name: word("actions"),
        chip: word("chip_name"),
        single: Some(sum as u32),
        counts: Vec::new(),
    }
}
