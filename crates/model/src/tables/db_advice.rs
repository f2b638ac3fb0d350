//! `db_advice`: what a database found wrong with itself (Oracle's ADDM), which is compared with what is found here.
crate::table! {
    /// One finding of the database's own.
    DbAdviceRow = "db_advice", grain "one row for each finding, instance and report", origin "recordings of Oracle: ADDM reports, and Top ADDM Findings of AWR", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key finding: Text(Message), None, "Finding, as the database names it: Commits and Rollbacks";
    label rank: Int, None, "Its place in the report, from 1";
    gauge impact_s: Float, Seconds, "DB time that the finding is about; those of several findings may overlap";
    gauge impact_share: Float, Ratio, "The same as a share of DB time, as the report says";
}
