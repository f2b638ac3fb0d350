// A canvas does not follow the style sheet by itself: what is painted again when the colours change.

import { signal } from "@preact/signals";

const changes = signal(0);
let isListening = false;

/** Changes with the colours of the page. */
export function useTheme(): number {
  if (!isListening) {
    isListening = true;
    const changed = () => {
      changes.value += 1;
    };
    for (const query of ["(prefers-color-scheme: dark)", "print"])
      window.matchMedia(query).addEventListener("change", changed);
    new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }
  return changes.value;
}
