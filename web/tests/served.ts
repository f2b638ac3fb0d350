// A real server for each worker, and a page that must complain of nothing.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, type Page } from "@playwright/test";

/** Five minutes of a real machine: a gap, a program that syncs small files, then one that holds a lock. */
export const RECORDING = "../crates/top/fixtures/db1";

/** The window of it in which small files are synced. */
export const SYNCING = "since=2026-11-26T22:32:10.000Z&until=2026-11-26T22:33:00.000Z";

/** `HELDUP_BIN`, the program under test. */
export const PROGRAM = process.env.HELDUP_BIN ?? "../target/debug/heldup";

export interface Served {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  port: number;
  token: string;
  stop: () => Promise<void>;
}

/** Where a program keeps what it keeps, apart from the user's. */
export function home(): { env: NodeJS.ProcessEnv; path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "heldup-page-"));
  const env = { ...process.env, HOME: path, HELDUP_STATE_DIR: join(path, "state"), XDG_RUNTIME_DIR: path };
  return { env, path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts `heldup serve` and reads its address. */
export async function serve(words: string[]): Promise<Served> {
  const { env, remove } = home();
  const assets = process.env.HELDUP_ASSETS ? ["--assets", process.env.HELDUP_ASSETS] : [];
  const server: ChildProcess = spawn(PROGRAM, ["serve", ...words, "--port", "0", ...assets], { env });
  const ended = new Promise<void>((resolve) => server.on("exit", () => resolve()));
  let said = "";
  const address = await new Promise<string>((resolve, reject) => {
    const look = (part: Buffer) => {
      said += part;
      const found = said.match(/http:\/\/\S+#token=\S+/)?.[0];
      if (found) resolve(found);
    };
    server.stdout?.on("data", look);
    server.stderr?.on("data", look);
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`heldup serve ended with ${code}: ${said}`)));
  });
  const { origin, port, hash } = new URL(address);
  const stop = async () => {
    server.kill("SIGTERM");
    await ended;
    remove();
  };
  return { origin, port: Number(port), token: new URLSearchParams(hash.slice(1)).get("token") ?? "", stop };
}

/** What a page complained of: errors, broken policies, requests to elsewhere. */
export class Complaints {
  readonly all: string[] = [];

  /** Listens, before anything is loaded. */
  async of(page: Page, origins: string[]): Promise<void> {
    page.on("console", (message) => {
      // A refused question is an answer that the page shows; the browser writes a line about it as well.
      const isAnswer =
        message.text().startsWith("Failed to load resource") && /\/api\//.test(message.location().url);
      if (["error", "warning"].includes(message.type()) && !isAnswer) this.all.push(message.text());
    });
    page.on("pageerror", (error) => this.all.push(`${error.message}\n${error.stack ?? ""}`));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (!["data:", "blob:"].includes(protocol) && !origins.includes(origin)) {
        this.all.push(`asks elsewhere: ${request.url()}`);
      }
    });
    await page.exposeFunction("heldupComplains", (what: string) => this.all.push(what));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const complain = (window as unknown as { heldupComplains: (what: string) => void }).heldupComplains;
        complain(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
  }
}

interface Worker {
  served: Served;
}

interface Each {
  complaints: Complaints;
  /** Opens a view with the token, and waits until it shows what it has. */
  view: (path: string) => Promise<void>;
}

export const test = base.extend<Each, Worker>({
  served: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names.
    async ({}, use) => {
      const served = await serve([RECORDING]);
      await use(served);
      await served.stop();
    },
    { scope: "worker" },
  ],
  complaints: [
    async ({ page, served }, use) => {
      const complaints = new Complaints();
      await complaints.of(page, [served.origin]);
      await use(complaints);
      expect(complaints.all, "what the page complained of").toEqual([]);
    },
    { auto: true },
  ],
  view: async ({ page, served }, use) => {
    await use(async (path) => {
      await page.goto(`${served.origin}${path}#token=${served.token}`);
      await settled(page);
    });
  },
});

/** Until the view is there and asks nothing more. */
export async function settled(page: Page, timeout = 20_000): Promise<void> {
  await expect(page.locator("main")).toBeVisible({ timeout });
  await page.waitForLoadState("networkidle", { timeout });
  await expect(page.getByText("loading", { exact: true })).toHaveCount(0, { timeout });
}

/** Every view, by its path. */
export const VIEWS = {
  overview: "/",
  who: "/who",
  cpu: "/on/cpu",
  disk: "/on/disk",
  memory: "/on/memory",
  network: "/on/net",
  groups: "/on/groups",
  databases: "/on/db",
  stacks: "/stacks",
  compare: "/compare",
  experiments: "/try",
  sql: "/sql",
  recording: "/record",
};

/** Pixels that the page is wider than its window. */
export function tooWide(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

export { expect };
