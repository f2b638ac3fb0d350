// How soon the page shows what one asks for, of a long recording: `HELDUP_BIN=… node tests/bench.mjs FOLDER [TIMES]`.
// Prints a JSON array of { what, bar, unit, values }; `cargo xtask bench --only page` holds the medians against the bars.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const [folder, timesWanted = "20"] = process.argv.slice(2);
if (!folder) throw new Error("node tests/bench.mjs FOLDER [TIMES]");
const TIMES = Number(timesWanted);
const HOUR = 3_600_000;
const program = process.env.HELDUP_BIN ?? "../target/release/heldup";
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** Starts a server and reads its address. */
async function serve(words) {
  const assets = process.env.HELDUP_ASSETS ? ["--assets", process.env.HELDUP_ASSETS] : [];
  const server = spawn(program, ["serve", ...words, "--port", "0", ...assets]);
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
  const headers = { Authorization: `Bearer ${new URLSearchParams(address.hash.slice(1)).get("token")}` };
  const ask = async (path) => (await fetch(`${address.origin}/api/${path}`, { headers })).json();
  return { server, address, ask, stop: () => server.kill("SIGTERM") };
}

/** CPU milliseconds that a process and its children took so far. */
function cpuMs(pid) {
  const of = (one) => {
    try {
      const fields = readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1].split(" ");
      return (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      return 0;
    }
  };
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const isChild = (one) => {
    try {
      return Number(readFileSync(`/proc/${one}/stat`, "utf8").split(") ")[1].split(" ")[1]) === pid;
    } catch {
      return false;
    }
  };
  return of(pid) + parents.filter(isChild).reduce((sum, one) => sum + of(one), 0);
}

/** Milliseconds until what one looks at is there: the last answer to these questions came, and a frame was drawn. */
function answers(page, wanted) {
  const began = performance.now();
  const open = new Set();
  let seen = 0;
  let last = began;
  const asked = (request) => {
    if (wanted.test(new URL(request.url()).pathname)) {
      open.add(request);
      seen += 1;
    }
  };
  const answered = (request) => {
    if (open.delete(request)) last = performance.now();
  };
  page.on("request", asked);
  page.on("requestfinished", answered);
  page.on("requestfailed", answered);
  return async () => {
    const patience = performance.now() + 120_000;
    while (performance.now() < patience) {
      if (seen > 0 && open.size === 0 && performance.now() - last > 250) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    page.off("request", asked);
    page.off("requestfinished", answered);
    page.off("requestfailed", answered);
    if (seen === 0) throw new Error(`nothing was asked: ${wanted}`);
    return last - began;
  };
}

/** Milliseconds that the browser worked in the meantime: scripts, layout, painting on its main thread. */
async function worked(client, act) {
  const task = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "TaskDuration").value * 1000;
  };
  const before = await task();
  await act();
  await new Promise((resolve) => setTimeout(resolve, 120));
  return (await task()) - before;
}

const measured = [];
async function measure(what, bar, unit, once) {
  const values = [];
  try {
    // The first reads the files from the disk.
    await once(0);
    for (let at = 1; at <= TIMES; at += 1) values.push(await once(at));
    measured.push({ what, bar, unit, values });
  } catch (error) {
    measured.push({ what, bar, unit, values, error: String(error.message ?? error).split("\n")[0] });
  }
  process.stderr.write(`${what}: ${values.map((value) => value.toFixed(unit === "s" ? 2 : 1)).join(" ")}\n`);
}

const browser = await chromium.launch({ executablePath, args });
const day = await serve([folder]);
const all = (await day.ask("state")).all;
const iso = (ms) => new Date(ms).toISOString();
const within = (since, until) => `since=${iso(since)}&until=${iso(until)}`;
const whole = within(all.since_ms, all.until_ms);
/** Another window each time: what was asked before may be kept. */
const part = (at, length) => {
  const room = Math.max(1, all.until_ms - all.since_ms - length);
  const since = all.since_ms + ((at * 1_234_567) % room);
  return within(since, Math.min(since + length, all.until_ms));
};
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
const client = await context.newCDPSession(page);
await client.send("Performance.enable");
const to = (path) => `${day.address.origin}${path}${day.address.hash}`;
const FIGURES = /^\/api\/figures$/;
/** What a view shows at once; findings of parts of a longer time come after it. */
const ALL = /^\/api\/(?!marks|live|now)/;

await measure("the page's first pixels", 0.3, "s", async () => {
  const fresh = await browser.newContext();
  const one = await fresh.newPage();
  await one.goto(to("/"), { waitUntil: "commit" });
  const paint = await one.evaluate(
    () =>
      new Promise((resolve) => {
        const look = (list) => list.find((entry) => entry.name === "first-contentful-paint");
        new PerformanceObserver((list) => {
          const found = look(list.getEntries());
          if (found) resolve(found.startTime);
        }).observe({ type: "paint", buffered: true });
      }),
  );
  await fresh.close();
  return paint / 1000;
});

