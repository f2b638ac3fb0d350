//! Captures kept as Parquet, and SQL over all of them.
