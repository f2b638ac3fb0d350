import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

/** The system's own Chromium: none is downloaded. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: "tests",
  // The whole takes one to two minutes; more only where the machine is busy with something else.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  globalTimeout: 900_000,
  workers: 2,
  fullyParallel: false,
  reporter: [["list"]],
  outputDir: process.env.HELDUP_TEST_RESULTS ?? "test-results",
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    timezoneId: "UTC",
    locale: "en-GB",
    launchOptions: {
      executablePath: process.env.HELDUP_CHROMIUM ?? CHROMIUM.find((path) => existsSync(path)) ?? "chromium",
      // Its sandbox does not run as root.
      args: isRoot ? ["--no-sandbox"] : [],
    },
  },
});
