import { render } from "preact";
import "./app.css";
import { listen } from "./keys";
import { AskForToken } from "./parts/token";
import { Shell } from "./shell";
import { embedded } from "./source/embedded";
import { HttpSource, takeToken } from "./source/http";
import { asAskError, begin, viewError } from "./store";

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  listen();
  try {
    const inside = await embedded();
    const token = inside ? null : takeToken();
    const from = inside ?? (token ? new HttpSource(token) : null);
    if (from) begin(from);
    else {
      render(<AskForToken />, root);
      return;
    }
  } catch (error) {
    viewError.value = asAskError(error);
  }
  render(<Shell />, root);
}

void start();
