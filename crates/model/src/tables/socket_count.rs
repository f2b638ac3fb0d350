//! `socket_count`: how many TCP sockets are in each state, where a listing has only the numbers.
crate::table! {
    /// One state in one listing.
    SocketCountRow = "socket_count", grain "one row for each state and listing; only in recordings", origin "numbers of states that people make of netstat and ss with awk, sort and uniq", born_at_zero false;
    key state: Text(Word), None, "State: established, close_wait, time_wait …";
    gauge sockets: Int, Count, "Sockets in that state";
}
