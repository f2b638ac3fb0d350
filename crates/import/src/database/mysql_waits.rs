//! What a session of MySQL waits for, by the words of its state: pure. Most states name what a session does; only those that
//! are waits are here.

/// Words of states, in small letters, with the kind of the wait and its name. The first that fits counts.
const WAITS: [(&str, &str, &str); 15] = [
    ("locked", "Lock", "table lock"),
    ("user lock", "Lock", "user lock"),
    ("user sleep", "Timeout", "user sleep"),
    ("system lock", "Lock", "system lock"),
    ("opening table", "Cache", "opening tables"),
    ("closing tables", "Cache", "closing tables"),
    ("query end", "Commit", "query end"),
    ("starting commit", "Commit", "commit"),
    ("waiting for handler commit", "Commit", "commit"),
    ("commit", "Commit", "commit"),
    ("copying to tmp table on disk", "IO", "temporary table on disk"),
    ("converting heap to", "IO", "temporary table on disk"),
    ("writing to net", "Client", "sending to client"),
    ("sending to client", "Client", "sending to client"),
    ("reading from net", "Client", "reading from client"),
];

/// The kind of a wait and its name; none where the state is none.
pub fn wait_of(state: &str) -> Option<(String, String)> {
    let state = state.trim().to_ascii_lowercase();
    if let Some((_, kind, name)) =
        WAITS.iter().find(|(words, ..)| state.starts_with(words) && (*words != "commit" || state == *words))
    {
        return Some(((*kind).to_owned(), (*name).to_owned()));
    }
    // `Waiting for table metadata lock`, `Waiting on cond`.
    let what = ["waiting for ", "waiting on ", "wait for "]
        .iter()
        .find_map(|words| state.strip_prefix(words))
        .filter(|what| !what.is_empty())?;
    let kind = match what {
        _ if what.contains("semi-sync") || what.contains("slave") || what.contains("replica") => {
            "Replication"
        }
        _ if what.contains("commit") => "Commit",
        _ if what.contains("query cache") || what.contains("mutex") => "Latch",
        _ if what.contains("lock") || what.contains("flush") => "Lock",
        _ => "Other",
    };
    Some((kind.to_owned(), what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::wait_of;

    #[test]
    fn states_that_are_waits() {
        for (state, kind, name) in [
            ("Waiting for table metadata lock", "Lock", "table metadata lock"),
            ("Waiting for table flush", "Lock", "table flush"),
            ("Locked", "Lock", "table lock"),
            ("Opening tables", "Cache", "opening tables"),
            ("query end", "Commit", "query end"),
            ("Commit", "Commit", "commit"),
            ("Waiting for semi-sync ACK from slave", "Replication", "semi-sync ack from slave"),
            ("Waiting for prior transaction to commit", "Commit", "prior transaction to commit"),
            ("Waiting for query cache lock", "Latch", "query cache lock"),
        ] {
            assert_eq!(wait_of(state), Some((kind.to_owned(), name.to_owned())), "{state}");
        }
        for state in ["Sending data", "updating", "statistics", "init", "committed?", ""] {
            assert_eq!(wait_of(state), None, "{state}");
        }
    }
}
