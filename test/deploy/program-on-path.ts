import { access, constants } from "node:fs/promises";
import { findExecutable } from "@belfry/local/servers/nats-server";

/**
 * The path of a program that a test needs, from one of the places or the PATH, or undefined where the variable says to go without it.
 * Throws, saying how it is installed, where it is missing: a check that is silently left out is none.
 */
export async function programOnPath(
  name: string,
  options: { install: string; withoutVariable: string; places?: readonly string[] },
): Promise<string | undefined> {
  // biome-ignore lint/style/noProcessEnv: how a person says that a check may be left out
  if (process.env[options.withoutVariable] === "1") return undefined;
  for (const place of options.places ?? []) {
    if (await isExecutable(place)) return place;
  }
  const found = await findExecutable(name);
  if (found !== undefined) return found;
  throw new Error(
    `no ${name}: ${options.install}, or set ${options.withoutVariable}=1 to go without these checks`,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
