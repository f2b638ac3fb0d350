//! Each request of the engine, from its plain data to its typed answer; none needs root.

mod answers;
mod live;
mod recorded;
mod refusals;
