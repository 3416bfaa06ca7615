import { randomBytes } from "node:crypto";
import type { Database } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { createTenant } from "./tenants/tenants.ts";

/** For the tests of this package: a database of the test's own, and keys. */
export const TEST_KEYS = parseSecretKeys(`t1:${randomBytes(32).toString("base64")}`);

export async function testDatabase(t: Cleanup): Promise<Database> {
  return (await connectedDatabase(t)).db;
}

/** With a tenant. */
export async function tenantDatabase(t: Cleanup) {
  const connected = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(connected.db, { name: "Acme" });
  return { ...connected, tenantId };
}
