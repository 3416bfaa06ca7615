import { rm } from "node:fs/promises";
import { createJson, type HomeFolder, type LocalJson, readJson } from "../home-folder.ts";
import { commandOf } from "./process-table.ts";

/** A start found the home folder in use. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning";
  constructor(pid: number, home: string, local: LocalJson | undefined) {
    const addresses =
      local === undefined
        ? "  It is still starting, or on its way out."
        : [
            `  API        ${local.apiUrl}`,
            `  WebSocket  ${local.wsUrl}`,
            `  demo page  ${local.demoUrl}`,
            `  Admin UI   ${local.adminUrl}`,
          ].join("\n");
    super(
      `A local stack is running already (process ${pid}, ${home}):\n${addresses}\nStop it by: npx --yes pnpm@12 belfry stop`,
    );
  }
}

export interface Claim {
  /** The last stack here ended without cleaning up: its servers may still be on their way out. */
  foundStale: boolean;
  release(): Promise<void>;
}

/** Takes the home folder for this process by `stack.json`; throws AlreadyRunning. */
export async function claimHome(home: HomeFolder, pid: number): Promise<Claim> {
  let foundStale = false;
  while (!(await createJson(home.stackFile, { pid }))) {
    const holder = await readJson<{ pid: number }>(home.stackFile);
    if (holder !== undefined && (await isStack(holder.pid))) {
      throw new AlreadyRunning(holder.pid, home.path, await readJson<LocalJson>(home.localFile));
    }
    foundStale = true;
    await rm(home.stackFile, { force: true });
    await rm(home.localFile, { force: true });
  }
  return { foundStale, release: () => rm(home.stackFile, { force: true }) };
}

/** A process id may have been given to another program since. */
async function isStack(pid: number): Promise<boolean> {
  return /deploy[/\\]local[/\\]stack\.ts/.test((await commandOf(pid)) ?? "");
}
