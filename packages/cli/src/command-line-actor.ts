import { hostname, userInfo } from "node:os";

/** As the audit log shows it: whose account of which machine. */
export function commandLineActor() {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    // In a container the account may have no name.
    name = `uid ${process.getuid?.()}`;
  }
  return { personId: null, person: `command line (${name})`, address: hostname() };
}
