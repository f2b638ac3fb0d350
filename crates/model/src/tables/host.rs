//! `host`: the machine.
crate::table! {
    /// The machine.
    HostRow = "host", grain "the machine, once", origin "uname, /proc/cmdline, /proc/cpuinfo, /proc/meminfo, /proc/stat, /sys/devices/system", born_at_zero false;
    label name: Text(Host), None, "Host name";
    label kernel: Text(Name), None, "Kernel release (uname -r)";
    label architecture: Text(Word), None, "Machine type (uname -m)";
    label os: Text(Word), None, "PRETTY_NAME of os-release";
    label cpu_model: Text(Word), None, "Model name of the first CPU";
    label hypervisor: Text(Word), None, "Hypervisor, if it identifies itself";
    label command_line: Text(Message), None, "Kernel command line (/proc/cmdline)";
    label boot_id: Text(Word), None, "Random id of this boot";
    gauge cpus: Int, Count, "Online CPUs";
    gauge cpus_possible: Int, Count, "Possible CPUs";
    gauge nodes: Int, Count, "NUMA nodes with memory";
    gauge memory_bytes: Int, Bytes, "MemTotal";
    gauge page_bytes: Int, Bytes, "Page size";
    gauge boot_ms: Int, TimeMs, "Time of boot (btime)";
    gauge window_s: Float, Seconds, "Length of the capture; for a window of an archive, the recorded part of it";
    label method: Text(Word), None, "Method of time accounting: ebpf, delays, sampling or imported";
    gauge coverage: Float, Ratio, "Share of the task time in the ledger";
}
