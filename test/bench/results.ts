import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { DispatchResult } from "./dispatch.ts";
import type { EmailResult } from "./email.ts";
import type { EndToEndResult } from "./end-to-end.ts";
import type { Environment } from "./environment.ts";
import type { IngestResult } from "./ingest.ts";
import type { RealtimeResult } from "./realtime.ts";

/** What a benchmark found, and on what. */
export interface Kept<Result> {
  environment: Environment;
  result: Result;
}

/** `test/bench/results.json`: the newest run of each benchmark. */
export interface Results {
  ingest?: Kept<IngestResult>;
  dispatch?: Kept<DispatchResult>;
  email?: Kept<EmailResult>;
  realtime?: Kept<RealtimeResult>;
  "end-to-end"?: Kept<EndToEndResult>;
}
export type BenchName = keyof Results;

/** Empty where there is no file yet. */
export async function readResults(file: string): Promise<Results> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  return JSON.parse(text) as Results;
}

/** Puts a benchmark's run in the place of its last one. */
export async function keepResult<Name extends BenchName>(
  file: string,
  name: Name,
  kept: Results[Name],
): Promise<void> {
  const results = { ...(await readResults(file)), [name]: kept };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}
