import { glob } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * `node test/runner/compile-modules.ts`, with NODE_COMPILE_CACHE: loads every module that ships, so that it is
 * there without its types and compiled before the tests begin. Most services of tests end by SIGKILL and
 * leave nothing there; three tests at once would do the same work three times.
 */

const ROOT = resolve(import.meta.dirname, "../..");
/** Programs and workers, which would begin to work, and what belongs to a test or to a browser. */
const LEFT_OUT =
  /(^|[/-])(main|worker)\.ts$|\.test\.ts$|\.bench\.ts$|under-test|\.d\.ts$|\/(assets|scripts|test)\//;

const exclude = (path: string) => path.split("/").includes("node_modules");
for await (const file of glob("{packages,services}/**/*.ts", { cwd: ROOT, exclude })) {
  if (LEFT_OUT.test(file)) continue;
  try {
    await import(join(ROOT, file));
  } catch {
    // It is no module of Node's, and no test will miss it.
  }
}
process.exit(0);
