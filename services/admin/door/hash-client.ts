import type { HashClient } from "@belfry/administration/people/scrypt-queue";
import { clientNetwork } from "@belfry/contracts/client-network";
import type { Guest } from "../router.ts";

/** Whoever sent the request, for as long as the connection is open. */
export function hashClient({ address, reply }: Pick<Guest, "address" | "reply">): HashClient {
  const closed = new AbortController();
  if (reply.raw.destroyed) closed.abort();
  else reply.raw.once("close", () => closed.abort());
  return { network: clientNetwork(address), signal: closed.signal };
}
