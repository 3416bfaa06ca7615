import { execFile } from "node:child_process";
import { copyFile, glob, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/**
 * The `prepack` script of a published package, run in the package's folder. It builds JavaScript and types for Node 20
 * and bundlers in `dist`, because Node strips no types in `node_modules`. `postpack` deletes `dist` again.
 */

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const DIST = "dist";
/** The two builds. Each has its own types, because the nearest package.json decides which kind of module a file is. */
const KINDS = [
  { folder: "esm", type: "module", options: [] },
  {
    folder: "cjs",
    type: "commonjs",
    options: "--module commonjs --moduleResolution bundler --verbatimModuleSyntax false".split(" "),
  },
];

await rm(DIST, { recursive: true, force: true });
await Promise.all(
  KINDS.map(async ({ folder, type, options }) => {
    const target = join(DIST, folder);
    await promisify(execFile)(TSC, ["-p", "tsconfig.pack.json", "--outDir", target, ...options]);
    await writeFile(join(target, "package.json"), `${JSON.stringify({ type })}\n`);
    // tsc would add `export {}` to a service worker, which is a classic script.
    for await (const path of glob(["src/*.d.ts", "src/*-worker.js"])) {
      await copyFile(path, join(target, basename(path)));
    }
    for await (const path of glob(`${target}/*.d.ts`)) {
      const text = await readFile(path, "utf8");
      // The sources import `.ts` files, which are not in the package.
      await writeFile(path, text.replace(/(["']\.\/[\w-]+)(?:\.d)?\.ts(["'])/g, "$1.js$2"));
    }
  }),
);
