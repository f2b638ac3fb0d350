// Pictures of every view, in both themes and three widths, of a real run: `HELDUP_BIN=… node tests/pictures.mjs FOLDER [SOURCE…]`.
// `ONLY=overview,who WIDTHS=1280 THEMES=light` takes some of them; `PRINT=1` takes paper too.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";

const [folder, ...words] = process.argv.slice(2);
if (!folder) throw new Error("node tests/pictures.mjs FOLDER [SOURCE…]");
mkdirSync(folder, { recursive: true });
const listed = (name, all) => process.env[name]?.split(",") ?? all;

const source = words.length > 0 ? words : ["../crates/top/fixtures/db1"];
const assets = process.env.HELDUP_ASSETS ? ["--assets", process.env.HELDUP_ASSETS] : [];
const program = process.env.HELDUP_BIN ?? "../target/debug/heldup";
const server = spawn(program, ["serve", ...source, "--port", "0", ...assets]);
const address = await new Promise((resolve, reject) => {
  let said = "";
  const look = (part) => {
    said += part;
    const found = said.match(/http:\/\/\S+#token=\S+/)?.[0];
    if (found) resolve(new URL(found));
  };
  server.stdout.on("data", look);
  server.stderr.on("data", look);
  server.on("exit", (code) => reject(new Error(`heldup serve ended with ${code}: ${said}`)));
});

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath, args });
try {
  const views = {
    overview: "/",
    who: "/who",
    "on-cpu": "/on/cpu",
    "on-disk": "/on/disk",
    "on-memory": "/on/memory",
    "on-net": "/on/net",
    "on-groups": "/on/groups",
    "on-db": "/on/db",
    stacks: "/stacks",
    "stacks-cpu": "/stacks?kind=cpu",
    compare: "/compare",
    try: "/try",
    sql: "/sql",
    record: "/record",
  };
  const settled = async (page) => {
    await page.locator("main").waitFor({ timeout: 60_000 });
    await page.waitForLoadState("networkidle").catch(() => undefined);
    await page.waitForTimeout(300);
  };
  const open = async (page, path) => {
    await page.goto(`${address.origin}${path}${address.hash}`);
    await settled(page);
  };
  const first = await browser.newPage({ timezoneId: "UTC" });
  // Of the recording that is shipped: the window with the most to see.
  const within =
    process.env.WITHIN ??
    (words.length > 0 ? "" : "since=2026-11-26T22:32:10.000Z&until=2026-11-26T22:33:00.000Z");
  await open(first, `/?${within}`);
  const linked = (start) =>
    first.locator(`a[href^="${start}"]`).first().getAttribute("href", { timeout: 5000 });
  for (const [name, start] of [
    ["finding", "/finding/"],
    ["life", "/who/"],
  ]) {
    const path = await linked(start).catch(() => null);
    if (path) views[name] = path;
    else process.stdout.write(`no link to ${start} on the first view\n`);
  }
  await first.close();
  const only = listed("ONLY", [...Object.keys(views), "keys"]);
  for (const colorScheme of listed("THEMES", ["light", "dark"])) {
    for (const width of listed("WIDTHS", ["390", "1280", "1920"]).map(Number)) {
      const page = await browser.newPage({
        viewport: { width, height: 900 },
        colorScheme,
        timezoneId: "UTC",
      });
      page.on("pageerror", (error) => process.stdout.write(`${page.url()}: ${error.message}\n`));
      page.on("console", (message) => {
        if (message.type() === "error") process.stdout.write(`${page.url()}: ${message.text()}\n`);
      });
      // As high as it is long, so that what is drawn only when it is seen is drawn.
      const take = async (name) => {
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewportSize({ width, height: Math.max(900, height) });
        await settled(page);
        await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
        await page.setViewportSize({ width, height: 900 });
      };
      for (const name of only.filter((name) => views[name])) {
        const path = views[name];
        await open(
          page,
          path.includes("since=") || !within ? path : `${path}${path.includes("?") ? "&" : "?"}${within}`,
        );
        await take(name);
        const wider = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (wider > 0) process.stdout.write(`${name}, ${width}: ${wider} pixels wider than the window\n`);
        if (process.env.PRINT && width === 1280) {
          await page.pdf({ path: join(folder, `${name}-${colorScheme}.pdf`), format: "A4" });
        }
      }
      if (only.includes("keys")) {
        await open(page, `/?${within}`);
        await page.keyboard.press("?");
        await page.waitForTimeout(200);
        await take("keys");
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
