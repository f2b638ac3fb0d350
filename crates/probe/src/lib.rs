//! eBPF programs and their user half: the ledger, profiles, symbols.
