//! `setting_line`: lines of files that assign settings at boot, and whether each is in effect.
crate::table! {
    /// One line of one file.
    SettingLineRow = "setting_line", grain "one row for each line that assigns a setting, once", origin "/etc/sysctl.d, /etc/tmpfiles.d and the other folders of sysctl.d(5) and tmpfiles.d(5), /proc/cmdline", born_at_zero false;
    key file: Text(Path), None, "File";
    key line: Int, None, "Line, from 1";
    key setting_key: Text(Setting), None, "Name of the setting, as in `setting`; may contain `*`";
    label line_value: Text(Message), None, "Assigned value, one blank between words";
    label applied_by: Text(Word), None, "Applied by: kernel (its command line), sysctl, tmpfiles, sysctl.conf";
    label applied_order: Int, None, "Order of application, from 0";
    label line_status: Text(Word), None, "in_effect, overridden (by a later line), obsolete (removed, moved or without effect), absent (not in this kernel), not_read (/etc/sysctl.conf, which systemd does not read)";
    label why: Text(Message), None, "Reason for obsolete or absent";
    label now_at: Text(Setting), None, "New name in this kernel of a setting that moved";
    label winner_file: Text(Path), None, "File of the line that overrides it";
    label winner_line: Int, None, "Line number in that file";
    label winner_value: Text(Message), None, "Value assigned there";
}
