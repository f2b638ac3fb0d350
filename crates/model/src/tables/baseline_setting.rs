//! `baseline_setting`: current settings and those of a baseline.

crate::table! {
    /// One setting that the baseline or the capture has.
    BaselineSettingRow = "baseline_setting", grain "one row for each setting of the baseline of examine, once; also for mounts that are new", origin "heldup baseline save, examine --baseline", born_at_zero false;
    key setting_table: Text(Word), None, "Table of the setting: setting, mount, host, disk or net_setting";
    key subject: Text(Setting), None, "Subject of the setting: key, mount point, device, interface; empty for the machine";
    key setting_column: Text(Word), None, "Column of that table";
    label baseline_value: Text(Message), None, "Value in the baseline";
    label present_value: Text(Message), None, "Value now";
    label words_changed: Text(Message), None, "For lists: words removed (-) and added (+)";
    label differs: Bool, None, "The values differ, and the setting does not change by itself";
    label baseline_ms: Int, TimeMs, "Time of the baseline";
}
