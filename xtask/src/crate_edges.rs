//! Which crate may use which: the layers of ARCHITECTURE.md as data.

/// Crates (without `heldup-`) and the crates that their code may use. Tests may use
/// more: a dev-dependency is not an edge.
pub const ALLOWED: &[(&str, &[&str])] = &[
    ("archive", &["hostfs", "model", "stats"]),
    ("cli", ANY),
    ("diagnose", &["archive", "model", "stats"]),
    (
        "engine",
        &[
            "archive", "diagnose", "figure", "hostfs", "import", "model", "probe", "prove", "sources",
            "stats", "tune",
        ],
    ),
    ("figure", &["model"]),
    ("hostfs", &["model"]),
    ("import", &["hostfs", "model", "sources"]),
    ("model", &[]),
    ("probe", &["hostfs", "model"]),
    ("prove", &["hostfs", "model", "stats", "tune"]),
    ("report", &["model"]),
    ("serve", &["engine", "hostfs", "model", "report"]),
    ("skip", &[]),
    ("sources", &["hostfs", "model", "stats", "tune"]),
    ("stats", &[]),
    ("testkit", ANY),
    ("top", &["engine", "hostfs", "model", "report"]),
    ("tune", &["hostfs", "model"]),
];

/// Crates that stand above all others.
const ANY: &[&str] = &[
    "archive", "diagnose", "engine", "figure", "hostfs", "import", "model", "probe", "prove", "report",
    "serve", "skip", "sources", "stats", "top", "tune",
];

/// What a crate may use; none for a crate that the table does not have.
pub fn allowed(name: &str) -> Option<&'static [&'static str]> {
    ALLOWED.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, edges)| *edges)
}
