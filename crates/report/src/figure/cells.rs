//! Frames in cells of a terminal: blocks, and letters where a chart has several series on top of each other, so that a
//! copied screen and one without colours say the same.

use heldup_model::{Colour, Frame, FrameKind, FrameSeries, Role, Scale};
use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr;

use super::{sentence, series_name, tick, ticks, title, unit, value};
use crate::harmless::ascii;

/// How cells are written.
#[derive(Clone, Debug)]
pub struct CellLook<'z> {
    /// Columns.
    pub width: usize,
    /// With colours.
    pub color: bool,
    /// ASCII only.
    pub ascii: bool,
    /// Zone of the times.
    pub zone: &'z TimeZone,
}

/// Columns left of the values.
const LEFT: usize = 12;
/// Columns right of them, for names.
const RIGHT: usize = 24;
/// Rows of a chart with one series.
const ROWS: usize = 8;
/// Rows of a stack that hangs.
const STACK_ROWS: usize = 14;
/// Rows of a heat map at most.
const HEAT_ROWS: usize = 12;
/// Strips of a chart with several lines.
const MOST_STRIPS: usize = 6;
/// Eighths of a cell.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Shades of a heat map.
const SHADES: [char; 4] = ['░', '▒', '▓', '█'];

/// How one cell is inked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Plain,
    Bold,
    Dim,
    /// Letters of a colour.
    On(u8),
    /// Black letters on a colour.
    Under(u8),
}

/// One frame, with a line left free behind it.
pub fn cells(frame: &Frame, look: &CellLook<'_>) -> String {
    let mut page = Cells { look, out: String::new() };
    page.head(frame);
    match frame.kind {
        FrameKind::Bars => page.bars(frame),
        FrameKind::Stack => page.stack(frame),
        FrameKind::Lines => page.lines(frame),
        FrameKind::Heat => page.heat(frame),
    }
    page.out.push('\n');
    page.out
}

/// What the signs mean, once below all.
pub fn legend(look: &CellLook<'_>) -> String {
    let mut page = Cells { look, out: String::new() };
    page.line(&[(Ink::Dim, "█ mean  · greatest of the step  / not measured".to_owned())]);
    page.out
}

struct Cells<'l, 'z> {
    look: &'l CellLook<'z>,
    out: String,
}

/// A series in one column.
#[derive(Clone, Copy, Default)]
struct Column {
    mean: Option<f64>,
    greatest: Option<f64>,
}

impl Cells<'_, '_> {
    fn line(&mut self, spans: &[(Ink, String)]) {
        let mut line = String::new();
        for (ink, text) in spans {
            let text = if self.look.ascii {
                ascii(&text.replace('·', "'").replace('┄', "-").replace('━', "="))
            } else {
                text.clone()
            };
            match (self.look.color, code(*ink)) {
                (true, Some(code)) if !text.is_empty() => line += &format!("\u{1b}[{code}m{text}\u{1b}[0m"),
                _ => line += &text,
            }
        }
        self.out += line.trim_end();
        self.out.push('\n');
    }

    fn head(&mut self, frame: &Frame) {
        let (title, unit, said) = (title(frame), unit(frame), sentence::sentence(frame, self.look.zone));
        let used = title.width() + unit.width() + 1;
        let room = self.look.width.saturating_sub(used + said.width() + 2);
        let mut spans = vec![(Ink::Bold, title), (Ink::Dim, format!(" {unit}"))];
        if room > 0 {
            spans.push((Ink::Dim, format!("{}{said}", " ".repeat(room + 2))));
            self.line(&spans);
        } else {
            self.line(&spans);
            for line in textwrap::wrap(&said, self.look.width.saturating_sub(2).max(20)) {
                self.line(&[(Ink::Dim, line.into_owned())]);
            }
        }
    }

    fn width(&self, with_names: bool) -> usize {
        self.look.width.saturating_sub(LEFT + if with_names { RIGHT } else { 0 }).max(20)
    }

    fn left(text: &str) -> (Ink, String) {
        (Ink::Dim, format!("{text:>width$} ", width = LEFT - 1))
    }

