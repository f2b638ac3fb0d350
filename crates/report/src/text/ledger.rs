//! Where active time went: its classes, largest first, and who spent it.

use heldup_model::{Class, ClassTotal, CpuUse, ErrorNote, Examination, Group, Ledger, Method, TaskShare};
use unicode_width::UnicodeWidthStr;

use crate::layout::{Ink, Page, Span};
use crate::quantity::{fixed, percent, seconds};

use super::answer::{is_idle, troubles};
use super::tasks::{OTHERS, by_name, list};
use super::{TextOptions, profile, waits};

/// Classes that get a line of their own.
const MOST_CLASSES: usize = 8;
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

/// Seconds below this are not shown beside the active time.
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

/// Columns before the names of a bar.
const BAR: usize = 14;

/// How classes are written.
struct Form {
    /// What the line above them names.
    whose: &'static str,
    /// Classes that are named.
    most: usize,
    /// A line each, with who; else one after the other.
    is_table: bool,
    bars: bool,
    /// ` (99.8 % seen)` where not all of it was.
    seen: String,
    /// How much of the waiting findings account for.
    explained: String,
    /// With what was idle, and kernel threads.
    in_full: bool,
}

/// Writes where the machine's time went; where nobody's is there, why.
pub(crate) fn write(page: &mut Page, examination: &Examination, options: &TextOptions) {
    let ledger = &examination.ledger;
    let vitals = &examination.vitals;
    if let Some(waits) = vitals.waits.as_ref().filter(|_| ledger.classes.is_empty()) {
        waits::write(page, waits);
        page.gap();
    }
    if let Some(profile) = vitals.profile.as_ref().filter(|_| ledger.classes.is_empty()) {
        profile::write(page, profile);
        page.gap();
    }
    if profile::is_all(examination) {
        return;
    }
    if ledger.classes.is_empty() {
        let focus = examination.errors.iter().find(|error| error.place == ErrorNote::FOCUS);
        let why = match focus {
            Some(error) => format!("No time to show: {}", error.what),
            None if examination.host.method == Method::Imported => {
                "No per-task waits in this recording (heldup\u{a0}record has them)".to_owned()
            }
            None => "Active time is not measured here: heldup\u{a0}doctor".to_owned(),
        };
        page.paragraph(&[(Ink::Plain, why)], 2);
        if let Some(cpu_use) = &examination.cpu_use {
            // Where nothing needs attention, the answer names who a listing shows.
            if !cpu_use.is_listed || !troubles(examination).is_empty() {
                write_processes(page, cpu_use);
            }
        }
        return;
    }
    if is_idle(examination) && !options.details {
        return;
    }
    let is_table = options.details || troubles(examination).len() < 2;
    let form = form("Active time", MOST_CLASSES, options);
    let explained = if troubles(examination).is_empty() { String::new() } else { explained(ledger) };
    classes(page, ledger, &Form { is_table, seen: seen(examination), explained, ..form });
}

fn form(whose: &'static str, most: usize, options: &TextOptions) -> Form {
    let (seen, explained) = (String::new(), String::new());
    Form { whose, most, is_table: true, bars: options.bars, seen, explained, in_full: options.details }
}

/// How much of it was seen where that is not all: who reads nothing of the rest takes it for all.
pub(crate) fn seen(examination: &Examination) -> String {
    match examination.host.coverage {
        coverage if coverage >= 0.9995 || examination.host.method == Method::Imported => String::new(),
        coverage => format!(" ({} seen)", percent(coverage)),
    }
}

/// Writes who used most CPU in a recording that has no waits.
fn write_processes(page: &mut Page, cpu_use: &CpuUse) {
    if !cpu_use.processes.is_empty() {
        let who = list(&cpu_use.processes, cpu_use.processes.len());
        page.paragraph(&[(Ink::Plain, format!("most CPU\u{a0}\u{a0}{who}"))], 10);
    }
}

/// Writes where the time of a command went.
pub(crate) fn write_command(page: &mut Page, ledger: &Ledger, options: &TextOptions) {
    classes(page, ledger, &form("Its active time", MOST_CLASSES, options));
}

