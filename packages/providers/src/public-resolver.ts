import { Resolver } from "node:dns/promises";
import type { Resolve } from "./address-guard.ts";

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Returns a resolver that queries the name servers directly. The system's resolver (`getaddrinfo`) blocks one of the
 * process's four threads until a name server answers, so a few names whose servers never answer would delay all other
 * calls. The returned resolver ignores `/etc/hosts` and search domains, which public names do not need.
 */
export function createPublicResolver(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const found = [
      ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && v4.status === "rejected") throw v4.reason;
    return found;
  };
}
