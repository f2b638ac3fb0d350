//! Table `baseline_setting`: settings of now beside those of a baseline.

crate::table! {
    /// One setting that the baseline or the capture has.
    BaselineSettingRow = "baseline_setting", grain "one row for each setting of the baseline that examine was given, once; for mounts also those that are new", origin "heldup capture --baseline, examine --baseline", born_at_zero false;
    key setting_table: Text(Word), None, "Table that it stands in: setting, mount, host, disk or net_setting";
    key subject: Text(Setting), None, "What it is a setting of: key, mount point, device, interface; empty for the machine";
    key setting_column: Text(Word), None, "Column of that table";
    label baseline_value: Text(Message), None, "Value in the baseline";
    label present_value: Text(Message), None, "Value now";
    label words_changed: Text(Message), None, "Of lists: words that went (-) and came (+)";
    label differs: Bool, None, "Somebody changed it: the values differ, and it is none that changes by itself";
    label baseline_ms: Int, TimeMs, "When the baseline was made";
}
