//! What Ctrl-C is answered with at once, by what a command does when it is stopped.

use heldup_hostfs::{Acknowledgement, acknowledge_interrupts};

/// What ends after a second Ctrl-C ends with, as a shell says it of SIGINT.
const INTERRUPTED: i32 = 130;

/// A window that was cut short is answered.
pub const ANSWERS: Acknowledgement =
    ends("\nheldup: stopping: the answer follows; Ctrl-C again ends at once\n");
/// A capture is written.
pub const WRITES: Acknowledgement =
    ends("\nheldup: stopping: what was measured is written; Ctrl-C again ends at once\n");
/// A watch ends with its summary.
pub const SUMMARY: Acknowledgement =
    ends("\nheldup: stopping: the summary follows; Ctrl-C again ends at once\n");
/// A recording is sealed.
pub const SEALS: Acknowledgement =
    ends("\nheldup: stopping: sealing what was recorded; Ctrl-C again ends at once, nothing is lost\n");
/// Nothing follows.
pub const ENDS: Acknowledgement = ends("\nheldup: stopping\n");
/// A change is undone, which a second Ctrl-C must not prevent.
pub const UNDOES: Acknowledgement =
    Acknowledgement { text: "\nheldup: stopping: the change is undone first\n", second_ends_with: None };
/// The change of settings that is on its way is undone.
pub const UNDOES_PLAN: Acknowledgement =
    Acknowledgement { text: "\nheldup: stopping between two changes\n", second_ends_with: None };

const fn ends(text: &'static str) -> Acknowledgement {
    Acknowledgement { text, second_ends_with: Some(INTERRUPTED) }
}

/// Has Ctrl-C and SIGTERM acknowledged at once, from when the command listens for them.
pub fn acknowledge(how: Acknowledgement) {
    acknowledge_interrupts(how);
}
