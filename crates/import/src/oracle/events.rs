//! The events of a report, each once. A report has several lists of them: of the top ones, of users' sessions, of the database's own
//! processes, of all together. Which it has depends on the release; a sum over what is kept must count each wait once.

use crate::document::put::Put;

/// Whose waits they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// All sessions together.
    #[default]
    Total,
    /// Sessions of users.
    Foreground,
    /// The database's own processes.
    Background,
}

impl Side {
    /// As `db_wait` has it.
    pub fn name(self) -> &'static str {
        match self {
            Side::Total => "total",
            Side::Foreground => "foreground",
            Side::Background => "background",
        }
    }
}

/// One event of one side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Whose waits.
    pub side: Side,
    /// Name.
    pub name: String,
    /// Class.
    pub wait_class: Option<String>,
    /// Waits that ended.
    pub waits: Option<f64>,
    /// Time in them.
    pub wait_s: Option<f64>,
    /// Share of the time that the list is about.
    pub wait_share: Option<f64>,
    /// Length of a wait.
    pub mean_wait_s: Option<f64>,
    /// Share that timed out.
    pub timeout_ratio: Option<f64>,
    /// Of a total: waits of the database's own processes, and the time in them.
    pub background: Option<(Option<f64>, Option<f64>)>,
}

impl Event {
    /// Cells of a row of `db_wait`.
    pub fn cells(&self) -> Vec<(&'static str, Put<'_>)> {
        let (background_waits, background_wait_s) = self.background.unwrap_or_default();
        let mut cells = vec![
            ("event_name", Put::Text(&self.name)),
            ("side", Put::Text(self.side.name())),
            ("waits", Put::Number(self.waits)),
            ("wait_s", Put::Number(self.wait_s)),
            ("wait_share", Put::Number(self.wait_share)),
            ("mean_wait_s", Put::Number(self.mean_wait_s)),
            ("timeout_ratio", Put::Number(self.timeout_ratio)),
            ("background_waits", Put::Number(background_waits)),
            ("background_wait_s", Put::Number(background_wait_s)),
        ];
        if let Some(class) = &self.wait_class {
            cells.push(("wait_class", Put::Text(class)));
        }
        cells
    }

    /// Takes what another list of the same side says of the event. The first list counts: a later one may be rounded
    /// differently, or count other sessions.
    fn join(&mut self, other: Event) {
        if self.wait_s.is_none() && other.wait_s.is_some() {
            let (waits, wait_s) = (other.waits, other.wait_s);
            let share = self.wait_share.or(other.wait_share);
            let mean = self.mean_wait_s.or(other.mean_wait_s);
            (self.waits, self.wait_s, self.wait_share, self.mean_wait_s) = (waits, wait_s, share, mean);
        }
        self.timeout_ratio = self.timeout_ratio.or(other.timeout_ratio);
        self.wait_class = self.wait_class.take().or(other.wait_class);
    }
}

/// An event with its instance.
type Owned = (Option<String>, Event);

/// The events of a report.
#[derive(Debug, Default)]
pub struct Events {
    all: Vec<Owned>,
}

impl Events {
    /// Takes an event of an instance.
    pub fn take(&mut self, instance: Option<String>, event: Event) {
        let same = |(owner, known): &&mut Owned| {
            known.side == event.side && known.name == event.name && *owner == instance
        };
        match self.all.iter_mut().find(same) {
            Some((_, known)) => known.join(event),
            None => self.all.push((instance, event)),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The events, in the order in which they came. Where users' sessions have a list, the total of an event that it or the list
    /// of background processes has is left out. Where they have none (before 11g), what background processes waited is part
    /// of the total.
    pub fn once(self) -> Vec<Owned> {
        let (totals, mut sides): (Vec<Owned>, Vec<Owned>) =
            self.all.into_iter().partition(|(_, event)| event.side == Side::Total);
        let mut kept: Vec<Owned> = Vec::new();
        for (instance, mut total) in totals {
            let has_foreground =
                sides.iter().any(|(owner, event)| *owner == instance && event.side == Side::Foreground);
            let is_it = |(owner, event): &Owned| *owner == instance && event.name == total.name;
            if !has_foreground {
                if let Some(at) = sides.iter().position(is_it) {
                    let (_, part) = sides.remove(at);
                    total.background = Some((part.waits, part.wait_s));
                    total.wait_class = total.wait_class.or(part.wait_class);
                }
                kept.push((instance, total));
            } else if sides.iter().any(is_it) {
                for (_, side) in sides.iter_mut().filter(|one| is_it(one)) {
                    side.wait_class = side.wait_class.take().or_else(|| total.wait_class.clone());
                }
            } else {
                kept.push((instance, total));
            }
        }
        kept.extend(sides);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(side: Side, name: &str, wait_s: f64) -> Event {
        Event { side, name: name.to_owned(), waits: Some(10.0), wait_s: Some(wait_s), ..Event::default() }
    }

    fn once(events: &[Event]) -> Vec<String> {
        let mut all = Events::default();
        for event in events {
            all.take(None, event.clone());
        }
        let told = |(_, event): &Owned| {
            let background = event.background.and_then(|(_, wait_s)| wait_s);
            let of_it = background.map(|wait_s| format!(" ({wait_s})")).unwrap_or_default();
            format!("{} {} {}{of_it}", event.side.name(), event.name, event.wait_s.unwrap_or(0.0))
        };
        all.once().iter().map(told).collect()
    }

    #[test]
    fn a_total_beside_both_sides_is_left_out() {
        let (total, users, own) = (Side::Total, Side::Foreground, Side::Background);
        let of_three = [
            event(total, "log file sync", 12.0),
            event(total, "CPU time", 50.0),
            event(users, "log file sync", 10.0),
            event(own, "log file sync", 2.0),
            event(total, "log file parallel write", 7.0),
            event(own, "log file parallel write", 7.0),
        ];
        assert_eq!(
            once(&of_three),
            [
                "total CPU time 50",
                "foreground log file sync 10",
                "background log file sync 2",
                "background log file parallel write 7",
            ]
        );
    }

    #[test]
    fn before_11g_background_waits_are_part_of_the_total() {
        let (total, own) = (Side::Total, Side::Background);
        let of_two = [
            event(total, "db file sequential read", 12.0),
            event(own, "db file sequential read", 2.0),
            event(own, "rdbms ipc reply", 1.0),
        ];
        assert_eq!(once(&of_two), ["total db file sequential read 12 (2)", "background rdbms ipc reply 1"]);
    }

    #[test]
    fn the_first_list_counts() {
        let total = Side::Total;
        let twice = [event(total, "latch free", 5.0), event(total, "latch free", 6.0)];
        assert_eq!(once(&twice), ["total latch free 5"]);
        let lost = Event { wait_s: None, ..event(total, "latch free", 0.0) };
        assert_eq!(once(&[lost, event(total, "latch free", 6.0)]), ["total latch free 6"]);
    }
}
