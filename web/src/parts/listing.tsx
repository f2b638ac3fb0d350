import type { ComponentChildren } from "preact";

/** What is above a column, and how its cells stand: `num`, `any`, `nowrap`… */
type Head = string | readonly [name: string, as: string];

/** A table of a few columns. A row is its key and its cells. */
export function Listing({
  heads,
  rows,
  class: named,
}: {
  heads: readonly Head[];
  rows: readonly (readonly [key: string | number, ...cells: ComponentChildren[]])[];
  class?: string;
}) {
  const of = (head: Head | undefined) => (typeof head === "string" ? "" : (head?.[1] ?? ""));
  return (
    <table class={named ?? ""}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} class={of(head)}>
              {typeof head === "string" ? head : head[0]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([key, ...cells]) => (
          <tr key={key}>
            {cells.map((cell, at) => (
              <td key={at} class={of(heads[at])}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
