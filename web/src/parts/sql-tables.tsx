// The tables on the left of the SQL view: their columns with units, and what they mean.

import { useEffect, useRef, useState } from "preact/hooks";
import type { TablesDocument } from "../source/documents";
import type { AskError } from "../source/source";
import { harmless } from "../text";
import { Failed } from "./states";

type Table = TablesDocument["tables"][number];

export function Tables({
  document,
  error,
  filter,
  onInsert,
  onStart,
}: {
  document: TablesDocument | null;
  error: AskError | null;
  filter: preact.RefObject<HTMLInputElement | null>;
  /** A name goes into the query. */
  onInsert: (name: string) => void;
  /** A table is asked for. */
  onStart: (name: string) => void;
}) {
  const [wanted, setWanted] = useState("");
  const [open, setOpen] = useState<string | null>("task_time");
  const list = useRef<HTMLUListElement>(null);
  // The table that one begins with is in the middle of the alphabet.
  useEffect(() => {
    const opened = list.current?.querySelector<HTMLElement>("[aria-expanded=true]");
    if (list.current && opened) list.current.scrollTop = opened.offsetTop - 72;
  }, [document]);
  const words = wanted.trim().toLowerCase();
  const all = document?.tables ?? [];
  const ownColumns = (table: Table) =>
    (table.columns ?? []).filter((column) => words !== "" && column.name.toLowerCase().includes(words));
  const shown = all.filter(
    (table) => words === "" || table.name.toLowerCase().includes(words) || ownColumns(table).length > 0,
  );
  return (
    <aside class="sql-tables">
      <div class="sect">
        <h2>Tables</h2>
      </div>
      <input
        ref={filter}
        class="input"
        type="search"
        placeholder="filter  /"
        aria-label="filter tables and columns"
        value={wanted}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          setWanted("");
          event.currentTarget.blur();
        }}
      />
      {error ? <Failed error={error} /> : null}
      <ul class="sql-tree" ref={list}>
        {shown.map((table) => {
          const isOpen = open === table.name;
          const found = ownColumns(table);
          return (
            <li key={table.name}>
              <button
                type="button"
                class="summary"
                aria-expanded={isOpen}
                title={table.meaning}
                onClick={() => setOpen(isOpen ? null : table.name)}
              >
                <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> {harmless(table.name)}
                {table.kind === "table" ? null : <span class="r">{table.kind}</span>}
              </button>
              {isOpen ? (
                <>
                  <p class="dim meaning">
                    {table.meaning}
                    {table.kind === "function" ? null : (
                      <>
                        {" "}
                        <button type="button" class="l" onClick={() => onStart(table.name)}>
                          show rows
                        </button>
                      </>
                    )}
                  </p>
                  <Columns columns={table.columns ?? []} onInsert={onInsert} />
                </>
              ) : (
                <Columns columns={found} onInsert={onInsert} />
              )}
            </li>
          );
        })}
      </ul>
      {document && shown.length === 0 ? <p class="dim">no table or column of this name</p> : null}
    </aside>
  );
}

const TYPES: Record<string, string> = {
  INTEGER: "integer",
  REAL: "real",
  TEXT: "text",
  BOOLEAN: "true, false",
};

function Columns({
  columns,
  onInsert,
}: {
  columns: NonNullable<Table["columns"]>;
  onInsert: (name: string) => void;
}) {
  return (
    <>
      {columns.map((column) => (
        <button
          key={column.name}
          type="button"
          class="col"
          title={`${column.meaning} (${TYPES[column.data_type] ?? column.data_type}, ${column.kind})`}
          onClick={() => onInsert(column.name)}
        >
          <code>{harmless(column.name)}</code>
          <span class="r">
            {column.unit || (column.data_type === "TEXT" ? "" : (TYPES[column.data_type] ?? ""))}
          </span>
        </button>
      ))}
    </>
  );
}
