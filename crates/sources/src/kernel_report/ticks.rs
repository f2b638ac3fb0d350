//! How long a tick of a kernel is, as far as its log says: RCU stalls are measured in ticks. Pure.

/// Ticks a second of kernels (CONFIG_HZ).
const RATES: [f64; 4] = [100.0, 250.0, 300.0, 1000.0];
/// Time limits of RCU stalls (CONFIG_RCU_CPU_STALL_TIMEOUT): 21 s, and 60 s of Red Hat, Debian and kernels before 3.9.
const LIMITS_S: [f64; 2] = [21.0, 60.0];

/// The length of a tick.
#[derive(Debug, Default)]
pub struct Ticks {
    /// Ticks a second, where the log says so.
    rate: Option<f64>,
    /// The same, where only a limit of the kernel says so.
    likely: Option<f64>,
    /// The stall before: when, and after how many ticks.
    stall: Option<(i64, i64)>,
}

impl Ticks {
    /// Takes a line, which may say it.
    pub fn take(&mut self, text: &str) {
        if self.rate.is_none() {
            self.rate = told(text);
        }
    }

    /// Seconds of a stall: by what the log says of a tick, by two reports of one stall, or by the only length of a tick at
    /// which the number is one of the kernel's own time limits.
    pub fn seconds(&mut self, ms: Option<i64>, ticks: i64) -> Option<f64> {
        if let (Some((before_ms, before)), Some(ms), None) = (self.stall, ms, self.rate)
            && ticks > before
            && ms > before_ms
        {
            let rate = (ticks - before) as f64 / ((ms - before_ms) as f64 / 1000.0);
            self.rate = known(rate, 0.02);
        }
        self.stall = ms.map(|ms| (ms, ticks));
        if self.likely.is_none() {
            let is_limit = |rate: &f64| {
                let past = |limit: &f64| ticks as f64 / (rate * limit) - 1.0;
                LIMITS_S.iter().any(|limit| (0.0..0.01).contains(&past(limit)))
            };
            let mut rates = RATES.into_iter().filter(is_limit);
            self.likely = rates.next().filter(|_| rates.next().is_none());
        }
        self.rate.or(self.likely).map(|rate| ticks as f64 / rate)
    }
}

/// The clock source `jiffies` may idle for this long, times the ticks a second: it counts to the same number with each.
const IDLE_NS: f64 = 1.911_260_446_275e18;

/// Ticks a second, as lines of the start say: of the clock (`sched_clock: 32 bits at 250 Hz`), by the time after which the
/// ticks overflow (`clocksource: jiffies: … max_idle_ns: 7645041785100000 ns`), or by loops a second and a tick
/// (`… 4800.00 BogoMIPS (lpj=9600000)`, where a BogoMIPS is 500,000 loops a second).
fn told(text: &str) -> Option<f64> {
    let rate = if text.starts_with("Calibrating delay loop") {
        let (before, loops) = text.split_once(" BogoMIPS (lpj=")?;
        let bogomips: f64 = before.rsplit(' ').next()?.parse().ok()?;
        let loops: f64 = loops.split(')').next()?.parse().ok()?;
        bogomips * 500_000.0 / loops
    } else if let Some(rest) = text.strip_prefix("clocksource: jiffies: ") {
        let (_, ns) = rest.split_once("max_idle_ns: ")?;
        IDLE_NS / ns.split(' ').next()?.parse::<f64>().ok()?
    } else {
        text.strip_prefix("sched_clock: 32 bits at ")?.split_once(" Hz")?.0.parse().ok()?
    };
    known(rate, 0.01)
}

fn known(rate: f64, within: f64) -> Option<f64> {
    RATES.into_iter().find(|known| (rate / known - 1.0).abs() < within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_say_how_long_a_tick_is() {
        for (line, rate) in [
            ("sched_clock: 32 bits at 100 Hz, resolution 10000000ns", Some(100.0)),
            (
                "Calibrating delay loop (skipped), value calculated using timer frequency.. 5189.29 BogoMIPS (lpj=10378592)",
                Some(250.0),
            ),
            (
                "clocksource: jiffies: mask: 0xffffffff max_cycles: 0xffffffff, max_idle_ns: 7645041785100000 ns",
                Some(250.0),
            ),
            (
                "clocksource: jiffies: mask: 0xffffffff max_cycles: 0xffffffff, max_idle_ns: 1911260446275000 ns",
                Some(1000.0),
            ),
            (
                "clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x2567ce0ea4a, max_idle_ns: 440795243427 ns",
                None,
            ),
        ] {
            assert_eq!(told(line), rate, "{line}");
        }
    }
}
