import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Where daemons live that an ordinary user's PATH leaves out. */
const MORE_PLACES = ["/usr/local/bin", "/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin"];

/** The path of a program, looked for on the PATH and in the places of daemons. */
export async function findExecutable(name: string): Promise<string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the PATH is the question, not a setting
  const places = [...(process.env.PATH ?? "").split(delimiter), ...MORE_PLACES];
  for (const place of places) {
    if (place === "") continue;
    const file = join(place, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}