/// Writes where the machine's time went while a command ran, in fewer lines.
pub(crate) fn write_around(page: &mut Page, ledger: &Ledger, options: &TextOptions) {
    classes(page, ledger, &form("Whole machine", MOST_CLASSES_AROUND, options));
}

/// The head line, the largest classes of active time, and the rest of it.
fn classes(page: &mut Page, ledger: &Ledger, form: &Form) {
    let active = ledger.active_seconds;
    if active <= 0.0 {
        page.paragraph(&[(Ink::Bold, "No task was active.".to_owned())], 2);
        if form.in_full {
            beside(page, ledger);
        }
        return;
    }
    let waiting = percent(ledger.waiting_seconds / active);
    let running = percent(1.0 - ledger.waiting_seconds / active);
    let head = format!("{} {}", form.whose, seconds(active)).replace(' ', "\u{a0}");
    let shares = format!("{}: {running} running, {waiting} waiting", form.seen);
    page.paragraph(&[(Ink::Bold, head), (Ink::Plain, shares), (Ink::Dim, form.explained.clone())], 2);

    let mut classes: Vec<&ClassTotal> =
        ledger.classes.iter().filter(|c| is_active(c) && c.seconds > 0.0).collect();
    classes.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let shown = classes.iter().take(form.most).filter(|c| c.seconds >= LEAST_SHARE * active).count().max(1);
    let (shown, small) = classes.split_at(shown.min(classes.len()));
    let rest: f64 = small.iter().map(|c| c.seconds).sum();
    if form.is_table {
        table(page, shown, rest, active, form.bars);
    } else {
        run_on(page, shown, rest, active);
    }
    if form.in_full {
        beside(page, ledger);
    }
}

/// A line for each class.
fn table(page: &mut Page, shown: &[&ClassTotal], rest: f64, active: f64, bars: bool) {
    let columns = columns(page, shown, active, bars);
    let largest = shown.first().map_or(0.0, |c| c.seconds);
    for class in shown {
        row(page, class, active, largest, &columns);
    }
    if rest > 0.0 {
        let (name, numbers) = cells(page, "other", (rest, None), active, &columns);
        page.row(&[(Ink::Dim, name + &numbers)]);
    }
}

/// `  lock (futex) 37.1  run queue 28.4  other 0.4`
fn run_on(page: &mut Page, shown: &[&ClassTotal], rest: f64, active: f64) {
    let decimals = decimals(active);
    let mut parts: Vec<String> = shown
        .iter()
        .map(|class| format!("{} {}", Class::label_of(&class.class_name), fixed(class.seconds, decimals)))
        .collect();
    if rest > 0.0 {
        parts.push(format!("other {}", fixed(rest, decimals)));
    }
    let parts: Vec<String> = parts.iter().map(|part| part.replace(' ', "\u{a0}")).collect();
    page.paragraph(&[(Ink::Plain, format!("  {}", parts.join("\u{a0} ")))], 2);
}

/// `; 94 % of waiting explained`, where enough was waited to ask.
pub(crate) fn explained(ledger: &Ledger) -> String {
    let waiting = ledger.waiting_seconds;
    let is_enough = waiting >= LEAST_WAITING_S && waiting >= LEAST_WAITING * ledger.active_seconds;
    match ledger.explained.filter(|_| is_enough) {
        Some(share) => format!("; {} of waiting explained", percent(share)),
        None => String::new(),
    }
}

/// Whether the class is part of active time. Interrupts belong to the host, not to a task.
pub(crate) fn is_active(class: &ClassTotal) -> bool {
    class.class_name != "irq"
        && (class.group == Group::Running.name() || class.group == Group::Waiting.name())
}

