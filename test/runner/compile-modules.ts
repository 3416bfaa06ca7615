import { glob } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * `node test/runner/compile-modules.ts`, with NODE_COMPILE_CACHE: loads every module that ships, so that the
 * cache holds it before the tests start. Services that tests end by SIGKILL write nothing to the cache, and parallel
 * tests would all compile the same modules.
 */

const ROOT = resolve(import.meta.dirname, "../..");
/** Programs, scripts and workers, which would start to work, and modules for tests or browsers. */
const LEFT_OUT =
  /(^|[/-])(main|worker)\.ts$|\.test\.ts$|\.bench\.ts$|under-test|\.d\.ts$|\/(assets|scripts|test)\//;

const exclude = (path: string) => path.split("/").includes("node_modules");
for await (const file of glob("{packages,services}/**/*.ts", { cwd: ROOT, exclude })) {
  if (LEFT_OUT.test(file)) continue;
  try {
    await import(join(ROOT, file));
  } catch {
    // Some modules cannot be loaded by Node alone; no test needs them compiled.
  }
}
process.exit(0);
