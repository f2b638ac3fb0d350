// Makes dist/ from src/: one script, one style sheet, the page and its icon. `--watch` makes them again after each change.
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { context } from "esbuild";

const MOST_GZIPPED = 80_000;

const say = {
  name: "say",
  setup(build) {
    build.onEnd((result) => {
      if (result.errors.length > 0) return;
      for (const name of ["index.html", "icon.svg"]) copyFileSync(`src/${name}`, `dist/${name}`);
      const size = (name) => gzipSync(readFileSync(`dist/${name}`), { level: 9 }).length;
      const [script, style] = [size("app.js"), size("app.css")];
      process.stdout.write(`dist: script ${script} and style ${style} bytes gzipped, of ${MOST_GZIPPED}\n`);
      if (script + style > MOST_GZIPPED) {
        process.stderr.write("dist: the bundle is too large\n");
        process.exitCode = 1;
      }
    });
  },
};

mkdirSync("dist", { recursive: true });
const building = await context({
  entryPoints: { app: "src/main.tsx" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
  outdir: "dist",
  plugins: [say],
  logLevel: "warning",
});
if (process.argv.includes("--watch")) {
  await building.watch();
} else {
  await building.rebuild();
  await building.dispose();
}
