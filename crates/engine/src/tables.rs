//! What a query may name: tables, rollups, views and functions, from their declarations.

use heldup_archive::{VIEWS, sql_functions};
use heldup_model::{ListedColumn, ListedTable, TABLES_SCHEMA, TableDef, TablesAnswer, rollup, tables};

use crate::error::Result;
use crate::nearest::unknown;

/// All that a query may name, or one table or view with its columns.
pub fn tables(name: Option<&str>) -> Result<TablesAnswer> {
    let listed = match name {
        None => all(&|def, kind| bare(kind, def.name, def.grain)),
        Some(name) => vec![one(name)?],
    };
    Ok(answer(listed))
}

/// All that a query may name, with all columns.
pub fn all_with_columns() -> TablesAnswer {
    answer(all(&described))
}

fn answer(tables: Vec<ListedTable>) -> TablesAnswer {
    TablesAnswer { schema: TABLES_SCHEMA.to_owned(), tables }
}

fn bare(kind: &str, name: &str, meaning: &str) -> ListedTable {
    ListedTable {
        name: name.to_owned(),
        kind: kind.to_owned(),
        meaning: meaning.to_owned(),
        ..ListedTable::default()
    }
}

fn all(listed: &dyn Fn(&TableDef, &str) -> ListedTable) -> Vec<ListedTable> {
    let own = tables::ALL.iter().map(|def| listed(def, "table"));
    let minutes = rollup::all().iter().map(|rollup| listed(rollup.def, "rollup"));
    let views = VIEWS.iter().map(|view| bare("view", view.name, view.meaning));
    let functions =
        sql_functions().iter().map(|function| bare("function", function.signature, function.meaning));
    own.chain(minutes).chain(views).chain(functions).collect()
}

fn one(name: &str) -> Result<ListedTable> {
    if let Some(rollup) = rollup::find(name) {
        return Ok(described(rollup.def, "rollup"));
    }
    if let Some(def) = tables::find(name) {
        return Ok(described(def, "table"));
    }
    if let Some(view) = VIEWS.iter().find(|view| view.name == name) {
        let select = Some(view.select.to_owned());
        return Ok(ListedTable { select, ..bare("view", view.name, view.meaning) });
    }
    let names = tables::ALL.iter().map(|def| def.name).chain(VIEWS.iter().map(|view| view.name));
    Err(unknown("table", name, names, "heldup tables"))
}

fn described(def: &TableDef, kind: &str) -> ListedTable {
    let columns = def.all_columns().map(|column| ListedColumn {
        name: column.name.to_owned(),
        data_type: column.ty.sql_name().to_owned(),
        kind: column.kind.name().to_owned(),
        unit: column.unit.name().to_owned(),
        meaning: column.meaning.to_owned(),
    });
    ListedTable {
        origin: Some(def.origin.to_owned()),
        columns: columns.collect(),
        by_the_minute: rollup::of(def.name).map(|rollup| rollup.def.name.to_owned()),
        ..bare(kind, def.name, def.grain)
    }
}