    fn times(&mut self, frame: &Frame, width: usize) {
        let mut line: Vec<char> = vec![' '; (width + 12).min(self.look.width.saturating_sub(LEFT))];
        for (ms, text) in ticks::times(frame, self.look.zone, (width / 15).max(1)) {
            let share = (ms - frame.since_ms) as f64 / (frame.until_ms - frame.since_ms).max(1) as f64;
            let at = (share * width as f64) as usize;
            if at + text.len() > line.len() {
                continue;
            }
            for (offset, c) in text.chars().enumerate() {
                if let Some(cell) = line.get_mut(at + offset) {
                    *cell = c;
                }
            }
        }
        let text: String = line.into_iter().collect();
        self.line(&[Self::left(""), (Ink::Dim, text)]);
    }

    /// A strip of blocks for each of the largest series, on one scale.
    fn lines(&mut self, frame: &Frame) {
        let width = self.width(frame.series.len() > 1);
        let (least, greatest) = ticks::range(frame, None);
        let shown = frame.series.len().min(MOST_STRIPS);
        let rows = match shown {
            1 => ROWS,
            2 => ROWS / 2,
            _ => 3,
        };
        let share = |value: f64| match frame.scale {
            Scale::Linear => value / greatest,
            Scale::Log if value <= least => 0.0,
            Scale::Log => (value / least).ln() / (greatest / least).ln(),
        };
        for series in frame.series.iter().take(shown) {
            let columns = columns(frame, series, width);
            let ink = Ink::On(color(series.colour));
            for row in (0..rows).rev() {
                let label = match row {
                    _ if row + 1 == rows => tick(frame, greatest),
                    0 if rows > 3 => tick(frame, if frame.scale == Scale::Log { least } else { 0.0 }),
                    _ => String::new(),
                };
                let cell = |column: &Column| {
                    let Some(mean) = column.mean else { return if row == 0 { '/' } else { ' ' } };
                    let eighths = (share(mean).clamp(0.0, 1.0) * (rows * 8) as f64).round() as usize;
                    // What was measured is seen, however little it was.
                    let eighths = if mean > 0.0 { eighths.max(1) } else { eighths };
                    let greatest = share(column.greatest.unwrap_or(mean)).clamp(0.0, 1.0) * rows as f64;
                    match eighths.saturating_sub(row * 8).min(8) {
                        0 if greatest.ceil() as usize == row + 1
                            && greatest > share(mean) * rows as f64 + 0.5 =>
                        {
                            '·'
                        }
                        full => BLOCKS[full],
                    }
                };
                let text: String = columns.iter().map(cell).collect();
                let mut spans = vec![Self::left(&label), (ink, text)];
                if row + 1 == rows && frame.series.len() > 1 {
                    spans.push((Ink::Plain, format!("  {}", series_name(series))));
                }
                self.line(&spans);
            }
        }
        if frame.series.len() > shown {
            let more = frame.series.len() - shown;
            self.line(&[Self::left(""), (Ink::Dim, format!("{more} more: --json, or -o for a picture"))]);
        }
        self.times(frame, width);
    }

    /// Letters on top of each other, those that wait below the line.
    fn stack(&mut self, frame: &Frame) {
        let width = self.width(true);
        let all: Vec<Vec<Column>> = frame.series.iter().map(|series| columns(frame, series, width)).collect();
        let sum = |below: bool, at: usize| -> f64 {
            let of_side = frame.series.iter().zip(&all).filter(|(series, _)| series.below == below);
            of_side.filter_map(|(_, columns)| columns[at].mean).sum()
        };
        let highest = |below: bool| (0..width).map(|at| sum(below, at)).fold(0.0, f64::max);
        let (above, below) = (highest(false), highest(true));
        let rows = if below > 0.0 && above > 0.0 { STACK_ROWS } else { ROWS };
        let per_row = (above + below).max(f64::MIN_POSITIVE) / rows as f64;
        let (over, under) = ((above / per_row).ceil() as usize, (below / per_row).ceil() as usize);
        let mut names = self.names(frame, &all);
        names.reverse();
        for row in (0..over).rev() {
            let label = match row {
                _ if row + 1 == over && over > 1 => tick(frame, above),
                0 if below > 0.0 => "running".to_owned(),
                _ => String::new(),
            };
            self.stack_row(frame, &all, false, (row, per_row), &label, names.pop());
        }
        if above > 0.0 && below > 0.0 {
            let mut spans = vec![Self::left(""), (Ink::Plain, "━".repeat(width))];
            spans.extend(names.pop().into_iter().flatten());
            self.line(&spans);
        }
        for row in 0..under {
            let label = match row {
                _ if row + 1 == under && under > 1 => tick(frame, below),
                0 => "waiting".to_owned(),
                _ => String::new(),
            };
            self.stack_row(frame, &all, true, (row, per_row), &label, names.pop());
        }
        while let Some(name) = names.pop() {
            let mut spans = vec![Self::left(""), (Ink::Plain, " ".repeat(width))];
            spans.extend(name);
            self.line(&spans);
        }
        self.times(frame, width);
    }

