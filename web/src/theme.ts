// Light or dark: as the system is, or as one chose here.

import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];
const KEY = "heldup-theme";

function kept(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(kept());

function show(): void {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
}

export function choose(next: Theme): void {
  theme.value = next;
  show();
  try {
    if (next === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // It holds until the page is left.
  }
}

show();
