//! Every policy of the project as a command.
fn main() {}
