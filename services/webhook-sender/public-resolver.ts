import { Resolver } from "node:dns/promises";
import type { Resolve } from "@belfry/providers/address-guard";

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers themselves. The system's way (`getaddrinfo`) takes one of four threads of the
 * process for as long as a name server is silent: a few names whose servers never answer would hold up
 * every other call. It knows no `/etc/hosts` and no search domains, which public names do not need.
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
