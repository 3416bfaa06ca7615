import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** A statement that shipped code sent to Postgres, and the file that sent it. */
export interface RecordedStatement {
  sql: string;
  file: string;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const NOT_SHIPPED = /\.test\.ts|\/test\/|^test\/|\/testing\/|\.bench\.ts/;
/** Files that only pass statements of other files on. */
const PASSES_ON = /packages\/database\/src\/(connection|data-fault|functions\/call-function)\.ts/;

/**
 * Records, from now on, each distinct statement that shipped code of this process sends. When the process exits, it
 * writes them to a new file in the folder.
 */
export function recordStatements(folder: string): void {
  const seen = new Map<string, RecordedStatement | undefined>();
  // A queued statement is sent on the stack of the code that frees a connection. So the request is recorded.
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

/** Returns the nearest file of ours on the stack; undefined if it is not shipped (a test) or if there is none. */
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
