//! What the kernel counts of the delays of a thread, over generic netlink (`taskstats`,
//! Documentation/accounting/taskstats.rst); it takes CAP_NET_ADMIN and our machine's own PID
//! namespace.
//!
//! Only bytes pass this door; what the messages mean is read elsewhere. Asking changes nothing.

use std::io::{Error, ErrorKind};

use crate::error::HostError;
use crate::files::Host;
use crate::netlink::{HEADER_BYTES, Netlink, question_header};
use crate::recorded_bytes;

/// What stands for the netlink socket in errors.
const PLACE: &str = "netlink taskstats";
/// Header and `struct genlmsghdr`.
const GENERIC_BYTES: usize = HEADER_BYTES + 4;
/// `CTRL_CMD_GETFAMILY`, `CTRL_ATTR_FAMILY_NAME` and `CTRL_ATTR_FAMILY_ID` of linux/genetlink.h,
/// and the family that is always there, which tells the numbers of the others.
const CONTROL: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_NAME: u16 = 2;
const FAMILY_ID: u16 = 1;
/// `TASKSTATS_CMD_GET` and `TASKSTATS_CMD_ATTR_PID` of linux/taskstats.h.
const GET: u8 = 1;
const OF_THREAD: u16 = 1;
/// `struct taskstats` of version 16 has 560 bytes.
const ANSWER_BYTES: usize = 4096;

/// Asks for the delays of threads.
#[derive(Debug)]
pub struct TaskStats(From);

#[derive(Debug)]
enum From {
    Kernel { netlink: Netlink, family: u16, answer: Vec<u8> },
    Recording(Host),
}

impl Host {
    /// Opens the counts of delays. A recorded tree has an answer as hexadecimal digits in
    /// `/netlink/TID/taskstats`.
    pub fn task_stats(&self) -> Result<TaskStats, HostError> {
        if !self.is_live() {
            return match self.exists("/netlink") {
                true => Ok(TaskStats(From::Recording(self.clone()))),
                false => Err(HostError::NotFound { path: PLACE.into() }),
            };
        }
        let netlink = Netlink::open(libc::NETLINK_GENERIC, PLACE, None)?;
        let mut answer = vec![0; ANSWER_BYTES];
        let length = netlink.ask(&message(CONTROL, GET_FAMILY, FAMILY_NAME, b"TASKSTATS\0"), &mut answer)?;
        let family = answer[..length].get(GENERIC_BYTES..).and_then(|rest| attribute(rest, FAMILY_ID));
        let family = family.and_then(|id| Some(u16::from_ne_bytes(id.try_into().ok()?)));
        let family = family.ok_or_else(|| {
            let what = Error::new(ErrorKind::InvalidData, "expected the number of a family");
            HostError::from_io(PLACE, what)
        })?;
        Ok(TaskStats(From::Kernel { netlink, family, answer }))
    }
}

impl TaskStats {
    /// The kernel's message about a thread: `struct nlmsghdr`, `struct genlmsghdr`, attributes.
    /// A thread that has ended is not there.
    pub fn of_thread(&mut self, tid: i64) -> Result<Vec<u8>, HostError> {
        match &mut self.0 {
            From::Recording(host) => {
                recorded_bytes::read(host, &recorded_bytes::path("netlink", Some(tid), "taskstats"))
            }
            From::Kernel { netlink, family, answer } => {
                let Ok(tid) = u32::try_from(tid) else {
                    return Err(HostError::NotFound { path: PLACE.into() });
                };
                let length = netlink.ask(&message(*family, GET, OF_THREAD, &tid.to_ne_bytes()), answer)?;
                Ok(answer[..length].to_vec())
            }
        }
    }
}

/// A question with one attribute.
fn message(family: u16, command: u8, kind: u16, content: &[u8]) -> Vec<u8> {
    let attribute = 4 + content.len();
    let length = GENERIC_BYTES + attribute.next_multiple_of(4);
    let mut bytes = question_header(length, family).to_vec();
    bytes.extend([command, 1, 0, 0]);
    bytes.extend((attribute as u16).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(content);
    bytes.resize(length, 0);
    bytes
}

fn attribute(attributes: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut rest = attributes;
    loop {
        let length = usize::from(u16::from_ne_bytes(rest.get(0..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(rest.get(2..4)?.try_into().ok()?);
        let content = rest.get(4..length)?;
        if kind == wanted {
            return Some(content);
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_thread_is_told_of_or_it_is_said_why_not() {
        let mut stats = match Host::live().task_stats() {
            Ok(stats) => stats,
            Err(error) => return heldup_skip::skipped(&error.to_string()),
        };
        match stats.of_thread(crate::own_thread_id()) {
            Ok(message) => assert!(message.len() > GENERIC_BYTES + 300, "{} bytes", message.len()),
            Err(error) if error.is_denied() => heldup_skip::partly_skipped(&error.to_string()),
            // Within a PID namespace of its own the kernel takes no question.
            Err(error) => assert!(error.to_string().contains("Invalid argument"), "{error}"),
        }
        let gone = stats.of_thread(i64::from(i32::MAX)).expect_err("no such thread");
        assert!(gone.is_absent() || gone.is_denied() || gone.to_string().contains("Invalid"), "{gone}");
    }

    #[test]
    fn a_recorded_tree_without_answers_has_none() {
        assert!(Host::recorded("/no-such-tree").task_stats().expect_err("recorded").is_absent());
    }
}
