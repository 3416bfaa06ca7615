import { randomBytes } from "node:crypto";
import type { Database } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { type Audited, audited } from "./audited.ts";
import { createTenant } from "./tenants/tenants.ts";

/** For the tests of this package: a database of the test's own, and keys. */
export const TEST_KEYS = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);

export async function testDatabase(t: Cleanup): Promise<Database> {
  return (await connectedDatabase(t)).db;
}

/** With a tenant, and changes that nobody in particular makes. */
export async function tenantDatabase(t: Cleanup, options: { maxConnections?: number } = {}) {
  const connected = await connectedDatabase(t, options);
  const { db } = connected;
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const nobody = { personId: null, person: "a test", address: "127.0.0.1" };
  const byNobody: Audited = (change, note) => audited(db, nobody, change, note);
  return { ...connected, tenantId, audited: byNobody };
}
