import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { open } from "../store";

/** A window over the page: Esc or a click beside it closes it. */
export function Popover({
  label,
  kind,
  children,
}: {
  label: string;
  kind: string;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const close = () => {
    open.value = null;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it.
    <dialog
      ref={element}
      class={`pop ${kind}`}
      aria-label={label}
      onCancel={close}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      {children}
    </dialog>
  );
}
