//! What an archive holds, read: its folder, windows of it as captures, its minutes, and when somebody recorded.

pub(in crate::kept) mod capture;
pub(in crate::kept) mod clocks;
pub(in crate::kept) mod folder;
pub(in crate::kept) mod follow;
pub(in crate::kept) mod minute_signs;
pub(in crate::kept) mod minutes;
pub(in crate::kept) mod one_row_each;
pub(in crate::kept) mod recorded;
pub(in crate::kept) mod sealed_rows;
pub(in crate::kept) mod stacks_of_window;
pub(in crate::kept) mod tail;
pub(in crate::kept) mod unsealed;
pub(in crate::kept) mod visible;