    /// A letter and a name for each series that is seen, the largest first.
    fn names(&self, frame: &Frame, all: &[Vec<Column>]) -> Vec<Vec<(Ink, String)>> {
        let is_seen =
            |columns: &Vec<Column>| columns.iter().any(|column| column.mean.is_some_and(|mean| mean > 0.0));
        let named = frame.series.iter().zip(all).filter(|(_, columns)| is_seen(columns));
        named
            .map(|(series, _)| {
                let name: String = series_name(series).chars().take(RIGHT - 5).collect();
                vec![
                    (Ink::Plain, "  ".to_owned()),
                    (Ink::Under(color(series.colour)), series.letter.to_string()),
                    (Ink::Plain, format!(" {name}")),
                ]
            })
            .collect()
    }

    fn stack_row(
        &mut self,
        frame: &Frame,
        all: &[Vec<Column>],
        below: bool,
        (row, per_row): (usize, f64),
        label: &str,
        name: Option<Vec<(Ink, String)>>,
    ) {
        let middle = (row as f64 + 0.5) * per_row;
        let width = all.first().map_or(0, Vec::len);
        let mut spans = vec![Self::left(label)];
        for at in 0..width {
            let mut so_far = 0.0;
            let of_side = frame.series.iter().zip(all).filter(|(series, _)| series.below == below);
            let found = of_side.map(|(series, columns)| (series, columns[at].mean)).find(|(_, mean)| {
                so_far += mean.unwrap_or(0.0);
                so_far > middle
            });
            let is_measured = all.iter().any(|columns| columns[at].mean.is_some());
            let cell = match found {
                Some((series, _)) => (Ink::Under(color(series.colour)), series.letter),
                None if !is_measured && row == 0 => (Ink::Dim, '/'),
                None => (Ink::Plain, ' '),
            };
            match spans.last_mut() {
                Some((ink, text)) if *ink == cell.0 && at > 0 => text.push(cell.1),
                _ => spans.push((cell.0, cell.1.to_string())),
            }
        }
        spans.extend(name.into_iter().flatten());
        self.line(&spans);
    }

    /// Rows of shades; of many rows several are one.
    fn heat(&mut self, frame: &Frame) {
        let width = self.width(false);
        let all: Vec<Vec<Column>> = frame.series.iter().map(|series| columns(frame, series, width)).collect();
        let is_bounded = frame.series.iter().all(|series| series.bounds.is_some());
        let together = frame.series.len().div_ceil(HEAT_ROWS).max(1);
        let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
        for (series, columns) in frame.series.chunks(together).zip(all.chunks(together)) {
            let of_column = |at: usize| {
                let known = columns.iter().filter_map(|columns| columns[at].mean);
                let sum = known.clone().reduce(|a, b| a + b)?;
                // Counts add up; of shares the mean is shown.
                Some(if is_bounded { sum } else { sum / known.count() as f64 })
            };
            let label = match series.first().and_then(|series| series.bounds) {
                Some((low, _)) => crate::quantity::seconds(low),
                None => series.first().map(series_name).unwrap_or_default(),
            };
            rows.push((label, (0..width).map(of_column).collect()));
        }
        let greatest = rows.iter().flat_map(|(_, row)| row.iter().flatten()).copied().fold(0.0, f64::max);
        if is_bounded {
            rows.reverse();
        }
        let ink = Ink::On(frame.series.first().map_or(7, |series| color(series.colour)));
        for (label, row) in rows {
            let cell = |value: &Option<f64>| match value {
                None => '/',
                Some(value) if *value <= 0.0 || greatest <= 0.0 => ' ',
                Some(value) => {
                    let share = match is_bounded {
                        true => (1.0 + value).ln() / (1.0 + greatest).ln(),
                        false => *value,
                    };
                    SHADES[((share * 4.0) as usize).min(3)]
                }
            };
            let text: String = row.iter().map(cell).collect();
            let text = if self.look.ascii {
                text.replace('░', ".").replace('▒', ":").replace('▓', "*")
            } else {
                text
            };
            self.line(&[Self::left(&label), (ink, text)]);
        }
        self.times(frame, width);
    }

