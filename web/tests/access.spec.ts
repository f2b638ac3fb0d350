// Who may see it, from where: the token, a second tab, a shared address, a tunnel.
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, SYNCING, settled, test } from "./served";

test("the token leaves the address, and another tab asks for it and keeps the view", async ({
  context,
  page,
  served,
  view,
}) => {
  await view("/on/disk");
  expect(page.url()).not.toContain(served.token);
  expect(new URL(page.url()).pathname).toBe("/on/disk");
  await page.reload();
  await settled(page);
  await expect(page.getByLabel("token", { exact: false })).toHaveCount(0);

  const second = await context.newPage();
  await second.goto(page.url());
  const field = second.getByRole("textbox");
  await expect(field).toBeVisible();
  await field.fill("not the token");
  await field.press("Enter");
  await expect(second.getByRole("textbox")).toBeVisible();
  await second.getByRole("textbox").fill(served.token);
  await second.getByRole("textbox").press("Enter");
  await settled(second);
  expect(new URL(second.url()).pathname).toBe("/on/disk");
  expect(new URL(second.url()).search).toBe(new URL(page.url()).search);
});

test("a shared address shows the same window to somebody else", async ({ browser, page, served, view }) => {
  const shared = `/who?${SYNCING}&filter=exporter`;
  await view(shared);
  const seen = await page.locator("main").textContent();

  const other = await browser.newContext({ timezoneId: "UTC" });
  const theirs = await other.newPage();
  await theirs.goto(page.url());
  await theirs.getByRole("textbox").fill(served.token);
  await theirs.getByRole("textbox").press("Enter");
  await settled(theirs);
  const words = new URL(theirs.url()).searchParams;
  expect([words.get("since"), words.get("until"), words.get("filter")]).toEqual([
    ...["since", "until"].map((name) => new URLSearchParams(SYNCING).get(name)),
    "exporter",
  ]);
  expect(await theirs.locator("main").textContent()).toBe(seen);
  await other.close();
});

test("through a forwarded port", async ({ browser, served }) => {
  const forward = createServer((from) => {
    const to = connect(served.port, "127.0.0.1");
    from.pipe(to).pipe(from);
    for (const one of [from, to]) one.on("error", () => one.destroy());
  });
  await new Promise<void>((resolve) => forward.listen(0, "127.0.0.1", resolve));
  const { port } = forward.address() as AddressInfo;
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const host of ["localhost", "127.0.0.1"]) {
    const refused: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
    });
    await page.goto(`http://${host}:${port}/#token=${served.token}`);
    await settled(page);
    await expect(page.getByRole("heading").first()).toBeVisible();
    expect(refused).toEqual([]);
  }
  await context.close();
  forward.close();
});

test("nothing is answered without the token, to another name, or to another site", async ({
  request,
  served,
}) => {
  const ask = (headers: Record<string, string>) => request.get(`${served.origin}/api/state`, { headers });
  const token = { Authorization: `Bearer ${served.token}` };
  expect((await ask(token)).status()).toBe(200);
  expect((await ask({})).status()).toBe(401);
  expect((await ask({ Authorization: `Bearer ${"0".repeat(served.token.length)}` })).status()).toBe(401);
  expect((await ask({ ...token, Host: "evil.example" })).status()).toBeGreaterThanOrEqual(400);
  expect((await ask({ ...token, Origin: "http://evil.example" })).status()).toBeGreaterThanOrEqual(400);
  expect((await ask({ ...token, "Sec-Fetch-Site": "cross-site" })).status()).toBeGreaterThanOrEqual(400);
});
