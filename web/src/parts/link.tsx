import type { ComponentChildren } from "preact";
import { type Address, format } from "../address";
import { address, go, source } from "../store";

/** The address of a view, as a link has it: of a report it is the fragment. */
export function hrefOf(change: Partial<Address>): string {
  const target = format({ ...address.value, ...change });
  return source.value?.kind === "embedded" ? `#${target}` : target;
}

/** Leads to a view, or to another choice of this one. */
export function Link({
  to,
  class: named = "l",
  children,
  ...more
}: {
  to: Partial<Address>;
  class?: string;
  children: ComponentChildren;
  "aria-current"?: "true" | undefined;
}) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a class={named} href={hrefOf(to)} onClick={follow} {...more}>
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
  return (
    <Link
      to={to}
      class={value === now ? "choice on" : "choice"}
      aria-current={value === now ? "true" : undefined}
    >
      {children}
    </Link>
  );
}
