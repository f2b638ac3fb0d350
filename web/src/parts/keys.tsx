import { KEYMAP } from "../keys";
import { Popover } from "./popover";

/** The keymap, by task. */
export function Keys() {
  return (
    <Popover label="Keys" kind="keys">
      {KEYMAP.map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {keys.map(({ keys: pressed, does }) => (
              <>
                <dt>{pressed}</dt>
                <dd>{does}</dd>
              </>
            ))}
          </dl>
        </section>
      ))}
    </Popover>
  );
}
