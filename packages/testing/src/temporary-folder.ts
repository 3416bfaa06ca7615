import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cleanup } from "./cleanup.ts";

/** Creates an empty folder and removes it after the test. */
export async function temporaryFolder(t: Cleanup, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `belfry-${name}-`));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
