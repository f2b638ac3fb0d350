//! The macro by which tables are declared.

/// Declares a table and the typed row that fills it.
///
/// Each column is `kind name: type, unit, "meaning";`, of text `Text(Word)`, where the word in
/// brackets is one of [`crate::Holds`]. The row struct has one `Option` a column: what was not
/// measured stays `None` and becomes NULL.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $row:ident = $name:literal, grain $grain:literal, origin $origin:literal, born_at_zero $born:literal;
        $( $kind:ident $column:ident : $ty:ident $( ( $holds:ident ) )?, $unit:ident, $meaning:literal; )*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $row {
            $( #[doc = $meaning] pub $column: Option<$crate::table!(@rust $ty)>, )*
        }

        impl $crate::Record for $row {
            const DEF: &'static $crate::TableDef = &$crate::TableDef {
                name: $name,
                grain: $grain,
                origin: $origin,
                born_at_zero: $born,
                columns: &[ $( $crate::Column {
                    name: stringify!($column),
                    ty: $crate::ColumnType::$ty,
                    kind: $crate::table!(@kind $kind),
                    unit: $crate::Unit::$unit,
                    holds: $crate::table!(@holds $( $holds )?),
                    meaning: $meaning,
                }, )* ],
            };

            fn push_to(self, cells: &mut [$crate::Cells]) {
                let mut next = cells.iter_mut();
                $( if let Some(cell) = next.next() { $crate::table!(@push $ty cell, self.$column) } )*
            }

            fn push_all(rows: &mut Vec<Self>, cells: &mut [$crate::Cells]) {
                let mut next = cells.iter_mut();
                $( if let Some(cell) = next.next() { $crate::table!(@push_all $ty cell, rows, $column) } )*
                rows.clear();
            }

            fn since(&self, before: Option<&Self>) -> Self {
                // Of a table without counters only `self` is looked at.
                let _ = before;
                $row { $( $column: $crate::table!(@since $kind $ty self, before, $column, $born), )* }
            }
        }
    };
    (@rust Int) => { i64 };
    (@rust Float) => { f64 };
    (@rust Bool) => { bool };
    (@rust Text) => { $crate::Text };
    (@holds) => { $crate::Holds::Unsaid };
    (@holds $holds:ident) => { $crate::Holds::$holds };
    (@kind key) => { $crate::ColumnKind::Key };
    (@kind label) => { $crate::ColumnKind::Label };
    (@kind counter) => { $crate::ColumnKind::Counter };
    (@kind gauge) => { $crate::ColumnKind::Gauge };
    (@kind error) => { $crate::ColumnKind::Error };
    (@since counter Int $now:ident, $before:ident, $column:ident, $born:literal) => {
        $crate::increase_of_ints($now.$column, $before.map_or($born.then_some(0), |row| row.$column))
    };
    (@since counter Float $now:ident, $before:ident, $column:ident, $born:literal) => {
        $crate::increase_of_floats($now.$column, $before.map_or($born.then_some(0.0), |row| row.$column))
    };
    (@since $kind:ident $ty:ident $now:ident, $before:ident, $column:ident, $born:literal) => {
        $now.$column.clone()
    };
    (@push Int $cell:ident, $value:expr) => { $cell.push_int($value) };
    (@push Float $cell:ident, $value:expr) => { $cell.push_float($value) };
    (@push Bool $cell:ident, $value:expr) => { $cell.push_bool($value) };
    (@push Text $cell:ident, $value:expr) => { $cell.push_text($value) };
    (@push_all Int $cell:ident, $rows:ident, $column:ident) => {
        $cell.extend_ints($rows.iter().map(|row| row.$column))
    };
    (@push_all Float $cell:ident, $rows:ident, $column:ident) => {
        $cell.extend_floats($rows.iter().map(|row| row.$column))
    };
    (@push_all Bool $cell:ident, $rows:ident, $column:ident) => {
        $cell.extend_bools($rows.iter().map(|row| row.$column))
    };
    (@push_all Text $cell:ident, $rows:ident, $column:ident) => {
        $cell.extend_texts($rows.iter_mut().map(|row| row.$column.take()))
    };
}
