// How it looks to everybody: to a screen reader, in both themes, on a phone and on a wide screen, on paper.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults } from "axe-core";
import { expect, SYNCING, test, tooWide, VIEWS } from "./served";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, a line each. */
async function axe(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(() =>
    (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  return found.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")}: ${node.failureSummary}`),
  );
}

/** Every view, and the first finding and process that there is. */
async function all(page: Page): Promise<Record<string, string>> {
  const finding = await page.locator('a[href*="/finding/"]').first().getAttribute("href");
  const life = await page.locator('a[href*="/who/"]').first().getAttribute("href");
  expect([finding, life]).not.toContain(null);
  const within = (path: string) => (path.includes("?") ? path : `${path}?${SYNCING}`);
  const all = { ...VIEWS, finding: finding ?? "", life: life ?? "" };
  return Object.fromEntries(Object.entries(all).map(([name, path]) => [name, within(path)]));
}

test("every view: axe finds nothing in both themes, and nothing is wider than the window", async ({
  page,
  view,
}) => {
  test.setTimeout(160_000);
  await view(`/?${SYNCING}`);
  const problems: Record<string, string[]> = {};
  for (const [name, path] of Object.entries(await all(page))) {
    // One visit for all of it: what is loaded is the same in every theme and width.
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await view(path);
    const found = await axe(page);
    await page.emulateMedia({ colorScheme: "dark" });
    found.push(...(await axe(page)).map((line) => `dark: ${line}`));
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      // Drawings follow the width a frame later.
      await expect
        .poll(() => tooWide(page), { timeout: 5000, message: `${name} at ${width}` })
        .toBeLessThanOrEqual(0)
        .catch(() => found.push(`wider than ${width}`));
    }
    if (found.length > 0) problems[name] = found;
  }
  expect(problems).toEqual({});
});

test("paper is white, has nothing to press, names its columns, and loses nothing at its edge", async ({
  page,
  view,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await view(`/?${SYNCING}`);
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  await page.setViewportSize({ width: 720, height: 1000 });
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"]).toContain(ground);
  const pressed = page.getByRole("button", { name: /copy|save|keys|table|more|program/ });
  await expect(pressed.filter({ visible: true })).toHaveCount(0);
  await expect(page.getByRole("columnheader", { name: "CPU %" })).toBeVisible();
  await expect(page.getByText("CPU %", { exact: true })).toBeVisible();
  expect(await tooWide(page)).toBeLessThanOrEqual(0);
  expect((await page.pdf({ format: "A4" })).byteLength).toBeGreaterThan(10_000);
});
