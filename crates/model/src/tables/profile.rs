//! `profile`: functions by how often a profiler of another tool met them. It has no task and no stack:
//! what has those is `stack`.
crate::table! {
    /// One function in one listing.
    ProfileRow = "profile", grain "one row for each function, image and program of a listing", origin "recordings of opreport, perf report, perf top and Solaris lockstat", born_at_zero false;
    key function_name: Text(Name), None, "Function, as the tool names it; NULL where it has no symbols";
    key image_name: Text(Name), None, "Program, library, module or kernel that it belongs to";
    key process_name: Text(Name), None, "Program that ran it, where that is told apart from the image";
    label counted: Text(Word), None, "What was counted: cpu (time on a CPU), or the tool's name of another event";
    gauge samples: Float, Count, "Samples in it, or in it and what it called where inclusive_share is told";
    gauge self_share: Float, Ratio, "Share of all samples in the function itself";
    gauge inclusive_share: Float, Ratio, "Share of all samples in it or in what it called";
}
