import { render } from "preact";
import "./app.css";
import { listen } from "./keys";
import { AskForToken } from "./parts/token";
import { Shell } from "./shell";
import { embedded, isReport } from "./source/embedded";
import { HttpSource, takeToken } from "./source/http";
import { asAskError, begin, go, viewError } from "./store";
import { ONE_PAGE, offerPage, showPage } from "./takeover";

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  if (isReport()) return startReport(root);
  listen();
  try {
    const token = takeToken();
    if (token) begin(new HttpSource(token));
    else {
      render(<AskForToken />, root);
      return;
    }
  } catch (error) {
    viewError.value = asAskError(error);
  }
  render(<Shell />, root);
}

/** The report stays as it is where its data cannot be read, or where it is wanted as one page. */
async function startReport(root: HTMLElement): Promise<void> {
  if (location.hash === ONE_PAGE) {
    offerPage();
    return;
  }
  const inside = await embedded().catch(() => null);
  if (!inside) return;
  listen();
  begin(inside);
  if (!location.hash.startsWith("#/")) go(inside.first);
  render(<Shell />, root);
  showPage();
}

void start();
