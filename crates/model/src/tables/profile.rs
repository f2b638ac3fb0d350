//! `profile`: functions by samples of another tool's profiler. It has no task and no stack:
//! these are in `stack`.
crate::table! {
    /// One function in one listing.
    ProfileRow = "profile", grain "one row for each function, image and program of a listing", origin "recordings of opreport, perf report, perf top, pprof and Solaris lockstat", born_at_zero false;
    key function_name: Text(Name), None, "Function, as the tool names it; NULL where it has no symbols";
    key image_name: Text(Name), None, "Program, library, module or kernel that it belongs to";
    key process_name: Text(Name), None, "Program that ran it, if reported apart from the image";
    label counted: Text(Word), None, "Event: cpu (time on a CPU), or the tool's name of another event";
    gauge samples: Float, Count, "Samples in the function; with inclusive_share also in its callees";
    gauge self_share: Float, Ratio, "Share of all samples in the function itself";
    gauge inclusive_share: Float, Ratio, "Share of all samples in the function or its callees";
}
