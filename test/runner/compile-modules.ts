import { glob } from "node:fs/promises";
import { join, resolve } from "node:path";
import { TEST_CODE } from "../test-code.ts";

/**
 * `node test/runner/compile-modules.ts`, with NODE_COMPILE_CACHE: loads every module that ships, so that the
 * cache holds it before the tests start. Services that tests end by SIGKILL write nothing to the cache, and parallel
 * tests would all compile the same modules.
 */

const ROOT = resolve(import.meta.dirname, "../..");
/** Programs and workers, which would start to work, and types alone. */
const NOT_LOADED = /(^|[/-])(main|worker)\.ts$|\.d\.ts$/;

const exclude = (path: string) => path.split("/").includes("node_modules");
for await (const file of glob("{packages,services}/**/*.ts", { cwd: ROOT, exclude })) {
  if (NOT_LOADED.test(file) || TEST_CODE.test(file)) continue;
  try {
    await import(join(ROOT, file));
  } catch {
    // Some modules cannot be loaded by Node alone; no test needs them compiled.
  }
}
process.exit(0);
