//! Recordings of any size in the layout of real output, with times that go on: for what is measured of speed
//! and memory. Nobody's figures.

use std::fmt::Write as _;
use std::io::Read;

const BANNER: &str = "Linux 5.4.0 (host) \t01/31/2024 \t_x86_64_\t(8 CPU)\n\n";

/// Appends the lines of one sample.
type Sample = Box<dyn FnMut(&mut String, usize)>;

/// A recording that goes on as long as one likes.
pub struct Recording {
    /// The tool and its options.
    pub name: &'static str,
    text: String,
    sample: Sample,
    /// Bytes that are wanted, were made, and of `text` were read.
    wanted: usize,
    made: usize,
    taken: usize,
    samples: usize,
}

/// One of each kind, of at least so many bytes.
pub fn all(bytes: usize) -> Vec<Recording> {
    let recording = |name, head: &str, sample| Recording::of(name, head, bytes, sample);
    vec![
        recording("sar -u", &format!("{BANNER}{SAR_CPU}"), Box::new(sar)),
        recording("sar -A", BANNER, sar_sections(bytes)),
        recording("vmstat -t", VMSTAT, Box::new(vmstat)),
        recording("iostat -xt", BANNER, Box::new(iostat)),
        recording("pidstat -h", &format!("{BANNER}{PIDSTAT}"), Box::new(pidstat)),
        recording("perf script", "", Box::new(perf_script)),
        recording("kernel log", "", Box::new(kernel_log)),
        recording("journal JSON", "", Box::new(journal_json)),
    ]
}

impl Recording {
    fn of(name: &'static str, head: &str, wanted: usize, sample: Sample) -> Recording {
        let (text, made) = (head.to_owned(), head.len());
        Recording { name, text, sample, wanted, made, taken: 0, samples: 0 }
    }

    /// All of it.
    pub fn into_text(mut self) -> String {
        let mut text = String::with_capacity(self.wanted + 4096);
        let _ = self.read_to_string(&mut text);
        text
    }
}

