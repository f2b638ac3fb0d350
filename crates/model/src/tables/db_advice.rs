//! `db_advice`: findings of a database about itself (Oracle's ADDM), compared with those of heldup.
crate::table! {
    /// One finding of the database's own advisor.
    DbAdviceRow = "db_advice", grain "one row for each finding, instance and report", origin "recordings of Oracle: ADDM reports, and Top ADDM Findings of AWR", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key finding: Text(Message), None, "Finding, as the database names it: Commits and Rollbacks";
    label rank: Int, None, "Position in the report, from 1";
    gauge impact_s: Float, Seconds, "DB time of the finding; several findings may overlap";
    gauge impact_share: Float, Ratio, "Share of DB time, as the report says";
}
