import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** One statement that shipped code sent to Postgres, and the file that sent it. */
export interface RecordedStatement {
  sql: string;
  file: string;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NOT_SHIPPED = /\.test\.ts|\/test\/|^test\/|\/testing\/|under-test|\/test-|\.bench\.ts/;
/** Where statements pass: these files send nothing of their own. */
const PASSES_ON = /packages\/database\/src\/(connection|data-fault|functions\/call-function)\.ts/;

/**
 * From here on, each statement that shipped code of this process sends is noted once, and all of them
 * written to a file of their own in the folder when the process ends.
 */
export function recordStatements(folder: string): void {
  const seen = new Map<string, RecordedStatement | undefined>();
  // What waits for a connection is sent by whoever gives one back: it is noted where it is asked for.
  for (const { prototype } of [pg.Pool, pg.Client] as { prototype: { query: unknown } }[]) {
    const query = prototype.query as (...all: unknown[]) => unknown;
    prototype.query = function (...args: unknown[]) {
      const [statement] = args as [string | { text?: string } | undefined];
      const sql = typeof statement === "string" ? statement : statement?.text;
      if (sql !== undefined && !seen.has(sql)) {
        const file = sender();
        seen.set(sql, file === undefined ? undefined : { sql, file });
      }
      return query.apply(this, args);
    };
  }
  process.on("exit", () => {
    const recorded = [...seen.values()].filter((entry) => entry !== undefined);
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(recorded));
  });
}

/** The nearest file of ours on the stack; undefined: a test's own statement, or the driver's. */
function sender(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  for (const [, path = ""] of stack.matchAll(/(?:file:\/\/)?(\/[^\s():]+\.ts):\d+/g)) {
    const file = relative(ROOT, path);
    if (file.startsWith("..") || file.includes("node_modules") || PASSES_ON.test(file)) continue;
    if (file.endsWith("recorded-statements.ts")) continue;
    return NOT_SHIPPED.test(file) ? undefined : file;
  }
  return undefined;
}
