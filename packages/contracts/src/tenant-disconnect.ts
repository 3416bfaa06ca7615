import { realtimeSubject } from "./streams.ts";

/** Where a user's hash stands in other subjects: no hash is this. */
const ALL_USERS = "all";

/** What every gateway listens to. */
export function tenantDisconnects(prefix: string): string {
  return realtimeSubject(prefix, "*", ALL_USERS);
}

/** What is published on core NATS so that every gateway ends the connections of all of a tenant's users. */
export function tenantDisconnect(prefix: string, tenantId: string) {
  return {
    subject: realtimeSubject(prefix, tenantId, ALL_USERS),
    message: JSON.stringify({ version: 1, kind: "disconnect", tenantId }),
  };
}

/** Whose connections end; undefined for what no version of ours has written. */
export function disconnectedTenant(data: Uint8Array): string | undefined {
  try {
    const { version, kind, tenantId } = JSON.parse(new TextDecoder().decode(data)) ?? {};
    const isKnown = version === 1 && kind === "disconnect" && typeof tenantId === "string";
    return isKnown ? tenantId : undefined;
  } catch {
    return undefined;
  }
}
