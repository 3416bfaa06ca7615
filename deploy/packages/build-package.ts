import { execFile } from "node:child_process";
import { copyFile, glob, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/**
 * `prepack` of a package that others install, run in its folder: JavaScript and types for Node 20 and for
 * bundlers in `dist`, since Node strips no types below `node_modules`. `postpack` takes `dist` away again.
 */

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const DIST = "dist";
/** Each with types of its own: which kind of module a file is goes by the package.json above it. */
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
    for await (const path of glob("src/*.d.ts")) await copyFile(path, join(target, basename(path)));
    for await (const path of glob(`${target}/*.d.ts`)) {
      const text = await readFile(path, "utf8");
      // The sources name sources: no such file is in the package.
      await writeFile(path, text.replace(/(["']\.\/[\w-]+)(?:\.d)?\.ts(["'])/g, "$1.js$2"));
    }
  }),
);
