//! Runs the rules over a capture, ranks and joins what they find.
