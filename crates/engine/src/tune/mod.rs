//! Settings: the log of what was changed on the running machine, and the right to write it.

pub mod changed;
