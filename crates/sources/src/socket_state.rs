//! States of sockets: the numbers of the kernel's `tcp_states.h`, and our names of them.

/// Connected.
pub const ESTABLISHED: u8 = 1;
/// Waits out late segments; belongs to no process any more.
pub const TIME_WAIT: u8 = 6;
/// A UDP socket without a peer has this state.
pub const CLOSE: u8 = 7;
/// Accepts connections.
pub const LISTEN: u8 = 10;

/// Name of a state; UDP uses two of the numbers of TCP.
pub fn state_name(udp: bool, state: u8) -> Option<&'static str> {
    Some(match state {
        CLOSE if udp => "unconnected",
        ESTABLISHED => "established",
        2 => "syn_sent",
        3 => "syn_recv",
        4 => "fin_wait1",
        5 => "fin_wait2",
        TIME_WAIT => "time_wait",
        CLOSE => "close",
        8 => "close_wait",
        9 => "last_ack",
        LISTEN => "listen",
        11 => "closing",
        // A request for a connection, since 4.4.
        12 => "syn_recv",
        // Bound and not listening, since 6.9.
        13 => "bound",
        _ => return None,
    })
}