fn columns(page: &Page, shown: &[&ClassTotal], active: f64, bars: bool) -> Columns {
    let class_name =
        shown.iter().map(|c| Class::label_of(&c.class_name).width()).max().unwrap_or(0).clamp(9, 18);
    let decimals = decimals(active);
    let seconds = shown.iter().map(|c| fixed(c.seconds, decimals).width()).max().unwrap_or(0).max(5);
    let error = shown.iter().filter_map(|c| c.error_s).map(|e| error_text(e, decimals).width()).max();
    let error = error.unwrap_or(0);
    let spare = page.width().saturating_sub(80);
    let bar = if bars { BAR + (spare / 4).min(BAR) } else { 0 };
    // Two spaces before the first column, " s", and two between columns.
    let used = 2 + class_name + 2 + seconds + error + 2 + SHARE + 2 + if bars { bar + 2 } else { 0 };
    Columns { class_name, seconds, error, bar, who: page.width().saturating_sub(used), decimals }
}

/// Digits behind the point: about three digits of active time count.
pub(crate) fn decimals(active: f64) -> usize {
    match active {
        _ if active < 1.0 => 3,
        _ if active < 10.0 => 2,
        _ => 1,
    }
}

/// ` ± 0.3`: the standard error of seconds that were sampled.
pub(crate) fn error_text(error_s: f64, decimals: usize) -> String {
    format!(" ± {}", fixed(error_s, decimals))
}

/// `  sync         7.9 ± 0.3 s   43 %`, in two parts: the name, and the numbers.
fn cells(
    page: &Page,
    name: &str,
    (spent, error_s): (f64, Option<f64>),
    active: f64,
    columns: &Columns,
) -> (String, String) {
    let name = page.fit(name, columns.class_name, false);
    let share = page.fit(&percent(spent / active), SHARE, true);
    let spent = page.fit(&fixed(spent, columns.decimals), columns.seconds, true);
    let error = error_s.map(|error_s| error_text(error_s, columns.decimals)).unwrap_or_default();
    let error = page.fit(&error, columns.error, false);
    (format!("  {name}"), format!("  {spent}{error} s{share}  "))
}

fn row(page: &mut Page, class: &ClassTotal, active: f64, largest: f64, columns: &Columns) {
    let (name, numbers) =
        cells(page, Class::label_of(&class.class_name), (class.seconds, class.error_s), active, columns);
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
        if name == OTHERS || *spent < LEAST_PART * class.seconds || shown(*spent) == shown(0.0) {
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

/// What was not active time: idle, waits for a peer, what has no class; and kernel threads.
fn beside(page: &mut Page, ledger: &Ledger) {
    let mut parts: Vec<String> = Vec::new();
    for (group, name) in [(Group::Idle, "idle (not counted)"), (Group::Peer, "remote peer")] {
        if let Some(total) = group_total(ledger, group) {
            parts.push(format!("{name}: {total}"));
        }
    }
    for class in &ledger.classes {
        let alone = class.class_name == Class::Irq.name() || class.group == Group::Other.name();
        if alone && class.seconds >= LEAST_BESIDE {
            parts.push(format!("{}: {}", Class::label_of(&class.class_name), seconds(class.seconds)));
        }
    }
    parts.extend(kernel_threads(ledger));
    for part in parts {
        page.paragraph(&[(Ink::Dim, format!("  {part}"))], 4);
    }
}

/// Kernel threads: work for somebody else, apart from everybody's own.
/// `kernel threads: 171 ms running (kworker/u8:5), 207 ms waiting (jbd2/vda1-8)`
pub(crate) fn kernel_threads(ledger: &Ledger) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for group in [Group::Running, Group::Waiting] {
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
        parts.push(format!("{} {} ({})", seconds(sum), group.name(), names.join(", ")));
    }
    (!parts.is_empty()).then(|| format!("kernel threads: {}", parts.join(", ")))
}

/// `1,204 s (poll 900 s, timer 300 s)`; for peers, who waited.
pub(crate) fn group_total(ledger: &Ledger, group: Group) -> Option<String> {
    let mut classes: Vec<&ClassTotal> = ledger.classes.iter().filter(|c| c.group == group.name()).collect();
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
        let label = |class: &ClassTotal| Class::label_of(&class.class_name).to_owned();
        classes.iter().take(3).map(|class| format!("{} {}", label(class), seconds(class.seconds))).collect()
    };
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    Some(format!("{}{details}", seconds(sum)))
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