const opened = (path, wanted) => async () => {
  await page.goto("about:blank");
  const until = answers(page, wanted);
  await page.goto(to(path), { waitUntil: "commit" });
  return (await until()) / 1000;
};
await measure("overview of the day: charts", 0.6, "s", opened(`/?${whole}`, FIGURES));
await measure("overview of the day: all", 1.0, "s", opened(`/?${whole}`, ALL));
await measure("who, of the day", 1.0, "s", opened(`/who?${whole}`, /^\/api\/who$/));

/** To another window by the address, as a brush does it: without loading the page again. */
const moved = (length, wanted) => async (at) => {
  const until = answers(page, wanted);
  await page.evaluate(
    (search) => {
      history.pushState(null, "", `${location.pathname}?${search}`);
      window.dispatchEvent(new PopStateEvent("popstate"));
    },
    part(at, length),
  );
  return (await until()) / 1000;
};
await page.goto(to(`/?${whole}`));
await page.waitForLoadState("networkidle");
await measure("brush to an hour by the second: charts", 0.5, "s", moved(HOUR, FIGURES));
await measure("five minutes: charts", 0.3, "s", moved(300_000, FIGURES));

const who = await day.ask(`who?since_ms=${all.until_ms - 300_000}&until_ms=${all.until_ms}`);
const one = who.processes.find((process) => !process.is_kernel && process.start_ms);
if (one) {
  await measure(
    "a process's day",
    0.3,
    "s",
    opened(`/who/${one.pid}@${one.start_ms}?${whole}`, /^\/api\/life$/),
  );
}

await page.goto(to(`/?${part(1, 300_000)}`));
await page.waitForLoadState("networkidle");
await measure("cursor over a chart", 16, "ms", async (at) => {
  const box = await page.locator("main [role=slider], main [role=img]").first().boundingBox();
  return worked(client, () => page.mouse.move(box.x + 20 + at * 7, box.y + box.height / 2));
});
await page.goto(to(`/on/disk?${part(2, 300_000)}`));
await page.waitForLoadState("networkidle");
await measure("a view of charts with heat maps drawn again", 50, "ms", async (at) =>
  worked(client, () => page.emulateMedia({ colorScheme: at % 2 ? "dark" : "light" })),
);
await page.goto(to(`/sql?query=${encodeURIComponent("select * from task_time")}&${part(3, 300_000)}`));
await page.waitForLoadState("networkidle");
await measure("a screen of a table of rows", 16, "ms", async () =>
  worked(client, () => page.mouse.wheel(0, 400)),
);
// By its key, so that the page itself is not loaded again.
await page.goto(to(`/try?${part(4, 300_000)}`));
await page.waitForLoadState("networkidle");
await measure("flame graph, opened", 100, "ms", async () => {
  await page.keyboard.press("e");
  await page.waitForTimeout(300);
  return worked(client, async () => {
    const drawn = page.locator("main [role=group][aria-label^='Flame graph']").waitFor();
    await page.keyboard.press("s");
    await drawn;
  });
});
await measure("flame graph, zoomed", 60, "ms", async () => {
  const box = await page.locator("main [role=group][aria-label^='Flame graph']").boundingBox();
  // The largest box of the third row; Escape leads out of it again.
  await page.mouse.click(box.x + 20, box.y + 40);
  const took = await worked(client, () => page.keyboard.press("Enter"));
  await page.keyboard.press("Escape");
  return took;
});
await page.close();
day.stop();

const live = await serve([]);
const tab = await context.newPage();
await tab.goto(`${live.address.origin}/${live.address.hash}`);
await tab.waitForTimeout(20_000);
const over = async (seconds) => {
  const before = cpuMs(live.server.pid);
  await tab.waitForTimeout(seconds * 1000);
  return (cpuMs(live.server.pid) - before) / seconds;
};
const visible = await over(20);
await tab.evaluate(() => {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
});
await tab.waitForTimeout(5000);
const asked = [];
tab.on("request", (request) => asked.push(request.url()));
const hidden = await over(20);
measured.push({
  what: "live, a page open: CPU a second beyond a hidden one",
  bar: 5,
  unit: "ms",
  values: [visible - hidden],
});
measured.push({
  what: "live, recording and a hidden page: CPU a second",
  bar: null,
  unit: "ms",
  values: [hidden],
});
measured.push({ what: "live, hidden: questions in 20 s", bar: 0, unit: "", values: [asked.length] });
live.stop();
await browser.close();
process.stdout.write(`${JSON.stringify(measured, null, 1)}\n`);
