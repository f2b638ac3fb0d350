//! Lines about errors of the hardware: machine checks, memory controllers (EDAC), what the firmware reports (GHES), the
//! PCI Express bus (AER), and pages that the kernel gave up. Pure: what one line says.

use heldup_model::Text;
use heldup_model::tables::KernelReportRow;

use crate::kernel_report::heads::{has_key, kind, of_kind};

/// A line about an error of the hardware.
#[derive(Clone, Debug, PartialEq)]
pub struct HardwareLine {
    /// What it says.
    pub report: KernelReportRow,
    /// It begins an error, rather than says more about one.
    pub begins: bool,
}

/// What a line says of the hardware.
pub fn hardware_line(text: &str) -> Option<HardwareLine> {
    let text = text.trim_start();
    match *text.as_bytes().first()? {
        b'E' => edac(text),
        b'm' | b'[' | b'{' | b'B' | b'H' | b'C' | b'M' | b'S' => {
            machine_check(text).or_else(|| given_up(text)).or_else(|| bus(text))
        }
        _ => bus(text),
    }
}

fn error(detail: Option<&'static str>, device: Option<String>, errors: Option<i64>) -> KernelReportRow {
    KernelReportRow {
        detail: detail.map(Text::from),
        device: device.map(Text::from),
        errors,
        ..of_kind(kind::HARDWARE)
    }
}

fn begun(report: KernelReportRow) -> Option<HardwareLine> {
    Some(HardwareLine { report, begins: true })
}

fn number(text: &str) -> Option<i64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

/// `EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Channel#1_DIMM#0 (…)`; before 3.5 `EDAC MC0: CE page 0x…, …, row 0,
/// channel 1 "DIMM_B1": …`.
fn edac(text: &str) -> Option<HardwareLine> {
    let rest = text.strip_prefix("EDAC MC")?;
    let (controller, rest) = rest.split_once(": ")?;
    let controller = number(controller)?;
    let (count, rest) = match number(rest) {
        Some(count) => (Some(count), rest.split_once(' ')?.1),
        None => (None, rest),
    };
    let detail = match rest.split([' ', ':']).next()? {
        "CE" => "corrected",
        "UE" => "uncorrected",
        _ => return None,
    };
    let quoted = rest.split_once('"').and_then(|(_, name)| name.split_once('"')).map(|(name, _)| name);
    let on = rest.split_once(" on ").map(|(_, name)| name.split(" (").next().unwrap_or(name).trim());
    let module = quoted.or(on).filter(|name| !name.is_empty());
    let device =
        format!("memory controller {controller}{}", module.map_or(String::new(), |name| format!(", {name}")));
    begun(error(Some(detail), Some(device), count.or(Some(1))))
}

/// `mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00…`, `[Hardware Error]: Corrected error, no action
/// required.`, `{1}[Hardware Error]: event severity: corrected`, `Machine check events logged`.
fn machine_check(text: &str) -> Option<HardwareLine> {
    let bare = text.strip_prefix("mce: ").unwrap_or(text);
    let bare = bare.strip_prefix("BERT: ").unwrap_or(bare);
    if let Some(rest) = bare.strip_prefix("CPU ").filter(|rest| rest.contains(": Machine Check Exception:")) {
        return begun(bank(rest));
    }
    if bare.starts_with("Machine check events logged") {
        return begun(error(None, None, None));
    }
    if bare.starts_with("MCE: The hardware reports a non fatal, correctable incident") {
        return begun(error(Some("corrected"), None, Some(1)));
    }
    let (serial, rest) = bare.split_once("[Hardware Error]:")?;
    let is_firmware = serial.starts_with('{');
    let rest = rest.trim();
    if let Some(cpu) = rest.strip_prefix("CPU ").filter(|rest| rest.contains(": Machine Check")) {
        return begun(bank(cpu));
    }
    if rest.starts_with("Machine check events logged") || rest.starts_with("Machine check: ") {
        let begins = rest.starts_with("Machine check events");
        return Some(HardwareLine { report: error(None, None, None), begins });
    }
    if is_firmware
        && (rest.starts_with("Hardware error from APEI")
            || rest.starts_with("APEI Generic Hardware Error Source"))
        || rest.starts_with("Error record from ")
    {
        return begun(error(None, Some("firmware".to_owned()), Some(1)));
    }
    let detail = severity(rest);
    let device = rest.strip_prefix("DIMM location: ").map(|place| place.trim().to_owned());
    let device = device.or_else(|| rest.strip_prefix("fru_text: ").map(|place| place.trim().to_owned()));
    let device = device.or_else(|| rest.strip_prefix("section_type: ").map(|what| what.trim().to_owned()));
    // `MC4 Error: …`, `CPU:2 (15:2:0) MC4_STATUS[-|CE|…]: 0x…`.
    let report =
        KernelReportRow { cpu: rest.strip_prefix("CPU:").and_then(number), ..error(detail, device, None) };
    Some(HardwareLine { report, begins: false })
}

