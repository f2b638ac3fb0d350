import { useState } from "preact/hooks";
import { byName, OTHERS } from "../examination";
import { address, go, open, state, view } from "../store";
import { duration, harmless, middle, moment } from "../text";
import { Popover } from "./popover";

const KINDS: Record<string, string> = {
  live: "this machine",
  archive: "archive",
  capture: "capture",
  recording: "imported, no per-task waits",
};

/** What is shown: the hosts of the source, and how long it is. */
export function SourcePicker() {
  const known = state.value;
  if (!known) return null;
  const choose = (host: string) => {
    open.value = null;
    if (host !== known.host) go({ host, since: null, until: null, focus: null });
  };
  const { all, source } = known;
  return (
    <Popover label="Source" kind="sources">
      <table>
        <tbody>
          {known.hosts.map((host) => (
            <tr key={host} aria-selected={host === known.host}>
              <td>
                <button type="button" class={host === known.host ? "on" : ""} onClick={() => choose(host)}>
                  <span class="bidi">{middle(host, 40)}</span>
                </button>
              </td>
              <td class="dim">{known.live ? "live" : (KINDS[source.kind] ?? source.kind)}</td>
              <td class="num dim">{host === known.host ? duration(all.until_ms - all.since_ms) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">
        {moment(all.since_ms)} – {moment(all.until_ms)}
        {known.zone ? ` ${known.zone}` : ""}
      </p>
      {source.name ? <p class="mono bidi">{harmless(source.name)}</p> : null}
    </Popover>
  );
}

/** Whose tasks charts are of. */
export function FocusPicker() {
  const [words, setWords] = useState("");
  const choose = (focus: string | null) => {
    open.value = null;
    go({ focus });
  };
  const ledger = view.value?.examination.ledger;
  const active = (ledger?.classes ?? []).filter(({ group }) => group === "running" || group === "waiting");
  const tasks = active.flatMap((one) => one.tasks);
  const named = (key: "name" | "unit") =>
    byName(tasks.filter((task) => task[key]).map((task) => ({ ...task, name: task[key] as string })))
      .filter(({ name }) => name !== OTHERS)
      .map(({ name }) => name);
  const all = [
    ...named("unit").map((name) => `unit:${name}`),
    ...named("name").map((name) => `comm:${name}`),
  ];
  const found = all.filter((one) => one.toLowerCase().includes(words.toLowerCase())).slice(0, 12);
  return (
    <Popover label="Whose tasks" kind="focuses">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          choose(words.includes(":") ? words : (found[0] ?? (words || null)));
        }}
      >
        <input
          class="input"
          aria-label="unit, program or process: unit:db.service"
          placeholder="unit:db.service, comm:java, pid:4711"
          value={words}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </form>
      <ul>
        <li>
          <button type="button" class={address.value.focus ? "" : "on"} onClick={() => choose(null)}>
            all tasks
          </button>
        </li>
        {found.map((focus) => (
          <li key={focus}>
            <button
              type="button"
              class={focus === address.value.focus ? "on" : ""}
              onClick={() => choose(focus)}
            >
              <span class="bidi">{middle(focus, 44)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Popover>
  );
}
