//! `event`: what the kernel wrote to its log within the window and, where there is something or
//! the table is asked for, before it for context.
crate::table! {
    /// One message of the kernel log.
    EventRow = "event", grain "one row a message of the window; earlier messages if the window has one, or if a query names the table", origin "/dev/kmsg", born_at_zero false;
    key sequence: Int, None, "Number of the message";
    label event_ms: Int, TimeMs, "Time of the message";
    label in_window: Bool, None, "Written within the window";
    label level: Text(Word), None, "emerg, alert, crit, err, warning, notice, info or debug";
    label facility: Text(Word), None, "kern, user, daemon …";
    label message: Text(Message), None, "Text";
}
