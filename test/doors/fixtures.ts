import { type Act, type ActServices, runAct } from "@belfry/administration/act";
import { actsIn } from "@belfry/administration/test/acts";
import { storeDigest } from "@belfry/administration/test/store-digests";
import { putCategory } from "@belfry/administration/users/categories";
import { startImport } from "@belfry/administration/users/imports";
import type { Database, Pool } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { TestPool } from "@belfry/testing/database";

/** A tenant without any data. */
interface Bare {
  db: Database;
  pool: TestPool;
  tenantId: string;
}

/**
 * What the examples of a noun's acts are about, made in a tenant: returns the fields that take the place of the
 * example's, such as the id of what was made. An act of a noun without a row is run in an empty tenant: there its doors
 * have to agree on what is missing.
 */
export const FIXTURES: Readonly<
  Record<string, (bare: Bare, act: string) => Promise<Record<string, unknown>>>
> = {
  async category({ db, tenantId }, act) {
    if (act !== "category put") {
      await actsIn(db, tenantId)(putCategory, { key: "offers", label: { "": "Offers" } });
    }
    return {};
  },
  async import({ db, tenantId }, act) {
    if (["import start", "import list"].includes(act)) return {};
    const more = act === "import add";
    const begun = { kind: "members", topic: "news", file: "userId\nuser-1\n", more } as const;
    return { importId: (await actsIn(db, tenantId)(startImport, begun)).id };
  },
  async digest({ pool, tenantId }, act) {
    const { id } = await storeDigest(pool, tenantId, []);
    return act === "digest list" ? {} : { id };
  },
};

/** Dependencies of acts besides the database, without listeners. */
export function servicesOf(pool: Pool, keys: SecretKeys, url: string): ActServices {
  return {
    pool,
    keys: async () => keys,
    publishEvent: async () => undefined,
    publishNotification: async () => undefined,
    announcePreferences: () => undefined,
    disconnect: async () => undefined,
    allowPrivateAddresses: async () => true,
    allowPrivateWebhooks: async () => true,
    adminUrl: async () => url,
    publicUrl: async () => url,
  };
}

/** Runs an act directly, as a person with all rights. */
export async function runDirectly(
  act: Act,
  input: Record<string, unknown>,
  { db, tenantId, services }: { db: Database; tenantId: string; services: ActServices },
): Promise<unknown> {
  const actor = { personId: null, person: "directly", address: "127.0.0.1" };
  return await runAct(act, { db, tenantId, actor, services, may: () => true }, input as never);
}
