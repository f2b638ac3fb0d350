//! `thermal`: temperatures and trip points.
crate::table! {
    /// One thermal zone in one sample.
    ThermalRow = "thermal", grain "one row for each thermal zone and sample at the start and end of the window", origin "/sys/class/thermal/thermal_zone*", born_at_zero false;
    key zone_idx: Int, None, "Zone number";
    label zone_type: Text(Word), None, "Sensor type: x86_pkg_temp, acpitz, cpu-thermal …";
    label policy: Text(Word), None, "Thermal governor";
    label enabled: Bool, None, "The zone is enabled";
    gauge temperature_c: Float, Celsius, "Temperature; NULL if the sensor does not answer";
    gauge passive_c: Float, Celsius, "Lowest temperature at which CPUs are slowed down (trip point passive)";
    gauge active_c: Float, Celsius, "Lowest temperature at which a fan is switched on (trip point active)";
    gauge hot_c: Float, Celsius, "Temperature at which the firmware is notified (trip point hot)";
    gauge critical_c: Float, Celsius, "Temperature at which the machine shuts down (trip point critical)";
}
