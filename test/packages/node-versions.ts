import { access, constants, mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { runAnyhow } from "./packed.ts";

/** Taken from the registry where this machine has no Node 20 (42 MB, into the folder of the test). */
const NODE_20 = "20.20.2";

/**
 * A Node 20, the oldest that the packages promise to run on: one on the PATH, else the one of the npm registry.
 * Undefined where there is neither; `folder` must be the test's own.
 */
export async function findNode20(folder: string): Promise<string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the programs of this machine
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    const command = join(place, "node");
    if ((await isProgram(command)) && (await majorOf(command)) === "20") return command;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const home = join(folder, "node-20");
  await mkdir(home);
  const args = ["install", "--prefix", home, "--cache", join(folder, "npm"), `${name}@${NODE_20}`];
  await runAnyhow("npm", [...args, "--no-audit", "--no-fund"], home);
  const command = join(home, "node_modules", name, "bin/node");
  return (await isProgram(command)) ? command : undefined;
}

async function majorOf(command: string): Promise<string> {
  const { out } = await runAnyhow(command, ["-p", "process.versions.node"], "/");
  return out.split(".")[0] ?? "";
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
