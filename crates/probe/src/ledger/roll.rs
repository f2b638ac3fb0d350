//! Something about every task, kept in the order in which the kernel reports them.
//!
//! What is known of 10,000 tasks does not fit into the caches. In the order of the records the
//! next one is fetched while the one before is worked on, and needs no hash to be found.

use super::account::{TaskId, TaskMap};

/// A map of tasks that is quick where it is gone through in one order again and again.
pub(crate) struct Roll<V> {
    /// Those that were first reported one after the other lie so; a place that a task has left is none.
    entries: Vec<Option<V>>,
    /// Whose the places are: apart from the rest, which is not touched of a task that did nothing.
    ids: Vec<Option<TaskId>>,
    places: TaskMap<usize>,
    free: Vec<usize>,
    /// Where the task is expected that is asked for next.
    next: usize,
}

impl<V> Default for Roll<V> {
    fn default() -> Roll<V> {
        Roll { entries: Vec::new(), ids: Vec::new(), places: TaskMap::default(), free: Vec::new(), next: 0 }
    }
}

impl<V> Roll<V> {
    /// Expects the first task next.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }

    /// Tasks in it.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Who has a place.
    pub(crate) fn at(&self, place: usize) -> Option<&V> {
        self.entries.get(place)?.as_ref()
    }

    pub(crate) fn at_mut(&mut self, place: usize) -> Option<&mut V> {
        self.entries.get_mut(place)?.as_mut()
    }

    /// Places, those included that tasks have left.
    pub(crate) fn places(&self) -> usize {
        self.entries.len()
    }

    /// The place of a task, which is given one where it has none.
    pub(crate) fn place_or_insert_with(&mut self, id: TaskId, make: impl FnOnce() -> V) -> usize {
        if let Some(at) = self.place(id) {
            return at;
        }
        let at = self.free.pop().unwrap_or(self.entries.len());
        if at == self.entries.len() {
            self.entries.push(None);
            self.ids.push(None);
        }
        self.places.insert(id, at);
        (self.entries[at], self.ids[at]) = (Some(make()), Some(id));
        at
    }

    pub(crate) fn remove(&mut self, id: TaskId) {
        if let Some(at) = self.places.remove(&id) {
            (self.entries[at], self.ids[at]) = (None, None);
            self.free.push(at);
        }
    }

    /// Removes whose place is not to be kept.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        for at in 0..self.entries.len() {
            if let Some(id) = self.ids[at].take_if(|_| !keep(at)) {
                self.entries[at] = None;
                self.places.remove(&id);
                self.free.push(at);
            }
        }
    }

    /// The place of a task.
    pub(crate) fn place(&mut self, id: TaskId) -> Option<usize> {
        let at = match self.ids.get(self.next) {
            Some(Some(there)) if *there == id => self.next,
            _ => *self.places.get(&id)?,
        };
        self.next = at + 1;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(tid: u32) -> TaskId {
        TaskId { tid, start_ns: 1_000 + u64::from(tid) }
    }

    fn get(roll: &mut Roll<u32>, id: TaskId) -> Option<u32> {
        let place = roll.place(id)?;
        roll.at(place).copied()
    }

    fn put(roll: &mut Roll<u32>, tids: std::ops::RangeInclusive<u32>) {
        for tid in tids {
            let place = roll.place_or_insert_with(id(tid), || tid);
            assert_eq!(roll.at(place), Some(&tid));
        }
    }

    #[test]
    fn tasks_are_found_in_order_and_out_of_it() {
        let mut roll = Roll::default();
        put(&mut roll, 1..=5);
        roll.rewind();
        for tid in [1, 2, 3, 4, 5, 2, 3, 1, 5] {
            assert_eq!(get(&mut roll, id(tid)), Some(tid));
        }
        assert_eq!(get(&mut roll, TaskId { start_ns: 1, ..id(3) }), None, "an id that is used again");
    }

    #[test]
    fn a_place_that_is_left_is_used_again() {
        let mut roll = Roll::default();
        put(&mut roll, 1..=4);
        roll.remove(id(2));
        roll.retain(|place| place != 3);
        assert!(roll.place(id(2)).is_none() && roll.place(id(4)).is_none());
        put(&mut roll, 7..=9);
        assert_eq!(roll.places(), 5);
        roll.rewind();
        for tid in [1, 3, 7, 8, 9] {
            assert_eq!(get(&mut roll, id(tid)), Some(tid));
        }
    }
}
