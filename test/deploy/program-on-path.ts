import { findExecutable } from "@belfry/local/servers/nats-server";

/**
 * The path of a program that a test needs, or undefined where the variable says to go without it.
 * Throws, naming the package, where it is missing: a check that is silently left out is none.
 */
export async function programOnPath(
  name: string,
  options: { debianPackage: string; withoutVariable: string },
): Promise<string | undefined> {
  // biome-ignore lint/style/noProcessEnv: how a person says that a check may be left out
  if (process.env[options.withoutVariable] === "1") return undefined;
  const found = await findExecutable(name);
  if (found !== undefined) return found;
  throw new Error(
    `no ${name}: apt-get install ${options.debianPackage}, or set ${options.withoutVariable}=1 to go without these checks`,
  );
}
