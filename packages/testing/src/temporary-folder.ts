import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cleanup } from "./cleanup.ts";

/** An empty folder, gone after the test. */
export async function temporaryFolder(t: Cleanup, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `belfry-${name}-`));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
