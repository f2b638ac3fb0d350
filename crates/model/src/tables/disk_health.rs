//! `disk_health`: what disks report of their own health.
crate::table! {
    /// One disk in one listing.
    DiskHealthRow = "disk_health", grain "one row for each disk and listing", origin "recordings of smartctl and nvme smart-log", born_at_zero false;
    key device: Text(Word), None, "Kernel name; behind a RAID controller with the number there (sda megaraid,5); NULL if the listing does not name it";
    label tool: Text(Word), None, "smartctl, nvme smart-log";
    label model: Text(Word), None, "Model";
    label passed: Bool, None, "The disk's own verdict is good (overall-health self-assessment, SMART Health Status)";
    label verdict: Text(Word), None, "The verdict, if it is not good";
    label failing_attribute: Text(Word), None, "First attribute that is at or below the maker's threshold now (FAILING_NOW)";
    gauge critical_warning: Int, None, "Critical warning of NVMe, in bits: 1 spare below its threshold, 2 temperature, 4 reliability, 8 read-only, 16 backup of volatile memory, 32 persistent memory";
    gauge reallocated: Int, Count, "Sectors replaced by spare ones (Reallocated_Sector_Ct, grown defect list)";
    gauge pending: Int, Count, "Sectors that cannot be read now (Current_Pending_Sector)";
    gauge uncorrectable: Int, Count, "Sectors that the disk's own scan could not read (Offline_Uncorrectable)";
    gauge reported_errors: Int, Count, "Errors that the disk could not correct and reported (Reported_Uncorrect, total uncorrected errors), over its life";
    gauge media_errors: Int, Count, "Media and data integrity errors of NVMe, over its life";
    gauge crc_errors: Int, Count, "Transfers with a wrong checksum, over its life (UDMA_CRC_Error_Count): cable or connector";
    gauge error_log_entries: Int, Count, "Errors in the disk's log, over its life";
    gauge failed_self_tests: Int, Count, "Self-tests in the log that found an error";
    label last_self_test: Text(Word), None, "Result of the latest self-test in the log";
    gauge wear_ratio: Float, Ratio, "Share of the rated writes that are used up; may exceed 1";
    gauge spare_ratio: Float, Ratio, "Spare blocks left (Available Spare)";
    gauge spare_limit_ratio: Float, Ratio, "Share below which the disk warns (Available Spare Threshold)";
    gauge temperature_c: Float, Celsius, "Temperature";
    gauge power_on_s: Float, Seconds, "Time that the disk was switched on";
}
