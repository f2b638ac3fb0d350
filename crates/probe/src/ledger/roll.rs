//! Something about every task, kept in the order in which the kernel tells them.
//!
//! What is known of 10,000 tasks does not fit into the caches. In the order of the records the
//! next one is fetched while the one before is worked on, and needs no hash to be found.

use super::account::{TaskId, TaskMap};

/// A map of tasks that is quick where it is gone through in one order again and again.
pub(crate) struct Roll<V> {
    /// Those that were first told one after the other lie so; a place that a task has left is none.
    entries: Vec<Option<(TaskId, V)>>,
    places: TaskMap<usize>,
    free: Vec<usize>,
    /// Where the task is expected that is asked for next.
    next: usize,
}

impl<V> Default for Roll<V> {
    fn default() -> Roll<V> {
        Roll { entries: Vec::new(), places: TaskMap::default(), free: Vec::new(), next: 0 }
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

    pub(crate) fn get_mut(&mut self, id: TaskId) -> Option<&mut V> {
        let at = self.place(id)?;
        self.entries[at].as_mut().map(|(_, value)| value)
    }

    pub(crate) fn contains(&mut self, id: TaskId) -> bool {
        self.place(id).is_some_and(|at| {
            // The same task is asked for again.
            self.next = at;
            true
        })
    }

    pub(crate) fn get_or_insert_with(&mut self, id: TaskId, make: impl FnOnce() -> V) -> &mut V {
        let at = self.place(id).unwrap_or_else(|| {
            let at = self.free.pop().unwrap_or(self.entries.len());
            if at == self.entries.len() {
                self.entries.push(None);
            }
            self.places.insert(id, at);
            at
        });
        &mut self.entries[at].get_or_insert_with(|| (id, make())).1
    }

    pub(crate) fn remove(&mut self, id: TaskId) {
        if let Some(at) = self.places.remove(&id) {
            self.entries[at] = None;
            self.free.push(at);
        }
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        for (at, entry) in self.entries.iter_mut().enumerate() {
            if let Some((id, _)) = entry.take_if(|(_, value)| !keep(value)) {
                self.places.remove(&id);
                self.free.push(at);
            }
        }
    }

    fn place(&mut self, id: TaskId) -> Option<usize> {
        let expected = self.entries.get(self.next).and_then(Option::as_ref);
        let at = match expected {
            Some((there, _)) if *there == id => self.next,
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

    #[test]
    fn tasks_are_found_in_order_and_out_of_it() {
        let mut roll = Roll::default();
        (1..=5).for_each(|tid| *roll.get_or_insert_with(id(tid), || 0) = tid);
        roll.rewind();
        for tid in [1, 2, 3, 4, 5, 2, 3, 1, 5] {
            assert_eq!(roll.get_mut(id(tid)).copied(), Some(tid));
        }
        assert_eq!(roll.get_mut(TaskId { start_ns: 1, ..id(3) }), None, "an id that is used again");
    }

    #[test]
    fn a_place_that_is_left_is_used_again() {
        let mut roll = Roll::default();
        (1..=4).for_each(|tid| *roll.get_or_insert_with(id(tid), || 0) = tid);
        roll.remove(id(2));
        roll.retain(|tid| *tid != 4);
        assert!(!roll.contains(id(2)) && !roll.contains(id(4)));
        (7..=9).for_each(|tid| *roll.get_or_insert_with(id(tid), || 0) = tid);
        assert_eq!(roll.entries.len(), 5);
        roll.rewind();
        for tid in [1, 3, 7, 8, 9] {
            assert!(roll.contains(id(tid)));
            assert_eq!(roll.get_mut(id(tid)).copied(), Some(tid));
        }
    }
}
