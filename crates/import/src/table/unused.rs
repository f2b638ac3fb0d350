//! Which of many places in a row are still unused: the nearest to any of them is found in hardly any steps, however
//! many around it are taken.

/// Places from 0 on.
#[derive(Debug)]
pub struct Unused {
    /// Towards the next that is unused: from the place itself on, and up to the one before it. Those that were taken
    /// lead past themselves; who follows them shortens the way.
    up: Vec<u32>,
    down: Vec<u32>,
}

impl Unused {
    /// None is taken yet.
    pub fn all(count: usize) -> Unused {
        let places: Vec<u32> = (0..=count as u32).collect();
        Unused { up: places.clone(), down: places }
    }

    /// The first from a place on.
    pub fn from(&mut self, place: usize) -> Option<usize> {
        let found = follow(&mut self.up, place);
        (found + 1 < self.up.len()).then_some(found)
    }

    /// The last before a place.
    pub fn below(&mut self, place: usize) -> Option<usize> {
        follow(&mut self.down, place).checked_sub(1)
    }

    /// Takes a place.
    pub fn take(&mut self, place: usize) {
        if place + 1 < self.up.len() {
            self.up[place] = place as u32 + 1;
            // The places before one are counted from 1 on.
            self.down[place + 1] = place as u32;
        }
    }
}

fn follow(ways: &mut [u32], mut at: usize) -> usize {
    at = at.min(ways.len() - 1);
    while ways[at] as usize != at {
        let next = ways[at] as usize;
        ways[at] = ways[next];
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_that_is_not_taken() {
        let mut unused = Unused::all(5);
        assert_eq!((unused.from(0), unused.from(4), unused.from(5)), (Some(0), Some(4), None));
        assert_eq!((unused.below(0), unused.below(1), unused.below(5)), (None, Some(0), Some(4)));
        for place in [2, 1, 3] {
            unused.take(place);
        }
        assert_eq!((unused.from(1), unused.below(4)), (Some(4), Some(0)));
        unused.take(0);
        unused.take(4);
        assert_eq!((unused.from(0), unused.below(5)), (None, None));
        assert_eq!((Unused::all(0).from(0), Unused::all(0).below(0)), (None, None));
    }

    /// As a plain list gives it, whatever is taken in whatever order.
    #[test]
    fn every_answer_is_that_of_a_list() {
        let (mut unused, mut taken) = (Unused::all(97), [false; 97]);
        let mut state = 7_usize;
        for _ in 0..97 {
            state = state * 31 % 97 + 1;
            let place = state % 97;
            unused.take(place);
            taken[place] = true;
            for from in 0..=97 {
                assert_eq!(unused.from(from), (from..97).find(|at| !taken[*at]));
                assert_eq!(unused.below(from), (0..from).rev().find(|at| !taken[*at]));
            }
        }
    }
}
