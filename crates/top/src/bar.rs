//! A bar that is spelt, a letter a class, so that a copied screen and one without colours say the same.

use heldup_model::{Class, Group};
use ratatui::text::Span;

use crate::paint::Look;

/// How seconds become cells: what waits left of a line, what runs right of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Cells left of the line.
    pub left: usize,
    /// Cells right of it.
    pub right: usize,
    /// Seconds of a cell.
    cell_s: f64,
}

impl Scale {
    /// For rows whose greatest waiting and running are these, in so many cells and one for the line.
    pub fn of(waiting_s: f64, running_s: f64, cells: usize) -> Scale {
        let room = cells.saturating_sub(1);
        let all_s = waiting_s + running_s;
        if all_s <= 0.0 || room == 0 {
            return Scale { left: 0, right: room, cell_s: 1.0 };
        }
        let share = waiting_s / all_s;
        let left = ((share * room as f64).round() as usize).min(room);
        // What is there has a cell.
        let left = if waiting_s > 0.0 && running_s > 0.0 { left.clamp(1, room.max(2) - 1) } else { left };
        Scale { left, right: room - left, cell_s: all_s / room as f64 }
    }
}

/// Seconds of the classes that a bar shows: waiting, and running.
pub fn sums(times: &[(Class, f64)]) -> (f64, f64) {
    let of = |group: Group| {
        let mine = times.iter().filter(move |(class, _)| class.group() == group);
        // The sum of nothing is -0.
        mine.map(|(_, seconds)| seconds).sum::<f64>() + 0.0
    };
    (of(Group::Waiting), of(Group::Running))
}

/// Cells for each class of a group; the sum is right to half a cell, and the largest come first.
pub fn cells(times: &[(Class, f64)], group: Group, cell_s: f64) -> Vec<(Class, usize)> {
    let mut mine: Vec<(Class, f64)> =
        times.iter().filter(|(class, _)| class.group() == group).copied().collect();
    mine.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = mine.iter().map(|(_, seconds)| seconds).sum();
    let mut room = (total / cell_s).round() as usize;
    let mut out = Vec::new();
    for (class, seconds) in mine {
        let own = ((seconds / cell_s).round() as usize).min(room);
        if own > 0 {
            out.push((class, own));
            room -= own;
        }
    }
    // Many that are small have a cell together: the largest of them stands for it.
    if let (Some(first), true) = (out.first_mut(), room > 0) {
        first.1 += room;
    }
    out
}

/// The bar of one row: what waits longest lies at the line.
pub fn row(times: &[(Class, f64)], scale: Scale, look: Look) -> Vec<Span<'static>> {
    let waiting = cells(times, Group::Waiting, scale.cell_s);
    let running = cells(times, Group::Running, scale.cell_s);
    let used: usize = waiting.iter().map(|(_, cells)| cells).sum::<usize>().min(scale.left);
    let mut spans = vec![Span::raw(" ".repeat(scale.left - used))];
    spans.extend(letters(waiting.into_iter().rev(), scale.left, look));
    spans.push(line(look));
    let mut used = 0;
    for span in letters(running.into_iter(), scale.right, look) {
        used += span.content.chars().count();
        spans.push(span);
    }
    spans.push(Span::raw(" ".repeat(scale.right.saturating_sub(used))));
    spans
}

/// What runs left of the line, what waits right of it, filling the width.
pub fn whole(times: &[(Class, f64)], width: usize, look: Look) -> Vec<Span<'static>> {
    let (waiting_s, running_s) = sums(times);
    let scale = Scale::of(running_s, waiting_s, width);
    let running = cells(times, Group::Running, scale.cell_s);
    let waiting = cells(times, Group::Waiting, scale.cell_s);
    let mut spans = letters(running.into_iter().rev(), scale.left, look);
    spans.push(line(look));
    spans.extend(letters(waiting.into_iter(), scale.right, look));
    spans
}

/// One class alone.
pub fn one(class: Class, cells: usize, look: Look) -> Span<'static> {
    Span::styled(class.letter().to_string().repeat(cells), look.on_class(class))
}

fn line(look: Look) -> Span<'static> {
    Span::styled(if look.ascii { "|" } else { "│" }, look.dim())
}

fn letters(cells: impl Iterator<Item = (Class, usize)>, most: usize, look: Look) -> Vec<Span<'static>> {
    let mut room = most;
    let mut spans = Vec::new();
    for (class, wanted) in cells {
        let own = wanted.min(room);
        room -= own;
        if own > 0 {
            spans.push(one(class, own, look));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look { color: false, ascii: true, sudo: false };

    fn text(spans: &[Span<'_>]) -> String {
        spans.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn rows_share_a_line_and_a_scale() {
        let one = [(Class::DiskSync, 90.0), (Class::CpuQueue, 5.0), (Class::Kernel, 5.0)];
        let other = [(Class::User, 10.0)];
        let scale = Scale::of(95.0, 10.0, 15);
        let (first, second) = (text(&row(&one, scale, LOOK)), text(&row(&other, scale, LOOK)));
        assert_eq!(first.len(), 15);
        assert_eq!(second.len(), 15);
        assert_eq!(first.find('|'), second.find('|'), "{first:?} {second:?}");
        assert!(first.starts_with('q') && first.contains("s|"), "{first:?}");
        assert!(second.trim_start().starts_with("|u"), "{second:?}");
    }

    #[test]
    fn a_whole_bar_fills_its_width() {
        let times = [(Class::User, 23.0), (Class::DiskSync, 60.0), (Class::CpuQueue, 17.0)];
        let bar = text(&whole(&times, 32, LOOK));
        assert_eq!(bar.len(), 32);
        let (running, waiting) = bar.split_once('|').expect("a line");
        assert!(running.chars().all(|c| c == 'u') && waiting.starts_with("ss"), "{bar}");
    }

    #[test]
    fn nothing_makes_an_empty_bar() {
        assert_eq!(text(&row(&[], Scale::of(0.0, 0.0, 5), LOOK)), "|    ");
    }
}
