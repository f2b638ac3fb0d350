//! Programs that clock their own waits.
