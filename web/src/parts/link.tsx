import type { ComponentChildren } from "preact";
import { type Address, format, moved } from "../address";
import { address, go, source } from "../store";

/** The address of a view, as a link has it: of a report it is the fragment. */
export function hrefOf(change: Partial<Address>): string {
  const target = format(moved(address.value, change));
  return source.value?.kind === "embedded" ? `#${target}` : target;
}

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
    <a {...rest} href={hrefOf(to)} onClick={take}>
      {children}
    </a>
  );
}

/** One of several choices of a view: all in the address. */
export function Choice({
  name,
  value,
  now,
  children,
}: {
  name: string;
  /** Empty: the one that is taken without a choice. */
  value: string;
  now: string;
  children: ComponentChildren;
}) {
  const to = { choices: { ...address.value.choices, [name]: value } };
  const isNow = value === now;
  return (
    <To to={to} class="choice" aria-current={isNow ? "true" : undefined}>
      {children}
    </To>
  );
}
