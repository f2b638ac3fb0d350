// Answers out of the file itself: a report holds the window that it was written of, and nothing else.

import type { Source } from "./source";
import { AskError } from "./source";

/** The element that holds the data of a report. */
export const DATA = "heldup-data";

/** The source of a report; none where the page comes from a server. */
export async function embedded(): Promise<Source | null> {
  const element = document.getElementById(DATA);
  if (!element) return null;
  throw new AskError("The data of this report cannot be read by this page.");
}
