//! What a Java VM says of a deadlock, below a dump of its threads or alone: who waits for which lock, who holds it, and in
//! which function. Pure.

use crate::database::deadlock::{Deadlock, MOST_PARTIES, Party};

/// Packages that wait for others.
const LOCKING: [&str; 6] = [
    "java.util.concurrent.locks.",
    "jdk.internal.misc.",
    "sun.misc.Unsafe",
    "java.lang.Object.wait",
    "java.lang.VirtualThread",
    "java.lang.Thread.",
];

/// What stands before each line where somebody quoted it.
const MARKS: [char; 4] = ['#', '>', ' ', '\t'];

/// Lines that explain what a deadlock is.
const MOST_PROSE: u8 = 8;

/// A deadlock while it is read.
#[derive(Debug, Default)]
pub struct JavaDeadlock {
    parties: Vec<Party>,
    /// The thread of which lines are read.
    current: Option<usize>,
    has_stacks: bool,
    /// Lines of prose before the first thread.
    prose: u8,
}

/// `Found one Java-level deadlock:`, and what IDEs of JetBrains print of it.
pub fn is_title(text: &str) -> bool {
    let text = text.trim();
    let text = text.trim_start_matches(MARKS);
    let is_found = text.starts_with("Found ") && text.contains("Java-level deadlock") && text.ends_with(':');
    is_found || text == "Java-level deadlock has been detected"
}

impl JavaDeadlock {
    /// Takes a line; false where it is none of this.
    pub fn take(&mut self, text: &str) -> bool {
        let text = text.trim().trim_start_matches(MARKS);
        if let Some(name) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix("\":")) {
            self.current = self.parties.iter().position(|party| party.name == name);
            if self.current.is_none() && !self.has_stacks && self.parties.len() < MOST_PARTIES {
                self.current = Some(self.parties.len());
                self.parties.push(Party { name: name.to_owned(), ..Party::default() });
            }
            return true;
        }
        if text.starts_with("Java stack information for the threads listed above") {
            (self.has_stacks, self.current) = (true, None);
            return true;
        }
        if text.is_empty() || text.bytes().all(|byte| matches!(byte, b'=' | b'`')) {
            return true;
        }
        if let Some((name, rest)) = text.split_once(" is waiting to lock ")
            && let Some((lock, holder)) = rest.rsplit_once(" which is held by ")
        {
            self.parties.push(Party {
                name: name.to_owned(),
                waits_for: lock.to_owned(),
                object_name: lock.split('@').next().unwrap_or(lock).to_owned(),
                held_by: holder.to_owned(),
                ..Party::default()
            });
            return true;
        }
        if self.parties.is_empty() && self.prose < MOST_PROSE {
            self.prose += 1;
            return true;
        }
        let Some(party) = self.current.and_then(|at| self.parties.get_mut(at)) else { return false };
        if let Some((_, holder)) = text.split_once("which is held by ") {
            party.held_by = holder.trim_matches(['"', ',', '.']).to_owned();
        } else if let Some(lock) = text.strip_prefix("waiting ").filter(|_| !self.has_stacks) {
            let class =
                lock.rsplit_once(", a ").or_else(|| lock.rsplit_once("(a ")).map_or("", |(_, class)| class);
            party.object_name = class.trim_end_matches([',', ')']).replace('/', ".");
            party.waits_for = lock.trim_end_matches(',').to_owned();
        } else if let Some(function) = text.strip_prefix("at ") {
            if party.statement.is_empty() && !LOCKING.iter().any(|package| function.starts_with(package)) {
                party.statement = function.to_owned();
            }
        } else {
            return text.starts_with("- ") || text.starts_with("in JNI");
        }
        true
    }

    /// The deadlock, if there was one.
    pub fn finish(self) -> Option<Deadlock> {
        (!self.parties.is_empty()).then(|| Deadlock {
            product: "java",
            parties: self.parties,
            ..Deadlock::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_deadlock() {
        let mut deadlock = JavaDeadlock::default();
        for line in [
            "=============================",
            "\"seller\":",
            "  waiting for ownable synchronizer 0x69, (a java.util.concurrent.locks.ReentrantLock$NonfairSync),",
            "  which is held by \"canceller\"",
            "",
            "\"canceller\":",
            "  waiting to lock monitor 0x7f (object 0x69c8, a java.lang.Object),",
            "  which is held by \"seller\"",
            "",
            "Java stack information for the threads listed above:",
            "===================================================",
            "\"seller\":",
            "\tat java.util.concurrent.locks.ReentrantLock.lock(java.base@17/ReentrantLock.java:322)",
            "\tat Dead.sell(Dead.java:5)",
            "\t- locked <0x69c8> (a java.lang.Object)",
        ] {
            assert!(deadlock.take(line), "{line}");
        }
        assert!(!deadlock.take("Found 1 deadlock."));
        let deadlock = deadlock.finish().expect("a deadlock");
        let [seller, canceller] = deadlock.parties.as_slice() else { panic!("{deadlock:?}") };
        assert_eq!(seller.object_name, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
        assert_eq!(
            (seller.held_by.as_str(), seller.statement.as_str()),
            ("canceller", "Dead.sell(Dead.java:5)")
        );
        assert_eq!(
            (canceller.object_name.as_str(), canceller.held_by.as_str()),
            ("java.lang.Object", "seller")
        );
    }
}
