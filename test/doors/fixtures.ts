import { storeDigest } from "@belfry/administration/events/digest-under-test";
import { actsIn } from "@belfry/administration/test-acts";
import { putCategory } from "@belfry/administration/users/categories";
import type { Database, Pool } from "@belfry/database/connection";

/** A tenant that has nothing yet. */
export interface Bare {
  db: Database;
  pool: Pool;
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
  async digest({ pool, tenantId }, act) {
    const { id } = await storeDigest(pool, tenantId, []);
    return act === "digest list" ? {} : { id };
  },
};
