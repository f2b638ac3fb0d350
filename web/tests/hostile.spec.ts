// A machine whose programs have names that want to be more than names: markup, control and direction characters, a
// megabyte; and a hundred thousand of them.
import { Complaints, expect, serve, settled, test, tooWide } from "./served";

/** Every view, by its key; the query last, where letters are letters. */
const KEYS = {
  overview: "o",
  who: "w",
  cpu: "c",
  disk: "d",
  memory: "m",
  network: "n",
  groups: "g",
  stacks: "s",
  compare: "x",
  experiments: "e",
  recording: "r",
  sql: ":",
};

const HOSTILE = process.env.HELDUP_HOSTILE;

test("names are nothing but text, however many and however long", async ({ browser }) => {
  test.skip(!HOSTILE, "HELDUP_HOSTILE names no recording");
  test.setTimeout(280_000);
  const served = await serve([HOSTILE ?? ""]);
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = new Complaints();
  await complaints.of(page, [served.origin]);
  page.on("dialog", (dialog) => {
    complaints.all.push(`a name ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const visible = { timeout: 150_000 };
  await page.goto(`${served.origin}/#token=${served.token}`);
  await expect(page.locator("main h1")).toBeVisible(visible);
  // Without loading the page again: what was examined stays.
  for (const [name, key] of Object.entries(KEYS)) {
    await page.keyboard.press(key);
    await settled(page, visible.timeout);
    await expect(page.locator("main"), name).not.toBeEmpty();
    const hostile = await page.evaluate(() => ({
      made: document.querySelectorAll("main script, main img, main iframe, [onerror], [onmouseover]").length,
      // What steers a terminal or turns the direction of what stands behind it.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
      steers: /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(
        document.body.textContent ?? "",
      ),
      nodes: document.querySelectorAll("*").length,
    }));
    expect(hostile, name).toMatchObject({ made: 0, steers: false });
    expect(hostile.nodes, `${name} draws what one can see`).toBeLessThan(20_000);
    expect(await tooWide(page), name).toBeLessThanOrEqual(0);
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("w");
  await expect(page.locator("main tbody tr").first()).toBeVisible(visible);
  await page.keyboard.press("/");
  await page.keyboard.type("onerror");
  // Long names are cut in the middle.
  await expect(page.locator("main tr", { hasText: "ror=alert(1)>" }).first()).toBeVisible(visible);
  expect(complaints.all).toEqual([]);
  await context.close();
  await served.stop();
});
