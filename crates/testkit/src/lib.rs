//! Trouble makers, known waits and recorded hosts for the tests.
