//! `setting`: the settings that matter to performance, as canonical text.
crate::table! {
    /// One setting.
    SettingRow = "setting", grain "one row a setting, once", origin "/proc/sys, /sys/kernel/mm, /sys/block/*/queue, /sys/devices/system/cpu", born_at_zero false;
    key setting_key: Text(Setting), None, "Name: sysctl name, or path below /sys with dots";
    label setting_value: Text(Message), None, "Value as canonical text";
    label path: Text(Setting), None, "File";
}
