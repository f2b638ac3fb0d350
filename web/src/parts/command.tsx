import { useState } from "preact/hooks";
import { copy } from "../store";

/** A command, whole; it is copied, never run. */
export function Command({ command }: { command: string }) {
  const [isCopied, setCopied] = useState(false);
  const take = () => {
    void copy(command).then(() => {
      setCopied(true);
      window.setTimeout(() => setCopied(false), 2000);
    });
  };
  return (
    <div class="cmd">
      <code>
        <span class="prompt" aria-hidden="true">
          ${" "}
        </span>
        {command}
      </code>
      <button type="button" onClick={take}>
        {isCopied ? "copied" : "copy"}
      </button>
    </div>
  );
}