    fn bars(&mut self, frame: &Frame) {
        let size = |series: &FrameSeries| series.summary.total.or(series.summary.mean).unwrap_or(0.0);
        let greatest = frame.series.iter().map(size).fold(0.0, f64::max);
        let longest = self.look.width.saturating_sub(32 + 2 + 12).max(10);
        for series in &frame.series {
            let share = if greatest > 0.0 { size(series) / greatest } else { 0.0 };
            let eighths = (share * (longest * 8) as f64).round() as usize;
            const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
            let bar = format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8]);
            self.line(&[
                (Ink::Plain, format!("{:>32} ", series_name(series))),
                (Ink::On(color(series.colour)), bar),
                (Ink::Dim, format!(" {}", value(frame, size(series)))),
            ]);
        }
    }
}

/// A series in so many columns: what its steps say of each column's time.
fn columns(frame: &Frame, series: &FrameSeries, width: usize) -> Vec<Column> {
    let length = (frame.until_ms - frame.since_ms).max(1) as f64;
    let mut sums = vec![(0.0, 0.0); width];
    let mut greatest: Vec<Option<f64>> = vec![None; width];
    for (at, step) in frame.steps.iter().enumerate() {
        let Some(mean) = series.mean.get(at).copied().flatten() else { continue };
        let place = |ms: i64| (ms - frame.since_ms) as f64 / length * width as f64;
        let (from, to) = (place(step.since_ms).max(0.0), place(step.until_ms).min(width as f64));
        // A step of one instant is in one column.
        let to = to.max(from + 1e-6);
        let first = (from.floor() as usize).min(width.saturating_sub(1));
        let here = series.greatest.get(at).copied().flatten();
        let until = (to.ceil() as usize).min(width);
        for (column, ((sum, weight), greatest)) in
            sums.iter_mut().zip(&mut greatest).enumerate().take(until).skip(first)
        {
            let inside = to.min(column as f64 + 1.0) - from.max(column as f64);
            if inside > 0.0 {
                *sum += mean * inside;
                *weight += inside;
                *greatest = (*greatest).into_iter().chain(here).reduce(f64::max);
            }
        }
    }
    let column = |((sum, weight), greatest): ((f64, f64), Option<f64>)| Column {
        mean: (weight > 0.0).then(|| sum / weight),
        greatest,
    };
    sums.into_iter().zip(greatest).map(column).collect()
}

/// One of the terminal's own sixteen colours.
const fn color(colour: Colour) -> u8 {
    match (colour.role, colour.step) {
        (Role::Cpu, 0) => 4,
        (Role::Cpu, _) => 12,
        (Role::Queue, 0) => 6,
        (Role::Queue, _) => 14,
        (Role::Disk, _) => 3,
        (Role::Memory, 0) => 5,
        (Role::Memory, _) => 13,
        (Role::Lock, _) => 11,
        (Role::Remote, 0) => 2,
        (Role::Remote, _) => 10,
        (Role::Idle, _) => 8,
        (Role::Unknown, _) => 7,
    }
}

/// Select Graphic Rendition code (ECMA-48 8.3.117).
fn code(ink: Ink) -> Option<String> {
    let number = |base: u8, color: u8| if color < 8 { base + color } else { base + 60 + color - 8 };
    match ink {
        Ink::Plain => None,
        Ink::Bold => Some("1".to_owned()),
        Ink::Dim => Some("2".to_owned()),
        Ink::On(color) => Some(number(30, color).to_string()),
        Ink::Under(color) => Some(format!("30;{}", number(40, color))),
    }
}
