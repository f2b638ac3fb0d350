//! Where the time went: the classes of active time, largest first, and who spent it.

use heldup_model::{ClassTotal, CpuState, CpuUse, ErrorNote, Examination, Group, Ledger, Method, TaskShare};
use unicode_width::UnicodeWidthStr;

use crate::layout::{Ink, Page, Span};
use crate::quantity::{fixed, percent, seconds};

use super::tasks::{OTHERS, by_name, list};

/// Classes that get a line of their own.
const MOST_CLASSES: usize = 10;
/// The same for a machine below the ledger of the command that it is about.
const MOST_CLASSES_AROUND: usize = 4;
/// Classes below this share of active time are taken together in one line.
const LEAST_SHARE: f64 = 0.005;
/// A task below this share of its class is not named.
const LEAST_PART: f64 = 0.02;

/// Waiting from which it is said how much of it is explained: share of active time, and task-seconds. Of less
/// nobody asks why; `time.unexplained` begins there too.
const LEAST_WAITING: f64 = 0.05;
const LEAST_WAITING_S: f64 = 0.5;

/// Seconds below this are not told beside the active time.
const LEAST_BESIDE: f64 = 0.005;

/// Widths of the columns.
struct Columns {
    class_name: usize,
    seconds: usize,
    /// Of `± 0.3`; 0 where nothing was sampled.
    error: usize,
    bar: usize,
    who: usize,
    decimals: usize,
}

/// Share of active time.
const SHARE: usize = 7;

/// Writes where the machine's time went; where nobody's is there, why.
pub(crate) fn write(page: &mut Page, examination: &Examination, bars: bool) {
    let ledger = &examination.ledger;
    if ledger.classes.is_empty() {
        let focus = examination.errors.iter().find(|error| error.place == ErrorNote::FOCUS);
        let why = match focus {
            Some(error) => format!("No time to show: {}", error.what),
            None if examination.host.method == Method::Imported => {
                "What tasks waited for is not in the recording".to_owned()
            }
            None => "Where the time went could not be seen here: heldup\u{a0}doctor".to_owned(),
        };
        page.paragraph(&[(Ink::Bold, why)], 2);
        if let Some(cpu_use) = &examination.cpu_use {
            write_cpu_use(page, cpu_use, examination.host.cpus);
        }
        return;
    }
    classes(page, ledger, ("active time", MOST_CLASSES), bars);
}

/// Writes what a recording tells of its CPUs and of who used them.
fn write_cpu_use(page: &mut Page, cpu_use: &CpuUse, cpus: Option<i64>) {
    let shown = |state: &&CpuState| state.share >= LEAST_SHARE;
    let states: Vec<String> = cpu_use
        .states
        .iter()
        .filter(shown)
        .map(|state| format!("{} {}", state.state, percent(state.share)))
        .collect();
    if !states.is_empty() {
        let whose = match cpus {
            None => "its CPUs".to_owned(),
            Some(1) => "its CPU".to_owned(),
            Some(cpus) => format!("its {cpus} CPUs"),
        };
        page.paragraph(&[(Ink::Plain, format!("  {whose}: {}", states.join(", ")))], 4);
    }
    if !cpu_use.processes.is_empty() {
        let who = list(&cpu_use.processes, cpu_use.processes.len());
        page.paragraph(&[(Ink::Plain, format!("  most CPU: {who}"))], 4);
    }
}

/// Writes where the time of a command went.
pub(crate) fn write_command(page: &mut Page, ledger: &Ledger, bars: bool) {
    classes(page, ledger, ("its active time", MOST_CLASSES), bars);
}

/// Writes where the machine's time went while a command ran, in fewer lines.
pub(crate) fn write_around(page: &mut Page, ledger: &Ledger, bars: bool) {
    classes(page, ledger, ("the whole machine's active time", MOST_CLASSES_AROUND), bars);
}

/// The head line, the largest classes of active time, and a line on the rest.
fn classes(page: &mut Page, ledger: &Ledger, (whose, most): (&str, usize), bars: bool) {
    let wanted = ledger.active_seconds;
    if wanted <= 0.0 {
        page.paragraph(&[(Ink::Bold, "No task wanted to run.".to_owned())], 2);
        beside(page, ledger);
        return;
    }
    let held = percent(ledger.waiting_seconds / wanted);
    let head = format!("What {} of {whose} went into ({held} held up)", seconds(wanted));
    page.paragraph(&[(Ink::Bold, head), (Ink::Plain, explained(ledger))], 2);

    let mut classes: Vec<&ClassTotal> =
        ledger.classes.iter().filter(|c| is_wanted(c) && c.seconds > 0.0).collect();
    classes.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let shown = classes.iter().take(most).filter(|c| c.seconds >= LEAST_SHARE * wanted).count().max(1);
    let (shown, small) = classes.split_at(shown.min(classes.len()));

    let columns = columns(page, shown, wanted, bars);
    let largest = shown.first().map_or(0.0, |c| c.seconds);
    for class in shown {
        row(page, class, wanted, largest, &columns);
    }
    if !small.is_empty() {
        let names: Vec<&str> = small.iter().map(|c| c.class_name.as_str()).collect();
        let sum: f64 = small.iter().map(|c| c.seconds).sum();
        let (ellipsis, numbers) = cells(page, page.ellipsis(), (sum, None), wanted, &columns);
        let names = page.fit(&names.join(", "), columns.who + columns.bar, false);
        page.row(&[(Ink::Dim, ellipsis + &numbers + &names)]);
    }
    beside(page, ledger);
}

