// Runs the tests of pure functions, src/**/*.test.ts: bundled one by one, in the test runner of node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const tests = readdirSync("src", { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".test.ts") || name.endsWith(".test.tsx"))
  .map((name) => join("src", name));
if (tests.length === 0) {
  process.stdout.write("no unit tests\n");
  process.exit(0);
}
const place = mkdtempSync(join(tmpdir(), "heldup-unit-"));
try {
  await build({
    entryPoints: tests,
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".css": "empty" },
    sourcemap: "inline",
    outdir: place,
    outbase: "src",
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
  const built = readdirSync(place, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => join(place, name));
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...built], { stdio: "inherit" });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
