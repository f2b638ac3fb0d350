//! `thermal`: temperatures, and from which on the kernel slows the machine down.
crate::table! {
    /// One thermal zone in one sample.
    ThermalRow = "thermal", grain "one row for each thermal zone and sample at the start and end of the window", origin "/sys/class/thermal/thermal_zone*", born_at_zero false;
    key zone_idx: Int, None, "Number of the zone";
    label zone_type: Text(Word), None, "What it measures: x86_pkg_temp, acpitz, cpu-thermal …";
    label policy: Text(Word), None, "Governor that cools it";
    label enabled: Bool, None, "The kernel watches it";
    gauge temperature_c: Float, Celsius, "Temperature; NULL while the sensor does not answer";
    gauge passive_c: Float, Celsius, "Lowest temperature at which CPUs are slowed down (trip point passive)";
    gauge active_c: Float, Celsius, "Lowest temperature at which a fan is switched on (trip point active)";
    gauge hot_c: Float, Celsius, "Temperature at which the firmware is told (trip point hot)";
    gauge critical_c: Float, Celsius, "Temperature at which the machine switches itself off (trip point critical)";
}
