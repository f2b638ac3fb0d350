// From what is wrong to the function that waits: finding, figure, the very query, its rows, the process, its stacks. Once by
// mouse, once by keys alone.
import type { Page } from "@playwright/test";
import { expect, SYNCING, settled, test } from "./served";

const path = (page: Page) => decodeURIComponent(new URL(page.url()).pathname);
const query = (page: Page) => new URL(page.url()).searchParams.get("query") ?? "";

/** Presses Tab until what has the focus leads to an address: nobody without a mouse needs more than this. */
async function tabTo(page: Page, target: string, word = ""): Promise<void> {
  for (let at = 0; at < 250; at += 1) {
    await page.keyboard.press("Tab");
    const address = await page.evaluate(() => document.activeElement?.getAttribute("href") ?? "");
    if (decodeURIComponent(address).startsWith(target) && address.includes(word)) return;
  }
  throw new Error(`Tab does not lead to ${target}`);
}

test("by mouse", async ({ page, view }) => {
  await view(`/?${SYNCING}`);
  await page.getByRole("link", { name: /^\/srv\/db: tasks waited/ }).click();
  await settled(page);
  expect(path(page)).toBe("/finding/disk.sync-bound/mount:/srv/db");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("/srv/db");

  const figure = page.locator("figure", { has: page.getByRole("slider") }).first();
  await figure.getByText("more", { exact: true }).click();
  await figure.getByRole("link", { name: "its SQL" }).click();
  await settled(page);
  expect(path(page)).toBe("/sql");
  expect(query(page)).toMatch(/^select time/);
  const rows = page.getByRole("row");
  await expect(rows.nth(1)).toBeVisible();
  // A time of a row is a window around it.
  await expect(page.locator('main table a[href*="since="]').first()).toBeVisible();

  const whose =
    "select pid, process_name, sum(seconds) as seconds from task_time where class_name = 'disk_sync' group by 1, 2 order by 3 desc";
  await page.locator("textarea").fill(whose);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator('main table a[href^="/who/"]').first().click();
  await settled(page);
  expect(path(page)).toMatch(/^\/who\/\d+/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("exporter");

  await page.locator('main a[href*="/stacks"]').first().click();
  await settled(page);
  expect(path(page)).toBe("/stacks");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Stacks");
  const flame = page.getByRole("group", { name: /^Flame graph/ });
  await expect(flame.getByRole("img", { name: "exporter, sync" })).toBeVisible();
});

test("by keys alone", async ({ page, view }) => {
  await view(`/?${SYNCING}`);
  await tabTo(page, "/finding/disk.sync-bound");
  await page.keyboard.press("Enter");
  await settled(page);
  expect(path(page)).toBe("/finding/disk.sync-bound/mount:/srv/db");

  // The query that shows what the finding is made of.
  await tabTo(page, "/sql?", "query=");
  await page.keyboard.press("Enter");
  await settled(page);
  expect(path(page)).toBe("/sql");
  expect(query(page)).toContain("select");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("row").nth(1)).toBeVisible();

  // Letters are keys outside of the query.
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await expect.poll(() => path(page)).toBe("/stacks");
  await settled(page);
  await page.getByRole("group", { name: /^Flame graph/ }).focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await expect(page.locator("main")).toContainText("exporter › sync › fsync");
  await page.keyboard.press("Enter");
  await tabTo(page, "/sql?", "query=");
  await page.keyboard.press("Enter");
  await settled(page);
  expect(query(page)).toContain("from stack");
  await expect(page.getByRole("row").nth(1)).toContainText("fsync");

  await page.keyboard.press("Escape");
  for (const [key, to] of [
    ["o", "/"],
    ["w", "/who"],
    ["c", "/on/cpu"],
    ["d", "/on/disk"],
    ["m", "/on/memory"],
    ["n", "/on/net"],
    ["x", "/compare"],
    ["e", "/try"],
    ["r", "/record"],
    [":", "/sql"],
  ]) {
    await page.keyboard.press(key as string);
    await expect.poll(() => path(page), { message: key }).toBe(to);
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("o");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a window of one's own: by keys, in the address, and back", async ({ page, view }) => {
  await view("/");
  await page.keyboard.press("b");
  await page.keyboard.type("22:32:30");
  await expect(page.getByText("· recorded")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("since")).not.toBeNull();
  await settled(page);
  const before = new URL(page.url()).search;
  await page.keyboard.press("w");
  await settled(page);
  expect(new URL(page.url()).searchParams.get("since")).toBe(new URLSearchParams(before).get("since"));
  await page.goBack();
  await settled(page);
  expect(path(page)).toBe("/");
  await page.keyboard.press("End");
  await expect.poll(() => new URL(page.url()).searchParams.get("since")).toBeNull();
});
