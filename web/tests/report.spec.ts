// A report as a file: complete without scripts; with them it is the page, which asks nobody for anything.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test as base } from "@playwright/test";
import { Complaints, expect, home, PROGRAM, RECORDING, SYNCING, tooWide } from "./served";

const test = base.extend<object, { report: string }>({
  report: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names.
    async ({}, use) => {
      const { env, path, remove } = home();
      const file = join(path, "report.html");
      const words = new URLSearchParams(SYNCING);
      const span = ["--since", words.get("since") ?? "", "--until", words.get("until") ?? ""];
      execFileSync(PROGRAM, ["examine", RECORDING, ...span, "--no-save", "-o", file], { env, stdio: "pipe" });
      await use(file);
      remove();
    },
    { scope: "worker" },
  ],
});

test("without scripts everything is text", async ({ browser, report }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(report).href);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const text = (await page.locator("#report").textContent()) ?? "";
  for (const fact of ["db1", "/srv/db", "exporter", "Active time", "disk.sync-bound", "export.service"]) {
    expect(text).toContain(fact);
  }
  await expect(page.locator("#report figure svg").first()).toBeVisible();
  await expect(page.locator("#app")).toBeHidden();
  await context.close();
});

test("with scripts it is the page, and no request leaves it", async ({ browser, report }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: "UTC" });
  const page = await context.newPage();
  const complaints = new Complaints();
  await complaints.of(page, ["null"]);
  const began = Date.now();
  await page.goto(pathToFileURL(report).href);
  await expect(page.getByRole("navigation").first()).toBeVisible();
  const opened = Date.now() - began;
  await expect(page.locator("#report")).toBeHidden();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("What is wrong");
  await expect(page.locator("#main [role=slider]").first()).toBeVisible();
  await page.getByRole("link", { name: /^\/srv\/db: tasks waited/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("/srv/db");
  await expect(page.locator("figure").first()).toBeVisible();
  for (const [key, heading] of [
    ["w", "Who"],
    ["d", /./],
    ["o", "What is wrong"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(heading);
  }
  // What is not in the file names its command.
  await page.keyboard.press(":");
  await expect(page.locator("#main")).toContainText("not in this file");
  for (const width of [390, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await tooWide(page)).toBeLessThanOrEqual(0);
  }
  expect(complaints.all).toEqual([]);
  expect(opened, "milliseconds until it is there").toBeLessThan(5000);
  await context.close();
});

test("paper has the report, whole, whether scripts run or not", async ({ browser, report }) => {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(report).href);
  await expect(page.getByRole("navigation").first()).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("#report")).toBeVisible();
  await expect(page.locator("#app")).toBeHidden();
  await page.close();
});

test("its size, and what it may run", async ({ report }) => {
  expect(statSync(report).size).toBeLessThan(1_500_000);
  const text = readFileSync(report, "utf8");
  expect(text.match(/<script/g)).toHaveLength(2);
  expect(text).not.toMatch(/<(?:link|iframe|img)\b/);
});
