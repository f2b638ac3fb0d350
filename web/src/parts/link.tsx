import type { ComponentChildren } from "preact";
import { type Address, format } from "../address";
import { address, go } from "../store";

interface Props {
  /** What the address changes to. */
  to: Partial<Address>;
  class?: string;
  title?: string;
  "aria-label"?: string;
  "aria-current"?: "page" | "true" | undefined;
  children: ComponentChildren;
}

/** A link to a view; a new tab has its address too. */
export function To({ to, children, ...rest }: Props) {
  const take = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={format({ ...address.value, ...to })} onClick={take}>
      {children}
    </a>
  );
}
