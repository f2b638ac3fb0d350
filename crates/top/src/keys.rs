//! What keys mean, the same as in the page.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// What is wrong.
    Overview,
    /// Who.
    Who,
    /// CPU, disk, memory, network, groups.
    Area(usize),
    /// Stacks.
    Stacks,
    /// What changed.
    Compare,
    /// Experiments.
    Experiments,
    /// Mark a window, to compare with.
    Mark,
    /// Whether it is recorded.
    Recording,
    /// Keys.
    Keys,
    /// The row below, above; a page.
    Move(isize),
    /// A page of rows.
    Page(isize),
    /// The first row.
    First,
    /// What is chosen.
    Open,
    /// Where one was before.
    Back,
    /// A line that is typed: filter, time, query.
    Filter,
    /// Go to a time.
    GoTo,
    /// Ask SQL.
    Sql,
    /// Sort by the column before, after.
    Sort(isize),
    /// The other way round.
    Reverse,
    /// Children below their parents.
    Tree,
    /// Processes, threads, units, containers, programs.
    Group,
    /// Threads.
    Threads,
    /// Units.
    Units,
    /// Threads of the kernel.
    Kernel,
    /// A chart as a table.
    Table,
    /// The link of what is seen.
    Link,
    /// A sample back, ahead.
    Step(i64),
    /// A minute back, ahead.
    Minute(i64),
    /// The finding before, after.
    Finding(isize),
    /// Stay; go on.
    Freeze,
    /// Now.
    Now,
    /// To the background.
    Suspend,
    /// The end.
    Quit,
}

/// The areas, in the order of their keys.
pub const AREAS: [(char, &str, &[&str]); 5] = [
    ('c', "CPU", &["cpu"]),
    ('d', "Disk", &["disk", "fs"]),
    ('m', "Memory", &["memory"]),
    ('n', "Network", &["net"]),
    ('g', "Groups", &["groups"]),
];

/// What a key means where no line is typed.
pub fn action(key: KeyEvent) -> Option<Action> {
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Action::Quit),
            KeyCode::Char('z') => Some(Action::Suspend),
            KeyCode::Char('f') => Some(Action::Page(1)),
            KeyCode::Char('b') => Some(Action::Page(-1)),
            _ => None,
        };
    }
    Some(match key.code {
        KeyCode::Left if shift => Action::Minute(-1),
        KeyCode::Right if shift => Action::Minute(1),
        KeyCode::Left | KeyCode::Char('T') => Action::Step(-1),
        KeyCode::Right | KeyCode::Char('t') => Action::Step(1),
        KeyCode::Down | KeyCode::Char('j') => Action::Move(1),
        KeyCode::Up | KeyCode::Char('k') => Action::Move(-1),
        KeyCode::PageDown => Action::Page(1),
        KeyCode::PageUp => Action::Page(-1),
        KeyCode::Home => Action::First,
        KeyCode::End => Action::Now,
        KeyCode::Enter => Action::Open,
        KeyCode::Esc => Action::Back,
        KeyCode::Char(c) => return of_letter(c),
        _ => return None,
    })
}

fn of_letter(c: char) -> Option<Action> {
    if let Some(area) = AREAS.iter().position(|(key, ..)| *key == c) {
        return Some(Action::Area(area));
    }
    Some(match c {
        'o' => Action::Overview,
        'w' => Action::Who,
        's' => Action::Stacks,
        'x' => Action::Compare,
        'X' => Action::Mark,
        'e' => Action::Experiments,
        'r' => Action::Recording,
        '?' => Action::Keys,
        '/' => Action::Filter,
        'b' => Action::GoTo,
        ':' => Action::Sql,
        '<' => Action::Sort(-1),
        '>' => Action::Sort(1),
        'R' => Action::Reverse,
        'f' => Action::Tree,
        'G' => Action::Group,
        'H' => Action::Threads,
        'U' => Action::Units,
        'K' => Action::Kernel,
        '.' => Action::Table,
        'y' => Action::Link,
        '[' => Action::Finding(-1),
        ']' => Action::Finding(1),
        ' ' => Action::Freeze,
        'q' => Action::Quit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let letters = (' '..='~').filter(|c| of_letter(*c).is_some());
        let mut seen: Vec<Action> = Vec::new();
        for letter in letters {
            let action = of_letter(letter).expect("it has one");
            assert!(!seen.contains(&action), "{letter}: {action:?}");
            seen.push(action);
        }
        let shifted = KeyEvent::new(KeyCode::Left, KeyModifiers::SHIFT);
        assert_eq!(action(shifted), Some(Action::Minute(-1)));
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(action(interrupt), Some(Action::Quit));
    }
}
