//! `refused_value`: values of a recording that cannot be, and were left out.
crate::table! {
    /// The impossible values of one column of a recording.
    RefusedValueRow = "refused_value", grain "one row for each column of a recording that had impossible values, at the time of the first", origin "recordings of other tools", born_at_zero false;
    key table_name: Text(Word), None, "Table";
    key column_name: Text(Word), None, "Column; time if rows were left out because their time cannot be";
    label thing: Text(Name), None, "What the first of them was about: device, interface, CPU";
    gauge cells: Int, Count, "Values left out: negative, more than the interval allows, or a part above its whole";
    gauge first_value: Float, None, "The first of them, in the unit of the column";
}
