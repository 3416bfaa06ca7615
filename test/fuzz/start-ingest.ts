import { randomBytes, randomUUID } from "node:crypto";
import type { TenantInput } from "@belfry/administration/tenants/tenant-input";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";

/** Starts ingest-api as a process with its own database and NATS prefix. */
export async function startIngest(t: Cleanup, env: Record<string, string> = {}) {
  const { url: databaseUrl } = await createTestDatabase(t);
  const port = await freePort();
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const process = await startProcess(t, {
    main: new URL("../../services/ingest-api/src/main.ts", import.meta.url),
    env: {
      DATABASE_URL: databaseUrl,
      NATS_URL: testNatsUrl(),
      NATS_PREFIX: testPrefix(t),
      SECRETS_KEYS: secretsKeys,
      REALTIME_TOKEN_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      INGEST_API_PORT: String(port),
      UNKNOWN_KEYS_PER_MINUTE: "1000000",
      OTHER_REQUESTS_PER_MINUTE: "1000000",
      ...env,
    },
  });
  const pool = createPool({ url: databaseUrl, applicationName: "fuzz" });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  const keys = parseSecretKeys(secretsKeys);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    process,
    db,
    pool,
    keys,
    createTenant: (input: TenantInput = {}) => {
      const name = input.name ?? `Tenant ${randomUUID()}`;
      return createTenant(db, { perMinute: 1_000_000, dailyCap: null, ...input, name }, keys);
    },
    /** The number of rows that requests have stored. */
    async storedEvents() {
      const { rows } = await pool.query(
        "select (select count(*) from events) + (select count(*) from dedup_keys) + (select count(*) from undispatched_events) as n",
      );
      return Number(rows[0].n);
    },
    /** Logged internal errors; none are expected. */
    faults: () => process.logs().filter(({ level }) => level === "error" || level === "fatal"),
  };
}

export type Ingest = Awaited<ReturnType<typeof startIngest>>;
