import { CommandError } from "./command-error.ts";
import { readEnvironment } from "./environment.ts";
import { findAdminUrl } from "./home-files.ts";

/** Of a command that prints a link. */
export const BASE_URL = [
  "--base-url <url>",
  "of the Admin UI; default: ADMIN_BASE_URL, else the local stack's",
] as const;

/** Where the Admin UI is, without a / at the end. Throws `CommandError`. */
export async function adminUrl(baseUrl: string | undefined): Promise<string> {
  const given = baseUrl ?? (await findAdminUrl(readEnvironment()));
  if (given === undefined) {
    throw new CommandError("--base-url: say where the Admin UI is, or set ADMIN_BASE_URL");
  }
  if (!/^https?:\/\/[^/]+\/?$/.test(given)) {
    throw new CommandError("--base-url: must be an address such as https://admin.example.com");
  }
  return given.replace(/\/$/, "");
}