/// ` · explained: 94 % of waiting`, where enough was waited to ask.
fn explained(ledger: &Ledger) -> String {
    let waiting = ledger.waiting_seconds;
    let is_enough = waiting >= LEAST_WAITING_S && waiting >= LEAST_WAITING * ledger.active_seconds;
    match ledger.explained.filter(|_| is_enough) {
        Some(share) => format!(" · explained: {} of waiting", percent(share)),
        None => String::new(),
    }
}

/// Whether the class is part of active time. Interrupts belong to the host, not to a task.
fn is_wanted(class: &ClassTotal) -> bool {
    class.class_name != "irq" && (class.group == Group::Running.name() || class.group == Group::Waiting.name())
}

fn columns(page: &Page, shown: &[&ClassTotal], wanted: f64, bars: bool) -> Columns {
    let class_name = shown.iter().map(|c| c.class_name.width()).max().unwrap_or(0).clamp(9, 16);
    let decimals = match wanted {
        _ if wanted < 1.0 => 3,
        _ if wanted < 10.0 => 2,
        _ => 1,
    };
    let seconds = shown.iter().map(|c| fixed(c.seconds, decimals).width()).max().unwrap_or(0).max(5);
    let error = shown.iter().filter_map(|c| c.error_s).map(|e| error_text(e, decimals).width()).max();
    let error = error.unwrap_or(0);
    let spare = page.width().saturating_sub(80);
    let bar = if bars { 14 + (spare / 4).min(14) } else { 0 };
    // Two spaces before the first column, " s", and two between columns.
    let used = 2 + class_name + 2 + seconds + error + 2 + SHARE + 2 + if bars { bar + 2 } else { 0 };
    Columns { class_name, seconds, error, bar, who: page.width().saturating_sub(used), decimals }
}

/// ` ± 0.3`: the standard error of seconds that were sampled.
fn error_text(error_s: f64, decimals: usize) -> String {
    format!(" ± {}", fixed(error_s, decimals))
}

/// `  disk_sync    7.9 ± 0.3 s   43 %`, in two parts: the name, and the numbers.
fn cells(
    page: &Page,
    name: &str,
    (spent, error_s): (f64, Option<f64>),
    wanted: f64,
    columns: &Columns,
) -> (String, String) {
    let name = page.fit(name, columns.class_name, false);
    let share = page.fit(&percent(spent / wanted), SHARE, true);
    let spent = page.fit(&fixed(spent, columns.decimals), columns.seconds, true);
    let error = error_s.map(|error_s| error_text(error_s, columns.decimals)).unwrap_or_default();
    let error = page.fit(&error, columns.error, false);
    (format!("  {name}"), format!("  {spent}{error} s{share}  "))
}

fn row(page: &mut Page, class: &ClassTotal, wanted: f64, largest: f64, columns: &Columns) {
    let (name, numbers) = cells(page, &class.class_name, (class.seconds, class.error_s), wanted, columns);
    let waiting = class.group == Group::Waiting.name();
    let mut spans: Vec<Span> =
        vec![(if waiting { Ink::Bold } else { Ink::Plain }, name), (Ink::Plain, numbers)];
    if columns.bar > 0 {
        let bar = page.fit(&bar(class.seconds / largest, columns.bar), columns.bar, false);
        spans.push((if waiting { Ink::Yellow } else { Ink::Green }, bar + "  "));
    }
    spans.push((Ink::Plain, who(page, class, columns)));
    page.row(&spans);
}

/// A bar of up to `width` columns, in eighths.
fn bar(share: f64, width: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (width * 8) as f64).round() as usize;
    let parts = PARTS.get(eighths % 8).copied().unwrap_or("");
    let text = "█".repeat(eighths / 8) + parts;
    if text.is_empty() && share > 0.0 { "▏".to_owned() } else { text }
}