impl Read for Recording {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.taken == self.text.len() {
            self.text.clear();
            self.taken = 0;
            while self.text.len() < 1 << 16 && self.made < self.wanted {
                let before = self.text.len();
                (self.sample)(&mut self.text, self.samples);
                self.samples += 1;
                self.made += self.text.len() - before;
            }
        }
        let rest = &self.text.as_bytes()[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// A time of day that goes on by a second, and over midnight.
fn time(at: usize) -> String {
    let second = at % 86_400;
    format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

const SAR_CPU: &str = "00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n";

fn sar(text: &mut String, at: usize) {
    for cpu in 0..8 {
        let user = (at * 7 + cpu) % 90;
        let _ = writeln!(
            text,
            "{}          {cpu}     {user:2}.17      0.00      {:2}.03      1.25      0.00     {:2}.55",
            time(at + 1),
            at % 10,
            90 - user
        );
    }
}

/// Headings of the sections that go into few tables, several of them into the same rows.
const SECTIONS: [&str; 5] = [
    "pswpin/s pswpout/s",
    "pgpgin/s pgpgout/s   fault/s  majflt/s  pgfree/s pgscank/s pgscand/s pgsteal/s    %vmeff",
    "kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty",
    "kbswpfree kbswpused  %swpused  kbswpcad   %swpcad",
    "proc/s   cswch/s",
];

/// All times of one section, then all of the next, as `sar -A` prints them.
fn sar_sections(bytes: usize) -> Sample {
    let of_all: usize = SECTIONS.iter().map(|headings| row(0, headings).len()).sum();
    let times = bytes / of_all + 1;
    Box::new(move |text, at| {
        let headings = SECTIONS[(at / times).min(SECTIONS.len() - 1)];
        let at_time = at % times;
        if at_time == 0 {
            let _ = writeln!(text, "\n{}    {headings}", time(0));
        }
        text.push_str(&row(at_time + 1, headings));
    })
}

fn row(at: usize, headings: &str) -> String {
    let mut row = time(at);
    for number in 0..headings.split_whitespace().count() {
        let _ = write!(row, " {:9}.{:02}", 1000 * number + at % 977, at % 100);
    }
    row + "\n"
}

const VMSTAT: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n \
                      r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n";

fn vmstat(text: &mut String, at: usize) {
    let (day, cache) = (1 + at / 86_400 % 28, 500_000 + at % 9999);
    let _ = writeln!(
        text,
        " 1  0      0 {cache} 103296 1224780    0    0     4    61  {:3} 1234  3  1 96  0  0 2024-01-{day:02} {}",
        at % 999,
        time(at)
    );
}

const IOSTAT: &str = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await \
                      wareq-sz  aqu-sz  %util\n";

fn iostat(text: &mut String, at: usize) {
    let _ = write!(text, "01/{:02}/2024 {}\n{IOSTAT}", 1 + at / 86_400 % 28, time(at));
    for disk in ["sda", "sdb", "nvme0n1", "dm-0"] {
        let _ = writeln!(
            text,
            "{disk:12} {:7}.00    144.00     0.00   0.00    1.25     4.00   12.00    512.00     3.00  20.00    2.50    \
             42.67    0.12   4.80",
            at % 5000
        );
    }
    text.push('\n');
}

const PIDSTAT: &str = "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   \
                       %MEM  Command\n";

fn pidstat(text: &mut String, at: usize) {
    for process in 0..20 {
        let _ = writeln!(
            text,
            "{}        0     {:5}    {:2}.00    1.00    0.00    0.50   13.00     3      4.00      0.00  286300  254488   \
             1.03  worker",
            time(at),
            1000 + process,
            (at + process) % 90
        );
    }
}

/// Samples of a few hundred stacks, as a server of Java has them: functions of the kernel below those of
/// libraries and of what was compiled at run time.
fn perf_script(text: &mut String, at: usize) {
    let (thread, path) = (at * 7 % 16, at * 31 % 97);
    let _ = writeln!(
        text,
        "java 12688/{} [{:03}] {}.{:06}:   10101010 cpu-clock:pppH: ",
        12_700 + thread,
        at % 8,
        6_544_038 + at / 792,
        at % 1_000_000
    );
    for depth in 0..4 + path % 5 {
        let _ = writeln!(
            text,
            "\tffffffff81{:06x} tcp_v4_do_rcv_{depth}+0x{path:x} ([kernel.kallsyms])",
            4096 * depth
        );
    }
    for depth in 0..12 + path % 7 {
        let _ = writeln!(
            text,
            "\t    7f2d3{:07x} Lio/vertx/core/Handler{path};::handle{depth} (/tmp/perf-12688.map)",
            4096 * depth
        );
    }
    text.push_str("\t    7f2d48c1ee9a start_thread (/lib/x86_64-linux-gnu/libpthread-2.15.so)\n\n");
}

/// Messages of drivers, most of which stand once, and now and then a hung task or a report of memory.
fn kernel_log(text: &mut String, at: usize) {
    let mut line = |message: &str| {
        let _ = writeln!(text, "[{:5}.{:06}] {message}", at / 80, at % 80 * 12_500);
    };
    line(&message(at));
    if at % 500 == 499 {
        HUNG.iter().for_each(|message| line(message));
    }
    if at % 2000 == 1999 {
        OUT_OF_MEMORY.iter().for_each(|message| line(message));
    }
}

fn message(at: usize) -> String {
    match at % 5 {
        0 => format!("IPv4: martian source 10.0.{}.{} from 10.0.0.1, on dev eth0", at / 256 % 256, at % 256),
        1 => format!("usb 1-{}: new high-speed USB device number {at} using xhci_hcd", at % 9),
        2 => "EXT4-fs (dm-3): mounted filesystem with ordered data mode. Quota mode: none.".to_owned(),
        3 => format!("eth0: link {at}"),
        _ => format!(
            "audit: type=1400 audit({at}.250:{at}): apparmor=\"DENIED\" operation=\"open\" name=\"/etc/x\""
        ),
    }
}

const HUNG: [&str; 8] = [
    "INFO: task backup:915 blocked for more than 120 seconds.",
    "task:backup          state:D stack:    0 pid:  915 ppid:   900 flags:0x00004000",
    "Call Trace:",
    " __schedule+0x351/0xa20",
    " schedule+0x5d/0xe0",
    " io_schedule+0x42/0x70",
    " folio_wait_bit_common+0x13d/0x350",
    " vfs_read+0x239/0x310",
];

const OUT_OF_MEMORY: [&str; 6] = [
    "cruncher invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
    "Tasks state (memory values in pages):",
    "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
    "[   4711]  1000  4711    30211    25110   258048        0             0 cruncher",
    "[   4699]  1000  4699     1023      310    49152        0             0 sh",
    "Out of memory: Killed process 4711 (cruncher) total-vm:120844kB, anon-rss:99860kB, file-rss:580kB, \
     shmem-rss:0kB, UID:1000 pgtables:252kB oom_score_adj:0",
];

/// The same messages as the journal has them.
fn journal_json(text: &mut String, at: usize) {
    let _ = writeln!(
        text,
        "{{\"__CURSOR\":\"s=739ad463348b;i={at:x};b=8d53b3f2\",\"__REALTIME_TIMESTAMP\":\"{}\",\
         \"__MONOTONIC_TIMESTAMP\":\"{}\",\"_BOOT_ID\":\"8d53b3f2c0f14f0c\",\"_TRANSPORT\":\"kernel\",\
         \"PRIORITY\":\"{}\",\"SYSLOG_FACILITY\":\"0\",\"SYSLOG_IDENTIFIER\":\"kernel\",\"_HOSTNAME\":\"host\",\
         \"MESSAGE\":\"{}\"}}",
        1_706_659_200_000_000 + at * 12_500,
        at * 12_500,
        3 + at % 4,
        message(at).replace('"', "\\\"")
    );
}