fn severity(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let of = |severity: &str| match severity {
        "corrected" | "info" => Some("corrected"),
        "recoverable" => Some("uncorrected"),
        "fatal" => Some("fatal"),
        _ => None,
    };
    if let Some((_, severity)) = lower.split_once("event severity: ") {
        return of(severity.trim());
    }
    if lower.starts_with("corrected error") || lower.contains("|ce|") {
        Some("corrected")
    } else if lower.starts_with("deferred error") {
        Some("deferred")
    } else if lower.starts_with("uncorrected") || lower.contains("|ue|") {
        Some("uncorrected")
    } else if lower.starts_with("fatal") || lower.starts_with("system fatal") {
        Some("fatal")
    } else {
        None
    }
}

/// `3: Machine Check Exception: 5 Bank 4: be00000000800400`: bit 61 of the status is an uncorrected error, bit 57 one that
/// leaves the processor in an unknown state (Intel SDM 3B, IA32_MCi_STATUS).
fn bank(rest: &str) -> KernelReportRow {
    let cpu = number(rest);
    let (bank, status) = match rest.split_once("Bank ") {
        Some((_, bank)) => (number(bank), bank.split_once(": ").map(|(_, status)| status.trim())),
        None => (None, None),
    };
    let status = status
        .and_then(|status| u64::from_str_radix(status.split(' ').next()?.trim_start_matches("0x"), 16).ok());
    let is_exception = rest.contains("Machine Check Exception");
    let detail = match status {
        Some(status) if status >> 57 & 1 == 1 => Some("fatal"),
        Some(status) if status >> 61 & 1 == 1 => Some("uncorrected"),
        Some(_) => Some("corrected"),
        // Only what could not be corrected is an exception.
        None => is_exception.then_some("uncorrected"),
    };
    let device =
        cpu.map(|cpu| format!("CPU {cpu}{}", bank.map_or(String::new(), |bank| format!(" bank {bank}"))));
    KernelReportRow { cpu, ..error(detail, device, Some(1)) }
}

/// `Memory failure: 0x1a2b: recovery action for dirty LRU page: Recovered`, `MCE 0x1a2b: Killing qemu:77 due to hardware
/// memory corruption`.
fn given_up(text: &str) -> Option<HardwareLine> {
    let rest = text.strip_prefix("Memory failure: ").or_else(|| text.strip_prefix("MCE 0x"))?;
    let mut report = error(Some("uncorrected"), None, None);
    if let Some((_, who)) = rest.split_once("Killing ").or_else(|| rest.split_once("Sending SIGBUS to ")) {
        let who = who.split(" due to").next().unwrap_or(who);
        if let Some((name, pid)) = who.rsplit_once(':') {
            report.name = Some(Text::from(name));
            report.pid = pid.trim().parse().ok();
        }
    } else if !["recovery action", " page recovery", "already hardware poisoned"]
        .iter()
        .any(|words| rest.contains(words))
    {
        return None;
    }
    Some(HardwareLine { report, begins: false })
}

/// `pcieport 0000:00:1c.5: AER: Corrected error received: 0000:00:1c.5`, `…: PCIe Bus Error: severity=Corrected, type=…`.
fn bus(text: &str) -> Option<HardwareLine> {
    if !has_key(text) {
        return None;
    }
    let (device, rest) = match text.split_once(": AER: ") {
        Some(split) => split,
        None => text.split_once(": PCIe Bus Error: ")?,
    };
    let address =
        device.rsplit(' ').next().filter(|address| address.contains(':') && address.contains('.'))?;
    let said =
        rest.strip_prefix("PCIe Bus Error: ").unwrap_or(rest).strip_prefix("Multiple ").unwrap_or(rest);
    let detail = if said.starts_with("Corrected error")
        || said.contains("severity=Corrected")
        || said.starts_with("Correctable error")
    {
        "corrected"
    } else if said.starts_with("Uncorrected (Fatal)")
        || said.starts_with("Uncorrectable (Fatal)")
        || said.contains("severity=Uncorrected (Fatal)")
        || said.contains("severity=Uncorrectable (Fatal)")
    {
        "fatal"
    } else if said.starts_with("Uncorrect") || said.contains("severity=Uncorrect") {
        "uncorrected"
    } else {
        return None;
    };
    let begins = !said.contains("severity=");
    let device =
        format!("PCI device {}", said.rsplit_once("received: ").map_or(address, |(_, place)| place.trim()));
    Some(HardwareLine { report: error(Some(detail), Some(device), begins.then_some(1)), begins })
}
