import type { ComponentChildren } from "preact";

interface HeadProps {
  title: string;
  /** Beside the title. */
  said?: ComponentChildren;
  children?: ComponentChildren;
}

/** The line above a part of a view. */
export function Head({ title, said, children }: HeadProps) {
  return (
    <div class="sect">
      <h2>{title}</h2>
      {said ? <span class="dim">{said}</span> : null}
      {children}
    </div>
  );
}

/** A part of a view. */
export function Section({ title, said, class: named, children }: HeadProps & { class?: string }) {
  return (
    <section class={named}>
      <Head title={title} said={said} />
      {children}
    </section>
  );
}

/** A name and what it is, in a `dl`; nothing where there is nothing to say. */
export function Fact({
  name,
  class: named,
  children,
}: {
  name: string;
  class?: string;
  children: ComponentChildren;
}) {
  if (!children) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class={named}>{children}</dd>
    </>
  );
}
