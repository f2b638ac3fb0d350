//! `setting`: the settings that matter to performance, as canonical text.
crate::table! {
    /// One setting.
    SettingRow = "setting", grain "one row a setting, once", origin "/proc/sys, /sys/kernel/mm, /sys/block/*/queue, /sys/devices/system/cpu; what dpkg, apk and pacman list as installed, where the table is asked for", born_at_zero false;
    key setting_key: Text(Setting), None, "Name: sysctl name, path below /sys with dots, or package.NAME";
    label setting_value: Text(Message), None, "Value as canonical text; for a package its version, one for each architecture";
    label path: Text(Setting), None, "File";
}