/// The programs of a class, largest first, as many as the column holds, and the seconds of all others: what is
/// shown sums to the class. How many tasks they are is said where that costs no other program its place.
fn who(page: &Page, class: &ClassTotal, columns: &Columns) -> String {
    let programs = by_name(&class.tasks);
    let (with_numbers, named) = entries(page, class, &programs, columns, true);
    let (without, more) = entries(page, class, &programs, columns, false);
    if named == more { with_numbers } else { without }
}

/// The text, and how many programs it names.
fn entries(
    page: &Page,
    class: &ClassTotal,
    programs: &[(String, usize, f64)],
    columns: &Columns,
    with_numbers: bool,
) -> (String, usize) {
    let shown = |spent: f64| fixed(spent, columns.decimals);
    let mut named: Vec<String> = Vec::new();
    let mut rest = class.seconds;
    let mut best = (String::new(), 0);
    for (name, number, spent) in programs {
        if name == OTHERS || *spent < LEAST_PART * class.seconds {
            break;
        }
        let tasks = if with_numbers && *number > 1 { format!(" ({number} tasks)") } else { String::new() };
        named.push(page.safe(&format!("{name}{tasks} {}", shown(*spent))));
        rest -= spent;
        // With the others, which take the room of a name.
        let others = (shown(rest.max(0.0)) != shown(0.0)).then(|| format!("others {}", shown(rest)));
        let text = named.iter().cloned().chain(others).collect::<Vec<_>>().join(", ");
        if text.width() <= columns.who {
            best = (text, named.len());
        } else if let ([only], 0) = (named.as_slice(), best.1)
            && only.width() <= columns.who
        {
            // A name without the others says more than neither.
            best = (only.clone(), 1);
        }
    }
    best
}

/// What was not active time: idle, waits for a peer, what could not be told apart.
fn beside(page: &mut Page, ledger: &Ledger) {
    let mut parts: Vec<String> = Vec::new();
    for group in [Group::Idle.name(), Group::Peer.name()] {
        if let Some(text) = group_total(ledger, group) {
            parts.push(text);
        }
    }
    for class in &ledger.classes {
        let alone = class.class_name == "irq" || class.group == Group::Other.name();
        if alone && class.seconds >= LEAST_BESIDE {
            parts.push(format!(
                "{} {}",
                class.class_name.replace("irq", "interrupts"),
                seconds(class.seconds)
            ));
        }
    }
    if !parts.is_empty() {
        page.paragraph(&[(Ink::Dim, format!("  beside it: {}", parts.join(" · ")))], 13);
    }
    kernel_threads(page, ledger);
}

/// Kernel threads: work for somebody else, told apart from everybody's own.
/// `kernel threads ran 0.4 s (ksoftirqd/0, kworker/0:1) · held up 1.2 s (jbd2/vda1-8)`
fn kernel_threads(page: &mut Page, ledger: &Ledger) {
    let mut parts: Vec<String> = Vec::new();
    for (group, did) in [(Group::Running, "ran"), (Group::Waiting, "held up")] {
        let classes = || ledger.kernel_threads.iter().filter(|class| class.group == group.name());
        let sum: f64 = classes().map(|class| class.seconds).sum();
        if sum < LEAST_BESIDE {
            continue;
        }
        let tasks: Vec<TaskShare> = classes().flat_map(|class| class.tasks.iter().cloned()).collect();
        let names: Vec<String> = by_name(&tasks)
            .into_iter()
            .take(2)
            .map(|(name, ..)| name)
            .filter(|name| name != OTHERS)
            .collect();
        parts.push(format!("{did} {} ({})", seconds(sum), names.join(", ")));
    }
    if !parts.is_empty() {
        page.paragraph(&[(Ink::Dim, format!("  kernel threads {}", parts.join(" · ")))], 13);
    }
}

/// `idle 1,204 s (poll 900 s, timer 300 s)`; for peers, who waited.
fn group_total(ledger: &Ledger, group: &str) -> Option<String> {
    let mut classes: Vec<&ClassTotal> = ledger.classes.iter().filter(|c| c.group == group).collect();
    classes.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let sum: f64 = classes.iter().map(|c| c.seconds).sum();
    if sum < LEAST_BESIDE {
        return None;
    }
    let details: Vec<String> = if let [class] = classes[..] {
        by_name(&class.tasks)
            .iter()
            .take(2)
            .map(|(name, ..)| name.clone())
            .filter(|name| name != OTHERS)
            .collect()
    } else {
        classes.iter().take(3).map(|c| format!("{} {}", c.class_name, seconds(c.seconds))).collect()
    };
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    Some(format!("{group} {}{details}", seconds(sum)))
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.28, 4), "█▏");
        assert_eq!(bar(0.0001, 4), "▏");
        assert_eq!(bar(0.0, 4), "");
        assert_eq!(bar(7.0, 2), "██");
    }
}
