import { randomBytes } from "node:crypto";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import {
  insertPerson,
  putMembership,
  type TenantRole,
} from "@belfry/administration/people/person-rows";
import { beginSession } from "@belfry/administration/people/sessions";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import type { KeyRole } from "@belfry/contracts/key-roles";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import { createBrowser } from "../../services/admin/test/browser.ts";
import { heapOf } from "./within-memory.ts";

/** Starts admin as a process with its own database, and two tenants of which one is quiet. */
export async function startAdmin(t: Cleanup) {
  const { url: databaseUrl } = await createTestDatabase(t);
  const db = createDatabase(createPool({ url: databaseUrl, applicationName: "fairness" }));
  t.after(() => db.destroy());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const process = await startProcess(t, {
    main: new URL("../../services/admin/src/main.ts", import.meta.url),
    env: {
      ...(await heapOf("admin")),
      DATABASE_URL: databaseUrl,
      NATS_URL: testNatsUrl(),
      NATS_PREFIX: testPrefix(t),
      SECRETS_KEYS: secretsKeys,
      REALTIME_TOKEN_KEYS: secretsKeys,
      ADMIN_PORT: String(port),
      ADMIN_BASE_URL: url,
      MANAGE_REQUESTS_PER_MINUTE: "1000000",
    },
  });
  const tenant = (name: string) => createTenant(db, { name }, parseSecretKeys(secretsKeys));
  const [loud, quiet] = [await tenant("Loud"), await tenant("Quiet")];

  /** A person of a tenant, signed in. */
  const personOf = async (tenantId: string, role: TenantRole) => {
    const email = `${role}@example.com`;
    const found = { email, name: role, password: null, operator: false, isSignInTrusted: true };
    const personId = await insertPerson(db, found);
    await putMembership(db, { personId, tenantId, role });
    const browser = createBrowser(url);
    const place = { address: "192.0.2.1", userAgent: "test" };
    browser.cookies.set("belfry_session", await beginSession(db, personId, place));
    return browser;
  };
  const keyOf = async (tenantId: string, role: KeyRole) =>
    (await actsIn(db, tenantId)(createKey, { role })).apiKey;
  const call = async (key: string, method: string, path: string, body: string | null = null) => {
    const authorization = `Bearer ${key}`;
    const headers = { "x-api-key": key, authorization, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, body });
    await response.arrayBuffer();
    return response;
  };

  const owner = await personOf(quiet.id, "owner");
  const key = await keyOf(quiet.id, "manage");
  const label = JSON.stringify({ label: { "": "Offers" } });
  const ofNeighbour = [
    () => call(key, "PUT", `${MANAGE_PATH}/categories/offers`, label),
    () => call(key, "GET", `${MANAGE_PATH}/bundle`),
    () => owner.raw(`/tenants/${quiet.id}/templates`, {}),
  ];
  let turn = 0;
  /** The pages and calls of the quiet tenant, in turn. */
  const neighbour = () => {
    turn += 1;
    return ofNeighbour[turn % ofNeighbour.length]!();
  };
  return { process, loud, personOf, keyOf, call, neighbour };
}
